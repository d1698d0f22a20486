"""Photos as large as a camera makes them, made cheaply: one JPEG, and others that differ in some bytes of a comment.

The pixels are plain, so that making and decoding one takes little time; comments make the file as long as a real one.
"""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image

_COMMENT = 60_000


@lru_cache(maxsize=2)
def large_jpeg(width: int, height: int, size: int) -> bytes:
    """A JPEG of so many pixels and at least ``size`` bytes."""
    out = io.BytesIO()
    image = Image.new("RGB", (64, 64), "#7a6a55")
    image.paste("#b0bec5", (0, 0, 64, 28))
    image.resize((width, height), Image.Resampling.NEAREST).save(out, "JPEG", quality=50)
    plain = out.getvalue()
    count = max(1, (size - len(plain)) // (_COMMENT + 2))
    comment = b"\xff\xfe" + _COMMENT.to_bytes(2, "big") + bytes(range(256)) * (_COMMENT // 256)
    comment = comment[:4] + (comment[4:] + bytes(_COMMENT))[: _COMMENT - 2]
    return plain[:2] + comment * count + plain[2:]


def another(photo: bytes, number: int) -> bytes:
    """The same picture in other bytes."""
    made = bytearray(photo)
    made[6:10] = number.to_bytes(4, "big")
    return bytes(made)
