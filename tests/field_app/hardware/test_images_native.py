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
from sync.server.small_pictures import small_jpeg

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


CORNERS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0))  # upper left, upper right, lower left, lower right
# What EXIF 1 to 8 say: where the stored corners go when the picture is seen upright.
SEEN = {1: (0, 1, 2, 3), 2: (1, 0, 3, 2), 3: (3, 2, 1, 0), 4: (2, 3, 0, 1),
        5: (0, 2, 1, 3), 6: (2, 0, 3, 1), 7: (3, 1, 2, 0), 8: (1, 3, 0, 2)}


def corners(orientation: int, size: tuple[int, int] = (640, 320)) -> bytes:
    """A JPEG with another colour in each corner, stored as this orientation says."""
    image, (width, height) = Image.new("RGB", size), size
    for at, colour in enumerate(CORNERS):
        image.paste(colour, (at % 2 * width // 2, at // 2 * height // 2, (at % 2 + 1) * width // 2,
                             (at // 2 + 1) * height // 2))
    out, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = orientation
    image.save(out, "JPEG", quality=90, exif=exif)
    return out.getvalue()


def corners_seen(data: bytes) -> tuple[int, ...]:
    """Which of the colours stand in the corners of a picture."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    width, height = image.size
    seen = []
    for x, y in ((5, 5), (width - 6, 5), (5, height - 6), (width - 6, height - 6)):
        pixel = image.getpixel((x, y))
        seen.append(min(range(4), key=lambda n: sum(abs(a - b) for a, b in zip(CORNERS[n], pixel, strict=True))))
    return tuple(seen)


@pytest.mark.parametrize("orientation", SEEN)
def test_all_eight_orientations_stand_upright(orientation):
    data = corners(orientation)
    small = run(PillowImages().thumbnail(data, 160))
    assert corners_seen(small) == SEEN[orientation]
    assert Image.open(io.BytesIO(small)).size == ((80, 160) if orientation > 4 else (160, 80))
    assert run(PillowImages().dimensions(data)) == ((320, 640) if orientation > 4 else (640, 320))


def test_a_broken_exif_never_crashes_and_the_picture_shows():
    """The directory of the EXIF is overwritten at every byte and cut at many lengths: the pixels are sound."""
    data = corners(6, (64, 32))
    at = data.index(b"Exif\0\0") + 6
    broken = [data[:spot] + bytes([value]) + data[spot + 1 :]
              for spot in range(at, at + 26) for value in (0x00, 0x07, 0x2A, 0x7F, 0xFF)]
    nonsense = Image.Exif()
    nonsense[0x0112] = 99
    for exif in (nonsense.tobytes(), b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0MM\0*" + b"\xff" * 200):
        out = io.BytesIO()
        Image.new("RGB", (64, 32), "red").save(out, "JPEG", exif=exif)
        broken.append(out.getvalue())
    for one in broken:
        small = Image.open(io.BytesIO(run(PillowImages().thumbnail(one, 40))))
        assert small.format == "JPEG" and max(small.size) == 40
        run(PillowImages().dimensions(one))


def test_sixteen_bits_of_grey_are_shown_as_they_are_here_and_in_the_office():
    grey = Image.new("I;16", (64, 64))
    grey.putdata([257 * (4 * (at // 64)) for at in range(64 * 64)])  # from black above to nearly white below
    out = io.BytesIO()
    grey.save(out, "PNG")
    for made in (asyncio.run(PillowImages().thumbnail(out.getvalue(), 64)), small_jpeg(out.getvalue(), 64)):
        with Image.open(io.BytesIO(made)) as shown:
            column = [shown.convert("L").getpixel((10, y)) for y in (0, 16, 32, 48, 63)]
        assert all(abs(light - 4 * y) <= 8 for light, y in zip(column, (0, 16, 32, 48, 63), strict=True)), column


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
