"""The ciphers of a native process: OpenSSL, through hashlib and `cryptography`.

What is slow (the PIN) runs in a thread so that the screen goes on; sealing a frame takes microseconds and does not.
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
)

from field_app.store.ciphers import NONCE_BYTES, Forged


class NativeCipher:
    """AES-256-GCM under one key; see `field_app.store.ciphers`."""

    def __init__(self, key: bytes) -> None:
        self._aead = AESGCM(key)

    async def seal(self, data: bytes, about: bytes) -> bytes:
        return self.seal_now(data, about)

    def seal_now(self, data: bytes, about: bytes) -> bytes:
        """The same for code that runs in a thread."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, data, about)

    async def open(self, sealed: bytes, about: bytes) -> bytes:
        return self.open_now(sealed, about)

    def open_now(self, sealed: bytes, about: bytes) -> bytes:
        """The same for code that runs in a thread. Raises Forged."""
        try:
            return self._aead.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], about)
        except (InvalidTag, ValueError):
            raise Forged from None

    async def open_all(self, rows: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
        return [self.open_now(sealed, about) for sealed, about in rows]


class NativeCrypto:
    """The crypto port."""

    async def pin_verifier(self, pin: str, salt: bytes, rounds: int) -> bytes:
        """PBKDF2-HMAC-SHA256, 32 bytes."""
        return await asyncio.to_thread(hashlib.pbkdf2_hmac, "sha256", pin.encode("utf-8"), salt, rounds, 32)

    def sha256(self, data: bytes) -> str:
        """The SHA-256 in hex."""
        return hashlib.sha256(data).hexdigest()

    async def cipher(self, key: bytes) -> NativeCipher:
        return NativeCipher(key)

    async def new_pair(self) -> tuple[bytes, bytes]:
        private = ec.generate_private_key(ec.SECP256R1())
        return (private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()),
                private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    async def agree(self, private: bytes, public: bytes) -> bytes:
        try:
            other = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
            own = load_der_private_key(private, None)
            assert isinstance(own, ec.EllipticCurvePrivateKey)
            return own.exchange(ec.ECDH(), other)
        except ValueError:
            raise Forged from None
