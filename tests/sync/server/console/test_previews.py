"""Previews are small, upright copies; what cannot or should not be decoded has none, and the original is untouched."""

import hashlib
from io import BytesIO

from PIL import Image

from sync.records.evidence_files import check_file
from sync.server.blobs.memory import MemoryBlobs
from sync.server.console.previews import EDGE, UNPACKED_PIXELS, make_preview, preview
from tests.support.evidence_files import TURNED_HEIC, heic


def saved(image: Image.Image, kind: str, **options) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def opened(data: bytes | None) -> Image.Image:
    assert data is not None
    return Image.open(BytesIO(data))


def half_and_half(size: tuple[int, int]) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", size, (200, 0, 0))
    image.paste((0, 0, 200), (size[0] // 2, 0, size[0], size[1]))
    return image


def test_a_large_photo_becomes_a_small_jpeg_of_the_same_proportions():
    small = opened(make_preview(saved(half_and_half((4000, 3000)), "JPEG")))
    assert small.format == "JPEG" and small.size == (EDGE, EDGE * 3 // 4)


def test_a_photo_taken_sideways_stands_upright():
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: to be shown a quarter turn clockwise
    small = opened(make_preview(saved(half_and_half((800, 600)), "JPEG", exif=exif.tobytes())))
    assert small.height > small.width
    top, bottom = small.getpixel((small.width // 2, 5)), small.getpixel((small.width // 2, small.height - 5))
    assert top[0] > top[2] and bottom[2] > bottom[0]


def test_every_kind_of_picture_that_browsers_send_has_a_preview():
    image = half_and_half((300, 200))
    for data in (
        saved(image, "PNG"),
        saved(image, "WEBP"),
        saved(image.convert("CMYK"), "JPEG"),
        saved(image.convert("RGBA"), "PNG"),
        saved(image.convert("L"), "JPEG"),
        saved(image.convert("P"), "PNG"),
    ):
        assert opened(make_preview(data)).size == (300, 200)


def test_what_is_no_picture_or_cut_short_has_no_preview():
    whole = saved(half_and_half((600, 400)), "JPEG")
    heic = b"\x00\x00\x00\x18ftypheic" + b"\x00" * 40
    for data in (b"", b"%PDF-1.7", heic, whole[: len(whole) // 2], saved(half_and_half((60, 40)), "PNG")[:60]):
        assert make_preview(data) is None


def test_a_picture_that_unpacks_to_more_than_the_limit_is_not_unpacked():
    wide = Image.new("1", (UNPACKED_PIXELS // 1000 + 1, 1000))
    data = saved(wide, "PNG")
    assert len(data) < 100_000
    assert make_preview(data) is None


def test_the_original_stays_and_the_preview_is_made_once():
    blobs, data = MemoryBlobs(), saved(half_and_half((1200, 900)), "JPEG", quality=95)
    incoming = blobs.incoming()
    incoming.write(data)
    incoming.keep()
    sha = hashlib.sha256(data).hexdigest()
    first = preview(blobs, sha)
    assert first is not None and preview(blobs, sha) is first
    assert blobs.read(sha) == data


def test_a_photo_of_an_ipad_is_seen_upright_in_the_office_and_a_broken_one_is_none():
    small = opened(make_preview(TURNED_HEIC))
    assert small.size == (48, 64)
    top, bottom = small.getpixel((24, 8)), small.getpixel((24, 56))
    assert top[2] > 150 > top[0] and bottom[0] > 150 > bottom[2], "blue above, red below"
    for broken in (TURNED_HEIC[:len(TURNED_HEIC) // 2], heic(), TURNED_HEIC[:-60] + bytes(60)):
        small = make_preview(broken)
        assert small is None or opened(small).size == (48, 64)


def test_a_photo_of_an_ipad_that_ends_its_reader_does_not_end_the_server():
    """One byte of it is another one: the name of a kind of part is no text. Its boxes are whole, so it was taken."""
    at = TURNED_HEIC.index(b"Exif") + 1
    fatal = TURNED_HEIC[:at] + b"\xff" + TURNED_HEIC[at + 1:]
    assert check_file("photo", fatal).media == "image/heic"
    assert make_preview(fatal) is None
