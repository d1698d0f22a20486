"""Order numbers: what stands on a placard, made on the tablet from its lease and never changed afterwards.

``SW-2026-T07-0012-K`` is the year of the lease, the tablet code, the tablet's own count and a check character
that catches any single wrong character and any two neighbours swapped. The letters I, O and U are never used
as check characters, because people misread them on wet paper.
"""

import re
from dataclasses import dataclass

from sync.records.problems import Problem

# Thirty-one symbols: a prime, so that a weighted sum modulo 31 sees every single error and every swap of neighbours.
CHECK_ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTVWX"
_SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHAPE = re.compile(r"SW-(\d{4})-(T\d{2,4})-(\d{4,6})-([0-9A-Z])")
_TABLET = re.compile(r"T\d{2,4}")


@dataclass(frozen=True, slots=True)
class OrderNumber:
    """The parts of a number; ``str()`` gives the number as printed."""

    year: int
    tablet: str
    counter: int

    @property
    def stem(self) -> str:
        return f"SW-{self.year:04d}-{self.tablet}-{self.counter:04d}"

    def __str__(self) -> str:
        return f"{self.stem}-{check_character(self.stem)}"


def check_character(stem: str) -> str:
    """The check character of ``SW-2026-T07-0012``; hyphens do not count.

    Digits weigh 0 to 9 and letters 10 to 35 modulo 31; the fixed "SW" and "T" never vary, so no two
    symbols that can stand at the same place weigh the same.
    """
    total = 0
    for place, symbol in enumerate(reversed(stem.replace("-", "")), start=2):
        total += place * _SYMBOLS.index(symbol)
    return CHECK_ALPHABET[-total % 31]


def order_number(year: int, tablet: str, counter: int) -> str:
    """The number as printed. Raises Problem "number-malformed" outside years 2000-9999, counters 1-999999."""
    if not (2000 <= year <= 9999 and 1 <= counter <= 999_999 and _TABLET.fullmatch(tablet)):
        raise Problem("number-malformed", f"no number for year {year}, tablet {tablet!r}, count {counter}")
    return str(OrderNumber(year, tablet, counter))


def parse_number(text: str) -> OrderNumber:
    """Reads a number as typed (case and blanks forgiven). Raises Problem "number-malformed" when it cannot be."""
    if not isinstance(text, str) or len(text) > 64:
        raise Problem("number-malformed", "an order number is a short text such as SW-2026-T07-0012-K")
    plain = "".join(text.split()).upper()
    match = _SHAPE.fullmatch(plain) if plain.isascii() else None
    if not match:
        raise Problem("number-malformed", f"{text!r} does not look like SW-2026-T07-0012-K")
    number = OrderNumber(int(match[1]), match[2], int(match[3]))
    if str(number) != plain:
        raise Problem("number-malformed", f"the check character of {text!r} does not fit: one character is wrong")
    return number
