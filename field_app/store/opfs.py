"""The store in the browser's private file system (OPFS): one sync access handle per file, held while open.

The handle of a file is exclusive over all tabs, so holding it is the single-writer lock. ``flush`` is what
fsync is natively. There is no rename under a held handle; a snapshot is written in place into the slot that
is not in use, and its end frame tells that it is whole. Only runs in a worker, where such handles exist; their
methods must be synchronous, which they are in Chromium since 108, Firefox since 111 and Safari since 16.4.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import js
from pyodide.ffi import JsException, to_js

from field_app.store.ciphers import Ciphers
from field_app.store.disk import NAMES, DiskBroken, DiskFull
from field_app.store.problems import StoreBusy
from field_app.store.store import Store, open_store

PATIENCE = 1.0
"""Seconds to wait for a handle: a worker that was just ended lets go of its handles a moment later."""
_STEP = 0.05
_BUSY = frozenset({"NoModificationAllowedError", "InvalidStateError"})
FULL = frozenset({"QuotaExceededError"})


async def open_opfs(name: str = "store", *, patience: float = PATIENCE, ciphers: Ciphers | None = None) -> Store:
    """Opens (or creates) the store in the OPFS folder ``name`` of this origin, sealed with ``ciphers``.

    Raises StoreBusy when another tab has it for longer than ``patience`` seconds, StoreDamaged, StoreNewer.
    """
    return await open_store(OpfsDisk(name, patience=patience), ciphers=ciphers)


async def folder(name: str):
    """The OPFS folder of this origin with that name (``a/b`` for a folder in a folder), made when missing."""
    place = await js.navigator.storage.getDirectory()
    for part in name.split("/"):
        place = await place.getDirectoryHandle(part, _options(create=True))
    return place


async def exclusive(place, name: str, patience: float):
    """A sync access handle on a file, made when missing. Raises StoreBusy."""
    file = await place.getFileHandle(name, _options(create=True))
    waited = 0.0
    while True:
        try:
            return await file.createSyncAccessHandle()
        except JsException as error:
            if error.name not in _BUSY:
                raise
            if waited >= patience:
                raise StoreBusy(name) from error
        await asyncio.sleep(_STEP)
        waited += _STEP


def write_at(handle, at: int, data: bytes) -> None:
    """Writes all of ``data`` at byte ``at``. Raises DiskFull."""
    try:
        written = handle.write(to_js(data), _options(at=at))
    except JsException as error:
        if error.name in FULL:
            raise DiskFull(str(error)) from error
        raise
    if written != len(data):
        raise DiskFull(f"only {written} of {len(data)} bytes were taken")


def read_all(handle) -> bytes:
    """All bytes behind a handle."""
    buffer = js.Uint8Array.new(handle.getSize())
    handle.read(buffer, _options(at=0))
    return buffer.to_bytes()


def _options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)


class OpfsDisk:
    """The Disk port on an OPFS folder."""

    def __init__(self, name: str, *, patience: float = PATIENCE):
        self.where = f"browser storage/{name}"
        self._name = name
        self._patience = patience
        self._folder = None
        self._handles: dict = {}

    async def open(self) -> None:
        self._folder = await folder(self._name)
        try:
            for name in NAMES:
                # Who has the first file has the store; the others only ever lag behind in being let go.
                self._handles[name] = await exclusive(self._folder, name, self._patience)
        except BaseException:
            self.close()
            raise

    def read(self, name: str) -> bytes:
        return read_all(self._handles[name])

    def append(self, name: str, at: int, data: bytes) -> None:
        handle = self._handles[name]
        try:
            write_at(handle, at, data)
            handle.flush()
        except (JsException, DiskFull) as error:
            try:
                handle.truncate(at)
                handle.flush()
            except JsException as worse:
                raise DiskBroken(f"{self.where}/{name}: {worse}") from error
            if isinstance(error, DiskFull) or error.name in FULL:
                raise DiskFull(f"{self.where}/{name}") from error
            raise DiskBroken(f"{self.where}/{name}: {error}") from error

    def cut(self, name: str, length: int) -> None:
        handle = self._handles[name]
        handle.truncate(length)
        handle.flush()

    def replace(self, name: str) -> _Slot:
        self.cut(name, 0)
        return _Slot(self._handles[name], f"{self.where}/{name}")

    async def keep_aside(self, name: str, data: bytes) -> str:
        taken = {entry async for entry in self._folder.keys()}
        number = 1
        while (kept := f"{name}.torn-{number}") in taken:
            number += 1
        handle = await exclusive(self._folder, kept, self._patience)
        try:
            write_at(handle, 0, data)
            handle.flush()
        finally:
            handle.close()
        return kept

    async def drop_kept(self) -> None:
        for kept in [entry async for entry in self._folder.keys() if ".torn-" in entry]:
            with suppress(JsException):
                await self._folder.removeEntry(kept)

    def close(self) -> None:
        for name in reversed(NAMES):
            if handle := self._handles.pop(name, None):
                handle.close()


class _Slot:
    """New content for a snapshot file, written in place."""

    def __init__(self, handle, where: str):
        self._handle = handle
        self._where = where
        self._size = 0

    def write(self, data: bytes) -> None:
        write_at(self._handle, self._size, data)
        self._size += len(data)

    async def commit(self) -> None:
        try:
            self._handle.flush()
        except JsException as error:
            raise DiskFull(self._where) from error

    def abandon(self) -> None:
        # Without its end frame it counts for nothing; emptying it only gives the room back.
        with suppress(JsException):
            self._handle.truncate(0)


