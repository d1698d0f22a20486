"""Any sequence of taps leads to a valid draft, and the list of what misses always leads to a signable inspection."""

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.capture import closing, correcting, head, last_time, marks, places, stored, voice
from field_app.capture import draft as taps
from field_app.capture import form as forms
from field_app.capture.body import to_fact_body
from field_app.capture.draft import Draft
from field_app.capture.findings import judged_all, missing, outcome_of
from field_app.capture.undo import changed, undone
from sync.ordinance.checklists import is_milder
from sync.records import bodies
from sync.records.photo_bodies import PHOTO_VIEWS
from sync.records.wire import encode
from tests.support.drafts import AT, CARDS, FORM, PACK, SIGNED, START, photo, tapped

KEYS = [*FORM.by_key, "NO-99"]
OTHER_TAPS = "special rest note severity correction due corrected attach detach details topic go no_photo".split()
OTHER_TAPS += "follow follow_note order_of untopic add_place retire keep close_with sign follows".split()
OTHER_TAPS += "draw_on undraw speak unspeak".split()
EARLIER = ["e1", "e2", "e3", "e9"]
TYPED = st.sampled_from(
    ["", "yes", "no", "0", "7", "12.5", "12,5", "100", "-1", "1e9", "NaN", "½", " 3 ", "x" * 501, "none"]
)


SIGNATURE = {"sha256": "e" * 64, "size": 90, "media": "application/json"}
PLACE = st.tuples(st.sampled_from(["inlet", "device", "tree"]), st.sampled_from(["in-1", "new-1", "new-2", "dev-2"]))


def follow(draw):
    finding, state = draw(st.sampled_from(EARLIER)), draw(st.sampled_from([*bodies.FOLLOWED, "", "gone"]))
    return lambda d, f: last_time.follow_up(d, finding, state)


def follow_note(draw):
    finding, text = draw(st.sampled_from(EARLIER)), draw(st.sampled_from(["", "It grew.", "x" * 9000]))
    return lambda d, f: last_time.follow_up_note(d, finding, text)


def order_of(draw):
    section = draw(st.sampled_from(["tracking", "inlets", "devices", "permit", "nowhere"]))
    return lambda d, f: taps.answer_in_order(d, f, section, AT)


def untopic(draw):
    topic = draw(st.sampled_from(["devices", "tracking", "gardening"]))
    return lambda d, f: head.drop_topic(d, f, topic, forms.CORE_TOPICS)


def add_place(draw):
    (kind, ident), label = draw(PLACE), draw(st.sampled_from(["CB-9", " ", ""]))
    return lambda d, f: places.add_place(d, kind, ident, label, "at the gate", "silt_fence")


def retire(draw):
    (kind, ident), why = draw(PLACE), draw(st.sampled_from(["", "paved over"]))
    return lambda d, f: places.retire_place(d, kind, ident, why)


def keep(draw):
    kind, ident = draw(PLACE)
    return lambda d, f: places.keep_place(d, kind, ident)


def close_with(draw):
    fields = draw(st.sampled_from([{"how": "signed", "name": "Joe"}, {"how": "refused"}, {"how": "nobody present"},
                                   {"witness": "Ben"}, {"how": "shrugged"}, {"mood": "bad"}]))  # fmt: skip
    return lambda d, f: closing.set_closing(d, fields)


def sign(draw):
    whose, file = draw(st.sampled_from([*closing.WHOSE, "mayor"])), draw(st.sampled_from([SIGNATURE, None]))
    return lambda d, f: closing.set_signature(d, whose, file)


def follows(draw):
    step, wanted = draw(st.sampled_from([*closing.FOLLOWS, "applause"])), draw(st.booleans())
    return lambda d, f: closing.set_follows(d, step, wanted)


def draw_on(draw):
    sha, kind = f"{draw(st.integers(1, 5)):064x}", draw(st.sampled_from(["arrow", "circle", "text", "hexagon"]))
    stroke = draw(st.lists(st.tuples(st.integers(-9, 500), st.integers(-9, 500)).map(list), max_size=4))
    text = draw(st.sampled_from(["", "here"]))
    return lambda d, f: marks.over(d, sha, lambda photo: marks.add(photo, (400, 300), kind, stroke, "red", text))


def undraw(draw):
    sha = f"{draw(st.integers(1, 5)):064x}"
    return lambda d, f: marks.over(d, sha, marks.take_back)


def speak(draw):
    key, number = draw(st.sampled_from([*KEYS, ""])), draw(st.integers(1, 3))
    note = {"sha256": f"{number + 100:064x}", "recorded": photo(1)["taken"], "ms": number * 1000, "size": 10,
            "media": "audio/webm"}  # fmt: skip
    return lambda d, f: voice.attach(d, f, key, note)


def unspeak(draw):
    number = draw(st.integers(1, 3))
    return lambda d, f: voice.remove(d, f"{number + 100:064x}")


