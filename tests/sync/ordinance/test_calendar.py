"""The dated tables against an independent reckoning by the rules of Wis. Stat. 995.20, and how they move a day."""

from datetime import date, timedelta

import pytest

from sync.ordinance.calendar import CalendarMissing

YEARS = range(2024, 2033)
DAY = timedelta(days=1)


def weekday_of_month(year: int, month: int, weekday: int, number: int) -> date:
    found = [date(year, month, day) for day in range(1, 29 if month == 2 else 31)
             if date(year, month, day).weekday() == weekday]
    return found[number]


def by_the_statute(year: int) -> set[date]:
    may = [date(year, 5, day) for day in range(1, 32) if date(year, 5, day).weekday() == 0]
    moving = {weekday_of_month(year, 1, 0, 2), weekday_of_month(year, 2, 0, 2), may[-1],
              weekday_of_month(year, 9, 0, 0), weekday_of_month(year, 10, 0, 1), weekday_of_month(year, 11, 3, 3)}
    if year % 2 == 0:
        moving |= {weekday_of_month(year, 8, 1, 1), weekday_of_month(year, 11, 0, 0) + DAY}
    fixed = {date(year, 1, 1), date(year, 6, 19), date(year, 7, 4), date(year, 11, 11), date(year, 12, 25)}
    return moving | {day + DAY if day.weekday() == 6 else day for day in fixed}


@pytest.mark.parametrize("year", YEARS)
def test_each_table_is_what_the_statute_says(pack, year):
    assert {day for day in pack.calendar.holidays if day.year == year} == by_the_statute(year)
    assert pack.calendar.citations[year] and pack.calendar.office_citations[year]


def test_a_sunday_holiday_is_kept_on_monday_and_a_saturday_one_does_not_move(pack):
    calendar = pack.calendar
    assert calendar.is_holiday(date(2027, 7, 5)) and not calendar.is_holiday(date(2027, 7, 4))
    assert calendar.is_holiday(date(2026, 7, 4)) and not calendar.is_holiday(date(2026, 7, 3))


@pytest.mark.parametrize("day", [date(2026, 12, 24), date(2026, 12, 31), date(2026, 11, 27), date(2026, 4, 3)])
def test_the_days_that_offices_often_close_are_open_unless_a_pack_lists_them(pack, day):
    assert pack.calendar.is_open(day)
    assert not pack.with_closures(frozenset([day])).calendar.is_open(day)
    assert pack.with_closures(frozenset([day])).calendar.is_secular(day)


def test_a_missing_year_fails_loudly_and_names_itself(pack):
    for work in (pack.calendar.is_holiday, pack.calendar.roll, pack.calendar.is_open, pack.calendar.payment_day):
        with pytest.raises(CalendarMissing, match="2023"):
            work(date(2023, 5, 1))
    with pytest.raises(CalendarMissing, match="2033"):
        pack.calendar.working_days_after(date(2032, 12, 30), 5)


@pytest.mark.parametrize("due, moved", [
    (date(2026, 8, 10), date(2026, 8, 10)),
    (date(2026, 8, 8), date(2026, 8, 10)),     # a shut Saturday
    (date(2026, 8, 9), date(2026, 8, 10)),     # a Sunday
    (date(2026, 7, 4), date(2026, 7, 6)),      # a holiday on a Saturday
    (date(2026, 6, 19), date(2026, 6, 22)),    # a holiday on a Friday, then a shut Saturday
])
def test_a_payment_falls_due_on_an_open_day(pack, due, moved):
    assert pack.calendar.payment_day(due) == moved


def test_a_payment_on_a_weekday_on_which_the_office_happens_to_be_shut_does_not_move(pack):
    shut = pack.with_closures(frozenset([date(2026, 8, 12)])).calendar
    assert shut.payment_day(date(2026, 8, 12)) == date(2026, 8, 12)
    assert shut.payment_day(date(2026, 8, 9)) == date(2026, 8, 10)
