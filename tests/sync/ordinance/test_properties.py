"""Boundary properties of the day counts and of the fold, over many days and many orders of arrival."""

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from math import tan

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sync.ordinance.acts import ACTS, decide, decide_all
from sync.ordinance.clocks import add_months
from sync.ordinance.dates import application_review, derive, extension_cap, permit_life
from sync.ordinance.duties import owed
from sync.ordinance.events import KINDS, Event, EventError
from sync.ordinance.matter import fold
from sync.ordinance.need import Area, Project, decide_need
from sync.ordinance.pack import load_pack
from sync.ordinance.slopes import slope
from sync.where import pack_files

PACK = load_pack(pack_files("demo"))
DAYS = st.dates(date(2024, 1, 1), date(2032, 11, 15))
FIXED = settings(max_examples=150, deadline=None, derandomize=True)


@FIXED
@given(DAYS)
def test_rolling_is_idempotent_never_earlier_and_never_lands_on_a_closed_day(day):
    rolled = PACK.calendar.roll(day)
    assert rolled >= day and PACK.calendar.is_secular(rolled)
    assert PACK.calendar.roll(rolled) == rolled
    assert all(not PACK.calendar.is_secular(day + timedelta(days=n)) for n in range((rolled - day).days))


@FIXED
@given(DAYS, st.integers(0, 30))
def test_ten_day_clocks_are_monotone_and_end_on_secular_days(day, later):
    for clock in ("K4", "K5", "K6"):
        first = derive(PACK, clock, day)
        assert first.raw == day + timedelta(days=10)
        assert PACK.calendar.is_secular(first.last_day) and first.eligible_from == first.last_day + timedelta(days=1)
        assert 0 <= (first.last_day - first.raw).days <= 3
        if day + timedelta(days=later) <= date(2032, 11, 15):
            assert derive(PACK, clock, day + timedelta(days=later)).last_day >= first.last_day


@FIXED
@given(DAYS)
def test_entry_and_validity_never_roll(day):
    assert derive(PACK, "K7", day).eligible_from == day + timedelta(days=15)
    assert permit_life(PACK, day).last_day == day + timedelta(days=180)


@FIXED
@given(DAYS, st.integers(0, 30))
def test_working_days_are_monotone_and_end_on_open_days(day, later):
    last = application_review(PACK, day).last_day
    assert PACK.calendar.is_open(last) and last > day
    assert sum(PACK.calendar.is_open(day + timedelta(days=n)) for n in range(1, (last - day).days + 1)) == 10
    if day + timedelta(days=later) <= date(2032, 11, 15):
        assert application_review(PACK, day + timedelta(days=later)).last_day >= last


@FIXED
@given(DAYS, st.dates(date(2024, 1, 1), date(2032, 12, 31)))
def test_a_permit_lasts_the_longer_of_two_and_never_less_than_either(day, until):
    last = permit_life(PACK, day, until).last_day
    assert last == max(day + timedelta(days=180), until)


@FIXED
@given(DAYS, st.integers(0, 24), st.integers(0, 24))
def test_months_added_at_once_reach_at_least_as_far_as_in_steps(day, first, second):
    assert add_months(day, first + second) >= add_months(add_months(day, first), second)
    assert add_months(day, first).day <= day.day
    assert extension_cap(PACK, day).last_day == add_months(day, 12)


LETTERS = ("A", "B")
DATA = {
    "application_decided": lambda draw: {"decision": draw(st.sampled_from(("granted", "conditional", "denied")))},
    "permit_extended": lambda draw: {"until": draw(DAYS)},
    "appeal_decided": lambda draw: {"result": draw(st.sampled_from(("upheld", "modified", "reversed")))},
    "emergency_found": lambda draw: {"approved_by": "A. Berg",
                                     "threatens": draw(st.sampled_from(("surface water", "storm sewer")))},
    "entry_basis": lambda draw: {"basis": "consent"},
    "work_done": lambda draw: {"cost": Decimal(draw(st.integers(0, 500)))},
    "billed": lambda draw: {"due": date(2026, 9, 1) + timedelta(days=draw(st.integers(0, 60)))},
    "paid": lambda draw: {"amount": Decimal(draw(st.integers(0, 500)))},
}


