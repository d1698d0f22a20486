"""Reads the size of a picture from its first bytes, without decoding it. Pure.

The pixel limit is decided here, before any decoder sees the bytes: a small file can claim a huge picture.
"""

from sync.records.problems import Problem

MAX_PIXELS = 100_000_000
"""100 megapixels are taken; the next pixel is refused."""

_SOF = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}


def size_of(data: bytes) -> tuple[str, int, int]:
    """(media type, width, height) of a JPEG, PNG or WebP as stored (before EXIF orientation).

    Raises Problem "evidence-not-an-image" or "evidence-too-many-pixels".
    """
    found = _jpeg(data) or _png(data) or _webp(data)
    if not found or found[1] < 1 or found[2] < 1:
        raise Problem("evidence-not-an-image", "The file is not a JPEG, PNG or WebP picture.")
    media, width, height = found
    if width * height > MAX_PIXELS:
        raise Problem(
            "evidence-too-many-pixels",
            f"The picture has {width} x {height} pixels; {MAX_PIXELS // 1_000_000} megapixels are the limit.",
        )
    return media, width, height


def _jpeg(data: bytes) -> tuple[str, int, int] | None:
    if data[:3] != b"\xff\xd8\xff":
        return None
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif marker in _SOF:
            return "image/jpeg", int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        elif marker == 0xDA:  # pixels begin, and no size was named before
            return None
        elif 0xD0 <= marker <= 0xD8 or marker == 0x01:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return None


def _png(data: bytes) -> tuple[str, int, int] | None:
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR":
        return None
    return "image/png", int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def _webp(data: bytes) -> tuple[str, int, int] | None:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    kind = data[12:16]
    if kind == b"VP8 ":
        width, height = int.from_bytes(data[26:28], "little"), int.from_bytes(data[28:30], "little")
        return "image/webp", width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return "image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return "image/webp", int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None
