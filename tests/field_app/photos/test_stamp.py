"""The stamp on small pictures: inside the picture, legible, broken between words; never on the original."""

import asyncio
import io

from PIL import Image

from field_app.hardware.images_pillow import PillowImages
from field_app.photos.stamp import letters, mark, plan

STAMP = ("Thu Aug 27, 2026 at 2:03 PM", "Condominios Peñasco, 412 Mill Street", "43.073100, -89.401200 (within 17 ft)")


def grey(width, height):
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 200, 200)).save(out, "PNG")
    return out.getvalue()


def seen(data, longest, stamp):
    return Image.open(io.BytesIO(asyncio.run(PillowImages().thumbnail(data, longest, stamp=stamp)))).convert("L")


def test_letters_are_legible_in_a_preview_and_the_rest_of_the_picture_is_as_it_was():
    data = grey(4000, 3000)
    picture = seen(data, 1_280, STAMP)
    assert picture.size == (1_280, 960) and letters(1_280, 960) >= 24
    lit = [y for y in range(960) if max(picture.crop((0, y, 1_280, y + 1)).tobytes()) > 240]
    assert lit and lit[0] > 960 * 0.8, "white letters near the lower edge, none elsewhere"
    above = picture.crop((0, 0, 1_280, 780))
    assert above.tobytes() == seen(data, 1_280, ()).crop((0, 0, 1_280, 780)).tobytes()
    assert data == grey(4000, 3000)


def test_a_thumbnail_is_stamped_where_its_square_shows_it():
    for size in ((4000, 3000), (3000, 4000)):
        picture = seen(grey(*size), 320, STAMP[:2])
        side, (width, height) = min(picture.size), picture.size
        square = ((width - side) // 2, (height - side) // 2, (width + side) // 2, (height + side) // 2)
        dark = [(x, y) for x in range(width) for y in range(height) if picture.getpixel((x, y)) < 120]
        inside = [(x, y) for x, y in dark if square[0] - 1 <= x <= square[2] and square[1] <= y <= square[3]]
        assert dark and len(dark) == len(inside)


def test_lines_are_broken_between_words_and_a_word_without_end_is_cut():
    where = plan(1_280, 960, ("one two three", "x" * 500), lambda said: 300.0 * len(said.split()) + len(said) * 8)
    assert where.lines[0] == "one two three" and where.lines[1].endswith("x…") and len(where.lines) == 2
    assert plan(100, 80, ("word " * 90,), lambda said: 10 * len(said)).height <= 80
    assert mark(()) == "" and mark(STAMP) != mark(STAMP[:2]) and mark(STAMP) == mark(STAMP)
