"""What the office does with an order: release, void, replace, confirm service, hear an appeal, settle a doubt.

Every function is one transaction: the power is looked up for today, the act is added once, the audit record says so,
and the order is computed anew. No number changes, and nothing that came in is overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import select

from sync.ordinance.words import say_day
from sync.records.bodies import PARTY_ROLES
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.server.casework import numbering
from sync.server.casework.audit import record
from sync.server.casework.awaited import GIVEN_UP, photos_awaited
from sync.server.casework.city import City
from sync.server.casework.early import early_acts
from sync.server.casework.field_acts import release_number
from sync.server.casework.inspections import fact_of
from sync.server.casework.matters import (
    COUNT_POSTING,
    acts_about,
    affixings_of,
    given_a_copy,
    sales_of,
    standing_about,
)
from sync.server.casework.orders import STANDING, refold
from sync.server.casework.people import CERTIFY_PERIL, CONFIRM, INSPECT, RELEASE, VOID, needs_reasons, require
from sync.server.casework.telling import first_day
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.schema import orders, sites

OPEN = (*STANDING, "quarantined")
APPEAL_RESULTS = ("upheld", "modified", "reversed")
# What a person may note about an order: the doubt is settled, and nothing moves by it.
NOTES = ("parcel", "permit", "repost_after_end", "revocation", "clock", "void_number", "owner",
         "put_up_twice", "early")


def release_order(city: City, actor: str, order_id: str, reasons: str, *, part: str | None = None,
                  on: date | None = None) -> None:
    """Releases the order, or the ``part`` named. ``on``: the day of a release given earlier in writing, default today.

    Needs the power to release on that day. Raises Problem "no-authority", "reasons-missing", "act-not-open",
    "already-decided", "not-found", "body-malformed" (a day to come).
    """
    day = not_later(city, on)
    step = "release" if part is None else f"release:{fingerprint(part.strip().encode())[:16]}"

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, RELEASE, order_id, STANDING, reasons, day)
        number = release_number(row.number, fingerprint(f"{order_id}:{step}".encode()))
        _add(tx, city, actor, row, "release", step, day, reasons,
             {"scope": "whole" if part is None else "part", "part": part, "number": number})
        _done(tx, city, actor, row, "order_released", reasons, on=day.isoformat(), release=number,
              scope="whole" if part is None else part)

    city.db.write(work)


def take_back_release(city: City, actor: str, order_id: str, step: str, reasons: str) -> None:
    """A release from the field that bears a day before there was the order counts for nothing: the order stands as if
    it had never come. What was signed stays readable. ``step``: the act, as the conflict names it."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, RELEASE, order_id, None, reasons)
        own, (_early, mark) = standing_about(tx, city, order_id), early_acts(tx, city, row)
        act = next((act for act in own if (act.act, act.step) == ("release", step)), None)
        if act is None or any(one.step == f"noted:early:{mark}" for one in own):
            raise Problem("already-decided", f"there is no such release of {row.number}, or a person has decided on it")
        if act.on_day.isoformat() >= (first_day(row.doc) or ""):
            raise Problem("act-not-open", "only a release that is older than its order can be taken back")
        _add(tx, city, actor, row, "take_back", f"take_back:{step}", city.today(), reasons, {"step": step})
        _done(tx, city, actor, row, "order_release_taken_back", reasons, released_on=act.on_day.isoformat())

    city.db.write(work)


def void_order(city: City, actor: str, order_id: str, reasons: str) -> None:
    """Voids the order: it has no force, its clocks close, its number stays used. Raises as ``release_order``."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, VOID, order_id, OPEN, reasons)
        _add(tx, city, actor, row, "void", "void", city.today(), reasons, {"replaced_by": None})
        _done(tx, city, actor, row, "order_voided", reasons)

    city.db.write(work)


def supersede_order(city: City, actor: str, order_id: str, by: str, reasons: str) -> None:
    """Another order (``by``) takes its place. The clocks are those of the other order, from its own days."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, VOID, order_id, OPEN, reasons)
        other = _other(tx, city, row, by, same_site=False)
        _add(tx, city, actor, row, "supersede", "void", city.today(), reasons, {"replaced_by": other.id})
        _done(tx, city, actor, row, "order_superseded", reasons, by=other.number)

    city.db.write(work)


