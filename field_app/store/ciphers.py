"""The port to the ciphers of the place we run in: `cryptography` natively, WebCrypto in the browser.

One construction everywhere: AES-256-GCM with a random 96-bit nonce in front of the sealed bytes. Random, not counted:
a torn frame is cut off and its number used again, and a copied tablet goes on counting from the same number, so a
counted nonce would come twice under one key. At 2^25 frames (ten years of ten thousand a day) the odds that two random
ones meet are below 2^-46. A key is derived for each purpose, so that no two purposes ever share a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

KEY_BYTES = 32
NONCE_BYTES = 12
TAG_BYTES = 16
OVERHEAD = NONCE_BYTES + TAG_BYTES
"""How many bytes longer sealed data is."""


class Forged(Exception):
    """Not sealed under this key, or not for this place, or changed since."""


class Cipher(Protocol):
    """One key for one purpose. ``about`` is what the bytes belong to; they open only with the same."""

    async def seal(self, data: bytes, about: bytes) -> bytes: ...

    async def open(self, sealed: bytes, about: bytes) -> bytes:
        """Raises Forged."""

    async def open_all(self, rows: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
        """Many at once, (sealed, about) each; in the browser beside each other. Raises Forged."""


class Ciphers(Protocol):
    """What the platform can do."""

    async def cipher(self, key: bytes) -> Cipher:
        """A cipher under 32 bytes of key."""

    async def pin_verifier(self, pin: str, salt: bytes, rounds: int) -> bytes:
        """PBKDF2-HMAC-SHA256 of the PIN (UTF-8), 32 bytes."""

    async def new_pair(self) -> tuple[bytes, bytes]:
        """A P-256 pair: private (PKCS #8, DER) and public (65 bytes, uncompressed)."""

    async def agree(self, private: bytes, public: bytes) -> bytes:
        """The secret, 32 bytes, that a private and another's public half have in common (ECDH). Raises Forged for a
        public half that is none."""
