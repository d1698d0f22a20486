"""Small copies of photos for pages and papers: made when asked for, kept in memory, never stored as evidence.

The original is not touched. Memory is bounded twice: a photo is scaled while it is decoded, and at most
`KEPT` previews stay. What Pillow cannot decode (a tablet may send HEIC) has no preview; the original still opens.
"""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from io import BytesIO

from PIL import Image, ImageOps

from sync.records.protocol import MAX_PIXELS
from sync.server.blobs import Blobs

EDGE = 640
KEPT = 400
# What Pillow cannot scale while decoding (PNG, WebP) is unpacked whole: three bytes a pixel, so a lower limit.
UNPACKED_PIXELS = 40_000_000

# Pillow warns above this count and refuses above twice as many; in between the decision is ours, without a warning.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

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
    try:
        # The JPEG reader opens MPO too (two pictures in one file, as some cameras write).
        with Image.open(BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as image:
            pixels = image.width * image.height
            if pixels > MAX_PIXELS or (image.format not in ("JPEG", "MPO") and pixels > UNPACKED_PIXELS):
                return None
            image.draft("RGB", (EDGE * 2, EDGE * 2))
            small = ImageOps.exif_transpose(image).convert("RGB")
            small.thumbnail((EDGE, EDGE))
            out = BytesIO()
            small.save(out, "JPEG", quality=80)
            return out.getvalue()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
