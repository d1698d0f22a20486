"""Pictures with Pillow, in a native process. Decoding happens in a thread, a JPEG is decoded already scaled down.

Invariant: memory is bounded. The size is read from the header first (100 megapixels at most), and `draft()` lets
the JPEG decoder skip the detail that a thumbnail does not show: a 100-megapixel photo needs some megabytes.
"""

import asyncio
import io
import warnings
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont, UnidentifiedImageError

from field_app.hardware.picture import size_of
from field_app.photos.exif import read_exif
from field_app.photos.stamp import SHADE, letters, plan
from sync.records.pictures import eight_bits
from sync.records.problems import Problem
from sync.where import assets

FORMATS = ("JPEG", "PNG", "WEBP")
DAMAGED = "The picture is damaged: it cannot be decoded."
TURNED = (5, 6, 7, 8)  # EXIF orientations that swap width and height
# What makes each of them upright; our own reader says which it is, because it raises on no bytes whatever.
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class PillowImages:
    """The images port on Pillow."""

    async def dimensions(self, data: bytes) -> tuple[int, int]:
        """Width and height, upright. Raises Problem."""
        size_of(data)
        return await asyncio.to_thread(_dimensions, data)

    async def thumbnail(self, data: bytes, longest: int, *, stay: bool = False, stamp: Sequence[str] = ()) -> bytes:
        """A JPEG of at most `longest` pixels on its longer side, upright, with `stamp` along its lower edge. Raises
        Problem."""
        size_of(data)
        return await asyncio.to_thread(_thumbnail, data, longest, tuple(stamp))

    async def grey(self, data: bytes, longest: int) -> tuple[int, int, bytes]:
        """Width, height and one byte a pixel, the longer side at most `longest`. Raises Problem."""
        size_of(data)
        return await asyncio.to_thread(_grey, data, longest)


def _open(data: bytes) -> Image.Image:
    try:
        with warnings.catch_warnings():
            # Pillow warns from 89 megapixels on, and of EXIF that is broken; both are looked at by code of our own.
            warnings.simplefilter("ignore")
            return Image.open(io.BytesIO(data), formats=FORMATS)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise Problem("evidence-not-an-image", "The file cannot be read as a picture.") from error


def _dimensions(data: bytes) -> tuple[int, int]:
    with _open(data) as image:
        width, height = image.size
        return (height, width) if read_exif(data).orientation in TURNED else (width, height)


def _thumbnail(data: bytes, longest: int, stamp: tuple[str, ...] = ()) -> bytes:
    with _open(data) as image:
        try:
            image.draft("RGB", (longest, longest))
            image = eight_bits(image)
            image.thumbnail((longest, longest), Image.Resampling.BICUBIC, reducing_gap=2.0)
            turn = UPRIGHT.get(read_exif(data).orientation)
            upright = (image.transpose(turn) if turn is not None else image).convert("RGB")
        except (OSError, ValueError, SyntaxError) as error:  # cut off, or damaged in the middle
            raise Problem("evidence-not-an-image", DAMAGED) from error
    if stamp:
        _print(upright, stamp)
    out = io.BytesIO()
    # Pillow would carry the original's comment over, which may be as long as the picture.
    upright.save(out, "JPEG", quality=80, optimize=True, comment=b"")
    return out.getvalue()


def _print(picture: Image.Image, stamp: tuple[str, ...]) -> None:
    """The stamp on a small picture, in place."""
    size = letters(*picture.size)
    font = ImageFont.truetype(str(assets() / "fonts" / "IBMPlexSans-Bold.ttf"), size)
    where = plan(*picture.size, stamp, font.getlength)
    band = (where.left, where.top, where.left + where.width, where.top + where.height)
    picture.paste(picture.crop(band).point(lambda light: int(light * SHADE)), band[:2])
    pen = ImageDraw.Draw(picture)
    for at, line in enumerate(where.lines):
        place = (where.left + where.pad, where.top + where.pad // 2 + at * where.step + size)
        pen.text(place, line, font=font, fill="white", anchor="ls")


def _grey(data: bytes, longest: int) -> tuple[int, int, bytes]:
    with _open(data) as image:
        try:
            image.draft("L", (longest, longest))
            image = eight_bits(image)
            image.thumbnail((longest, longest), Image.Resampling.BICUBIC, reducing_gap=2.0)
            plain = image.convert("L")
        except (OSError, ValueError, SyntaxError) as error:
            raise Problem("evidence-not-an-image", DAMAGED) from error
    return (*plain.size, plain.tobytes())
