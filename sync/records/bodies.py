"""What each kind of fact says, checked field by field: the schema of bodies, as data.

A field not listed here is allowed (a newer tablet may say more) and is kept, because the bytes are kept.
"""

import re
from decimal import Decimal
from typing import Any

from sync.records.body_parts import DUE, REMOVED, SIGNED, SIGNER, SPOKEN
from sync.records.order_bodies import ORDER_BODIES, PARTY_ROLES, check_order
from sync.records.photo_bodies import SUBJECT, photo, position
from sync.records.problems import Problem
from sync.records.shapes import (
    MAX_TEXT,
    Check,
    bad,
    day,
    decimal,
    fact_id,
    filled,
    language,
    many,
    maybe,
    number,
    obj,
    one_of,
    sha256,
    statement,
    text,
    truth,
    wall,
    whole,
)
from sync.records.times import parse_date, parse_wall

__all__ = ["BODIES", "MAX_TEXT", "PARTY_ROLES", "check", "named_files", "signatures_of"]

INSPECTION_TYPES = ("weekly", "rain", "complaint", "re-inspection", "permit", "final", "other")
ENTRY_BASES = ("consent", "permit condition", "public place", "warrant", "emergency")
SEVERITIES = ("critical", "major", "minor", "observation")
OUTCOMES = (
    "compliant",
    "corrected on site",
    "correction notice",
    "revision order",
    "stop-work recommended",
    "stop-work posted",
    "emergency action requested",
    "incomplete",
)
# What became of a finding of an earlier inspection.
FOLLOWED = ("fixed", "still_open", "worse", "not_observed")
SKIES = ("dry", "light rain", "heavy rain", "snow", "frozen ground")
# What sediment is likely to damage or reach. The first two open an entry in an emergency; the others are protected.
THREATENED = ("adjacent property", "surface water", "public way", "storm sewer")
# How a holder of the power "approve entry" approved one.
APPROVED_HOW = ("phone", "in person", "own power")
# How the person in charge of the site took the inspection.
IN_CHARGE = ("signed", "refused", "nobody present")


_TEXTS = many(text, 1_000_000)


def answer(value: Any, where: str) -> None:
    if not isinstance(value, dict) or not value or len(value) > 20:
        raise bad(where, "an answer has at least one part")
    try:
        for part, given in value.items():
            if isinstance(given, list):
                _TEXTS(given, part)
            elif not isinstance(given, int):
                text(given, part)
    except Problem as problem:
        raise bad(f"{where}.{problem.where}", problem.detail) from problem.__cause__


FINDING = obj(
    {
        "id": filled,
        "item": filled,
        "subject": maybe(SUBJECT),
        "severity": one_of(*SEVERITIES),
        "computed": one_of(*SEVERITIES),
        "inputs": obj({}),
        "severity_reason": maybe(filled),
        "clause": filled,
        "grounds": many(filled, 10),
        "note": text,
        "correction": text,
        "due": maybe(DUE),
        "photos": many(sha256, 500),
        "status": one_of("open", "corrected"),
    },
    # The earlier findings that this one carries on, and the day on which the first of them was found.
    # `found_at`: when it was answered so; an inspection may take more than one day.
    {"continues": many(filled, 50), "first_found_on": maybe(day), "no_photo": text, "found_at": wall},
)
FOLLOWUP = obj(
    {"finding": filled, "state": one_of(*FOLLOWED), "note": text, "photos": many(sha256, 500)},
    {"fact": maybe(filled), "item": text, "subject": maybe(SUBJECT), "title": text, "found_on": maybe(day),
     "severity": one_of(*SEVERITIES)},
)
# An inlet or control device that was found on the site and is not on the list, or is no longer there.
PLACED = obj(
    {"act": one_of("add", "retire"), "kind": one_of("inlet", "device"), "id": filled, "label": filled, "place": text},
    {"why": text, "device": text},
)
# Who approved an entry in an emergency, how and when; `person`: the id where the city knows the person.
APPROVAL = obj({"how": one_of(*APPROVED_HOW), "name": filled, "role": text, "at": wall}, {"person": maybe(filled)})
MET = obj(
    {"how": one_of(*IN_CHARGE), "name": text, "role": text, "reason": text, "signature": maybe(sha256)},
    {"witness": maybe(obj({"name": filled, "signature": maybe(sha256)}))},
)

INSPECTION = obj(
    {
        "site": filled,
        "permit": maybe(filled),
        "type": one_of(*INSPECTION_TYPES),
        "began": wall,
        "ended": wall,
        "inspected_on": day,
        "basis_of_entry": one_of(*ENTRY_BASES),
        "weather": maybe(obj({"rain_24h_in": decimal, "source": text}, {"rain_since_in": maybe(decimal)})),
        "answers": many(obj({"item": filled, "subject": maybe(SUBJECT), "answer": answer, "note": text})),
        "findings": many(FINDING, 1_000),
        "outcome": one_of(*OUTCOMES),
        "photos": many(photo, 500),
        "signed": obj({**SIGNER, "statement": statement}, {"signature": maybe(sha256)}),
    },
    {
        "closes": many(filled, 1_000),
        "followups": many(FOLLOWUP, 1_000),
        "places": many(PLACED, 200),
        "in_charge": maybe(MET),
        "sky": text,
        "entry_note": text,
        "entry_approval": maybe(APPROVAL),
        # What makes the public page of the correction notice unguessable.
        "notice_token": maybe(filled),
        # Why a signed inspection is corrected; the envelope's `revises` names it.
        "revise_reason": maybe(filled),
        **REMOVED,
        **SPOKEN,
    },
)

