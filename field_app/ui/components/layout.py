"""Headings, panels, rows of facts: the plain furniture of every screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.marks import marked
from field_app.work.views import ClockView


def heading(words: str, level: int = 2, *, id: str | None = None) -> ft.Control:
    """A heading that screen readers can jump to."""
    size = {1: theme.TITLE, 2: theme.KEY, 3: theme.BODY + 1}[level]
    return marked(
        id, header=True, heading_level=level,
        content=ft.Text(words, size=size, weight=ft.FontWeight.BOLD, color=theme.INK),
    )


def titled(icon: ft.IconData, words: str, ink: str, *, id: str | None = None) -> ft.Control:
    """An icon and a heading that may wrap."""
    return ft.Row([ft.Icon(icon, size=30, color=ink), ft.Container(heading(words, id=id), expand=True)], spacing=10)


def text(words: str, *, soft: bool = False, bold: bool = False, size: int | None = None,
         id: str | None = None, color: str | None = None) -> ft.Control:
    """Body text; `soft` for what may be read later."""
    shown = ft.Text(
        words, size=size or theme.BODY, color=color or (theme.INK_SOFT if soft else theme.INK),
        weight=ft.FontWeight.BOLD if bold else None,
    )
    return marked(id, content=shown) if id else shown


def panel(controls: Sequence[ft.Control], *, ground: str = "", edge: str = "",
          spacing: int = 10, id: str | None = None, padding: int = theme.EDGE) -> ft.Control:
    """A white box that holds what belongs together."""
    box = ft.Container(
        padding=padding, bgcolor=ground or theme.PAPER,
        border=ft.Border.all(1.5, edge or theme.LINE_SOFT), border_radius=theme.RADIUS,
        content=ft.Column(list(controls), spacing=spacing, tight=True,
                          horizontal_alignment=ft.CrossAxisAlignment.STRETCH),
    )
    return marked(id, container=True, content=box) if id else box


def labelled(words: str, control: ft.Control) -> ft.Control:
    """What a control is for, above it."""
    return ft.Column([ft.Text(words, size=theme.BODY, weight=ft.FontWeight.W_600, color=theme.INK), control],
                     spacing=6, tight=True)


LEFT = 400  # how wide a list is that stands beside the body


def page_width(shell: Any, beside: bool = False) -> float:
    """The room of a screen that is a column. `beside`: on a wide screen a list stands to its left."""
    left = LEFT + theme.EDGE if beside and not shell.narrow else 0
    return min(shell.width - left - 2 * theme.EDGE, theme.READABLE)


def side_margin(shell: Any) -> float:
    """What lies free on either side of a screen that is one column: no line of it is longer than can be read."""
    edge = 10 if shell.tiny else theme.EDGE
    return edge if shell.narrow else max(edge, (shell.width - theme.READABLE) / 2)


def panel_width(shell: Any, beside: bool = False) -> float:
    """The room inside a panel of such a screen."""
    return page_width(shell, beside) - 2 * theme.EDGE - 6  # the panel's edges


def fact(label: str, value: str, *, id: str | None = None) -> ft.Control:
    """A label and what it says, key data in the larger type."""
    return ft.Column(
        [text(label, soft=True, size=theme.SMALL), text(value, bold=True, size=theme.KEY - 2, id=id)],
        spacing=0, tight=True,
    )


def line(icon: ft.IconData, words: str, *, ink: str = "", size: int | None = None) -> ft.Control:
    """An icon and a sentence that may wrap."""
    size = size or theme.BODY
    return ft.Row(
        [ft.Icon(icon, size=size + 6, color=ink or theme.INK_SOFT),
         ft.Text(words, size=size, color=theme.INK, expand=True)],
        spacing=10, vertical_alignment=ft.CrossAxisAlignment.START,
    )


def nothing_here(words: str, icon: ft.IconData = ft.Icons.INBOX) -> ft.Control:
    """What an empty list says."""
    return ft.Container(
        padding=28,
        content=ft.Column(
            [ft.Icon(icon, size=48, color=theme.INK_SOFT),
             ft.Text(words, size=theme.BODY, color=theme.INK_SOFT, text_align=ft.TextAlign.CENTER)],
            horizontal_alignment=ft.CrossAxisAlignment.CENTER, spacing=12,
        ),
    )


def abreast(controls: Sequence[ft.Control], spacing: int = 10) -> ft.Row:
    """Side by side and equally high: words that wrap in one make its neighbours grow with it."""
    return ft.Row(list(controls), spacing=spacing, intrinsic_height=True,
                  vertical_alignment=ft.CrossAxisAlignment.STRETCH)


def grid(controls: Sequence[ft.Control], columns: int, spacing: int = 10) -> ft.Control:
    """Rows of `columns` equal cells. The cells must expand."""
    rows = []
    for start in range(0, len(controls), columns):
        cells = list(controls[start : start + columns])
        while len(cells) < columns:
            cells.append(ft.Container(expand=True))
        rows.append(abreast(cells, spacing))
    return ft.Column(rows, spacing=spacing, tight=True)


def limit_result(limit: ClockView) -> ft.Control:
    """What may follow, and from when on."""
    return text(f"{limit.label}: {limit.first}" if limit.first else limit.label, bold=True)


def limit_row(limit: ClockView) -> ft.Control:
    """The same with its derivation, the words of the placard."""
    return ft.Row(
        [ft.Icon(ft.Icons.EVENT, size=26, color=theme.INK_SOFT),
         ft.Column([limit_result(limit), text(limit.words)], spacing=0, expand=True, tight=True)],
        spacing=10, vertical_alignment=ft.CrossAxisAlignment.START,
    )
