"""From grey to dark and light: each spot of the picture is compared with the mean of its surroundings.

A shadow over half a paper, or a lamp in its gloss, moves the mean along with the paper, so the code stays readable.
Works on whole rows at a time, because a loop over single pixels would take seconds inside a browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

AROUND = 2  # blocks to each side that count as the surroundings
# A spot counts as dark when it is this share below the mean, so that the grain of plain paper stays light.
DARKER_BY = 0.06


@cache
def _below(limit: int) -> bytes:
    """The translation of a grey row into 1 (dark) and 0 (light)."""
    return bytes(1 if grey < limit else 0 for grey in range(256))


def rows_of(grey: bytes, width: int, height: int) -> list[bytes]:
    """The rows of a picture of `width` * `height` bytes, 0 black to 255 white."""
    return [grey[at : at + width] for at in range(0, width * height, width)]


def dark_rows(rows: list[bytes], block: int) -> list[bytes]:
    """The rows as 1 for dark and 0 for light, each compared with about five blocks of `block` pixels around it."""
    width, height = len(rows[0]), len(rows)
    means = _smooth(list(_means(rows, block, width, height)))
    made = []
    for y, row in enumerate(rows):
        line = means[min(y // block, len(means) - 1)]
        made.append(b"".join(
            row[x : x + block].translate(_below(int(line[at] * (1 - DARKER_BY))))
            for at, x in enumerate(range(0, width, block))
        ))
    return made


def _means(rows: list[bytes], block: int, width: int, height: int) -> Iterator[list[float]]:
    for top in range(0, height, block):
        part = rows[top : top + block]
        yield [
            sum(sum(row[x : x + block]) for row in part) / (len(part) * min(block, width - x))
            for x in range(0, width, block)
        ]


def _smooth(means: list[list[float]]) -> list[list[float]]:
    across = [_running(line) for line in means]
    down = [_running(list(column)) for column in zip(*across, strict=True)]
    return [list(line) for line in zip(*down, strict=True)]


def _running(line: list[float]) -> list[float]:
    return [
        sum(near) / len(near)
        for at in range(len(line))
        if (near := line[max(0, at - AROUND) : at + AROUND + 1])
    ]
