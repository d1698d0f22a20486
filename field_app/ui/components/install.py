"""The hint how the web app gets on the home screen: before the code is entered, and in the settings."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.words import _


def install_part(shell: Any) -> list[ft.Control]:
    """Draws `InstallView`; nothing where there is nothing to install."""
    view = shell.work.install_hint()
    if view is None:
        return []

    async def install(_e: ft.Event) -> None:
        await shell.attempt(shell.work.install, once="install")

    parts: list[ft.Control] = [heading(_("On the home screen"))]
    if view.first:
        parts.append(line(theme.WARN.icon, view.first, ink=theme.WARN.ink))
    parts.append(text(view.why))
    if view.offers:
        parts.append(action(_("Put it on the home screen"), install, id="install", icon=ft.Icons.ADD_TO_HOME_SCREEN,
                            disabled=shell.busy("install")))
    parts += [ft.Row([ft.Text(f"{n}.", size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.INK),
                      ft.Text(step, size=theme.BODY, color=theme.INK, expand=True)],
                     vertical_alignment=ft.CrossAxisAlignment.START, spacing=10)
              for n, step in enumerate(view.steps, start=1)]
    tone = theme.WARN if view.first else None
    return [panel(parts, id="install-part", ground=tone.ground if tone else "", edge=tone.solid if tone else "")]
