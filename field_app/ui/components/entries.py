"""The entries of a list that grows. The empty last one is kept when its button is tapped, because an empty one is none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui.components.buttons import action
from field_app.ui.components.fields import DueField, TextLine, use_entry
from field_app.ui.components.layout import panel
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views import CorrectionView


@safe_component
def DueLine(shell: Any, row: CorrectionView, keep: Callable[..., Awaitable[Any]], label: str, name: str, due: str
            ) -> ft.Control:
    """A line of text and when it is due. `keep` gets the text, the day and the hour; an empty text removes the line.
    `name` and `due` are the beginnings of the identifiers."""

    async def save_text(value: str) -> None:
        if value.strip():
            await shell.attempt(lambda: keep(value, row.due_on, row.due_at))

    async def save_due(on: str, at: str) -> None:
        await shell.attempt(lambda: keep(row.text, on, at))

    async def remove(_e: ft.Event) -> None:
        await shell.attempt(lambda: keep(""))

    return panel([
        TextLine(row.text, save_text, label, f"{name}-{row.index}", lines=2),
        DueField(row.due_on, row.due_at, save_due, f"{due}-{row.index}", words=row.due_words, problem=row.problem,
                 at_once=row.at_once, first=shell.work.day),
        ft.Row(wrap=True, controls=[action(_("Remove"), remove, id=f"{name}-remove-{row.index}", kind="quiet",
                                           icon=ft.Icons.DELETE_OUTLINE)]),
    ])


@safe_component
def AddLine(shell: Any, add: Callable[[str], Awaitable[Any]], label: str, words: str, name: str, once: str
            ) -> ft.Control:
    """One more line of text. `name`-new and `name`-add are the identifiers of its field and its button."""
    written, keep = use_entry()

    async def tapped(_e: ft.Event) -> None:
        await shell.attempt(lambda: add(written), once=once)

    return panel([
        TextLine(written, keep, label, f"{name}-new", lines=2),
        action(words, tapped, id=f"{name}-add", icon=ft.Icons.ADD, kind="secondary", disabled=not written.strip()),
    ])


@safe_component
def AddPerson(shell: Any, add: Callable[[str, str], Awaitable[Any]]) -> ft.Control:
    """One more person who was met, by name and role."""
    name, keep_name = use_entry()
    role, keep_role = use_entry()

    async def tapped(_e: ft.Event) -> None:
        await shell.attempt(lambda: add(name, role), once="add-met")

    return panel([
        TextLine(name, keep_name, _("Name"), "met-name-new"),
        TextLine(role, keep_role, _("Role, e.g. site superintendent"), "met-role-new"),
        action(_("Add this person"), tapped, id="met-add", icon=ft.Icons.PERSON_ADD, kind="secondary",
               disabled=not name.strip()),
    ])
