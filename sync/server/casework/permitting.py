"""A permit granted, and its changes: longer, shorter, revoked, a revocation taken back, other conditions. The law says
what may be.

The permit as it was first recorded stays in its document under ``base``; every change is an act of a named person, and
permit and orders of the site are computed anew from them.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import select, update

from sync.ordinance.acts import ActRefused, check_record, decide
from sync.ordinance.matter import after as granted_after
from sync.ordinance.permits import say_refusal
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.deciding import not_later
from sync.server.casework.founding import keep_permit
from sync.server.casework.history import publish_permit
from sync.server.casework.matters import (
    acts_about,
    folded_permit,
    permit_and_changes,
    permits_of,
    site_matter,
    standing_about,
    standing_acts,
)
from sync.server.casework.meanwhile import check_unchanged
from sync.server.casework.orders import refold_site
from sync.server.casework.people import DECIDE_APPLICATIONS, EXTEND, REVOKE, holds, needs_reasons, require
from sync.server.casework.site_records import stands_by_itself
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.schema import orders, permits, sites

FARTHEST_YEARS = 100


def grant_permit(city: City, actor: str, site: str, number: str, reasons: str, *, on: date | None = None,
                 until: date | None = None, conditions: tuple[str, ...] = (), after: str | None = None) -> str:
    """Grants the site a permit under ``number``, the one that was applied for under it or a new one; gives its id.

    ``on``: the day of the granting, default today; ``until``: the last day of the building permit or other
    authorization; ``after``: the order on that site that it was granted after, which matters on one day with it. An
    order goes on until it is released. Raises Problem "body-malformed", "already-decided", "no-authority",
    "reasons-missing", "not-found".
    """
    day, number = on or city.today(), number.strip()

    def work(tx: Tx) -> str:
        for one in {city.today(), day}:
            require(tx, city, actor, DECIDE_APPLICATIONS, one)
        needs_reasons(reasons)
        not_later(city, day)
        _within_a_life(city, until)
        if not number or len(number) > 60:
            raise Problem("body-malformed", "the permit has a number, of at most 60 characters", where="number")
        place = find(tx, sites, city_id=city.id, id=site)
        if place is None:
            raise Problem("not-found", "there is no such site", where="site")
        stands_by_itself(place)
        if after and tx.execute(select(orders.c.id).where(
                orders.c.city_id == city.id, orders.c.id == after, orders.c.site == site)).first() is None:
            raise Problem("not-found", "there is no such order on this site", where="after")
        row = tx.execute(select(permits).where(permits.c.city_id == city.id, permits.c.number == number)).first()
        if row is None:
            base = {"id": fingerprint(f"permit:{site}:{number}".encode())[:32], "site": site, "number": number,
                    "state": "applied", "issued_on": None, "last_valid_day": None, "conditions": []}
            keep_permit(tx, city, base)
            row = tx.execute(select(permits).where(permits.c.city_id == city.id, permits.c.id == base["id"])).one()
        elif row.site != site or row.doc["state"] != "applied":
            raise Problem("already-decided", f"{number} is the number of another permit, or of one decided before")
        clause = city.pack(tx).duties["decide_application"].clause
        _change(tx, city, actor, row, "grant", "grant", reasons, {
            "until": until.isoformat() if until else None, "order": after,
            "conditions": [{"id": f"c{n}", "text": text, "clause": clause} for n, text in enumerate(conditions, 1)]},
            day)
        return row.id

    return city.db.write(work)


def extend_permit(city: City, actor: str, permit_id: str, until: date, reasons: str,
                  practices: tuple[str, ...] = ()) -> None:
    """Extends the permit to ``until``; further ``practices`` become conditions. Needs the power to extend.

    Raises Problem "permit-not-extended" with the law's sentence (not in force, beyond the cap, no longer than before),
    "no-authority", "reasons-missing", "not-found".
    """

    def work(tx: Tx) -> None:
        row = _permit(tx, city, actor, EXTEND, permit_id, reasons)
        permit = folded_permit(tx, city, row, city.pack(tx))
        refusal = permit.may_extend(city.today(), until) if permit else "not in force"
        if permit is None or refusal:
            raise Problem("permit-not-extended",
                          say_refusal(permit, refusal, city.today(), until) if permit and refusal
                          else f"{row.number} was never issued")
        _change(tx, city, actor, row, "extend", f"extend:{until}", reasons,
                {"until": until.isoformat(), "practices": list(practices)})

    city.db.write(work)


def change_authorization(city: City, actor: str, permit_id: str, until: date, reasons: str) -> None:
    """The building permit or other authorization now ends on ``until``, so the permit's last day is counted anew: the
    longer of the two periods. A permit ends by its last day alone; this is how it ends earlier or later."""

    def work(tx: Tx) -> None:
        row = _permit(tx, city, actor, DECIDE_APPLICATIONS, permit_id, reasons)
        if folded_permit(tx, city, row, city.pack(tx)) is None:
            raise Problem("act-not-open", f"{row.number} was never issued")
        _within_a_life(city, until)
        _change(tx, city, actor, row, "authorization", f"authorization:{city.now().isoformat()}", reasons,
                {"until": until.isoformat()})

    city.db.write(work)


def change_conditions(city: City, actor: str, permit_id: str, conditions: list[dict[str, Any]], reasons: str, *,
                      seen: str = "") -> None:
    """Other conditions ({id, text, clause}) from today on. What was judged before was judged by those of its day.
    ``seen``: the conditions that were before the person (`meanwhile.seen_as`)."""

    def work(tx: Tx) -> None:
        row = _permit(tx, city, actor, DECIDE_APPLICATIONS, permit_id, reasons)
        check_unchanged(seen, row.doc.get("conditions", []))
        for one in conditions:
            if not all(isinstance(one.get(key), str) and one[key].strip() for key in ("id", "text", "clause")):
                raise Problem("body-malformed", "a condition has an id, a text and a clause", where="conditions")
        _change(tx, city, actor, row, "conditions", f"conditions:{city.now().isoformat()}", reasons,
                {"conditions": conditions})

    city.db.write(work)


def revoke_permit(city: City, actor: str, order_id: str, reasons: str) -> None:
    """Revokes the permit under this order, if the law has the step open today.

    Raises Problem "act-not-open" with the law's sentences on what is missing, "no-authority", "reasons-missing".
    """

    def work(tx: Tx) -> None:
        today = city.today()
        require(tx, city, actor, REVOKE, today)
        needs_reasons(reasons)
        order = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).first()
        if order is None:
            raise Problem("not-found", "there is no such order", where=order_id)
        matter, key = site_matter(tx, city, order_id, today)
        try:
            check_record(decide(matter, "revoke_permit", key), has_power=holds(tx, city, actor, REVOKE, today))
        except ActRefused as refused:
            raise Problem("act-not-open", str(refused)) from None
        # Of several, the one that the order names; never one that was granted after it.
        named, state = order.doc["body"]["permit"], matter.order(key)
        for row in sorted(permits_of(tx, city, order.site), key=lambda one: one.id != named):
            permit = folded_permit(tx, city, row, city.pack(tx))
            if permit is not None and permit.in_force(today) and not granted_after(permit, state):
                _change(tx, city, actor, row, "revoke", f"revoke:{order_id}:{today}", reasons,
                        {"order": order_id, "order_number": order.number})
                return
        raise Problem("act-not-open", "no permit of this site is in force")

    city.db.write(work)


def take_back_revocation(city: City, actor: str, permit_id: str, reasons: str) -> None:
    """The latest revocation is taken back as if it had not been: the permit runs on to its own last day. Both acts stay
    in the record. Needs the power to revoke."""

    def work(tx: Tx) -> None:
        row = _permit(tx, city, actor, REVOKE, permit_id, reasons)
        standing = [act for act in standing_about(tx, city, permit_id) if act.act == "revoke"]
        if not standing:
            raise Problem("act-not-open", f"{row.number} is not revoked")
        _change(tx, city, actor, row, "take_back", f"take_back:{standing[-1].step}"[:160], reasons,
                {"step": standing[-1].step})

    city.db.write(work)


def _within_a_life(city: City, until: date | None) -> None:
    """A year with a digit too many has no day that lies months later. Raises Problem "body-malformed"."""
    if until is not None and until.year > city.today().year + FARTHEST_YEARS:
        raise Problem("body-malformed", f"{until.isoformat()} is more than {FARTHEST_YEARS} years away", where="until")


AUDITED = {"extend": "permit_extended", "authorization": "permit_authorization_changed", "revoke": "permit_revoked",
           "take_back": "permit_revocation_taken_back", "conditions": "permit_conditions_changed",
           "grant": "permit_granted"}


def _permit(tx: Tx, city: City, actor: str, power: str, permit_id: str, reasons: str) -> Any:
    require(tx, city, actor, power, city.today())
    needs_reasons(reasons)
    row = tx.execute(select(permits).where(permits.c.city_id == city.id, permits.c.id == permit_id)).first()
    if row is None:
        raise Problem("not-found", "there is no such permit", where=permit_id)
    return row


def _change(tx: Tx, city: City, actor: str, row: Any, act: str, step: str, reasons: str, doc: dict[str, Any],
            on: date | None = None) -> None:
    if not insert_if_absent(tx, acts, {
        "city_id": city.id, "about": row.id, "step": step, "act": act, "person": actor, "at": city.now(),
        "on_day": on or city.today(), "reasons": reasons.strip(), "fact": None, "doc": doc,
    }):
        raise Problem("already-decided", f"this was done with {row.number} before")
    record(tx, city, actor, AUDITED[act], f"permit:{row.id}", number=row.number, reasons=reasons.strip(),
           **{key: value for key, value in doc.items() if isinstance(value, str)})
    refold_permit(tx, city, row.id)
    refold_site(tx, city, row.site)


def refold_permit(tx: Tx, city: City, permit_id: str) -> None:
    """Brings the permit's document to what the acts about it say, and tells the tablets."""
    row = tx.execute(select(permits).where(permits.c.city_id == city.id, permits.c.id == permit_id)).one()
    base = row.doc.get("base") or row.doc
    done = acts_about(tx, city, permit_id)
    standing = standing_acts(done)
    pack = city.pack(tx)
    permit, moved = permit_and_changes(tx, city, row, pack)
    conditions = list(base.get("conditions", []))
    state, last, issue = base["state"], base.get("last_valid_day"), {}
    for act in standing:
        if act.act in ("conditions", "grant"):
            conditions = list(act.doc["conditions"])
        if act.act == "grant":
            issue = {"issued_on": act.on_day.isoformat(), "authorization_until": act.doc["until"]}
        elif act.act == "extend" and act.step in moved:
            conditions += [{"id": f"extension-{act.doc['until']}-{n}", "text": text, "clause": pack.clocks["K3"].clause}
                           for n, text in enumerate(act.doc["practices"], 1)]
    if permit is not None and done:
        state = "revoked" if permit.revoked_on else "in_force"
        last = permit.last_valid_day.isoformat()
    said = {step: {"was": before.isoformat(), "now": now.isoformat()} for step, (before, now) in moved.items()}
    doc = {**base, **issue, "base": base, "state": state, "last_valid_day": last, "conditions": conditions,
           "changes": [{"what": act.act, "on": act.on_day.isoformat(), "by": act.person, "reasons": act.reasons or "",
                        "until": act.doc.get("until"), **said.get(act.step, {})} for act in done]}
    tx.execute(update(permits).where(permits.c.city_id == city.id, permits.c.id == permit_id).values(
        state=state, last_valid_day=date.fromisoformat(last) if last else None,
        issued_on=date.fromisoformat(doc["issued_on"]) if doc.get("issued_on") else None, doc=doc))
    publish_permit(tx, city, doc)
