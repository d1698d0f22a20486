"""One small true file of each kind of evidence, made by hand byte by byte: no codec is needed, and any can be cut."""

from __future__ import annotations

import base64
import json
import random
import struct


def box(kind: bytes, data: bytes) -> bytes:
    """An ISO media box."""
    return struct.pack(">I", 8 + len(data)) + kind + data


def heic(width: int = 4032, height: int = 3024, pixels: bytes = bytes(600)) -> bytes:
    """An HEIF still as an iPad writes it, as far as its frame goes: brands, properties with the size, the data."""
    size = box(b"iprp", box(b"ipco", box(b"ispe", bytes(4) + struct.pack(">II", width, height))))
    return box(b"ftyp", b"heic\0\0\0\0mif1heic") + box(b"meta", bytes(4) + size) + box(b"mdat", pixels)


def m4a(sound: bytes = bytes(600), track: bytes = b"soun") -> bytes:
    """AAC in MP4 as a recorder leaves it: the data, then what it is."""
    handler = box(b"hdlr", bytes(8) + track + bytes(12) + b"SoundHandler\0")
    movie = box(b"moov", box(b"mvhd", bytes(100)) + box(b"trak", box(b"tkhd", bytes(84)) + box(b"mdia", handler)))
    return box(b"ftyp", b"M4A \0\0\2\0M4A isomiso2") + box(b"mdat", sound) + movie


def fragmented_m4a(sound: bytes = bytes(600)) -> bytes:
    """AAC in MP4 as a browser records it live: what it is, then fragment after fragment."""
    handler = box(b"hdlr", bytes(8) + b"soun" + bytes(12) + b"\0")
    movie = box(b"moov", box(b"mvhd", bytes(100)) + box(b"trak", box(b"mdia", handler)) + box(b"mvex", bytes(32)))
    piece = box(b"moof", box(b"mfhd", bytes(8))) + box(b"mdat", sound)
    return box(b"ftyp", b"iso5\0\0\2\0iso5mp41") + movie + piece * 2


def wav(sound: bytes = bytes(600)) -> bytes:
    """Sound without packing, 16 bits."""
    form = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16_000, 32_000, 2, 16)
    inside = b"WAVE" + form + b"data" + struct.pack("<I", len(sound)) + sound + b"\0" * (len(sound) & 1)
    return b"RIFF" + struct.pack("<I", len(inside)) + inside


def _page(number: int, data: bytes, flag: int) -> bytes:
    sizes = [255] * (len(data) // 255) + [len(data) % 255]
    head = b"OggS\0" + bytes([flag]) + bytes(8) + struct.pack("<III", 7, number, 0) + bytes([len(sizes)])
    return head + bytes(sizes) + data


def ogg(sound: bytes = bytes(600)) -> bytes:
    """Opus in Ogg: head, comments, then pages of sound."""
    pages = [b"OpusHead\1\1" + bytes(9), b"OpusTags" + bytes(8)]
    pages += [sound[at : at + 60_000] for at in range(0, len(sound), 60_000)]
    return b"".join(_page(n, page, 2 if n == 0 else 0) for n, page in enumerate(pages))


def ogg_of_size(size: int, seed: int) -> bytes:
    """An Ogg file of exactly ``size`` bytes (at least 2,000) that no other seed gives."""
    sound = size
    while len(ogg(bytes(sound))) > size:
        sound -= len(ogg(bytes(sound))) - size
    made = ogg(random.Random(seed).randbytes(sound))
    if len(made) != size:
        raise ValueError(f"no page layout gives {size} bytes; {len(made)} would do")
    return made


def _element(ident: bytes, data: bytes, *, live: bool = False) -> bytes:
    size = b"\x01" + b"\xff" * 7 if live else struct.pack(">Q", 1 << 56 | len(data))
    return ident + size + data


def webm(sound: bytes = bytes(600), *, live: bool = True) -> bytes:
    """Opus in WebM; ``live`` as a browser's MediaRecorder writes it, which does not know how long it will be."""
    head = _element(b"\x1aE\xdf\xa3", b"\x42\x82\x84webm")
    tracks = _element(b"\x16\x54\xae\x6b", bytes(40))
    blocks = b"".join(_element(b"\xa3", b"\x81\0\0\x80" + sound[at : at + 200]) for at in range(0, len(sound), 200))
    cluster = _element(b"\x1f\x43\xb6\x75", b"\xe7\x81\0" + blocks, live=live)
    return head + _element(b"\x18\x53\x80\x67", tracks + cluster, live=live)


def pdf(text: bytes = b"a placard") -> bytes:
    """As much of a PDF as has a beginning and an end."""
    return b"%PDF-1.7\n% " + text + b"\nstartxref\n0\n%%EOF\n"


def signature() -> bytes:
    """A signature as strokes."""
    strokes = [[[10, 20, 0], [30, 40, 16]], [[5, 5]]]
    return json.dumps({"signature": 1, "width": 600, "height": 200, "strokes": strokes}).encode()


def annotation(of: str = "ab" * 32) -> bytes:
    """An arrow over a photo."""
    return json.dumps({"annotation": 1, "of": of, "width": 640, "height": 480,
                       "marks": [{"kind": "arrow", "points": [[1, 2], [100, 50]], "colour": "red"}]}).encode()


# A real one, 64 x 48, blue beside red, to be turned by 90 degrees clockwise: blue is seen above red.
TURNED_HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAchtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA"
    "ADRpbG9jAAAAAERAAAIAAQAAAAAB7AABAAAAAAAAADsAAgAAAAACJwABAAAAAAAAACQAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAA"
    "AAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAABB2lwcnAAAADmaXBjbwAAAHZodmNDAQNwAAAA"
    "kAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq"
    "5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xh"
    "cAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AwAAABlpcG1hAAAAAAAAAAEA"
    "AQaBAgMFhIYAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAAAGdtZGF0AAAANygBr1jm9Oq//+uQ+R+H6f/WvP1f+qvr/tDHr+x/"
    "9m7RLYGfyOw8akUGtj0U958IOHhMhejSV2AAAAAGRXhpZgAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAA="
)
