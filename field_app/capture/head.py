"""The head of an inspection: why, by what right, what the weather was, and which checklists it works through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from field_app.capture.approval import HOW
from field_app.capture.draft import Draft, Entry, checked_fields, entry_of
from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, SKIES
from sync.records.problems import Problem

DETAILS = {
    "type": INSPECTION_TYPES,
    "entry": ENTRY_BASES,
    "entry_note": None,
    "approval_how": HOW,
    "approval_person": None,
    "approval_name": None,
    "approval_role": None,
    "approval_on": None,
    "approval_at": None,
    "rain": None,
    "rain_source": ("", "gauge on site", "weather station", "estimate"),
    "rain_since": None,
    "sky": ("", *SKIES),
    "revise_reason": None,
    "far_reason": None,
}


def set_details(draft: Draft, fields: Mapping[str, str]) -> Draft:
    """Any of the head's fields. `rain` is kept as typed; what is wrong with it is among what misses."""
    checked_fields(fields, DETAILS, "the inspection's head")
    return replace(draft, **fields)


def add_topic(draft: Draft, topic: str, known: tuple[str, ...]) -> Draft:
    if topic not in known:
        raise Problem("choice-unknown", f"the pack has no checklist {topic!r}", where="topic")
    return draft if topic in draft.topics else replace(draft, topics=(*draft.topics, topic))


def drop_topic(draft: Draft, form, topic: str, core: tuple[str, ...]) -> Draft:
    """Take a checklist back that was added, as long as nothing in it was answered."""
    if topic in core or topic not in draft.topics:
        raise Problem("choice-unknown", f"{topic!r} cannot be left out", where="topic")
    if any(q.section == topic and entry_of(draft, q.key) != Entry() for q in form.questions):
        raise Problem("choice-unknown", "something in this checklist is answered already", where="topic")
    return replace(draft, topics=tuple(t for t in draft.topics if t != topic))
