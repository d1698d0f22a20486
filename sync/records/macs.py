"""Keyed fingerprints (HMAC-SHA256): who signed a fact, that a receipt is ours, keys derived from one secret."""

import hashlib
import hmac
import re

_FINGERPRINT = re.compile("[0-9a-f]{64}")


def sign(key: bytes, data: bytes) -> str:
    """The HMAC-SHA256 of ``data`` under ``key``, as 64 lower-case hex digits."""
    return hmac.digest(key, data, "sha256").hex()


def verify(key: bytes, data: bytes, mac: str) -> bool:
    """Whether ``mac`` is that of ``data``; takes the same time whatever differs, false for any non-ASCII text."""
    return mac.isascii() and hmac.compare_digest(sign(key, data), mac)


def derive(secret: bytes, *labels: str) -> bytes:
    """A 32-byte key for one purpose. Labels are length-prefixed, so ("ab","c") and ("a","bc") differ."""
    material = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in labels)
    return hmac.digest(secret, material, "sha256")


def fingerprint(data: bytes) -> str:
    """SHA-256 of ``data`` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def is_fingerprint(text: object) -> bool:
    """Whether ``text`` is 64 lower-case hex digits."""
    return isinstance(text, str) and _FINGERPRINT.fullmatch(text) is not None
