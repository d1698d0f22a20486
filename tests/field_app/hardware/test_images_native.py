"""Pictures in a native process: the pixel limit, bounded memory, upright thumbnails, and what is no picture."""

import asyncio
import io
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from PIL import Image

from field_app.hardware.images_pillow import PillowImages
from field_app.hardware.picture import MAX_PIXELS, size_of
from sync.records.problems import Problem

ROOT = Path(__file__).resolve().parents[3]


def jpeg(width: int, height: int, *, orientation: int | None = None, colour="#808080") -> bytes:
    out = io.BytesIO()
    exif = Image.Exif()
    if orientation:
        exif[0x0112] = orientation
    Image.new("RGB", (width, height), colour).save(out, "JPEG", quality=30, exif=exif)
    return out.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A small file that claims a picture of this size, as a decompression bomb does."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 64)) + chunk(b"IEND", b"")


def run(call):
    return asyncio.run(call)


def test_a_thumbnail_is_a_small_upright_jpeg():
    image = Image.new("RGB", (400, 200), "red")
    image.paste("blue", (0, 0, 200, 200))  # left half blue
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # to be shown turned by 90 degrees clockwise: left becomes top
    image.save(out, "JPEG", exif=exif)
    assert run(PillowImages().dimensions(out.getvalue())) == (200, 400)
    small = Image.open(io.BytesIO(run(PillowImages().thumbnail(out.getvalue(), 100))))
    assert (small.format, small.size) == ("JPEG", (50, 100))
    top, bottom = small.getpixel((25, 10)), small.getpixel((25, 90))
    assert top[2] > 200 > top[0] and bottom[0] > 200 > bottom[2]


def test_a_small_picture_is_not_blown_up():
    small = Image.open(io.BytesIO(run(PillowImages().thumbnail(jpeg(40, 30), 320))))
    assert small.size == (40, 30)


def test_the_limit_is_100_megapixels_to_the_pixel():
    assert size_of(png_header(10_000, 10_000))[1:] == (10_000, 10_000)
    assert 10_000 * 10_000 == MAX_PIXELS
    with pytest.raises(Problem) as refused:
        size_of(png_header(10_001, 10_000))
    assert refused.value.code == "evidence-too-many-pixels"
    assert "10001 x 10000" in refused.value.detail


def test_200_megapixels_are_refused_before_any_decoder_sees_them():
    with pytest.raises(Problem) as refused:
        run(PillowImages().thumbnail(png_header(20_000, 10_000), 320))
    assert refused.value.code == "evidence-too-many-pixels"


PROGRAM = """
import asyncio, io, resource, sys
from PIL import Image
from field_app.hardware.images_pillow import PillowImages
data = open(sys.argv[1], "rb").read()
asyncio.run(PillowImages().thumbnail(data[:0] or data, 320))  # warm: imports and plugins are loaded
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
small = asyncio.run(PillowImages().thumbnail(open(sys.argv[2], "rb").read(), 320))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(after - before, *Image.open(io.BytesIO(small)).size)
"""


def test_a_photo_of_100_megapixels_is_taken_within_bounded_memory(tmp_path):
    """In a process of its own. Decoded whole it would need 300 MB; `draft()` lets it need a small part of that."""
    (tmp_path / "small.jpg").write_bytes(jpeg(64, 48))
    (tmp_path / "huge.jpg").write_bytes(jpeg(12_500, 8_000))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "small.jpg"), str(tmp_path / "huge.jpg")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grown_kb, width, height = map(int, done.stdout.split())
    assert (width, height) == (320, 205)
    assert grown_kb < 64_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no picture"),
        (b"this is a text", "no picture"),
        (b"\xff\xd8\xff\xe0 only the beginning", "no picture"),
        (jpeg(400, 300)[:700], "picture"),
        (png_header(300, 200), "damaged"),
    ],
)
def test_what_is_no_picture_is_refused_with_a_plain_sentence(data, words):
    with pytest.raises(Problem) as refused:
        run(PillowImages().thumbnail(data, 100))
    assert refused.value.code == "evidence-not-an-image"
    assert words in refused.value.detail
