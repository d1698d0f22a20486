"""Media types by the bytes, sizes from the header, and whether the end of a picture is there."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.records.evidence_files import media_type
from sync.records.pictures import Picture, look
from tests.contract.pictures import TURNED_JPEG, WEBP, png
from tests.field_app.photos.test_exif import SEEDS, box, heic, whole

EMBEDDED = TURNED_JPEG[:2] + b"\xff\xe1" + struct.pack(">H", len(TURNED_JPEG) + 2) + TURNED_JPEG + TURNED_JPEG[2:]


def test_pictures_and_their_sizes():
    assert look(TURNED_JPEG) == Picture("image/jpeg", 24, 12, True)
    assert look(png(300, 20)) == Picture("image/png", 300, 20, True)
    assert look(WEBP) == Picture("image/webp", 24, 12, True)
    assert look(heic(whole(True))) == Picture("image/heic", 4032, 3024, True)
    assert look(heic(whole(True)).replace(b"heic", b"avif")).media == "image/avif"
    assert look(b"%PDF-1.7") is None and look(b"") is None


@pytest.mark.parametrize("data", [TURNED_JPEG, png(), WEBP, heic(whole(False)), EMBEDDED])
def test_every_cut_is_noticed(data):
    """A preview inside the EXIF has an end of its own; it does not make a cut-off photo whole."""
    assert look(data).whole
    for length in range(40, len(data)):
        picture = look(data[:length])
        assert picture is None or not picture.whole, f"cut at {length} of {len(data)}"


@pytest.mark.parametrize("near", [0, 64, 127, 253, 505, 65_536, 131_000])
def test_the_end_is_found_wherever_it_lies(near):
    """What is looked for piece by piece may lie across the edge of two pieces."""
    head, end = TURNED_JPEG[:-2], TURNED_JPEG[-2:]
    for more in range(max(0, near - 70), near + 70):
        data = head + bytes(more) + end
        assert look(data).whole
        assert not look(data[:-1]).whole and not look(data[:-2] + b"\xff").whole


def test_bytes_behind_the_end_do_no_harm():
    """Phones append motion clips and padding."""
    for data in (TURNED_JPEG, png(), WEBP, heic(whole(True))):
        for more in (b"\0" * 5000, b"SEFH trailer of a phone SEFT", b"x"):
            assert look(data + more).whole


@pytest.mark.parametrize(
    ("data", "media"),
    [
        (TURNED_JPEG, "image/jpeg"),
        (png(), "image/png"),
        (WEBP, "image/webp"),
        (heic(whole(True)), "image/heic"),
        (b"%PDF-1.7\n", "application/pdf"),
        (box(b"ftyp", b"M4A \0\0\0\0"), "audio/mp4"),
        (b"\x1aE\xdf\xa3\x01", "audio/webm"),
        (b"OggS\0", "audio/ogg"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"<svg onload=alert(1)>", "application/octet-stream"),
        (b"GIF89a", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_media_types(data, media):
    assert media_type(data) == media


@settings(max_examples=300, deadline=None, derandomize=True)
@given(seed=st.sampled_from(SEEDS), changes=st.lists(st.tuples(st.integers(0, 999), st.binary(max_size=6)), max_size=8),
       length=st.integers(0, 1000))  # fmt: skip
def test_no_damage_makes_it_fail(seed, changes, length):
    data = bytearray(seed)
    for at, new in changes:
        data[at : at + len(new)] = new
    media_type(bytes(data[:length]))
