"""Builds EXIF blocks by hand, sound ones and nonsense, in both byte orders."""

import struct

BYTE, ASCII, SHORT, LONG, RATIO = 1, 2, 3, 4, 5


def block(main: dict, detail: dict | None = None, gps: dict | None = None, *, big: bool = False) -> bytes:
    """A TIFF block; each directory maps tag -> (type, value), value a string, an int or a list of fractions."""
    order = ">" if big else "<"
    main = dict(main)
    for tag, directory in ((0x8769, detail), (0x8825, gps)):
        if directory is not None:
            main[tag] = (LONG, 0)
    out = (b"MM\0*" if big else b"II*\0") + struct.pack(order + "I", 8)
    places = {}
    for name, directory in ((0, main), (0x8769, detail), (0x8825, gps)):
        if directory is None:
            continue
        places[name] = len(out)
        out += _directory(order, directory, len(out))
    for tag in (0x8769, 0x8825):
        if tag in places:
            out = _point(order, out, main, tag, places[tag])
    return out


def _value(order: str, kind: int, value) -> tuple[int, bytes]:
    if kind == ASCII:
        data = value.encode("latin-1") + b"\0"
        return len(data), data
    if kind == RATIO:
        return len(value), b"".join(struct.pack(order + "II", up, down) for up, down in value)
    return 1, struct.pack(order + {BYTE: "B", SHORT: "H", LONG: "I"}[kind], value)


def _directory(order: str, directory: dict, at: int) -> bytes:
    head = struct.pack(order + "H", len(directory))
    behind = at + 2 + 12 * len(directory) + 4
    data = b""
    for tag, (kind, value) in sorted(directory.items()):
        count, raw = _value(order, kind, value)
        head += struct.pack(order + "HHI", tag, kind, count)
        if len(raw) <= 4:
            head += raw.ljust(4, b"\0")
        else:
            head += struct.pack(order + "I", behind + len(data))
            data += raw
    return head + bytes(4) + data


def _point(order: str, out: bytes, main: dict, tag: int, place: int) -> bytes:
    entry = 8 + 2 + 12 * sorted(main).index(tag) + 8
    return out[:entry] + struct.pack(order + "I", place) + out[entry + 4 :]


def jpeg(exif: bytes) -> bytes:
    """The smallest JPEG frame around an EXIF block that a reader of segments accepts."""
    segment = b"Exif\0\0" + exif
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + b"\xff\xda\0\x02data\xff\xd9"
