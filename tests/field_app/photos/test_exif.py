"""EXIF: what a photo says of time, place and orientation, and that no bytes at all make the reader fail."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.photos import Exif, read_exif
from tests.contract.pictures import TURNED_JPEG, WEBP, png
from tests.contract.tiff import ASCII, LONG, RATIO, SHORT, block, jpeg

DETAIL = {0x9003: (ASCII, "2026:08:27 14:03:22"), 0x9011: (ASCII, "-05:00")}
GPS = {
    1: (ASCII, "N"), 2: (RATIO, [(43, 1), (4, 1), (2279, 100)]),
    3: (ASCII, "W"), 4: (RATIO, [(89, 1), (24, 1), (432, 100)]),
    7: (RATIO, [(19, 1), (3, 1), (2050, 100)]), 0x1D: (ASCII, "2026:08:27"), 0x1F: (RATIO, [(48, 10)]),
}  # fmt: skip
FIXED = "2026-08-27T19:03:20+00:00"
WHOLE = Exif("2026-08-27T14:03:22", "-05:00", 6, 43_072_997, -89_401_200, 480, FIXED, "Acme", "P9")


def whole(big: bool) -> bytes:
    return block({0x10F: (ASCII, "Acme"), 0x110: (ASCII, "P9"), 0x112: (SHORT, 6)}, DETAIL, GPS, big=big)


@pytest.mark.parametrize("big", [False, True])
def test_time_place_and_orientation_in_both_byte_orders(big):
    assert read_exif(jpeg(whole(big))) == WHOLE


def test_in_png_webp_and_heic():
    exif = whole(True)
    assert read_exif(png(4, 4, (b"eXIf", exif))) == WHOLE
    chunk = b"EXIF" + struct.pack("<I", len(exif)) + exif + b"\0" * (len(exif) & 1)
    assert read_exif(WEBP[:4] + struct.pack("<I", len(WEBP) - 8 + len(chunk)) + WEBP[8:] + chunk) == WHOLE
    assert read_exif(heic(exif)) == WHOLE


def box(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", 8 + len(data)) + kind + data


def heic(exif: bytes) -> bytes:
    """A HEIC file as a phone writes it, as far as its metadata goes: an item of type Exif, found through iloc."""
    head = box(b"ftyp", b"heic\0\0\0\0mif1heic")
    item = struct.pack(">I", 6) + b"Exif\0\0" + exif
    infe = box(b"infe", b"\2\0\0\0" + struct.pack(">HH", 1, 0) + b"hvc1\0")
    infe += box(b"infe", b"\2\0\0\0" + struct.pack(">HH", 2, 0) + b"Exif\0")

    def meta(at: int) -> bytes:
        places = b"".join(struct.pack(">HHHII", id, 0, 1, *place) for id, place in ((1, (0, 0)), (2, (at, len(item)))))
        iloc = box(b"iloc", b"\0\0\0\0\x44\0" + struct.pack(">H", 2) + places)
        ispe = box(b"iprp", box(b"ipco", box(b"ispe", bytes(4) + struct.pack(">II", 4032, 3024))))
        return box(b"meta", bytes(4) + box(b"iinf", bytes(4) + struct.pack(">H", 2) + infe) + iloc + ispe)

    return head + meta(len(head) + len(meta(0)) + 8) + box(b"mdat", item)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_all_eight_orientations(orientation):
    assert read_exif(jpeg(block({0x112: (SHORT, orientation)}))).orientation == orientation


@pytest.mark.parametrize("orientation", [0, 9, 255, 65535])
def test_an_impossible_orientation_is_upright(orientation):
    assert read_exif(jpeg(block({0x112: (SHORT, orientation)}))).orientation == 1


@pytest.mark.parametrize(
    "time", ["", "    :  :     :  :  ", "0000:00:00 00:00:00", "2026:13:01 00:00:00", "2026:02:29 10:00:00",
             "2026:08:27 24:00:00", "2026:08:27", "2026-08-27 14:03:22", "2026:08:27 1a:03:22", "²026:08:27 14:03:22"]
)  # fmt: skip
def test_an_impossible_time_is_left_out(time):
    found = read_exif(jpeg(block({}, {0x9003: (ASCII, time), 0x9011: (ASCII, "-05:00")})))
    assert found.taken is None and found.offset is None


def test_a_time_without_offset_stays_without():
    found = read_exif(jpeg(block({}, {0x9003: (ASCII, "2028:02:29 23:59:59"), 0x9011: (ASCII, "CDT")})))
    assert (found.taken, found.offset) == ("2028-02-29T23:59:59", None)


@pytest.mark.parametrize(
    "change",
    [
        {2: (RATIO, [(43, 0), (4, 1), (0, 1)])},
        {2: (RATIO, [(91, 1), (0, 1), (0, 1)])},
        {4: (RATIO, [(180, 1), (0, 1), (1, 1)])},
        {1: (ASCII, "X")},
        {3: (ASCII, "")},
        {4: (RATIO, [(89, 1)])},
        {2: (LONG, 43)},
    ],
)
def test_an_impossible_place_is_left_out_as_a_whole(change):
    found = read_exif(jpeg(block({}, DETAIL, GPS | change)))
    assert (found.lat_udeg, found.lon_udeg, found.accuracy_cm, found.fixed_at) == (None,) * 4
    assert found.taken == "2026-08-27T14:03:22"


def test_the_equator_and_the_date_line_are_places():
    gps = {1: (ASCII, "S"), 2: (RATIO, [(0, 1)] * 3), 3: (ASCII, "E"), 4: (RATIO, [(180, 1), (0, 1), (0, 1)])}
    found = read_exif(jpeg(block({}, None, gps)))
    assert (found.lat_udeg, found.lon_udeg) == (0, 180_000_000)


def test_a_directory_that_points_at_itself_is_read_once():
    exif = bytearray(block({0x8769: (LONG, 8), 0x8825: (LONG, 8), 0x112: (SHORT, 3)}))
    assert read_exif(jpeg(bytes(exif))).orientation == 3


def test_counts_that_lie_are_left_out():
    exif = bytearray(block({0x10F: (ASCII, "Acme Cameras"), 0x112: (SHORT, 3)}))
    struct.pack_into("<I", exif, 8 + 2 + 4, 0xFFFFFFFF)
    found = read_exif(jpeg(bytes(exif)))
    assert found.make is None and found.orientation == 3


def test_without_exif_there_is_none():
    for data in (b"", b"\xff\xd8\xff", WEBP, png(), b"%PDF-1.7", TURNED_JPEG[:20]):
        assert read_exif(data) == Exif()
    assert read_exif(TURNED_JPEG) == Exif(orientation=6)


SEEDS = [jpeg(whole(True)), jpeg(whole(False)), heic(whole(True)), TURNED_JPEG, WEBP]
SEEDS += [png(4, 4, (b"eXIf", whole(False)))]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(seed=st.sampled_from(SEEDS), changes=st.lists(st.tuples(st.integers(0, 999), st.binary(max_size=6)), max_size=8),
       length=st.integers(0, 1000))  # fmt: skip
def test_no_damage_makes_it_fail(seed, changes, length):
    data = bytearray(seed)
    for at, new in changes:
        data[at : at + len(new)] = new
    found = read_exif(bytes(data[:length]))
    assert 1 <= found.orientation <= 8
    assert found.lat_udeg is None or -90_000_000 <= found.lat_udeg <= 90_000_000
    assert (found.lat_udeg is None) == (found.lon_udeg is None)


HEADS = [b"\xff\xd8\xff\xe1\x01\x20Exif\0\0", b"\x89PNG\r\n\x1a\n", b"RIFF....WEBP", b"\0\0\0\x18ftypheic", b""]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=300), st.sampled_from(HEADS))
def test_no_bytes_at_all_make_it_fail(data, head):
    read_exif(head + data)
