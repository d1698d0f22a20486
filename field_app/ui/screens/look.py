"""How the app speaks and looks: language, theme, size of text. The same part before sign-in and in the settings.

Every tap holds at once and for all screens; nothing that was typed or begun is touched by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, panel, text
from field_app.ui.words import _
from field_app.work.views import LookView


def look_part(shell: Any, width: float) -> list[ft.Control]:
    """Draws `LookView` as three groups of large buttons."""
    view: LookView = shell.work.look()

    def choose(name: str) -> Callable[[str], Any]:
        async def chosen(value: str) -> None:
            async def act() -> None:
                await shell.work.set_look(**{name: value})
                shell.dress()
            await shell.attempt(act, once="look")
        return chosen

    return [
        heading(_("Language"), 3),
        choices_grid(view.languages, view.language, choose("language"), id="language", width=width),
        heading(_("Colors"), 3),
        choices_grid(view.looks, view.look, choose("look"), id="look", width=width),
        heading(_("Size of text"), 3),
        choices_grid(view.texts, view.text, choose("text"), id="text", width=width),
    ]


@safe_screen
def LookScreen(shell: Any, beat: int) -> ft.Control:
    """Before anybody has signed in: language, colours and size of text alone."""
    width = min(shell.width - 20, theme.READABLE) - 2 * theme.EDGE
    return frame(shell, _("Language and look"), [
        panel(look_part(shell, width)),
        text(_("More settings come after sign-in."), soft=True),
    ])
