"""The day counts of a stop-work order and of a permit, vector by vector."""

from datetime import date

import pytest

from sync.ordinance.calendar import CalendarMissing
from sync.ordinance.dates import (
    application_review,
    derive,
    extension_cap,
    order_dates,
    permit_life,
    statement,
    words,
)
from sync.ordinance.pack import load_pack
from sync.where import pack_files

PACK = load_pack(pack_files("demo"))

TEN_DAY_VECTORS = [
    # posted = issued, literal day 10, last day, first eligible day, entry when the notice goes out that day
    (date(2026, 4, 6), date(2026, 4, 16), date(2026, 4, 16), date(2026, 4, 17), date(2026, 5, 2)),
    (date(2026, 3, 5), date(2026, 3, 15), date(2026, 3, 16), date(2026, 3, 17), date(2026, 4, 1)),
    (date(2026, 6, 9), date(2026, 6, 19), date(2026, 6, 20), date(2026, 6, 21), date(2026, 7, 6)),
    (date(2026, 8, 27), date(2026, 9, 6), date(2026, 9, 8), date(2026, 9, 9), date(2026, 9, 24)),
    (date(2026, 11, 16), date(2026, 11, 26), date(2026, 11, 27), date(2026, 11, 28), date(2026, 12, 13)),
]


@pytest.mark.parametrize("posted, raw, last, eligible, entry", TEN_DAY_VECTORS)
def test_ten_days_end_past_sundays_and_holidays_but_not_past_saturdays(posted, raw, last, eligible, entry):
    by_clock = {one.clock: one for one in order_dates(PACK, posted_on=posted)}
    for clock in ("K4", "K5", "K6"):
        assert (by_clock[clock].raw, by_clock[clock].last_day) == (raw, last)
        assert by_clock[clock].eligible_from == eligible
    assert by_clock["K7"].start == eligible
    assert by_clock["K7"].eligible_from == entry


def test_the_words_name_every_day_that_moved_the_end():
    first = order_dates(PACK, posted_on=date(2026, 8, 27))[0]
    assert words(first) == "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"
    assert words(first, "es") == (
        "fijada el jueves 27 de agosto; el día 10 es el domingo 6 de septiembre; el lunes 7 de septiembre es feriado "
        "(Día del Trabajo); el último día es el martes 8 de septiembre")
    assert statement(first).endswith("(E(3); calendar 2026 (Wis. Stat. § 995.20); pack demo@2026.1)")


def test_a_holiday_that_does_not_move_the_end_is_said_too():
    """A time to wait and the life of a permit never roll: whoever sees Christmas there asks why."""
    wait = order_dates(PACK, posted_on=date(2026, 11, 30))[-1]
    assert (wait.clock, wait.last_day, wait.eligible_from) == ("K7", date(2026, 12, 25), date(2026, 12, 26))
    assert words(wait).endswith("day 14 is Fri Dec 25; Fri Dec 25 is Christmas Day: it does not make this wait longer; "
                                "possible from Sat Dec 26")
    assert "feriado (Navidad): no alarga este plazo de espera" in words(wait, "es")
    sunday = permit_life(PACK, date(2026, 1, 6))
    assert sunday.last_day == date(2026, 7, 5)
    assert "Sun Jul 5 is a Sunday: it does not make a permit last longer" in words(sunday)
    assert "longer" not in words(permit_life(PACK, date(2040, 1, 7)))


def test_each_clock_starts_where_its_clause_says():
    by_clock = {one.clock: one for one in order_dates(PACK, posted_on=date(2026, 4, 8), issued_on=date(2026, 4, 6))}
    assert by_clock["K4"].last_day == date(2026, 4, 16)
    assert words(by_clock["K4"]).startswith("issued Mon Apr 6; ")
    assert by_clock["K5"].last_day == by_clock["K6"].last_day == date(2026, 4, 18)


def test_the_permit_picks_the_branch():
    posted = date(2026, 4, 6)
    assert [one.clock for one in order_dates(PACK, posted_on=posted, permit_in_force=True)] == ["K4", "K6", "K7"]
    assert [one.clock for one in order_dates(PACK, posted_on=posted, permit_in_force=False)] == ["K5", "K6", "K7"]


def test_obtaining_a_permit_waits_for_an_office_that_is_shut_on_saturday():
    plain = derive(PACK, "K5", date(2026, 6, 9))
    assert plain.last_day == date(2026, 6, 20) and plain.permit_last_day == date(2026, 6, 22)
    assert plain.eligible_from == date(2026, 6, 21)
    assert words(plain).endswith("a permit may still be obtained until Mon Jun 22")
    assert derive(PACK, "K5", date(2026, 6, 9), permit_pending=True).eligible_from == date(2026, 6, 23)


@pytest.mark.parametrize("received, last", [
    (date(2026, 6, 26), date(2026, 7, 10)),
    (date(2026, 5, 15), date(2026, 6, 1)),
    (date(2026, 6, 27), date(2026, 7, 10)),
])
def test_ten_working_days_for_an_application(received, last):
    assert application_review(PACK, received).last_day == last


def test_a_working_day_on_which_the_office_was_shut_is_named():
    shut = PACK.with_closures(frozenset([date(2026, 7, 3)]))
    assert words(application_review(shut, date(2026, 6, 26))) == (
        "received Fri Jun 26; working day 10 is Mon Jul 13; the office is closed on Fri Jul 3; "
        "Sat Jul 4 is Independence Day; last day Mon Jul 13")


def test_a_permit_is_valid_for_the_longer_of_two_periods_and_never_rolls():
    assert permit_life(PACK, date(2026, 3, 2)).last_day == date(2026, 8, 29)
    longer = permit_life(PACK, date(2026, 3, 2), date(2026, 12, 31))
    assert longer.last_day == date(2026, 12, 31)
    assert words(longer).endswith("the other authorization lasts until Thu Dec 31, which is later; "
                                  "last valid day Thu Dec 31")
    shorter = permit_life(PACK, date(2026, 3, 2), date(2026, 5, 1))
    assert shorter.last_day == date(2026, 8, 29) and "ends sooner, on Fri May 1" in words(shorter)
    assert words(permit_life(PACK, date(2026, 3, 2), date(2026, 8, 29))) == (
        "issued Mon Mar 2; day 180 is Sat Aug 29; the other authorization ends on the same day; "
        "last valid day Sat Aug 29")
    assert words(shorter, "es").startswith("emitido el lunes 2 de marzo; el día 180 es")  # el permiso


def test_twelve_months_run_from_the_base_expiry():
    assert extension_cap(PACK, date(2027, 8, 31)).last_day == date(2028, 8, 31)
    assert extension_cap(PACK, date(2028, 2, 29)).last_day == date(2029, 2, 28)


def test_a_year_without_a_table_fails_loudly():
    with pytest.raises(CalendarMissing, match="2033"):
        order_dates(PACK, posted_on=date(2032, 12, 28))
