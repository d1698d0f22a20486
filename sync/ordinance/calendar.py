"""The two calendars: legal holidays move a last day, office days count working days. Both are dated tables.

Nothing is computed from a rule such as "first Monday of September": each year is a list that somebody
checked, with its citation, and a year that is not in the tables fails loudly (``CalendarMissing``).
Counting rules: Wis. Stat. 990.001(4) as the pack cites it; a Saturday is a secular day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from .schema import Section

_DAY = timedelta(days=1)
_SATURDAY, _SUNDAY = 5, 6


class CalendarMissing(LookupError):
    """A day was asked about in a year for which the pack has no table."""

    def __init__(self, year: int, pack: str = ""):
        self.year = year
        super().__init__(f"the calendar of {year} is missing from the pack {pack}".rstrip() + ": add its table")


@dataclass(frozen=True, slots=True)
class Calendar:
    """Holidays by date, their names by language, and the week-days and dated closures of the office."""

    ref: str
    years: frozenset[int]
    holidays: frozenset[date]
    names: dict[date, dict[str, str]]
    closures: frozenset[date]
    closed_weekdays: frozenset[int]
    citations: dict[int, str]
    office_citations: dict[int, str]

    def with_closures(self, days: frozenset[date]) -> Calendar:
        """The same calendar with further days on which the office is shut."""
        if not days:
            return self
        return Calendar(self.ref, self.years, self.holidays, self.names, self.closures | days,
                        self.closed_weekdays, self.citations, self.office_citations)

    def corrected_by(self, newer: Calendar) -> Calendar:
        """The tables of ``newer`` in the place of these; a year that only these have stays as it is."""
        if newer is self or newer == self:
            return self

        def of(table: dict) -> dict:
            return {key: value for key, value in table.items() if _year_of(key) not in newer.years}

        return Calendar(newer.ref, self.years | newer.years, frozenset(of(self.names)) | newer.holidays,
                        of(self.names) | newer.names,
                        frozenset(day for day in self.closures if day.year not in newer.years) | newer.closures,
                        newer.closed_weekdays, of(self.citations) | newer.citations,
                        of(self.office_citations) | newer.office_citations)

    def is_holiday(self, day: date) -> bool:
        """A legal holiday. CalendarMissing for a year without a table."""
        if day.year not in self.years:
            raise CalendarMissing(day.year, self.ref)
        return day in self.holidays

    def is_secular(self, day: date) -> bool:
        """Neither Sunday nor legal holiday; Saturday is secular."""
        return not self.is_holiday(day) and day.weekday() != _SUNDAY

    def roll(self, day: date) -> date:
        """``day`` itself, or the next secular day after it. Idempotent; never an earlier day."""
        years, holidays = self.years, self.holidays
        while True:
            if day.year not in years:
                raise CalendarMissing(day.year, self.ref)
            if day not in holidays and day.weekday() != _SUNDAY:
                return day
            day += _DAY

    def is_open(self, day: date) -> bool:
        """Whether the office is open: an office week-day, no legal holiday, no listed closure."""
        return not self.is_holiday(day) and day.weekday() not in self.closed_weekdays and day not in self.closures

    def next_open(self, day: date) -> date:
        """``day`` itself, or the next day on which the office is open."""
        while not self.is_open(day):
            day += _DAY
        return day

    def working_days_after(self, day: date, count: int) -> date:
        """The ``count``-th office day after ``day``; ``day`` is day 0 whether the office was open or not."""
        while count:
            day += _DAY
            if self.is_open(day):
                count -= 1
        return day

    def is_shut_saturday(self, day: date) -> bool:
        """A Saturday on which the office keeps no hours (then filing and paying may wait)."""
        return day.weekday() == _SATURDAY and not self.is_open(day)

    def payment_day(self, day: date) -> date:
        """The due date of a payment: a shut Saturday, a Sunday or a holiday moves to the next open day."""
        if self.is_secular(day) and not self.is_shut_saturday(day):
            return day
        return self.next_open(day)

    def name(self, day: date, language: str = "en") -> str:
        """The holiday's name in ``language``; empty when it is none."""
        return self.names.get(day, {}).get(language, "")


def _year_of(key: date | int) -> int:
    return key if isinstance(key, int) else key.year


def read_calendar(section: Section, ref: str, languages: tuple[str, ...]) -> Calendar:
    """``calendars.toml``: ``[holidays.YEAR]`` with ``citation`` and ``days``, ``[office.YEAR]`` with closures."""
    spoken = section.section("names")
    titles = {slug: spoken.said(slug, languages) for slug in spoken.table}
    years: set[int] = set()
    names: dict[date, dict[str, str]] = {}
    citations: dict[int, str] = {}
    for text, year in section.tables("holidays"):
        number = _year(year, text)
        years.add(number)
        citations[number] = year.text("citation")
        for row in year.sections("days", least=1):
            day = row.day("on")
            if day.year != number:
                raise row.fail("on", f"{day} is not in {number}")
            if day in names:
                raise row.fail("on", f"{day} is listed twice")
            slug = row.text("holiday")
            if slug not in titles:
                raise row.fail("holiday", f"{slug!r} has no entry under names")
            row.day("in_place_of", None)
            row.done()
            names[day] = titles[slug]
        year.done()
    closures: set[date] = set()
    office_citations: dict[int, str] = {}
    for text, year in section.tables("office"):
        number = _year(year, text)
        if number not in years:
            raise year.fail("", f"office days of {number} without its holidays")
        office_citations[number] = year.text("citation")
        closures.update(year.days("closures"))
        year.done()
    for number in sorted(years - set(office_citations)):
        raise section.fail(f"office.{number}", "is missing")
    open_days = section.texts("open_weekdays")
    if not open_days:
        raise section.fail("open_weekdays", "must not be empty: no working day would ever be counted")
    week = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    for day in open_days:
        if day not in week:
            raise section.fail("open_weekdays", f"must name days as {', '.join(week)}, not {day!r}")
    section.done()
    closed = frozenset(number for number, day in enumerate(week) if day not in open_days)
    return Calendar(ref, frozenset(years), frozenset(names), names, frozenset(closures), closed, citations,
                    office_citations)


def _year(section: Section, text: str) -> int:
    if len(text) != 4 or not text.isdecimal():
        raise section.fail("", "must be a year such as 2026")
    return int(text)
