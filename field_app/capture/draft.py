"""The draft of an inspection: what was tapped and typed, exactly, and nothing derived from it.

Every tap is a function that takes a draft and gives the next one. A tap that makes no sense (an item that is not in
the form, a choice the item does not offer) raises a Problem and changes nothing, so any sequence of taps leads to a
valid draft. What fails, how bad it is and when it is due are computed from the draft by `findings.py` and are never
stored in it: a draft opened again tells the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, MAX_TEXT, PHOTO_SOURCES, PHOTO_VIEWS, SEVERITIES
from sync.records.problems import Problem

VERSION = 1
SPECIALS = ("na", "not_observed")
MAX_FIELD = 500
NONE = "none"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a repeated item is about; `kind` inlet | device | condition. `detail` e.g. where it is, `clause` the
    clause a permit condition rests on."""

    kind: str
    id: str
    label: str
    detail: str = ""
    clause: str = ""

    def to_wire(self) -> dict[str, str]:
        return {"kind": self.kind, "id": self.id}


@dataclass(frozen=True, slots=True)
class Entry:
    """What the inspector said of one item. `at` is the wall time of the last answer: a default due date counts from
    it. None in `correction` and `due` means: as the pack proposes."""

    parts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    special: str = ""
    note: str = ""
    photos: tuple[str, ...] = ()
    no_photo: str = ""
    at: str = ""
    severity: str = ""
    severity_reason: str = ""
    correction: str | None = None
    due: tuple[str, str] | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """One unsigned inspection.

    `began` is wall time with its offset. `subjects` and `earlier` (open findings of earlier inspections) are what
    was known when it began. `photos` maps SHA-256 to the photo's record (PHOTO of the wire without item and finding,
    plus size in bytes and media type). `at` is where the inspector was last: (section, item key).
    """

    id: str
    site: str
    user: str
    pack: str
    began: str
    permit: str | None = None
    permit_words: str = ""
    type: str = "weekly"
    entry: str = "permit condition"
    rain: str = ""
    rain_source: str = ""
    end_of_work_day: str | None = None
    topics: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    earlier: tuple[Mapping[str, Any], ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)
    photos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    general: tuple[str, ...] = ()
    at: tuple[str, str] = ("", "")


def to_doc(draft: Draft) -> dict[str, Any]:
    """The draft as JSON data, for the store."""
    return {
        "v": VERSION,
        "kind": "inspection",
        "id": draft.id,
        "site": draft.site,
        "user": draft.user,
        "pack": draft.pack,
        "began": draft.began,
        "permit": draft.permit,
        "permit_words": draft.permit_words,
        "type": draft.type,
        "entry": draft.entry,
        "rain": draft.rain,
        "rain_source": draft.rain_source,
        "end_of_work_day": draft.end_of_work_day,
        "topics": list(draft.topics),
        "subjects": [[s.kind, s.id, s.label, s.detail, s.clause] for s in draft.subjects],
        "earlier": [dict(e) for e in draft.earlier],
        "entries": {key: _entry_doc(entry) for key, entry in draft.entries.items()},
        "photos": {sha: dict(photo) for sha, photo in draft.photos.items()},
        "general": list(draft.general),
        "at": list(draft.at),
    }


def _entry_doc(entry: Entry) -> dict[str, Any]:
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


def from_doc(doc: Mapping[str, Any]) -> Draft:
    """The draft back from the store. Raises Problem "store-newer" for a format this version does not know."""
    if doc.get("v") != VERSION:
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
    plain = ("id", "site", "user", "pack", "began", "permit", "permit_words", "type", "entry", "rain", "rain_source")
    return Draft(
        **{name: doc[name] for name in plain},
        end_of_work_day=doc["end_of_work_day"],
        topics=tuple(doc["topics"]),
        subjects=tuple(Subject(*raw) for raw in doc["subjects"]),
        earlier=tuple(doc["earlier"]),
        entries=entries,
        photos=doc["photos"],
        general=tuple(doc["general"]),
        at=(doc["at"][0], doc["at"][1]),
    )


# --- taps ---


def entry_of(draft: Draft, key: str) -> Entry:
    return draft.entries.get(key, Entry())