CLOSING_TAPS = {
    one.__name__: one
    for one in (follow, follow_note, order_of, untopic, add_place, retire, keep, close_with, sign, follows, draw_on,
                undraw, speak, unspeak)
}  # fmt: skip


@st.composite
def one_tap(draw):
    """One tap, sensible or not: a function of draft and form."""
    key = draw(st.sampled_from(KEYS))
    kind = draw(st.sampled_from(["answer"] * 6 + OTHER_TAPS))
    if kind == "answer":
        question = FORM.by_key.get(key)
        parts = [p.id for p in question.item.parts] if question else []
        part = draw(st.sampled_from([*parts, *parts, "bogus"]))
        field = question.item.part(part) if question else None
        offered = list(question.part(part).choices) if field else []
        single = st.one_of(TYPED, st.sampled_from(offered)) if offered else TYPED
        value = draw(st.lists(st.sampled_from(offered), max_size=3) if field and field.type == "MUL" else single)
        return lambda d, f: taps.answer(d, f, key, part, value, AT)
    if kind == "special":
        value = draw(st.sampled_from(["na", "not_observed", "", "perhaps"]))
        return lambda d, f: taps.answer_special(d, f, key, value, AT)
    if kind == "rest":
        card, value = draw(st.sampled_from(CARDS)), draw(st.sampled_from(["na", "not_observed", ""]))
        return lambda d, f: taps.answer_rest(d, f, card, value, AT)
    if kind in ("note", "correction", "no_photo"):
        text = draw(st.sampled_from(["", " ", "Mud.", "Ä—漢字 \n", "x" * 9000]))
        call = {"note": taps.set_note, "correction": taps.set_correction, "no_photo": taps.set_no_photo}[kind]
        return lambda d, f: call(d, f, key, text)
    if kind == "severity":
        severity = draw(st.sampled_from([*bodies.SEVERITIES, "", "awful"]))
        reason, computed = draw(st.sampled_from(["", "seen before"])), draw(st.sampled_from([*bodies.SEVERITIES, ""]))
        return lambda d, f: taps.set_severity(d, f, key, severity, reason, computed)
    if kind == "due":
        on = draw(st.sampled_from(["2026-08-28", "", "2026-02-30", "tomorrow"]))
        at = draw(st.sampled_from(["17:00", "", "25:00", "5pm"]))
        return lambda d, f: taps.set_due(d, f, key, on, at)
    if kind == "corrected":
        value = draw(st.booleans())
        return lambda d, f: taps.set_corrected(d, f, key, value)
    if kind in CLOSING_TAPS:
        return CLOSING_TAPS[kind](draw)
    where = draw(st.sampled_from([*KEYS, "", "last:e1", "last:e9"]))
    number = draw(st.integers(1, 4))
    if kind == "attach":
        view = draw(st.sampled_from([*PHOTO_VIEWS, "aerial"]))
        return lambda d, f: taps.attach_photo(d, f, where, photo(number, view))
    if kind == "detach":
        return lambda d, f: taps.remove_photo(d, f, where, photo(number)["sha256"])
    if kind == "details":
        fields = draw(st.sampled_from([{"rain": "0.5", "rain_source": "estimate"}, {"rain": "lots"}, {"type": "rain"},
                                       {"type": "party"}, {"entry": "warrant"}, {"weather": "wet"},
                                       {"entry_note": "W-12"}, {"sky": "snow"}, {"rain_since": "1,5"}]))  # fmt: skip
        return lambda d, f: head.set_details(d, fields)
    if kind == "topic":
        topic = draw(st.sampled_from(["devices", "dewatering", "tracking", "gardening"]))
        return lambda d, f: head.add_topic(d, topic, tuple(PACK.checklists))
    return lambda d, f: taps.go_to(d, "inlets", where)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(one_tap(), max_size=25))
def test_any_taps_lead_to_a_valid_draft(sequence):
    draft = tapped(START, sequence)
    doc = json.loads(encode(stored.to_doc(draft)))
    assert stored.from_doc(doc) == draft
    form = forms.build(PACK, draft)
    judged = judged_all(draft, form)
    assert judged == judged_all(stored.from_doc(doc), form)
    assert outcome_of(draft, judged) in bodies.OUTCOMES
    for lacking in missing(draft, judged):
        if lacking.section == "last":
            assert lacking.key in EARLIER
        elif lacking.section not in ("details", "closing"):
            assert form.question(lacking.key).card == lacking.card
    assert taps.used_photos(draft) == set(draft.photos)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(one_tap(), max_size=15), one_tap(), st.lists(one_tap(), max_size=2))
