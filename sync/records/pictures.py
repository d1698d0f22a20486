"""Whether some bytes are a picture we know, how large it says it is, and whether its end is there.

Pure and safe on hostile input: every loop moves forward, every length is checked against what is there, nothing is
decoded, and a file that falls into more pieces than any camera makes is none that we know. JPEG, PNG, WebP, HEIC and
AVIF are pictures. ``data`` may be anything that has a length and gives bytes for a slice (a memory map, bytes that a
browser holds), so that a large file is never read as a whole.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_HEIF_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
_AVIF_BRANDS = {b"avif", b"avis"}
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
_STEP = 64 * 1024
MOST_PIECES = 50_000
"""Segments, chunks, boxes of one file that are looked at: a PNG of 64 MB in chunks of 4 kB has a third of that."""
MOST_DEEP = 8
"""Boxes inside boxes: what we look for lies two or three deep, and nobody but a prankster goes on and on."""
_START_OF_FRAME = {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}


class Work:
    """How many pieces of one file may still be looked at. ``spent``: it has more than that."""

    __slots__ = ("_left",)

    def __init__(self, most: int = MOST_PIECES) -> None:
        self._left = most

    def step(self) -> bool:
        """One more piece; False: no more."""
        self._left -= 1
        return self._left >= 0

    @property
    def spent(self) -> bool:
        return self._left < 0


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's media type, its size in pixels as stored (before EXIF rotation; 0 when the header does not
    tell) and whether its end is there."""

    media: str
    width: int
    height: int
    whole: bool


def look(data: bytes) -> Picture | None:
    """The picture that these bytes are, or None when they are no picture we know."""
    work = Work()
    found = _look(data, work)
    return None if work.spent else found


def _look(data: bytes, work: Work) -> Picture | None:
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data, work)
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return _png(data, work)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data, work)
    if data[4:8] == b"ftyp":
        return _heif(data, work)
    return None


def jpeg_segments(data: bytes, work: Work | None = None) -> Iterator[tuple[int, int, int]]:
    """(marker, start, end) of each JPEG segment's content before and between the scans; for the end of the
    image (0xD9) an empty one. Stops where the file stops making sense."""
    at, work = 2, work or Work()
    while work.step() and (start := _after_marker(data, at)) is not None:
        marker = data[start - 1]
        if marker == 0xD9:
            yield marker, start, start
            return
        if marker in (0x01, 0xD8):
            at = start
            continue
        length = int.from_bytes(data[start : start + 2], "big")
        if length < 2 or start + length > len(data):
            return
        yield marker, start + 2, start + length
        at = start + length


def _after_marker(data: bytes, at: int) -> int | None:
    """Where the next marker from there on ends; looked for piece by piece, the first of them small: most are near."""
    step = 64
    while at + 1 < len(data):
        if match := _JPEG_MARKER.search(data[at : at + step]):
            return at + match.end()
        at += step - 1  # the next one may lie across the edge
        step = min(2 * step, _STEP)
    return None


def _jpeg(data: bytes, work: Work) -> Picture:
    width = height = 0
    scanned = whole = False
    for marker, start, end in jpeg_segments(data, work):
        if marker in _START_OF_FRAME and end - start >= 5:
            height = int.from_bytes(data[start + 1 : start + 3], "big")
            width = int.from_bytes(data[start + 3 : start + 5], "big")
        scanned = scanned or marker == 0xDA
        whole = marker == 0xD9 and scanned
    return Picture("image/jpeg", width, height, whole)


def png_chunks(data: bytes, work: Work | None = None) -> Iterator[tuple[bytes, int, int]]:
    """(type, start, end) of each whole PNG chunk's content."""
    at, work = 8, work or Work()
    while at + 12 <= len(data) and work.step():
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if end + 4 > len(data):
            return
        yield data[at + 4 : at + 8], at + 8, end
        at = end + 4


def _png(data: bytes, work: Work) -> Picture:
    width = height = 0
    whole = False
    for kind, start, end in png_chunks(data, work):
        if kind == b"IHDR" and end - start >= 8:
            width = int.from_bytes(data[start : start + 4], "big")
            height = int.from_bytes(data[start + 4 : start + 8], "big")
        if kind == b"IEND":
            whole = True
            break
    return Picture("image/png", width, height, whole)


