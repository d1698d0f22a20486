"""Buttons for gloves: 64 high, a word on every one, an identifier that tests and screen readers can rely on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.layout import abreast
from field_app.ui.components.marks import marked
from field_app.ui.words import _

KINDS = ("primary", "good", "danger", "secondary", "quiet")


def colours(kind: str, disabled: bool = False) -> tuple[str, str, str]:
    """Ground, ink and edge of a button of this kind."""
    if disabled:
        return theme.OFF_GROUND, theme.OFF_INK, theme.OFF_LINE
    return {
        "primary": (theme.BRAND, theme.ON_BRAND, theme.BRAND),
        "good": (theme.GOOD.solid, theme.ON_SOLID, theme.GOOD.solid),
        "danger": (theme.BAD.solid, theme.ON_SOLID, theme.BAD.solid),
        "secondary": (theme.PAPER, theme.BRAND, theme.BRAND),
        "quiet": (theme.PAPER, theme.INK, theme.LINE),
    }[kind]


def strut(height: int = theme.TOUCH, padding: int = 6) -> ft.Control:
    """Keeps a button from being lower than `height`; words that need more lines make it higher, never cut."""
    return ft.Container(width=0, height=height - 2 * padding)


def action(
    words: str,
    on_click: Callable[..., Any] | None,
    *,
    id: str,
    icon: ft.IconData | None = None,
    kind: str = "primary",
    disabled: bool = False,
    expand: bool | int | None = None,
    client: Any = None,
    height: int = theme.TOUCH,
    lines: int | None = None,
) -> ft.Control:
    """A big button with words, at least `height` high. `client` is a Flet client action that must run inside the user's
    own tap. `lines`: more of them are cut off with dots."""
    ground, ink, edge = colours(kind, disabled)
    parts: list[ft.Control] = [strut(height)]
    if icon is not None:
        parts.append(ft.Icon(icon, size=26, color=ink))
    parts.append(
        ft.Text(words, size=theme.BODY, weight=ft.FontWeight.W_600, color=ink, text_align=ft.TextAlign.CENTER,
                expand=True, expand_loose=True, max_lines=lines, overflow=ft.TextOverflow.ELLIPSIS if lines else None)
    )
    button = ft.FilledButton(
        content=ft.Row(parts, alignment=ft.MainAxisAlignment.CENTER, spacing=10 if icon is not None else 0, tight=True),
        disabled=disabled,
        on_click=on_click,
        action=client,
        expand=expand,
        style=ft.ButtonStyle(
            bgcolor=ground,
            color=ink,
            side=ft.BorderSide(2, edge),
            shape=ft.RoundedRectangleBorder(radius=theme.RADIUS),
            padding=ft.Padding.symmetric(horizontal=16, vertical=6),
        ),
    )
    return marked(id, content=button, expand=expand)


def one_line(words: str) -> int:
    """How wide a button of `action` with an icon must be for its words to stand in one line."""
    return round(len(words) * theme.LETTER * theme.BODY) + 26 + 10 + 2 * 16 + 4


def fits(control: ft.Control, width: float) -> bool:
    """Whether a button of `action` may be so wide: none of its words is broken, and two lines are enough for them."""
    button = getattr(control, "content", None)
    if not isinstance(button, ft.FilledButton) or not isinstance(button.content, ft.Row):
        return True
    parts = button.content.controls
    room = width - 2 * 16 - 4 - (26 + 10 if any(isinstance(part, ft.Icon) for part in parts) else 0)
    return all(max(len(word) for word in part.value.split()) * theme.LETTER * part.size <= room
               and len(part.value) * 0.52 * part.size <= 2 * room for part in parts if isinstance(part, ft.Text))


def side_by_side(buttons: Sequence[ft.Control], room: float, spacing: int = 10) -> ft.Control:
    """Buttons of `action` beside one another and equally high; where one of them would be too narrow in its share of
    the `room`, below one another."""
    shares = [int(getattr(button, "expand", None) or 1) for button in buttons]
    each = (room - spacing * (len(buttons) - 1)) / max(1, sum(shares))
    if all(fits(button, each * share) for button, share in zip(buttons, shares, strict=True)):
        return abreast(buttons, spacing)
    return ft.Column([ft.Row([button]) for button in buttons], spacing=8, tight=True)


def icon_action(
    icon: ft.IconData, words: str, on_click: Callable[..., Any] | None, *, id: str, ink: str = "", client: Any = None
) -> ft.Control:
    """A button that shows only an icon; `words` is its name for screen readers and its tooltip. `client` as in
    `action`."""
    return marked(
        id,
        content=ft.IconButton(
            # A tooltip is no name: on the web the semantics tree does not carry it.
            icon=ft.Icon(icon, size=30, color=ink or theme.INK, semantics_label=words), tooltip=words,
            on_click=on_click, action=client, width=theme.TOUCH, height=theme.TOUCH,
        ),
    )


def icon_key(icon: ft.IconData, words: str, on_click: Callable[..., Any] | None, *, id: str,
             client: Any = None) -> ft.Control:
    """The same with an edge around it."""
    return ft.Container(icon_action(icon, words, on_click, id=id, ink=theme.BRAND, client=client), bgcolor=theme.PAPER,
                        border=ft.Border.all(1.5, theme.LINE), border_radius=theme.RADIUS)


def tap_card(
    content: ft.Control,
    on_click: Callable[..., Any],
    *,
    id: str,
    chosen: bool | None = None,
    words: str | None = None,
    ground: str = "",
    edge: str = "",
    padding: int = 14,
    expand: bool | int | None = None,
) -> ft.Control:
    """A whole card that can be tapped. Its name is the text it shows, or `words`; that it is chosen is said too."""
    return marked(
        id,
        button=True,
        selected=chosen,
        label=words,
        value=_("chosen") if chosen else None,
        expand=expand,
        content=ft.Container(
            content=content,
            on_click=on_click,
            ink=True,
            padding=max(padding, 14),  # one line of small text is high enough for a glove
            bgcolor=ground or theme.PAPER,
            border=ft.Border.all(2, edge or theme.LINE),
            border_radius=theme.RADIUS,
        ),
    )
