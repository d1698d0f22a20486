"""What is signed: the findings, what became of those of last time, the body of the fact; and a draft made from one.

A finding keeps its id through every correction of its inspection. Photos count once, whatever they are attached to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from field_app.capture import closing, marks
from field_app.capture.draft import Draft, Entry, FollowUp
from field_app.capture.findings import Judged, outcome_of, photos_lacking
from field_app.capture.form import Question
from field_app.capture.last_time import LEFT, asked_again, first_found, is_about, open_ones, state_of
from field_app.capture.numbers import typed_number


def finding_id(draft: Draft, key: str) -> str:
    """The finding's own id, 32 hex digits: the same each time it is asked for."""
    return draft.finding_ids.get(key) or hashlib.sha256(f"{draft.id}/{key}".encode()).hexdigest()[:32]


def last_seen(draft: Draft) -> str:
    """The wall time at which something was answered, said of last time or photographed last: until then the inspector
    looked at the site, however much later the inspection is signed."""
    moments = [draft.began, *(one.at for one in draft.entries.values() if one.parts or one.special)]
    moments += [one.at for one in draft.last_time.values()]
    moments += [one["taken"]["wall"] for one in draft.photos.values() if one["source"] != "gallery"]
    return max(filter(None, moments), key=datetime.fromisoformat)


def days_of(draft: Draft, signing: str) -> tuple[str, str]:
    """(ended, inspected_on) as they are signed at wall time `signing`. The inspection is of the day on which the
    inspector looked last; one that is signed on a later day ended when it was looked last, not when it was signed. A
    correction keeps those of the inspection."""
    if draft.revises:
        return draft.ended, draft.inspected_on or draft.began[:10]
    seen = last_seen(draft)
    return (signing if signing[:10] == seen[:10] else seen), seen[:10]


def found_at(draft: Draft, entry: Entry) -> str:
    """The wall time at which an item was found failing: that of its answer; in a correction never after the visit."""
    at = entry.at or draft.began
    return min(at, draft.ended or at, key=datetime.fromisoformat)


def findings(draft: Draft, judged: Mapping[str, Judged]) -> list[dict[str, Any]]:
    """The findings as they will be signed, in the form's order."""
    found = []
    states = followed(draft, judged)
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
            "note": one.note,
            "correction": one.correction,
            "due": None if entry.corrected else one.due,
            "photos": list(one.photos),
            "status": "corrected" if entry.corrected else "open",
            "found_at": found_at(draft, entry),
        }
        if entry.no_photo.strip() and (not one.photos or photos_lacking(draft, one)):
            finding["no_photo"] = entry.no_photo
        older = [e for e in open_ones(draft) if states[e["id"]] in LEFT and is_about(e, question)]
        if older and not entry.corrected:
            finding["continues"] = [e["id"] for e in older]
            finding["first_found_on"] = min(first_found(e) for e in older)
        found.append(finding)
    return found


def subject_wire(question: Question) -> dict[str, str] | None:
    if question.subject is None:
        return None
    return {**question.subject.to_wire(), "label": question.subject.label}


def followed(draft: Draft, judged: Mapping[str, Judged]) -> dict[str, str]:
    """What became of each open finding of last time, by its id."""
    return {e["id"]: state_of(draft, e, asked_again(e, judged)) for e in open_ones(draft)}


def followups(draft: Draft, judged: Mapping[str, Judged]) -> list[dict[str, Any]]:
    """What became of the open findings of last time, as it is signed, with enough to read it without them."""
    said = []
    states = followed(draft, judged)
    for earlier in open_ones(draft):
        if not states[earlier["id"]]:
            continue
        one = _followed(draft, earlier)
        said.append(
            {
                "finding": earlier["id"],
                "fact": earlier.get("inspection"),
                "item": earlier["item"],
                "subject": earlier.get("subject"),
                "title": earlier.get("title") or "",
                "found_on": first_found(earlier),
                "severity": earlier["severity"],
                "state": states[earlier["id"]],
                "note": one.note,
                "photos": list(one.photos),
            }
        )
    return said


def _followed(draft: Draft, earlier: Mapping[str, Any]) -> FollowUp:
    return draft.last_time.get(earlier["id"], FollowUp())


