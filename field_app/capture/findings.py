"""What an inspection comes to: each item judged under the pack, what still misses, findings, outcome, fact body.

Derived anew from the draft each time and never stored, so it cannot disagree with what was tapped. Severity is
computed by the pack's rules; the inspector's own choice stands where it is higher, or lower with a reason.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from field_app.capture.draft import NONE, Draft, Entry, entry_of, lower
from field_app.capture.form import Form, Question
from sync.ordinance.checklists import PHOTOS as PHOTOS_NEEDED
from sync.ordinance.checklists import Judgement, asked_parts, judge, outcome
from sync.ordinance.items import Part

_NUMBER = re.compile(r"\d{1,9}([.,]\d{1,6})?")
_COUNT = re.compile(r"\d{1,6}")
# No day anywhere in the country has had more: beyond it a point was left out.
MOST_RAIN_IN = 40
OUTCOME_WORDS = {"emergency_requested": "emergency action requested", "corrected_on_site": "corrected on site"} | {
    "stop_work_recommended": "stop-work recommended",
    "stop_work_posted": "stop-work posted",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One item as it stands.

    `answer` is the answer on the wire; `asked` the parts to show now; `wrong` part ids whose text is no number.
    `state` as in the judgement, or "empty". `severity`, `correction`, `due` are those that will be signed.
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

    @property
    def fails(self) -> bool:
        return self.state == "fail"


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that keeps the inspection from being signed; `code` says what, `section`, `card`, `key` where.

    Codes: answer, number, note, photo, photo-wide, photo-close, correction, due, severity-reason; of the head: rain,
    rain-much.
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
        return text.replace(",", ".") if _NUMBER.fullmatch(text) else None
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
    return Judged(
        question, entry, answer, asked, tuple(wrong), judgement, state, entry.severity or computed, correction, due
    )


def default_correction(question: Question, language: str) -> str:
    """What the pack proposes; for a permit condition with the condition itself, which says what must be done."""
    text = question.item.correction(language)
    if question.subject is not None and question.subject.kind == "condition":
        return f"{text} {question.subject.label}".strip()
    return text


def _context(draft: Draft, question: Question, entry: Entry) -> dict[str, Any]:
    """What the rules may know beside the answer: when, and how often this failed here before."""
    subject = question.subject.to_wire() if question.subject else None
    days = [
        date.fromisoformat(e["found_on"])
        for e in draft.earlier
        if e["item"] == question.item.id and _same(e.get("subject"), subject)
    ]
    when = datetime.fromisoformat(entry.at or draft.began)
    return {"at": when, "end_of_work_day": draft.end_of_work_day, "earlier_failures": tuple(sorted(set(days)))}


def _same(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> bool:
    if not one or not other:
        return not one and not other
    return (one.get("kind"), one.get("id")) == (other.get("kind"), other.get("id"))


def judged_all(draft: Draft, form: Form, language: str = "en") -> dict[str, Judged]:
    """Every item by its key, in the form's order."""
    return {q.key: judged_item(draft, q, language) for q in form.questions}


def views_missing(draft: Draft, one: Judged) -> tuple[str, ...]:
    """The photo views ("wide", "close", "any") that a failing item still lacks; none when it says why."""
    if not one.fails or one.entry.no_photo.strip():
        return ()
    held = [draft.photos[sha]["view"] for sha in one.entry.photos]
    needed = PHOTOS_NEEDED[one.severity]
    return tuple(view for view in needed if (not held if view == "any" else view not in held))


def missing_of(draft: Draft, one: Judged) -> tuple[str, ...]:
    """The codes of what one item still lacks."""
    if one.wrong:
        return ("number",)
    if one.state in ("empty", "incomplete"):
        return ("answer",)
    if not one.fails:
        return ()
    codes = []
    if (one.judgement.note or one.severity in ("critical", "major")) and not one.entry.note.strip():
        codes.append("note")
    codes += ["photo" if view == "any" else f"photo-{view}" for view in views_missing(draft, one)]
    if lower(one.severity, one.judgement.severity or "") and not one.entry.severity_reason.strip():
        codes.append("severity-reason")
    if one.severity != "observation" and not one.entry.corrected:
        if not one.correction.strip():
            codes.append("correction")
        if one.due is None:
            codes.append("due")
    return tuple(codes)


