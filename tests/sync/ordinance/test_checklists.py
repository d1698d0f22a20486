"""Every item of every checklist: what passes, what fails and how badly, when it is due, what it all comes to."""

from datetime import date, datetime

import pytest

from sync.ordinance.checklists import (
    OUTCOMES,
    AnswerError,
    answer_in_order,
    asked_parts,
    judge,
    outcome,
    photos_missing,
    settle_severity,
)
from sync.ordinance.corrections import due
from sync.ordinance.items import SEVERITIES

AT = datetime(2026, 8, 27, 14, 3)  # a Thursday
NOT = "not_observed"

# item, answer, state or severity, grounds, due code
TABLE = [
    ("TRK-01", {"in_use": 2, "stabilized": 2}, "pass", "", ""),
    ("TRK-01", {"in_use": 2, "stabilized": 1}, "major", "bc", "24H"),
    ("TRK-02", {"length": "50", "space": "yes"}, "pass", "", ""),
    ("TRK-02", {"length": "49.9", "space": "yes"}, "minor", "b", "48H"),
    ("TRK-02", {"length": "20", "space": "no"}, "pass", "", ""),
    ("TRK-02", {"length": "60", "planned": "80"}, "minor", "b", "48H"),
    ("TRK-02", {"length": "40", "planned": "40"}, "pass", "", ""),
    ("TRK-03", {"answer": "no"}, "minor", "b", "48H"),
    ("TRK-04", {"depth": "12", "stone": "3-6", "plan_differs": "no"}, "pass", "", ""),
    ("TRK-04", {"depth": "11.9", "stone": "3-6", "plan_differs": "no"}, "minor", "b", "48H"),
    ("TRK-04", {"depth": "12", "stone": "fines", "plan_differs": "no"}, "minor", "b", "48H"),
    ("TRK-04", {"depth": "6", "stone": "smaller", "plan_differs": "yes"}, "pass", "", ""),
    ("TRK-05", {"answer": "partly"}, "pass", "", ""),
    ("TRK-05", {"answer": "choked"}, "major", "b", "24H"),
    ("TRK-06", {"soil": "none"}, "pass", "", ""),
    ("TRK-06", {"soil": "film", "distance": "10"}, "pass", "", ""),
    ("TRK-06", {"soil": "loose", "distance": "10", "gutter": "no"}, "major", "bc", "EOD"),
    ("TRK-06", {"soil": "clumps", "distance": "10", "gutter": "yes"}, "critical", "bc", "EOD"),
    ("TRK-07", {"answer": "yes"}, "major", "bc", "NOW"),
    ("TRK-08", {"answer": "swept"}, "pass", "", ""),
    ("TRK-08", {"answer": "flushed"}, "critical", "bc", "NOW"),
    ("TRK-08", {"answer": "unknown"}, "not_observed", "", ""),
    ("TRK-09", {"answer": "no"}, "minor", "b", "48H"),
    ("TRK-10", {"answer": "yes"}, "major", "b", "EOD"),
    ("TRK-11", {"answer": "no"}, "critical", "c", "NOW"),
    ("TRK-12", {"answer": "no"}, "observation", "", "7D"),
    ("INL-00", {"counted": 3, "on_plan": 3}, "pass", "", ""),
    ("INL-00", {"counted": 3, "on_plan": 2}, "observation", "", "7D"),
    ("INL-01", {"barrier": "straw_bale"}, "pass", "", ""),
    ("INL-01", {"barrier": "none", "runoff": "no", "rain_due": "no"}, "major", "bc", "EOD"),
    ("INL-01", {"barrier": "none", "runoff": "yes", "rain_due": "no"}, "critical", "bc", "NOW"),
    ("INL-01", {"barrier": "none", "runoff": "no", "rain_due": "yes"}, "critical", "bc", "NOW"),
    ("INL-02", {"answer": "no"}, "major", "b", "24H"),
    ("INL-03", {"answer": "no"}, "major", "bc", "24H"),
    ("INL-04", {"answer": "32.9"}, "pass", "", ""),
    ("INL-04", {"answer": "33"}, "minor", "b", "48H"),
    ("INL-04", {"answer": "49.99"}, "minor", "b", "48H"),
    ("INL-04", {"answer": "50"}, "major", "b", "24H"),
    ("INL-05", {"answer": []}, "pass", "", ""),
    ("INL-05", {"answer": ["torn"]}, "major", "b", "24H"),
    ("INL-06", {"answer": "some"}, "major", "bc", "24H"),
    ("INL-06", {"answer": "heavy"}, "critical", "bc", "24H"),
    ("INL-06", {"answer": "could_not_see"}, "not_observed", "", ""),
    ("INL-07", {"clear": "no", "ponding": "4"}, "major", "", "NOW"),
    ("INL-08", {"answer": "yes"}, "major", "b", "48H"),
    ("INL-08", {"answer": "unknown"}, "not_observed", "", ""),
    ("INL-09", {"answer": "yes"}, "minor", "b", "48H"),
    ("INL-10", {"answer": "yes"}, "major", "bc", "EOD"),
    ("INL-11", {"answer": "yes"}, "observation", "", "7D"),
    ("WST-01", {"answer": "no"}, "minor", "c", "48H"),
    ("WST-02", {"spots": 0}, "pass", "", ""),
    ("WST-02", {"spots": 2, "flow_path": "no", "distance": "10"}, "pass", "", ""),
    ("WST-02", {"spots": 2, "flow_path": "yes", "distance": "51"}, "minor", "c", "EOD"),
    ("WST-02", {"spots": 2, "flow_path": "yes", "distance": "50"}, "major", "c", "EOD"),
    ("WST-03", {"concrete": "no"}, "pass", "", ""),
    ("WST-03", {"concrete": "yes", "washout": "no"}, "major", "bc", "NOW"),
    ("WST-04", {"fill": "74", "liner": "yes", "overflow": "no", "distance": "50"}, "pass", "", ""),
    ("WST-04", {"fill": "75", "liner": "yes", "overflow": "no", "distance": "50"}, "minor", "c", "24H"),
    ("WST-04", {"fill": "10", "liner": "yes", "overflow": "no", "distance": "49"}, "minor", "c", "24H"),
    ("WST-04", {"fill": "75", "liner": "no", "overflow": "no", "distance": "9"}, "major", "c", "24H"),
    ("WST-04", {"fill": "100", "liner": "no", "overflow": "yes", "distance": "9"}, "critical", "c", "24H"),
    ("WST-05", {"answer": "soil"}, "pass", "", ""),
    ("WST-05", {"answer": "pavement"}, "major", "c", "NOW"),
    ("WST-05", {"answer": "drain"}, "critical", "c", "NOW"),
    ("WST-06", {"answer": "no"}, "major", "c", "24H"),
    ("WST-07", {"size": "0"}, "pass", "", ""),
    ("WST-07", {"size": "2", "drain": "no"}, "minor", "c", "NOW"),
    ("WST-07", {"size": "2", "drain": "yes"}, "critical", "c", "NOW"),
    ("WST-08", {"secure": "no", "leaking": "no"}, "minor", "c", "24H"),
    ("WST-08", {"secure": "no", "leaking": "yes"}, "critical", "c", "24H"),
    ("WST-09", {"answer": "sanitary"}, "pass", "", ""),
    ("WST-09", {"answer": "street"}, "critical", "c", "NOW"),
    ("WST-09", {"answer": "storm"}, "critical", "c", "NOW"),
    ("WST-10", {"answer": "yes"}, "major", "c", "48H"),
    ("WST-11", {"answer": "yes"}, "critical", "c", "NOW"),
    ("WST-12", {"answer": "no"}, "minor", "c", "48H"),
    ("CON-01", {"answer": "no"}, "major", "c", "24H"),
    ("ECD-01", {"in_force": "yes", "number": "EC-9"}, "pass", "", ""),
    ("ECD-01", {"in_force": "no"}, "critical", "a", "NOW"),
    ("ECD-02", {"answer": "no"}, "major", "b", "24H"),
    ("ECD-03", {"answer": "behind"}, "pass", "", ""),
    ("ECD-03", {"answer": "different"}, "minor", "b", "7D"),
    ("ECD-04", {"answer": "no"}, "major", "bc", "NOW"),
    ("ECD-05", {"answer": "0"}, "pass", "", ""),
    ("ECD-05", {"answer": "0.1"}, "major", "b", "24H"),
    ("ECD-06", {"gaps": 0}, "pass", "", ""),
    ("ECD-06", {"gaps": 1, "worst": "2"}, "major", "b", "24H"),
    ("ECD-07", {"height": "14", "entrenched": "yes", "ends": "yes", "contour": "yes"}, "pass", "", ""),
    ("ECD-07", {"height": "28", "entrenched": "yes", "ends": "yes", "contour": "yes"}, "pass", "", ""),
    ("ECD-07", {"height": "13.9", "entrenched": "yes", "ends": "yes", "contour": "yes"}, "minor", "b", "48H"),
    ("ECD-07", {"height": "28.1", "entrenched": "yes", "ends": "yes", "contour": "yes"}, "minor", "b", "48H"),
    ("ECD-07", {"height": "20", "entrenched": "yes", "ends": "no", "contour": "yes"}, "minor", "b", "48H"),
    ("ECD-08", {"answer": "49"}, "pass", "", ""),
    ("ECD-08", {"answer": "50"}, "major", "b", "24H"),
    ("ECD-09", {"answer": "yes"}, "major", "b", "24H"),
    ("ECD-10", {"used": "49", "outlet": "yes"}, "pass", "", ""),
    ("ECD-10", {"used": "50", "outlet": "yes"}, "major", "b", "48H"),
    ("ECD-10", {"used": "0", "outlet": "no"}, "major", "b", "48H"),
    ("ECD-11", {"area": "0"}, "pass", "", ""),
    ("ECD-11", {"area": "10", "slope": "over_20"}, "major", "bc", "7D"),
    ("ECD-12", {"answer": 1}, "minor", "bc", "48H"),
    ("ECD-13", {"answer": "road"}, "major", "bc", "NOW"),
    ("ECD-13", {"answer": "adjacent"}, "major", "bc", "NOW"),
    ("ECD-13", {"answer": "sewer"}, "critical", "bc", "NOW"),
    ("ECD-13", {"answer": "water"}, "critical", "bc", "NOW"),
    ("ECD-14", {"adequate": "no", "condition": "2.1 in of rain in 6 hours"}, "major", "", "SET"),
    ("ECD-15", {"answer": "no"}, "major", "c", "24H"),
    ("ECD-16", {"answer": "no"}, "major", "b", "24H"),
    ("TIM-01", {"answer": "behind"}, "pass", "", ""),
    ("TIM-01", {"answer": "different"}, "minor", "b", "7D"),
    ("DEW-01", {"pumping": "no"}, "pass", "", ""),
    ("DEW-01", {"pumping": "yes", "covered": "no"}, "critical", "ab", "NOW"),
    ("DEW-02", {"answer": "none"}, "critical", "bc", "NOW"),
    ("DEW-03", {"answer": "clear"}, "pass", "", ""),
    ("DEW-03", {"answer": "cloudy"}, "major", "c", "NOW"),
    ("DEW-03", {"answer": "sheen"}, "critical", "c", "NOW"),
    ("DEW-04", {"point": "soil"}, "pass", "", ""),
    ("DEW-04", {"point": "storm", "treated": "yes"}, "pass", "", ""),
    ("DEW-04", {"point": "water", "treated": "no"}, "critical", "c", "NOW"),
    ("DEW-05", {"answer": "yes"}, "major", "b", "24H"),
    ("DEW-06", {"bag": "sound", "rate": "50", "rated": "50"}, "pass", "", ""),
    ("DEW-06", {"bag": "sound", "rate": "50.5", "rated": "50"}, "major", "b", "NOW"),
    ("DEW-06", {"bag": "torn", "rate": "5", "rated": "50"}, "major", "b", "NOW"),
    ("DEW-07", {"answer": "no"}, "minor", "c", "24H"),
    ("DEW-08", {"combined": "yes", "approved": "no"}, "observation", "", ""),
    ("DEW-08", {"combined": "yes", "approved": "yes"}, "pass", "", ""),
    ("DEW-08", {"combined": "unknown"}, "not_observed", "", ""),
]