def _with(draft: Draft, key: str, entry: Entry) -> Draft:
    return replace(draft, entries={**draft.entries, key: entry})


def _checked_text(text: str, most: int, where: str) -> str:
    if not isinstance(text, str) or len(text) > most:
        raise Problem("text-too-long", f"at most {most} characters fit here", where=where)
    return text


def answer(draft: Draft, form, key: str, part: str, value: str | list[str] | tuple[str, ...], at: str) -> Draft:
    """One part of one item; "" or no choices takes it back. A part answered ends "not observed" and "N/A".

    Of several choices "none" excludes the others: whichever was tapped last counts. `at`: wall time of the tap.
    """
    spec = form.question(key).part(part)
    entry = entry_of(draft, key)
    if spec.kind == "MUL":
        given = [value] if isinstance(value, str) and value else list(value)
        unknown = [v for v in given if v not in spec.choices]
        if unknown:
            raise Problem("choice-unknown", f"{unknown[0]!r} is not a choice of {key}", where=part)
        before = entry.parts.get(part, ())
        if NONE in given and len(given) > 1:
            given = [v for v in given if v != NONE] if NONE in before else [NONE]
        kept: str | tuple[str, ...] = tuple(v for v in spec.choices if v in given)
    else:
        if not isinstance(value, str):
            raise Problem("choice-unknown", f"{key} takes one value", where=part)
        if spec.kind in ("YN", "SEL") and value and value not in spec.choices:
            raise Problem("choice-unknown", f"{value!r} is not a choice of {key}", where=part)
        kept = _checked_text(value, MAX_TEXT if spec.kind == "TXT" else MAX_FIELD, part)
    parts = {k: v for k, v in entry.parts.items() if k != part}
    if kept:
        parts[part] = kept
    return _with(draft, key, replace(entry, parts=parts, special="" if kept else entry.special, at=at))


def answer_special(draft: Draft, form, key: str, value: str, at: str) -> Draft:
    """ "not_observed" or "na" for the whole item, "" takes it back and what was answered before counts again."""
    form.question(key)
    if value not in ("", *SPECIALS):
        raise Problem("choice-unknown", f"{value!r} is neither na nor not_observed", where=key)
    return _with(draft, key, replace(entry_of(draft, key), special=value, at=at))


def answer_rest(draft: Draft, form, card: str, value: str, at: str) -> Draft:
    """Mark every item of one card that has no answer yet as "not_observed" or "na"."""
    if value not in SPECIALS:
        raise Problem("choice-unknown", f"{value!r} is neither na nor not_observed", where=card)
    for question in form.card(card):
        entry = entry_of(draft, question.key)
        if not entry.parts and not entry.special:
            draft = _with(draft, question.key, replace(entry, special=value, at=at))
    return draft


def set_note(draft: Draft, form, key: str, text: str) -> Draft:
    form.question(key)
    return _with(draft, key, replace(entry_of(draft, key), note=_checked_text(text, MAX_TEXT, "note")))


def set_no_photo(draft: Draft, form, key: str, reason: str) -> Draft:
    """Why no photo could be taken; it goes into the finding, in place of the photos that it would need."""
    form.question(key)
    return _with(draft, key, replace(entry_of(draft, key), no_photo=_checked_text(reason, MAX_FIELD, "no_photo")))


def set_severity(draft: Draft, form, key: str, severity: str, reason: str, computed: str) -> Draft:
    """Raise freely; lower only with a reason. "" goes back to the computed one. Problem "reasons-missing"."""
    form.question(key)
    if severity and severity not in SEVERITIES:
        raise Problem("choice-unknown", f"{severity!r} is not a severity", where=key)
    if severity and lower(severity, computed) and not reason.strip():
        raise Problem("reasons-missing", "to lower the severity, say why", where=key)
    entry = replace(
        entry_of(draft, key), severity=severity, severity_reason=_checked_text(reason, MAX_TEXT, "severity_reason")
    )
    return _with(draft, key, entry)


def lower(one: str, than: str) -> bool:
    """Whether severity `one` is less grave than `than`."""
    return bool(than) and SEVERITIES.index(one) > SEVERITIES.index(than)


