"""What Chromium's fake camera sees: a file of JPEGs one after the other, opened anew each time the camera is opened.

So a test may change between two openings what stands before the camera.
"""

import io
import os
from pathlib import Path

from PIL import Image, ImageDraw

SIZE = (320, 240)
FRAMES = 900  # half a minute: two shots of one opening never show the same picture


def moving(film: Path) -> None:
    """Pictures that are all different."""
    frames = []
    for number in range(FRAMES):
        picture = Image.new("RGB", SIZE, "#8a6d4b")
        draw = ImageDraw.Draw(picture)
        for bit in range(10):
            if number >> bit & 1:
                draw.rectangle((10 + 30 * bit, 100, 30 + 30 * bit, 140), fill="#f0f0f0")
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=50)
        frames.append(out.getvalue())
    _put(film, b"".join(frames))


def standing(film: Path, jpeg: bytes) -> None:
    """One picture of `SIZE`."""
    _put(film, jpeg * 3)


def _put(film: Path, data: bytes) -> None:
    fresh = film.with_suffix(".new")
    fresh.write_bytes(data)
    os.replace(fresh, film)
