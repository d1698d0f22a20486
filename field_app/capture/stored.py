"""The draft as JSON data for the store, and back.

Format 2 knows the findings of last time, places found on the site, how the inspection is closed and what it corrects.
A draft of format 1 is read as one that has said nothing of these; a newer format is refused and stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from field_app.capture.draft import Closing, Draft, Entry, FollowUp, Placed, Subject
from sync.records.problems import Problem

VERSION = 2
_PLAIN = ("id", "site", "user", "pack", "began", "permit", "permit_words", "type", "entry", "rain", "rain_source")
_SINCE_2 = ("entry_note", "rain_since", "sky", "revises", "revise_reason", "ended", "inspected_on", "far_reason",
            "approval_how", "approval_person", "approval_name", "approval_role", "approval_on", "approval_at")


def to_doc(draft: Draft) -> dict[str, Any]:
    """The draft as JSON data."""
    return {
        "v": VERSION,
        "kind": "inspection",
        **{name: getattr(draft, name) for name in (*_PLAIN, *_SINCE_2)},
        "end_of_work_day": draft.end_of_work_day,
        "topics": list(draft.topics),
        "subjects": [[s.kind, s.id, s.label, s.detail, s.clause, s.what] for s in draft.subjects],
        "earlier": [dict(e) for e in draft.earlier],
        "entries": {key: entry_doc(entry) for key, entry in draft.entries.items()},
        "photos": {sha: dict(photo) for sha, photo in draft.photos.items()},
        "general": list(draft.general),
        "at": list(draft.at),
        "last_time": {key: [one.state, one.note, list(one.photos), one.at] for key, one in draft.last_time.items()},
        "placed": [[p.act, p.kind, p.id, p.label, p.place, p.why, p.device] for p in draft.placed],
        "follows": list(draft.follows),
        "closing": _closing_doc(draft.closing),
        "finding_ids": dict(draft.finding_ids),
        "voice_notes": {sha: dict(note) for sha, note in draft.voice_notes.items()},
    }


def entry_doc(entry: Entry) -> dict[str, Any]:
    """One item's entry as JSON data."""
    return {
        "parts": {k: list(v) if isinstance(v, tuple) else v for k, v in entry.parts.items()},
        "special": entry.special,
        "note": entry.note,
        "photos": list(entry.photos),
        "no_photo": entry.no_photo,
        "at": entry.at,
        "severity": entry.severity,
        "severity_reason": entry.severity_reason,
        "correction": entry.correction,
        "due": list(entry.due) if entry.due else None,
        "corrected": entry.corrected,
    }


def _closing_doc(closing: Closing) -> dict[str, Any]:
    plain = {name: getattr(closing, name) for name in ("how", "name", "role", "reason", "witness")}
    return {**plain, "signatures": {whose: dict(one) for whose, one in closing.signatures.items()}}


def from_doc(doc: Mapping[str, Any]) -> Draft:
    """The draft back from the store. Raises Problem "store-newer" for a format this version does not know."""
    if doc.get("v") not in (1, VERSION):
        raise Problem("store-newer", "this draft was written by a newer version of the app", where="draft")
    entries = {}
    for key, raw in doc["entries"].items():
        entries[key] = Entry(
            parts={k: tuple(v) if isinstance(v, list) else v for k, v in raw["parts"].items()},
            special=raw["special"],
            note=raw["note"],
            photos=tuple(raw["photos"]),
            no_photo=raw["no_photo"],
            at=raw["at"],
            severity=raw["severity"],
            severity_reason=raw["severity_reason"],
            correction=raw["correction"],
            due=(raw["due"][0], raw["due"][1]) if raw["due"] else None,
            corrected=raw["corrected"],
        )
    return Draft(
        **{name: doc[name] for name in _PLAIN},
        **{name: doc.get(name, "") for name in _SINCE_2},
        end_of_work_day=doc["end_of_work_day"],
        topics=tuple(doc["topics"]),
        subjects=tuple(Subject(*raw) for raw in doc["subjects"]),
        earlier=tuple(doc["earlier"]),
        entries=entries,
        photos=doc["photos"],
        general=tuple(doc["general"]),
        at=(doc["at"][0], doc["at"][1]),
        last_time={k: FollowUp(raw[0], raw[1], tuple(raw[2]), *raw[3:]) for k, raw in doc.get("last_time", {}).items()},
        placed=tuple(Placed(*raw) for raw in doc.get("placed", [])),
        follows=tuple(doc.get("follows", [])),
        closing=Closing(**doc["closing"]) if "closing" in doc else Closing(),
        finding_ids=doc.get("finding_ids", {}),
        voice_notes=doc.get("voice_notes", {}),
    )


def files_of(doc: Mapping[str, Any]) -> set[str]:
    """The evidence files that a stored draft names, by SHA-256: photos, voice notes and drawn signatures."""
    drawn = doc.get("closing", {}).get("signatures", {}).values()
    return set(doc["photos"]) | set(doc.get("voice_notes", ())) | {one["sha256"] for one in drawn}
