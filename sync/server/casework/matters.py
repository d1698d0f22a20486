"""The enforcement matter of a site, handed to sync.ordinance as dated events; status, clocks and open acts come back.

Nothing of the law is said here. Events are made from facts, affixings and acts of named people alone, never from the
time at which something arrived; so the same records give the same matter whatever order they came in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import select

from sync.ordinance.acts import clock_of
from sync.ordinance.calendar import CalendarMissing
from sync.ordinance.dates import Derived, derive
from sync.ordinance.events import FIRST, Event
from sync.ordinance.matter import Matter, OrderState, after, clock_start, fold
from sync.ordinance.permits import Permit
from sync.records.facts import Fact
from sync.server.casework.awaited import photos_awaited
from sync.server.casework.city import City
from sync.server.db.acts import acts
from sync.server.db.engine import Tx
from sync.server.db.schema import affixings, order_acts, orders, permits

# An act about an order, as the law's event. What is not here moves nothing in the law (a decision to keep both).
EVENTS = {
    "void": "order_voided", "supersede": "order_superseded", "count_as_repost": "order_superseded",
    "service_confirmed": "service_confirmed", "repost": "order_reposted", "appeal_filed": "appeal_filed",
    "appeal_decided": "appeal_decided", "peril_certified": "peril_certified", "ceased": "ceased",
    "complied": "complied", "landowner_served": "landowner_served", "ratify": "ratified",
}
COUNT_POSTING = "count_posting"
BEGINS = ("order_issued", "order_posted", "ratified")
LANGUAGES = ("en", "es")
# Whose service the law asks for, of those who got a copy by hand. A contractor is one of the land's users.
SERVED = {"landowner": "landowner_served", "permittee": "permittee_served", "land_user": "land_user_served",
          "contractor": "land_user_served"}


def acts_about(tx: Tx, city: City, about: str) -> list[Any]:
    """The acts about one order, permit or record, by day, then by what makes each of them that one."""
    return list(tx.execute(select(acts).where(acts.c.city_id == city.id, acts.c.about == about)
                           .order_by(acts.c.on_day, acts.c.at, acts.c.step)))


# --- the order ----------------------------------------------------------------------------------------------------
def events_for(tx: Tx, city: City, order: Any, fact: Fact) -> list[Event]:
    """All that the clocks of the order ``order`` (a row of ``orders``, made by ``fact``) go by: what was recorded about
    it, and what belongs to its site."""
    own = events_of_order(tx, city, order, fact)
    return own + events_of_site(tx, city, order.site, fact, own)


def events_of_order(tx: Tx, city: City, order: Any, fact: Fact) -> list[Event]:
    """Everything that was recorded about the order ``order`` (a row of ``orders``, made by ``fact``), as events under
    its id."""
    key = order.id
    found: list[Event] = []
    own = standing_about(tx, city, key)
    if fact.kind == "order_posted":
        posted_on = date.fromisoformat(fact.body["posted_on"])
        unauthorised = any(act.act == "ratify" for act in own)
        found.append(Event("posted_without_authority" if unauthorised else "order_posted", posted_on, key))
        # A paper that nobody with the power had put up served nobody.
        found += [Event(SERVED[one.party], posted_on, key, {"name": one.name, "method": "by hand"})
                  for one in given_a_copy(fact.body, own) if one.party in SERVED and not unauthorised]
    for place, up in enumerate(affixings_of(tx, city, key)):
        found.append(Event("order_reposted" if place else "order_posted", up.posted_on, key))
    for act in tx.execute(select(order_acts).where(
            order_acts.c.city_id == city.id, order_acts.c.order_id == key)):
        what = {"issue": "order_issued", "decline": "order_declined", "confirm": "order_confirmed"}.get(act.act)
        if what:
            found.append(Event(what, act.on_day, key))
    for act in own:
        what = EVENTS.get(act.act)
        if what == "landowner_served" and act.doc.get("sale") and act.doc["sale"] not in {
                sale.step for sale in sales_of(tx, city, order.site)}:
            continue  # served on somebody who never owned the land: that sale was taken back
        if act.act == "release":
            what = "order_released" if act.doc["scope"] == "whole" else "order_partly_released"
        if what:
            data = {name: act.doc[name] for name in ("result", "name", "method") if name in act.doc}
            found.append(Event(what, act.on_day, key, data))
    if order.registered_at is not None:
        found.append(Event("registered", order.registered_at.astimezone(city.zone).date(), key))
    return found


@dataclass(frozen=True, slots=True)
class GivenCopy:
    """Somebody who got a copy of the order when it was posted. ``party``: what counts of what they are to the site, as
    the inspector chose it or the office corrected it; "" where an older tablet did not ask. ``index``: their place
    among those whom the order names."""

    index: int
    name: str
    role: str
    party: str
    chosen: str


def given_a_copy(body: Mapping[str, Any], own: list[Any]) -> list[GivenCopy]:
    """Who got a copy. Contractors, land users, permittees and landowners are served by that; nobody else is."""
    corrected = {act.doc["index"]: act.doc["party"] for act in sorted(own, key=lambda act: (act.at, act.step))
                 if act.act == "service_corrected"}
    return [GivenCopy(index, one["name"], one["role"], corrected.get(index, one.get("party", "")), one.get("party", ""))
            for index, one in enumerate(body["met"]) if one["served"]]


def affixings_of(tx: Tx, city: City, order_id: str) -> list[Any]:
    """The records of its putting-up, that which is its posting first: the earliest, without those of which a person
    said, for a later one, that they bind nobody. Of one that came only after that nobody has said it."""
    found = list(tx.execute(
        select(affixings).where(affixings.c.city_id == city.id, affixings.c.order_id == order_id)
        .order_by(affixings.c.posted_on, affixings.c.posted_at, affixings.c.fact)))
    if len(found) > 1:
        chosen = [act for act in acts_about(tx, city, order_id) if act.act == COUNT_POSTING]
        out = {fact for act in chosen for fact in act.doc["instead"]}
        found = [up for up in found if up.fact not in out]
    return found


# --- permits ------------------------------------------------------------------------------------------------------
def events_of_site(tx: Tx, city: City, site: str, fact: Fact, events: list[Event]) -> list[Event]:
    """What belongs to the site and not to one order: its permits, and the sales of its land. ``fact``, ``events``: the
    order that it is asked for, and what is known of that.

    Where the order names a permit that was in force when it began, the others of that time belong to other lots.
    """
    first = min((one.on for one in events if one.what in BEGINS), default=None)
    return permit_events(tx, city, site, fact.body["permit"], first) + [
        Event("ownership_changed", sale.on_day, data={"to": sale.doc["landowner"]["name"]})
        for sale in sales_of(tx, city, site)]


def sales_of(tx: Tx, city: City, site: str) -> list[Any]:
    """The sales of its land that were recorded and not taken back, by day."""
    return [act for act in standing_about(tx, city, site) if act.act == "sale"]


def permits_of(tx: Tx, city: City, site: str) -> list[Any]:
    """The rows of the site's permits."""
    return list(tx.execute(select(permits).where(
        permits.c.city_id == city.id, permits.c.site == site).order_by(permits.c.id)))


