"""Who may approve an entry in an emergency, and what of an approval is filled in by itself.

A person of the city is chosen from those who hold the power on that day; anybody else is named by hand, and the office
looks at it. "I hold the power myself" is offered to nobody who does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from field_app.capture.approval import OTHER, Approval
from field_app.work.views.approval import ApprovalView
from field_app.work.views.common import Choice
from field_app.work.words import APPROVED_HOW, said
from sync.documents.site_papers import approval_words
from sync.records.down import may
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

POWER = "approve_entry"
FIELDS = ("how", "person", "name", "role", "on", "at")


def holders(desk: Desk, on: str) -> list[dict[str, Any]]:
    """Everybody known here who holds the power on that day, but the person at work."""
    user = desk.session().get("user")
    found = [doc for doc in desk.store.table("people").all() if doc["id"] != user and may(doc, POWER, on)]
    return sorted(found, key=lambda doc: doc["name"])


def filled(desk: Desk, given: Mapping[str, str]) -> dict[str, str]:
    """What was said, with what follows from it: of a person the name and title; for an own power oneself; the time is
    now where none was said. Problem "item-unknown", "no-authority"."""
    for name in given:
        if name not in FIELDS:
            raise Problem("item-unknown", f"an approval has no field {name!r}", where=name)
    more = dict(given)
    if given.get("how") == "own power":
        if not desk.may(POWER):
            raise Problem("no-authority", "you do not hold the power to approve an entry today")
        me = desk.person()
        more |= {"person": me["id"], "name": me["name"], "role": me["title"]}
    elif given.get("person") not in (None, "", OTHER):
        doc = desk.store.table("people").get(given["person"])
        if doc is None:
            raise Problem("choice-unknown", "this tablet does not know that person", where="person")
        more |= {"name": doc["name"], "role": doc["title"]}
    elif "person" in given:
        more |= {"name": "", "role": ""}
    return more


def now_fields(desk: Desk) -> dict[str, str]:
    """The moment of the tap, as date and time."""
    wall = desk.wall()
    return {"on": wall[:10], "at": wall[11:16]}


def view(desk: Desk, approval: Approval) -> ApprovalView:
    _ = desk.words
    mine = desk.may(POWER)
    day = approval.on or desk.today().isoformat()
    wire = approval.to_wire(desk.wall(), desk.zone or "")
    return ApprovalView(
        how=approval.how,
        hows=tuple(Choice(how, said(APPROVED_HOW, how, _)) for how in APPROVED_HOW if how != "own power" or mine),
        # Drafts from before know no OTHER: who was named by hand in them stays so.
        person=approval.person or (OTHER if approval.name else ""),
        holders=(*(Choice(doc["id"], f"{doc['name']}, {doc['title']}") for doc in holders(desk, day)),
                 Choice(OTHER, _("Somebody else"))),
        name=approval.name,
        role=approval.role,
        on=approval.on,
        at=approval.at,
        words=approval_words(wire, _) if wire else "",
        mine=mine,
    )  # fmt: skip


def office_on(desk: Desk, fact: str | None) -> str:
    """The same of the record ``fact``, "" while nothing of it has come down."""
    doc = desk.store.table("site_acts").get(fact) if fact else None
    return office_words(desk, doc) if doc else ""


def office_words(desk: Desk, doc: Mapping[str, Any]) -> str:
    """What the office says of an emergency or a revision: what was arranged and by whom, or why it was declined."""
    _, seen = desk.words, doc.get("attended")
    if not seen:
        return doc.get("reasons") or ""
    return _("The office, {who}, {moment}: {said}").format(
        who=desk.name_of(seen["by"]), moment=desk.moment_words(seen["at"]), said=seen["said"])
