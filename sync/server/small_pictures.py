"""Small upright JPEGs of photos, for pages, papers and tablets. The original is not touched, memory is bounded."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageOps

from sync.records.pictures import eight_bits
from sync.records.protocol import MAX_PIXELS
from sync.server.heic_pictures import small_jpeg_of_heic

# What Pillow cannot scale while decoding (PNG, WebP, HEIC) is unpacked whole: three bytes a pixel, so a lower limit.
UNPACKED_PIXELS = 40_000_000

# Pillow warns above this count and refuses above twice as many; in between the decision is ours, without a warning.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


def small_jpeg(data: bytes, edge: int, quality: int = 80) -> bytes | None:
    """A JPEG at most ``edge`` pixels long; None when the bytes cannot or should not be decoded."""
    if data[4:8] == b"ftyp":  # HEIC, as iPads take it
        return small_jpeg_of_heic(data, edge, quality)
    return shrunk(data, edge, quality, ("JPEG", "PNG", "WEBP"))


def shrunk(data: bytes, edge: int, quality: int, formats: tuple[str, ...]) -> bytes | None:
    """The same, of a picture in one of Pillow's ``formats``, decoded in this process."""
    try:
        # The JPEG reader opens MPO too (two pictures in one file, as some cameras write).
        with Image.open(BytesIO(data), formats=formats) as image:
            pixels = image.width * image.height
            if pixels > MAX_PIXELS or (image.format not in ("JPEG", "MPO") and pixels > UNPACKED_PIXELS):
                return None
            image.draft("RGB", (edge * 2, edge * 2))
            small = eight_bits(ImageOps.exif_transpose(image)).convert("RGB")
            small.thumbnail((edge, edge))
            out = BytesIO()
            small.save(out, "JPEG", quality=quality)
            return out.getvalue()
    except (OSError, ValueError, SyntaxError, RuntimeError, EOFError, Image.DecompressionBombError):
        return None
