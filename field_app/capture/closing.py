"""How an inspection is closed: what must follow, who was met and signed, refused, or was not there.

A correction notice is handed to somebody: so an inspection that asks for corrections says who that was, or that
nobody was there. A refusal is witnessed, or says why it is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from field_app.capture.draft import Closing, Draft, checked_fields
from sync.records.bodies import IN_CHARGE
from sync.records.problems import Problem

FOLLOWS = ("order", "revision", "emergency")
WHOSE = ("inspector", "in_charge", "witness")
FIELDS: dict[str, tuple[str, ...] | None] = {
    "how": ("", *IN_CHARGE),
    "name": None,
    "role": None,
    "reason": None,
    "witness": None,
}


def set_closing(draft: Draft, fields: Mapping[str, str]) -> Draft:
    """Any of how, name, role, reason, witness. Problem "item-unknown", "choice-unknown"."""
    checked_fields(fields, FIELDS, "the end of an inspection")
    return replace(draft, closing=replace(draft.closing, **fields))


def set_signature(draft: Draft, whose: str, file: Mapping[str, Any] | None) -> Draft:
    """A drawn signature that is already kept under its hash ({sha256, size, media}); None takes it back."""
    if whose not in WHOSE:
        raise Problem("choice-unknown", f"{whose!r} does not sign an inspection", where="signature")
    rest = {key: one for key, one in draft.closing.signatures.items() if key != whose}
    signatures = rest if file is None else {**rest, whose: {k: file[k] for k in ("sha256", "size", "media")}}
    return replace(draft, closing=replace(draft.closing, signatures=signatures))


def set_follows(draft: Draft, step: str, wanted: bool) -> Draft:
    """Say that a stop-work order, a revision order or emergency action must follow, or take it back."""
    if step not in FOLLOWS:
        raise Problem("choice-unknown", f"{step!r} is nothing that follows an inspection", where="follows")
    kept = set(draft.follows) | {step} if wanted else set(draft.follows) - {step}
    return replace(draft, follows=tuple(one for one in FOLLOWS if one in kept))


def lacking(closing: Closing, needed: bool) -> tuple[str, ...]:
    """The codes of what the end still lacks; `needed`: something must be corrected, so somebody must be told."""
    if not closing.how:
        return ("in-charge",) if needed else ()
    codes = []
    if closing.how == "signed":
        if not closing.name.strip():
            codes.append("in-charge-name")
        if "in_charge" not in closing.signatures:
            codes.append("in-charge-signature")
    if closing.how == "refused" and not closing.witness.strip() and not closing.reason.strip():
        codes.append("witness")
    return tuple(codes)


def to_wire(closing: Closing) -> dict[str, Any] | None:
    """As it is signed; None when nothing was said. A signature counts only where it was said that it was given."""
    if not closing.how:
        return None
    drawn = {whose: file["sha256"] for whose, file in used(closing).items()}
    witness = closing.witness.strip()
    return {
        "how": closing.how,
        "name": closing.name,
        "role": closing.role,
        "reason": closing.reason,
        "signature": drawn.get("in_charge"),
        "witness": {"name": witness, "signature": drawn.get("witness")} if witness else None,
    }


def used(closing: Closing) -> dict[str, Mapping[str, Any]]:
    """The drawn signatures that are part of what is signed."""
    counts = {"inspector": True, "in_charge": closing.how == "signed", "witness": bool(closing.witness.strip())}
    return {whose: file for whose, file in closing.signatures.items() if counts[whose]}
