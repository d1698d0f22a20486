"""Lines below the status bar: what the person must know about the tablet itself. None of them stops work.

On a phone each is one short line that unfolds with a tap: the screen below is what the person came for. So is, on every
screen, a hint that is read once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import icon_action, strut
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views.tablet import WarningView

# Where there is room to read and something depends on it; not over a camera or in the middle of a question.
PLACES = ("today", "sites", "site", "order", "placard", "affix", "review", "outbox", "settings", "map", "find")
ICONS = {"clock": ft.Icons.SCHEDULE, "numbers": ft.Icons.TAG, "copied": ft.Icons.COPY_ALL,
         "recoded": ft.Icons.COPY_ALL, "storage": ft.Icons.SD_CARD_ALERT,
         "unkept": ft.Icons.INSTALL_MOBILE, "install": ft.Icons.ADD_TO_HOME_SCREEN}  # fmt: skip
READ = ("unkept", "install")  # said once: the settings say it for good
OPEN = "warnings-open"  # in `Shell.memory`: the kinds that are unfolded


def warning_bars(shell: Any) -> list[ft.Control]:
    """One bar for each warning, the most serious first."""
    if shell.work is None or shell.phase != "work" or shell.place.name not in PLACES:
        return []
    return [_bar(shell, warning) for warning in shell.work.warnings()]


def _bar(shell: Any, warning: WarningView) -> ft.Control:
    tone = {"bad": theme.BAD, "hint": theme.WAIT}.get(warning.level, theme.WARN)
    unfolded: set[str] = shell.memory.setdefault(OPEN, set())
    folds = shell.tiny or warning.kind in READ
    whole = not folds or warning.kind in unfolded

    def turn(_e: ft.Event) -> None:
        unfolded.symmetric_difference_update({warning.kind})
        shell.redraw()

    most = None if whole else 2 if shell.tiny else 1
    words: list[ft.Control] = [ft.Text(
        warning.sentence, size=theme.SMALL, weight=ft.FontWeight.BOLD, color=tone.ink, max_lines=most,
        overflow=None if whole else ft.TextOverflow.ELLIPSIS)]
    if whole:
        words.append(ft.Text(warning.advice, size=theme.SMALL, color=theme.INK))
    row: list[ft.Control] = [
        *([strut(56, 4) if shell.tiny else strut(48, 4)] if folds else []),
        ft.Icon(ICONS[warning.kind], size=26, color=tone.ink),
        ft.Column(words, spacing=0, tight=True, expand=True),
    ]
    if folds:
        row.append(ft.Icon(ft.Icons.EXPAND_LESS if whole else ft.Icons.EXPAND_MORE, size=30, color=tone.ink,
                           semantics_label=_("less") if whole else _("more")))
    if warning.kind in READ and whole:
        row.append(icon_action(ft.Icons.CLOSE, _("I have read this"), _read(shell, warning.kind),
                               id=f"read-{warning.kind}", ink=tone.ink))
    bar = ft.Container(
        bgcolor=tone.ground, border=ft.Border.only(bottom=ft.BorderSide(2, tone.solid)),
        padding=ft.Padding.symmetric(horizontal=10 if folds else theme.EDGE, vertical=4 if folds else 8),
        content=ft.Row(row, spacing=10), ink=folds, on_click=turn if folds else None,
    )
    kinds = {"button": True} if folds else {"container": True}
    # A node that becomes a button forgets its identifier (Flutter's web client): each has a node of its own.
    return ft.Container(marked(f"warning-{warning.kind}", live_region=True, content=bar, **kinds),
                        key=f"{warning.kind}-{'folds' if folds else 'stands'}",
                        # A glove that is meant for what stands below must not fold it.
                        padding=ft.Padding.only(bottom=theme.APART if folds else 0))


def _read(shell: Any, kind: str) -> Callable[..., Any]:
    async def read(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.note_read(kind), once="note")
    return read
