"""A box: bytes sealed to the public half of a P-256 pair, for its private half alone. The format, without the ciphers.

box = version (1 byte) + ephemeral public half (65) + nonce (12) + AES-256-GCM of the content with its tag. The key is
made of the ECDH secret and both public halves under a label, so a box made for one purpose opens for no other. Both
sides of the wire use it: the tablet seals to the city, the office back to the tablet.
"""

from __future__ import annotations

import hashlib

from sync.records.macs import derive
from sync.records.problems import Problem

VERSION = b"\x01"
PUBLIC_BYTES = 65
LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Thirty-two of them, none that looks like another."""


def key_of(secret: bytes, ephemeral: bytes, public: bytes, label: str) -> bytes:
    """The 32-byte key of a box from the ECDH secret."""
    return derive(secret, "box", label, ephemeral.hex(), public.hex())


def pack(ephemeral: bytes, sealed: bytes) -> bytes:
    return VERSION + ephemeral + sealed


def unpack(box: bytes) -> tuple[bytes, bytes]:
    """The ephemeral public half and what is sealed. Raises Problem "recovery-malformed"."""
    if len(box) < 1 + PUBLIC_BYTES + 28 or box[:1] != VERSION:
        raise Problem("recovery-malformed", "this is no sealed key", where="box")
    return box[1 : 1 + PUBLIC_BYTES], box[1 + PUBLIC_BYTES :]


def key_id(public: bytes) -> str:
    """What names a public half: 16 hex digits."""
    return hashlib.sha256(public).hexdigest()[:16]


def spoken(*parts: bytes) -> str:
    """Ten characters of the parts' fingerprint, in two groups, for two people to compare on the phone (50 bits)."""
    number = int.from_bytes(hashlib.sha256(b"|".join(parts)).digest()[:8], "big") >> 14
    letters = [LETTERS[number >> 5 * place & 31] for place in range(10)]
    return "".join(letters[:5]) + "-" + "".join(letters[5:])