# A site that the office does not know, or knows without a permit, as somebody found it. `site` is an id made on the
# tablet when it is `new`; what else happens there names this fact in `needs`. `answers` are those of the permit-need
# questions (sync.ordinance.asking), `need` what the tablet made of them under the fact's pack.
NEED_RESULTS = ("required", "not_required", "exempt", "undetermined")
SITE_REPORTED = obj(
    {
        "site": filled,
        "new": truth,
        "name": filled,
        "address": filled,
        "parcel": text,
        "site_class": filled,
        "position": maybe(position),
        "no_position": maybe(filled),
        "parties": many(obj({"role": one_of(*PARTY_ROLES), "name": filled, "address": text, "phone": text}), 20),
        "observed": text,
        "answers": obj({}),
        "need": maybe(obj({"result": one_of(*NEED_RESULTS), "clauses": many(filled, 50)})),
        "photos": many(photo, 100),
        "reported_on": day,
        "reported_at": wall,
    },
    {"signed": SIGNED, **REMOVED, **SPOKEN},
)
# An emergency: sediment is likely to damage adjacent property or to reach surface water. It needs no order, only its
# record: the condition, what is threatened, who approved the entry (or why nobody did), what was done.
EMERGENCY_REPORTED = obj(
    {
        "site": filled,
        "condition": filled,
        "threatens": many(one_of(*THREATENED), 4),
        "found_on": day,
        "found_at": wall,
        "approval": maybe(APPROVAL),
        "no_approval": maybe(filled),
        "entered_at": maybe(wall),
        "actions": text,
        "photos": many(photo, 100),
        "reported_on": day,
        "reported_at": wall,
        "signed": SIGNED,
    },
    {**REMOVED, **SPOKEN},
)
# Because of abnormal conditions the plan in place is inadequate: more devices, each with its day. Recommended to the
# office while `ordered_on` is null. `written_in`: as of an order.
_REVISION: dict[str, Check] = {
    "site": filled,
    "permit": maybe(filled),
    "permit_number": maybe(filled),
    "conditions": filled,
    "inadequate": filled,
    "devices": many(obj({"text": filled, "due": DUE}), 100),
    "found_on": day,
    "met": many(obj({"name": filled, "role": text, "served": truth}), 50),
    "nobody_present": truth,
    "photos": many(photo, 100),
    "reported_on": day,
    "reported_at": wall,
    "inspector": SIGNED,
}
_WRITTEN: dict[str, Check] = {**REMOVED, **SPOKEN, "written_in": language}
REVISION_ORDERED = obj({**_REVISION, "ordered_on": day, "ordered_at": wall}, _WRITTEN)
REVISION_RECOMMENDED = obj({**_REVISION, "ordered_on": maybe(day), "ordered_at": maybe(wall)}, _WRITTEN)
# What a gauge showed, of one site or (null) of the whole city. It revises an earlier one that was written down wrong.
RAIN_RECORDED = obj(
    {"site": maybe(filled), "gauge": text, "inches": decimal, "from": wall, "to": wall, "note": text}
)
# No day anywhere in the country has had more: beyond it a point was left out.
MOST_RAIN_IN = 40
# `signed`: who took or chose the photo, with what was signed of it.
PHOTO_ADDED = obj({"about": obj({}, {"order": number, "fact": fact_id}), "photo": photo}, {"signed": SIGNED})

# The original is too large for the server and stays on its tablet: ``about`` is the record that names it.
SMALLER_COPY = obj(
    {
        "about": obj({"fact": fact_id}),
        "original": obj({"sha256": sha256, "size": whole(1, 10**12), "media": filled}),
        "copy": obj({"sha256": sha256, "size": whole(1, 10**12), "width": whole(0, 10**6), "height": whole(0, 10**6)}),
        "made": filled,
        "limit": maybe(whole(0, 10**12)),
    }
)

# Somebody was removed from a tablet: the key there is destroyed. `begun`: what was not signed and is lost with it;
# `unsent`: what was signed and had no whole receipt then. Where either is not 0 the reasons are given.
PERSON_REMOVED = obj({
    "person": filled, "name": filled, "removed_on": day, "removed_at": wall, "begun": whole(0, 10**6),
    "unsent": whole(0, 10**6), "reasons": text, "signed": obj(SIGNER),
})

BODIES: dict[str, Check] = {
    **ORDER_BODIES,
    "inspection_signed": INSPECTION,
    "photo_added": PHOTO_ADDED,
    "emergency_reported": EMERGENCY_REPORTED,
    "revision_ordered": REVISION_ORDERED,
    "revision_recommended": REVISION_RECOMMENDED,
    "site_reported": SITE_REPORTED,
    "rain_recorded": RAIN_RECORDED,
    "smaller_copy_added": SMALLER_COPY,
    "person_removed": PERSON_REMOVED,
}


