"""Bytes that lie in the browser's memory and not in Python's: a photo there is looked at through a small window.

Python's memory in the browser never shrinks, so a photo that passed through it would leave its room behind. What reads
`len(data)`, `data[5]` and `data[5:9]` reads an `Outside` like bytes; hashing, sealing, storing and decoding take its
array, and never does more of it than asked for (at least `WINDOW`) come in. Where Python runs natively there is none.
"""

from __future__ import annotations

from typing import Any

WINDOW = 64 * 1024


class Outside:
    """A Uint8Array of the browser (``array``), read like the bytes it holds."""

    __slots__ = ("_at", "_length", "_seen", "array")

    def __init__(self, array: Any) -> None:
        self.array = array
        self._length = int(array.byteLength)
        self._at, self._seen = 0, b""

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            first, end, step = place.indices(self._length)
            if step != 1:
                raise ValueError("bytes outside are read one after the other")
            return self._read(first, end)
        at = place + self._length if place < 0 else place
        if not 0 <= at < self._length:
            raise IndexError("there are no such bytes outside")
        return self._read(at, at + 1)[0]

    def __bytes__(self) -> bytes:
        """All of it, in Python's memory."""
        return self.array.to_bytes()

    def _read(self, first: int, end: int) -> bytes:
        if first >= end:
            return b""
        if not (self._at <= first and end <= self._at + len(self._seen)):
            self._at = first
            self._seen = self.array.subarray(first, min(self._length, max(end, first + WINDOW))).to_bytes()
        return self._seen[first - self._at : end - self._at]


async def outside(blob: Any) -> Outside:
    """The bytes of a Blob or File of the browser, as they are now, held there."""
    import js

    return Outside(js.Uint8Array.new(await blob.arrayBuffer()))
