"""The layer of marks over a photo: arrows, circles and words, as whole numbers in the photo's own upright pixels.

One file of kind "annotation" per photo (`strokes.is_annotation` checks its frame). The photo's bytes are never touched:
a layer names them by their SHA-256 and is drawn over a small copy wherever the photo is shown. `primitives` is the one
place that says how a mark looks; tablet, page and paper draw lines, ellipses and words from it. Marks of a kind that
this version does not know are kept in the bytes and not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sync.records.strokes import is_annotation
from sync.records.wire import decode, encode

KINDS = ("arrow", "circle", "text")
COLOURS = {"red": ("#D50000", "#FFFFFF"), "yellow": ("#FFD600", "#000000"), "blue": ("#0050E0", "#FFFFFF")}
"""The ink of a mark, and what stands around it so that it shows on any ground."""
MOST_MARKS = 60
MOST_TEXT = 80
# Share of the photo's longer side, in thousandths: width of a line, height of letters, the head of an arrow, what a tap
# without a stroke draws, and below what length a stroke counts as a tap.
_LINE, _LETTERS, _HEAD, _SIZE, _TAP = 7, 42, 40, 110, 25

Mark = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A polyline."""

    points: tuple[tuple[int, int], ...]
    colour: str


@dataclass(frozen=True, slots=True)
class Ellipse:
    x: int
    y: int
    rx: int
    ry: int
    colour: str


@dataclass(frozen=True, slots=True)
class Words:
    """Text whose left edge and middle height are at x, y; letters are ``size`` pixels high."""

    x: int
    y: int
    size: int
    text: str
    colour: str


Primitive = Line | Ellipse | Words


@dataclass(frozen=True, slots=True)
class Layer:
    """``of`` the photo's SHA-256; ``width`` x ``height`` of the photo as it is seen upright."""

    of: str
    width: int
    height: int
    marks: tuple[Mark, ...]

    @property
    def line(self) -> int:
        """How wide lines are, in pixels of the photo."""
        return _share(self, _LINE)


def layer_bytes(of: str, width: int, height: int, marks: Iterable[Mark]) -> bytes:
    """The file: the same marks give the same bytes."""
    plain = [{**mark, "points": [list(point) for point in mark["points"]]} for mark in marks]
    return encode({"annotation": 1, "of": of, "width": width, "height": height, "marks": plain})


def read_layer(data: bytes) -> Layer | None:
    """The layer of a file of kind "annotation"; None when it is none."""
    if not is_annotation(data):
        return None
    raw = decode(bytes(data))
    return Layer(raw["of"], raw["width"], raw["height"], tuple(raw["marks"]))


def _share(layer: Layer, thousandths: int) -> int:
    return max(1, max(layer.width, layer.height) * thousandths // 1000)


def fitted(layer: Layer, kind: str, stroke: Sequence[Sequence[int]], colour: str, text: str = "") -> dict[str, Any]:
    """A mark from what a finger in a glove drew: an arrow runs straight from where it began to where it ended, and
    snaps to the level, the upright and the diagonal; a circle goes around all that was drawn, and is round when it
    nearly was; a tap gives one of a good size. Everything stays inside the photo."""
    box_w, box_h = layer.width - 1, layer.height - 1
    points = [(min(max(int(x), 0), box_w), min(max(int(y), 0), box_h)) for x, y, *_ in stroke]
    (x, y), (to_x, to_y) = points[0], points[-1]
    size = _share(layer, _SIZE)
    if kind == "text":
        return {"kind": kind, "points": [[x, y]], "colour": colour, "text": text[:MOST_TEXT]}
    if kind == "arrow":
        if math.hypot(to_x - x, to_y - y) < _share(layer, _TAP):  # a tap: the tip is where it was tapped
            to_x, to_y = x, y
            x, y = (x - size if x >= size else x + size), (y + size if y + size <= box_h else y - size)
        else:
            to_x, to_y = _snapped(x, y, to_x, to_y)
        ends = [(x, y), (to_x, to_y)]
    else:
        axes = list(zip(*points, strict=True))
        lows, highs = [min(axis) for axis in axes], [max(axis) for axis in axes]
        half_w, half_h = (highs[0] - lows[0]) // 2, (highs[1] - lows[1]) // 2
        middle_x, middle_y = (lows[0] + highs[0]) // 2, (lows[1] + highs[1]) // 2
        if max(half_w, half_h) * 2 < _share(layer, _TAP):
            half_w = half_h = size * 3 // 4
        elif min(half_w, half_h) * 4 >= max(half_w, half_h) * 3:
            half_w = half_h = (half_w + half_h) // 2
        half_w, half_h = max(half_w, layer.line), max(half_h, layer.line)
        ends = [(middle_x - half_w, middle_y - half_h), (middle_x + half_w, middle_y + half_h)]
    inside = [[min(max(at, 0), box_w), min(max(down, 0), box_h)] for at, down in ends]
    return {"kind": kind, "points": inside, "colour": colour}


def _snapped(x: int, y: int, to_x: int, to_y: int) -> tuple[int, int]:
    length, angle = math.hypot(to_x - x, to_y - y), math.degrees(math.atan2(to_y - y, to_x - x))
    near = round(angle / 45) * 45
    if abs(angle - near) > 7:
        return to_x, to_y
    turn = math.radians(near)
    return x + round(length * math.cos(turn)), y + round(length * math.sin(turn))


def primitives(layer: Layer) -> list[Primitive]:
    """What to draw, mark by mark; a mark that makes no sense is left out."""
    drawn: list[Primitive] = []
    for mark in layer.marks:
        points = [(point[0], point[1]) for point in mark["points"]]
        colour = next((name for name in COLOURS if name == mark.get("colour")), "red")
        if mark["kind"] == "arrow" and len(points) == 2:
            drawn += _arrow(layer, points[0], points[1], colour)
        elif mark["kind"] == "circle" and len(points) == 2:
            (x, y), (to_x, to_y) = points
            rx, ry = abs(to_x - x) // 2, abs(to_y - y) // 2
            drawn.append(Ellipse((x + to_x) // 2, (y + to_y) // 2, max(1, rx), max(1, ry), colour))
        elif mark["kind"] == "text" and points and isinstance(mark.get("text"), str) and mark["text"].strip():
            drawn.append(Words(*points[0], _share(layer, _LETTERS), mark["text"][:MOST_TEXT], colour))
    return drawn


def _arrow(layer: Layer, tail: tuple[int, int], tip: tuple[int, int], colour: str) -> list[Primitive]:
    length = math.hypot(tip[0] - tail[0], tip[1] - tail[1])
    if length < 1:
        return []
    head, angle = min(_share(layer, _HEAD), length * 0.6), math.atan2(tip[1] - tail[1], tip[0] - tail[0])
    sides = [(round(tip[0] - head * math.cos(angle + turn)), round(tip[1] - head * math.sin(angle + turn)))
             for turn in (0.5, -0.5)]
    return [Line((tail, tip), colour), Line((sides[0], tip, sides[1]), colour)]