# Kinds whose record may name voice notes.
SPOKEN_IN = frozenset({"inspection_signed", "order_posted", "order_recommended", "site_reported", "emergency_reported",
                       "revision_ordered", "revision_recommended"})


def found_on(finding: dict[str, Any], inspection: dict[str, Any]) -> str:
    """The day (ISO) on which a finding of this inspection was found."""
    return (finding.get("found_at") or "")[:10] or inspection["inspected_on"]


def signatures_of(body: dict[str, Any]) -> list[str | None]:
    """The drawn signatures of an inspection by SHA-256: inspector, person in charge, witness; None for none."""
    met = body.get("in_charge") or {}
    return [body["signed"].get("signature"), met.get("signature"), (met.get("witness") or {}).get("signature")]


def named_files(kind: str, body: dict[str, Any]) -> set[str]:
    """Every evidence file that a well-formed body of this kind names, by SHA-256."""
    spoken = {n["sha256"] for n in body.get("voice_notes", [])} if kind in SPOKEN_IN else set()
    if kind == "inspection_signed":
        named = {p["sha256"] for p in body["photos"]} | {s for f in body["findings"] for s in f["photos"]}
        named |= {s for f in body.get("followups", []) for s in f["photos"]}
        named |= spoken | {p.get("layer") for p in body["photos"]}
        return (named | set(signatures_of(body))) - {None}
    if kind in ("order_posted", "order_recommended"):
        return (spoken | {body["placard"]}) - {None}
    if kind in ("site_reported", "emergency_reported", "revision_ordered", "revision_recommended"):
        return (spoken | {p["sha256"] for p in body["photos"]} | {p.get("layer") for p in body["photos"]}) - {None}
    if kind == "photo_added":
        return {body["photo"]["sha256"], body["photo"].get("layer")} - {None}
    if kind == "smaller_copy_added":
        return {body["copy"]["sha256"]}
    return set()


def check(kind: str, body: dict[str, Any], evidence: set[str]) -> None:
    """Raises Problem "fact-malformed" naming the field, or a file that the envelope's evidence leaves out.

    A receipt names what the envelope lists, so a file named in the body alone would never be vouched for.
    """
    BODIES[kind](body, "body")
    if kind in ORDER_BODIES:
        check_order(kind, body)
    if kind == "site_reported":
        if body["new"] and not re.fullmatch(r"[0-9a-f]{32}", body["site"]):
            raise bad("body.site", "a site that is new bears an id of 32 hex digits")
        if body["new"] and (body["position"] is None) == (body["no_position"] is None):
            raise bad("body.position", "either a position or the reason why there is none")
        if parse_wall(body["reported_at"], "").date() != parse_date(body["reported_on"], ""):
            raise bad("body.reported_on", "reported_on is the local date of reported_at")
    if kind == "emergency_reported":
        if not body["threatens"]:
            raise bad("body.threatens", "an emergency threatens something")
        if (body["approval"] is None) == (body["no_approval"] is None):
            raise bad("body.approval", "either who approved the entry or the reason why nobody did")
        if body["entered_at"] is not None and body["approval"] is None:
            raise bad("body.entered_at", "nobody enters in an emergency without an approval")
        if parse_wall(body["found_at"], "").date() != parse_date(body["found_on"], ""):
            raise bad("body.found_on", "found_on is the local date of found_at")
    if kind in ("revision_ordered", "revision_recommended"):
        if not body["devices"]:
            raise bad("body.devices", "a revision names what must be installed")
        if kind == "revision_recommended" and (body["ordered_on"] or body["ordered_at"]):
            raise bad("body.ordered_on", "a recommendation orders nothing")
        if kind == "revision_ordered" and (
            parse_wall(body["ordered_at"], "").date() != parse_date(body["ordered_on"], "")
        ):
            raise bad("body.ordered_on", "ordered_on is the local date of ordered_at")
    if kind == "rain_recorded":
        if parse_wall(body["to"], "") < parse_wall(body["from"], ""):
            raise bad("body.to", "the rain cannot end before it began")
        if not 0 <= Decimal(body["inches"]) <= MOST_RAIN_IN:
            raise bad("body.inches", f"0 to {MOST_RAIN_IN} inches")
    if kind == "person_removed" and (body["begun"] or body["unsent"]) and not body["reasons"].strip():
        raise bad("body.reasons", "whoever removes somebody with work on the tablet says why")
    if kind == "smaller_copy_added" and body["original"]["sha256"] == body["copy"]["sha256"]:
        raise bad("body.copy", "a copy is another file than its original")
    if kind == "photo_added" and len(body["about"].keys() & {"order", "fact"}) != 1:
        raise bad("body.about", "a photo is about one order or one fact")
    missing = named_files(kind, body) - evidence
    if missing:
        raise bad("evidence", f"the body names a file that evidence leaves out: {min(missing)}")
