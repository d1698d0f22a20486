"""What is wrong in a case file is said with the key and the case, and never guessed."""

import pytest

from sync.ordinance.cases import CaseError, evaluate, read_case_file

NEED = '[[permit_need]]\nid = "N"\ngiven = {{ {given} }}\nexpect = {{ {expect} }}\n'
DEADLINE = '[[deadline]]\nid = "D"\nclock = "{clock}"\ngiven = {{ {given} }}\nexpect = {{ {expect} }}\n'
MATTER = '[[matter]]\nid = "M"\nevents = [{events}]\nat = {at}\nexpect = {{ {expect} }}\n'


def need(given="", expect='result = "required"'):
    return NEED.format(given=given, expect=expect)


def deadline(clock="revocation", given="issued = 2026-04-06", expect="last_day = 2026-04-16"):
    return DEADLINE.format(clock=clock, given=given, expect=expect)


def matter(events="", at="2026-09-09", expect='status = "none"'):
    return MATTER.format(events=events, at=at, expect=expect)


BAD = [
    (need("acres = 3"), "given.acres"),
    (need('in_city = "yes"'), "given.in_city"),
    (need("cut_cu_yd = true"), "given.cut_cu_yd"),
    (need('cut_cu_yd = "60"'), "given.cut_cu_yd"),
    (need("cut_cu_yd = -1"), "given.cut_cu_yd"),
    (need('road_work = "federal"'), "given.road_work"),
    (need("areas = [{ area_sq_ft = 3, area_acres = 1 }]"), "given.areas[1].area_acres"),
    (need("areas = [{ area_sq_ft = 3, slope_percent = 1, slope_degrees = 1 }]"), "given.areas[1].slope_degrees"),
    (need('areas = [{ area_sq_ft = 3, slope_ratio = "steep" }]'), "given.areas[1].slope_ratio"),
    (need('areas = [{ area_sq_ft = 3, slope_ratio = "1:0" }]'), "given.areas[1].slope_ratio"),
    (need("areas = [{ area_sq_ft = 3, slope_degrees = 90 }]"), "given.areas[1].slope_degrees"),
    (need("areas = [{ area_sq_ft = 3, width = 1 }]"), "given.areas[1].width"),
    (need("areas = 3"), "given.areas"),
    (need("strip = { depth_in = 3, volume = 1 }"), "given.strip.volume"),
    (need("utility_segments_ft = [150, true]"), "given.utility_segments_ft[2]"),
    (need(expect='result = "perhaps"'), "expect.result"),
    (need(expect='result = "required", why = "x"'), "expect.why"),
    (need(expect='triggers = ["C1"]'), "expect.result"),
    (deadline(clock="eviction"), "clock"),
    (deadline(given="posted = 2026-04-06"), "given.issued"),
    (deadline(given='issued = "2026-04-06"'), "given.issued"),
    (deadline(given="issued = 2026-04-06T10:00:00"), "given.issued"),
    (deadline(given="issued = 2026-04-06, posted = 2026-04-06"), "given.posted"),
    (deadline(expect="cap = 2026-04-16"), "expect.cap"),
    (deadline(expect=""), "expect"),
    (matter('{ on = 2026-08-27, what = "order_eaten" }'), "events[1].what"),
    (matter('{ what = "order_posted" }'), "events[1].on"),
    (matter('{ on = 2026-08-27, what = "order_posted", by = "me" }'), "events[1].by"),
    (matter('{ on = 2026-08-27, what = "order_posted", order = "second" }'), "events[1].order"),
    (matter('{ on = 2026-08-27, what = "billed" }'), "events[1].due"),
    (matter('{ on = 2026-08-27, what = "work_done", cost = -1 }'), "events[1].cost"),
    (matter('{ on = 2026-08-27, what = "appeal_decided", result = "won" }'), "events[1].result"),
    (matter('{ on = 2026-08-27, what = "emergency_found", threatens = "my lawn" }'), "events[1].threatens"),
    (matter(expect='may = ["arrest"]'), "expect.may"),
    (matter(expect='owed = ["revoke_permit"]'), "expect.owed"),
    (matter(expect='status = "open"'), "expect.status"),
    (matter(at='"2026-09-09"'), "at"),
    ('[[matter]]\nid = "M"\nat = 2026-09-09\nexpect = { status = "none" }\n', "events"),
    ('[[matter]]\nevents = []\nat = 2026-09-09\nexpect = { status = "none" }\n', "id"),
    ('[[permit_need]]\nid = "N"\ncolor = 1\ngiven = {}\nexpect = { result = "required" }\n', "color"),
    ('[[tort]]\nid = "N"\n', "tort"),
    (matter('{ on = 2026-08-27, what = "stay" }, { on = 2026-08-27, what = "stay_lifted" }'), "events"),
    (matter('{ on = 2026-08-27, what = "photos_complete" }, { on = 2026-08-27, what = "photos_missing" }'), "events"),
]


