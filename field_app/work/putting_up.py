"""The tap "the placard is up": the moment from which the law counts, and where the tablet was then.

The tap is durable by itself and nothing delays it; the position comes behind it and stands in the record that the PIN
signs, or the reason why there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work import affixing, blanks, placards
from field_app.work.order_view import order_doc
from field_app.work.photo_keeping import where
from field_app.work.views import PlacardView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def is_up(desk: Desk, order: str) -> PlacardView:
    at = desk.at()
    today = at.wall.date()
    async with desk.store.change() as tx:
        doc = placards.printed(tx.get("order_drafts", order) or order_doc(desk, order), "printed")
        placards.require_power(desk, doc, today)
        if placards.must_not_hang(desk, doc):
            raise Problem("order-not-open", "this placard must not be put up any more", where=doc["number"])
        if not doc["placard"]["valid"]:
            raise Problem("no-authority", "this placard says NOT VALID and must not be put up", where=doc["number"])
        if doc.get("blank") and not doc["placard"]["printed_on"]:
            raise Problem("blank-not-dated", where=doc["number"])
        if doc.get("blank") and doc["kind"] == "order":
            blanks.check_alone(desk, doc)
        if doc["kind"] == "affix":
            affixing.check_not_up(desk, doc["number"])
        if doc["placard"]["printed_on"] != today.isoformat():
            raise Problem("blank-date-differs" if doc.get("blank") else "reprint-needed", where=doc["number"])
        fresh = desk.locating.fresh()
        tx.put("order_drafts", order, {**doc, "stage": "up", "up": at.to_wire(), "up_where": where(desk, fresh)})

    async def place(fix: Any) -> None:
        async with desk.store.change() as tx:
            now = tx.get("order_drafts", order)
            if now is not None and now["stage"] == "up" and now["up"] == at.to_wire():
                tx.put("order_drafts", order, {**now, "up_where": where(desk, fix)})

    if fresh is None:  # asked for behind the tap, which nothing delays
        desk.locating.ask(place)
    return placards.view(desk, order)


async def not_up(desk: Desk, order: str) -> PlacardView:
    async with desk.store.change() as tx:
        doc = placards.printed(tx.get("order_drafts", order) or order_doc(desk, order), "up")
        tx.put("order_drafts", order, {**doc, "stage": "printed", "up": None, "up_where": None})
    return placards.view(desk, order)