def permit_events(tx: Tx, city: City, site: str, named: str | None, first: date | None) -> list[Event]:
    """The permits of the site from issue to loss. A revocation that was taken back never happened."""
    found = []
    for row in permits_that_count(tx, city, site, named, first):
        done = standing_about(tx, city, row.id)
        issue = _issue(row, done)
        if issue is None:
            continue
        data: dict[str, Any] = {"permit": row.id, **({"authorization_until": issue.until} if issue.until else {})}
        found.append(Event("permit_granted" if issue.under else "permit_issued", issue.on, issue.under or FIRST, data))
        for act in done:
            if act.act == "extend":
                found.append(Event("permit_extended", act.on_day,
                                   data={"permit": row.id, "until": date.fromisoformat(act.doc["until"])}))
            elif act.act == "authorization":
                found.append(Event("authorization_changed", act.on_day,
                                   data={"permit": row.id, "until": date.fromisoformat(act.doc["until"])}))
            elif act.act == "revoke":
                found.append(Event("permit_revoked", act.on_day, data={"permit": row.id}))
    return found


def permits_that_count(tx: Tx, city: City, site: str, named: str | None, first: date | None) -> list[Any]:
    """Without those of other lots: older than the order, beside the one that it names and that was in force then."""
    rows = permits_of(tx, city, site)
    own = next((row for row in rows if row.id == named), None)
    if own is None or first is None or len(rows) < 2:
        return rows
    permit = folded_permit(tx, city, own, city.pack(tx))
    if permit is None or not permit.in_force(first):
        return rows
    return [row for row in rows
            if row is own or (issue := _issue(row, standing_about(tx, city, row.id))) is None
            or issue.on > first or issue.under]


@dataclass(frozen=True, slots=True)
class Issue:
    """How a permit began: its day, the other authorization's last day, and the order that it was granted after."""

    on: date
    until: date | None
    under: str | None = None


