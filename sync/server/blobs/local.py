"""Evidence files on the local disk: ``ab/abcd...``, each complete or absent, whenever the power fails.

A file is written without a name, flushed to disk, given its name only if that name is free (or what bears it is
damaged), and then the folder is flushed too: only after that may anybody say that the file is held. Where the disk
knows no files without a name, it has a temporary one; what a killed process left of those is removed at the next start.
The folders are spread over the disk, and a file is begun in its own, so that those made side by side do not look for
room in one and the same place.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from sync.records.macs import is_fingerprint

_TEMPORARY = ".part-"
_UNFINISHED = ".uploads"
_LONG = struct.calcsize("l")
# Linux: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_TOPDIR_FL.
_GET_FLAGS, _SET_FLAGS, _TOP_FOLDER = 0x80006601 | _LONG << 16, 0x40006602 | _LONG << 16, 0x20000


def flush_folder(folder: Path | str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_bytes(handle: int) -> None:
    """The bytes of the open file, and all that is needed to read them again, are on the disk."""
    (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(handle)


class LocalIncoming:
    """One file being received into a folder of a LocalBlobs; ``near``: where it will lie, as far as that is known."""

    def __init__(self, root: Path, nameless: bool, near: str | None = None):
        self._root = root
        self._path: Path | None = None
        if nameless:
            self._handle = _open_nameless(root, near)
        else:
            # In the root, so that naming it stays within one file system whatever the hash will be.
            self._path = root / f"{_TEMPORARY}{secrets.token_hex(12)}"
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self._open = True
        self._sha = hashlib.sha256()
        self._kept = False
        self.size = 0

    def write(self, chunk: bytes) -> None:
        _write_all(self._handle, chunk, self.size)
        self._sha.update(chunk)
        self.size += len(chunk)

    def digest(self) -> str:
        return self._sha.hexdigest()

    def open(self) -> BinaryIO:
        if self._path is not None:
            return open(self._path, "rb")
        os.lseek(self._handle, 0, os.SEEK_SET)  # a duplicate reads on where the one before it stopped
        return open(os.dup(self._handle), "rb")

    def keep(self) -> bool:
        flush_bytes(self._handle)
        sha256 = self.digest()
        place = _place(self._root, sha256)
        if self._path is None:
            new = _give(self._root, f"/proc/self/fd/{self._handle}", sha256, self._handle)
        else:
            new = _give(self._root, self._path, sha256)
            self._path.unlink()
        self._kept = True
        self._close()
        flush_folder(place[: -len(sha256)])
        return new

    def drop(self) -> None:
        self._close()
        if self._path is not None and not self._kept:
            self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._open:
            self._open = False
            os.close(self._handle)


def _open_nameless(root: Path, near: str | None) -> int:
    if near is not None:
        with suppress(FileNotFoundError):  # its folder may be made when it gets its name
            return os.open(near, os.O_TMPFILE | os.O_RDWR, 0o600)
    return os.open(root, os.O_TMPFILE | os.O_RDWR, 0o600)


def _spread(folder: Path) -> None:
    """Tells the disk that what lies in the folders of this one does not belong together, so that each of them gets a
    part of the disk for itself (Linux, ext4: as ``chattr +T`` does). Other disks do as they like."""
    try:
        from fcntl import ioctl

        handle = os.open(folder, os.O_RDONLY)
        try:
            flags = bytearray(_LONG)
            ioctl(handle, _GET_FLAGS, flags)
            ioctl(handle, _SET_FLAGS, struct.pack("l", struct.unpack("l", flags)[0] | _TOP_FOLDER))
        finally:
            os.close(handle)
    except (ImportError, OSError):
        return


def _write_all(handle: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:  # a write may take a part only
        done = os.pwrite(handle, view, at)
        view, at = view[done:], at + done


def _can_be_nameless(root: Path) -> bool:
    """Whether this disk knows files that get their name last, and this machine a way to give it."""
    probe = root / f"{_TEMPORARY}{secrets.token_hex(12)}"
    try:
        handle = os.open(root, os.O_TMPFILE | os.O_RDWR, 0o600)
        try:
            os.link(f"/proc/self/fd/{handle}", probe, src_dir_fd=handle, follow_symlinks=True)
        finally:
            os.close(handle)
    except (AttributeError, OSError):
        return False
    probe.unlink()
    return True


def _name(path: Path | str, place: Path | str, handle: int | None = None) -> bool:
    """Gives the flushed file at ``path`` the name ``place`` as well; says whether that name was free. ``handle``: the
    path leads to this open file, which has no name."""
    try:
        return _link(path, place, handle)
    except FileNotFoundError:
        folder = Path(place).parent
        if folder.is_dir():
            raise
    folder.mkdir(exist_ok=True)
    flush_folder(folder.parent)
    return _link(path, place, handle)


def _link(path: Path | str, place: Path | str, handle: int | None) -> bool:
    try:
        # link, not rename: it refuses a name that is taken, so a held file is never replaced.
        if handle is None:
            os.link(path, place)
        else:
            # Only with a folder given does Python ask the system to follow the link to the file itself.
            os.link(path, place, src_dir_fd=handle, follow_symlinks=True)
    except FileExistsError:
        return False
    return True


def _give(root: Path, path: Path | str, sha256: str, handle: int | None = None) -> bool:
    """As ``_name``, for the place of ``sha256``. What lies there and is not that any more (a disk that failed, a backup
    that was cut off) is replaced by these good bytes."""
    place = _place(root, sha256)
    if _name(path, place, handle):
        return True
    try:
        with open(place, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == sha256:
                return False
    except FileNotFoundError:  # it was cleared away in this moment
        return _name(path, place, handle)
    spare = root / f"{_TEMPORARY}{secrets.token_hex(12)}"
    _name(path, spare, handle)
    os.replace(spare, place)
    return True


def _place(root: Path, sha256: str) -> str:
    if not is_fingerprint(sha256):
        raise KeyError(sha256)
    return f"{root}/{sha256[:2]}/{sha256}"


class LocalBlobs:
    """The folder ``root`` (made when absent), owned by one server process. ``nameless``: whether files may be written
    without a name (None: where the disk can)."""

    def __init__(self, root: Path, *, nameless: bool | None = None):
        self._root = root
        self._nameless = nameless
        if not root.is_dir():
            root.mkdir(parents=True, exist_ok=True)
            _spread(root)
            for number in range(256):  # now, so that no photo has to wait until its folder is on the disk
                (root / f"{number:02x}").mkdir(exist_ok=True)
            flush_folder(root)

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    def sweep(self) -> int:
        """Removes what an earlier process left half received; for the start of the one server of this folder."""
        left = list(self._root.glob(f"{_TEMPORARY}*"))
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)

    def incoming(self) -> LocalIncoming:
        return LocalIncoming(self._root, self._is_nameless())

    def coming(self, sha256: str) -> LocalIncoming:
        return LocalIncoming(self._root, self._is_nameless(), _place(self._root, sha256)[: -len(sha256)])

    def _is_nameless(self) -> bool:
        if self._nameless is None:
            self._nameless = _can_be_nameless(self._root)
        return self._nameless

    @property
    def unfinished(self) -> Path:
        folder = self._root / _UNFINISHED
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)
            flush_folder(self._root)
        return folder

    def adopt(self, path: Path, sha256: str) -> bool:
        new = _give(self._root, path, sha256)
        flush_folder(_place(self._root, sha256)[: -len(sha256)])
        return new

    def has(self, sha256: str) -> bool:
        return os.path.isfile(_place(self._root, sha256))

    def size(self, sha256: str) -> int:
        try:
            return os.stat(_place(self._root, sha256)).st_size
        except FileNotFoundError:
            raise KeyError(sha256) from None

    def read(self, sha256: str) -> bytes:
        try:
            return Path(_place(self._root, sha256)).read_bytes()
        except FileNotFoundError:
            raise KeyError(sha256) from None

    def stream(self, sha256: str, chunk: int = 256 * 1024, start: int = 0) -> Iterator[bytes]:
        try:
            file = open(_place(self._root, sha256), "rb")
        except FileNotFoundError:
            raise KeyError(sha256) from None
        file.seek(start)
        return _pieces(file, chunk)

    def remove(self, sha256: str) -> None:
        place = Path(_place(self._root, sha256))
        place.unlink(missing_ok=True)
        if place.parent.is_dir():
            flush_folder(place.parent)

    def names(self) -> Iterator[str]:
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            if is_fingerprint(path.name):
                yield path.name


def _pieces(file: BinaryIO, chunk: int) -> Iterator[bytes]:
    with file:
        while piece := file.read(chunk):
            yield piece
