"""After signing: it is kept, it travels by itself, and what may follow."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, panel, text
from field_app.ui.words import _


@safe_screen
def SignedScreen(shell: Any, beat: int, fact: str) -> ft.Control:
    """Draws `SignedView`."""
    view = shell.work.signed(fact)
    shell.behind("site", site=view.site)

    async def order(_e: ft.Event) -> None:
        async def act() -> None:
            draft = await shell.work.begin_order(view.site, fact)
            shell.go("order", draft=draft.id)
        await shell.attempt(act, once="order")

    body: list[ft.Control] = [
        panel([
            ft.Row([ft.Icon(theme.GOOD.icon, size=52, color=theme.GOOD.ink),
                    heading(_("The inspection is signed"), 1, id="signed")], spacing=14, wrap=True),
            text(view.kept),
            text(_("Outcome: {outcome}").format(outcome=view.outcome_words), bold=True),
        ], ground=theme.GOOD.ground, edge=theme.GOOD.solid),
    ]
    if view.can_order:
        body.append(panel([
            heading(_("Stop-work order")),
            text(_("The findings support a stop-work order.") if view.suggest_order
                 else _("A stop-work order can rest on these findings.")),
            text(_("You hold the power to post it.") if view.may_post
                 else _("You do not hold the power to post: you can recommend it to the office.")),
            action(_("Write a stop-work order") if view.may_post else _("Recommend a stop-work order"), order,
                   id="begin-order", icon=ft.Icons.FRONT_HAND,
                   kind="danger" if view.suggest_order else "secondary", disabled=shell.busy("order")),
        ]))
    return frame(shell, _("Signed"), body, subtitle=view.site_name, bottom=[
        action(_("Back to the site"), lambda e: shell.go("site", site=view.site), id="to-site",
               icon=ft.Icons.ARROW_BACK, kind="secondary" if view.suggest_order else "primary", expand=True),
    ])