@pytest.mark.parametrize("item, answer, expected, grounds, code", TABLE,
                         ids=[f"{row[0]}-{'-'.join(map(str, row[1].values()))}" for row in TABLE])
def test_an_answer_is_judged(pack, item, answer, expected, grounds, code):
    judgement = judge(pack.item(item), answer, {"at": AT})
    if expected in SEVERITIES:
        assert (judgement.state, judgement.severity) == ("fail", expected)
        assert judgement.why.startswith("Fails: ")
        assert judge(pack.item(item), answer, {"at": AT}, language="es").why.startswith("No cumple: ")
        assert set(answer) <= set(judgement.inputs)
    else:
        assert (judgement.state, judgement.severity) == (expected, None)
    assert "".join(judgement.grounds) == grounds
    assert (judgement.due.code if judgement.due else "") == code


def test_the_table_above_fails_every_item_of_the_pack(pack):
    failing = {row[0] for row in TABLE if row[2] in SEVERITIES}
    assert failing == {item.id for checklist in pack.checklists.values() for item in checklist.items}


def all_items(pack):
    return [item for checklist in pack.checklists.values() for item in checklist.items]


def test_not_observed_is_never_a_pass_and_not_applicable_answers_anything(pack):
    for item in all_items(pack):
        assert judge(item, {"answer": NOT}).state == NOT
        assert judge(item, {"answer": "na"}).state == "na"
        for part in item.parts:
            if part.type != "TXT" and not part.optional:
                assert judge(item, {part.id: NOT}).state in (NOT, "incomplete")


