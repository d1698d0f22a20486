"""The draft of an inspection: what was tapped and typed, exactly, and nothing derived from it.

Every tap is a function that takes a draft and gives the next one. A tap that makes no sense (an item that is not in
the form, a choice the item does not offer) raises a Problem and changes nothing, so any sequence of taps leads to a
valid draft. What fails, how bad it is and when it is due are computed from the draft by `findings.py` and are never
stored in it: a draft opened again tells the same. How it is stored: `stored.py`; other taps: `head.py`,
`last_time.py`, `places.py`, `closing.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from field_app.capture.approval import Approval
from sync.ordinance.checklists import AnswerError, settle_severity
from sync.ordinance.checklists import answer_in_order as law_in_order
from sync.records.bodies import MAX_TEXT, SEVERITIES
from sync.records.photo_bodies import PHOTO_SOURCES, PHOTO_VIEWS
from sync.records.problems import Problem

SPECIALS = ("na", "not_observed")
MAX_FIELD = 500
MOST_PHOTOS = 300  # what is signed names each of them, and one record takes no more
NONE = "none"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a repeated item is about; `kind` inlet | device | condition | timetable. `detail` e.g. where it is,
    `clause` the clause a permit condition rests on, `what` the kind of a control device."""

    kind: str
    id: str
    label: str
    detail: str = ""
    clause: str = ""
    what: str = ""

    def to_wire(self) -> dict[str, str]:
        return {"kind": self.kind, "id": self.id}


