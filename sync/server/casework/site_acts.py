"""Emergencies, and revisions of a plan that abnormal weather made inadequate: recorded in the field, decided by people.

Neither is a stop-work order. An emergency is a record that opens entry (E5); a revision is ordered by a person with the
power to revise, in the field or in the office on an inspector's recommendation, and from the day on which the
conditions were found it is owed (E2). What stands is computed from the facts and the acts about them, so the order of
arrival cannot matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import delete, select

from sync.ordinance.events import Event
from sync.ordinance.matter import GROUNDS_FOR_ENTRY
from sync.records.facts import Fact
from sync.records.numbers import paper_reference
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.casework.finds import real_site
from sync.server.casework.inspections import fact_of
from sync.server.casework.people import APPROVE_ENTRY, CONFIRM, REVISE, holds, needs_reasons, require
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, insert_if_absent
from sync.server.db.schema import facts

KINDS = ("emergency_reported", "revision_ordered", "revision_recommended")
EMERGENCY, REVISION = "emergency", "revision"
ISSUE, DECLINE, WITHDRAW, NOTE = "issue_revision", "decline_revision", "withdraw_revision", "keep_revisions"
ATTEND = "attend_emergency"


@dataclass(frozen=True, slots=True)
class SiteAct:
    """One of them as it stands. ``status``: recorded (an emergency), recommended, ordered, declined, withdrawn.

    ``approver_known``: whether the person who approved an entry held the power to on that day; None without approval.
    ``attended``: for an emergency, who of the office saw to it, when and what was arranged; None while nobody has.
    ``recorded``: a record of a tablet is behind it; the office ordered it by itself when not (`revising`).
    """

    id: str
    site: str
    act: str
    reference: str
    status: str
    by: str
    body: dict[str, Any]
    pack: str
    ordered_on: date | None = None
    ordered_by: str | None = None
    reasons: str = ""
    approver_known: bool | None = None
    attended: dict[str, Any] | None = None
    recorded: bool = True


def apply_site_act(tx: Tx, city: City, fact: Fact) -> None:
    """Works one in."""
    act = EMERGENCY if fact.kind == "emergency_reported" else REVISION
    body = fact.body
    insert_if_absent(tx, acts, {
        "city_id": city.id, "about": fact.id, "step": "recorded", "act": act, "person": fact.user, "at": fact.at.wall,
        "on_day": date.fromisoformat(body["found_on"]), "reasons": None, "fact": fact.id, "doc": {"site": body["site"]},
    })
    record(tx, city, fact.user, fact.kind, f"site:{body['site']}", fact=fact.id, on=body["found_on"])
    refold(tx, city, fact.id)


def take_out_site_act(tx: Tx, city: City, fact: Fact) -> None:
    """Undoes what it made, so that another version of it can be worked in."""
    tx.execute(delete(acts).where(acts.c.city_id == city.id, acts.c.about == fact.id, acts.c.step == "recorded"))


def refold(tx: Tx, city: City, ident: str) -> None:
    """Tells the tablets how it stands."""
    one = read(tx, city, ident)
    publish(tx, city, "site_act", ident, {
        "id": ident, "site": one.site, "act": one.act, "status": one.status, "by": one.by, "body": one.body,
        "reference": one.reference, "ordered_on": one.ordered_on.isoformat() if one.ordered_on else None,
        "ordered_by": one.ordered_by, "reasons": one.reasons,
        **({"attended": {**one.attended, "at": one.attended["at"].astimezone(city.zone).isoformat(timespec="seconds")}}
           if one.attended else {}),
    })


def read(tx: Tx, city: City, ident: str) -> SiteAct:
    """It as it stands now. Raises Problem "not-found"."""
    rows = list(tx.execute(select(acts).where(acts.c.city_id == city.id, acts.c.about == ident)
                           .order_by(acts.c.on_day, acts.c.at, acts.c.step)))
    first = next((row for row in rows if row.act in (EMERGENCY, REVISION)), None)
    if first is None:
        raise Problem("not-found", "there is no such emergency or revision", where=ident)
    fact = fact_of(tx, city, ident) if first.fact else None
    body, by, pack = (fact.body, fact.user, fact.pack) if fact else (first.doc["body"], first.person, first.doc["pack"])
    site = real_site(tx, city, body["site"])
    named = paper_reference(first.act, body["found_on"], ident)
    done = {row.act: row for row in rows}
    if first.act == EMERGENCY:
        seen = done.get(ATTEND)
        return SiteAct(ident, site, EMERGENCY, named, "recorded", by, body, pack,
                       approver_known=_approver_known(tx, city, body["approval"]),
                       attended={"by": seen.person, "at": seen.at, "said": seen.reasons} if seen else None)
    status, ordered_on, ordered_by, why = "recommended", None, None, ""
    if fact is None or fact.kind == "revision_ordered":
        status, ordered_on, ordered_by = "ordered", date.fromisoformat(body["ordered_on"]), by
    elif ISSUE in done:
        status, ordered_on, ordered_by = "ordered", done[ISSUE].on_day, done[ISSUE].person
    elif DECLINE in done:
        status, why = "declined", done[DECLINE].reasons
    if WITHDRAW in done:
        status, why = "withdrawn", done[WITHDRAW].reasons
    return SiteAct(ident, site, REVISION, named, status, by, body, pack, ordered_on, ordered_by, why,
                   recorded=fact is not None)


def _approver_known(tx: Tx, city: City, approval: dict[str, Any] | None) -> bool | None:
    if approval is None:
        return None
    person = approval.get("person")
    return bool(person) and holds(tx, city, person, APPROVE_ENTRY, date.fromisoformat(approval["at"][:10]))


def approver_known(city: City, approval: dict[str, Any] | None) -> bool | None:
    """Whether who approved held the power to approve entries on that day; None without an approval."""
    with city.db.read() as tx:
        return _approver_known(tx, city, approval)


def all_of(tx: Tx, city: City, site: str | None = None) -> list[SiteAct]:
    """All of the site, or of the city, the newest conditions first."""
    found = [read(tx, city, row.about) for row in tx.execute(select(acts.c.about).where(
        acts.c.city_id == city.id, acts.c.act.in_((EMERGENCY, REVISION))))]
    mine = [one for one in found if site in (None, one.site)]
    return sorted(mine, key=lambda one: (one.body["found_on"], one.id), reverse=True)


def open_of(tx: Tx, city: City) -> list[SiteAct]:
    """Those that wait for the office, without reading the others: emergencies that nobody has seen to, revisions that
    were recommended and nobody has decided about; the newest conditions first."""
    mine = (acts.c.city_id == city.id,)
    done = select(acts.c.about).where(*mine, acts.c.act.in_((ATTEND, ISSUE, DECLINE, WITHDRAW)))
    ordered = select(facts.c.id).where(facts.c.city_id == city.id, facts.c.kind == "revision_ordered")
    rows = tx.execute(select(acts.c.about).where(
        *mine, acts.c.act.in_((EMERGENCY, REVISION)), acts.c.fact.is_not(None), acts.c.about.not_in(done),
        acts.c.about.not_in(ordered)))
    found = [read(tx, city, row.about) for row in rows]
    return sorted(found, key=lambda one: (one.body["found_on"], one.id), reverse=True)


def open_site_acts(city: City) -> list[SiteAct]:
    """The same for a page."""
    with city.db.read() as tx:
        return open_of(tx, city)


def site_acts(city: City, site: str | None = None) -> list[SiteAct]:
    """The same for a page."""
    with city.db.read() as tx:
        return all_of(tx, city, site)


def one_site_act(city: City, ident: str) -> SiteAct:
    """For a page. Raises Problem "not-found"."""
    with city.db.read() as tx:
        return read(tx, city, ident)


def events_of(tx: Tx, city: City, site: str) -> list[Event]:
    """What the law hears of them: emergencies with what they rest on and the entry, conditions that owe a revision."""
    found = []
    for one in all_of(tx, city, site):
        body = one.body
        if one.act == EMERGENCY:
            # Ways and sewers are protected by an entry, and never its ground.
            threat = next((what for what in GROUNDS_FOR_ENTRY if what in body["threatens"]), body["threatens"][0])
            approved = body["approval"]["name"] if body["approval"] else ""
            found.append(Event("emergency_found", date.fromisoformat(body["found_on"]),
                               data={"approved_by": approved, "threatens": threat}))
            if body["entered_at"]:
                found.append(Event("entered", date.fromisoformat(body["entered_at"][:10])))
        elif one.status in ("recommended", "ordered"):
            found.append(Event("abnormal_conditions", date.fromisoformat(body["found_on"])))
            if one.ordered_on:
                found.append(Event("revision_ordered", one.ordered_on))
    return found


# --- acts of the office -----------------------------------------------------------------------------------------------
def attend_emergency(city: City, actor: str, ident: str, said: str) -> None:
    """Writes down that somebody of the office saw to an emergency, and what was arranged. It approves no entry: that is
    said to the inspector and stands in the inspector's record. Needs the power to approve entries or that of the
    building inspector.

    Raises Problem "no-authority", "not-found", "already-decided", "reasons-missing".
    """

    def work(tx: Tx) -> None:
        if not holds(tx, city, actor, APPROVE_ENTRY, city.today()):
            require(tx, city, actor, CONFIRM, city.today())
        needs_reasons(said)
        one = read(tx, city, ident)
        if one.act != EMERGENCY:
            raise Problem("not-found", "this is no emergency", where=ident)
        _add(tx, city, actor, ident, ATTEND, ATTEND, said)
        record(tx, city, actor, "emergency_attended", f"site:{one.site}", fact=ident, reasons=said.strip())
        refold(tx, city, ident)  # the inspector waits for it

    city.db.write(work)


def issue_revision(city: City, actor: str, ident: str, reasons: str) -> None:
    """Orders the revision that an inspector recommended. Needs the power to revise.

    Raises Problem "no-authority", "not-found", "already-decided", "reasons-missing".
    """
    _decide(city, actor, ident, ISSUE, ("recommended",), reasons, "revision_issued")


def decline_revision(city: City, actor: str, ident: str, reasons: str) -> None:
    """The conditions are not abnormal, or the plan is adequate: no revision is owed. Raises as ``issue_revision``."""
    _decide(city, actor, ident, DECLINE, ("recommended",), reasons, "revision_declined")


def withdraw_revision(city: City, actor: str, ident: str, reasons: str) -> None:
    """Takes an ordered revision back. Raises as ``issue_revision``."""
    _decide(city, actor, ident, WITHDRAW, ("ordered",), reasons, "revision_withdrawn")


def keep_revisions(city: City, actor: str, ident: str, other: str, reasons: str) -> None:
    """Both revisions of one site stand: what they order adds up. Raises as ``issue_revision``."""
    first, second = sorted((ident, other))

    def work(tx: Tx) -> None:
        require(tx, city, actor, REVISE, city.today())
        needs_reasons(reasons)
        for one in (first, second):
            if read(tx, city, one).status != "ordered":
                raise Problem("act-not-open", "one of the two does not stand any more")
        _add(tx, city, actor, first, NOTE, f"{NOTE}:{second}", reasons)
        record(tx, city, actor, "revisions_kept", f"fact:{first}", beside=second, reasons=reasons.strip())

    city.db.write(work)


def kept_beside(tx: Tx, city: City, one: str, two: str) -> bool:
    """Whether somebody let both stand."""
    first, second = sorted((one, two))
    return tx.execute(select(acts.c.step).where(
        acts.c.city_id == city.id, acts.c.about == first, acts.c.step == f"{NOTE}:{second}")).first() is not None


def _decide(city: City, actor: str, ident: str, act: str, from_status: tuple[str, ...], reasons: str,
            done: str) -> None:
    def work(tx: Tx) -> None:
        require(tx, city, actor, REVISE, city.today())
        needs_reasons(reasons)
        one = read(tx, city, ident)
        if one.status not in from_status:
            raise Problem("already-decided", f"{one.reference} is {one.status}")
        _add(tx, city, actor, ident, act, act, reasons)
        record(tx, city, actor, done, f"site:{one.site}", fact=ident, reasons=reasons.strip())
        refold(tx, city, ident)

    city.db.write(work)


def _add(tx: Tx, city: City, actor: str, about: str, act: str, step: str, reasons: str) -> None:
    if not insert_if_absent(tx, acts, {
        "city_id": city.id, "about": about, "step": step, "act": act, "person": actor, "at": city.now(),
        "on_day": city.today(), "reasons": reasons.strip(), "fact": None, "doc": {},
    }):
        raise Problem("already-decided", "this was decided before")
