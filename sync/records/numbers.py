"""Order numbers: what stands on a placard, made on the tablet from its lease and never changed afterwards.

``SW-2026-T07-0012-K`` is the year of the lease, the tablet code, the tablet's own count and a check character
that catches any single wrong character and any two neighbours swapped. The letters I, O and U are never used
as check characters, because people misread them on wet paper.

After a restore the server gives out tablet codes, order numbers and register numbers that bear the mark of that
restore, six letters that can be spoken (``T08KOBMIT``, ``SW-2026-T07-0061-KOBMIT-R``, ``R-2026-KOBMIT-00013``):
whatever it gave out in days that the backup does not know of bears another mark, or none.
"""

import re
from dataclasses import dataclass

from sync.records.problems import Problem

# Thirty-one symbols: a prime, so that a weighted sum modulo 31 sees every single error and every swap of neighbours.
CHECK_ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTVWX"
_SYMBOLS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MARK = "[A-Z]{6}"
TABLET_CODE = re.compile(rf"T(\d{{2,4}})({_MARK})?")
_SHAPE = re.compile(rf"SW-(\d{{4}})-({TABLET_CODE.pattern})-(\d{{4,6}})(?:-({_MARK}))?-([0-9A-Z])")
LAST_TABLET = 9_999
# Two syllables, each of consonant, vowel, consonant: what can be said on a telephone, some two million of them.
_CONSONANTS, _VOWELS = "BDFGHJKLMNPRSTVWZ", "AEIOU"
_SYLLABLE = (_CONSONANTS, _VOWELS, _CONSONANTS)
# What nobody wants to read on a legal paper.
_UNFIT = ("DIK", "FAG", "FUK", "GOD", "HOR", "JUD", "KAK", "KOK", "KUK", "KUM", "NAZ", "NEG", "NIG", "PIS", "PUT",
          "RAP", "SEK", "SUK", "TIT")  # fmt: skip


@dataclass(frozen=True, slots=True)
class OrderNumber:
    """The parts of a number; ``str()`` gives the number as printed. ``life``: the mark of the restore after which it
    was given out, where the tablet's code does not bear that anyway; else ""."""

    year: int
    tablet: str
    counter: int
    life: str = ""

    @property
    def stem(self) -> str:
        return f"SW-{self.year:04d}-{self.tablet}-{self.counter:04d}" + (f"-{self.life}" if self.life else "")

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


def order_number(year: int, tablet: str, counter: int, life: str = "") -> str:
    """The number as printed, of the life ``life`` of the city's records ("": never restored). Raises Problem
    "number-malformed" outside years 2000-9999, counters 1-999999."""
    code = TABLET_CODE.fullmatch(tablet)
    if not (2000 <= year <= 9999 and 1 <= counter <= 999_999 and code and (not life or is_mark(life))):
        raise Problem("number-malformed", f"no number for year {year}, tablet {tablet!r}, count {counter}, {life!r}")
    return str(OrderNumber(year, tablet, counter, "" if life == code[2] else life))


def parse_number(text: str) -> OrderNumber:
    """Reads a number as typed (case and blanks forgiven). Raises Problem "number-malformed" when it cannot be."""
    if not isinstance(text, str) or len(text) > 64:
        raise Problem("number-malformed", "an order number is a short text such as SW-2026-T07-0012-K")
    plain = "".join(text.split()).upper()
    match = _SHAPE.fullmatch(plain) if plain.isascii() else None
    if not match:
        raise Problem("number-malformed", f"{text!r} does not look like SW-2026-T07-0012-K")
    number = OrderNumber(int(match[1]), match[2], int(match[5]), match[6] or "")
    if str(number) != plain:
        raise Problem("number-malformed", f"the check character of {text!r} does not fit: one character is wrong")
    return number


def tablet_code(number: int, life: str = "") -> str:
    """The code of the ``number``-th tablet, "T07". Raises Problem "tablet-codes-gone" after the last one."""
    if number > LAST_TABLET:
        raise Problem("tablet-codes-gone", f"T{LAST_TABLET} was the last one")
    return f"T{number:02d}{life}"


def tablet_number(code: str) -> int:
    """Which of the city's tablets the code names: 7 for "T07" and for "T07KOBMIT"."""
    match = TABLET_CODE.fullmatch(code)
    if match is None:
        raise Problem("number-malformed", f"{code!r} is no tablet code")
    return int(match[1])


def register_number(year: int, number: int, life: str = "") -> str:
    """The register number as it is written."""
    return f"R-{year}-{life}-{number:05d}" if life else f"R-{year}-{number:05d}"


def is_mark(text: str) -> bool:
    """Whether the text can be the mark of a restore."""
    return re.fullmatch(_MARK, text) is not None


def mark_of(seed: bytes) -> str:
    """The mark that the bytes of ``seed`` (at least 8) come to; "" when it is one that nobody wants to read."""
    left, mark = int.from_bytes(seed), ""
    for letters in _SYLLABLE * 2:
        left, at = divmod(left, len(letters))
        mark += letters[at]
    return "" if any(word in mark for word in _UNFIT) else mark


PAPERS = {"emergency": "EM", "revision": "RV"}


def paper_reference(act: str, found_on: str, fact: str) -> str:
    """What the paper of an emergency or a revision of the plan, found on that day, is called by: EM-2026-1A2B3C4D. The
    fact's id makes it its own with no network, and capitals are read out more easily."""
    return f"{PAPERS[act]}-{found_on[:4]}-{fact[:8].upper()}"