def closes(draft: Draft, judged: Mapping[str, Judged]) -> list[str]:
    """The open findings of last time that are open no longer: put right, or carried on by a finding of this
    inspection."""
    states = followed(draft, judged)
    carried_on = {ident for one in findings(draft, judged) for ident in one.get("continues", [])}
    return [e["id"] for e in open_ones(draft) if states[e["id"]] == "fixed" or e["id"] in carried_on]


def photo_uses(draft: Draft, judged: Mapping[str, Judged]) -> dict[str, Question | None]:
    """For every photo the question that it belongs to (the first that uses it), None for the site or last time."""
    uses: dict[str, Question | None] = {}
    for one in judged.values():
        for sha in one.photos:
            uses.setdefault(sha, one.question)
    return {sha: uses.get(sha) for sha in draft.photos}


def to_fact_body(
    draft: Draft,
    judged: Mapping[str, Judged],
    *,
    ended: str,
    inspected_on: str,
    signed: Mapping[str, Any],
    notice_token: str | None = None,
    zone: str = "",
) -> dict[str, Any]:
    """The body of "inspection_signed".

    `ended` wall time, `inspected_on` the local date of the inspection, `signed` {name, title, credential_no,
    statement}; both days as `days_of` gives them; `zone` that of the city. Call it only when `missing` is empty.
    """
    rain, since = (typed_number(text) or "" for text in (draft.rain, draft.rain_since))
    weather = {"rain_24h_in": rain, "source": draft.rain_source} | ({"rain_since_in": since} if since else {})
    body = {
        "site": draft.site,
        "permit": draft.permit,
        "type": draft.type,
        "began": draft.began,
        "ended": draft.ended or ended,
        "inspected_on": inspected_on,
        "basis_of_entry": draft.entry,
        "entry_note": draft.entry_note.strip(),
        "entry_approval": draft.approval.to_wire(draft.began, zone) if draft.entry == "emergency" else None,
        "weather": weather if rain else None,
        "sky": draft.sky,
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
        "followups": followups(draft, judged),
        "places": [_place(one) for one in draft.placed],
        "in_charge": closing.to_wire(draft.closing),
        "outcome": outcome_of(draft, judged),
        "photos": photos(draft, judged),
        "signed": {**signed, "signature": closing.used(draft.closing).get("inspector", {}).get("sha256")},
        "notice_token": notice_token,
    }
    if draft.voice_notes:
        body["voice_notes"] = voice_notes(draft, judged)
    if draft.revises:
        body["revise_reason"] = draft.revise_reason.strip()
    return body


def photos(draft: Draft, judged: Mapping[str, Judged]) -> list[dict[str, Any]]:
    """The records of the photos with what each belongs to."""
    told = []
    of_last_time = {sha: e["item"] for e in open_ones(draft) for sha in _followed(draft, e).photos}
    for sha, question in photo_uses(draft, judged).items():
        record = {k: v for k, v in draft.photos[sha].items() if k not in ("size", "media", "layer")}
        if drawn := marks.layer_sha(draft.photos[sha]):
            record["layer"] = drawn
        if record.get("site_m") and draft.far_reason.strip():
            record["far_reason"] = draft.far_reason.strip()
        failing = question is not None and judged[question.key].fails
        record["item"] = question.item.id if question else of_last_time.get(sha)
        record["finding"] = finding_id(draft, question.key) if question and failing else None
        if question is not None and question.subject is not None:
            record["subject"] = question.subject.to_wire()
        told.append(record)
    return told


def voice_notes(draft: Draft, judged: Mapping[str, Judged]) -> list[dict[str, Any]]:
    """The records of the voice notes with what each belongs to; a note on a question that is asked no longer belongs to
    the inspection as a whole."""
    told = []
    for note in draft.voice_notes.values():
        one = judged.get(note["key"])
        record = {name: note[name] for name in ("sha256", "recorded", "ms")}
        record["item"] = one.question.item.id if one else None
        record["finding"] = finding_id(draft, note["key"]) if one is not None and one.fails else None
        if one is not None and one.question.subject is not None:
            record["subject"] = one.question.subject.to_wire()
        told.append(record)
    return told


def _place(one: Any) -> dict[str, str]:
    names = ("act", "kind", "id", "label", "place", "why", "device")
    return {name: getattr(one, name) for name in names if name != "device" or one.device}
