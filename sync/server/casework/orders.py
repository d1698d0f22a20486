"""Stop-work orders: worked in from facts, decided by named people, registered under a number that moves no date.

The state of an order is computed anew from its fact, the record of its affixing and the acts of the office, each
time one of them is added; so the order of arrival cannot matter. Dates come from sync.ordinance alone.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import insert, select, update

from sync.ordinance.orders import OrderState
from sync.ordinance.words import say_day
from sync.records.facts import Fact
from sync.records.problems import Problem
from sync.records.protocol import public_order_url
from sync.server.casework import numbering
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.counting import next_register_no
from sync.server.casework.feed import publish
from sync.server.casework.finds import real_site
from sync.server.casework.inspections import fact_of
from sync.server.casework.lives import former_registers, mark_now, register_of
from sync.server.casework.matters import (
    affixings_of,
    dates_on_the_wire,
    events_for,
    granted_since,
    pack_of_order,
    permit_before,
    permit_on,
    recounted,
    standing_about,
    whole_matter,
)
from sync.server.casework.people import CONFIRM, ISSUE, needs_reasons, person_row, require
from sync.server.casework.telling import since, told
from sync.server.db import narrow
from sync.server.db.engine import Tx, insert_if_absent
from sync.server.db.schema import affixings, order_acts, orders

REGISTERED = ("issued", "in_force")
STANDING = (*REGISTERED, "stayed")


def apply_order(tx: Tx, city: City, fact: Fact, received_at: Any) -> None:
    """Works a posted or recommended order in; a posted one is registered by this."""
    tx.execute(insert(orders).values(
        city_id=city.id, id=fact.id, number=fact.body["number"], site=real_site(tx, city, fact.body["site"]),
        status="recommended", posted_on=None, issued_on=None, register_no=None,
        registered_at=None, permit_in_force=0, received_at=received_at, doc={},
    ))
    numbering.refold_twins(tx, city, fact.body["number"], refold)
    twins = numbering.twins(tx, city, fact.body["number"])
    # A number that two orders bear is a matter for a person: both are kept, both are held back from every clock.
    if len(twins) > 1:
        record(tx, city, "server", "order_number_taken", f"order:{fact.id}", number=fact.body["number"],
               orders=sorted(twins))


def check_affixing(tx: Tx, city: City, fact: Fact) -> None:
    """Raises Problem "subject-unknown" unless it names a recommended order by its right number."""
    body = fact.body
    order = tx.execute(select(orders.c.number).where(
        orders.c.city_id == city.id, orders.c.id == body["order"])).first()
    if order is None or order.number != body["number"] or fact_of(tx, city, body["order"]).kind != "order_recommended":
        raise Problem("subject-unknown", "it does not name an order recommended to the office", where="body.order")


def apply_affixing(tx: Tx, city: City, fact: Fact) -> None:
    """Works in that an order issued by the office was put up; the earliest putting-up is its posting."""
    body = fact.body
    insert_if_absent(tx, affixings, {
        "city_id": city.id, "order_id": body["order"], "fact": fact.id, "person": fact.user, "place": body["place"],
        "posted_on": date.fromisoformat(body["posted_on"]), "posted_at": narrow.wall(body["posted_at"]),
    })
    record(tx, city, fact.user, "order_affixed", f"order:{body['order']}", number=body["number"], fact=fact.id,
           posted_on=body["posted_on"])
    refold(tx, city, body["order"])


def is_issued(tx: Tx, city: City, order_id: str) -> bool:
    """Whether the office issued the recommended order."""
    return tx.execute(select(order_acts.c.act).where(
        order_acts.c.city_id == city.id, order_acts.c.order_id == order_id, order_acts.c.act == "issue")
    ).first() is not None


def refold(tx: Tx, city: City, order_id: str) -> None:
    """Brings the order to what its fact, its affixings and the acts of people say, and tells the tablets."""
    row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).one()
    fact = fact_of(tx, city, order_id)
    body = fact.body
    pack = pack_of_order(tx, city, fact.pack)
    decided = {act.act: act for act in tx.execute(select(order_acts).where(
        order_acts.c.city_id == city.id, order_acts.c.order_id == order_id))}
    own = standing_about(tx, city, order_id)
    ups = affixings_of(tx, city, order_id)
    in_field = fact.kind == "order_posted"
    field_day = date.fromisoformat(body["posted_on"]) if in_field else None
    alias, held_back = numbering.standing(tx, city, row)

    if row.register_no is None and not held_back and (in_field or "issue" in decided):
        row = _register(tx, city, row, field_day)
    register, former = register_of(city, row), former_registers(tx, city, order_id).get(order_id)

    events = events_for(tx, city, row, fact)
    matter = whole_matter(pack, events)
    order = matter.order(order_id)
    status = _status(order, decided, in_field, held_back)
    posted_on, issued_on = order.posted_on, order.issuance
    ratified = next((act for act in own if act.act == "ratify"), None)
    posted_at = body["posted_at"] if in_field else ups[0].posted_at if ups else None
    if ratified is not None:
        posted_at = ratified.at.astimezone(city.zone).isoformat(timespec="seconds")
    day = posted_on or issued_on or date.fromisoformat(body["printed_on"])
    # Posted in the field, issuing and posting are one act, and the derivation says "posted".
    dates, no_dates = dates_on_the_wire(pack, events if status in REGISTERED else [], order_id)
    doc = {
        "id": order_id, "number": row.number, "site": row.site, "status": status, "grounds": body["grounds"],
        "posted_on": posted_on.isoformat() if posted_on else None, "posted_at": posted_at,
        "issued_on": issued_on.isoformat() if issued_on else None, "register": register,
        "recommended_by": None if in_field else fact.user,
        "posted_by": fact.user if in_field else (ups[0].person if ups else None),
        "issued_by": fact.user if in_field else (decided["issue"].person if "issue" in decided else None),
        "confirmed": _decided(city, decided.get("confirm"), reasons=False),
        "declined": _decided(city, decided.get("decline"), reasons=True),
        "issue_refused": _decided(city, decided.get("refuse"), reasons=True),
        # Moves no date; the acts that follow wait until somebody confirms that the order was served.
        "late": order.late(pack) and order.service_confirmed_on is None,
        "dates": dates["en"], "dates_es": dates["es"], "no_dates": no_dates,
        "permit_in_force": permit_before(matter, order, day) if order.first_on else permit_on(matter, day),
        "body": body, "pack": fact.pack,
        "place": ups[0].place if ups else None, "alias": alias, **told(city, own, ups),
        **since(order, granted_since(tx, city, row.site, pack, order)),
        **({"recounted": moved} if status in REGISTERED and (
            moved := recounted(tx, city, fact.pack, events, order_id)) else {}),
        # What it was registered as in records that were lost; a document of a city that lost none says nothing of it.
        **({"former_registers": list(former)} if former else {}),
        "public_url": public_order_url(city.public_url, row.number, body["token"],
                                       posted_on.isoformat() if posted_on else None),
    }
    tx.execute(update(orders).where(orders.c.city_id == city.id, orders.c.id == order_id).values(
        status=status, posted_on=posted_on, issued_on=issued_on, permit_in_force=int(doc["permit_in_force"]), doc=doc,
    ))
    publish(tx, city, "order", order_id, doc)


def refold_open(tx: Tx, city: City) -> list[str]:
    """Every order whose clocks run, after the calendars changed; gives those whose dates moved. Acts done stay as they
    are: they keep the day on which they were done."""
    moved = []
    for row in list(tx.execute(select(orders).where(
            orders.c.city_id == city.id, orders.c.status.in_(STANDING)).order_by(orders.c.id))):
        refold(tx, city, row.id)
        now = tx.execute(select(orders.c.doc).where(orders.c.city_id == city.id, orders.c.id == row.id)).scalar_one()
        if now["dates"] != row.doc["dates"]:
            moved.append(row.id)
    return moved


def refold_site(tx: Tx, city: City, site: str) -> None:
    """Every order of the site, after something about its permits changed."""
    for ident in list(tx.execute(select(orders.c.id).where(
            orders.c.city_id == city.id, orders.c.site == site).order_by(orders.c.id)).scalars()):
        refold(tx, city, ident)


def _register(tx: Tx, city: City, row: Any, field_day: date | None) -> Any:
    """Gives the order its register number, once and for good; moves no date."""
    tx.execute(update(orders).where(orders.c.city_id == city.id, orders.c.id == row.id).values(
        register_no=next_register_no(tx, city), register_life=mark_now(tx, city) or None, registered_at=city.now()))
    row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == row.id)).one()
    record(tx, city, "server", "order_registered", f"order:{row.id}", number=row.number, site=row.site,
           register=register_of(city, row), posted_on=field_day.isoformat() if field_day else None)
    return row


def _status(order: OrderState, decided: dict[str, Any], in_field: bool, held_back: bool) -> str:
    """The law's status; before an order is one, what became of its recommendation."""
    if held_back:
        return "quarantined"
    if not in_field and "refuse" in decided:
        return "refused"
    if not in_field and "issue" not in decided and order.voided_on is None:
        return "recommended"
    status = order.status()
    return "in_force" if status == "posted" else status