def _issue(row: Any, done: list[Any]) -> Issue | None:
    """None for a permit that was never issued, or was first recorded as revoked at some unknown time."""
    base = row.doc.get("base") or row.doc
    if row.issued_on is not None and base["state"] in ("in_force", "expired"):
        until = base.get("last_valid_day")
        return Issue(row.issued_on, date.fromisoformat(until) if until else None)
    grant = next((act for act in done if act.act == "grant"), None)
    if grant is None:
        return None
    until = grant.doc["until"]
    return Issue(grant.on_day, date.fromisoformat(until) if until else None, grant.doc["order"])


def standing_acts(all_acts: list[Any]) -> list[Any]:
    """Without an act that was taken back, such as a revocation, and without the taking back."""
    undone = {act.doc["step"] for act in all_acts if act.act == "take_back"}
    return [act for act in all_acts if act.act != "take_back" and act.step not in undone]


def standing_about(tx: Tx, city: City, about: str) -> list[Any]:
    """As `acts_about`, without what was taken back."""
    return standing_acts(acts_about(tx, city, about))


def folded_permit(tx: Tx, city: City, row: Any, pack: Any) -> Permit | None:
    """The permit of this row with everything that was recorded about it; None while it is not issued."""
    return permit_and_changes(tx, city, row, pack)[0]


def permit_and_changes(tx: Tx, city: City, row: Any, pack: Any) -> tuple[Permit | None, dict[str, tuple[date, date]]]:
    """The same; and the last valid day before and after each act that moved it, by the act's step. An extension that
    this pack does not allow moves nothing."""
    done = standing_about(tx, city, row.id)
    issue = _issue(row, done)
    if issue is None:
        return None, {}
    permit, moved = Permit(pack, issue.on, issue.until, issue.under), {}
    for act in done:
        known = len(permit.changes)
        if act.act == "extend":
            permit.extend(act.on_day, date.fromisoformat(act.doc["until"]), act.doc.get("practices", ()))
        elif act.act == "authorization":
            permit.authorization(act.on_day, date.fromisoformat(act.doc["until"]))
        elif act.act == "revoke":
            permit.revoke(act.on_day)
        if len(permit.changes) > known:
            moved[act.step] = permit.changes[-1][1:]
    return permit, moved


def granted_since(tx: Tx, city: City, site: str, pack: Any, order: OrderState) -> dict[str, str] | None:
    """The first permit that was granted after the order: {permit, number, on}; None where none was."""
    found = []
    for row in permits_of(tx, city, site):
        permit = folded_permit(tx, city, row, pack)
        if permit is not None and after(permit, order):
            found.append({"permit": row.id, "number": row.number, "on": permit.issued_on.isoformat()})
    return min(found, key=lambda one: (one["on"], one["permit"]), default=None)


# --- what follows from them ---------------------------------------------------------------------------------------
def whole_matter(pack: Any, events: list[Event]) -> Matter:
    """The matter with everything that was recorded, whatever day it is."""
    return fold(pack, events, max((event.on for event in events), default=date.min))


def permit_on(matter: Matter, day: date) -> bool:
    """Whether a permit was in force on that day."""
    return matter.permit_in_force(day) is not None


def dates_of_order(pack: Any, events: list[Event], order_id: str) -> list[Derived]:
    """The clocks of a posted order as the records stand: K4 or K5 by the permit, K6, and K7 as if the notice came on
    its first day. Issued and not yet put up, K4 alone runs (it counts from issuing). Does not depend on the present
    day. CalendarMissing where the pack lacks a year that matters."""
    matter = whole_matter(pack, events)
    order = matter.order(order_id)
    if order.posted_on is None:
        return _before_it_is_up(pack, events, matter, order)
    found: list[Derived | None] = []
    revoked_since = any(p.revoked_on is not None and p.revoked_on >= order.first_on for p in matter.permits)
    if not revoked_since:
        branch = clock_of(matter, order, "revoke_permit") if permit_before(matter, order, order.posted_on) else None
        if branch is not None:
            # The permit runs out before it could be revoked: the other branch runs, from the day after its last.
            opens = branch.eligible_from or branch.last_day
            matter = fold(pack, events, max(opens, matter.at))
            order = matter.order(order_id)
            branch = branch if permit_before(matter, order, opens) else None
        # A permit granted since ends the branch of those without one. It is revoked only under a new order.
        if branch is None and not any(after(p, order) for p in matter.permits):
            branch = clock_of(matter, order, "request_cease_and_desist")
        found.append(branch)
    notice = clock_of(matter, order, "issue_notice_of_intent")
    found.append(notice)
    if notice is not None and notice.eligible_from is not None:
        found.append(derive(pack, "K7", _notice_if(pack, order, notice.eligible_from), "notice_if"))
    return [one for one in found if one is not None]


