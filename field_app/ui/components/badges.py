"""Small signs that carry a meaning: always an icon and a word, the colour only repeats them."""

from __future__ import annotations

from collections.abc import Sequence

import flet as ft

from field_app.ui import theme
from field_app.ui.components.marks import marked
from field_app.ui.theme import Tone


def pill(tone: Tone, words: str, *, id: str | None = None, size: int | None = None) -> ft.Control:
    """An icon and a word on the tone's ground."""
    size = size or theme.SMALL
    shown = ft.Container(
        padding=ft.Padding.symmetric(horizontal=10, vertical=5),
        bgcolor=tone.ground,
        border=ft.Border.all(1.5, tone.solid),
        border_radius=18,
        content=ft.Row(
            [
                ft.Icon(tone.icon, size=size + 4, color=tone.ink),
                ft.Text(words, size=size, weight=ft.FontWeight.W_600, color=tone.ink, expand=True, expand_loose=True),
            ],
            spacing=6,
            tight=True,
        ),
    )
    return marked(id, content=shown) if id else shown


def told(words: Sequence[ft.Control], *signs: ft.Control, spacing: int = 2) -> ft.Column:
    """Lines of text with signs below them. Beside the text a sign takes its whole width first, and on a phone with
    large letters leaves the text a column of single ones."""
    return ft.Column([*words, ft.Row(list(signs), wrap=True, spacing=8, run_spacing=6)], spacing=spacing, tight=True,
                     expand=True)


def severity_badge(severity: str, words: str) -> ft.Control:
    """Critical, major, minor or observation. An unknown severity is shown as its word, calmly."""
    return pill(theme.SEVERITIES.get(severity, theme.CALM), words)


def due_chip(words: str, overdue: bool = False) -> ft.Control:
    """When something must be done by."""
    tone = theme.BAD if overdue else theme.WAIT
    return pill(Tone(tone.ink, tone.ground, tone.solid, ft.Icons.EVENT_BUSY if overdue else ft.Icons.EVENT), words)


def due_first(words: str, state: str) -> ft.Control:
    """What an order asks for first, by its urgency."""
    return ft.Row([pill(theme.DUE.get(state, theme.CALM), words)], wrap=True)


def state_sign(state: str, words: str) -> ft.Control:
    """Where a checklist item stands."""
    return pill(theme.ITEM_STATES.get(state, theme.CALM), words)


def sending_sign(state: str, words: str, *, id: str | None = None) -> ft.Control:
    """Where a signed item or a file stands on its way to the server."""
    return pill(theme.SENDING.get(state, theme.CALM), words, id=id)
