"""Small upright JPEGs of photos, for pages, papers and tablets. The original is not touched, memory is bounded."""

from __future__ import annotations

import warnings
from io import BytesIO

from pi_heif import register_heif_opener
from PIL import Image, ImageOps

from sync.records.protocol import MAX_PIXELS

# What Pillow cannot scale while decoding (PNG, WebP, HEIC) is unpacked whole: three bytes a pixel, so a lower limit.
UNPACKED_PIXELS = 40_000_000

# Pillow warns above this count and refuses above twice as many; in between the decision is ours, without a warning.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)
# HEIC, as iPads take it. Of such a file the main picture alone is looked at, in this thread.
register_heif_opener(thumbnails=False, depth_images=False, aux_images=False, decode_threads=1)


def small_jpeg(data: bytes, edge: int, quality: int = 80) -> bytes | None:
    """A JPEG at most ``edge`` pixels long; None when the bytes cannot or should not be decoded."""
    try:
        # The JPEG reader opens MPO too (two pictures in one file, as some cameras write).
        with Image.open(BytesIO(data), formats=("JPEG", "PNG", "WEBP", "HEIF")) as image:
            pixels = image.width * image.height
            if pixels > MAX_PIXELS or (image.format not in ("JPEG", "MPO") and pixels > UNPACKED_PIXELS):
                return None
            image.draft("RGB", (edge * 2, edge * 2))
            small = ImageOps.exif_transpose(image).convert("RGB")
            small.thumbnail((edge, edge))
            out = BytesIO()
            small.save(out, "JPEG", quality=quality)
            return out.getvalue()
    except (OSError, ValueError, SyntaxError, RuntimeError, EOFError, Image.DecompressionBombError):
        return None
