"""Before there is anything to show: opening the records, open in another tab, cannot be opened."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.banner import problem_banner
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import safe_screen
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.app import another_tab_view


def _in_the_middle(controls: list[ft.Control]) -> ft.Control:
    return ft.Container(
        expand=True, bgcolor=theme.GROUND, padding=theme.EDGE, alignment=ft.Alignment.CENTER,
        content=ft.Column(controls, spacing=18, tight=True, width=560,
                          horizontal_alignment=ft.CrossAxisAlignment.CENTER),
    )


def _name() -> ft.Control:
    return ft.Row(
        [ft.Icon(ft.Icons.WATER_DROP, size=44, color=theme.BRAND),
         ft.Text("Siltwatch", size=theme.px(38), weight=ft.FontWeight.BOLD, color=theme.BRAND)],
        alignment=ft.MainAxisAlignment.CENTER, spacing=10,
    )


@safe_screen
def StartingScreen(shell: Any) -> ft.Control:
    """Shown while the store opens, a second or less."""
    return _in_the_middle([
        _name(),
        ft.ProgressRing(width=44, height=44, color=theme.BRAND, semantics_label=_("Opening your records")),
        marked("starting", live_region=True,
                     content=ft.Text(_("Opening your records ..."), size=theme.BODY)),
    ])


@safe_screen
def AnotherTabScreen(shell: Any) -> ft.Control:
    """The store has one writer; this window is not it, but may become it."""
    view = another_tab_view()

    async def take(_e: ft.Event) -> None:
        await shell.attempt(shell.take_over_now, once="take-over")

    refused = [problem_banner(shell.problem, shell.dismiss)] if shell.problem is not None else []
    return _in_the_middle([
        _name(),
        *refused,
        ft.Icon(ft.Icons.TAB, size=56, color=theme.WARN.ink),
        marked("another-tab", live_region=True,
                     content=ft.Text(view.sentence, size=theme.KEY, weight=ft.FontWeight.BOLD,
                                     text_align=ft.TextAlign.CENTER)),
        ft.Text(view.advice, size=theme.BODY, text_align=ft.TextAlign.CENTER),
        action(view.take_over, take, id="take-over", icon=ft.Icons.SWITCH_LEFT, disabled=shell.busy("take-over")),
    ])


@safe_screen
def FailedScreen(shell: Any) -> ft.Control:
    """The records cannot be opened. Nothing is reset, ever: it says what to do and lets one try again."""

    async def again(_e: ft.Event) -> None:
        await shell.attempt(shell.open, once="open")

    parts: list[ft.Control] = [_name()]
    if shell.problem is not None:
        parts.append(problem_banner(shell.problem, None))
    parts.append(action(_("Try again"), again, id="try-again", icon=ft.Icons.REFRESH, disabled=shell.busy("open")))
    return _in_the_middle(parts)
