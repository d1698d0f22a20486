"""The store in memory: a real Disk without a medium below it, for tests, that can crash and can be full.

A ``Medium`` is what outlives the process: open it again after a crash. A crash is as unkind as a power cut:
the operation under way may have happened in part, with zeros or rubbish after the part that arrived, and a
snapshot in the making is seen under its own name, with any part of it missing until it is synced.
"""

from __future__ import annotations

from random import Random

from field_app.store.ciphers import Ciphers
from field_app.store.disk import DiskFull
from field_app.store.problems import StoreBusy
from field_app.store.store import Store, open_store


class Crashed(BaseException):
    """The simulated process is gone. Open the medium anew."""


class Medium:
    """The bytes that outlive a process. ``room`` is its size in bytes; ``crash_in`` counts operations down."""

    def __init__(self, *, room: int | None = None):
        self.files: dict[str, bytes] = {}
        self.unsynced: set[str] = set()
        self.room = room
        self.held = False
        self.life = 0
        self.crash_in: int | None = None
        self.random = Random(0)

    def used(self) -> int:
        return sum(len(data) for data in self.files.values())

    def write(self, name: str, at: int, data: bytes) -> None:
        """Puts ``data`` at byte ``at`` of the file, all or nothing unless it crashes. Raises DiskFull."""
        old = self.files.get(name, b"")
        new = old[:at] + data
        if self.room is not None and self.used() - len(old) + len(new) > self.room:
            raise DiskFull(name)
        if self._crashes():
            arrived = data[: self.random.randrange(len(data) + 1)]
            missing = len(data) - len(arrived)
            rest = self.random.choice((b"", bytes(missing), self.random.randbytes(missing)))
            self.files[name] = old[:at] + arrived + rest
            self._gone()
        self.files[name] = new

    def cut(self, name: str, length: int) -> None:
        if self._crashes():
            if self.random.random() < 0.5:
                self.files[name] = self.files.get(name, b"")[:length]
            self._gone()
        self.files[name] = self.files.get(name, b"")[:length]

    def _crashes(self) -> bool:
        if self.crash_in is None:
            return False
        self.crash_in -= 1
        return self.crash_in < 0

    def sync(self, name: str) -> None:
        """What was written to a file in the making is safe from here on."""
        if self._crashes():
            self._gone()
        self.unsynced.discard(name)

    def _gone(self) -> None:
        for name in sorted(self.unsynced):
            arrived = self.random.randrange(len(self.files[name]) + 1)
            missing = len(self.files[name]) - arrived
            self.files[name] = self.files[name][:arrived] + self.random.choice((b"", bytes(missing)))
        self.unsynced.clear()
        self.crash_in = None
        self.held = False
        self.life += 1
        raise Crashed

    def alive(self, life: int) -> None:
        """Raises Crashed for whoever opened the medium before the crash: a dead process does nothing more."""
        if life != self.life:
            raise Crashed


class MemoryDisk:
    """The Disk port on a Medium."""

    where = "memory"

    def __init__(self, medium: Medium):
        self._below = medium
        self._life = medium.life
        self._mine = False

    @property
    def _medium(self) -> Medium:
        self._below.alive(self._life)
        return self._below

    async def open(self) -> None:
        if self._medium.held:
            raise StoreBusy(self.where)
        self._medium.held = self._mine = True

    def read(self, name: str) -> bytes:
        return self._medium.files.get(name, b"")

    def append(self, name: str, at: int, data: bytes) -> None:
        assert at == len(self.read(name)), "the journal and its file disagree about the file's end"
        self._medium.write(name, at, data)

    def cut(self, name: str, length: int) -> None:
        self._medium.cut(name, length)

    def replace(self, name: str) -> InPlace:
        self._medium.cut(name, 0)
        return InPlace(self, name)

    async def keep_aside(self, name: str, data: bytes) -> str:
        number = 1
        while (kept := f"{name}.torn-{number}") in self._medium.files:
            number += 1
        self._medium.write(kept, 0, data)
        return kept

    async def drop_kept(self) -> None:
        for name in [name for name in self._medium.files if ".torn-" in name]:
            del self._medium.files[name]

    def close(self) -> None:
        if self._mine and self._life == self._below.life:
            self._below.held = self._mine = False


class InPlace:
    """New content of one file, seen half written under its own name until its end is there."""

    def __init__(self, disk: MemoryDisk, name: str):
        self._disk, self._name, self._size = disk, name, 0
        disk._medium.unsynced.add(name)

    def write(self, data: bytes) -> None:
        self._disk._medium.write(self._name, self._size, data)
        self._size += len(data)

    async def commit(self) -> None:
        self._disk._medium.sync(self._name)

    def abandon(self) -> None:
        if self._disk._life == self._disk._below.life:
            self._disk._below.unsynced.discard(self._name)
            self._disk._below.files[self._name] = b""


async def open_memory(medium: Medium | None = None, ciphers: Ciphers | None = None) -> Store:
    """Opens the store on ``medium``, or a new one, sealed with ``ciphers``. Raises as ``open_store`` does."""
    return await open_store(MemoryDisk(medium or Medium()), ciphers=ciphers)
