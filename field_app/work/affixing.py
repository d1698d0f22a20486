"""Putting up an order that the office issued, under the number it was recommended with.

Any inspector may do it: the order is issued already, the putting-up only starts the clocks that run from posting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work import pins, placards
from field_app.work.desk import SESSION
from field_app.work.ordering import CLOSED, order_doc
from field_app.work.orders_known import order_by_number
from field_app.work.sealing import seal
from field_app.work.views import PlacardView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def begin(desk: Desk, number: str) -> PlacardView:
    user = desk.user()
    for doc in desk.store.table("order_drafts").all():
        if (doc["kind"], doc["number"], doc["user"]) == ("affix", number, user) and doc["stage"] not in CLOSED:
            if doc["stage"] == "printed":
                return await _printed_for_today(desk, doc)
            return placards.view(desk, doc["id"])
    order = order_by_number(desk, number)
    if order is None or order.status != "issued" or order.posted_on or not order.issued_on:
        raise Problem("order-not-open", "the office has not issued this order, or it is up already", where=number)
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=number)
    affixing = desk.new_id()
    doc = {
        "v": 1,
        "id": affixing,
        "kind": "affix",
        "stage": "draft",
        "user": user,
        "site": order.site,
        "number": number,
        "token": order.body["token"],
        "address": order.body["address"],
        "permit": order.body["permit"],
        "pack": desk.pack().ref,
        "began": desk.wall(),
        "order": order.fact,
        "body": order.body,
        "issued": {"on": order.issued_on, "by": _name(desk, order.issued_by)},
        "place": "",
        "placard": None,
        "up": None,
        "fact": desk.new_id(),
    }
    async with desk.store.change() as tx:
        tx.put("order_drafts", affixing, doc)
        tx.put("meta", SESSION, {**desk.session(), "draft": affixing})
    return await placards.make(desk, affixing)


def _name(desk: Desk, person: str | None) -> str:
    """Who issued it, by name where this tablet knows the person."""
    doc = desk.store.table("people").get(person) if person else None
    return doc["name"] if doc else (person or desk.words("the building inspector"))


async def _printed_for_today(desk: Desk, doc: dict[str, Any]) -> PlacardView:
    if doc["placard"]["printed_on"] == desk.today().isoformat():
        return placards.view(desk, doc["id"])
    return await placards.make(desk, doc["id"])


async def set_place(desk: Desk, affixing: str, place: str) -> PlacardView:
    doc = order_doc(desk, affixing)
    if doc["kind"] != "affix" or doc["stage"] in CLOSED:
        raise Problem("order-not-open", where=doc["number"])
    if len(place) > 200:
        raise Problem("text-too-long", "at most 200 characters fit here", where="place")
    async with desk.store.change() as tx:
        tx.put("order_drafts", affixing, {**doc, "place": place})
    return placards.view(desk, affixing)


async def sign(desk: Desk, affixing: str, pin: str) -> PlacardView:
    doc = order_doc(desk, affixing)
    if doc["kind"] != "affix" or doc["stage"] in CLOSED:
        raise Problem("order-not-open", where=doc["number"])
    if doc["stage"] != "up":
        raise Problem("placard-not-up", where=doc["number"])
    await pins.verify(desk, pin)
    body = {
        "number": doc["number"],
        "order": doc["order"],
        "posted_on": doc["up"]["wall"][:10],
        "posted_at": doc["up"]["wall"],
        "place": doc["place"],
    }
    async with desk.store.change() as tx:
        stored = tx.get("order_drafts", affixing)
        if stored is None or stored["stage"] != "up":
            raise Problem("order-not-open", where=doc["number"])
        seal(
            desk,
            tx,
            "order_affixed",
            body,
            fact=doc["fact"],
            pack=doc["pack"],
            evidence=placards.placard_evidence(doc),
            needs=[doc["order"]],
        )
        tx.put("order_drafts", affixing, {**stored, "stage": "done", "signed_as": "order_affixed"})
        placards.close_session(tx, affixing)
    return placards.view(desk, affixing)