def keep_both_orders(city: City, actor: str, order_id: str, other: str, reasons: str) -> None:
    """Two orders on one site stay two orders, each with its own number and clocks."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, VOID, order_id, OPEN, reasons)
        beside = _other(tx, city, row, other)
        first, second = sorted((row, beside), key=lambda one: one.id)
        _add(tx, city, actor, first, "keep_both", f"keep_both:{second.id}", city.today(), reasons,
             {"other": second.id})
        _done(tx, city, actor, first, "orders_both_kept", reasons, beside=second.number)

    city.db.write(work)


def count_as_repost(city: City, actor: str, order_id: str, of: str, reasons: str) -> None:
    """The order was the second placard for one stop: it ends, and counts as a re-post of the order ``of``, whose clocks
    do not move."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, VOID, order_id, ("in_force", "stayed"), reasons)
        kept = _other(tx, city, row, of)
        doc = {"replaced_by": kept.id}
        _add(tx, city, actor, row, "count_as_repost", "void", city.today(), reasons, doc)
        _add(tx, city, actor, kept, "repost", f"repost:{row.id}", row.posted_on, reasons,
             {"posted_at": row.doc["posted_at"], "place": row.doc["place"] or ""})
        refold(tx, city, kept.id)
        _done(tx, city, actor, row, "order_counts_as_repost", reasons, of=kept.number)

    city.db.write(work)


def count_posting(city: City, actor: str, order_id: str, fact: str, reasons: str) -> None:
    """Of several tablets that each put the order up, the posting is that of the record ``fact``: its clocks run from
    that day. Those before it hung where they bind nobody."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CONFIRM, order_id, STANDING, reasons)
        ups = affixings_of(tx, city, order_id)
        up = next((up for up in ups if up.fact == fact), None)
        if up is None:
            raise Problem("not-found", "it is no record of its putting-up", where=fact)
        before = [one.fact for one in ups[:ups.index(up)]]
        if not before:
            raise Problem("already-decided", "that is what counts as its posting already")
        about = fingerprint(" ".join(one.fact for one in ups).encode())[:16]
        _add(tx, city, actor, row, COUNT_POSTING, f"{COUNT_POSTING}:{fact}:{about}", city.today(), reasons,
             {"fact": fact, "instead": before})
        _done(tx, city, actor, row, "order_posting_chosen", reasons, posted_on=up.posted_on.isoformat())

    city.db.write(work)


def keep_number(city: City, actor: str, number: str, reasons: str) -> None:
    """Both orders under one number stand. No placard changes; the office tells them apart as "/1" and "/2"."""

    def work(tx: Tx) -> None:
        require(tx, city, actor, VOID, city.today())
        needs_reasons(reasons)
        undecided = numbering.undecided(tx, city, number)
        if not undecided:
            raise Problem("act-not-open", f"no two orders are held back under {number}")
        # One more order under the number is another doubt, decided anew.
        step = f"keep_number:{fingerprint(','.join(undecided).encode())[:16]}"
        for ident in undecided:
            row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == ident)).one()
            _add(tx, city, actor, row, "keep_number", step, city.today(), reasons, {})
            record(tx, city, actor, "order_number_kept", f"order:{ident}", number=number, reasons=reasons.strip())
        numbering.refold_twins(tx, city, number, refold)

    city.db.write(work)


def confirm_service(city: City, actor: str, order_id: str, reasons: str) -> None:
    """The building inspector confirms that an order which was registered late was served, and says how. It moves no
    date; the steps that waited for it are open from their own days."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CONFIRM, order_id, STANDING, reasons)
        if not row.doc["late"]:
            raise Problem("act-not-open", f"{row.number} was not registered late, or its service is confirmed")
        _add(tx, city, actor, row, "service_confirmed", "service_confirmed", city.today(), reasons, {})
        _done(tx, city, actor, row, "order_service_confirmed", reasons)

    city.db.write(work)


def record_repost(city: City, actor: str, order_id: str, place: str, why: str, *, on: date | None = None) -> None:
    """The same placard was put up again. Number and clocks stay as they are. Any inspector may record it."""
    day = not_later(city, on)

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, INSPECT, order_id, ("in_force", "stayed"), why, day)
        _add(tx, city, actor, row, "repost", f"repost:{day}", day, why, {"posted_at": None, "place": place})
        _done(tx, city, actor, row, "order_reposted", why, on=day.isoformat())

    city.db.write(work)


