"""Unfinished uploads on disk: the bytes so far, and a log of how many of them are safely there.

The log decides: bytes beyond its last whole line were never acknowledged and are cut off when the upload is taken up
again. A line is written only after the bytes it counts are on the disk, and flushed before anybody is told.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from sync.records.problems import Problem
from sync.records.wire import decode, encode
from sync.server.blobs import Blobs
from sync.server.blobs.local import flush_bytes, flush_folder
from sync.server.uploads.core import Checksum

KEPT = timedelta(hours=168)
"""So long an unfinished upload is kept after its last byte: an inspector's week without a good link."""
CHECKPOINT = 8 * 1024 * 1024
"""In one long request the bytes are made safe at least this often."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What one tablet may leave unfinished: so many files, which were announced with so many bytes in all. A tablet
    sends one file after another; without a bound, one that goes wrong could fill the server's disk."""

    files: int = 64
    bytes: int = 1024 * 1024 * 1024


CAPS = Caps()


@dataclass(frozen=True, slots=True)
class Head:
    """What was said when the upload was made."""

    sha256: str
    kind: str
    length: int
    said: str = field(default="", compare=False)


class Partial:
    """One unfinished upload, opened by the one that may write to it now. ``offset`` bytes are safely on the disk;
    ``written`` were written. Close it when done."""

    def __init__(self, files: Partials, name: str, head: Head, log: Any, data: Any, offset: int,
                 used: datetime) -> None:
        self._files, self._name, self.head = files, name, head
        self._log, self._data = log, data
        self.offset = self.written = offset
        self.used = used
        at, self._sha = files.hashes.pop(name, (0, None)) if offset else (0, hashlib.sha256())
        if at != offset:
            self._sha = None
        self._sum: Any = None
        self._sha_before: Any = None

    @property
    def length(self) -> int:
        return self.head.length

    @property
    def path(self) -> Path:
        return self._files.data_path(self._name)

    def expect(self, checksum: Checksum | None) -> None:
        """What is written from now on counts only if it has this checksum."""
        self._sum = (checksum, checksum.begin()) if checksum else None
        self._sha_before = self._sha.copy() if checksum and self._sha else None

    def write(self, data: bytes, now: datetime) -> None:
        """Adds bytes. Raises Problem "upload-malformed" (nothing of ``data`` is added) beyond the upload's length."""
        if self.written + len(data) > self.length:
            raise Problem("upload-malformed", f"more bytes than the file's {self.length}", where="body")
        view = memoryview(data)
        at = self.written
        while view:
            done = os.pwrite(self._data.fileno(), view, at)
            view, at = view[done:], at + done
        if self._sha:
            self._sha.update(data)
        if self._sum:
            self._sum[1].update(data)
        self.written += len(data)
        if self._sum is None and self.written - self.offset >= CHECKPOINT:
            self.commit(now)

    def checked(self) -> bool:
        """Whether what was written has the checksum that was announced (True when none was)."""
        return self._sum is None or self._sum[1].digest() == self._sum[0].digest

    def commit(self, now: datetime) -> None:
        """Makes everything written safe; afterwards it may be acknowledged."""
        if self.written != self.offset:
            flush_bytes(self._data.fileno())
            self._log.write(_line(self.written, now))
            flush_bytes(self._log.fileno())
            self.offset, self.used = self.written, now

    def roll_back(self) -> None:
        """Forgets what was written and not made safe."""
        if self.written != self.offset:
            os.ftruncate(self._data.fileno(), self.offset)
            self.written = self.offset
            self._sha = self._sha_before if self._sum else None

    def digest(self) -> str:
        """SHA-256 of all bytes, in hex."""
        if self._sha is None:
            with self.path.open("rb") as file:
                self._sha = hashlib.file_digest(file, "sha256")
        return self._sha.hexdigest()

    def close(self) -> None:
        """Lets go of the files; remembers how far the hash has come, for the next request."""
        self._log.close()
        self._data.close()
        if self._sha is not None and self.written == self.offset:
            self._files.remember(self._name, self.offset, self._sha)

    def remove(self) -> None:
        """The upload is no more."""
        self.close()
        self._files.remove(self._name)


class Whole:
    """A finished partial, as evidence that is coming in (`sync.server.blobs.Incoming`)."""

    def __init__(self, partial: Partial, blobs: Blobs) -> None:
        self._partial, self._blobs = partial, blobs
        self.size = partial.length

    def write(self, chunk: bytes) -> None:
        raise RuntimeError("a whole file takes no more bytes")

    def digest(self) -> str:
        return self._partial.digest()

    def open(self) -> BinaryIO:
        return self._partial.path.open("rb")

    def keep(self) -> bool:
        return self._blobs.adopt(self._partial.path, self.digest())

    def drop(self) -> None:
        """Nothing: whether the partial stays is decided by how it went (see `sync.server.uploads.transfers`)."""


