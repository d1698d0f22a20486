"""What a photo's EXIF says: when, where, and which way up. Read only; nothing here ever writes a photo.

Pure, in whole numbers (microdegrees, centimetres), and safe on hostile input: directories are visited once,
entries are limited, every offset is checked, and what makes no sense is left out instead of failing. ``data`` is read
by slices alone, so it may be an `Outside`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sync.records.pictures import boxes, jpeg_segments, png_chunks, webp_chunks

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8}
YEARS = (1980, 2099)
"""No camera's clock shows another."""
_MOST_ENTRIES = 300
_MOST_BYTES = 4096
"""No value we read is longer; a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Exif:
    """What was found; a field is None where the photo says nothing or nonsense.

    ``taken`` is the camera's wall time ``2026-08-27T14:03:22``, with ``offset`` (``-05:00``) where the camera
    wrote one. ``orientation`` is 1 to 8 as in the EXIF standard, 1 when absent. ``fixed_at`` is the time of
    the position in UTC. A camera's clock may be wrong: these are claims of the photo, not facts.
    """

    taken: str | None = None
    offset: str | None = None
    orientation: int = 1
    lat_udeg: int | None = None
    lon_udeg: int | None = None
    accuracy_cm: int | None = None
    fixed_at: str | None = None
    make: str | None = None
    model: str | None = None


def read_exif(data: bytes) -> Exif:
    """The EXIF of a JPEG, PNG, WebP or HEIC file; an empty Exif when it has none. Never raises on any bytes."""
    for block in _blocks(data):
        block = block.removeprefix(b"Exif\0\0")
        if block[:4] in (b"II*\0", b"MM\0*"):
            return _read_tiff(_Tiff(block))
    return Exif()


def _blocks(data: bytes) -> Iterator[bytes]:
    if data[:3] == b"\xff\xd8\xff":
        for marker, start, end in jpeg_segments(data):
            if marker == 0xDA:
                return
            if marker == 0xE1 and data[start : start + 6] == b"Exif\0\0":
                yield data[start:end]
    elif data[:8] == b"\x89PNG\r\n\x1a\n":
        yield from (data[start:end] for kind, start, end in png_chunks(data) if kind == b"eXIf")
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        yield from (data[start:end] for kind, start, end in webp_chunks(data) if kind == b"EXIF")
    elif data[4:8] == b"ftyp":
        yield from _heif_blocks(data)


def _heif_blocks(data: bytes) -> Iterator[bytes]:
    for kind, start, end in boxes(data, 0, len(data)):
        if kind != b"meta":
            continue
        inside = {name: (a, b) for name, a, b in boxes(data, start + 4, end)}
        if b"iinf" not in inside or b"iloc" not in inside:
            return
        item = _exif_item(data, *inside[b"iinf"])
        place = item and _item_place(data, *inside[b"iloc"], item)
        if place:
            block = data[place[0] : place[0] + min(place[1], 1 << 20)]
            skip = int.from_bytes(block[:4], "big")
            yield block[4 + skip :]
        return


def _exif_item(data: bytes, at: int, end: int) -> int:
    """The id of the item of type Exif in an iinf box; 0 when there is none."""
    first = at + (6 if data[at : at + 1] == b"\0" else 8)
    for _, (kind, start, _stop) in zip(range(_MOST_ENTRIES), boxes(data, first, end), strict=False):
        version = data[start : start + 1]
        wide = 4 if version == b"\3" else 2
        name = start + 4 + wide + 2
        if kind == b"infe" and version in (b"\2", b"\3") and data[name : name + 4] == b"Exif":
            return int.from_bytes(data[start + 4 : start + 4 + wide], "big")
    return 0


def _item_place(data: bytes, at: int, end: int, wanted: int) -> tuple[int, int] | None:
    """(offset, length) in the file of an item in an iloc box, when it lies in one piece in the file."""
    version = data[at] if at < end else 0
    sizes = int.from_bytes(data[at + 4 : at + 6], "big")
    offset_size, length_size, base_size, index_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, sizes & 15
    wide = 4 if version == 2 else 2
    here = at + 6

    def number(size: int) -> int:
        nonlocal here
        here += size
        return int.from_bytes(data[here - size : here], "big")

    for _ in range(min(number(wide), _MOST_ENTRIES)):
        item = number(wide)
        method = number(2) & 15 if version in (1, 2) else 0
        number(2)
        base, extents = number(base_size), number(2)
        for _ in range(min(extents, _MOST_ENTRIES)):
            if version in (1, 2):
                number(index_size)
            offset, length = number(offset_size), number(length_size)
            if here > end:
                return None
            if item == wanted:
                return (base + offset, length) if method == 0 and extents == 1 else None
    return None


class _Tiff:
    """Reads tags out of a TIFF block."""

    def __init__(self, block: bytes):
        self.block = block
        self.order = "little" if block[:2] == b"II" else "big"
        self._seen: set[int] = set()

    def number(self, at: int, size: int) -> int:
        return int.from_bytes(self.block[at : at + size], self.order)  # type: ignore[arg-type]

    def tags(self, at: int) -> dict[int, tuple[int, int, bytes]]:
        """tag -> (type, count, value bytes) of one directory; empty for one that was already read."""
        found: dict[int, tuple[int, int, bytes]] = {}
        if at < 8 or at in self._seen or at + 2 > len(self.block):
            return found
        self._seen.add(at)
        for index in range(min(self.number(at, 2), _MOST_ENTRIES)):
            entry = at + 2 + 12 * index
            if entry + 12 > len(self.block):
                break
            tag, kind, count = self.number(entry, 2), self.number(entry + 2, 2), self.number(entry + 4, 4)
            size = _SIZES.get(kind, 0) * count
            if not 0 < size <= _MOST_BYTES:
                continue
            place = entry + 8 if size <= 4 else self.number(entry + 8, 4)
            value = self.block[place : place + size]
            if len(value) == size:
                found[tag] = (kind, count, value)
        return found

    def integer(self, tag: tuple[int, int, bytes] | None) -> int | None:
        if tag is None or tag[0] not in (1, 3, 4):
            return None
        return int.from_bytes(tag[2][: _SIZES[tag[0]]], self.order)  # type: ignore[arg-type]

    def ratios(self, tag: tuple[int, int, bytes] | None, count: int) -> list[tuple[int, int]] | None:
        """``count`` fractions, none with a zero below the line; None otherwise."""
        if tag is None or tag[0] != 5 or tag[1] < count:
            return None
        numbers = [int.from_bytes(tag[2][i : i + 4], self.order) for i in range(0, 8 * count, 4)]  # type: ignore[arg-type]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        return pairs if all(below for _, below in pairs) else None


def _text(tag: tuple[int, int, bytes] | None) -> str | None:
    if tag is None or tag[0] not in (2, 7):
        return None
    text = tag[2].split(b"\0")[0].decode("ascii", "replace").strip()
    return text if text and text.isprintable() else None


def _read_tiff(tiff: _Tiff) -> Exif:
    main = tiff.tags(tiff.number(4, 4))
    detail = tiff.tags(tiff.integer(main.get(0x8769)) or 0)
    gps = tiff.tags(tiff.integer(main.get(0x8825)) or 0)
    orientation = tiff.integer(main.get(0x0112)) or 1
    lat = _degrees(tiff, gps, 1, 2, {"N": 1, "S": -1}, 90)
    lon = _degrees(tiff, gps, 3, 4, {"E": 1, "W": -1}, 180)
    # Both zero is what a system writes that takes the position out; nobody was there.
    placed = lat is not None and lon is not None and (lat, lon) != (0, 0)
    error = tiff.ratios(gps.get(0x1F), 1)
    taken = _wall(_text(detail.get(0x9003)) or _text(detail.get(0x9004)))
    return Exif(
        taken=taken,
        offset=_offset(_text(detail.get(0x9011)) or _text(detail.get(0x9012))) if taken else None,
        orientation=orientation if 1 <= orientation <= 8 else 1,
        lat_udeg=lat if placed else None,
        lon_udeg=lon if placed else None,
        accuracy_cm=error[0][0] * 100 // error[0][1] if placed and error else None,
        fixed_at=_fixed_at(tiff, gps) if placed else None,
        make=_text(main.get(0x010F)),
        model=_text(main.get(0x0110)),
    )


def _degrees(tiff: _Tiff, gps: dict, ref: int, tag: int, signs: dict[str, int], most: int) -> int | None:
    """Degrees, minutes, seconds as whole microdegrees, rounded to the nearest; None when out of range."""
    sign = signs.get((_text(gps.get(ref)) or "").upper())
    parts = tiff.ratios(gps.get(tag), 3)
    if sign is None or parts is None:
        return None
    total, below = 0, 1
    for (up, down), share in zip(parts, (1, 60, 3600), strict=True):
        total, below = total * down * share + up * below, below * down * share
    micro = (2_000_000 * total + below) // (2 * below)
    return sign * micro if micro <= most * 1_000_000 else None


def _wall(text: str | None) -> str | None:
    """``2026:08:27 14:03:22`` as ``2026-08-27T14:03:22``; None when it is no possible time, or none that a camera's
    clock shows."""
    digits = text or ""
    if len(digits) < 19 or digits[4] != ":" or digits[7] != ":" or digits[13] != ":" or digits[16] != ":":
        return None
    fields = (digits[0:4], digits[5:7], digits[8:10], digits[11:13], digits[14:16], digits[17:19])
    if not all(field.isascii() and field.isdigit() for field in fields):
        return None
    year, month, day, hour, minute, second = map(int, fields)
    if not YEARS[0] <= year <= YEARS[1] or not (1 <= month <= 12 and 1 <= day <= _month_days(year, month)):
        return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    return f"{digits[0:4]}-{digits[5:7]}-{digits[8:10]}T{digits[11:19]}"


def _month_days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _offset(text: str | None) -> str | None:
    if not text or len(text) != 6 or text[0] not in "+-" or text[3] != ":":
        return None
    hours, minutes = text[1:3], text[4:6]
    plain = hours.isascii() and minutes.isascii() and hours.isdigit() and minutes.isdigit()
    return text if plain and int(hours) <= 14 and int(minutes) < 60 else None


def _fixed_at(tiff: _Tiff, gps: dict) -> str | None:
    time = tiff.ratios(gps.get(7), 3)
    day = _text(gps.get(0x1D))
    if time is None or day is None:
        return None
    hour, minute, second = (up // down for up, down in time)
    wall = _wall(f"{day} {hour:02}:{minute:02}:{second:02}")
    return f"{wall}+00:00" if wall and len(wall) == 19 else None
