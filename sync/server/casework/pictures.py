"""Looks at the first bytes of a file to say what it is, without ever unpacking a picture.

A picture is judged by its header alone: a small file may claim to be enormous, and unpacking it would be the harm.
"""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from typing import BinaryIO

from PIL import Image

from sync.records.problems import Problem
from sync.records.protocol import MAX_PIXELS

# Pillow warns above this count and refuses above twice as many; in between the decision is ours, without a warning.
Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)

# Several pictures in one JPEG file ("MPO", what many phones write) are opened as JPEG and named by what they are.
_MEDIA = {"JPEG": "image/jpeg", "MPO": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
_OPENED = ("JPEG", "PNG", "WEBP")
Image.init()
_HEIF_BRANDS = {b"heic", b"heix", b"hevc", b"hevx", b"mif1", b"msf1", b"heim", b"heis", b"avif"}
_HEAD = 256 * 1024


@dataclass(frozen=True, slots=True)
class Picture:
    """What a header says: media type, width and height in pixels."""

    media: str
    width: int
    height: int


def look_at(file: BinaryIO) -> Picture:
    """What the picture in ``file`` is. Raises Problem "evidence-not-an-image", "evidence-too-many-pixels"."""
    head = file.read(_HEAD)
    file.seek(0)
    try:
        found = _heif(head) or _by_pillow(file)
    except Image.DecompressionBombError as err:
        raise Problem("evidence-too-many-pixels", f"more than {2 * MAX_PIXELS} pixels") from err
    except Exception as err:  # what a decoder raises for a broken header is anybody's guess
        raise Problem("evidence-not-an-image", "no header of a picture that we know") from err
    if found.width < 1 or found.height < 1:
        raise Problem("evidence-not-an-image", "a picture without size")
    if found.width * found.height > MAX_PIXELS:
        raise Problem("evidence-too-many-pixels",
                      f"{found.width} x {found.height} pixels; at most {MAX_PIXELS} are taken")
    return found


def _by_pillow(file: BinaryIO) -> Picture:
    with Image.open(file, formats=_OPENED) as image:  # reads the header only
        return Picture(_MEDIA[image.format or ""], *image.size)


def _heif(head: bytes) -> Picture | None:
    """The largest size in an HEIF or AVIF header (what an iPad's own camera writes), None for another format."""
    if head[4:8] != b"ftyp" or head[8:12] not in _HEIF_BRANDS:
        return None
    sizes = []
    at = head.find(b"ispe")
    while at != -1 and at + 16 <= len(head):
        sizes.append(struct.unpack(">II", head[at + 8 : at + 16]))
        at = head.find(b"ispe", at + 4)
    if not sizes:
        return None
    width, height = max(sizes, key=lambda size: size[0] * size[1])
    return Picture("image/avif" if head[8:12] == b"avif" else "image/heic", width, height)
