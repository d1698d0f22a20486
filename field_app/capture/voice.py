"""Voice notes of a draft: what was spoken about one question, or about the inspection as a whole.

`Draft.voice_notes` maps SHA-256 to the note's record: sha256, recorded (as `taken` of a photo), ms (how long), size,
media, key (of the question, "" for the whole inspection). The sound itself is an evidence file, kept before it gets
here and never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from field_app.capture.draft import Draft
from sync.records.problems import Problem

MOST_NOTES = 100


def attach(draft: Draft, form, key: str, note: Mapping[str, Any]) -> Draft:
    """Add a voice note. Raises Problem "item-unknown", "too-many-notes"; the same recording twice changes nothing."""
    if key:
        form.question(key)
    if note["sha256"] in draft.voice_notes:
        return draft
    if len(draft.voice_notes) >= MOST_NOTES:
        raise Problem("too-many-notes", f"at most {MOST_NOTES} voice notes fit into one inspection", where=key)
    return replace(draft, voice_notes={**draft.voice_notes, note["sha256"]: {**note, "key": key}})


def remove(draft: Draft, sha: str) -> Draft:
    return replace(draft, voice_notes={s: note for s, note in draft.voice_notes.items() if s != sha})


def of(draft: Draft, key: str) -> tuple[Mapping[str, Any], ...]:
    """The notes of one question (key "": of the inspection), in the order they were spoken."""
    return tuple(note for note in draft.voice_notes.values() if note["key"] == key)
