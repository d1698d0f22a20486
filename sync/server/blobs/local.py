"""Evidence files on the local disk: ``ab/abcd...``, each complete or absent, whenever the power fails.

A file is written beside its final place, flushed to disk, given its name only if that name is free, and then the
folder is flushed too: only after that may anybody say that the file is held. Left-over temporary files of a
killed process are removed at the next start.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sync.records.macs import is_fingerprint

_TEMPORARY = ".part-"
_UNFINISHED = ".uploads"


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class LocalIncoming:
    """One file being received into a folder of a LocalBlobs."""

    def __init__(self, root: Path):
        self._root = root
        # In the root, so that the final rename stays within one file system whatever the hash will be.
        self._path = root / f"{_TEMPORARY}{secrets.token_hex(12)}"
        self._file = open(self._path, "xb", buffering=0)
        self._sha = hashlib.sha256()
        self._kept = False
        self.size = 0

    def write(self, chunk: bytes) -> None:
        view = memoryview(chunk)
        while view:  # without a buffer a write may take a part only
            view = view[self._file.write(view):]
        self._sha.update(chunk)
        self.size += len(chunk)

    def digest(self) -> str:
        return self._sha.hexdigest()

    def open(self) -> BinaryIO:
        return open(self._path, "rb")

    def keep(self) -> bool:
        os.fsync(self._file.fileno())
        self._file.close()
        place = _place(self._root, self.digest())
        new = _name(self._path, place)
        self._path.unlink()
        self._kept = True
        _flush_folder(place.parent)
        return new

    def drop(self) -> None:
        self._file.close()
        if not self._kept:
            self._path.unlink(missing_ok=True)


def _name(path: Path, place: Path) -> bool:
    """Gives the flushed file at ``path`` the name ``place`` as well; says whether that name was free."""
    if not place.parent.is_dir():
        place.parent.mkdir(exist_ok=True)
        _flush_folder(place.parent.parent)
    try:
        # link, not rename: it refuses a name that is taken, so a held file is never replaced.
        os.link(path, place)
    except FileExistsError:
        return False
    return True


def _place(root: Path, sha256: str) -> Path:
    if not is_fingerprint(sha256):
        raise KeyError(sha256)
    return root / sha256[:2] / sha256


class LocalBlobs:
    """The folder ``root`` (made when absent), owned by one server process."""

    def __init__(self, root: Path):
        self._root = root
        if not root.is_dir():
            root.mkdir(parents=True, exist_ok=True)
            for number in range(256):  # now, so that no photo has to wait until its folder is on the disk
                (root / f"{number:02x}").mkdir(exist_ok=True)
            _flush_folder(root)

    def sweep(self) -> int:
        """Removes what an earlier process left half received; for the start of the one server of this folder."""
        left = list(self._root.glob(f"{_TEMPORARY}*"))
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)

    def incoming(self) -> LocalIncoming:
        return LocalIncoming(self._root)

    @property
    def unfinished(self) -> Path:
        folder = self._root / _UNFINISHED
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)
            _flush_folder(self._root)
        return folder

    def adopt(self, path: Path, sha256: str) -> bool:
        place = _place(self._root, sha256)
        new = _name(path, place)
        _flush_folder(place.parent)
        return new

    def has(self, sha256: str) -> bool:
        return _place(self._root, sha256).is_file()

    def size(self, sha256: str) -> int:
        try:
            return _place(self._root, sha256).stat().st_size
        except FileNotFoundError:
            raise KeyError(sha256) from None

    def read(self, sha256: str) -> bytes:
        try:
            return _place(self._root, sha256).read_bytes()
        except FileNotFoundError:
            raise KeyError(sha256) from None

    def stream(self, sha256: str, chunk: int = 256 * 1024) -> Iterator[bytes]:
        try:
            file = _place(self._root, sha256).open("rb")
        except FileNotFoundError:
            raise KeyError(sha256) from None
        return _pieces(file, chunk)

    def names(self) -> Iterator[str]:
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            if is_fingerprint(path.name):
                yield path.name


def _pieces(file: BinaryIO, chunk: int) -> Iterator[bytes]:
    with file:
        while piece := file.read(chunk):
            yield piece