def test_a_tap_is_taken_back_by_one_tap_whatever_came_after(sequence, false_tap, more):
    before = tapped(START, sequence)
    after = tapped(before, [false_tap])
    docs = [json.loads(encode(stored.to_doc(one))) for one in (before, after)]
    what = json.loads(encode({"what": changed(*docs)}))["what"]
    back = stored.from_doc(undone(docs[1], what))
    assert replace(back, at=before.at) == before
    later = json.loads(encode(stored.to_doc(tapped(after, more))))
    draft = stored.from_doc(undone(later, what))
    judged_all(draft, forms.build(PACK, draft))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(one_tap(), max_size=20))
def test_doing_what_misses_ends_in_a_body_that_the_record_accepts(sequence):
    draft = tapped(START, sequence)
    for _ in range(12):
        form = forms.build(PACK, draft)
        lacking = missing(draft, judged_all(draft, form))
        if not lacking:
            break
        for one in lacking:
            draft = mend(draft, form, one)
    judged = judged_all(draft, forms.build(PACK, draft))
    assert missing(draft, judged) == ()
    body = to_fact_body(draft, judged, ended=AT, inspected_on="2026-08-27", signed=SIGNED)
    drawn = {p["layer"] for p in body["photos"] if "layer" in p}
    named = {*draft.photos, SIGNATURE["sha256"], *draft.voice_notes, *drawn}
    bodies.check("inspection_signed", json.loads(encode(body)), named)
    assert all(p.get("far_reason") for p in body["photos"] if p.get("site_m"))
    followed = {one["finding"]: one["state"] for one in body["followups"]}
    assert set(followed) == {e["id"] for e in draft.earlier}
    continued = {ident for one in body["findings"] for ident in one.get("continues", [])}
    assert set(body["closes"]) == continued | {ident for ident, state in followed.items() if state == "fixed"}
    assert not continued & {ident for ident, state in followed.items() if state in ("fixed", "not_observed")}
    failing = [one for one in judged.values() if one.fails]
    assert len(body["findings"]) == len(failing) == len({f["id"] for f in body["findings"]})
    for finding in body["findings"]:
        assert (
            finding["severity"] == finding["computed"]
            or finding["severity_reason"]
            or not is_milder(finding["severity"], finding["computed"])
        )
        if finding["severity"] != "observation":
            assert finding["correction"].strip() and (finding["due"] or finding["status"] == "corrected")
    body["signed"]["signature"] = None  # who corrects signs anew
    assert corrected_again(draft, body) == body


def corrected_again(draft: Draft, body: dict) -> dict:
    """The body of a correction that changes nothing, without what makes it a correction."""
    files = {sha: {"sha256": sha, "size": 10, "media": "image/jpeg"} for sha in (*draft.photos, *draft.voice_notes)}
    layers = {sha: photo["layer"] for sha, photo in draft.photos.items() if "layer" in photo}
    files[SIGNATURE["sha256"]] = SIGNATURE
    again = correcting.draft_of(
        json.loads(encode(body)), PACK, ident="c" * 32, user="ada", revises="f" * 32, files=files,
        layers=layers, subjects=START.subjects, earlier=START.earlier, end_of_work_day=None, permit_words="",
    )  # fmt: skip
    again = head.set_details(again, {"revise_reason": "A slip."})
    judged = judged_all(again, forms.build(PACK, again))
    assert missing(again, judged) == ()
    made = to_fact_body(again, judged, ended="2026-09-01T09:00:00-05:00", inspected_on="2026-08-27", signed=SIGNED)
    assert made.pop("revise_reason") == "A slip."
    return made


def mend(draft: Draft, form: forms.Form, one) -> Draft:
    """Do the one thing that the entry asks for."""
    key = one.key
    match one.code:
        case "far":
            return head.set_details(draft, {"far_reason": "from the bridge"})
        case "answer" | "number":
            return taps.answer_special(draft, form, key, "not_observed", AT)
        case "note":
            return taps.set_note(draft, form, key, "Seen.")
        case "photo" | "photo-wide":
            return taps.attach_photo(draft, form, key, photo(100 + len(draft.photos), "wide"))
        case "photo-close":
            return taps.attach_photo(draft, form, key, photo(100 + len(draft.photos), "close"))
        case "photo-why":
            return taps.set_no_photo(draft, form, key, "")
        case "severity-reason":
            return taps.set_severity(draft, form, key, "", "", "")
        case "due":
            return taps.set_due(draft, form, key, "2026-08-28", "17:00")
        case "rain" | "rain-needed":
            return head.set_details(draft, {"rain": "0.5", "rain_since": ""})
        case "entry":
            return head.set_details(draft, {"entry_note": "W-2026-8"})
        case "followup" | "followup-differs":
            return last_time.follow_up(draft, key, "not_observed")
        case "in-charge" | "in-charge-name" | "in-charge-signature" | "witness":
            return closing.set_closing(draft, {"how": "nobody present"})
    raise AssertionError(f"nobody can do {one.code}")
