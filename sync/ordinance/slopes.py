"""Slopes in the unit they were measured in, compared exactly: percent, degrees, or rise to run.

15 degrees are 26.8 percent, so the unit is never guessed. A comparison is decided with as many digits as it
needs: no slope is ever rounded onto a limit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

UNITS = ("percent", "degrees", "ratio")
_RATIO = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*:\s*([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True)
class Slope:
    """``rise`` over ``run`` for a ratio; otherwise ``rise`` is the figure and ``run`` is 1."""

    unit: str
    rise: Fraction
    run: Fraction = Fraction(1)

    def steeper_than(self, percent: Fraction) -> bool:
        """Whether the slope is greater than ``percent``; equal is not greater."""
        if self.unit == "percent":
            return self.rise > percent
        if self.unit == "ratio":
            return self.rise * 100 > percent * self.run
        return _tangent_exceeds(self.rise, percent / 100)

    def __str__(self) -> str:
        if self.unit == "ratio":
            return f"{say(self.rise)}:{say(self.run)}"
        return f"{say(self.rise)} {'%' if self.unit == 'percent' else 'degrees'}"


def slope(unit: str, rise: Fraction, run: Fraction = Fraction(1)) -> Slope:
    """A checked slope. ValueError for a negative figure, a run of 0, or 90 degrees and more."""
    if unit not in UNITS:
        raise ValueError(f"a slope is given in {', '.join(UNITS)}, not {unit!r}")
    if rise < 0 or run < 0:
        raise ValueError("a slope is not negative")
    if run == 0:
        raise ValueError("a slope needs a run greater than 0")
    if unit == "degrees" and rise >= 90:
        raise ValueError("a slope in degrees is less than 90")
    return Slope(unit, rise, run)


def parse_ratio(text: str) -> Slope:
    """``"1:20"`` (rise:run). ValueError when it is not two numbers with a colon."""
    found = _RATIO.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"a slope ratio is written rise:run, such as 1:20, not {text!r}")
    return slope("ratio", Fraction(found[1]), Fraction(found[2]))


def say(number: Fraction) -> str:
    """An exact decimal where there is one, else the fraction."""
    if number.denominator == 1:
        return f"{number.numerator:,}"
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        return f"{number.numerator}/{number.denominator}"
    with localcontext() as context:
        context.prec = len(str(number.numerator)) + len(str(number.denominator)) * 4
        return f"{(Decimal(number.numerator) / Decimal(number.denominator)).normalize():,f}"


def _tangent_exceeds(degrees: Fraction, limit: Fraction) -> bool:
    """tan(degrees) > limit, decided between bounds that are narrowed until they agree.

    The tangent of a rational number of degrees is rational only at 0 and 45 below 90 (Niven), so that apart from
    these two the bounds always part from the limit.
    """
    if degrees == 0:
        return limit < 0
    if degrees == 45:
        return limit < 1
    digits = 30
    while True:
        low, high = _tangent(degrees, digits)
        if low > limit:
            return True
        if high < limit:
            return False
        digits *= 2


def _tangent(degrees: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Lower and upper bound of the tangent, some ``digits`` digits apart."""
    with localcontext() as context:
        context.prec = digits + 15
        angle = _pi(digits + 12) * degrees.numerator / (180 * degrees.denominator)
        sine = cosine = Decimal(0)
        term, step = Decimal(1), 0
        least = Decimal(10) ** -(digits + 12)
        while abs(term) > least or step < 4:
            if step % 2:
                sine += term if step % 4 == 1 else -term
            else:
                cosine += term if step % 4 == 0 else -term
            step += 1
            term = term * angle / step
        value = Fraction(sine) / Fraction(cosine)
    slack = abs(value) * (1 + abs(value)) * Fraction(1, 10**digits) + Fraction(1, 10**digits)
    return value - slack, value + slack


def _pi(digits: int) -> Decimal:
    """Machin's formula, with guard digits."""
    unit = 10 ** (digits + 10)

    def arctan_inverse(number: int) -> int:
        total = term = unit // number
        divisor, sign = 1, 1
        while term:
            term //= number * number
            divisor += 2
            sign = -sign
            total += sign * (term // divisor)
        return total

    return Decimal(4 * (4 * arctan_inverse(5) - arctan_inverse(239))) / Decimal(unit)
