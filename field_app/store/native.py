"""The store on native files: one folder, mode 0600, one writer at a time by a lock the system frees on a kill.

Every promise of the Disk port is kept with fsync; a replaced file is a temporary file that is synced, renamed,
and whose folder is synced. A failed append is cut back to the last good byte.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

from field_app.store.ciphers import Ciphers
from field_app.store.disk import JOURNALS, DiskBroken, DiskFull
from field_app.store.problems import StoreBusy
from field_app.store.store import Store, open_store

if sys.platform == "win32":
    import msvcrt

    _FULL_SYNC = None
else:
    import fcntl

    _FULL_SYNC = getattr(fcntl, "F_FULLFSYNC", None)

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_BINARY = getattr(os, "O_BINARY", 0)


async def open_native(folder: str | os.PathLike[str], ciphers: Ciphers | None = None) -> Store:
    """Opens (or creates) the store in ``folder``, sealed with ``ciphers``. Raises as `open_store` does."""
    return await open_store(NativeDisk(Path(folder)), ciphers=ciphers)


def sync_to_medium(fd: int) -> None:
    """fsync that means it: on Apple systems fsync alone leaves the data in the drive's cache."""
    if _FULL_SYNC is not None:
        fcntl.fcntl(fd, _FULL_SYNC)
    else:
        os.fsync(fd)


def sync_folder(folder: Path) -> None:
    """Makes names in ``folder`` durable. Windows has no such call and does it by itself."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """os.write until all is written. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class NativeDisk:
    """The Disk port on a folder."""

    def __init__(self, folder: Path):
        self.where = str(folder)
        self._folder = folder
        self._lock: int | None = None
        self._open: dict[str, int] = {}

    async def open(self) -> None:
        made = not self._folder.exists()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _take_lock(self._folder / "lock")
        try:
            for name in JOURNALS:
                self._open[name] = os.open(self._folder / name, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
            for left in self._folder.glob("*.new"):
                left.unlink()
            sync_folder(self._folder)
            if made:
                sync_folder(self._folder.parent)
        except BaseException:
            self.close()
            raise

    def read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return b""

    def append(self, name: str, at: int, data: bytes) -> None:
        fd = self._open[name]
        try:
            os.lseek(fd, at, os.SEEK_SET)
            write_all(fd, data)
        except OSError as error:
            self._cut_back(name, fd, at, error)
        try:
            sync_to_medium(fd)
        except OSError as error:
            # Some file systems report a full disk only here; the pages are dropped, so cutting back is sound.
            self._cut_back(name, fd, at, error)

    def _cut_back(self, name: str, fd: int, at: int, error: OSError) -> None:
        try:
            os.ftruncate(fd, at)
            sync_to_medium(fd)
        except OSError as worse:
            raise DiskBroken(f"{self.where}/{name}: {worse}") from error
        if error.errno in NO_ROOM:
            raise DiskFull(f"{self.where}/{name}") from error
        raise DiskBroken(f"{self.where}/{name}: {error}") from error

    def cut(self, name: str, length: int) -> None:
        if name in self._open:
            os.ftruncate(self._open[name], length)
            sync_to_medium(self._open[name])
        elif length == 0:
            (self._folder / name).unlink(missing_ok=True)
            sync_folder(self._folder)
        else:
            os.truncate(self._folder / name, length)

    def replace(self, name: str) -> _NewFile:
        return _NewFile(self._folder / name)

    async def keep_aside(self, name: str, data: bytes) -> str:
        number = 1
        while (place := self._folder / f"{name}.torn-{number}").exists():
            number += 1
        new = _NewFile(place)
        try:
            new.write(data)
            await new.commit()
        except BaseException:
            new.abandon()
            raise
        return place.name

    async def drop_kept(self) -> None:
        for kept in self._folder.glob("*.torn-*"):
            kept.unlink(missing_ok=True)
        sync_folder(self._folder)

    def close(self) -> None:
        for fd in self._open.values():
            os.close(fd)
        self._open = {}
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class _NewFile:
    """Temporary file, fsync, rename, fsync of the folder."""

    def __init__(self, target: Path):
        self._target = target
        self._temporary = target.with_name(target.name + ".new")
        try:
            self._fd: int | None = os.open(
                self._temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600
            )
        except OSError as error:
            raise _as_full(error, self._target) from error

    def write(self, data: bytes) -> None:
        assert self._fd is not None
        try:
            write_all(self._fd, data)
        except OSError as error:
            raise _as_full(error, self._target) from error

    async def commit(self) -> None:
        assert self._fd is not None
        try:
            # In a thread: syncing a large snapshot must not stop the app. Nothing else uses this file.
            await asyncio.to_thread(sync_to_medium, self._fd)
        except OSError as error:
            raise _as_full(error, self._target) from error
        os.close(self._fd)
        self._fd = None
        os.replace(self._temporary, self._target)
        sync_folder(self._target.parent)

    def abandon(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)


def _as_full(error: OSError, place: Path) -> Exception:
    return DiskFull(str(place)) if error.errno in NO_ROOM else error


def _take_lock(place: Path) -> int:
    fd = os.open(place, os.O_RDWR | os.O_CREAT | _BINARY, 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        raise StoreBusy(str(place)) from error
    return fd
