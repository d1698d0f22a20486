"""How long each clock of the law runs and how its end is found: the rules as the pack gives them.

Day 0 is never counted, the last day is. ``ends`` finds the literal last day and the last day as rolled;
an act may follow on ``opens``. A validity period (permit) and a waiting period (entry) never roll.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from .calendar import Calendar
from .schema import Section

_DAY = timedelta(days=1)
STARTS = ("received", "issued", "posted", "notice_issued", "base_expiry", "found", "billed", "season", "due")
UNITS = ("days", "hours", "working days", "months", "none")
OPENS = ("day after", "literal day", "at once", "none")


@dataclass(frozen=True, slots=True)
class Clock:
    """One clock: clause, what starts it, its length with the unit, whether its end rolls, when an act opens."""

    id: str
    clause: str
    start: str
    length: int
    unit: str
    rolls: bool
    opens: str
    label: dict[str, str]
    span: timedelta = _DAY
    to_open_day: bool = False

    def ends(self, start: date, calendar: Calendar, further: int = 0) -> tuple[date, date]:
        """(literal last day, last day after rolling) for day 0 ``start``; ``further`` days lengthen it.

        Hours leave out whole Sundays and legal holidays and, with only dates known, end on the day on which
        the hours run out. CalendarMissing when a year that matters has no table.
        """
        if self.unit == "days":
            raw = start + (self.span if not further else timedelta(days=self.length + further))
            return raw, self.moved(raw, calendar)
        if self.unit == "working days":
            raw = calendar.working_days_after(start, self.length + further)
            return raw, raw
        if self.unit == "hours":
            raw = start
            for _ in range(-(-self.length // 24) + further):
                raw = calendar.roll(raw + _DAY)
            return raw, raw
        if self.unit == "months":
            raw = add_months(start, self.length) + timedelta(days=further)
            return raw, raw
        return start, start

    def moved(self, raw: date, calendar: Calendar) -> date:
        """Where a literal last day ends up: past Sundays and holidays, or for a payment on an open day."""
        if self.to_open_day:
            return calendar.payment_day(raw)
        return calendar.roll(raw) if self.rolls else raw

    def opens_on(self, raw: date, last: date) -> date | None:
        """The first day on which the act may follow; None when no act follows from this clock."""
        if self.opens == "day after":
            return last + _DAY
        if self.opens == "literal day":
            return raw
        return last if self.opens == "at once" else None


def add_months(day: date, months: int) -> date:
    """The same day ``months`` calendar months later, or that month's last day when it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(last, day.day))
        except ValueError:
            continue
    raise OverflowError(f"no month {months} months after {day}")


def read_clocks(section: Section, clauses: dict, languages: tuple[str, ...]) -> dict[str, Clock]:
    """``clocks.toml``: one table per clock, K1 to K12, each citing a clause of the pack."""
    found: dict[str, Clock] = {}
    for name in tuple(section.table):
        inner = section.section(name)
        clause = inner.text("clause")
        if clause not in clauses:
            raise inner.fail("clause", f"{clause!r} is not a clause of this pack")
        unit = inner.choice("unit", UNITS)
        length = inner.whole("length", least=1) if unit != "none" else 0
        found[name] = Clock(
            name, clause, inner.choice("start", STARTS), length, unit, inner.flag("rolls", False),
            inner.choice("opens", OPENS, "none"), inner.said("label", languages), timedelta(days=length),
            inner.flag("to_open_day", False))
        inner.done()
    for name in CLOCKS:
        if name not in found:
            raise section.fail(name, "is missing")
    for name in found:
        if name not in CLOCKS:
            raise section.fail(name, "is not a clock that is known here")
    return found


CLOCKS = tuple(f"K{number}" for number in range(1, 13))