def missing(draft: Draft, judged: Mapping[str, Judged]) -> tuple[Missing, ...]:
    """All that still misses, in the form's order, the head first. Empty: the inspection can be signed."""
    found = []
    rain = draft.rain.strip()
    if rain and not _NUMBER.fullmatch(rain):
        found.append(Missing("rain", "details", "", ""))
    elif rain and Decimal(rain.replace(",", ".")) > MOST_RAIN_IN:
        found.append(Missing("rain-much", "details", "", ""))
    for key, one in judged.items():
        where = one.question
        found += [Missing(code, where.section, where.card, key) for code in missing_of(draft, one)]
    return tuple(found)


def outcome_of(judged: Mapping[str, Judged]) -> str:
    """The outcome in the words of the record, by the items that were judged; see `sync.ordinance.checklists`."""
    ones = list(judged.values())
    slug = outcome([one.judgement for one in ones], corrected=[one.entry.corrected for one in ones])
    return OUTCOME_WORDS.get(slug, slug.replace("_", " "))


def finding_id(draft: Draft, key: str) -> str:
    """The finding's own id, 32 hex digits: the same each time it is asked for."""
    return hashlib.sha256(f"{draft.id}/{key}".encode()).hexdigest()[:32]


def findings(draft: Draft, judged: Mapping[str, Judged]) -> list[dict[str, Any]]:
    """The findings as they will be signed, in the form's order."""
    found = []
    for key, one in judged.items():
        if not one.fails:
            continue
        question, entry = one.question, one.entry
        finding = {
            "id": finding_id(draft, key),
            "item": question.item.id,
            "subject": subject_wire(question),
            "severity": one.severity,
            "computed": one.judgement.severity,
            "inputs": dict(one.judgement.inputs),
            "severity_reason": entry.severity_reason.strip() or None
            if one.severity != one.judgement.severity
            else None,
            "clause": question.clause,
            "grounds": list(one.judgement.grounds),
            "note": entry.note,
            "correction": one.correction,
            "due": None if entry.corrected else one.due,
            "photos": list(entry.photos),
            "status": "corrected" if entry.corrected else "open",
        }
        if entry.no_photo.strip():
            finding["no_photo"] = entry.no_photo
        found.append(finding)
    return found


def subject_wire(question: Question) -> dict[str, str] | None:
    if question.subject is None:
        return None
    return {**question.subject.to_wire(), "label": question.subject.label}


def closes(draft: Draft, judged: Mapping[str, Judged]) -> list[str]:
    """The open findings of earlier inspections that this one puts right: the same item passes, or was corrected."""
    found = []
    for earlier in draft.earlier:
        if earlier.get("status", "open") != "open":
            continue
        for one in judged.values():
            subject = one.question.subject.to_wire() if one.question.subject else None
            if one.question.item.id == earlier["item"] and _same(earlier.get("subject"), subject):
                if one.state == "pass" or (one.fails and one.entry.corrected):
                    found.append(earlier["id"])
    return found


def photo_uses(draft: Draft, judged: Mapping[str, Judged]) -> dict[str, tuple[str | None, str | None]]:
    """For every photo the item and finding it belongs to (the first that uses it), (None, None) for the site."""
    uses: dict[str, tuple[str | None, str | None]] = {}
    for key, one in judged.items():
        for sha in one.entry.photos:
            uses.setdefault(sha, (one.question.item.id, finding_id(draft, key) if one.fails else None))
    return {sha: uses.get(sha, (None, None)) for sha in draft.photos}


def to_fact_body(
    draft: Draft, judged: Mapping[str, Judged], *, ended: str, inspected_on: str, signed: Mapping[str, str]
) -> dict[str, Any]:
    """The body of "inspection_signed".

    `ended` wall time, `inspected_on` the local date of the inspection, `signed` {name, title, credential_no,
    statement}. Call it only when `missing` is empty.
    """
    uses = photo_uses(draft, judged)
    rain = draft.rain.strip().replace(",", ".")
    kept = ("size", "media")
    return {
        "site": draft.site,
        "permit": draft.permit,
        "type": draft.type,
        "began": draft.began,
        "ended": ended,
        "inspected_on": inspected_on,
        "basis_of_entry": draft.entry,
        "weather": {"rain_24h_in": rain, "source": draft.rain_source} if rain else None,
        "answers": [
            {
                "item": one.question.item.id,
                "subject": subject_wire(one.question),
                "answer": one.answer,
                "note": one.entry.note,
            }
            for one in judged.values()
            if one.answer
        ],
        "findings": findings(draft, judged),
        "closes": closes(draft, judged),
        "outcome": outcome_of(judged),
        "photos": [
            {**{k: v for k, v in draft.photos[sha].items() if k not in kept}, "item": item, "finding": finding}
            for sha, (item, finding) in uses.items()
        ],
        "signed": dict(signed),
    }