def record_outcome(city: City, actor: str, order_id: str, what: str, reasons: str, *, on: date | None = None) -> None:
    """``what``: "ceased" (the activity stopped), "complied" (the plan is carried out), "worked_on" (work went on while
    it was stopped: once for each day, and it moves no clock) or "landowner_served", as an inspector saw it. Evidence of
    compliance is never a release. Nobody is served as the landowner while the office does not know who that is."""
    day = not_later(city, on)
    if what not in ("ceased", "complied", "worked_on", "landowner_served"):
        raise Problem("body-malformed", f"{what!r} is nothing that is recorded here", where="what")

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, INSPECT, order_id, ("in_force", "stayed"), reasons, day)
        step, doc = f"{what}:{day}" if what == "worked_on" else what, {}
        if what == "landowner_served":
            owner, sale = _owner_on(tx, city, row, day)
            if not owner.get("name"):
                raise Problem("act-not-open", "the office does not know who owns the land: write that down on the "
                                              "site's form first")
            # Once for each owner; on whom by name, so that the former owner's service is never taken for the new one's.
            step, doc = (f"{what}:{sale}", {"sale": sale}) if sale else (what, {})
            doc |= {"name": owner["name"]}
        _add(tx, city, actor, row, what, step, day, reasons, doc)
        _done(tx, city, actor, row, f"order_{what}", reasons, on=day.isoformat())

    city.db.write(work)


def _owner_on(tx: Tx, city: City, order: Any, day: date) -> tuple[Mapping[str, Any], str]:
    """Whose the land was at the end of that day, and the sale that made it theirs; "" where that is not about a sale.

    As the sale says it: what the site's form says of its landowner may have been written in another way since.
    """
    found = sales_of(tx, city, order.site)
    until = [sale for sale in found if sale.on_day <= day]
    sold = (order.doc.get("sold") or {}).get("on")
    if until and (len(until) < len(found) or (sold and sold <= day.isoformat())):
        return until[-1].doc["landowner"], until[-1].step
    if found and not until:
        return found[0].doc["before"] or {}, ""
    return find(tx, sites, city_id=city.id, id=order.site).doc.get("landowner") or {}, ""


def correct_service(city: City, actor: str, order_id: str, index: int, party: str, reasons: str) -> None:
    """What the person who got a copy of the order really is to the site (one of PARTY_ROLES; "other": nobody whose
    service counts). ``index``: the place among those whom the order names. The record stays as it was signed.

    Raises Problem "body-malformed", "no-authority", "reasons-missing", "act-not-open", "not-found".
    """

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, INSPECT, order_id, ("in_force", "stayed"), reasons)
        there = {one.index: one for one in given_a_copy(row.doc["body"], acts_about(tx, city, order_id))}
        if party not in PARTY_ROLES or index not in there or row.doc["recommended_by"]:
            raise Problem("body-malformed", "choose a person who got a copy, and what they are", where="party")
        if there[index].party == party:
            raise Problem("already-decided", f"that is what {there[index].name} counts as already")
        _add(tx, city, actor, row, "service_corrected", f"service:{index}:{city.now().isoformat()}", city.today(),
             reasons, {"index": index, "party": party})
        _done(tx, city, actor, row, "order_service_corrected", reasons, name=there[index].name, party=party)

    city.db.write(work)


def file_appeal(city: City, actor: str, order_id: str, reasons: str, *, on: date | None = None) -> None:
    """An appeal came in: it stays the order by itself. The work must still stop; no further step may follow."""
    day = not_later(city, on)

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CONFIRM, order_id, ("in_force", "issued"), reasons, day)
        _add(tx, city, actor, row, "appeal_filed", f"appeal_filed:{day}", day, reasons, {})
        _done(tx, city, actor, row, "order_appealed", reasons, on=day.isoformat())
        if tx.execute(select(orders.c.status).where(
                orders.c.city_id == city.id, orders.c.id == order_id)).scalar_one() != "stayed":
            raise Problem("act-not-open", f"an appeal against {row.number} ended on that day; a new one counts from "
                                          "the day after", where="on")

    city.db.write(work)


def decide_appeal(city: City, actor: str, order_id: str, result: str, reasons: str) -> None:
    """Records how an appeal ended: upheld or modified lifts the stay, reversed voids the order."""
    if result not in APPEAL_RESULTS:
        raise Problem("body-malformed", f"an appeal ends as one of {', '.join(APPEAL_RESULTS)}", where="result")

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CONFIRM, order_id, ("stayed",), reasons)
        _add(tx, city, actor, row, "appeal_decided", f"appeal_decided:{city.today()}", city.today(), reasons,
             {"result": result})
        _done(tx, city, actor, row, "order_appeal_decided", reasons, result=result)

    city.db.write(work)


def certify_peril(city: City, actor: str, order_id: str, reasons: str) -> None:
    """A certificate of imminent peril removes the stay as if it had never run."""

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CERTIFY_PERIL, order_id, ("stayed",), reasons)
        _add(tx, city, actor, row, "peril_certified", f"peril_certified:{city.today()}", city.today(), reasons, {})
        _done(tx, city, actor, row, "order_peril_certified", reasons)

    city.db.write(work)


