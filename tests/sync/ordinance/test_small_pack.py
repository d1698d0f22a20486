"""Another city's numbers and readings, and a 24-hour clock: nothing of the demo is built into the law."""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from sync.ordinance.acts import decide
from sync.ordinance.cases import evaluate, read_case_file
from sync.ordinance.checklists import judge
from sync.ordinance.dates import application_review, derive, extension_cap, order_dates, permit_life, words
from sync.ordinance.events import Event
from sync.ordinance.matter import fold
from sync.ordinance.money import roll_year
from sync.ordinance.need import Area, Project, decide_need
from sync.ordinance.plans import fee
from sync.ordinance.slopes import slope


def test_a_24_hour_clock_leaves_out_sundays_and_holidays(small):
    assert derive(small, "K4", date(2026, 8, 25)).last_day == date(2026, 8, 26)
    over = derive(small, "K4", date(2026, 8, 27))  # Friday is the fair, Saturday is secular
    assert (over.last_day, over.eligible_from) == (date(2026, 8, 29), date(2026, 8, 30))
    assert words(over) == (
        "issued Thu Aug 27; 24 hours end on Sat Aug 29; Fri Aug 28 is Town Fair; last day Sat Aug 29")
    assert derive(small, "K4", date(2026, 8, 29)).last_day == date(2026, 8, 31)


def test_the_literal_day_is_day_n_itself(small):
    found = derive(small, "K6", date(2026, 8, 23))  # day 7 is a Sunday
    assert (found.raw, found.last_day, found.eligible_from) == (date(2026, 8, 30), date(2026, 8, 31), date(2026, 8, 30))


def test_both_stop_work_clocks_run_from_the_later_day(small):
    by_clock = {one.clock: one for one in order_dates(small, posted_on=date(2026, 8, 20), issued_on=date(2026, 8, 24))}
    assert by_clock["K4"].start == by_clock["K6"].start == date(2026, 8, 24)
    by_clock = {one.clock: one for one in order_dates(small, posted_on=date(2026, 8, 24), issued_on=date(2026, 8, 20))}
    assert by_clock["K4"].start == by_clock["K6"].start == date(2026, 8, 24)


def events(*rows):
    return [Event(what, date(2026, 8, day), "A", data) for what, day, data in
            [(row[0], row[1], row[2] if len(row) > 2 else {}) for row in rows]]


@pytest.mark.parametrize("extra, open_", [
    ((), True), ((("ceased", 24),), True), ((("complied", 24),), True), ((("ceased", 24), ("complied", 24)), False)])
def test_the_broad_reading_keeps_revocation_open_while_either_is_missing(small, extra, open_):
    matter = fold(small, events(("permit_issued", 3), ("order_posted", 24), *extra), date(2026, 8, 26))
    assert decide(matter, "revoke_permit").open is open_


def test_after_a_stay_only_the_remaining_days_are_left(small):
    rows = events(("order_posted", 3), ("appeal_filed", 6), ("appeal_decided", 20, {"result": "upheld"}),
                  ("landowner_served", 4))
    # Day 0 is Aug 3; 7 days and the 14 of the stay end on Aug 24.
    assert not decide(fold(small, rows, date(2026, 8, 23)), "issue_notice_of_intent").open
    decision = decide(fold(small, rows, date(2026, 8, 24)), "issue_notice_of_intent")
    assert decision.open and "14 days of stay added; day 21 is Mon Aug 24" in words(decision.derived())
    assert "se suman 14 días de suspensión" in words(decision.derived(), "es")


def test_its_own_table_of_preconditions_lets_it_enter_without_service(small):
    rows = events(("order_posted", 3), ("notice_of_intent_issued", 12))
    assert not decide(fold(small, rows, date(2026, 8, 17)), "enter_land").open
    assert decide(fold(small, rows, date(2026, 8, 18)), "enter_land").open


def test_its_own_working_days_permit_life_and_cap(small):
    assert application_review(small, date(2026, 8, 25)).last_day == date(2026, 9, 2)  # no Fridays, fair, Sep 1 shut
    assert permit_life(small, date(2026, 3, 1)).last_day == date(2026, 5, 30)
    assert extension_cap(small, date(2026, 8, 31)).last_day == date(2027, 2, 28)


@pytest.mark.parametrize("sq_ft, percent, met", [
    (2000, 0, ("s1",)), ("1999.9", 12, ()), (1, "12.01", ("s1",)), (0, 50, ())])
def test_its_own_triggers_area_or_slope(small, sq_ft, percent, met):
    project = Project(in_city=True, areas=(Area(Fraction(sq_ft), slope("percent", Fraction(percent))),),
                      cut_cu_yd=Fraction("399.99"), fill_cu_yd=Fraction(0))
    assert decide_need(small, project).met == met


def test_late_registration_counts_its_own_days(small):
    rows = events(("permit_issued", 1), ("order_posted", 20), ("registered", 23))
    assert decide(fold(small, rows, date(2026, 8, 31)), "revoke_permit").missing == ("service confirmed if late",)


def test_its_own_due_codes_and_fees_and_cut_off(small):
    judgement = judge(small.item("T-1"), {"answer": "no"}, {"at": datetime(2026, 8, 29, 20, 0)})
    assert (judgement.due.on, judgement.due.at) == (date(2026, 8, 31), "08:00")  # hours run through a Sunday here
    assert judgement.grounds == ("x",)
    assert fee(small, Decimal(99999))[0] == 10
    assert (roll_year(small.roll_cut_off, date(2026, 10, 1)), roll_year(small.roll_cut_off, date(2026, 10, 2))) == (
        2026, 2027)


def test_the_same_case_file_comes_out_by_the_pack_it_is_held_against(small, pack):
    (case,) = read_case_file('[[deadline]]\nid = "D"\nclock = "entry"\ngiven = { notice_issued = 2026-08-03 }\n'
                             "expect = { eligible_from = 2026-08-09 }\n").cases
    assert evaluate(case, small).holds and not evaluate(case, pack).holds