@dataclass(frozen=True, slots=True)
class Entry:
    """What the inspector said of one item. `at`: wall time of the last answer, from which a default due date counts.
    None in `correction` and `due` means: as the pack proposes."""

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
class FollowUp:
    """What was said of an open finding of last time: `state` of `bodies.FOLLOWED`, "" not yet; `at` wall time of it."""

    state: str = ""
    note: str = ""
    photos: tuple[str, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """An inlet or control device that the inspector adds to the site, or takes off it; `act` add | retire."""

    act: str
    kind: str
    id: str
    label: str
    place: str = ""
    why: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """How the inspection is closed: `how` one of `bodies.IN_CHARGE` or "" (not said yet), who was met, why there is
    no signature, the witness. `signatures`: drawn ones by whose they are (WHOSE), {sha256, size, media}."""

    how: str = ""
    name: str = ""
    role: str = ""
    reason: str = ""
    witness: str = ""
    signatures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """One unsigned inspection.

    `began` is wall time with its offset. `subjects` and `earlier` (findings of earlier inspections) are what was
    known when it began; `placed` what was found otherwise. `photos` maps SHA-256 to the photo's record (PHOTO of the
    wire without item and finding, plus size in bytes and media type). `at` is where the inspector was last:
    (section, item key). `follows`: steps that the inspector says must follow. A draft that corrects a signed
    inspection names it in `revises`, keeps its dates (`ended`, `inspected_on`) and the ids of its findings.
    `voice_notes`: see `voice.py`. `far_reason`: why photos were taken far from the site.
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
    entry_note: str = ""
    rain: str = ""
    rain_source: str = ""
    rain_since: str = ""
    sky: str = ""
    end_of_work_day: str | None = None
    topics: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    earlier: tuple[Mapping[str, Any], ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)
    photos: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    general: tuple[str, ...] = ()
    at: tuple[str, str] = ("", "")
    last_time: Mapping[str, FollowUp] = field(default_factory=dict)
    placed: tuple[Placed, ...] = ()
    follows: tuple[str, ...] = ()
    closing: Closing = Closing()
    revises: str = ""
    revise_reason: str = ""
    ended: str = ""
    inspected_on: str = ""
    finding_ids: Mapping[str, str] = field(default_factory=dict)
    voice_notes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    far_reason: str = ""
    approval_how: str = ""
    approval_person: str = ""
    approval_name: str = ""
    approval_role: str = ""
    approval_on: str = ""
    approval_at: str = ""

    @property
    def approval(self) -> Approval:
        """Who approved an entry in an emergency, as far as it was said."""
        return Approval(self.approval_how, self.approval_person, self.approval_name, self.approval_role,
                        self.approval_on, self.approval_at)


# --- taps ---


def entry_of(draft: Draft, key: str) -> Entry:
    return draft.entries.get(key, Entry())


def _with(draft: Draft, key: str, entry: Entry) -> Draft:
    return replace(draft, entries={**draft.entries, key: entry})


def checked_fields(fields: Mapping[str, str], allowed: Mapping[str, tuple[str, ...] | None], place: str) -> None:
    """Each field is one of `allowed`: of its choices, or free text of up to `MAX_FIELD` characters where it has none.
    Problem "item-unknown" (says the `place` that has no such field), "choice-unknown", "text-too-long"."""
    for name, value in fields.items():
        if name not in allowed:
            raise Problem("item-unknown", f"{place} has no field {name!r}", where=name)
        choices = allowed[name]
        if choices is not None and value not in choices:
            raise Problem("choice-unknown", f"{value!r} is not a choice", where=name)
        checked_text(value, MAX_FIELD, name)


def checked_text(text: str, most: int, where: str) -> str:
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
        kept = checked_text(value, MAX_TEXT if spec.kind == "TXT" else MAX_FIELD, part)
    parts = {k: v for k, v in entry.parts.items() if k != part}
    if kept:
        parts[part] = kept
    return _with(draft, key, replace(entry, parts=parts, special="" if kept else entry.special,
                                      at=_moment(draft, entry, at)))


def _moment(draft: Draft, entry: Entry, at: str) -> str:
    """When the answer was given: now; in a correction when it was given on the visit, or at its end."""
    return (entry.at or draft.ended or at) if draft.revises else at


def answer_special(draft: Draft, form, key: str, value: str, at: str) -> Draft:
    """ "not_observed" or "na" for the whole item, "" takes it back and what was answered before counts again."""
    form.question(key)
    if value not in ("", *SPECIALS):
        raise Problem("choice-unknown", f"{value!r} is neither na nor not_observed", where=key)
    entry = entry_of(draft, key)
    return _with(draft, key, replace(entry, special=value, at=_moment(draft, entry, at)))


def answer_rest(draft: Draft, form, card: str, value: str, at: str) -> Draft:
    """Mark every item of one card that has no answer yet as "not_observed" or "na"."""
    if value not in SPECIALS:
        raise Problem("choice-unknown", f"{value!r} is neither na nor not_observed", where=card)
    for question in form.card(card):
        entry = entry_of(draft, question.key)
        if not entry.parts and not entry.special:
            draft = _with(draft, question.key, replace(entry, special=value, at=_moment(draft, entry, at)))
    return draft


def set_note(draft: Draft, form, key: str, text: str) -> Draft:
    form.question(key)
    return _with(draft, key, replace(entry_of(draft, key), note=checked_text(text, MAX_TEXT, "note")))


def set_no_photo(draft: Draft, form, key: str, reason: str) -> Draft:
    """Why no photo could be taken; it goes into the finding, in place of the photos that it would need."""
    form.question(key)
    return _with(draft, key, replace(entry_of(draft, key), no_photo=checked_text(reason, MAX_FIELD, "no_photo")))


def answer_in_order(draft: Draft, form, section: str, at: str) -> Draft:
    """Every question of a section that has no answer yet and that only one answer passes gets that answer. What must
    be measured or chosen stays open, and so does what was said to be still open since last time."""
    still = {(e["item"], _about(e.get("subject"))) for e in draft.earlier if _left(draft, e)}
    for question in form.questions:
        entry = entry_of(draft, question.key)
        about = _about(question.subject.to_wire() if question.subject else None)
        if question.section != section or entry.parts or entry.special or (question.item.id, about) in still:
            continue
        passing = law_in_order(question.item)
        if passing is None:
            continue
        parts = {p: tuple(v) or (NONE,) if isinstance(v, list) else str(v) for p, v in passing.items()}
        draft = _with(draft, question.key, replace(entry, parts=parts, at=_moment(draft, entry, at)))
    return draft


def _about(subject: Mapping[str, Any] | None) -> tuple[str, str] | None:
    return (subject["kind"], subject["id"]) if subject else None


def _left(draft: Draft, earlier: Mapping[str, Any]) -> bool:
    return draft.last_time.get(earlier["id"], FollowUp()).state in ("still_open", "worse")


def set_severity(draft: Draft, form, key: str, severity: str, reason: str, computed: str) -> Draft:
    """The law's rule: raise freely; lower only with a reason (Problem "reasons-missing"). "" goes back to the
    computed one."""
    form.question(key)
    if severity and severity not in SEVERITIES:
        raise Problem("choice-unknown", f"{severity!r} is not a severity", where=key)
    if severity and computed:
        try:
            settle_severity(computed, severity, reason)
        except AnswerError as err:
            raise Problem("reasons-missing", "to lower the severity, say why", where=key) from err
    entry = replace(
        entry_of(draft, key), severity=severity, severity_reason=checked_text(reason, MAX_TEXT, "severity_reason")
    )
    return _with(draft, key, entry)


def set_correction(draft: Draft, form, key: str, text: str) -> Draft:
    """What must be done. Empty text goes back to what the pack proposes."""
    form.question(key)
    kept = checked_text(text, MAX_TEXT, "correction")
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
    """Attach a photo that is already kept under its hash: to an item, to an open finding of last time (key
    "last:<finding>"), or with key "" to the whole inspection. The same photo may serve several; twice changes
    nothing."""
    sha = photo["sha256"]
    if photo["source"] not in PHOTO_SOURCES or photo["view"] not in PHOTO_VIEWS:
        raise Problem("choice-unknown", "a photo has a source and a view that we know", where=sha)
    held = _photos_at(draft, form, key)
    if sha not in draft.photos:
        check_room(draft)
    draft = replace(draft, photos={**draft.photos, sha: draft.photos.get(sha) or dict(photo)})
    return draft if sha in held else _with_photos(draft, key, (*held, sha))


def check_room(draft: Draft) -> None:
    """Raises Problem "too-many-photos" when one more could not be signed with the others."""
    if len(draft.photos) >= MOST_PHOTOS:
        raise Problem("too-many-photos", f"at most {MOST_PHOTOS} photos fit into one inspection", where="photos")


def remove_photo(draft: Draft, form, key: str, sha: str) -> Draft:
    """Take a photo off what it was attached to. Its record goes with its last use."""
    held = _photos_at(draft, form, key)
    draft = _with_photos(draft, key, tuple(s for s in held if s != sha)) if sha in held else draft
    if sha in used_photos(draft):
        return draft
    return replace(draft, photos={s: p for s, p in draft.photos.items() if s != sha})


def used_photos(draft: Draft) -> set[str]:
    """The photos that something of the draft still shows."""
    entries = [entry.photos for entry in draft.entries.values()]
    return set(draft.general).union(*entries, *(one.photos for one in draft.last_time.values()))


LAST = "last:"


def last_key(finding: str) -> str:
    """The key under which photos are attached to an open finding of last time."""
    return f"{LAST}{finding}"


def earlier_of(draft: Draft, finding: str) -> Mapping[str, Any]:
    """An open finding of an earlier inspection. Raises Problem "item-unknown"."""
    for one in draft.earlier:
        if one["id"] == finding and one.get("status", "open") == "open":
            return one
    raise Problem("item-unknown", f"there is no open finding {finding!r} of last time", where=finding)


def photos_of(draft: Draft, key: str) -> tuple[str, ...]:
    """The photos attached under a key (see `attach_photo`)."""
    if not key:
        return draft.general
    if key.startswith(LAST):
        return draft.last_time.get(key.removeprefix(LAST), FollowUp()).photos
    return entry_of(draft, key).photos


def _photos_at(draft: Draft, form, key: str) -> tuple[str, ...]:
    if key.startswith(LAST):
        earlier_of(draft, key.removeprefix(LAST))
    elif key:
        form.question(key)
    return photos_of(draft, key)


def _with_photos(draft: Draft, key: str, photos: tuple[str, ...]) -> Draft:
    if not key:
        return replace(draft, general=photos)
    if key.startswith(LAST):
        finding = key.removeprefix(LAST)
        one = replace(draft.last_time.get(finding, FollowUp()), photos=photos)
        return replace(draft, last_time={**draft.last_time, finding: one})
    return _with(draft, key, replace(entry_of(draft, key), photos=photos))


def go_to(draft: Draft, section: str, key: str) -> Draft:
    """Remember the place; one that is not in the form is simply forgotten when the draft is opened."""
    return replace(draft, at=(checked_text(section, 80, "at"), checked_text(key, 200, "at")))
