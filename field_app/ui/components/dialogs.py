"""Questions before something that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.words import _


def use_asking(shell: Any, name: str) -> tuple[bool, Callable[[bool], None]]:
    """Whether the question of that name is open, and how to open and close it: like `ft.use_state`, for a part that
    another component draws when the tablet is turned (a site beside the list, or alone)."""
    mine = ft.use_ref(object).current
    opened = shell.asked == (shell.place, name)
    if opened:
        shell.asked_by = mine

    def ask(wanted: bool) -> None:
        if not wanted and shell.asked_by is not mine:
            return  # the client says late that the dialog of the component before has faded
        shell.asked, shell.asked_by = ((shell.place, name), mine) if wanted else (None, None)
        shell.redraw()

    return opened, ask


def confirm(title: str, sentence: str, yes: str, on_yes: Callable[..., Any], on_no: Callable[..., Any], *,
            danger: bool = False, more: ft.Control | None = None) -> ft.AlertDialog:
    """Ask before acting; "no" keeps everything as it is. Show it with `ft.use_dialog`."""
    body: list[ft.Control] = [ft.Text(sentence, size=theme.BODY)]
    if more is not None:
        body.append(more)
    return ft.AlertDialog(
        modal=True,
        bgcolor=theme.PAPER,
        title=ft.Text(title, size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.INK),
        content=ft.Container(width=520, content=ft.Column(body, tight=True, spacing=12)),
        actions=[
            action(_("No, go back"), on_no, id="dialog-no", kind="quiet"),
            action(yes, on_yes, id="dialog-yes", kind="danger" if danger else "primary"),
        ],
        actions_overflow_button_spacing=10,
        actions_alignment=ft.MainAxisAlignment.END,
        on_dismiss=on_no,
    )