def _decided(city: City, act: Any | None, *, reasons: bool) -> dict[str, Any] | None:
    if act is None:
        return None
    found = {"by": act.person, "at": act.at.astimezone(city.zone).isoformat(timespec="seconds")}
    return {**found, "reasons": act.reasons or ""} if reasons else found


# --- acts of the office -------------------------------------------------------------------------------------------
def confirm_order(city: City, actor: str, order_id: str) -> None:
    """The building inspector confirms an order posted in the field. Moves no date.

    Raises Problem "no-authority", "already-decided", "not-found".
    """
    _decide(city, actor, order_id, "decision", "confirm", CONFIRM, ("in_force",), None)


def decline_order(city: City, actor: str, order_id: str, reasons: str) -> None:
    """The building inspector declines an order posted in the field: it is voided by record and its clocks close. So is
    one that was released meanwhile, as it would be if the release had come after this.

    Raises Problem "reasons-missing", "no-authority", "already-decided", "not-found".
    """
    _decide(city, actor, order_id, "decision", "decline", CONFIRM, ("in_force", "released"), reasons)


def issue_recommended_order(city: City, actor: str, order_id: str) -> None:
    """The building inspector issues an order recommended from the field, under the number that it bears.

    It comes down to the tablets, where any inspector puts it up. Raises as ``confirm_order``.
    """
    _decide(city, actor, order_id, "issue", "issue", ISSUE, ("recommended",), None)


