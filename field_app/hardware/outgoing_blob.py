"""A large file made in the browser: a list of parts that only the browser holds, then one download.

Our own bytes go to JavaScript as they are written; files of the private file system are taken by reference. So the WASM
memory, which never shrinks, holds one small piece at a time.
"""

from __future__ import annotations

from typing import Any

import js
from pyodide.ffi import to_js

from field_app.hardware.page_port import PagePort

GATHERED = 256 * 1024


class BlobOutgoing:
    """The outgoing port on Blob parts."""

    def __init__(self, port: PagePort, name: str, media: str) -> None:
        self._port, self._name, self._media = port, name, media
        self._parts = js.Array.new()
        self._gathered = bytearray()

    async def write(self, data: bytes) -> None:
        """Adds bytes; small ones are gathered, so that there are few parts."""
        self._gathered += data
        if len(self._gathered) >= GATHERED:
            self._flush()

    async def add(self, body: Any) -> None:
        """Adds a JS File, by reference; of a sealed one its plain bytes, which the browser holds."""
        self._flush()
        self._parts.push(await body.plain() if hasattr(body, "plain") else body)

    def _flush(self) -> None:
        if self._gathered:
            self._parts.push(js.Blob.new(to_js([to_js(bytes(self._gathered))])))
            self._gathered.clear()

    async def save(self) -> bool:
        """A download by the page beside us, which alone may start one."""
        self._flush()
        blob = js.Blob.new(self._parts, to_js({"type": self._media}, dict_converter=js.Object.fromEntries))
        answer = await self._port.ask("save-file", wait=60.0, name=self._name, media=self._media, bytes=blob)
        return bool(answer.get("saved"))

    async def drop(self) -> None:
        """Nothing is left once the parts are forgotten."""
        self._parts = js.Array.new()
        self._gathered.clear()
