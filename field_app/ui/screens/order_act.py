"""One thing to do in the field with an order that stands: put its placard up again, release it, void it.

What was typed is kept while the window lives, also while it is locked; nothing is done before the PIN signs it.
"""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, panel, panel_width, text
from field_app.ui.components.pin import PinPad
from field_app.ui.words import _
from field_app.work.views import OrderActView


@safe_screen
def OrderActScreen(shell: Any, beat: int, fact: str, act: str) -> ft.Control:
    """Draws `OrderActView`."""
    kept = f"order_act:{fact}:{act}"
    typed: dict[str, str] = shell.forms.setdefault(kept, {})
    view: OrderActView = shell.work.order_act(fact, act, other=typed.get("other", ""), part=typed.get("part", ""))
    shell.behind("site", site=view.site)
    ft.use_effect(lambda: shell.work.ask_position() if act == "repost" else None, dependencies=[], cleanup=lambda: None)

    def keep(name: str) -> Any:
        async def save(value: str) -> None:
            typed[name] = value
            shell.redraw()
        return save

    async def chosen(value: str) -> None:
        await keep("other")(value)

    async def sign(pin: str) -> None:
        work, reasons = shell.work, typed.get("reasons", "")
        if act == "repost":
            await work.repost_placard(fact, typed.get("place", ""), reasons, pin)
        elif act == "release":
            await work.release_order(fact, reasons, pin, part=typed.get("part", ""))
        else:
            await work.void_order(fact, reasons, pin, replaced_by=typed.get("other") or None)
        shell.forms.pop(kept, None)
        shell.go("site", site=view.site)

    head: list[ft.Control] = [text(view.number, bold=True, size=theme.KEY, id="act-number"), text(view.words),
                              text(view.says, id="act-says")]
    if view.refused:
        return frame(shell, view.title, [panel([*head, text(view.refused, bold=True, id="act-refused")])],
                     subtitle=view.site_name)
    if "place" in view.fields:
        head.append(TextLine(typed.get("place", ""), keep("place"), _("Place on the site, e.g. main gate"), "act-place",
                             key="place"))
    if "part" in view.fields:
        head.append(TextLine(typed.get("part", ""), keep("part"), _("Only this part (leave empty for all of it)"),
                             "act-part", key="part"))
    head.append(TextLine(typed.get("reasons", ""), keep("reasons"), view.reasons_label, "act-reasons", lines=3,
                         key="reasons"))
    if view.others:
        head += [heading(_("Which order takes its place?"), 3),
                 choices_grid(view.others, typed.get("other", ""), chosen, id="act-other", width=panel_width(shell))]
    ready = bool(typed.get("reasons", "").strip())
    pad = PinPad(shell, _("Your PIN signs it"), _("Sign"), sign, wait=view.pin_wait, act="order-act",
                 disabled=not ready, key="act-pad")
    sign_part = panel([
        text(view.statement, id="statement"),
        *([] if ready else [text(_("Write the reasons first."), soft=True)]),
        ft.Row([pad], alignment=ft.MainAxisAlignment.CENTER),
    ])
    return frame(shell, view.title, [panel(head), sign_part, ft.Container(height=24)], subtitle=view.site_name)
