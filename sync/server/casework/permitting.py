"""Changes of a permit: longer, shorter, revoked, a revocation taken back, other conditions. The law says what may be.

The permit as it was first recorded stays in its document under ``base``; every change is an act of a named person, and
permit and orders of the site are computed anew from them.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import select, update

from sync.ordinance.acts import ActRefused, check_record, decide
from sync.ordinance.permits import say_refusal
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.history import publish_permit
from sync.server.casework.matters import acts_about, folded_permit, site_matter, standing_permit_acts
from sync.server.casework.orders import refold_site
from sync.server.casework.people import DECIDE_APPLICATIONS, EXTEND, REVOKE, holds, require
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, insert_if_absent
from sync.server.db.schema import orders, permits


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
        _change(tx, city, actor, row, "authorization", f"authorization:{city.now().isoformat()}", reasons,
                {"until": until.isoformat()})

    city.db.write(work)


def change_conditions(city: City, actor: str, permit_id: str, conditions: list[dict[str, Any]], reasons: str) -> None:
    """Other conditions ({id, text, clause}) from today on. What was judged before was judged by those of its day."""

    def work(tx: Tx) -> None:
        row = _permit(tx, city, actor, DECIDE_APPLICATIONS, permit_id, reasons)
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
        if not reasons.strip():
            raise Problem("reasons-missing", where="reasons")
        order = tx.execute(select(orders).where(orders.c.city_id == city.id, orders.c.id == order_id)).first()
        if order is None:
            raise Problem("not-found", "there is no such order", where=order_id)
        matter, key = site_matter(tx, city, order_id, today)
        try:
            check_record(decide(matter, "revoke_permit", key), has_power=holds(tx, city, actor, REVOKE, today))
        except ActRefused as refused:
            raise Problem("act-not-open", str(refused)) from None
        for row in tx.execute(select(permits).where(
                permits.c.city_id == city.id, permits.c.site == order.site).order_by(permits.c.id)):
            permit = folded_permit(tx, city, row, city.pack(tx))
            if permit is not None and permit.in_force(today):
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
        standing = [act for act in standing_permit_acts(acts_about(tx, city, permit_id)) if act.act == "revoke"]
        if not standing:
            raise Problem("act-not-open", f"{row.number} is not revoked")
        _change(tx, city, actor, row, "take_back", f"take_back:{standing[-1].step}"[:160], reasons,
                {"step": standing[-1].step})

    city.db.write(work)


AUDITED = {"extend": "permit_extended", "authorization": "permit_authorization_changed", "revoke": "permit_revoked",
           "take_back": "permit_revocation_taken_back", "conditions": "permit_conditions_changed"}


def _permit(tx: Tx, city: City, actor: str, power: str, permit_id: str, reasons: str) -> Any:
    require(tx, city, actor, power, city.today())
    if not reasons.strip():
        raise Problem("reasons-missing", where="reasons")
    row = tx.execute(select(permits).where(permits.c.city_id == city.id, permits.c.id == permit_id)).first()
    if row is None:
        raise Problem("not-found", "there is no such permit", where=permit_id)
    return row


def _change(tx: Tx, city: City, actor: str, row: Any, act: str, step: str, reasons: str, doc: dict[str, Any]) -> None:
    if not insert_if_absent(tx, acts, {
        "city_id": city.id, "about": row.id, "step": step, "act": act, "person": actor, "at": city.now(),
        "on_day": city.today(), "reasons": reasons.strip(), "fact": None, "doc": doc,
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
    pack = city.pack(tx)
    permit = folded_permit(tx, city, row, pack)
    conditions = list(base.get("conditions", []))
    state, last = base["state"], base.get("last_valid_day")
    for act in standing_permit_acts(done):
        if act.act == "conditions":
            conditions = list(act.doc["conditions"])
        elif act.act == "extend":
            conditions += [{"id": f"extension-{act.doc['until']}-{n}", "text": text, "clause": pack.clocks["K3"].clause}
                           for n, text in enumerate(act.doc["practices"], 1)]
    if permit is not None and done:
        state = "revoked" if permit.revoked_on else "in_force"
        last = permit.last_valid_day.isoformat()
    doc = {**base, "base": base, "state": state, "last_valid_day": last, "conditions": conditions,
           "changes": [{"what": act.act, "on": act.on_day.isoformat(), "by": act.person, "reasons": act.reasons or "",
                        "until": act.doc.get("until")} for act in done]}
    tx.execute(update(permits).where(permits.c.city_id == city.id, permits.c.id == permit_id).values(
        state=state, last_valid_day=date.fromisoformat(last) if last else None, doc=doc))
    publish_permit(tx, city, doc)
