"""What the form asks and what its answers mean: severity, due dates, open findings, what may not be taken back."""

from dataclasses import replace
from datetime import datetime

from field_app.capture import draft as taps
from field_app.capture import form as forms
from field_app.capture import last_time, places
from field_app.capture.body import findings, to_fact_body
from field_app.capture.findings import judged_all, missing, outcome_of
from sync.records.problems import Problem
from tests.support.drafts import AT, CARDS, FORM, PACK, SIGNED, START, photo, tapped


def test_the_form_asks_each_inlet_and_each_condition():
    per_inlet = [i.id for i in PACK.checklists["inlets"].items if i.per == "inlet"]
    assert len(per_inlet) == 11
    for inlet in ("in-1", "in-2"):
        assert [q.item.id for q in FORM.card(f"inlets@inlet:{inlet}")] == per_inlet
    assert [q.item.id for q in FORM.card("inlets")] == ["INL-00"]
    assert [q.item.id for q in FORM.card("timetable:row-1")] == ["TIM-01"]
    every = replace(START, topics=tuple(PACK.checklists))
    asked = lambda device: [q.item.id for q in forms.build(PACK, every).card(f"devices@device:{device}")]  # noqa: E731
    assert asked("dev-1") == ["ECD-06", "ECD-07", "ECD-08", "ECD-09", "ECD-16"]  # a fence
    assert asked("dev-2") == ["ECD-16"]  # a stone exit
    conditions = [q for q in FORM.questions if q.section == "permit"]
    assert [(q.subject.id, q.clause) for q in conditions] == [("c1", "D4"), ("c2", conditions[1].item.clause)]
    assert all("c" in q.item.grounds for q in conditions)


def test_a_condition_that_is_not_met_says_itself_what_must_be_done():
    key = "CON-01@condition:c1"
    draft = taps.answer(START, FORM, key, "answer", "no", AT)
    one = judged_all(draft, FORM)[key]
    assert one.fails and one.correction.endswith("Keep the exit 50 feet long.")


def test_severity_is_raised_freely_and_lowered_only_with_a_reason():
    draft = taps.answer(START, FORM, "TRK-03", "answer", "no", AT)
    computed = judged_all(draft, FORM)["TRK-03"].judgement.severity
    assert computed == "minor"
    raised = taps.set_severity(draft, FORM, "TRK-03", "critical", "", computed)
    assert judged_all(raised, FORM)["TRK-03"].severity == "critical"
    try:
        taps.set_severity(draft, FORM, "TRK-03", "observation", "  ", computed)
        raise AssertionError("lowered without a reason")
    except Problem as problem:
        assert problem.code == "reasons-missing"
    lowered = taps.set_severity(draft, FORM, "TRK-03", "observation", "the pad was being widened", computed)
    one = judged_all(lowered, FORM)["TRK-03"]
    assert (one.severity, one.judgement.severity) == ("observation", "minor")


def test_a_raised_severity_asks_for_the_photos_of_that_severity():
    draft = taps.answer(START, FORM, "TRK-03", "answer", "no", AT)
    draft = taps.set_note(draft, FORM, "TRK-03", "Trucks drive beside it.")
    codes = lambda d: [m.code for m in missing(d, judged_all(d, FORM)) if m.key == "TRK-03"]  # noqa: E731
    assert codes(draft) == []
    draft = taps.set_severity(draft, FORM, "TRK-03", "critical", "", "minor")
    assert codes(draft) == ["photo-wide", "photo-close"]
    for said in ("x", "no light", "a b c d"):  # whoever reads the record must learn why
        assert codes(taps.set_no_photo(draft, FORM, "TRK-03", said)) == ["photo-wide", "photo-close", "photo-why"]
    said = lambda d: [one.get("no_photo") for one in findings(d, judged_all(d, FORM)) if one["item"] == "TRK-03"]  # noqa: E731
    reason = "the camera is broken"
    broken = taps.set_no_photo(draft, FORM, "TRK-03", reason)
    assert codes(broken) == [] and said(broken) == [reason]
    broken = taps.attach_photo(broken, FORM, "TRK-03", photo(1, "wide"))
    assert codes(broken) == [] and said(broken) == [reason], "it says why none from near could be taken"
    broken = taps.attach_photo(broken, FORM, "TRK-03", photo(2, "close"))
    assert codes(broken) == [] and said(broken) == [None], "all of them could be taken after all"
    draft = taps.attach_photo(draft, FORM, "TRK-03", photo(1, "wide"))
    assert codes(taps.attach_photo(draft, FORM, "TRK-03", photo(2, "close"))) == []


def test_the_second_failure_in_thirty_days_is_graver():
    """Soil left from an earlier day (TRK-07): major, critical when it failed before within 30 days."""
    draft = taps.answer(START, FORM, "TRK-07", "answer", "yes", AT)
    assert judged_all(draft, FORM)["TRK-07"].severity == "critical"
    fresh = replace(draft, earlier=())
    assert judged_all(fresh, FORM)["TRK-07"].severity == "major"