@st.composite
def piles(draw):
    found = []
    for _ in range(draw(st.integers(0, 14))):
        what = draw(st.sampled_from(KINDS))
        on = date(2026, 8, 20) + timedelta(days=draw(st.integers(0, 40)))
        found.append(Event(what, on, draw(st.sampled_from(LETTERS)), DATA[what](draw) if what in DATA else {}))
    return found


def picture(events, at):
    """Everything that can be asked of a matter, as plain values."""
    matter = fold(PACK, events, at)
    return {key: (matter.order(key).status(), {act: one.missing for act, one in decide_all(matter, key).items()},
                  [(duty.id, duty.since, duty.amount) for duty in owed(matter, key)]) for key in LETTERS}


@settings(max_examples=200, deadline=None, derandomize=True)
@given(piles(), st.randoms(use_true_random=False), st.integers(0, 80))
def test_events_in_any_order_of_arrival_give_the_same_matter(events, random, later):
    at = date(2026, 8, 20) + timedelta(days=later)
    try:
        expected = picture(events, at)
    except EventError:
        assume(False)
    shuffled = list(events)
    random.shuffle(shuffled)
    assert picture(shuffled, at) == expected


@settings(max_examples=150, deadline=None, derandomize=True)
@given(piles(), st.integers(0, 80))
def test_events_after_the_day_change_nothing_on_it(events, later):
    at = date(2026, 8, 20) + timedelta(days=later)
    try:
        expected = picture(events, at)
    except EventError:
        assume(False)
    assert picture([event for event in events if event.on <= at], at) == expected


@settings(max_examples=150, deadline=None, derandomize=True)
@given(piles(), st.integers(0, 80))
def test_a_released_or_voided_order_opens_nothing_but_emergency_billing_and_the_roll(events, later):
    at = date(2026, 8, 20) + timedelta(days=later)
    closing = Event("order_released", at)
    try:
        matter = fold(PACK, [*events, closing], at)
    except EventError:
        assume(False)
    for act in ACTS[:4]:
        assert not decide(matter, act).open


@settings(max_examples=150, deadline=None, derandomize=True)
@given(piles(), st.integers(0, 80))
def test_every_sentence_can_be_said_in_both_languages(events, later):
    try:
        matter = fold(PACK, events, date(2026, 8, 20) + timedelta(days=later))
    except EventError:
        assume(False)
    for decision in decide_all(matter).values():
        for language in ("en", "es"):
            assert decision.explain(language)
            assert decision.open == (decision.sentences(language) == ())


EXACT = st.decimals(0, 20000, places=3).map(Fraction)


@FIXED
@given(EXACT, st.decimals(0, 100, places=4).map(Fraction))
def test_more_area_or_a_steeper_slope_never_takes_a_trigger_away(size, steep):
    def caught(sq_ft, percent):
        project = Project(in_city=True, areas=(Area(sq_ft, slope("percent", percent)),))
        return "C1" in decide_need(PACK, project).met

    assert caught(size, steep) == ((size >= 3000 and steep > 5) or (size >= 500 and steep > 15))
    if caught(size, steep):
        assert caught(size + 1, steep) and caught(size, steep + 1)


@FIXED
@given(st.lists(st.tuples(EXACT, st.decimals(0, 40, places=2).map(Fraction)), min_size=1, max_size=5))
def test_sub_areas_in_any_order_and_split_in_two_decide_the_same(rows):
    def result(parts):
        areas = tuple(Area(size, slope("percent", steep)) for size, steep in parts)
        return decide_need(PACK, Project(in_city=True, areas=areas)).met

    split = [(size / 2, steep) for size, steep in rows for _ in range(2)]
    assert result(rows) == result(rows[::-1]) == result(split)


@FIXED
@given(st.fractions(0, Fraction(899, 10), max_denominator=1000), st.fractions(0, 400, max_denominator=1000))
def test_degrees_are_compared_as_their_tangent(degrees, percent):
    value = tan(float(degrees) * 3.141592653589793 / 180) * 100
    assume(abs(value - float(percent)) > 1e-9 * max(1.0, value))
    assert slope("degrees", degrees).steeper_than(percent) == (value > float(percent))
