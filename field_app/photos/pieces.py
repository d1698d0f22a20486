"""Reads what an evidence box gives as the body of an upload, piece by piece, on both kinds of tablet.

Natively that is an open file, in the browser a JS File or a sealed body whose slices are read one after the other: at
no time is more than one piece in the memory of Python.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

PIECE = 1024 * 1024


async def pieces(body: Any, size: int = PIECE) -> AsyncIterator[bytes]:
    """The bytes of `body`; a native file is closed in the end."""
    if isinstance(body, bytes | bytearray | memoryview):
        yield bytes(body)
    elif hasattr(body, "read"):
        try:
            while piece := await asyncio.to_thread(body.read, size):
                yield piece
        finally:
            body.close()
    elif hasattr(body, "plain"):
        for at in range(0, body.size, size):
            yield (await (await body.plain(at, at + size)).arrayBuffer()).to_bytes()
    else:
        for at in range(0, body.size, size):
            yield (await body.slice(at, at + size).arrayBuffer()).to_bytes()