def permit_before(matter: Matter, order: OrderState, day: date) -> bool:
    """Whether a permit older than the order was in force on that day."""
    return any(permit.in_force(day) and not after(permit, order) for permit in matter.permits)


def _notice_if(pack: Any, order: OrderState, first: date) -> date:
    """The first day on which a notice can count: for land sold since, not before its new owner is served."""
    if order.sold_on is None or pack.readings.after_sale == "runs on":
        return first
    return max(first, order.served("landowner") or order.sold_on)


def _before_it_is_up(pack: Any, events: list[Event], matter: Matter, order: OrderState) -> list[Derived]:
    """K4 of an order that the office issued and nobody put up yet. Nothing where the pack counts from the later day."""
    issued = order.issued_on
    if issued is None or pack.readings.clock_start == "later" or not permit_on(matter, issued):
        return []
    if any(after(p, order) or (p.revoked_on is not None and p.revoked_on >= issued) for p in matter.permits):
        return []
    start, further = clock_start(pack, order, "K4", issued)
    found = derive(pack, "K4", start, "issued" if start == issued else "stay_ended", further=further)
    opens = found.eligible_from or found.last_day
    # A permit that runs out before that day cannot be revoked on it.
    return [found] if permit_on(fold(pack, events, max(opens, matter.at)), opens) else []


def pack_of_order(tx: Tx, city: City, ref: str) -> Any:
    """The ordinance under which the order was made, its days counted by the calendars that are in force now."""
    return city.pack(tx, ref).under_calendar_of(city.pack(tx))


def recounted(tx: Tx, city: City, ref: str, events: list[Event], order_id: str) -> dict[str, Any] | None:
    """How the calendars in force move the dates of the order from those of its own pack, which were on its placard:
    {pack, dates: [{clock, label, was: {last_day, eligible_from}, last_day, eligible_from}]}; None where they do not.

    It depends on the two packs alone, not on whether the order or the correction came first.
    """
    own, now = city.pack(tx, ref), pack_of_order(tx, city, ref)
    if own is now:
        return None
    try:
        before = {one.clock: one for one in dates_of_order(own, events, order_id)}
        after_it = dates_of_order(now, events, order_id)
    except CalendarMissing:
        return None
    moved = [{"clock": one.clock, "label": one.label(), "was": _days(before[one.clock]), **_days(one)}
             for one in after_it if one.clock in before and _days(one) != _days(before[one.clock])]
    return {"pack": city.pack(tx).ref, "dates": moved} if moved else None


def _days(one: Derived) -> dict[str, str | None]:
    return {"last_day": one.last_day.isoformat(),
            "eligible_from": one.eligible_from.isoformat() if one.eligible_from else None}


def dates_on_the_wire(pack: Any, events: list[Event], order_id: str) -> tuple[dict[str, list[dict]], str | None]:
    """The dates in each language that papers speak, and why there are none where the calendar of a year is missing.

    An order stands whether or not its dates can be computed.
    """
    try:
        found = dates_of_order(pack, events, order_id)
    except CalendarMissing as err:
        return {language: [] for language in LANGUAGES}, str(err)
    return {language: [one.to_wire(language) for one in found] for language in LANGUAGES}, None


def site_matter(tx: Tx, city: City, order_id: str, at: date) -> tuple[Matter, str]:
    """The matter of the order's site at the end of ``at``, for deciding which acts are open under the order.

    Photos that the records of the order name and that are not here yet are missing (`awaited`).
    """
    from sync.server.casework import site_acts
    from sync.server.casework.inspections import fact_of

    row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).one()
    fact = fact_of(tx, city, order_id)
    events = events_for(tx, city, row, fact) + site_acts.events_of(tx, city, row.site)
    if photos_awaited(tx, city, row, fact):
        events.append(Event("photos_missing", row.posted_on or at, order_id))
    return fold(pack_of_order(tx, city, fact.pack), events, at), order_id


def photos_missing(city: City, order_id: str) -> list[str]:
    """The files that acts under the order wait for (`awaited.photos_awaited`), for a page."""
    from sync.server.casework.inspections import fact_of

    with city.db.read() as tx:
        row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).one()
        return photos_awaited(tx, city, row, fact_of(tx, city, order_id))


def matter_of(city: City, order_id: str) -> Matter:
    """The matter of the order as it stands today, for a page."""
    with city.db.read() as tx:
        return site_matter(tx, city, order_id, city.today())[0]