def test_default_due_dates_count_from_the_tap_and_can_be_set():
    draft = taps.answer(START, FORM, "TRK-05", "answer", "choked", AT)
    assert judged_all(draft, FORM)["TRK-05"].due == {"on": "2026-08-28", "at": "14:03"}
    later = taps.answer(draft, FORM, "TRK-05", "answer", "choked", "2026-08-27T16:30:00-05:00")
    assert judged_all(later, FORM)["TRK-05"].due == {"on": "2026-08-28", "at": "16:30"}
    saturday = taps.answer(draft, FORM, "TRK-05", "answer", "choked", "2026-08-29T10:00:00-05:00")
    assert judged_all(saturday, FORM)["TRK-05"].due == {"on": "2026-08-31", "at": "10:00"}
    chosen = taps.set_due(draft, FORM, "TRK-05", "2026-09-01", "09:00")
    assert judged_all(chosen, FORM)["TRK-05"].due == {"on": "2026-09-01", "at": "09:00"}
    assert judged_all(taps.set_due(chosen, FORM, "TRK-05", "", ""), FORM)["TRK-05"].due["at"] == "14:03"
    assert datetime.fromisoformat(AT).utcoffset() is not None


def test_an_open_finding_that_passes_now_is_closed():
    done = tapped(START, [lambda d, f, c=c: taps.answer_rest(d, f, c, "na", AT) for c in CARDS[:-1]])
    done = taps.answer(done, FORM, "TRK-07", "answer", "no", AT)
    judged = judged_all(done, FORM)
    body = to_fact_body(done, judged, ended=AT, inspected_on="2026-08-27", signed=SIGNED)
    assert body["closes"] == ["e1"] and body["followups"][0]["state"] == "fixed"
    assert [m.key for m in missing(done, judged)] == ["e3", "e2"]  # nothing says what became of these


def test_not_observed_is_never_compliant():
    done = tapped(START, [lambda d, f, c=c: taps.answer_rest(d, f, c, "na", AT) for c in CARDS[:-1]])
    assert outcome_of(done, judged_all(done, FORM)) == "compliant"
    unseen = taps.answer_special(done, FORM, "WST-01", "not_observed", AT)
    assert outcome_of(unseen, judged_all(unseen, FORM)) == "incomplete"


def test_none_of_these_excludes_the_others():
    key = "INL-05@inlet:in-1"
    part = FORM.question(key).item.parts[0].id
    value = lambda d: d.entries[key].parts.get(part)  # noqa: E731
    draft = taps.answer(START, FORM, key, part, ["none"], AT)
    assert judged_all(draft, FORM)[key].state == "pass"
    draft = taps.answer(draft, FORM, key, part, ["none", "torn"], AT)
    assert value(draft) == ("torn",)
    draft = taps.answer(draft, FORM, key, part, ["torn", "none"], AT)
    assert value(draft) == ("none",)
    assert value(taps.answer(draft, FORM, key, part, [], AT)) is None


def test_a_special_answer_taken_back_brings_the_first_one_back():
    draft = taps.answer(START, FORM, "TRK-03", "answer", "no", AT)
    marked = taps.answer_special(draft, FORM, "TRK-03", "na", AT)
    assert judged_all(marked, FORM)["TRK-03"].state == "na"
    assert judged_all(taps.answer_special(marked, FORM, "TRK-03", "", AT), FORM)["TRK-03"].fails


def test_what_was_typed_is_kept_and_what_is_no_number_is_named():
    draft = taps.answer(START, FORM, "TRK-02", "length", "12,5 ft", AT)
    one = judged_all(draft, FORM)["TRK-02"]
    assert draft.entries["TRK-02"].parts["length"] == "12,5 ft" and one.wrong == ("length",)
    assert [m.code for m in missing(draft, judged_all(draft, FORM)) if m.key == "TRK-02"] == ["number"]
    comma = taps.answer(START, FORM, "TRK-02", "length", " 12,5 ", AT)
    assert judged_all(comma, FORM)["TRK-02"].answer["length"] == "12.5"


def test_two_findings_about_one_thing_are_carried_on_in_one():
    """Two tablets carried the same finding on without knowing of each other; the next inspection sees one thing."""
    again = {**START.earlier[0], "id": "e4", "found_on": "2026-08-21", "first_found_on": "2026-08-06"}
    draft = replace(START, earlier=(*START.earlier, again))
    form = forms.build(PACK, draft)
    draft = taps.answer(draft, form, "TRK-07", "answer", "yes", AT)
    body = to_fact_body(draft, judged_all(draft, form), ended=AT, inspected_on="2026-08-27", signed=SIGNED)
    (found,) = body["findings"]
    assert sorted(found["continues"]) == ["e1", "e4"] == sorted(body["closes"])
    assert found["first_found_on"] == "2026-08-06"


def test_a_finding_still_open_brings_its_question_along_whatever_was_chosen():
    assert "ECD-06@device:dev-1" not in FORM.by_key  # the checklist of devices was not chosen
    draft = last_time.follow_up(START, "e3", "still_open")
    form = forms.build(PACK, draft)
    question = form.question("ECD-06@device:dev-1")
    assert (question.section, question.card) == ("devices", "devices@device:dev-1")
    assert [q.item.id for q in form.questions if q.section == "devices"] == ["ECD-06"]
    draft = taps.answer(draft, form, question.key, "gaps", "2", AT)
    draft = taps.answer(draft, form, question.key, "worst", "3", AT)
    draft = last_time.follow_up_note(draft, "e3", "Two gaps now.")
    one = judged_all(draft, form)[question.key]
    assert one.fails and one.note == "Two gaps now." and [c for c in missing(draft, {question.key: one})
                                                          if c.key == question.key and c.code == "note"] == []
    gone = places.retire_place(draft, "device", "dev-1", "replaced")
    assert question.key not in forms.build(PACK, gone).by_key
