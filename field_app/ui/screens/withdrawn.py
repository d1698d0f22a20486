"""The one screen of a tablet that the office has withdrawn: what is still handed over, and where to bring it."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views.tablet import WithdrawnView


@safe_screen
def WithdrawnScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `WithdrawnView`. Nothing can be recorded from here; what was signed goes on being sent."""
    view: WithdrawnView | None = shell.work.withdrawn()
    if view is None:  # it is in use again: the window is about to follow
        return frame(shell, _("This tablet"), [], home=True)

    async def send(_e: ft.Event) -> None:
        shell.work.send_now()

    tone = theme.GOOD if view.over else theme.WARN
    icons = [theme.GOOD.icon if view.over else ft.Icons.CLOUD_UPLOAD, ft.Icons.EDIT_NOTE]
    body = [
        marked("withdrawn", live_region=True, container=True, content=panel([
            ft.Row([ft.Icon(ft.Icons.BLOCK, size=40, color=theme.BAD.ink),
                    ft.Text(view.sentence, size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.BAD.ink,
                            expand=True)],
                   spacing=12),
            text(view.advice, size=theme.BODY + 1),
        ], ground=theme.BAD.ground, edge=theme.BAD.solid)),
        panel([line(icon, said, ink=tone.ink) for icon, said in zip(icons, view.lines, strict=False)]
              + ([] if view.over else [action(_("Send now"), send, id="send-now", icon=ft.Icons.CLOUD_UPLOAD)]),
              ground=tone.ground, edge=tone.solid, id="withdrawn-held"),
        panel([text(_("If the office takes it into use again, it gives you a new enrollment code.")),
               action(_("Enroll it anew"), lambda e: shell.enter("enrol"), id="enrol-anew", kind="quiet",
                      icon=ft.Icons.LINK)]),
    ]
    return frame(shell, _("This tablet is withdrawn"), body, home=True)
