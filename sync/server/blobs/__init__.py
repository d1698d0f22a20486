"""Where evidence files lie: untouched bytes under their own SHA-256, written once, never changed.

The interface is small on purpose, so that a local folder and an S3 bucket both fit behind it; every backend runs
``tests/sync/server/blobs/contract.py``. A name that is its content makes writing twice harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol


class Incoming(Protocol):
    """A file on its way in. Nothing of it can be seen until ``keep`` returns; ``drop`` leaves nothing behind."""

    size: int

    def write(self, chunk: bytes) -> None:
        """Adds bytes. Raises OSError (disk full) with nothing kept."""

    def digest(self) -> str:
        """SHA-256 of what was written so far, in hex."""

    def open(self) -> BinaryIO:
        """What was written so far, to look at before it is kept."""

    def keep(self) -> bool:
        """Makes the file durable under its digest; says whether it is new here."""

    def drop(self) -> None:
        """Forgets it. May be called at any time, also after ``keep``."""


class Blobs(Protocol):
    """Files by SHA-256."""

    def incoming(self) -> Incoming:
        """A new file to write."""

    def coming(self, sha256: str) -> Incoming:
        """As ``incoming``, for a file that was announced under this name."""

    @property
    def unfinished(self) -> Path:
        """A folder for files that arrive over several requests; what lies in it is not held."""

    def adopt(self, path: Path, sha256: str) -> bool:
        """Holds the file at ``path`` in ``unfinished``, whose bytes are on the disk and hash to ``sha256``; says
        whether it is new here. The caller removes ``path`` afterwards and writes to it no more."""

    def has(self, sha256: str) -> bool:
        """Whether the file is held, whole."""

    def size(self, sha256: str) -> int:
        """Bytes. Raises KeyError when it is not held."""

    def read(self, sha256: str) -> bytes:
        """All bytes. Raises KeyError when it is not held."""

    def stream(self, sha256: str, chunk: int = 256 * 1024, start: int = 0) -> Iterator[bytes]:
        """The bytes from ``start`` on in pieces. Raises KeyError when it is not held."""

    def remove(self, sha256: str) -> None:
        """Forgets a file that no record names (for `casework.unclaimed` alone); nothing when it is not held."""

    def names(self) -> Iterator[str]:
        """Every file held, in no order."""
