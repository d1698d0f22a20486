"""Small copies of photos for pages and papers: made when asked for, kept in memory, never stored as evidence.

The original is not touched. Memory is bounded twice: a photo is scaled while it is decoded, and at most
`KEPT` previews stay. What cannot be decoded here has no preview; the original still opens.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from sync.server.blobs import Blobs
from sync.server.small_pictures import UNPACKED_PIXELS, small_jpeg

__all__ = ["EDGE", "UNPACKED_PIXELS", "make_preview", "preview"]

EDGE = 640
KEPT = 400

_kept: OrderedDict[str, bytes | None] = OrderedDict()
_lock = threading.Lock()


def preview(blobs: Blobs, sha256: str) -> bytes | None:
    """A JPEG at most `EDGE` pixels long, upright; None when the file is no picture that can be decoded.

    Raises KeyError when the file is not held.
    """
    with _lock:
        if sha256 in _kept:
            _kept.move_to_end(sha256)
            return _kept[sha256]
        # One at a time: two large photos decoded at once would double the memory for nothing.
        made = make_preview(blobs.read(sha256))
        _kept[sha256] = made
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
        return made


def make_preview(data: bytes) -> bytes | None:
    """A small upright JPEG of a picture's bytes; None when they cannot or should not be decoded."""
    return small_jpeg(data, EDGE)
