"""A signature: what was drawn, and the pad to draw it on, which opens over the screen so that nothing scrolls away."""

from __future__ import annotations

from typing import Any

import flet as ft
import flet.canvas as cv

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.layout import text
from field_app.ui.components.marks import marked
from field_app.ui.components.pad import Pad, drawn
from field_app.ui.guard import safe_component
from field_app.ui.words import _

FRAME = (900, 360)


@safe_component
def SignatureField(shell: Any, draft: str, whose: str, words: str, kept: bool, width: float) -> ft.Control:
    """Shows the signature that is kept; opens the pad. Every stroke is kept as it ends."""
    # Not in the component's own state: it is made anew when the tablet is turned, and the pad must stay open.
    mark = ("pad", draft, whose)
    opened = bool(shell.memory.get(mark))

    def set_opened(wanted: bool) -> None:
        shell.memory[mark] = wanted
        shell.redraw()

    strokes, set_strokes = ft.use_state(lambda: [])

    async def load() -> None:
        set_strokes(await shell.work.signature_strokes(draft, whose) if kept else [])

    ft.use_effect(load, dependencies=[kept], cleanup=lambda: None)

    async def keep(now: list[Any]) -> None:
        set_strokes(now)
        await shell.attempt(lambda: shell.work.set_signature(draft, whose, now or None))

    async def clear(_e: ft.Event) -> None:
        await keep([])

    room = min(shell.width - 48, 760.0, (shell.height - 300) * FRAME[0] / FRAME[1])
    ft.use_dialog(ft.AlertDialog(
        modal=True, bgcolor=theme.PAPER, inset_padding=8, content_padding=12,
        title=ft.Text(words, size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.INK),
        content=ft.Container(Pad(strokes, keep, room, FRAME, words, key=f"pad-{whose}"), width=room,
                             height=FRAME[1] * room / FRAME[0]),
        actions=[action(_("Clear"), clear, id="pad-clear", kind="quiet", icon=ft.Icons.DELETE_OUTLINE),
                 action(_("Done"), lambda e: set_opened(False), id="pad-done", icon=ft.Icons.CHECK)],
        actions_overflow_button_spacing=10, on_dismiss=lambda e: set_opened(False),
    ) if opened else None)
    parts: list[ft.Control] = [text(words, bold=True)]
    if kept and strokes:
        shown = min(width, 360.0)
        scale = shown / FRAME[0]
        parts.append(marked(f"signature-{whose}", image=True, label=words, content=ft.Container(
            cv.Canvas(drawn(strokes, scale, 2), width=shown, height=FRAME[1] * scale), width=shown,
            height=FRAME[1] * scale, bgcolor=theme.SHEET, border=ft.Border.all(1, theme.LINE), border_radius=8)))
    parts.append(ft.Row(wrap=True, controls=[
        action(_("Sign again") if kept else _("Sign here"), lambda e: set_opened(True),
                                id=f"sign-{whose}", kind="quiet" if kept or whose == "inspector" else "secondary",
                                icon=ft.Icons.DRAW)]))
    return ft.Column(parts, spacing=6, tight=True)
