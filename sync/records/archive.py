"""The one kind of ZIP file that a tablet writes and the server takes: stored entries, one after the other, no more.

Pure: `Archive` gives the bytes between the contents, so a file of gigabytes is made without being held anywhere; `read`
walks it by its own headers. What is stored cannot unpack to more than it is, so there is no bomb to defuse.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from sync.records.problems import Problem

_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_END64, _LOCATOR64 = b"PK\x06\x06", b"PK\x06\x07"
_HEAD = struct.Struct("<4sHHHHHLLLHH")
_TAIL = struct.Struct("<4sHHHHLLH")
_UTF8 = 0x0800
_NARROW, _FEW = 0xFFFF_FFFF, 0xFFFF
MOST_ENTRIES = 200_000
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One file in an archive: ``offset`` is that of its first byte of content, ``crc`` the CRC-32 of the content."""

    name: str
    size: int
    crc: int
    offset: int


@dataclass(slots=True)
class Archive:
    """An archive that is being written. ``at`` is the time that its entries bear, to two seconds."""

    at: datetime
    size: int = 0
    _central: list[bytes] = field(default_factory=list)

    def begin(self, name: str, size: int, crc: int) -> bytes:
        """What stands before the content of ``name``; exactly ``size`` bytes of content must follow it.

        Raises ValueError for a content of 4 GB or more, which no record and no evidence file has.
        """
        if size >= _NARROW:
            raise ValueError(f"{name} is too large")
        raw, day, time = name.encode(), *_dos(self.at)
        head = _HEAD.pack(_LOCAL, 20, _UTF8, 0, time, day, crc, size, size, len(raw), 0) + raw
        wide = struct.pack("<HHQ", 1, 8, self.size) if self.size >= _NARROW else b""
        offset = _NARROW if wide else self.size
        self._central.append(
            struct.pack("<4sHHHHHHLLLHHHHHLL", _CENTRAL, 45 if wide else 20, 45 if wide else 20, _UTF8, 0, time, day,
                        crc, size, size, len(raw), len(wide), 0, 0, 0, 0, offset) + raw + wide)
        self.size += len(head) + size
        return head

    def end(self) -> bytes:
        """The directory that closes the archive."""
        central, count, start = b"".join(self._central), len(self._central), self.size
        wide = b""
        if start >= _NARROW or len(central) >= _NARROW or count >= _FEW:
            wide = struct.pack("<4sQHHLLQQQQ", _END64, 44, 45, 45, 0, 0, count, count, len(central), start)
            wide += struct.pack("<4sLQL", _LOCATOR64, 0, start + len(central), 1)
        few, short, near = min(count, _FEW), min(len(central), _NARROW), min(start, _NARROW)
        self.size += len(central) + len(wide) + _TAIL.size
        return central + wide + _TAIL.pack(_END, 0, 0, few, few, short, near, 0)


def _dos(at: datetime) -> tuple[int, int]:
    """A ZIP counts years from 1980 to 2107; a clock may say anything, and the way out by file must not hang on it."""
    day = (min(max(at.year, 1980), 2107) - 1980) << 9 | at.month << 5 | at.day
    return day, at.hour << 11 | at.minute << 5 | at.second // 2


def read(file: BinaryIO) -> dict[str, Entry]:
    """The entries of an archive as `Archive` wrote it, by name; contents are not read.

    Raises Problem "export-damaged" for one that is cut off or does not hold together, "export-malformed" for any other
    file, another kind of ZIP included.
    """
    file.seek(0, 2)
    whole = file.tell()
    found: dict[str, Entry] = {}
    at = 0
    while True:
        file.seek(at)
        head = file.read(_HEAD.size)
        if not head.startswith(_LOCAL):
            break
        if len(head) < _HEAD.size:
            raise Problem("export-damaged", "it ends in the middle of an entry", where=f"byte {at}")
        _, _, flags, method, _, _, crc, packed, size, name_size, extra = _HEAD.unpack(head)
        if method or flags & ~_UTF8 or packed != size or extra or name_size > LONGEST_NAME:
            raise Problem("export-malformed", "it was packed by another program", where=f"byte {at}")
        name = file.read(name_size).decode("utf-8", "replace")
        begins = at + _HEAD.size + name_size
        if begins + size > whole:
            raise Problem("export-damaged", f"{name} is cut off", where=name)
        if name in found or len(found) >= MOST_ENTRIES:
            raise Problem("export-malformed", "an entry is there twice, or there are too many", where=name)
        found[name] = Entry(name, size, crc, begins)
        at = begins + size
    if not found:
        raise Problem("export-malformed", "it is no ZIP file of a tablet")
    _check_end(file, at, whole, len(found))
    return found


def _check_end(file: BinaryIO, at: int, whole: int, count: int) -> None:
    """The directory is there and counts what we counted: else the file was cut off, or something stands between."""
    file.seek(max(0, whole - _TAIL.size))
    tail = file.read(_TAIL.size)
    file.seek(at)
    begins = file.read(4)
    if len(tail) < _TAIL.size or not tail.startswith(_END) or begins != _CENTRAL:
        raise Problem("export-damaged", "its end is missing", where=f"byte {at}")
    _, _, _, _, counted, size, start, _ = _TAIL.unpack(tail)
    if counted != min(count, _FEW) or start not in (at, _NARROW) or at + size > whole:
        raise Problem("export-damaged", "its directory does not fit", where=f"byte {at}")


def content(file: BinaryIO, entry: Entry, piece: int = 1024 * 1024) -> Iterator[bytes]:
    """The bytes of an entry, piece by piece. Raises Problem "export-damaged" when the file ends before it does."""
    left = entry.size
    file.seek(entry.offset)
    while left:
        data = file.read(min(piece, left))
        if not data:
            raise Problem("export-damaged", f"{entry.name} is cut off", where=entry.name)
        left -= len(data)
        yield data
