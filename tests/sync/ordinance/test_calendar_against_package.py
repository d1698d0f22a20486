"""The dated tables against the ``holidays`` package, which only the tests carry.

The package follows what the State's offices keep, not the statute, so its differences are a written list.
"""

from datetime import timedelta

import holidays
import pytest

YEARS = range(2024, 2033)
DAY = timedelta(days=1)


@pytest.mark.parametrize("year", YEARS)
def test_the_differences_from_the_holidays_package_are_the_expected_ones(pack, year):
    theirs = {day: name for day, name in holidays.US(subdiv="WI", years=year, observed=False).items()}
    ours = {day: pack.calendar.name(day) for day in pack.calendar.holidays if day.year == year}
    sunday_kept_monday = {day + DAY for day in theirs if day.weekday() == 6 and "Easter" not in theirs[day]}
    only_ours = {"Columbus Day"} | ({"Partisan Primary Day", "General Election Day"} if year % 2 == 0 else set())
    only_theirs = {"Susan B. Anthony Day", "Christmas Eve", "New Year's Eve"}
    assert {name for day, name in ours.items() if day not in theirs and day not in sunday_kept_monday} == only_ours
    assert {name for day, name in theirs.items() if day not in ours and day.weekday() != 6} <= only_theirs
    for day in sunday_kept_monday & set(ours):
        assert theirs[day - DAY] and day.weekday() == 0
