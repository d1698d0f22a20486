"""The PIN's slow hash in a native process."""

import asyncio
import hashlib


class NativeCrypto:
    """The crypto port on hashlib (OpenSSL), in a thread so that the screen goes on."""

    async def pin_verifier(self, pin: str, salt: bytes, rounds: int) -> bytes:
        """PBKDF2-HMAC-SHA256, 32 bytes."""
        return await asyncio.to_thread(hashlib.pbkdf2_hmac, "sha256", pin.encode("utf-8"), salt, rounds, 32)

    def sha256(self, data: bytes) -> str:
        """The SHA-256 in hex."""
        return hashlib.sha256(data).hexdigest()