def _line(offset: int, now: datetime) -> bytes:
    return f"{offset} {int(now.timestamp())}\n".encode()


class Partials:
    """The unfinished uploads in the folder of ``blobs``, by name. One process owns them."""

    def __init__(self, blobs: Blobs, caps: Caps = CAPS) -> None:
        self._blobs, self.caps = blobs, caps
        self._making = threading.Lock()
        self.hashes: dict[str, tuple[int, Any]] = {}

    def data_path(self, name: str) -> Path:
        return self._blobs.unfinished / f"{name}.data"

    def _log_path(self, name: str) -> Path:
        return self._blobs.unfinished / f"{name}.log"

    def remember(self, name: str, offset: int, sha: Any) -> None:
        self.hashes.pop(name, None)
        self.hashes[name] = (offset, sha)
        while len(self.hashes) > 256:  # a hash that is forgotten is computed again from the disk
            self.hashes.pop(next(iter(self.hashes)))

    def create(self, name: str, head: Head, now: datetime) -> Partial:
        """A new upload; an old one of that name is thrown away. Raises OSError (disk full), Problem "upload-too-many"
        when its tablet has too many."""
        self.remove(name)
        with self._making:  # counted and made in one step
            self._check_caps(name.partition(".")[0], head.length, now)
            self._make(name, head, now)
        found = self.open(name, now)
        if found is None:
            raise OSError(f"{self._log_path(name)} cannot be read back")
        return found

    def _check_caps(self, owner: str, length: int, now: datetime) -> None:
        mine = [name for name in self.names() if name.startswith(f"{owner}.")]
        reads = [read for read in map(self._read, mine) if read is not None and now - read[2] <= KEPT]
        announced = sum(read[0].length for read in reads)
        # A first one is always taken: how large one file may be is another limit.
        if len(reads) >= self.caps.files or (reads and announced + length > self.caps.bytes):
            raise Problem("upload-too-many", f"{len(reads)} unfinished files of {announced} bytes in all; at most "
                                             f"{self.caps.files} files and {self.caps.bytes} bytes are kept")

    def _make(self, name: str, head: Head, now: datetime) -> None:
        try:
            self.data_path(name).touch()
            with self._log_path(name).open("xb", buffering=0) as log:
                log.write(encode(asdict(head)) + b"\n" + _line(0, now))
                os.fsync(log.fileno())
            flush_folder(self._blobs.unfinished)
        except OSError:
            self.remove(name)
            raise

    def open(self, name: str, now: datetime) -> Partial | None:
        """The upload, cut back to what was acknowledged; None when there is none or its time is over."""
        read = self._read(name)
        if read is None or now - read[2] > KEPT:
            self.remove(name)
            return None
        head, offset, used, length_of_log = read
        log = self._log_path(name).open("r+b", buffering=0)
        log.truncate(length_of_log)
        log.seek(length_of_log)
        data = self.data_path(name).open("r+b", buffering=0)
        data.truncate(offset)
        return Partial(self, name, head, log, data, offset, used)

    def _read(self, name: str) -> tuple[Head, int, datetime, int] | None:
        """Head, safe offset, last use, and bytes of whole lines; None for what cannot be gone on with."""
        try:
            raw = self._log_path(name).read_bytes()
            there = self.data_path(name).stat().st_size
        except FileNotFoundError:
            return None
        whole = raw[: raw.rfind(b"\n") + 1]
        first, *lines = whole.splitlines() or [b""]
        try:
            said = decode(first)
            head = Head(said["sha256"], said["kind"], said["length"], said["said"])
            offset, at = (int(word) for word in lines[-1].split())
            used = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)
        except (Problem, KeyError, TypeError, ValueError, IndexError, OverflowError):
            return None
        if not (isinstance(head.length, int) and 0 <= offset <= head.length):
            return None
        # Fewer bytes than were made safe: the disk lost them, so the upload begins anew.
        return (head, offset, used, len(whole)) if there >= offset else None

    def remove(self, name: str) -> None:
        """Forgets the upload, if there is one. The log goes first: without it the bytes are nothing."""
        self.hashes.pop(name, None)
        with suppress(FileNotFoundError):
            self._log_path(name).unlink()
        with suppress(FileNotFoundError):
            self.data_path(name).unlink()

    def names(self) -> Iterator[str]:
        """All unfinished uploads."""
        for path in self._blobs.unfinished.glob("*.data"):
            yield path.name.removesuffix(".data")

    def expired(self, now: datetime) -> list[str]:
        """Those whose time is over, and what is left of broken ones."""
        reads = {name: self._read(name) for name in self.names()}
        return [name for name, read in reads.items() if read is None or now - read[2] > KEPT]
