"""The port below the journal: six named files that can be appended to, cut back and replaced.

What a Disk promises: when ``append``, ``cut`` or ``commit`` returns, the bytes are on the medium; an
``append`` that fails has left the file as it was; a replacement shows the old or the new content, and a
half-written new one is recognisable by its missing end frame. One opener at a time.
"""

from typing import Protocol

JOURNALS = ("journal-0", "journal-1")
SNAPSHOTS = ("snapshot-0", "snapshot-1")
KEYS = ("keys-0", "keys-1")
"""Both hold the key ring, one behind the other; see `keyring`."""
NAMES = JOURNALS + SNAPSHOTS + KEYS


class DiskFull(Exception):
    """The medium has no room. The file is as it was before the call."""


class DiskBroken(Exception):
    """The medium failed in a way after which the file's content is not known for sure."""


class Replacement(Protocol):
    """New content of one file, written piece by piece. Nothing counts before ``commit`` has returned."""

    def write(self, data: bytes) -> None:
        """Raises DiskFull."""

    async def commit(self) -> None:
        """Makes the new content the file's content, durably. Raises DiskFull."""

    def abandon(self) -> None:
        """Drops what was written. May be called after any failure; never raises for a full disk."""


class Disk(Protocol):
    """Where one store lives."""

    where: str

    async def open(self) -> None:
        """Takes the single-writer lock. Raises StoreBusy."""

    def read(self, name: str) -> bytes:
        """The whole file; empty when there is none."""

    def append(self, name: str, at: int, data: bytes) -> None:
        """Writes ``data`` at byte ``at``, which is the file's end, durably. Raises DiskFull, DiskBroken."""

    def cut(self, name: str, length: int) -> None:
        """Cuts the file to ``length`` bytes, durably."""

    def replace(self, name: str) -> Replacement:
        """Begins new content for a file that no reader needs any more in its old form."""

    async def keep_aside(self, name: str, data: bytes) -> str:
        """Keeps ``data`` under a new name derived from ``name``, durably; gives that name. Raises DiskFull."""

    async def drop_kept(self) -> None:
        """Removes everything that ``keep_aside`` kept. Never raises for what is not there."""

    def close(self) -> None:
        """Lets go of the lock. Safe to call twice."""
