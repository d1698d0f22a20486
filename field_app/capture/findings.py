"""What an inspection comes to: each item judged under the pack, what still misses, the outcome.

Derived anew from the draft each time and never stored, so it cannot disagree with what was tapped. Severity, and how
far the inspector may depart from it, is the law's (`sync.ordinance.checklists`). What is signed: `body.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from field_app.capture import closing
from field_app.capture.draft import NONE, Draft, Entry, entry_of
from field_app.capture.form import Form, Question
from field_app.capture.last_time import LEFT, asked_again, carried, differs, open_ones, same_subject, state_of
from field_app.capture.numbers import typed_number
from sync.ordinance.checklists import (
    AnswerError,
    Judgement,
    asked_parts,
    judge,
    outcome,
    photos_missing,
    settle_severity,
)
from sync.ordinance.items import Part, where_words
from sync.records.bodies import MOST_RAIN_IN
from sync.records.places import FAR_M

_COUNT = re.compile(r"\d{1,6}")
# A reason instead of a photo is a sentence: a character or a word says nothing to whoever reads the record.
REASON_WORDS, REASON_LETTERS = 3, 12
# By these the inspector is on the land by something that has a name: a person's word, a warrant's number.
NAMED_ENTRIES = ("warrant", "emergency")
OUTCOME_WORDS = {"emergency_requested": "emergency action requested", "corrected_on_site": "corrected on site"} | {
    "stop_work_recommended": "stop-work recommended",
    "stop_work_posted": "stop-work posted",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One item as it stands.

    `answer` is the answer on the wire; `asked` the parts to show now; `wrong` part ids whose text is no number.
    `state` as in the judgement, or "empty". `severity`, `correction`, `due`, `note`, `photos` are those that will be
    signed: note and photos of a finding of last time that is still open count for its question too.
    """

    question: Question
    entry: Entry
    answer: dict[str, Any]
    asked: tuple[Part, ...]
    wrong: tuple[str, ...]
    judgement: Judgement
    state: str
    severity: str
    correction: str
    due: dict[str, Any] | None
    note: str = ""
    photos: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        return self.state == "fail"


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that keeps the inspection from being signed; `code` says what, `section`, `card`, `key` where.

    Codes: answer, number, note, photo, photo-wide, photo-close, photo-why, correction, due, severity-reason; of the
    head: rain, rain-much, rain-needed, entry; of last time (`key` is the finding): followup, followup-differs; of the
    end: in-charge, in-charge-name, in-charge-signature, witness, revise-reason.
    """

    code: str
    section: str
    card: str
    key: str


def value_of(part: Part, typed: str | tuple[str, ...]) -> Any:
    """What was typed or tapped as it goes on the wire; None when it is no number or nothing was given."""
    if part.type == "MUL":
        return [v for v in typed if v != NONE or NONE in part.choice_ids()]
    assert isinstance(typed, str)
    text = typed.strip()
    if part.type == "NUM":
        return typed_number(text)
    if part.type == "CNT":
        return int(text) if _COUNT.fullmatch(text) else None
    return text or None


def judged_item(draft: Draft, question: Question, language: str = "en") -> Judged:
    """One item of the draft, judged."""
    item, entry = question.item, entry_of(draft, question.key)
    given: dict[str, Any] = {}
    wrong = []
    for part in item.parts:
        if part.id in entry.parts:
            value = value_of(part, entry.parts[part.id])
            if value is None:
                wrong.append(part.id)
            else:
                given[part.id] = value
    asked = asked_parts(item, given)
    if entry.special:
        answer: dict[str, Any] = {"answer": entry.special}
        wrong = []
    else:
        names = {part.id for part in asked}
        answer = {name: value for name, value in given.items() if name in names}
        wrong = [name for name in wrong if name in names]
    judgement = judge(item, answer, _context(draft, question, entry), language=language)
    state = judgement.state
    if not answer and not wrong:
        state = "empty"
    elif wrong and state != "fail":
        state = "incomplete"
    computed = judgement.severity or ""
    correction = entry.correction if entry.correction is not None else default_correction(question, language)
    due: dict[str, Any] | None = None
    if entry.due:
        due = {"on": entry.due[0], "at": entry.due[1]}
    elif judgement.due:
        due = judgement.due.to_wire()
    before = carried(draft, question)
    note = entry.note if entry.note.strip() else "\n".join(one.note for one in before if one.note.strip())
    photos = tuple(dict.fromkeys((*entry.photos, *(sha for one in before for sha in one.photos))))
    severity = entry.severity or computed
    return Judged(
        question, entry, answer, asked, tuple(wrong), judgement, state, severity, correction, due, note, photos
    )


def default_correction(question: Question, language: str) -> str:
    """What the pack proposes, naming the inlet, device, condition or step that it is about."""
    subject = question.subject
    if subject is None:
        return question.item.correction(language)
    place = subject.detail if subject.kind in ("inlet", "device") else ""
    return question.item.correction(language, where_words(subject.label, place))


def _context(draft: Draft, question: Question, entry: Entry) -> dict[str, Any]:
    """What the rules may know beside the answer: when, and how often this failed here before."""
    subject = question.subject.to_wire() if question.subject else None
    days = [
        date.fromisoformat(e["found_on"])
        for e in draft.earlier
        if e["item"] == question.item.id and same_subject(e.get("subject"), subject)
    ]
    when = datetime.fromisoformat(entry.at or draft.began)
    return {"at": when, "end_of_work_day": draft.end_of_work_day, "earlier_failures": tuple(sorted(set(days)))}


def judged_all(draft: Draft, form: Form, language: str = "en") -> dict[str, Judged]:
    """Every item by its key, in the form's order."""
    return {q.key: judged_item(draft, q, language) for q in form.questions}


