"""When an inspector is due: weekly, after rain, on the road at the end of the day, when corrections run out."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sync.ordinance.pack import PackError, load_pack
from sync.ordinance.rounds import OpenCorrection, Rain, Schedule, SiteRecord, Visit, fallen, rounds_due
from sync.ordinance.words import say_clock
from sync.where import pack_files

THURSDAY = date(2026, 8, 27)
PERMIT = (date(2026, 6, 1), date(2026, 11, 28))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def rain(inches: str, began: str, ended: str, gauge: str = "yard") -> Rain:
    return Rain(Decimal(inches), at(began), at(ended), gauge)


def due(pack, site, today=THURSDAY):
    return {one.kind: one for one in rounds_due(pack, site, today)}


def test_a_week_after_the_last_inspection(pack):
    found = due(pack, SiteRecord(PERMIT, (Visit(date(2026, 8, 20)), Visit(date(2026, 8, 13)))))["weekly"]
    assert (found.on, found.at, found.clause) == (THURSDAY, "17:00", "D1")
    assert found.words() == "last inspected Thu Aug 20; day 7 is Thu Aug 27"
    assert found.words("es") == "última inspección: jueves 20 de agosto; el día 7 es el jueves 27 de agosto"
    assert found.state(at("2026-08-27T16:59")) == found.state(at("2026-08-27T17:00")) == "today"
    assert found.state(at("2026-08-27T17:01")) == found.state(at("2026-08-28T08:00")) == "overdue"
    assert found.state(at("2026-08-26T23:59")) == "coming"


def test_a_site_never_inspected_counts_from_its_permit(pack):
    assert due(pack, SiteRecord(PERMIT))["weekly"].on == date(2026, 6, 8)
    assert "never inspected" in due(pack, SiteRecord(PERMIT))["weekly"].words()
    unknown = due(pack, SiteRecord((None, None)))["weekly"]
    assert unknown.on == THURSDAY and unknown.words() == "no inspection is known; one is due now"


@pytest.mark.parametrize("permit", [None, (date(2026, 8, 28), None), (date(2026, 1, 1), date(2026, 8, 26))])
def test_no_round_without_a_permit_in_force_that_day(pack, permit):
    wet = (rain("2", "2026-08-26T01:00", "2026-08-26T03:00"),)
    assert due(pack, SiteRecord(permit, rains=wet)) == {}


def test_a_pack_without_rounds_owes_none(small):
    assert small.rounds is None
    assert due(small, SiteRecord((None, None))) == {}


def test_half_an_inch_of_rain_calls_for_an_inspection_within_a_day(pack):
    seen = (Visit(date(2026, 8, 26), "weekly", at("2026-08-26T15:00")),)
    site = SiteRecord(PERMIT, seen, (rain("0.5", "2026-08-27T01:00", "2026-08-27T06:30"),))
    found = due(pack, site)["rain"]
    assert found.moment == "2026-08-28T06:30"
    assert found.words() == ("0.5 in of rain until Thu Aug 27 at 6:30 AM (limit 0.5 in); "
                             "24 hours end Fri Aug 28 at 6:30 AM")
    assert "0.5 pulgadas de lluvia" in found.words("es")
    just_less = replace(site, rains=(rain("0.49", "2026-08-27T01:00", "2026-08-27T06:30"),))
    assert "rain" not in due(pack, just_less)
    assert "rain" not in due(pack, replace(site, visits=(Visit(THURSDAY, "rain"),)))
    assert "rain" in due(pack, replace(site, visits=(Visit(THURSDAY, "weekly"),)))  # perhaps made before the rain
    assert "rain" not in due(pack, replace(site, visits=(Visit(date(2026, 8, 28), "weekly"),)))


def test_a_site_may_have_its_own_threshold(pack):
    wet = (rain("0.3", "2026-08-27T01:00", "2026-08-27T06:00"),)
    lower, higher = Schedule(rain_at_least_in=Decimal("0.25")), Schedule(rain_at_least_in=Decimal(1))
    assert due(pack, SiteRecord(PERMIT, rains=wet, schedule=lower))["rain"].limit == Decimal("0.25")
    wet = (rain("0.9", "2026-08-27T01:00", "2026-08-27T06:00"),)
    assert "rain" in due(pack, SiteRecord(PERMIT, rains=wet))
    assert "rain" not in due(pack, SiteRecord(PERMIT, rains=wet, schedule=higher))


def test_the_office_may_set_a_schedule_for_a_site(pack, small):
    """Seen Thursday 20 August; every 14 days; always on a Tuesday."""
    seen = (Visit(date(2026, 8, 20)),)
    assert due(pack, SiteRecord(PERMIT, seen, schedule=Schedule(every_days=14)))["weekly"].on == date(2026, 9, 3)
    found = due(pack, SiteRecord(PERMIT, seen, schedule=Schedule(weekday=1)))["weekly"]
    assert found.on == date(2026, 8, 25)
    assert found.words() == "last inspected Thu Aug 20; the next day set for it is Tue Aug 25"
    assert due(pack, SiteRecord(PERMIT, (Visit(date(2026, 8, 25)),), schedule=Schedule(weekday=1)))["weekly"].on == (
        date(2026, 9, 1))
    own = Schedule(every_days=7, rain_at_least_in=Decimal("0.5"))
    wet = (rain("1", "2026-08-26T01:00", "2026-08-26T03:00"),)
    assert set(due(small, SiteRecord(PERMIT, seen, wet, schedule=own))) == {"weekly", "rain"}


def test_rain_of_which_only_the_day_is_known(pack):
    wet = (Rain.of_day(Decimal("0.7"), date(2026, 8, 26), "office"),)
    found = due(pack, SiteRecord(PERMIT, (Visit(date(2026, 8, 26), "weekly", at("2026-08-26T09:00")),), wet))["rain"]
    assert found.moment == "2026-08-27T17:00"
    assert found.words() == "0.7 in of rain on Wed Aug 26 (limit 0.5 in); to be seen by Thu Aug 27 at 5:00 PM"
    for seen in (Visit(date(2026, 8, 26), "rain", at("2026-08-26T15:00")), Visit(THURSDAY)):
        assert "rain" not in due(pack, SiteRecord(PERMIT, (seen,), wet))


def test_showers_of_one_day_add_up_and_two_readings_of_one_rain_do_not():
    early = rain("0.3", "2026-08-26T20:00", "2026-08-26T22:00")
    late = rain("0.3", "2026-08-27T05:00", "2026-08-27T06:00")
    assert fallen((early, late), late) == Decimal("0.6")
    assert fallen((early, late), early) == Decimal("0.3")
    twice = rain("0.25", "2026-08-27T05:00", "2026-08-27T06:00")
    assert fallen((early, late, twice, late), late) == Decimal("0.6")
    other = rain("0.3", "2026-08-26T20:00", "2026-08-26T22:00", "school")
    assert fallen((other, late), late) == Decimal("0.3")
    long_ago = rain("0.4", "2026-08-26T05:59", "2026-08-26T07:00")
    assert fallen((long_ago, late), late) == Decimal("0.3")


def test_the_road_is_looked_at_again_at_the_end_of_the_day(pack):
    mud = OpenCorrection("TRK-06", THURSDAY, THURSDAY, "16:00")
    found = due(pack, SiteRecord(corrections=(mud,), end_of_work_day="16:00"))
    assert (found["road"].moment, found["road"].clause) == ("2026-08-27T16:00", "D4")
    assert "4:00 PM" in found["road"].words() and "4:00 p.\u00a0m." in found["road"].words("es")
    tomorrow = due(pack, SiteRecord(corrections=(mud,)), date(2026, 8, 28))
    assert "road" not in tomorrow
    assert tomorrow["re-inspection"].state(at("2026-08-28T08:00")) == "overdue"
    assert "road" not in due(pack, SiteRecord(corrections=(OpenCorrection("INL-01", THURSDAY, None, None),)))


def test_corrections_bring_the_inspector_back_when_the_first_runs_out(pack):
    found = due(pack, SiteRecord(corrections=(
        OpenCorrection("INL-01", THURSDAY, date(2026, 8, 29), "09:00"),
        OpenCorrection("WST-01", THURSDAY, date(2026, 8, 28), "17:00"),
        OpenCorrection("WST-02", THURSDAY, None, None))))["re-inspection"]
    assert (found.moment, found.count) == ("2026-08-28T17:00", 2)
    assert found.words() == "2 corrections open; the first is due Fri Aug 28 at 5:00 PM"
    at_once = due(pack, SiteRecord(corrections=(OpenCorrection("INL-01", THURSDAY, THURSDAY, "14:03", True),)))
    assert at_once["re-inspection"].words() == "1 correction open, due at once on Thu Aug 27"
    assert "14:03" not in at_once["re-inspection"].words("es") and "2:03" not in at_once["re-inspection"].words("es")
    unknown = due(pack, SiteRecord(corrections=(OpenCorrection("OLD-9", THURSDAY, THURSDAY, "17:00"),)))
    assert unknown["re-inspection"].clause == ""


def test_what_is_due_first_comes_first(pack):
    site = SiteRecord(PERMIT, (Visit(date(2026, 8, 22)),), (rain("1", "2026-08-26T01:00", "2026-08-26T03:00"),),
                      (OpenCorrection("TRK-06", THURSDAY, date(2026, 8, 30), "17:00"),))
    assert [one.kind for one in rounds_due(pack, site, THURSDAY)] == ["rain", "road", "weekly", "re-inspection"]


def test_noon_is_said_in_words():
    assert [say_clock(t) for t in ("00:00", "09:05", "12:00", "12:30")] == [
        "12:00 midnight", "9:05 AM", "12:00 noon", "12:30 PM"]


@pytest.mark.parametrize("old, new, key", [
    ('clause = "D1"', 'clause = "D99"', "rounds.clause"), ("every_days = 7", "every_days = 0", "rounds.every_days"),
    ("rain_at_least_in = 0.5", "rain_at_least_in = 0", "rounds.rain_at_least_in"),
    ("rain_within_hours = 24", "rain_in = 24", "rounds.rain_within_hours")])
def test_a_mistake_in_the_rounds_names_its_key(old, new, key):
    files = pack_files("demo")
    assert old in files["limits.toml"]
    with pytest.raises(PackError) as caught:
        load_pack({**files, "limits.toml": files["limits.toml"].replace(old, new)})
    assert caught.value.key == key


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 72), st.integers(0, 30), st.integers(0, 99)), max_size=8),
       st.lists(st.integers(0, 100), max_size=4))
def test_rain_is_owed_exactly_while_nobody_came_after_it(pack, showers, visits):
    """Whatever fell and whoever came: owed means enough rain with no visit since; a later visit ends it."""
    base = at("2026-08-20T00:00")
    rains = tuple(Rain(Decimal(hundredths) / 100, base + timedelta(hours=start), base + timedelta(hours=start + long))
                  for start, long, hundredths in showers)
    seen = tuple(Visit((base + timedelta(hours=hour)).date(), "weekly", base + timedelta(hours=hour))
                 for hour in visits)
    found = due(pack, SiteRecord(PERMIT, seen, rains), date(2026, 8, 26)).get("rain")
    last = max((one.ended for one in rains), default=base)
    if found is not None:
        assert found.inches >= Decimal("0.5") and found.start in {one.ended for one in rains}
        assert all(visit.at < found.start for visit in seen)
    assert sum((one.inches for one in rains), Decimal(0)) >= Decimal("0.5") or found is None
    afterwards = (*seen, Visit(date(2026, 8, 25), "other", last + timedelta(hours=1)))
    assert "rain" not in due(pack, SiteRecord(PERMIT, afterwards, rains), date(2026, 8, 26))
