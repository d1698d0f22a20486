"""Order numbers that two orders bear: both are kept and held back until a person decides; no number ever changes.

Which of them came first does not matter: a copied tablet says nothing about which placard the public has read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from sync.records.facts import Fact, parse
from sync.server.casework.city import City
from sync.server.db.acts import acts
from sync.server.db.engine import Tx
from sync.server.db.schema import order_acts, orders, strays

ENDED = ("void", "supersede", "count_as_repost")
ORDER_KINDS = ("order_posted", "order_recommended")


def twins(tx: Tx, city: City, number: str) -> list[str]:
    """The ids of all orders under this number, sorted."""
    return sorted(tx.execute(select(orders.c.id).where(
        orders.c.city_id == city.id, orders.c.number == number)).scalars())


def undecided(tx: Tx, city: City, number: str) -> list[str]:
    """Those of them that nobody has voided, declined or kept beside the other; one alone is no conflict."""
    found = twins(tx, city, number)
    if len(found) < 2:
        return []
    ended = set(tx.execute(select(acts.c.about).where(
        acts.c.city_id == city.id, acts.c.about.in_(found), acts.c.act.in_(ENDED))).scalars())
    ended |= set(tx.execute(select(order_acts.c.order_id).where(
        order_acts.c.city_id == city.id, order_acts.c.order_id.in_(found), order_acts.c.act == "decline")).scalars())
    kept = set(tx.execute(select(acts.c.about).where(
        acts.c.city_id == city.id, acts.c.about.in_(found), acts.c.act == "keep_number")).scalars())
    left = [ident for ident in found if ident not in ended]
    return [] if len(left) < 2 or kept >= set(left) else left


def standing(tx: Tx, city: City, row: Any) -> tuple[str | None, bool]:
    """How the office tells the order from others with its number ("SW-...-K/2"; None when it is alone), and whether
    it is held back until a person decides."""
    found = twins(tx, city, row.number)
    if len(found) < 2:
        return None, contested(tx, city, row.number)
    return f"{row.number}/{found.index(row.id) + 1}", row.id in undecided(tx, city, row.number)


def contested(tx: Tx, city: City, number: str) -> bool:
    """Whether a copied tablet signed another order under this number that nobody has decided about: its record lies
    apart because its place in the count was taken, but its placard may hang all the same."""
    left_out = select(acts.c.step).where(
        acts.c.city_id == city.id, acts.c.about == strays.c.fact, acts.c.step == "leave_apart:" + strays.c.sha256)
    rows = tx.execute(select(strays.c.text).where(
        strays.c.city_id == city.id, strays.c.reason == "fact-counter-taken", strays.c.kind.in_(ORDER_KINDS),
        strays.c.text.contains(number, autoescape=True), ~left_out.exists()))
    return any(parse(text).body["number"] == number for text in rows.scalars())


def refold_number(tx: Tx, city: City, fact: Fact) -> None:
    """All orders under the number of this record anew, when it is an order's at all."""
    from sync.server.casework.orders import refold

    if fact.kind in ORDER_KINDS and fact.known:
        refold_twins(tx, city, fact.body["number"], refold)


def refold_twins(tx: Tx, city: City, number: str, refold: Callable[[Tx, City, str], None]) -> None:
    """All orders under the number anew."""
    for ident in twins(tx, city, number):
        refold(tx, city, ident)
