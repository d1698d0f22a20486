"""How a refusal is shown: what happened, what to do, and the code the office asks for."""

from __future__ import annotations

from collections.abc import Callable

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import icon_action
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views import ProblemView


def problem_banner(problem: ProblemView, on_close: Callable[[], None] | None) -> ft.Control:
    """The banner over a screen. It stays until it is closed or something else succeeds; nothing vanishes unread."""
    parts: list[ft.Control] = [
        ft.Icon(theme.BAD.icon, size=34, color=theme.BAD.ink),
        ft.Column(
            [
                ft.Text(problem.sentence, size=theme.BODY + 1, weight=ft.FontWeight.BOLD, color=theme.BAD.ink),
                ft.Text(problem.advice, size=theme.BODY, color=theme.INK),
                ft.Text(_("Code:") + " " + problem.code, size=theme.SMALL, color=theme.INK_SOFT, selectable=True),
            ],
            spacing=2, expand=True, tight=True,
        ),
    ]
    if on_close is not None:
        parts.append(icon_action(ft.Icons.CLOSE, _("Close this message"), lambda e: on_close(), id="problem-close",
                                 ink=theme.BAD.ink))
    return marked(
        "problem", live_region=True, container=True,
        content=ft.Container(
            bgcolor=theme.BAD.ground, border=ft.Border.all(2, theme.BAD.solid), padding=12,
            border_radius=theme.RADIUS,
            content=ft.Row(parts, spacing=12, vertical_alignment=ft.CrossAxisAlignment.START),
        ),
    )
