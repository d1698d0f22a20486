"""Questions before something that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.words import _


@dataclass(slots=True)
class Question:
    """What is asked, and the part of the screen that drew it last."""

    asked: Any
    by: object


def use_asking(shell: Any, name: str, nothing: Any = False) -> tuple[Any, Callable[[Any], None]]:
    """What is asked under that name (`nothing`: no question is open), and how to ask it and close it: like
    `ft.use_state`, but the question outlives a turn of the tablet, another look, language or size of letters, which may
    draw the part that asks anew below another parent. It is gone once its screen is left."""
    mine = ft.use_ref(object).current
    _drawn, draw_again = ft.use_state(0)
    where = (shell.place, name)
    open_ = shell.asked.get(where)
    if open_ is not None:
        open_.by = mine

    def ask(wanted: Any) -> None:
        now = shell.asked.get(where)
        if wanted != nothing:
            shell.asked[where] = Question(wanted, mine)
        elif now is None or now.by is not mine:
            return  # the client says late that the dialog of the component before has faded
        else:
            del shell.asked[where]
        draw_again(lambda n: n + 1)

    return nothing if open_ is None else open_.asked, ask


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
