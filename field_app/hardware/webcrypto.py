"""The ciphers of the browser: WebCrypto, because Pyodide has neither pbkdf2_hmac nor `cryptography`.

Keys are imported once as CryptoKeys that cannot be read back out. Opening many goes through one JavaScript promise, so
that a start does not wait for each frame in turn.
"""

import hashlib
import os
from collections.abc import Sequence

import js
from pyodide.code import run_js
from pyodide.ffi import JsException, to_js

from field_app.store.ciphers import NONCE_BYTES, Forged

# (key, sealed bytes of all rows in one array, their ends, the same for what they are about) -> all contents in one
# array and their ends: two crossings of the border instead of several per row.
_OPEN_ALL = """
async (key, sealed, ends, about, aboutEnds) => {
  const rows = [];
  let from = 0, aboutFrom = 0;
  for (let n = 0; n < ends.length; n++) {
    const row = sealed.subarray(from, ends[n]), what = about.subarray(aboutFrom, aboutEnds[n]);
    from = ends[n]; aboutFrom = aboutEnds[n];
    rows.push(crypto.subtle.decrypt(
      {name: "AES-GCM", iv: row.subarray(0, 12), additionalData: what}, key, row.subarray(12)));
  }
  const opened = await Promise.all(rows);
  const all = new Uint8Array(opened.reduce((sum, one) => sum + one.byteLength, 0));
  const found = [];
  let at = 0;
  for (const one of opened) { all.set(new Uint8Array(one), at); at += one.byteLength; found.push(at); }
  return [all, found];
}
"""


def _options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)


class WebCipher:
    """AES-256-GCM under one key; see `field_app.store.ciphers`."""

    def __init__(self, key, open_all) -> None:
        self.key = key
        self._open_all = open_all

    async def seal(self, data: bytes, about: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        how = _options(name="AES-GCM", iv=nonce, additionalData=about)
        sealed = await js.crypto.subtle.encrypt(how, self.key, to_js(data))
        return nonce + sealed.to_bytes()

    async def open(self, sealed: bytes, about: bytes) -> bytes:
        how = _options(name="AES-GCM", iv=sealed[:NONCE_BYTES], additionalData=about)
        try:
            return (await js.crypto.subtle.decrypt(how, self.key, to_js(sealed[NONCE_BYTES:]))).to_bytes()
        except JsException:
            raise Forged from None

    async def open_all(self, rows: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
        if not rows:
            return []
        try:
            all_, ends = await self._open_all(
                self.key,
                to_js(b"".join(sealed for sealed, _ in rows)), to_js(_ends(sealed for sealed, _ in rows)),
                to_js(b"".join(about for _, about in rows)), to_js(_ends(about for _, about in rows)),
            )  # fmt: skip
        except JsException:
            raise Forged from None
        data, at, found = all_.to_bytes(), 0, []
        for end in ends.to_py():
            found.append(data[at:end])
            at = end
        return found


def _ends(rows) -> list[int]:
    found, at = [], 0
    for row in rows:
        at += len(row)
        found.append(at)
    return found


class WebCrypto:
    """The crypto port on crypto.subtle."""

    def __init__(self) -> None:
        self._open_all = run_js(_OPEN_ALL)

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
        return WebCipher(held, self._open_all)

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
