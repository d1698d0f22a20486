"""How a refusal is shown: what happened, what to do, and the code the office asks for.

It stands above what scrolls, so that whoever tapped at the end of a long screen sees it too, and takes at most a part
of the screen: more of it scrolls by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import icon_action
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views import ProblemView

SHARE = 0.4
"""Of the height of the screen, the most that a refusal may take."""
ROUND_ABOUT = 12 + 34 + 12 + theme.TOUCH + 2 * 12 + 4  # its icon, the key that closes it, gaps and edges


def height_of(problem: ProblemView, width: float) -> float:
    """About how high its banner is in so much room."""
    room = width - ROUND_ABOUT
    rows = ((problem.sentence, theme.BODY + 1), (problem.advice, theme.BODY), (problem.code, theme.SMALL))
    lines = [(-(-len(words) * theme.LETTER * size // room), size) for words, size in rows if words]
    return sum(count * size * 1.35 for count, size in lines) + 2 * 12 + 4


def problem_over(shell: Any, width: float) -> ft.Control:
    """The refusal above the body of a screen of that width. Each has a node of its own: the same one, said again, is
    told again to those who listen."""
    most = shell.height * SHARE
    whole = problem_banner(shell.problem, shell.dismiss)
    if height_of(shell.problem, width) > most:
        whole = ft.Container(ft.Column([whole], scroll=ft.ScrollMode.ALWAYS), height=most)
    return ft.Container(whole, key=f"refusal-{shell.refusals}")


def problem_banner(problem: ProblemView, on_close: Callable[[], None] | None) -> ft.Control:
    """It stays until it is closed or something else succeeds; nothing vanishes unread."""
    parts: list[ft.Control] = [
        ft.Icon(theme.BAD.icon, size=34, color=theme.BAD.ink),
        ft.Column(
            [
                # A node of its own: what is beside it is not told with it.
                marked("problem-said", live_region=True, container=True, content=ft.Column([
                    ft.Text(problem.sentence, size=theme.BODY + 1, weight=ft.FontWeight.BOLD, color=theme.BAD.ink),
                    ft.Text(problem.advice, size=theme.BODY, color=theme.INK)], spacing=2, tight=True)),
                ft.Text(_("Code:") + " " + problem.code, size=theme.SMALL, color=theme.INK_SOFT),
            ],
            spacing=2, expand=True, tight=True,
        ),
    ]
    if on_close is not None:
        parts.append(icon_action(ft.Icons.CLOSE, _("Close this message"), lambda e: on_close(), id="problem-close",
                                 ink=theme.BAD.ink))
    return marked(
        "problem", container=True,
        content=ft.Container(
            bgcolor=theme.BAD.ground, border=ft.Border.all(2, theme.BAD.solid), padding=12,
            border_radius=theme.RADIUS,
            content=ft.Row(parts, spacing=12, vertical_alignment=ft.CrossAxisAlignment.START),
        ),
    )
