"""Lines below the status bar: what the person must know about the tablet itself. None of them stops work."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.marks import marked
from field_app.work.views.tablet import WarningView

# Where there is room to read and something depends on it; not over a camera or in the middle of a question.
PLACES = ("today", "sites", "site", "order", "placard", "affix", "review", "outbox", "settings", "map", "find")
ICONS = {"clock": ft.Icons.SCHEDULE, "numbers": ft.Icons.TAG, "copied": ft.Icons.COPY_ALL,
         "recoded": ft.Icons.COPY_ALL}  # fmt: skip


def warning_bars(shell: Any) -> list[ft.Control]:
    """One bar for each warning, the most serious first."""
    if shell.work is None or shell.phase != "work" or shell.place.name not in PLACES:
        return []
    return [_bar(warning, shell.tiny) for warning in shell.work.warnings()]


def _bar(warning: WarningView, tiny: bool) -> ft.Control:
    tone = theme.BAD if warning.level == "bad" else theme.WARN
    words = ft.Column(
        [ft.Text(warning.sentence, size=theme.SMALL + 1, weight=ft.FontWeight.BOLD, color=tone.ink),
         ft.Text(warning.advice, size=theme.SMALL, color=theme.INK)],
        spacing=0, tight=True, expand=True,
    )
    bar = ft.Container(
        bgcolor=tone.ground, border=ft.Border.only(bottom=ft.BorderSide(2, tone.solid)),
        padding=ft.Padding.symmetric(horizontal=10 if tiny else theme.EDGE, vertical=8),
        content=ft.Row([ft.Icon(ICONS[warning.kind], size=26, color=tone.ink), words], spacing=10,
                       vertical_alignment=ft.CrossAxisAlignment.START),
    )
    return marked(f"warning-{warning.kind}", live_region=True, container=True, content=bar)
