"""A large file made natively: piece by piece into a file of our own, then to where the person wants it.

A tablet's share sheet and a desktop's dialog take the file as it lies. Only behind a browser (server mode, development)
its bytes go through memory, for a browser takes nothing else.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import flet as ft

from field_app.store.native import NO_ROOM
from field_app.store.problems import StoreFull


class FileOutgoing:
    """The outgoing port. What a former run left in `folder` is cleared first."""

    def __init__(self, page: ft.Page, picker: ft.FilePicker, folder: Path, name: str, media: str) -> None:
        self._page, self._picker, self._name, self._media = page, picker, name, media
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, parents=True)
        self.place = folder / name
        self._file: BinaryIO | None = self.place.open("xb")

    async def write(self, data: bytes) -> None:
        """Adds bytes."""
        await asyncio.to_thread(self._put, data)

    async def add(self, body: Any) -> None:
        """Adds an open file."""
        await asyncio.to_thread(self._copy, body)

    def _put(self, data: bytes) -> None:
        assert self._file is not None
        try:
            self._file.write(data)
        except OSError as error:
            raise _full(error, self.place) from error

    def _copy(self, body: BinaryIO) -> None:
        assert self._file is not None
        with body:
            try:
                shutil.copyfileobj(body, self._file, 1024 * 1024)
            except OSError as error:
                raise _full(error, self.place) from error

    async def save(self) -> bool:
        """Share sheet on phones and tablets, dialog on a desktop, download behind a browser."""
        await asyncio.to_thread(self._close)
        if self._page.web:
            data = await asyncio.to_thread(self.place.read_bytes)
            await self._picker.save_file(file_name=self._name, src_bytes=data)
            return True
        if self._page.platform.is_mobile():
            shared = await ft.Share().share_files([ft.ShareFile.from_path(str(self.place), name=self._name)])
            return shared.status != ft.ShareResultStatus.DISMISSED
        to = await self._picker.save_file(file_name=self._name)
        if not to:
            return False
        await asyncio.to_thread(shutil.copyfile, self.place, to)
        return True

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            try:
                file.close()
            except OSError as error:
                raise _full(error, self.place) from error

    async def drop(self) -> None:
        """A shared file must stay until the other app has read it: only an unfinished one goes at once."""
        if self._file is not None:
            with suppress(OSError, StoreFull):
                self._close()
            with suppress(OSError):
                self.place.unlink()


def _full(error: OSError, place: Path) -> Exception:
    return StoreFull(str(place)) if error.errno in NO_ROOM else error
