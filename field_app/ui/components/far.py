"""Photos taken far from the site: both positions are kept, and somebody says why, by one tap or in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choice_button
from field_app.ui.components.fields import TextLine
from field_app.ui.components.layout import grid, line, panel
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views.photos import FarView


@safe_component
def FarReason(shell: Any, far: FarView, keep: Callable[[str], Awaitable[Any]], width: float) -> ft.Control:
    """Asks why; `keep` the answer, which is part of what is signed, for each of these photos."""

    async def save(value: str) -> None:
        await keep(value)

    async def choose(value: str) -> None:
        words = next(choice.words for choice in far.reasons if choice.value == value)
        await save("" if words == far.reason else words)

    return panel([
        line(ft.Icons.WRONG_LOCATION, far.words, ink=theme.WARN.ink),
        grid([choice_button(choice, choice.words == far.reason, choose, id=f"far-{choice.value}", size=theme.SMALL)
              for choice in far.reasons], 2 if width > 560 else 1),
        TextLine(far.reason, save, _("Or in your own words"), "far-reason", lines=2, key="far-reason"),
    ], edge=theme.WARN.solid, ground=theme.WARN.ground, id="far-panel")
