"""The format of an evidence file that is encrypted at rest: the same natively and in the browser, without the ciphers.

Each file has a random key of its own, and each piece of 256 kB is sealed under it with its place as nonce: the key is
used for this one file and never again, so no nonce comes twice. What a piece belongs to (the fingerprint of the plain
bytes, their length, its place) is sealed along, so pieces cannot change places, files or be left out. Two slots in the
head hold the file's key: under the key of the person who took the photo, and, once it belongs to something signed,
under the tablet's. So a photo is rewrapped by writing 64 bytes, and any slice is read without the rest.

Layout: magic (8), piece size (4), plain size (8), two slots of 64 (key id 4, sealed file key 60), then the pieces.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from sync.records.macs import derive

MAGIC = b"\xf5SWEVID\x01"
PIECE = 256 * 1024
TAG = 16
_HEAD = struct.Struct("<8sIQ")
_SLOT = struct.Struct("<I60s")
HEAD_BYTES = _HEAD.size + 2 * _SLOT.size
EMPTY = b"\0" * _SLOT.size
TABLETS_AT = _HEAD.size + _SLOT.size
"""Where the tablet's slot stands: it may be written later."""


@dataclass(frozen=True, slots=True)
class Head:
    """``person`` and ``tablet``: (key id, sealed file key) of the slots that are filled."""

    size: int
    piece: int
    person: tuple[int, bytes] | None
    tablet: tuple[int, bytes] | None

    def offset(self, number: int) -> int:
        """Where a piece begins in the file."""
        return HEAD_BYTES + number * (self.piece + TAG)

    def pieces(self, first: int, end: int) -> range:
        """The numbers of the pieces that hold the plain bytes from ``first`` to before ``end``."""
        end = min(end, self.size)
        return range(first // self.piece, -(-end // self.piece)) if first < end else range(0)

    def length(self, number: int) -> int:
        """How many plain bytes a piece has."""
        return min(self.piece, self.size - number * self.piece)

    @property
    def whole(self) -> int:
        """The length of the whole file in bytes."""
        count = -(-self.size // self.piece)
        return HEAD_BYTES + self.size + count * TAG


def slot(key_id: int, sealed: bytes) -> bytes:
    return _SLOT.pack(key_id, sealed)


def pack(size: int, person: bytes = EMPTY, tablet: bytes = EMPTY, piece: int = PIECE) -> bytes:
    """The head of a file; the slots as `slot` makes them."""
    return _HEAD.pack(MAGIC, piece, size) + person + tablet


def unpack(data: bytes) -> Head | None:
    """The head of a sealed file; None when these are the bytes of another one."""
    if len(data) < HEAD_BYTES or not data.startswith(MAGIC):
        return None
    _, piece, size = _HEAD.unpack_from(data)
    slots = [_SLOT.unpack_from(data, at) for at in (_HEAD.size, TABLETS_AT)]
    person, tablet = [(key_id, sealed) if key_id else None for key_id, sealed in slots]
    return Head(size, piece, person, tablet) if piece else None


def about_key(sha: str) -> bytes:
    """What a sealed file key belongs to."""
    return f"siltwatch file {sha}".encode()


def pieces_key(key: bytes) -> bytes:
    """The key of the pieces, from the file's key."""
    return derive(key, "pieces")


def derived_key(key: bytes) -> bytes:
    """The key of what is derived from the file (small pictures), from the file's key."""
    return derive(key, "derived")


def nonce(number: int) -> bytes:
    return number.to_bytes(12, "big")


def about_piece(sha: str, size: int) -> bytes:
    """What all pieces of a file belong to; the place of each is its nonce."""
    return bytes.fromhex(sha) + size.to_bytes(8, "big")
