"""Putting up an order that the office issued, under the number it was recommended with.

Any inspector may do it: the order is issued already, the putting-up only starts the clocks that run from posting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.store.sealed import ENDED
from field_app.work import pins, placards
from field_app.work.blanks import on_paper
from field_app.work.desk import SESSION
from field_app.work.order_view import order_doc
from field_app.work.ordering import close_session
from field_app.work.orders_known import KnownOrder, order_by_number
from field_app.work.sealing import seal
from field_app.work.views import PlacardView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LONGEST_PLACE = 200


async def begin(desk: Desk, number: str) -> PlacardView:
    user = desk.user()
    order = order_by_number(desk, number)
    async with desk.store.change() as tx:
        affixing = _unfinished(desk, number, user)
        if affixing is None:
            if order is None or order.status != "issued" or order.posted_on or not order.issued_on:
                raise Problem("order-not-open", "the office has not issued this order, or it is up", where=number)
            check_not_up(desk, number)
            if not desk.may("inspect"):
                raise Problem("no-authority", "you do not hold the power to inspect today", where=number)
            affixing = desk.new_id()
            tx.put("order_drafts", affixing, _begun(desk, order, affixing))
        tx.put("meta", SESSION, {**desk.session(), "draft": affixing})
    doc = order_doc(desk, affixing)
    stale = doc["stage"] == "printed" and doc["placard"]["printed_on"] != desk.today().isoformat()
    shut = placards.must_not_hang(desk, doc)  # the screen says why
    if not shut and (doc["stage"] == "draft" or (stale and not doc.get("blank"))):
        return await placards.make(desk, affixing)
    return placards.view(desk, affixing)


def check_not_up(desk: Desk, number: str) -> None:
    """Nobody else who works on this tablet has this order up and not signed: their record is sealed, but not that.
    Raises Problem "order-not-open"."""
    if any((one.get("kind"), one.get("number"), one.get("stage")) == ("affix", number, "up")
           for one in desk.store.hidden("order_drafts")):
        raise Problem("order-not-open", "somebody else put this order up with this tablet and must sign that first",
                      where=number)


async def take_office_paper(desk: Desk, affixing: str) -> PlacardView:
    """The paper that goes up was printed in the office under this number; its day is written on it by hand."""
    async with desk.store.change() as tx:
        doc = tx.get("order_drafts", affixing) or order_doc(desk, affixing)
        if doc["kind"] != "affix" or doc["stage"] != "printed":
            raise Problem("order-not-open", where=doc["number"])
        tx.put("order_drafts", affixing, on_paper(doc, {"how": "office", "dated_on": None}))
    return placards.view(desk, affixing)


def _unfinished(desk: Desk, number: str, user: str) -> str | None:
    """The putting-up of this order that the person has not finished."""
    for doc in desk.store.table("order_drafts").all():
        if (doc["kind"], doc["number"], doc["user"]) == ("affix", number, user) and doc["stage"] not in ENDED:
            return doc["id"]
    return None


def _begun(desk: Desk, order: KnownOrder, affixing: str) -> dict[str, Any]:
    return {
        "v": 1,
        "id": affixing,
        "kind": "affix",
        "stage": "draft",
        "user": desk.user(),
        "site": order.site,
        "number": order.number,
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


def _name(desk: Desk, person: str | None) -> str:
    """Who issued it, by name where this tablet knows the person."""
    _ = desk.words
    return desk.name_of(person) or _("the building inspector")


async def set_place(desk: Desk, affixing: str, place: str) -> PlacardView:
    if len(place) > LONGEST_PLACE:
        raise Problem("text-too-long", f"at most {LONGEST_PLACE} characters fit here", where="place")
    async with desk.store.change() as tx:
        doc = tx.get("order_drafts", affixing) or order_doc(desk, affixing)
        if doc["kind"] != "affix" or doc["stage"] in ENDED:
            raise Problem("order-not-open", where=doc["number"])
        tx.put("order_drafts", affixing, {**doc, "place": place})
    return placards.view(desk, affixing)


async def sign(desk: Desk, affixing: str, pin: str) -> PlacardView:
    doc = order_doc(desk, affixing)
    if doc["kind"] != "affix" or doc["stage"] in ENDED:
        raise Problem("order-not-open", where=doc["number"])
    if doc["stage"] != "up":
        raise Problem("placard-not-up", where=doc["number"])
    await pins.verify(desk, pin)
    async with desk.store.change() as tx:
        stored = tx.get("order_drafts", affixing)
        if stored is None or stored["stage"] != "up":
            raise Problem("order-not-open", where=doc["number"])
        body = {
            "number": stored["number"],
            "order": stored["order"],
            "posted_on": stored["up"]["wall"][:10],
            "posted_at": stored["up"]["wall"],
            "place": stored["place"],
            **(stored.get("up_where") or {}),
        }
        seal(
            desk,
            tx,
            "order_affixed",
            body,
            fact=stored["fact"],
            pack=stored["pack"],
            evidence=placards.placard_evidence(stored),
            needs=[stored["order"]],
        )
        tx.put("order_drafts", affixing, {**stored, "stage": "done", "signed_as": "order_affixed"})
        close_session(tx, affixing)
    return placards.view(desk, affixing)