def note_order(city: City, actor: str, order_id: str, what: str, reasons: str, *, about: str = "") -> None:
    """The building inspector has looked at a doubt and lets things stand: a typing mistake that leaves the site clear,
    a permit that changed meanwhile, a revocation that came after a release. Moves nothing."""
    if what not in NOTES:
        raise Problem("body-malformed", f"{what!r} is nothing that is noted here", where="what")

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CONFIRM, order_id, None, reasons)
        _add(tx, city, actor, row, "noted", f"noted:{what}:{about}"[:160], city.today(), reasons, {"what": what})
        _done(tx, city, actor, row, "order_noted", reasons, noted=what)

    city.db.write(work)


def give_up_photos(city: City, actor: str, order_id: str, reasons: str) -> None:
    """The photos of the order that are not here will not come: the tablet that held them is lost. The acts that wait
    for them may follow without them; one that comes all the same is kept. Moves no date. Needs the power to confirm.

    Raises Problem "act-not-open" where all are here, "no-authority", "reasons-missing", "not-found".
    """

    def work(tx: Tx) -> None:
        row = _order(tx, city, actor, CONFIRM, order_id, None, reasons)
        missing = photos_awaited(tx, city, row, fact_of(tx, city, order_id))
        if not missing:
            raise Problem("act-not-open", f"no photo of {row.number} is missing")
        mark = fingerprint(" ".join(missing).encode())[:16]
        _add(tx, city, actor, row, "noted", f"noted:{GIVEN_UP}:{mark}", city.today(), reasons,
             {"what": GIVEN_UP, "files": missing})
        _done(tx, city, actor, row, "order_photos_given_up", reasons, files=missing)

    city.db.write(work)


# --- the parts ----------------------------------------------------------------------------------------------------
def not_later(city: City, on: date | None) -> date:
    """The day on which something was done, default today. Raises Problem "body-malformed" for one still to come."""
    today = city.today()
    if on is not None and on > today:
        raise Problem("body-malformed", f"{say_day(on, near=today)} is still to come", where="on")
    return on or today


def _order(tx: Tx, city: City, actor: str, power: str, order_id: str, statuses: tuple[str, ...] | None, reasons: str,
           day: date | None = None) -> Any:
    """The order's row once the person, the reasons and the state of the order allow the act."""
    require(tx, city, actor, power, city.today())
    if day is not None:
        require(tx, city, actor, power, day)
    needs_reasons(reasons)
    row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).first()
    if row is None:
        raise Problem("not-found", "there is no such order", where=order_id)
    if statuses is not None and row.status not in statuses:
        raise Problem("act-not-open", f"{row.number} is {row.status.replace('_', ' ')}")
    if day is not None and day < (began := _began(city, row)):
        raise Problem("body-malformed", f"{row.number} is of {say_day(began)}: {say_day(day)} is before it", where="on")
    return row


def _began(city: City, row: Any) -> date:
    """The first day on which anything can have been done with the order: when it was issued or put up; at the latest,
    of one whose tablet had a wrong clock, when it came to the office."""
    came = row.received_at.astimezone(city.zone).date()
    return min(day for day in (came, row.posted_on, row.issued_on) if day)


def _other(tx: Tx, city: City, row: Any, ident: str, *, same_site: bool = True) -> Any:
    other = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == ident)).first()
    if other is None or other.id == row.id:
        raise Problem("not-found", "there is no such other order", where=ident)
    if other.status not in STANDING or (same_site and other.site != row.site):
        raise Problem("act-not-open", f"{other.number} does not stand on the same site")
    return other


def _add(tx: Tx, city: City, actor: str, row: Any, act: str, step: str, day: date, reasons: str,
         doc: dict[str, Any]) -> None:
    if not insert_if_absent(tx, acts, {
        "city_id": city.id, "about": row.id, "step": step, "act": act, "person": actor, "at": city.now(),
        "on_day": day, "reasons": reasons.strip(), "fact": None, "doc": doc,
    }):
        raise Problem("already-decided", f"this was done with {row.number} before")


def _done(tx: Tx, city: City, actor: str, row: Any, done: str, reasons: str, **details: Any) -> None:
    record(tx, city, actor, done, f"order:{row.id}", number=row.number, reasons=reasons.strip(), **details)
    refold(tx, city, row.id)
    if len(numbering.twins(tx, city, row.number)) > 1:
        numbering.refold_twins(tx, city, row.number, refold)