def refuse_recommended_order(city: City, actor: str, order_id: str, reasons: str) -> None:
    """The building inspector does not issue an order recommended from the field. Raises as ``decline_order``."""
    _decide(city, actor, order_id, "issue", "refuse", ISSUE, ("recommended",), reasons)


def _decide(city: City, actor: str, order_id: str, step: str, act: str, power: str, from_status: tuple[str, ...],
            reasons: str | None) -> None:
    from sync.server.casework.applying import release_waiting

    def work(tx: Tx) -> None:
        require(tx, city, actor, power, city.today())
        if reasons is not None:
            needs_reasons(reasons)
        row = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).first()
        if row is None:
            raise Problem("not-found", "there is no such order", where=order_id)
        kind = fact_of(tx, city, order_id).kind
        expected = "order_posted" if step == "decision" else "order_recommended"
        if kind != expected or row.status not in from_status:
            raise Problem("already-decided", _why_not(tx, city, row, kind))
        if not insert_if_absent(tx, order_acts, {
            "city_id": city.id, "order_id": order_id, "step": step, "act": act, "person": actor, "at": city.now(),
            "on_day": city.today(), "reasons": reasons.strip() if reasons else None,
        }):
            raise Problem("already-decided", _why_not(tx, city, row, kind))
        done = {"confirm": "order_confirmed", "decline": "order_declined", "issue": "order_issued",
                "refuse": "order_refused"}[act]
        record(tx, city, actor, done, f"order:{order_id}", number=row.number,
               **({"reasons": reasons.strip()} if reasons else {}))
        refold(tx, city, order_id)
        if act == "issue":
            release_waiting(tx, city, f"issued:{order_id}")

    city.db.write(work)


def _why_not(tx: Tx, city: City, row: Any, kind: str) -> str:
    for act in tx.execute(select(order_acts).where(
            order_acts.c.city_id == city.id, order_acts.c.order_id == row.id).order_by(order_acts.c.at.desc())):
        person = person_row(tx, city, act.person)
        done = {"confirm": "confirmed", "decline": "declined", "issue": "issued", "refuse": "refused"}[act.act]
        who = person.name if person else act.person
        return f"{row.number} was {done} by {who} on {say_day(act.on_day, near=date.min)}"
    was = "posted in the field" if kind == "order_posted" else "recommended"
    return f"{row.number} was {was} and is now {row.status.replace('_', ' ')}"
