"""A file that somebody brings: its button, and who hears what was chosen. A paper that is given away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import flet as ft

from field_app.ui.components.buttons import action
from field_app.ui.words import _
from field_app.work.handing_out import HandedOut


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


def paper_button(shell: Any, give: Callable[[], Awaitable[HandedOut]], *, id: str, words: str = "",
                 whole: bool = False) -> ft.Control:
    """Prints, shares or saves a PDF; the button says which of them the device does. `words` name the paper where
    there are several (`paper_words` then says once what happens); `whole`: more than what hangs on the site."""

    async def give_it(_e: ft.Event) -> None:
        handed = await shell.attempt(give, once=id)
        if handed is not None and handed.said:
            shell.say(handed.said)

    shares = shell.hardware.share_file is not None
    if not words and whole:
        words = _("Print or share the whole order") if shares else _("Save the whole order as PDF")
    elif not words:
        words = _("Print or share the PDF") if shares else _("Save the PDF")
    return action(words, give_it, id=id, icon=ft.Icons.IOS_SHARE if shares else ft.Icons.PICTURE_AS_PDF,
                  kind="secondary", disabled=shell.busy(id), expand=True)


def paper_words(shell: Any) -> str:
    """What becomes of a paper that is asked for."""
    if shell.hardware.share_file is not None:
        return _("A tap opens what this device prints and shares with.")
    return _("A tap saves it as PDF on this device; print it or send it from there.")
