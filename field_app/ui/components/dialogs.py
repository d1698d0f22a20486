"""Questions before something that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.words import _


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
