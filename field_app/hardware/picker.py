"""Chooses pictures, or any file, through Flet's file picker, on both kinds.

In the browser the chooser opens only within the tap itself, so a button carries `action()` and the result comes to
the listeners. The bytes come with it: a browser gives no path, and a path on a tablet may vanish. Pictures in the
browser stay with the page (`held`), so that their bytes never enter Python's memory.
"""

import asyncio
from collections.abc import Awaitable, Callable

import flet as ft

from field_app.hardware.ports import Picked, Stop

Held = Callable[[], Awaitable[list[Picked]]]
OPTIONS = {
    # A slow machine may report the window's blur before the files: do not take that for a cancel.
    "cancel_upload_on_window_blur": False,
}


class FletPicker:
    """The picker port. One service per page: Flet drops services that nobody holds."""

    def __init__(self, page, kind: ft.FilePickerFileType = ft.FilePickerFileType.IMAGE,
                 held: Held | None = None) -> None:
        """`held` gives what was chosen last, in order, where the page holds the bytes."""
        self._page, self._held = page, held
        self._options = OPTIONS | {"file_type": kind, "with_data": held is None}
        self._heard: list[Callable[[list[Picked]], Awaitable[None]]] = []
        self.service = ft.FilePicker(on_result=self._result)

    def action(self, *, multiple: bool = False) -> ft.PickFiles:
        """For `ft.Button(action=...)`."""
        return ft.PickFiles(self.service, allow_multiple=multiple, **self._options)

    def listen(self, heard: Callable[[list[Picked]], Awaitable[None]]) -> Stop:
        """Be told of what was chosen through `action`."""
        self._heard.append(heard)

        def stop() -> None:
            if heard in self._heard:
                self._heard.remove(heard)

        return stop

    async def pick(self, *, multiple: bool = False) -> list[Picked]:
        """Open the chooser now and wait for the person."""
        return await self._read(await self.service.pick_files(allow_multiple=multiple, **self._options))

    async def _result(self, event) -> None:
        picked = await self._read(event.files)
        for heard in list(self._heard):
            await heard(picked)

    async def _read(self, files) -> list[Picked]:
        if self._held is not None:
            return await self._held() if files else []
        found = []
        for file in files or []:
            data = file.bytes
            if data is None and file.path:
                data = await asyncio.to_thread(_read_path, file.path)
            found.append(Picked(file.name, bytes(data or b"")))
        return found


def _read_path(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
