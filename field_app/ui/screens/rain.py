"""Rain read from a gauge: inches, from when until when, which gauge; what follows from it is said at once."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.fields import DueField, TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.rain import RainRow, RainView


@safe_screen
def RainScreen(shell: Any, beat: int, site: str = "") -> ft.Control:
    """Draws `RainView`. What is typed is kept with every keystroke; a reading is one record, signed at once."""
    view: RainView = shell.work.rain(site)
    said, set_said = ft.use_state("")
    # What was typed last: a tap on "write it down" must not overtake the keystroke that is still being kept.
    typed: dict[str, str] = ft.use_ref(lambda: {}).current
    asking, ask = use_asking(shell, "rain-alike")

    def saver(field: str) -> Any:
        async def save(value: str) -> None:
            typed[field] = value
            await shell.attempt(lambda: shell.work.keep_rain_form(site, **{field: value}))
        return save

    def when(name: str) -> Any:
        async def save(on: str, at: str) -> None:
            await shell.attempt(lambda: shell.work.keep_rain_form(site, **{f"{name}_on": on, f"{name}_at": at}))
        return save

    async def write_down(corrects: str = "") -> None:
        now: RainView = shell.work.rain(site)
        set_said(await shell.work.record_rain(
            site, now.inches, (now.from_on, now.from_at), (now.to_on, now.to_at), now.gauge, "",
            corrects or now.corrects or None))
        typed.clear()

    async def keep(_e: ft.Event) -> None:
        async def act() -> None:
            await shell.work.keep_rain_form(site, **typed)
            if shell.work.rain(site).alike is not None:
                ask(True)
            else:
                await write_down()
        await shell.attempt(act, once="rain")

    def answered(corrects: str) -> Any:
        async def chosen(_e: ft.Event) -> None:
            ask(False)
            await shell.attempt(lambda: write_down(corrects), once="rain")
        return chosen

    def correct(row: RainRow) -> Any:
        async def chosen(_e: ft.Event) -> None:
            set_said("")
            typed.clear()
            await shell.attempt(lambda: shell.work.keep_rain_form(
                site, corrects=row.id, inches=row.inches, gauge=row.gauge))
        return chosen

    ft.use_dialog(_is_it_another(view, view.alike, answered, lambda _e: ask(False))
                  if asking and view.alike is not None else None)
    body: list[ft.Control] = [panel([
        heading(view.place, id="rain-place"),
        *([line(ft.Icons.RULE, view.rule)] if view.rule else []),
        *([line(ft.Icons.EDIT, _("This takes the place of the reading that you chose."), ink=theme.WARN.ink)]
          if view.corrects else []),
        TextLine(view.inches, saver("inches"), _("Rain in inches"), "rain-inches", number=True, unit=_("in"),
                 key=f"inches-{view.corrects}-{len(view.rows)}"),
        text(_("It began"), bold=True),
        DueField(shell, view.from_on, view.from_at, when("from"), "rain-from", last=shell.work.day, key="from"),
        text(_("It ended, or the gauge was read"), bold=True),
        DueField(shell, view.to_on, view.to_at, when("to"), "rain-to", last=shell.work.day, key="to"),
        TextLine(view.gauge, saver("gauge"), _("Which gauge"), "rain-gauge",
                 key=f"gauge-{view.corrects}"),
    ])]
    if said:
        body.insert(0, marked("rain-said", live_region=True, content=panel(
            [line(ft.Icons.CHECK_CIRCLE, said, ink=theme.GOOD.ink)], ground=theme.GOOD.ground,
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


def _is_it_another(view: RainView, alike: RainRow, answered: Any, no: Any) -> ft.AlertDialog:
    """Of the same gauge and hours something is written down already. Both may be right, so a person says which."""
    correct = ft.Row([action(_("Correct the reading that is there"), answered(alike.id), id="rain-correct-it",
                             icon=ft.Icons.EDIT, kind="secondary", expand=True)]) if alike.mine else None
    return confirm(
        _("There is a reading already"),
        _("For this gauge and these hours is written down: {reading}. You typed {inches} inches.").format(
            reading=alike.words, inches=view.inches),
        _("It is another one"), answered(""), no, more=correct)
