"""The layer over a photo: what a finger drew becomes arrows and circles in whole numbers, the same bytes each time."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.records.layers import KINDS, Ellipse, Layer, Line, Words, fitted, layer_bytes, primitives, read_layer
from sync.records.strokes import is_annotation

OF = "ab" * 32
LAYER = Layer(OF, 4000, 3000, ())


def only(kind, stroke, text=""):
    mark = fitted(LAYER, kind, stroke, "red", text)
    return primitives(Layer(OF, 4000, 3000, (mark,)))


def test_an_arrow_runs_straight_from_where_it_began_and_snaps_to_the_level():
    wobbly = [[500, 1000], [900, 1060], [1500, 950], [2500, 1040]]
    shaft, head = only("arrow", wobbly)
    assert isinstance(shaft, Line) and shaft.points[0] == (500, 1000) and shaft.points[1][1] == 1000
    assert head.points[1] == shaft.points[1] and all(x < 2500 for x, _ in (head.points[0], head.points[2]))
    steep = fitted(LAYER, "arrow", [[500, 500], [900, 1100]], "red")
    assert steep["points"] == [[500, 500], [900, 1100]]


def test_a_tap_gives_an_arrow_that_points_at_it_also_in_the_corner():
    for tip in ([2000, 1500], [0, 2999], [3999, 0]):
        shaft = only("arrow", [tip])[0]
        assert shaft.points[1] == tuple(tip) and shaft.points[0] != shaft.points[1]
        assert all(0 <= x < 4000 and 0 <= y < 3000 for x, y in shaft.points)


def test_a_loop_becomes_a_circle_around_all_of_it_round_when_it_nearly_was():
    loop = [[1000, 1000], [1500, 700], [2010, 1010], [1490, 1280], [1010, 990]]
    (nearly,) = only("circle", [[1000, 1000], [1500, 600], [2000, 1020], [1500, 1480], [1010, 990]])
    assert isinstance(nearly, Ellipse) and nearly.rx == nearly.ry
    (flat,) = only("circle", loop)
    assert flat.rx > flat.ry and (flat.x, flat.y) == (1505, 990)
    (tapped,) = only("circle", [[2000, 1500]])
    assert (tapped.x, tapped.y) == (2000, 1500) and tapped.rx == tapped.ry > 100


def test_words_stand_where_they_were_tapped_and_empty_ones_are_not_drawn():
    (words,) = only("text", [[100, 200]], "silt fence down")
    assert isinstance(words, Words) and (words.x, words.y, words.text) == (100, 200, "silt fence down")
    assert only("text", [[100, 200]], "  ") == []


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(KINDS), st.lists(st.tuples(st.integers(-500, 9000), st.integers(-500, 9000)), min_size=1,
                                        max_size=12), st.integers(1, 9000), st.integers(1, 9000))
def test_any_stroke_gives_a_mark_inside_the_photo_that_is_a_sound_file(kind, stroke, width, height):
    layer = Layer(OF, width, height, ())
    mark = fitted(layer, kind, stroke, "blue", "here")
    assert all(0 <= x < width and 0 <= y < height for x, y in mark["points"])
    data = layer_bytes(OF, width, height, [mark])
    assert is_annotation(data) and b"." not in data
    again = read_layer(data)
    assert again is not None and layer_bytes(again.of, again.width, again.height, again.marks) == data
    assert hashlib.sha256(data).digest() == hashlib.sha256(layer_bytes(OF, width, height, (mark,))).digest()
    primitives(again)


@pytest.mark.parametrize("mark", [
    {"kind": "hexagon", "points": [[1, 2]]}, {"kind": "arrow", "points": [[5, 5], [5, 5]]},
    {"kind": "circle", "points": []}, {"kind": "text", "points": [[1, 1]], "text": 7},
    {"kind": "arrow", "points": [[1, 1]], "colour": ["red"]},
])
def test_a_mark_of_a_newer_tablet_or_of_nonsense_is_kept_and_not_drawn(mark):
    layer = read_layer(layer_bytes(OF, 640, 480, [mark]))
    assert layer is not None and len(layer.marks) == 1 and primitives(layer) == []
