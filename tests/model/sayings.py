"""What people sign on a tablet of the sync state machine: a body of each kind, about what was signed before.

Nobody can release what was never posted: a kind that finds nothing to be about becomes the record that it lacks, and
without a number an inspection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sync.records.facts import Evidence
from sync.records.macs import fingerprint
from sync.records.times import At
from tests.support.city import finding, inspection_body
from tests.support.finds import report_body
from tests.support.site_acts import emergency_body, revision_body

# What is written, what bears a number of its own, and what is about one of these.
WRITTEN = ("inspection", "inspection", "correction", "photo", "of a newer version")
NUMBERED = ("order", "order", "unentitled order", "recommended order", "order on a pre-printed placard",
            "given up number", "spoilt placard")  # fmt: skip
ABOUT = ("release", "void", "replacing", "re-post", "putting up", "report of a site", "inspection of that site",
         "emergency", "revision")  # fmt: skip
ON_PAPER = ("order on a pre-printed placard", "spoilt placard")
ORDERS = ("order_posted", "order_recommended")
DAY, AFTERNOON = "2026-08-27", "2026-08-27T14:00:00-05:00"
CAROL = {"name": "Carol Brandt", "title": "Building Inspector", "credential_no": "BI-0007"}
ADA = {"name": "Ada Lindqvist", "title": "Erosion Control Inspector", "credential_no": "SC-1001"}


@dataclass(frozen=True)
class Signed:
    """A fact that a person signed and the tablet keeps: its kind and exact text, what it names and needs."""

    id: str
    kind: str
    text: str
    tablet: int
    code: str  # of the tablet, when it was signed
    needs: tuple[str, ...]
    number: str | None = None  # that it uses up
    entitled: bool = True  # by a person who holds the power for it
    site: str = "site-01"


@dataclass(frozen=True)
class Desk:
    """What lies before the person: ``free``, the number to be used if one is needed; ``others``, what was signed
    anywhere; ``pick`` chooses among it."""

    tablet: int
    ident: str
    count: int
    at: At
    pick: int
    others: Sequence[Signed]
    evidence: tuple[Evidence, ...]
    free: dict[str, Any] | None

    def one_of(self, *kinds: str, mine: bool = False) -> Signed | None:
        found = [one for one in self.others if one.kind in kinds and one.entitled and one.site == "site-01"
                 and (one.tablet == self.tablet or not mine)]
        return found[self.pick % len(found)] if found else None

    def photos(self) -> list[dict[str, Any]]:
        return [{"sha256": file.sha256, "taken": self.at.to_wire(), "source": "camera", "position": None,
                 "no_position": "no signal", "item": None, "finding": None, "view": "wide", "name": None}
                for file in self.evidence]  # fmt: skip


# What is written in its place while there is nothing that it could be about.
LACKS = {
    "release": ("order", ("order_posted",)), "re-post": ("order", ("order_posted",)), "void": ("order", ORDERS),
    "replacing": ("order", ORDERS), "putting up": ("recommended order", ("order_recommended",)),
}  # fmt: skip


def meant(kind: str, others: Sequence[Signed]) -> str:
    """The kind that is written when somebody is to write ``kind``."""
    instead, about = LACKS.get(kind, (kind, ()))
    if kind == "inspection of that site" and not any(one.kind == "site_reported" for one in others):
        return "report of a site"
    return instead if about and not any(one.kind in about and one.entitled for one in others) else kind


def said(kind: str, desk: Desk) -> dict[str, Any]:
    """The parts of the fact that make its kind: kind, body, and what is not as of an inspection."""
    free = desk.free
    if kind in NUMBERED and free is not None:
        if kind in ("given up number", "spoilt placard"):
            return {"kind": "number_voided", "body": _given_up(free, kind == "spoilt placard")}
        if kind == "recommended order":
            return {"kind": "order_recommended", "body": _order(free, posted=False), "user": "ben"}
        more = {"blank": True} if kind in ON_PAPER else {}
        user = "ben" if kind == "unentitled order" else "ada"
        return {"kind": "order_posted", "body": {**_order(free), **more}, "user": user}
    if kind in ("release", "re-post") and (order := desk.one_of("order_posted")):
        if kind == "re-post":
            return {"kind": "placard_reposted", "body": _put_up(order, why="The wind took it."), "needs": (order.id,)}
        return {"kind": "order_released", "body": _release(order), "needs": (order.id,), "user": "carol"}
    if kind in ("void", "replacing") and (order := desk.one_of(*ORDERS)):
        other = desk.one_of("order_posted") if kind == "replacing" else None
        return {"kind": "order_voided", "body": _void(order, other), "needs": (order.id,), "user": "carol"}
    if kind == "putting up" and (order := desk.one_of("order_recommended")):
        return {"kind": "order_affixed", "body": _put_up(order), "needs": (order.id,)}
    if kind == "photo" and desk.evidence:
        about = desk.one_of("inspection_signed", mine=True), desk.one_of("order_posted")
        if subject := about[desk.pick % 2] or about[1 - desk.pick % 2]:
            what = {"order": subject.number} if subject.number else {"fact": subject.id}
            return {"kind": "photo_added", "body": {"about": what, "photo": desk.photos()[0]}, "needs": (subject.id,),
                    "evidence": desk.evidence[:1]}
    if kind == "report of a site":
        site = fingerprint(f"site/{desk.ident}".encode())[:32]
        return {"kind": "site_reported", "evidence": desk.evidence,
                "body": report_body(site=site, name=f"Ditch {desk.count}", photos=desk.photos())}
    if kind == "emergency":
        return {"kind": "emergency_reported", "evidence": desk.evidence, "body": emergency_body(photos=desk.photos())}
    if kind == "revision":
        return {"kind": "revision_recommended", "evidence": desk.evidence,
                "body": revision_body(ordered=False, photos=desk.photos())}
    if kind == "of a newer version":
        return {"kind": "spoken_note", "v": 1 + desk.pick % 2,
                "body": {"n": desk.count, "said": ["é", {"x": None}]}}
    body = inspection_body(photos=desk.photos(), findings=[finding(f"f{desk.count}")],
                           said_by_a_newer_app={"n": desk.pick})
    found = [one for one in desk.others if one.kind == "site_reported"]
    if kind == "inspection of that site" and found:
        report = found[desk.pick % len(found)]
        return {"kind": "inspection_signed", "evidence": desk.evidence, "needs": (report.id,),
                "body": {**body, "site": report.site, "permit": None}}
    revised = desk.one_of("inspection_signed", mine=True) if kind == "correction" else None
    return {"kind": "inspection_signed", "evidence": desk.evidence, "body": body,
            "revises": revised.id if revised else None}


def _order(leased: dict[str, Any], posted: bool = True) -> dict[str, Any]:
    return {
        "number": leased["number"], "token": leased["token"], "site": "site-01", "address": "100 Mill Street",
        "parcel": "251-01", "permit": "permit-01", "permit_number": "EC-2026-014", "grounds": ["b"], "findings": [],
        "observed": "Soil on Mill Street.", "must_stop": "All grading.", "may_continue": "Sweeping.",
        "corrections": [{"text": "Sweep the road.", "due": {"on": DAY, "at": "17:00"}}], "met": [],
        "nobody_present": True, "posted_on": DAY if posted else None, "posted_at": AFTERNOON if posted else None,
        "printed_on": DAY, "placard": None, "inspector": ADA,
    }  # fmt: skip


def _given_up(free: dict[str, Any], paper: bool) -> dict[str, Any]:
    return {"number": free["number"], "token": free["token"], "voided_on": DAY, "reasons": "Rain ran into it.",
            "blank": paper, "signed": ADA}


def _release(order: Signed) -> dict[str, Any]:
    return {
        "number": order.number, "order": order.id, "scope": "whole", "part": None, "released_on": "2026-08-28",
        "released_at": "2026-08-28T09:00:00-05:00", "reasons": "The road is clean and the silt fence stands.",
        "signed": CAROL,
    }  # fmt: skip


def _void(order: Signed, other: Signed | None) -> dict[str, Any]:
    return {"number": order.number, "order": order.id, "voided_on": DAY, "reasons": "It names the wrong ground.",
            "replaced_by": other.id if other and other.id != order.id else None, "signed": CAROL}


def _put_up(order: Signed, **more: str) -> dict[str, Any]:
    return {"number": order.number, "order": order.id, "posted_on": DAY, "posted_at": "2026-08-27T16:00:00-05:00",
            "place": "At the gate", **more}