def webp_chunks(data: bytes, work: Work | None = None) -> Iterator[tuple[bytes, int, int]]:
    """(type, start, end) of each whole RIFF chunk's content."""
    at, work = 12, work or Work()
    while at + 8 <= len(data) and work.step():
        end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        if end > len(data):
            return
        yield data[at : at + 4], at + 8, end
        at = end + (end & 1)


def _webp(data: bytes, work: Work) -> Picture:
    width = height = 0
    for kind, at, end in webp_chunks(data, work):
        if kind == b"VP8X" and end - at >= 10:
            width = 1 + int.from_bytes(data[at + 4 : at + 7], "little")
            height = 1 + int.from_bytes(data[at + 7 : at + 10], "little")
        elif kind == b"VP8L" and not width and end - at >= 5:
            bits = int.from_bytes(data[at + 1 : at + 5], "little")
            width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        elif kind == b"VP8 " and not width and end - at >= 10:
            width = int.from_bytes(data[at + 6 : at + 8], "little") & 0x3FFF
            height = int.from_bytes(data[at + 8 : at + 10], "little") & 0x3FFF
    whole = len(data) >= 8 + int.from_bytes(data[4:8], "little") and len(data) > 20
    return Picture("image/webp", width, height, whole)


def boxes(data: bytes, at: int, end: int, work: Work | None = None) -> Iterator[tuple[bytes, int, int]]:
    """(type, start, end) of the content of each ISO media box between two bytes, as far as they are whole."""
    work = work or Work()
    while at + 8 <= end and work.step():
        size, start = int.from_bytes(data[at : at + 4], "big"), at + 8
        if size == 1:
            size, start = int.from_bytes(data[at + 8 : at + 16], "big"), at + 16
        stop = end if size == 0 else at + size
        if stop < start or stop > end:
            return
        yield data[at + 4 : at + 8], start, stop
        at = stop


def _heif(data: bytes, work: Work) -> Picture | None:
    size = int.from_bytes(data[:4], "big")
    brands = {data[8:12], *(data[i : i + 4] for i in range(16, min(size, len(data), 256), 4))}
    if data[8:12] in _AVIF_BRANDS or brands & _AVIF_BRANDS:
        media = "image/avif"
    elif brands & _HEIF_BRANDS:
        media = "image/heic"
    else:
        return None
    width = height = last = 0
    found = set()
    for kind, start, end in boxes(data, 0, len(data), work):
        last = end
        found.add(kind)
        if kind == b"meta":
            width, height = _largest(data, start + 4, end, work)
    # Phones append things of their own; what stands there must only not be the rest of the picture, cut off.
    cut = data[last + 4 : last + 8] in (b"mdat", b"meta", b"moov")
    return Picture(media, width, height, {b"mdat", b"meta"} <= found and not cut)


def _largest(data: bytes, at: int, end: int, work: Work, deep: int = 0) -> tuple[int, int]:
    """The largest image size among a meta box's properties: the picture itself, not its tiles or previews."""
    best = (0, 0)
    for kind, start, stop in boxes(data, at, end, work):
        if kind in (b"iprp", b"ipco") and deep < MOST_DEEP:
            best = max(best, _largest(data, start, stop, work, deep + 1), key=lambda size: size[0] * size[1])
        elif kind == b"ispe" and stop - start >= 12:
            size = (int.from_bytes(data[start + 4 : start + 8], "big"),
                    int.from_bytes(data[start + 8 : start + 12], "big"))
            best = max(best, size, key=lambda size: size[0] * size[1])
    return best


def eight_bits(image: Any) -> Any:
    """A Pillow picture of 16 bits of grey with the upper 8 of them; any other as it is. Pillow by itself clips: what is
    not nearly black would be white."""
    if image.mode != "I" and not image.mode.startswith("I;16"):
        return image
    return image.convert("I").point(lambda grey: grey * (1 / 257)).convert("L")
