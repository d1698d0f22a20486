"""The ciphers of the browser: WebCrypto, because Pyodide has neither pbkdf2_hmac nor `cryptography`.

Keys are imported once as CryptoKeys that cannot be read back out. Opening many waits for one JavaScript promise, so
that a start does not wait for each frame in turn. Nothing here makes JavaScript of text: the content policy forbids it.
"""

import hashlib
import os
from collections.abc import Sequence

import js
from pyodide.ffi import JsException, to_js

from field_app.store.ciphers import NONCE_BYTES, Forged


def _options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)


class WebCipher:
    """AES-256-GCM under one key; see `field_app.store.ciphers`."""

    def __init__(self, key) -> None:
        self.key = key

    async def seal(self, data: bytes, about: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        how = _options(name="AES-GCM", iv=nonce, additionalData=about)
        sealed = await js.crypto.subtle.encrypt(how, self.key, to_js(data))
        return nonce + sealed.to_bytes()

    async def open(self, sealed: bytes, about: bytes) -> bytes:
        (data,) = await self.open_all([(sealed, about)])
        return data

    async def open_all(self, rows: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
        subtle = js.crypto.subtle
        begun = [
            subtle.decrypt(_options(name="AES-GCM", iv=sealed[:NONCE_BYTES], additionalData=about), self.key,
                           to_js(sealed[NONCE_BYTES:]))
            for sealed, about in rows
        ]
        try:
            return [data.to_bytes() for data in await js.Promise.all(to_js(begun))]
        except JsException:
            raise Forged from None


class WebCrypto:
    """The crypto port on crypto.subtle."""

    async def pin_verifier(self, pin: str, salt: bytes, rounds: int) -> bytes:
        """PBKDF2-HMAC-SHA256, 32 bytes."""
        subtle = js.crypto.subtle
        key = await subtle.importKey("raw", to_js(pin.encode("utf-8")), "PBKDF2", False, to_js(["deriveBits"]))
        how = _options(name="PBKDF2", hash="SHA-256", salt=salt, iterations=rounds)
        return (await subtle.deriveBits(how, key, 256)).to_bytes()

    def sha256(self, data: bytes) -> str:
        """The SHA-256 in hex."""
        return hashlib.sha256(data).hexdigest()

    async def cipher(self, key: bytes) -> WebCipher:
        held = await js.crypto.subtle.importKey("raw", to_js(key), "AES-GCM", False, to_js(["encrypt", "decrypt"]))
        return WebCipher(held)

    async def new_pair(self) -> tuple[bytes, bytes]:
        subtle = js.crypto.subtle
        pair = await subtle.generateKey(_options(name="ECDH", namedCurve="P-256"), True, to_js(["deriveBits"]))
        return ((await subtle.exportKey("pkcs8", pair.privateKey)).to_bytes(),
                (await subtle.exportKey("raw", pair.publicKey)).to_bytes())

    async def agree(self, private: bytes, public: bytes) -> bytes:
        subtle, curve = js.crypto.subtle, _options(name="ECDH", namedCurve="P-256")
        try:
            own = await subtle.importKey("pkcs8", to_js(private), curve, False, to_js(["deriveBits"]))
            other = await subtle.importKey("raw", to_js(public), curve, False, to_js([]))
            how = _options(name="ECDH", public=other)
            return (await subtle.deriveBits(how, own, 256)).to_bytes()
        except JsException:
            raise Forged from None
