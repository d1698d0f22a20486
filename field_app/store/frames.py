"""The store's file format: a file is a row of frames, and a frame tells by itself whether it is whole.

Frame = header (24 bytes, little endian) + payload. Header: magic ``f5 57``, format version (1 byte), kind
(1 byte), key id (4 bytes, 0 = not encrypted), payload length (4), sequence number (8), CRC-32 (4) over the
header before it and the payload. The payload is ASCII JSON, as it is or sealed under the key of that id: then the
version is 2, and the header without length and CRC belongs to what is sealed, so that no frame passes for another. The
CRC is over the sealed bytes: whether a frame is whole shows without any key. Pure; knows nothing of disks.

Kinds: J begins a journal, C is one change, S/D/E begin, fill and end a snapshot; K is the key ring, alone in its file.
J, S and K are never sealed: they hold no more than the store's id, and the wrapped keys.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from field_app.store.problems import StoreDamaged, StoreNewer

VERSION = 2
VERSION_CLEAR = 1
"""The version of frames that are not encrypted: versions of the app that know no encryption read them."""
MAGIC = b"\xf5W"
HEADER = struct.Struct("<2sBBIIQI")
_BEFORE_CRC = HEADER.size - 4
CLEAR = 0
"""Key id of a frame that is not encrypted."""

MAX_PAYLOAD = 64 * 1024 * 1024
"""Longest payload in bytes that is written or believed: a damaged length must not make us read gigabytes."""

JOURNAL, CHANGE, SNAPSHOT, PART, END, RING = b"JCSDEK"

_encoder = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def dumps(value: object) -> str:
    """Compact ASCII JSON. Raises ValueError for NaN and infinity, TypeError for what JSON does not know."""
    return _encoder.encode(value)


loads = json.loads


@dataclass(frozen=True, slots=True)
class Frame:
    """One whole frame: its kind, sequence number, payload bytes, and the id of the key they are sealed under."""

    kind: int
    seq: int
    payload: bytes
    key_id: int = CLEAR

    def value(self) -> object:
        return json.loads(self.payload)


def about(kind: int, seq: int, key_id: int) -> bytes:
    """What a sealed payload belongs to: its frame's header as far as it is known before sealing."""
    return HEADER.pack(MAGIC, VERSION, kind, key_id, 0, seq, 0)[:_BEFORE_CRC]


def pack(kind: int, seq: int, payload: bytes, key_id: int = CLEAR) -> bytes:
    """The bytes of one frame. Raises ValueError when the payload is longer than MAX_PAYLOAD bytes."""
    if len(payload) > MAX_PAYLOAD:
        raise ValueError(f"a frame holds at most {MAX_PAYLOAD} bytes, not {len(payload)}")
    version = VERSION_CLEAR if key_id == CLEAR else VERSION
    head = HEADER.pack(MAGIC, version, kind, key_id, len(payload), seq, 0)[:_BEFORE_CRC]
    crc = zlib.crc32(payload, zlib.crc32(head))
    return head + crc.to_bytes(4, "little") + payload


def unpack(data: bytes, at: int, *, where: str) -> tuple[Frame, int] | None:
    """The frame at byte ``at`` and the offset after it; None when no whole frame stands there.

    Raises StoreNewer for a whole frame of a later format: that is good data and must not be taken for a torn tail. A
    sealed frame is given as it is; whether it opens is the journal's to see.
    """
    if len(data) - at < HEADER.size:
        return None
    magic, version, kind, key_id, length, seq, crc = HEADER.unpack_from(data, at)
    start = at + HEADER.size
    if magic != MAGIC or length > MAX_PAYLOAD or start + length > len(data):
        return None
    payload = data[start : start + length]
    if zlib.crc32(payload, zlib.crc32(data[at : at + _BEFORE_CRC])) != crc:
        return None
    if version > VERSION:
        raise StoreNewer(version, where=where)
    return Frame(kind, seq, payload, key_id), start + length


@dataclass(frozen=True, slots=True)
class Scan:
    """What a file holds: its whole frames, and where the first byte that is none of them stands."""

    frames: list[Frame]
    good: int
    size: int

    @property
    def torn(self) -> bool:
        return self.good < self.size


def scan(data: bytes, *, where: str) -> Scan:
    """All frames of a file up to the first that is not whole.

    Raises StoreDamaged when a whole frame stands behind the broken place: a crash only ever breaks the last
    frame, so this is damage, and cutting it off would lose acknowledged changes.
    """
    frames, at = [], 0
    while at < len(data) and (found := unpack(data, at, where=where)):
        frame, at = found
        frames.append(frame)
    if at < len(data) and (behind := _next_frame(data, at + 1, where)) is not None:
        raise StoreDamaged(f"damaged at byte {at} of {len(data)}, with good records behind it", where=where) from (
            ValueError(f"the next whole frame stands at byte {behind}")
        )
    return Scan(frames, at, len(data))


def _next_frame(data: bytes, at: int, where: str) -> int | None:
    while (at := data.find(MAGIC, at)) >= 0:
        if unpack(data, at, where=where):
            return at
        at += 1
    return None


def parts(table: str, docs: Iterator[tuple[str, dict]], size: int) -> Iterator[tuple[bytes, int]]:
    """Snapshot payloads for one table, each about ``size`` bytes: ``["table",{"id":doc,...}]``, and how many
    documents each holds. Documents are encoded one by one, so that a long table never stops the app for long.
    """
    row: list[str] = []
    length = 0
    for name, doc in docs:
        text = f"{dumps(name)}:{dumps(doc)}"
        row.append(text)
        length += len(text)
        if length >= size:
            yield _part(table, row), len(row)
            row, length = [], 0
    if row:
        yield _part(table, row), len(row)


def _part(table: str, row: list[str]) -> bytes:
    return f"[{dumps(table)},{{{','.join(row)}}}]".encode("ascii")
