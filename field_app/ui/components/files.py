"""A file that somebody brings: its button, and who hears what was chosen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui.components.buttons import action


def use_file(shell: Any, take: Callable[[bytes], Awaitable[Any]], once: str) -> None:
    """While the part that asks is shown, `take` gets the bytes of the file that was chosen with `file_button`."""
    ending = ft.use_ref(lambda: None)

    async def chosen(files: list[Any]) -> None:
        for file in files:
            await shell.attempt(lambda f=file: take(f.data), once=once)

    async def begin() -> None:
        if shell.hardware.files is not None:
            ending.current = shell.hardware.files.listen(chosen)

    async def end() -> None:
        if ending.current is not None:
            ending.current()

    ft.use_effect(begin, dependencies=[], cleanup=end)


def file_button(shell: Any, words: str, *, id: str) -> list[ft.Control]:
    """The button that opens the chooser, where there is one."""
    if shell.hardware.files is None:
        return []
    return [action(words, None, id=id, icon=ft.Icons.FILE_OPEN, kind="quiet",
                   client=shell.hardware.files.action(multiple=False))]