def test_nothing_answered_is_incomplete_and_names_its_parts(pack):
    for item in all_items(pack):
        judgement = judge(item, {})
        assert judgement.state == "incomplete"
        assert judgement.missing == tuple(part.id for part in asked_parts(item, {}) if not part.optional)


def test_a_part_that_is_asked_only_after_another_is_asked_then(pack):
    item = pack.item("TRK-06")
    assert [part.id for part in asked_parts(item, {})] == ["soil"]
    assert [part.id for part in asked_parts(item, {"soil": "film"})] == ["soil", "distance"]
    assert [part.id for part in asked_parts(item, {"soil": "loose"})] == ["soil", "distance", "gutter"]
    # Soil is there; how bad it is depends on a part nobody answered yet.
    assert judge(item, {"soil": "loose", "distance": "3"}).state == "incomplete"
    # A part that no longer applies keeps its typed value and counts for nothing.
    assert judge(item, {"soil": "none", "gutter": "yes", "distance": "9"}).state == "pass"


def test_the_second_failure_within_thirty_days_is_worse(pack):
    item = pack.item("TRK-07")

    def severity(*days):
        return judge(item, {"answer": "yes"}, {"at": AT, "earlier_failures": days}).severity

    assert severity() == "major"
    assert severity(date(2026, 7, 28)) == "critical"
    assert severity(date(2026, 7, 27)) == "major"
    assert severity(date(2026, 8, 27)) == "major"  # the same day is no earlier one
    judgement = judge(item, {"answer": "yes"}, {"at": AT, "earlier_failures": [date(2026, 8, 20)]})
    assert judgement.inputs["failures_in_window"] == 1 and "2 times in 30 days" in judgement.why


