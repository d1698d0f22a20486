"""The stamp on derived copies: when and where a photo was taken, along the lower edge of the small picture. Pure.

Only pictures that were made of an original are stamped: thumbnails, previews, smaller copies. The original's bytes are
never touched. Pillow and the canvas measure letters differently; where the lines are broken and how large they are is
decided here for both.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

THUMBNAIL = 400
"""Up to this many pixels a side a picture is shown in a square: the stamp stays inside of what is seen of it."""
SHADE = 0.34
"""How much light of the picture is left behind the letters."""
MOST_LINES = 5

Stamp = tuple[str, ...]
Measure = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Plan:
    """Whole pixels. The shaded band is ``width`` x ``height`` at ``left``, ``top``; each line begins ``pad`` inside of
    it, ``step`` below the one before."""

    lines: Stamp
    left: int
    top: int
    width: int
    height: int
    pad: int
    step: int


def letters(width: int, height: int) -> int:
    """Height of the letters in pixels, so that they are legible in the whole picture and in a thumbnail."""
    longest = max(width, height)
    return max(9, round(longest / (22 if longest <= THUMBNAIL else 52)))


def plan(width: int, height: int, stamp: Sequence[str], measure: Measure) -> Plan:
    """Where the stamp goes on a picture of this size; ``measure`` gives the width of a text in these letters."""
    size = letters(width, height)
    pad, step = round(size * 0.5), round(size * 1.3)
    side = min(width, height)
    square = max(width, height) <= THUMBNAIL
    left, room = ((width - side) // 2, side) if square else (0, width)
    bottom = (height + side) // 2 if square else height
    lines = tuple(line for said in stamp for line in _broken(said, room - 2 * pad, measure))[:MOST_LINES]
    tall = min(side, step * len(lines) + 2 * (pad // 2))
    wide = min(room, math.ceil(max(map(measure, lines), default=0)) + 2 * pad)  # no more of the picture is shaded
    return Plan(lines, left, bottom - tall, wide, tall, pad, step)


def _broken(said: str, room: float, measure: Measure) -> list[str]:
    """The text in lines that fit, broken between words; a word that is too long is cut."""
    lines: list[str] = []
    for word in said.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer) <= room:
            lines[-1] = longer
            continue
        while len(word) > 1 and measure(word) > room:
            word = f"{word[:-2]}…" if word.endswith("…") else f"{word[:-1]}…"
        lines.append(word)
    return lines


def mark(stamp: Sequence[str]) -> str:
    """What tells small pictures with different stamps apart in their names; "" without one."""
    return f".{hashlib.sha256(chr(10).join(stamp).encode()).hexdigest()[:16]}" if stamp else ""
