"""Evidence files in memory: the same promises within one process, for tests that need no disk."""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


class MemoryIncoming:
    """One file being received into a MemoryBlobs."""

    def __init__(self, files: dict[str, bytes]):
        self._files = files
        self._data = bytearray()

    @property
    def size(self) -> int:
        return len(self._data)

    def write(self, chunk: bytes) -> None:
        self._data += chunk

    def digest(self) -> str:
        return hashlib.sha256(self._data).hexdigest()

    def open(self) -> BinaryIO:
        return io.BytesIO(bytes(self._data))

    def keep(self) -> bool:
        name = self.digest()
        new = name not in self._files
        self._files.setdefault(name, bytes(self._data))
        return new

    def drop(self) -> None:
        self._data.clear()


class MemoryBlobs:
    """Files in a dictionary by SHA-256."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def incoming(self) -> MemoryIncoming:
        return MemoryIncoming(self._files)

    def coming(self, sha256: str) -> MemoryIncoming:
        return self.incoming()

    @property
    def unfinished(self) -> Path:
        if self._folder is None:  # the one thing that needs a disk, and few tests need it
            self._folder = tempfile.TemporaryDirectory()
        return Path(self._folder.name)

    def adopt(self, path: Path, sha256: str) -> bool:
        new = sha256 not in self._files
        self._files.setdefault(sha256, path.read_bytes())
        return new

    def has(self, sha256: str) -> bool:
        return sha256 in self._files

    def size(self, sha256: str) -> int:
        return len(self._files[sha256])

    def read(self, sha256: str) -> bytes:
        return self._files[sha256]

    def stream(self, sha256: str, chunk: int = 256 * 1024, start: int = 0) -> Iterator[bytes]:
        data = self._files[sha256]
        return (data[at : at + chunk] for at in range(start, len(data), chunk))

    def remove(self, sha256: str) -> None:
        self._files.pop(sha256, None)

    def names(self) -> Iterator[str]:
        return iter(list(self._files))