@pytest.mark.parametrize("answer", ["flushed"])
def test_flushing_is_always_critical(pack, answer):
    item = pack.item("TRK-08")
    assert [rule.severity for rule in item.rules] == ["critical"]
    judgement = judge(item, {"answer": answer}, {"at": AT})
    assert judgement.photos == ("wide", "close") and judgement.note


@pytest.mark.parametrize("item, answer", [
    ("TRK-01", {"in_use": "2"}), ("TRK-01", {"in_use": -1}), ("TRK-01", {"in_use": True}), ("TRK-01", {"exits": 2}),
    ("TRK-02", {"length": 50}), ("TRK-02", {"length": "-3"}), ("TRK-02", {"length": "long"}),
    ("TRK-02", {"length": "NaN"}), ("TRK-03", {"answer": "maybe"}), ("TRK-05", {"answer": ["open"]}),
    ("INL-05", {"answer": "torn"}), ("INL-05", {"answer": ["holes"]}), ("ECD-01", {"number": 3}),
    ("TRK-01", {"answer": "yes"}),
])
def test_an_answer_that_does_not_fit_is_refused_with_its_place(pack, item, answer):
    with pytest.raises(AnswerError) as caught:
        judge(pack.item(item), answer)
    assert caught.value.where == f"{item}.{next(iter(answer))}"


