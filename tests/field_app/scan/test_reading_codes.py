"""Codes made by another program (segno) are read as a tablet's camera would see them, and what is none gives none."""

import asyncio

import pytest
import segno
from PIL import Image

from field_app.hardware.images_pillow import PillowImages
from field_app.scan import read_code
from field_app.scan.code import read_modules
from tests.support.codes import jpeg_of, printed, seen

LINK = "https://siltwatch.example.gov/o/SW-2026-T07-0012-K?t=0123456789abcdef0123456789abcdef"


def read(picture):
    """As the app does it: the camera's JPEG, made smaller and grey, then read."""
    return read_code(*reversed_grey(jpeg_of(picture)))


def reversed_grey(data, longest=700):
    width, height, grey = asyncio.run(PillowImages().grey(data, longest))
    return grey, width, height


@pytest.mark.parametrize(
    "given",
    [
        {}, {"turned": 17}, {"turned": 45}, {"turned": 90}, {"turned": 171}, {"turned": 268}, {"share": 0.22},
        {"share": 0.95}, {"blur": 2, "share": 0.5}, {"blur": 3, "share": 0.7, "turned": 8}, {"light": 0.2, "grain": 3},
        {"light": 0.35, "grain": 8, "turned": 12}, {"shadow": True, "turned": 30}, {"aside": 0.15, "turned": 5},
        {"aside": 0.25, "blur": 1}, {"shadow": True, "grain": 5, "aside": 0.1, "turned": 200},
    ],
    ids=lambda given: "-".join(f"{k}{v}" for k, v in given.items()) or "plain",
)  # fmt: skip
def test_a_code_is_read_as_a_camera_sees_it(given):
    assert read(seen(LINK, **given)) == LINK


def test_a_mirrored_picture_of_the_front_camera_is_read_too():
    assert read(seen(LINK, turned=20).transpose(Image.Transpose.FLIP_LEFT_RIGHT)) == LINK


def test_a_torn_or_dirty_code_is_put_right():
    picture = printed(LINK, error="m")
    side = picture.width
    picture.paste(120, (int(side * 0.45), int(side * 0.45), int(side * 0.58), int(side * 0.55)))
    assert read_code(picture.tobytes(), *picture.size) == LINK


def test_what_is_no_code_or_too_damaged_gives_nothing():
    half = printed(LINK)
    half.paste(235, (0, half.height // 2, half.width, half.height))
    assert read_code(half.tobytes(), *half.size) is None
    blotted = printed(LINK)
    blotted.paste(18, (half.width // 3, half.height // 3, half.width * 3 // 4, half.height * 3 // 4))
    assert read_code(blotted.tobytes(), *blotted.size) is None
    for plain in (bytes(300 * 200), bytes([200]) * (300 * 200), bytes(range(256)) * 300):
        assert read_code(plain[: 300 * 200], 300, 200) is None
    assert read_code(b"", 0, 0) is None and read_code(bytes(10), 100, 100) is None


@pytest.mark.parametrize(
    ("text", "version", "error"),
    [("0123456789", 1, "m"), ("HELLO WORLD 42", 2, "q"), ("Señal: ¡alto!", 4, "h"), (LINK, 6, "m"), (LINK, 8, "q"),
     ("A" * 250, 14, "l"), ("x" * 300, 20, "m")],
)  # fmt: skip
def test_every_kind_of_segment_level_and_size_is_read_from_its_modules(text, version, error):
    code = segno.make(text, version=version, error=error, boost_error=False, micro=False)
    assert read_modules([list(row) for row in code.matrix]) == text


@pytest.mark.parametrize("mask", range(8))
def test_every_mask_is_taken_off(mask):
    code = segno.make(LINK, error="m", mask=mask, micro=False)
    assert read_modules([list(row) for row in code.matrix]) == LINK


def test_as_many_wrong_words_as_the_level_allows_are_put_right_and_one_more_is_not_guessed():
    from field_app.scan.code import _data_places

    # A code of this size and level stands eight wrong words.
    code = segno.make("SW-2026-T07-0012-K", version=2, error="m", boost_error=False, micro=False)
    places = _data_places(2)

    def spoilt(words):
        modules = [list(row) for row in code.matrix]
        for word in range(words):
            for row, column in places[word * 24 : word * 24 + 8]:
                modules[row][column] ^= 1
        return read_modules(modules)

    assert spoilt(8) == "SW-2026-T07-0012-K"
    assert spoilt(9) is None
