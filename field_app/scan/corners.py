"""Where a code lies in the picture: its three corner squares, its size in modules, and the picture of each module.

A corner square shows dark, light, dark, light, dark in the proportion 1:1:3:1:1 along every line through its middle,
however it is turned. Three of them that stand like the corners of a square are tried as a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import hypot

from field_app.scan.code import LARGEST, alignment_places

_RUNS = re.compile(b"\x01+|\x00+")
MOST_CORNERS = 9
MOST_TRIPLES = 6
# Of the two lines that count the modules so much must be right before the rest is looked at; half of it is chance.
LEAST_TIMING = 0.6
Point = tuple[float, float]


@dataclass(slots=True)
class Corner:
    """The middle of a corner square, about how wide one module is there, and on how many lines it was seen."""

    x: float
    y: float
    module: float
    seen: int = 1


def _fits(runs: tuple[int, ...] | list[int]) -> float:
    """The width of a module when five runs stand as 1:1:3:1:1, else 0."""
    total = sum(runs)
    if total < 7 or 0 in runs:
        return 0.0
    module = total / 7
    loose = module * 0.55
    near = all(abs(run - module) < loose for run in (runs[0], runs[1], runs[3], runs[4]))
    return module if near and abs(runs[2] - 3 * module) < 3 * loose else 0.0


def find_corners(dark: list[bytes]) -> list[Corner]:
    """The corner squares of the picture, the surest first."""
    found: list[Corner] = []
    columns = [bytes(column) for column in zip(*dark, strict=True)]
    for y in range(1, len(dark), 2):
        spans = [(m.start(), m.end()) for m in _RUNS.finditer(dark[y])]
        lengths = [end - start for start, end in spans]
        first = 0 if dark[y][0] else 1
        for at in range(first, len(spans) - 4, 2):
            # Most lines fail at the middle run, so that is looked at first.
            if lengths[at + 2] < 2 * lengths[at + 1] - 1 or lengths[at + 2] < 2 * lengths[at + 3] - 1:
                continue
            if not _fits(lengths[at : at + 5]):
                continue
            x = (spans[at + 2][0] + spans[at + 2][1]) / 2
            up = _through(columns[int(x)], y)
            if up is None:
                continue
            across = _through(dark[int(up[0])], int(x))
            if across is None:
                continue
            _note(found, Corner(across[0], up[0], (up[1] + across[1]) / 2))
    sure = [one for one in found if one.seen > 1] or found
    return sorted(sure, key=lambda one: -one.seen)[:MOST_CORNERS]


def _through(line: bytes, at: int) -> Point | None:
    """Middle and module width of the corner square whose middle run covers `at` on this line; None for none."""
    if not line[at]:
        return None
    ends = [at, at]
    runs = []
    for side, step in ((0, -1), (1, 1)):
        here, kind, lengths = at, 1, []
        for _run in range(3):
            begin = here
            while 0 <= here < len(line) and line[here] == kind:
                here += step
            lengths.append(abs(here - begin))
            if len(lengths) == 1:
                ends[side] = here
            kind = 1 - kind
        runs.append(lengths)
    left, right = runs
    module = _fits([left[2], left[1], left[0] + right[0] - 1, right[1], right[2]])
    return ((ends[0] + ends[1] + 1) / 2, module) if module else None


def _note(found: list[Corner], new: Corner) -> None:
    for one in found:
        if abs(one.x - new.x) <= one.module * 1.5 and abs(one.y - new.y) <= one.module * 1.5:
            total = one.seen + 1
            one.x, one.y = (one.x * one.seen + new.x) / total, (one.y * one.seen + new.y) / total
            one.module = (one.module * one.seen + new.module) / total
            one.seen = total
            return
    found.append(new)


def triples(corners: list[Corner]) -> list[tuple[Corner, Corner, Corner]]:
    """Threes that may be one code, as (top left, top right, bottom left) of it, the likeliest first."""
    rated = []
    for three in combinations(corners, 3):
        sides = sorted(
            ((hypot(a.x - b.x, a.y - b.y), i) for i, (a, b) in enumerate(
                ((three[1], three[2]), (three[0], three[2]), (three[0], three[1])))),
            reverse=True,
        )
        (long, top), (one, _), (two, _) = sides
        widths = [corner.module for corner in three]
        if two < 7 * min(widths) or max(widths) > 2.2 * min(widths):
            continue
        off = abs(one / two - 1) + abs(long / hypot(one, two) - 1) * 3 + (max(widths) / min(widths) - 1)
        first = three[top]
        second, third = (corner for i, corner in enumerate(three) if i != top)
        if (second.x - first.x) * (third.y - first.y) - (second.y - first.y) * (third.x - first.x) < 0:
            second, third = third, second
        if off < 2.2:
            rated.append((off, (first, second, third)))
    return [three for _off, three in sorted(rated, key=lambda pair: pair[0])[:MOST_TRIPLES]]


class Grid:
    """One try at a code: three corners in a picture of dark and light."""

    def __init__(self, dark: list[bytes], corners: tuple[Corner, Corner, Corner]) -> None:
        self.dark, self.width, self.height = dark, len(dark[0]), len(dark)
        self.corners = [(c.x, c.y) for c in corners]
        self.modules = [c.module for c in corners]

    def _at(self, x: float, y: float) -> int:
        column, row = int(x), int(y)
        return self.dark[row][column] if 0 <= column < self.width and 0 <= row < self.height else 0

    def _square(self, middle: Point, towards: Point, guess: float) -> float:
        """How wide a module of the corner square at `middle` is, measured along the line to `towards`."""
        away = hypot(towards[0] - middle[0], towards[1] - middle[1])
        step = ((towards[0] - middle[0]) / away / 2, (towards[1] - middle[1]) / away / 2)
        reach = []
        for sign in (1, -1):
            changes, kind, walked = 0, 1, 0
            while changes < 3 and walked < guess * 16:
                walked += 1
                if self._at(middle[0] + sign * step[0] * walked, middle[1] + sign * step[1] * walked) != kind:
                    changes, kind = changes + 1, 1 - kind
            reach.append(walked / 2)
        return sum(reach) / 7

    def sizes(self) -> Iterator[int]:
        """The sizes in modules that it may have, the likeliest first."""
        first, second, third = self.corners
        counts = []
        for other, index in ((second, 1), (third, 2)):
            module = (self._square(first, other, self.modules[0]) + self._square(other, first, self.modules[index])) / 2
            if module > 0:
                counts.append(hypot(other[0] - first[0], other[1] - first[1]) / module + 7)
        if not counts:
            return
        likely = sum(counts) / len(counts)
        version = round((likely - 17) / 4)
        behind = 1 if (likely - 17) / 4 < version else -1
        sizes = [17 + 4 * one for one in (version, version - behind, version + behind) if 1 <= one <= LARGEST]
        rated = sorted(((self._timing(size), size) for size in sizes), reverse=True)
        # Seen very much from one side the lines are missed: then the likely size alone is tried.
        yield from [size for right, size in rated if right >= LEAST_TIMING] or sizes[:1]

    def _timing(self, size: int) -> float:
        """How much of the two lines between the corner squares, dark and light in turn, is as it must be, 0 to 1."""
        first, second, third = self.corners
        whole = size - 7
        u = ((second[0] - first[0]) / whole, (second[1] - first[1]) / whole)
        v = ((third[0] - first[0]) / whole, (third[1] - first[1]) / whole)
        right = 0
        for at in range(8, size - 8):
            for along, aside in ((u, v), (v, u)):
                x = first[0] + along[0] * (at - 3) + aside[0] * 3
                y = first[1] + along[1] * (at - 3) + aside[1] * 3
                right += self._at(x, y) == 1 - at % 2
        return right / (2 * (size - 16))

    def readings(self, size: int) -> Iterator[list[list[int]]]:
        """The modules as dark (1) and light, once for each way to lay the grid."""
        first, second, third = self.corners
        whole = size - 7
        u = ((second[0] - first[0]) / whole, (second[1] - first[1]) / whole)
        v = ((third[0] - first[0]) / whole, (third[1] - first[1]) / whole)
        marks = [(3.5, 3.5), (size - 3.5, 3.5), (3.5, size - 3.5)]
        if size > 21:
            near = alignment_places((size - 17) // 4)[-1] - 3  # modules from the first corner's middle
            guess = (first[0] + (u[0] + v[0]) * near, first[1] + (u[1] + v[1]) * near)
            for place in self._alignment(guess, u, v):
                yield self._sampled(size, [*marks, (size - 6.5, size - 6.5)], [*self.corners, place])
        opposite = (second[0] + third[0] - first[0], second[1] + third[1] - first[1])
        yield self._sampled(size, [*marks, (size - 3.5, size - 3.5)], [*self.corners, opposite])

    def _alignment(self, guess: Point, u: Point, v: Point) -> list[Point]:
        """Up to two places near `guess` that look most like the small square of dark, light, dark."""
        wanted = [(i, j, 1 if max(abs(i), abs(j)) != 1 else 0) for i in range(-2, 3) for j in range(-2, 3)]
        rated = []
        for a in range(-16, 17):
            for b in range(-16, 17):
                x = guess[0] + (u[0] * a + v[0] * b) / 3
                y = guess[1] + (u[1] * a + v[1] * b) / 3
                if not self._at(x, y):
                    continue
                same = sum(self._at(x + u[0] * i + v[0] * j, y + u[1] * i + v[1] * j) == kind for i, j, kind in wanted)
                if same >= 21:
                    rated.append((-same, abs(a) + abs(b), x, y))
        rated.sort()
        best = [one for one in rated if one[0] == rated[0][0]] if rated else []
        if not best:
            return []
        # As good in several neighbouring places: the middle of them is the middle of the square.
        close = [p for p in best if hypot(p[2] - best[0][2], p[3] - best[0][3]) <= hypot(*u) * 1.2]
        middle = (sum(p[2] for p in close) / len(close), sum(p[3] for p in close) / len(close))
        return [middle, (best[0][2], best[0][3])] if len(close) > 1 else [middle]

    def _sampled(self, size: int, marks: list[Point], places: list[Point]) -> list[list[int]]:
        a, b, c, d, e, f, g, h = _perspective(marks, places)
        made = []
        for row in range(size):
            y = row + 0.5
            line = []
            for column in range(size):
                x = column + 0.5
                depth = g * x + h * y + 1 or 1e-9
                line.append(self._at((a * x + b * y + c) / depth, (d * x + e * y + f) / depth))
            made.append(line)
        return made


def _perspective(marks: list[Point], places: list[Point]) -> list[float]:
    """The eight numbers of the perspective that takes each of four marks to its place."""
    rows: list[list[float]] = []
    for (x, y), (to_x, to_y) in zip(marks, places, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -to_x * x, -to_x * y, to_x])
        rows.append([0, 0, 0, x, y, 1, -to_y * x, -to_y * y, to_y])
    for at in range(8):
        best = max(range(at, 8), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        lead = rows[at][at] or 1e-12
        rows[at] = [value / lead for value in rows[at]]
        for other in range(8):
            if other != at and rows[other][at]:
                factor = rows[other][at]
                rows[other] = [value - factor * mine for value, mine in zip(rows[other], rows[at], strict=True)]
    return [row[8] for row in rows]