def test_only_adjacent_land_and_water_suggest_the_emergency(pack):
    item = pack.item("ECD-13")
    assert [judge(item, {"answer": where}).emergency for where in ("adjacent", "water", "road", "sewer")] == [
        True, True, False, False]
    assert judge(pack.item("ECD-14"), {"adequate": "no", "condition": "rain"}).revision


def test_severity_is_raised_freely_and_lowered_only_with_a_reason():
    assert settle_severity("minor", "critical", None) == "critical"
    assert settle_severity("major", "major", "") == "major"
    assert settle_severity("critical", "minor", "cleaned while I watched") == "minor"
    for reason in (None, "", "  "):
        with pytest.raises(AnswerError, match="needs a reason"):
            settle_severity("critical", "minor", reason)
    with pytest.raises(AnswerError):
        settle_severity("critical", "awful", "x")


def test_the_photos_that_a_failure_needs(pack):
    critical = judge(pack.item("TRK-08"), {"answer": "flushed"})
    assert photos_missing(critical.severity, []) == ("wide", "close")
    assert photos_missing(critical.severity, ["wide"]) == ("close",)
    assert photos_missing(critical.severity, ["close", "wide"]) == ()
    major = judge(pack.item("TRK-05"), {"answer": "choked"})
    assert photos_missing(major.severity, []) == ("any",) and photos_missing(major.severity, ["other"]) == ()
    assert photos_missing("minor", []) == ()


def test_in_order_is_said_only_where_one_answer_alone_passes(pack):
    known = {"TRK-03": {"answer": "yes"}, "TRK-07": {"answer": "no"}, "TRK-06": None, "TRK-01": None, "TRK-02": None,
             "INL-01": None, "INL-04": None, "INL-05": {"answer": []}, "ECD-05": {"answer": "0"},
             "ECD-06": {"gaps": 0}, "ECD-12": {"answer": 0}, "ECD-13": {"answer": "none"}, "ECD-03": None}
    assert {ident: answer_in_order(pack.item(ident)) for ident in known} == known
    for checklist in pack.checklists.values():
        for item in checklist.items:
            answer = answer_in_order(item)
            assert answer is None or judge(item, answer).state == "pass", item.id


def test_an_earlier_finding_left_open_or_unseen_is_never_compliant():
    assert outcome([]) == "compliant"
    assert outcome([], left_open=True) == "correction_notice"
    assert outcome([], left_unseen=True) == "incomplete"


# Due dates (K9, K12). Inspected at, code, end of work day of the site -> date and time.
DUE = [
    (AT, "EOD", None, (2026, 8, 27), "17:00"),
    (AT, "EOD", "15:30", (2026, 8, 27), "15:30"),
    (AT, "24H", None, (2026, 8, 28), "14:03"),
    (AT, "48H", None, (2026, 8, 29), "14:03"),
    (datetime(2026, 8, 29, 15, 0), "24H", None, (2026, 8, 31), "15:00"),   # Saturday: Sunday is left out
    (datetime(2026, 9, 5, 15, 0), "24H", None, (2026, 9, 8), "15:00"),     # and so is Labor Day
    (datetime(2026, 9, 4, 15, 0), "48H", None, (2026, 9, 8), "15:00"),
    (datetime(2026, 10, 31, 15, 0), "24H", None, (2026, 11, 2), "15:00"),  # over the end of daylight saving time
    (AT, "7D", None, (2026, 9, 3), "17:00"),
    (AT, "7D", "16:00", (2026, 9, 3), "16:00"),
]