def views_missing(draft: Draft, one: Judged) -> tuple[str, ...]:
    """The photo views ("wide", "close", "any") that a failing item still lacks; none when it says why."""
    return () if is_reason(one.entry.no_photo) else photos_lacking(draft, one)


def photos_lacking(draft: Draft, one: Judged) -> tuple[str, ...]:
    """The same, whatever is said of why."""
    if not one.fails:
        return ()
    return photos_missing(one.severity, [draft.photos[sha]["view"] for sha in one.photos])


def is_reason(text: str) -> bool:
    """Whether the text says why no photo could be taken, in a few words."""
    return len(text.split()) >= REASON_WORDS and sum(map(str.isalpha, text)) >= REASON_LETTERS


def missing_of(draft: Draft, one: Judged) -> tuple[str, ...]:
    """The codes of what one item still lacks."""
    if one.wrong:
        return ("number",)
    if one.state in ("empty", "incomplete"):
        return ("answer",)
    if not one.fails:
        return ()
    codes = []
    if (one.judgement.note or one.severity in ("critical", "major")) and not one.note.strip():
        codes.append("note")
    wanted = views_missing(draft, one)
    codes += ["photo" if view == "any" else f"photo-{view}" for view in wanted]
    if wanted and one.entry.no_photo.strip():
        codes.append("photo-why")
    try:
        settle_severity(one.judgement.severity or "", one.severity, one.entry.severity_reason)
    except AnswerError:
        codes.append("severity-reason")
    if one.severity != "observation" and not one.entry.corrected:
        if not one.correction.strip():
            codes.append("correction")
        if one.due is None:
            codes.append("due")
    return tuple(codes)


def missing(draft: Draft, judged: Mapping[str, Judged]) -> tuple[Missing, ...]:
    """All that still misses: the head, the findings of last time, the form in its order, the end. Empty: the
    inspection can be signed."""
    found = [Missing(code, "details", "", "") for code in _head_lacks(draft)]
    for earlier in open_ones(draft):
        again = asked_again(earlier, judged)
        if not state_of(draft, earlier, again):
            found.append(Missing("followup", "last", "", earlier["id"]))
        elif differs(draft, earlier, again):
            found.append(Missing("followup-differs", "last", "", earlier["id"]))
    for key, one in judged.items():
        where = one.question
        found += [Missing(code, where.section, where.card, key) for code in missing_of(draft, one)]
    told = any(one.fails and not one.entry.corrected and one.severity != "observation" for one in judged.values())
    found += [Missing(code, "closing", "", "") for code in closing.lacking(draft.closing, told)]
    if draft.revises and not draft.revise_reason.strip():
        found.append(Missing("revise-reason", "closing", "", ""))
    return tuple(found)


def far_photos(photos: Iterable[Mapping[str, Any]]) -> list[int]:
    """How many metres from the site photos were taken, of those so far away that somebody must say why."""
    taken = [(photo.get("site_m") or 0, photo.get("position")) for photo in photos]
    return sorted(m for m, position in taken if position and m - position["accuracy_cm"] // 100 > FAR_M)


def _head_lacks(draft: Draft) -> list[str]:
    codes = []
    for typed in (draft.rain.strip(), draft.rain_since.strip()):
        number = typed_number(typed)
        if typed and number is None:
            codes.append("rain")
        elif number and Decimal(number) > MOST_RAIN_IN:
            codes.append("rain-much")
    if draft.type == "rain" and not draft.rain.strip():
        codes.append("rain-needed")
    if draft.entry in NAMED_ENTRIES and not draft.entry_note.strip():
        codes.append("entry")
    if draft.entry == "emergency" and not draft.approval.whole:
        codes.append("approval")
    if far_photos(draft.photos.values()) and not draft.far_reason.strip():
        codes.append("far")
    return list(dict.fromkeys(codes))


def outcome_of(draft: Draft, judged: Mapping[str, Judged]) -> str:
    """The outcome in the words of the record, by the items that were judged, the findings of last time, and what the
    inspector says must follow; see `sync.ordinance.checklists`."""
    ones = list(judged.values())
    states = [state_of(draft, earlier, asked_again(earlier, judged)) for earlier in open_ones(draft)]
    slug = outcome(
        [one.judgement for one in ones],
        corrected=[one.entry.corrected for one in ones],
        order="recommended" if "order" in draft.follows else None,
        # The law leaves no choice here: what fails by such an item must be answered by a revision.
        revision="revision" in draft.follows or "revision" in suggested(judged),
        emergency="emergency" in draft.follows,
        left_open=any(state in LEFT for state in states),
        left_unseen="not_observed" in states,
    )
    return OUTCOME_WORDS.get(slug, slug.replace("_", " "))


def suggested(judged: Mapping[str, Judged]) -> tuple[str, ...]:
    """What the failing items suggest must follow: order, revision, emergency. The inspector decides."""
    failing = [one for one in judged.values() if one.fails and not one.entry.corrected]
    found = []
    if any(one.severity == "critical" and one.judgement.grounds for one in failing):
        found.append("order")
    if any(one.judgement.revision for one in failing):
        found.append("revision")
    if any(one.judgement.emergency for one in failing):
        found.append("emergency")
    return tuple(found)