def set_correction(draft: Draft, form, key: str, text: str) -> Draft:
    """What must be done. Empty text goes back to what the pack proposes."""
    form.question(key)
    kept = _checked_text(text, MAX_TEXT, "correction")
    return _with(draft, key, replace(entry_of(draft, key), correction=kept if kept.strip() else None))


def set_due(draft: Draft, form, key: str, on: str, at: str) -> Draft:
    """ISO date and "HH:MM"; both empty goes back to the pack's rule. An hour alone is refused."""
    form.question(key)
    if not on and not at:
        return _with(draft, key, replace(entry_of(draft, key), due=None))
    return _with(draft, key, replace(entry_of(draft, key), due=checked_due(on, at)))


def checked_due(on: str, at: str) -> tuple[str, str]:
    """A due date and time as they are kept. Raises Problem "due-malformed"."""
    try:
        date.fromisoformat(on)
        hour, minute = at.split(":") if at else ("23", "59")
        fine = len(on) == 10 and len(hour) == 2 and len(minute) == 2 and 0 <= int(hour) < 24 and 0 <= int(minute) < 60
    except ValueError:
        fine = False
    if not fine:
        raise Problem("due-malformed", f"{on!r} {at!r} is not a date and a time", where="due")
    return on, f"{hour}:{minute}"


def set_corrected(draft: Draft, form, key: str, corrected: bool) -> Draft:
    form.question(key)
    return _with(draft, key, replace(entry_of(draft, key), corrected=bool(corrected)))


def attach_photo(draft: Draft, form, key: str, photo: Mapping[str, Any]) -> Draft:
    """Attach a photo that is already kept under its hash: to an item, or with key "" to the whole inspection. The
    same photo may serve several items; attaching it twice changes nothing."""
    sha = photo["sha256"]
    if photo["source"] not in PHOTO_SOURCES or photo["view"] not in PHOTO_VIEWS:
        raise Problem("choice-unknown", "a photo has a source and a view that we know", where=sha)
    draft = replace(draft, photos={**draft.photos, sha: draft.photos.get(sha) or dict(photo)})
    if not key:
        return draft if sha in draft.general else replace(draft, general=(*draft.general, sha))
    form.question(key)
    entry = entry_of(draft, key)
    if sha in entry.photos:
        return draft
    return _with(draft, key, replace(entry, photos=(*entry.photos, sha)))


def remove_photo(draft: Draft, form, key: str, sha: str) -> Draft:
    """Take a photo off an item, or with key "" off the inspection. Its record goes with its last use."""
    if key:
        form.question(key)
        entry = entry_of(draft, key)
        draft = _with(draft, key, replace(entry, photos=tuple(s for s in entry.photos if s != sha)))
    else:
        draft = replace(draft, general=tuple(s for s in draft.general if s != sha))
    if sha in draft.general or any(sha in entry.photos for entry in draft.entries.values()):
        return draft
    return replace(draft, photos={s: p for s, p in draft.photos.items() if s != sha})


DETAILS = {
    "type": INSPECTION_TYPES,
    "entry": ENTRY_BASES,
    "rain": None,
    "rain_source": ("", "gauge on site", "weather station", "estimate"),
}


def set_details(draft: Draft, fields: Mapping[str, str]) -> Draft:
    """Any of the head's fields. `rain` is kept as typed; what is wrong with it is among what misses."""
    for name, value in fields.items():
        if name not in DETAILS:
            raise Problem("item-unknown", f"the inspection's head has no field {name!r}", where=name)
        allowed = DETAILS[name]
        if allowed is not None and value not in allowed:
            raise Problem("choice-unknown", f"{value!r} is not a choice", where=name)
        _checked_text(value, MAX_FIELD, name)
    return replace(draft, **fields)


def add_topic(draft: Draft, topic: str, known: tuple[str, ...]) -> Draft:
    if topic not in known:
        raise Problem("choice-unknown", f"the pack has no checklist {topic!r}", where="topic")
    return draft if topic in draft.topics else replace(draft, topics=(*draft.topics, topic))


def go_to(draft: Draft, section: str, key: str) -> Draft:
    """Remember the place; one that is not in the form is simply forgotten when the draft is opened."""
    return replace(draft, at=(_checked_text(section, 80, "at"), _checked_text(key, 200, "at")))