@pytest.mark.parametrize("at, code, end, on, wall", DUE)
def test_a_correction_is_due_at_a_date_and_a_time(pack, at, code, end, on, wall):
    timing = pack.item("TRK-06").timing
    found = due(timing, code, at, end)
    assert (found.on, found.at) == (date(*on), wall)
    assert found.to_wire() == {"on": date(*on).isoformat(), "at": wall}
    assert found.words().endswith(f"at {wall}") and found.words("es").endswith(f"a las {wall}")


@pytest.mark.parametrize("at, code", [(AT, "NOW"), (datetime(2026, 8, 27, 18, 20), "EOD")])
def test_what_is_due_at_once_gives_no_time_as_a_deadline(pack, at, code):
    """By the time it is read the minute of the finding has passed; "by the end of the day" after that end likewise."""
    found = due(pack.item("TRK-06").timing, code, at)
    assert found.to_wire() == {"on": "2026-08-27", "at": f"{at:%H:%M}", "at_once": True}
    assert found.words() == pack.item("TRK-06").timing.dues[code].text["en"]


def test_a_correction_is_overdue_after_its_minute_and_not_before(pack):
    found = due(pack.item("TRK-06").timing, "EOD", AT)
    moments = [datetime(2026, 8, 27, 17, 0), datetime(2026, 8, 27, 17, 1), datetime(2026, 8, 28, 9, 0)]
    assert [found.passed(moment) for moment in moments] == [False, True, True]
    assert not due(pack.item("TRK-06").timing, "SET", AT).passed(datetime(2030, 1, 1))


@pytest.mark.parametrize("code", ["RAIN", "SET"])
def test_what_the_inspector_must_set_has_no_date_yet(pack, code):
    found = due(pack.item("TRK-06").timing, code, AT)
    assert found.on is None and found.to_wire() is None and found.words()


@pytest.fixture
def judgements(pack):
    def made(*names):
        answers = {"pass": ("TRK-03", {"answer": "yes"}), "minor": ("TRK-03", {"answer": "no"}),
                   "critical": ("TRK-08", {"answer": "flushed"}), "observation": ("TRK-12", {"answer": "no"}),
                   "unlike": ("INL-00", {"counted": 3, "on_plan": 2}), "unseen": ("TRK-03", {"answer": NOT}),
                   "na": ("TRK-03", {"answer": "na"}), "half": ("TRK-01", {"in_use": 1}),
                   "part": ("WST-04", {"fill": "80", "liner": NOT, "overflow": "no", "distance": "60"})}
        return [judge(pack.item(answers[name][0]), answers[name][1]) for name in names]
    return made


OUTCOME_TABLE = [
    (("pass", "na"), {}, "compliant"),
    ((), {}, "compliant"),
    (("pass", "observation"), {}, "compliant"),
    (("pass", "unlike"), {}, "correction_notice"),
    (("pass", "unlike"), {"corrected": [False, True]}, "corrected_on_site"),
    (("pass", "unseen"), {}, "incomplete"),
    (("pass", "half"), {}, "incomplete"),
    (("minor", "unseen"), {}, "correction_notice"),
    (("minor", "unseen"), {"corrected": [True, False]}, "incomplete"),
    (("part",), {}, "correction_notice"),
    (("part",), {"corrected": [True]}, "incomplete"),
    (("minor", "pass"), {"corrected": [True, False]}, "corrected_on_site"),
    (("minor", "critical"), {"corrected": [True, False]}, "correction_notice"),
    (("minor",), {"revision": True}, "revision_order"),
    (("critical",), {"order": "recommended"}, "stop_work_recommended"),
    (("critical",), {"order": "posted", "revision": True}, "stop_work_posted"),
    (("critical",), {"order": "posted", "emergency": True}, "emergency_requested"),
]


@pytest.mark.parametrize("names, further, expected", OUTCOME_TABLE)
def test_the_outcome_of_an_inspection_is_its_gravest_part(judgements, names, further, expected):
    assert outcome(judgements(*names), **further) == expected


def test_every_outcome_is_reached_by_the_table():
    assert {row[2] for row in OUTCOME_TABLE} == set(OUTCOMES)
