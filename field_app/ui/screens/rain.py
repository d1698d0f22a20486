"""Rain read from a gauge: inches, from when until when, which gauge; what follows from it is said at once."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.fields import DueField, TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.rain import RainRow, RainView


@safe_screen
def RainScreen(shell: Any, beat: int, site: str = "") -> ft.Control:
    """Draws `RainView`. What is typed is kept while the window lives; a reading is one record, signed at once."""
    view: RainView = shell.work.rain(site)
    form: dict[str, str] = shell.memory.setdefault(f"rain-{site}", {
        "inches": "", "gauge": "", "from_on": view.from_on, "from_at": view.from_at, "to_on": view.to_on,
        "to_at": view.to_at, "corrects": ""})

    def saver(field: str) -> Any:
        async def save(value: str) -> None:
            form[field] = value
        return save

    def when(name: str) -> Any:
        async def save(on: str, at: str) -> None:
            form[f"{name}_on"], form[f"{name}_at"] = on, at
            shell.redraw()
        return save

    async def keep(_e: ft.Event) -> None:
        async def act() -> None:
            said = await shell.work.record_rain(
                site, form["inches"], (form["from_on"], form["from_at"]), (form["to_on"], form["to_at"]),
                form["gauge"], "", form["corrects"] or None)
            form.update(inches="", corrects="")
            form["said"] = said
        await shell.attempt(act, once="rain")

    def correct(row: RainRow) -> Any:
        def chosen(_e: ft.Event) -> None:
            form.update(corrects=row.id, inches=row.inches, gauge=row.gauge)
            form.pop("said", None)
            shell.redraw()
        return chosen

    body: list[ft.Control] = [panel([
        heading(view.place, id="rain-place"),
        *([line(ft.Icons.RULE, view.rule)] if view.rule else []),
        *([line(ft.Icons.EDIT, _("This takes the place of the reading that you chose."), ink=theme.WARN.ink)]
          if form["corrects"] else []),
        TextLine(form["inches"], saver("inches"), _("Rain in inches"), "rain-inches", number=True, unit=_("in"),
                 key=f"inches-{form['corrects']}-{len(view.rows)}"),
        text(_("It began"), bold=True),
        DueField(form["from_on"], form["from_at"], when("from"), "rain-from", key="from"),
        text(_("It ended, or the gauge was read"), bold=True),
        DueField(form["to_on"], form["to_at"], when("to"), "rain-to", key="to"),
        TextLine(form["gauge"], saver("gauge"), _("Which gauge"), "rain-gauge", limit=100,
                 key=f"gauge-{form['corrects']}"),
    ])]
    if form.get("said"):
        body.insert(0, marked("rain-said", live_region=True, content=panel(
            [line(ft.Icons.CHECK_CIRCLE, form["said"], ink=theme.GOOD.ink)], ground=theme.GOOD.ground,
            edge=theme.GOOD.solid)))
    if view.rows:
        body.append(panel([heading(_("Written down before"))] + [
            ft.Row([ft.Icon(ft.Icons.WATER_DROP, color=theme.BRAND, size=24),
                    ft.Text(row.words, size=theme.BODY, color=theme.INK, expand=True),
                    *([action(_("Correct"), correct(row), id=f"rain-correct-{at}", kind="quiet")] if row.mine else [])],
                   spacing=10) for at, row in enumerate(view.rows)]))
    bottom: list[ft.Control] = []
    if view.may_record:
        bottom.append(action(_("Write it down"), keep, id="rain-keep", icon=ft.Icons.CHECK, kind="good", expand=True,
                             disabled=shell.busy("rain")))
    return frame(shell, _("Rain"), body, bottom=bottom)
