"""One picture in, the text of its QR code out."""

from __future__ import annotations

from collections.abc import Iterator

from field_app.scan.code import read_modules
from field_app.scan.corners import Grid, find_corners, triples
from field_app.scan.light import dark_rows, rows_of

# How large the surroundings are that a spot is compared with: for most codes, for small ones, for very large ones.
BLOCKS = (16, 8, 40)
SMALLEST = 21


def read_code(grey: bytes, width: int, height: int) -> str | None:
    """The text of a QR code in a picture of `width` * `height` bytes, 0 black to 255 white; None when none is read."""
    if width < SMALLEST or height < SMALLEST or len(grey) < width * height:
        return None
    rows = rows_of(grey, width, height)
    for block in BLOCKS:
        for found in _codes(dark_rows(rows, block)):
            return found
    return None


def _codes(dark: list[bytes]) -> Iterator[str]:
    for three in triples(find_corners(dark)):
        grid = Grid(dark, three)
        for size in grid.sizes():
            for modules in grid.readings(size):
                # A camera that looks at the person gives its picture as in a mirror: rows and columns change places.
                text = read_modules(modules) or read_modules([list(line) for line in zip(*modules, strict=True)])
                if text:
                    yield text