@pytest.mark.parametrize("text, key", BAD, ids=[f"{place}-{key}" for place, (_, key) in enumerate(BAD)])
def test_what_is_wrong_is_named_with_its_key_and_case(text, key):
    file = read_case_file(text)
    assert file.cases == ()
    (error,) = file.errors
    assert error.key == key
    place = f"case {error.case}: " if error.case else ""
    assert str(error).startswith(f"{place}{key}: ")


@pytest.mark.parametrize("text", ["not toml", "[[matter]]\nid = ", "office_closed = [1]", "x = nan\n", "x = inf\n",
                                  "x = " + "[" * 5000 + "]" * 5000])
def test_a_file_that_is_none_is_refused_whole(text):
    with pytest.raises(CaseError):
        read_case_file(text)


def test_opposite_events_about_two_orders_or_on_two_days_are_no_contradiction():
    other_order = matter('{ on = 2026-08-27, what = "stay" }, { on = 2026-08-27, what = "stay_lifted", order = "B" }')
    other_day = matter('{ on = 2026-08-27, what = "stay" }, { on = 2026-08-28, what = "stay_lifted" }')
    assert read_case_file(other_order).errors == read_case_file(other_day).errors == ()


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert len(read_case_file("\ufeff" + deadline()).cases) == 1


@pytest.mark.parametrize("value, said", [
    ("2026-04-06T10:00:00", "not 2026-04-06T10:00:00"), ("true", "not true"), ("[1]", "not a list"),
    ('"x"', "not 'x'")])
def test_a_wrong_value_is_shown_as_it_stood_in_the_file(value, said):
    (error,) = read_case_file(deadline(given=f"issued = {value}")).errors
    assert str(error).endswith(said)


def test_an_empty_list_expects_nothing_and_holds(pack):
    (case,) = read_case_file(matter(expect="may = []")).cases
    assert evaluate(case, pack).holds


@pytest.mark.parametrize("events, at, expect", [
    ('{ on = 2032-12-24, what = "order_posted" }', "2032-12-31", 'may_not = ["request_cease_and_desist"]'),
    ('{ on = 2032-12-28, what = "application_received" }', "2032-12-31", 'owed = ["decide_application"]'),
    ('{ on = 2032-12-01, what = "work_done", cost = 1 }, { on = 2032-12-02, what = "billed", due = 2033-01-15 }',
     "2032-12-31", 'may_not = ["certify_to_tax_roll"], not_owed = ["enter_on_roll"]'),
])
def test_the_last_days_of_the_tables_are_decided_where_no_later_year_matters(pack, events, at, expect):
    (case,) = read_case_file(matter(events, at, expect)).cases
    result = evaluate(case, pack)
    assert result.holds and result.derivation


def test_a_bad_case_leaves_the_others_standing(pack):
    file = read_case_file(need("acres = 3") + deadline())
    assert [error.case for error in file.errors] == ["N"]
    assert evaluate(file.cases[0], pack).holds


def test_a_case_that_differs_says_what_was_expected_what_came_and_why(pack):
    (case,) = read_case_file(deadline(expect="last_day = 2026-04-17")).cases
    line = evaluate(case, pack).line()
    assert line.startswith("D: expected last_day 2026-04-17, came 2026-04-16 | issued Mon Apr 6; day 10 is Thu Apr 16")
    assert "E(3)" in line and "demo@2026.1" in line and "\n" not in line


def test_a_year_outside_the_tables_is_bad_input(pack):
    (case,) = read_case_file(deadline(given="issued = 2033-04-06", expect="last_day = 2033-04-16")).cases
    with pytest.raises(CaseError, match="2033"):
        evaluate(case, pack)


@pytest.mark.parametrize("text", [
    deadline("permit_life", "issued = 9999-12-01", "last_valid_day = 9999-12-31"),
    deadline("extension", "base_expiry = 9999-02-01, requested_until = 9999-03-01", "allowed = true"),
    matter('{ on = 9999-12-30, what = "permit_issued" }', at="9999-12-31"),
])
def test_a_day_beyond_every_calendar_is_bad_input(pack, text):
    with pytest.raises(CaseError, match="no calendar"):
        evaluate(read_case_file(text).cases[0], pack)


@pytest.mark.parametrize("number", ["1e61", "1e999999999", "1e-999999999"])
def test_a_number_of_no_possible_size_is_refused(number):
    with pytest.raises(CaseError):
        read_case_file(need(f"cut_cu_yd = {number}"))


def test_numbers_are_exact(pack):
    text = need('in_city = true, utility_segments_ft = [0.1, 0.2, 299.7]', 'result = "required", triggers = ["C4"]')
    assert evaluate(read_case_file(text).cases[0], pack).holds
