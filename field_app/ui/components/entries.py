"""The entries of a list that grows. The empty last one is kept when its button is tapped, because an empty one is none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui.components.buttons import action
from field_app.ui.components.fields import DueField, TextLine, use_entry
from field_app.ui.components.layout import panel
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views import CorrectionView, OtherWords


def other_lines(others: Sequence[OtherWords], keep: Callable[[str, str], Awaitable[Any]], name: str
                ) -> list[ft.Control]:
    """A second field for the same words in each other language of the paper. `keep` gets language and text."""

    def saver(language: str) -> Callable[[str], Awaitable[Any]]:
        return lambda value: keep(language, value)

    return [TextLine(one.text, saver(one.language), _("The same {in_language}").format(in_language=one.said),
                     f"{name}-{one.language}", lines=2, key=f"{name}-{one.language}",
                     hint=_("Left empty, the paper says that these words are not given {in_language}.").format(
                         in_language=one.said)) for one in others]


@safe_component
def DueLine(shell: Any, row: CorrectionView, keep: Callable[..., Awaitable[Any]], label: str, name: str, due: str,
            keep_other: Callable[[str, str], Awaitable[Any]] | None = None) -> ft.Control:
    """A line of text and when it is due. `keep` gets the text, the day and the hour; an empty text removes the line.
    `name` and `due` are the beginnings of the identifiers. `keep_other` gets a language and the same text in it."""

    async def save_other(language: str, value: str) -> None:
        if keep_other is not None:
            await shell.attempt(lambda: keep_other(language, value))

    async def save_text(value: str) -> None:
        if value.strip():
            await shell.attempt(lambda: keep(value, row.due_on, row.due_at))

    async def save_due(on: str, at: str) -> None:
        await shell.attempt(lambda: keep(row.text, on, at))

    async def remove(_e: ft.Event) -> None:
        await shell.attempt(lambda: keep(""))

    return panel([
        TextLine(row.text, save_text, label, f"{name}-{row.index}", lines=2),
        *other_lines(row.others, save_other, f"{name}-{row.index}"),
        DueField(shell, row.due_on, row.due_at, save_due, f"{due}-{row.index}", words=row.due_words,
                 problem=row.problem, at_once=row.at_once, first=shell.work.day),
        ft.Row(wrap=True, controls=[action(_("Remove"), remove, id=f"{name}-remove-{row.index}", kind="quiet",
                                           icon=ft.Icons.DELETE_OUTLINE)]),
    ])


@safe_component
def AddLine(shell: Any, add: Callable[[str], Awaitable[Any]], label: str, words: str, name: str, once: str
            ) -> ft.Control:
    """One more line of text. `name`-new and `name`-add are the identifiers of its field and its button."""
    written, keep = use_entry(shell, f"{name}-new")

    async def tapped(_e: ft.Event) -> None:
        await shell.attempt(lambda: add(written), once=once)

    return panel([
        TextLine(written, keep, label, f"{name}-new", lines=2),
        action(words, tapped, id=f"{name}-add", icon=ft.Icons.ADD, kind="secondary", disabled=not written.strip()),
    ])


@safe_component
def AddPerson(shell: Any, add: Callable[[str, str], Awaitable[Any]]) -> ft.Control:
    """One more person who was met, by name and role."""
    name, keep_name = use_entry(shell, "met-name")
    role, keep_role = use_entry(shell, "met-role")

    async def tapped(_e: ft.Event) -> None:
        await shell.attempt(lambda: add(name, role), once="add-met")

    return panel([
        TextLine(name, keep_name, _("Name"), "met-name-new"),
        TextLine(role, keep_role, _("Role, e.g. site superintendent"), "met-role-new"),
        action(_("Add this person"), tapped, id="met-add", icon=ft.Icons.PERSON_ADD, kind="secondary",
               disabled=not name.strip()),
    ])
