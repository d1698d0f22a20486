"""Marks a part of the screen with its stable identifier: what tests and native screen readers hold on to.

The identifier is the key as well. Without that, Flutter keeps one node when a part is replaced by another and goes on
telling the old identifier (seen in Chromium, Flet 1.0.5).
"""

from __future__ import annotations

from typing import Any

import flet as ft


def marked(identifier: str | None, content: ft.Control | None = None, **semantics: Any) -> ft.Semantics:
    """The content under its identifier; more semantics (label, button, live_region ...) as Flet names them."""
    return ft.Semantics(identifier=identifier, key=identifier, content=content, **semantics)
