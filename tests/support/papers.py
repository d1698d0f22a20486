"""Reading papers back: text per page, the dark modules of a drawn QR code, and comparison with a golden text file."""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import Path

from pypdf import PdfReader

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


def pages(data: bytes) -> list[str]:
    """The text of each page, blanks within a line collapsed, empty lines left out."""
    found = []
    for page in PdfReader(BytesIO(data)).pages:
        lines = (" ".join(line.split()) for line in page.extract_text().splitlines())
        found.append("\n".join(line for line in lines if line))
    return found


def flat(data: bytes) -> str:
    """The text of the whole paper in one line, to look for sentences that were wrapped."""
    return " ".join(" ".join(pages(data)).split())


def check_golden(name: str, data: bytes) -> None:
    """Compares the paper's text with tests/golden/NAME.txt.

    After a wanted change, run once with SILTWATCH_WRITE_GOLDEN=1, look at the difference, commit it.
    """
    place = GOLDEN / f"{name}.txt"
    text = "\n\n".join(f"--- page {at}\n{page}" for at, page in enumerate(pages(data), start=1)) + "\n"
    if os.environ.get("SILTWATCH_WRITE_GOLDEN"):
        place.write_text(text, encoding="utf-8")
    assert text == place.read_text(encoding="utf-8"), f"{name}: the paper no longer says what {place} says"


def qr_modules(data: bytes, side: int) -> set[tuple[int, int]]:
    """The dark modules of the QR code on the first page as (row, column), for a symbol of `side` modules.

    Read from the rectangles in the page's content: black fills that are exactly one module high.
    """
    content = PdfReader(BytesIO(data)).pages[0].get_contents().get_data().decode("latin-1")
    boxes = [
        tuple(float(number) for number in match.groups())
        for match in re.finditer(r"([\d.]+) ([\d.]+) ([\d.]+) (-?[\d.]+) re f\b", content)
    ]
    heights = sorted(abs(box[3]) for box in boxes)
    high = next(h for h in heights if heights.count(h) > side)
    runs = [(x, y, w) for x, y, w, h in boxes if abs(h) == high]
    left, top = min(x for x, *_ in runs), max(y for _, y, _ in runs)
    # The frame of a finder pattern is seven modules wide and stands in the first row.
    step = min(w for x, y, w in runs if y == top and x == left) / 7
    dark = set()
    for x, y, wide in runs:
        row, column = round((top - y) / step), round((x - left) / step)
        dark |= {(row, column + at) for at in range(max(1, round(wide / step)))}
    return dark
