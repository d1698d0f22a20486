"""Who approved an entry in an emergency, by phone or in person, and when: the same form wherever it is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.capture.approval import OTHER
from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action
from field_app.ui.components.fields import DueField, TextLine
from field_app.ui.components.layout import heading, line, text
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views.approval import ApprovalView

Save = Callable[..., Awaitable[Any]]


@safe_component
def ApprovalPart(
    shell: Any, view: ApprovalView, save: Save, now: Callable[[], Awaitable[Any]], width: float
) -> ft.Control:
    """`save(**fields)` keeps one or more of how, person, name, role, on, at; `now()` the present moment."""

    def setter(field: str) -> Any:
        async def set_field(value: str) -> None:
            await shell.attempt(lambda: save(**{field: value}))
        return set_field

    async def set_how(value: str) -> None:
        # Who approved under a power of their own is nobody who can be called.
        anew = {"person": ""} if view.how == "own power" and value != "own power" else {}
        await shell.attempt(lambda: save(how=value, **anew))

    async def set_time(on: str, at: str) -> None:
        await shell.attempt(lambda: save(on=on, at=at))

    async def set_now(_e: ft.Event) -> None:
        await shell.attempt(now)

    parts: list[ft.Control] = [
        heading(_("How was the entry approved?"), 3),
        choices_grid(view.hows, view.how, set_how, id="approval-how", width=width),
    ]
    if view.how in ("phone", "in person"):
        parts += [heading(_("Who approved it?"), 3),
                  choices_grid(view.holders, view.person, setter("person"), id="approval-person", width=width)]
        if view.person == OTHER:
            parts += [TextLine(view.name, setter("name"), _("Name"), "approval-name", key="approval-name"),
                      TextLine(view.role, setter("role"), _("Role in the city"), "approval-role", key="approval-role")]
    if view.how:
        parts += [text(_("When"), bold=True),
                  DueField(shell, view.on, view.at, set_time, "approval", last=shell.work.day, key="approval-time"),
                  ft.Row([action(_("Just now"), set_now, id="approval-now", icon=ft.Icons.SCHEDULE, kind="secondary")])]
    if view.words:
        parts.append(line(theme.GOOD.icon, view.words, ink=theme.GOOD.ink))
    return ft.Column(parts, spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
