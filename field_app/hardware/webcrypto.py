"""The PIN's slow hash in the browser: WebCrypto, because Pyodide's hashlib has no pbkdf2_hmac."""

import hashlib

import js
from pyodide.ffi import to_js


class WebCrypto:
    """The crypto port on crypto.subtle."""

    async def pin_verifier(self, pin: str, salt: bytes, rounds: int) -> bytes:
        """PBKDF2-HMAC-SHA256, 32 bytes."""
        subtle = js.crypto.subtle
        key = await subtle.importKey("raw", to_js(pin.encode("utf-8")), "PBKDF2", False, to_js(["deriveBits"]))
        how = to_js(
            {"name": "PBKDF2", "hash": "SHA-256", "salt": salt, "iterations": rounds},
            dict_converter=js.Object.fromEntries,
        )
        return (await subtle.deriveBits(how, key, 256)).to_bytes()

    def sha256(self, data: bytes) -> str:
        """The SHA-256 in hex."""
        return hashlib.sha256(data).hexdigest()
