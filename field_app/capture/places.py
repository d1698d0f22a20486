"""Inlets and control devices that the inspector finds on the site, or no longer finds there.

They are part of what is signed: the office's list of the site follows the signed record, not the tap.
"""

from __future__ import annotations

from dataclasses import replace

from field_app.capture.draft import MAX_FIELD, Draft, Placed, Subject, checked_text
from sync.records.problems import Problem

ADDED, RETIRED = "add", "retire"
KINDS = ("inlet", "device")


def add_place(draft: Draft, kind: str, ident: str, label: str, place: str, device: str = "") -> Draft:
    """An inlet or device that is not on the list. Problem "choice-unknown", "text-missing"."""
    if kind not in KINDS:
        raise Problem("choice-unknown", f"{kind!r} is neither an inlet nor a control device", where="kind")
    label = checked_text(label, MAX_FIELD, "label").strip()
    if not label:
        raise Problem("label-missing", where="label")
    if any(one.kind == kind and one.id == ident for one in draft.subjects):
        return draft
    made = Placed(ADDED, kind, ident, label, checked_text(place, MAX_FIELD, "place"), "", device)
    subject = Subject(kind, ident, label, made.place, "", device)
    return replace(draft, subjects=(*draft.subjects, subject), placed=(*draft.placed, made))


def retire_place(draft: Draft, kind: str, ident: str, why: str) -> Draft:
    """It is no longer there; one that was added in this inspection is simply taken back."""
    found = next((one for one in draft.subjects if (one.kind, one.id) == (kind, ident)), None)
    if found is None or kind not in KINDS:
        raise Problem("item-unknown", f"there is no {kind} {ident!r} in this inspection", where=ident)
    rest = tuple(one for one in draft.placed if (one.kind, one.id) != (kind, ident))
    if any(one.act == ADDED and (one.kind, one.id) == (kind, ident) for one in draft.placed):
        return replace(draft, placed=rest, subjects=tuple(one for one in draft.subjects if one is not found))
    why = checked_text(why, MAX_FIELD, "why")
    return replace(draft, placed=(*rest, Placed(RETIRED, kind, ident, found.label, found.detail, why)))


def keep_place(draft: Draft, kind: str, ident: str) -> Draft:
    """It is there after all."""
    rest = tuple(one for one in draft.placed if (one.act, one.kind, one.id) != (RETIRED, kind, ident))
    return replace(draft, placed=rest)


def retired(draft: Draft) -> set[tuple[str, str]]:
    """(kind, id) of what is no longer there: nothing is asked of it."""
    return {(one.kind, one.id) for one in draft.placed if one.act == RETIRED}
