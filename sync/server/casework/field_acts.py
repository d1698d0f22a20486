"""Acts about an order that a tablet brings from the field: released, put up again, voided. Added once, never changed.

Each waits for the order it names, is kept beside what the office did, and the order is computed anew from all of them.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import select

from sync.records.facts import Fact
from sync.records.problems import Problem
from sync.server.casework import numbering
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.orders import refold
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, insert_if_absent
from sync.server.db.schema import orders

# What a kind of fact does, on which day of its body.
KINDS = {
    "order_released": ("release", "released_on"),
    "placard_reposted": ("repost", "posted_on"),
    "order_voided": ("void", "voided_on"),
}
AUDITED = {"release": "order_released", "repost": "order_reposted", "void": "order_voided",
           "supersede": "order_superseded"}


def release_number(number: str, fact: str) -> str:
    """A release has a number of its own: that of its order and eight characters of its record."""
    return f"{number}/R-{fact[:8]}"


def apply_field_act(tx: Tx, city: City, fact: Fact) -> None:
    """Works it in. Raises Problem "subject-unknown" when it names the order by another number."""
    body = fact.body
    order = tx.execute(select(orders.c.id, orders.c.number).where(
        orders.c.city_id == city.id, orders.c.id == body["order"])).first()
    if order is None or order.number != body["number"]:
        raise Problem("subject-unknown", "it does not name an order by its right number", where="body.order")
    act, day = KINDS[fact.kind]
    if act == "void" and body["replaced_by"]:
        act = "supersede"
    insert_if_absent(tx, acts, {
        "city_id": city.id, "about": order.id, "step": f"{act}:{fact.id}", "act": act, "person": fact.user,
        "at": fact.at.wall, "on_day": date.fromisoformat(body[day]), "reasons": body.get("reasons") or body.get("why"),
        "fact": fact.id, "doc": _doc(fact, act),
    })
    record(tx, city, fact.user, AUDITED[act], f"order:{order.id}", number=order.number, fact=fact.id, on=body[day])
    numbering.refold_twins(tx, city, order.number, refold)


def _doc(fact: Fact, act: str) -> dict[str, Any]:
    body = fact.body
    if act == "release":
        return {"scope": body["scope"], "part": body["part"], "number": release_number(body["number"], fact.id)}
    if act == "repost":
        where = {name: body[name] for name in ("position", "no_position") if name in body}
        return {"posted_at": body["posted_at"], "place": body["place"], **where}
    return {"replaced_by": body["replaced_by"]}
