"""What all unfinished reports about a site share: a site on no list, an emergency, a revision of a plan.

Each edit is one durable change of a report that is open and this person's. Their photos: `report_photos.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]


async def edit_open(desk: Desk, ident: str, mine: Callable[[Doc], bool], change: Callable[[Doc], Doc],
                    beside: Callable[[Any], None] | None = None) -> None:
    """One durable edit. `mine`: whether it is a report of the kind meant; `beside`: what is written down elsewhere in
    the same change, where something changed. Problem "draft-unknown", "order-not-open"."""
    async with desk.store.change() as tx:
        before = tx.get("reports", ident)
        if before is None or not mine(before):
            raise Problem("draft-unknown", "there is no such report on this tablet", where=ident)
        if before["stage"] != "open" or before["user"] != desk.user():
            raise Problem("order-not-open", "this report is signed or another person's", where=ident)
        after = change(before)
        if after != before:
            tx.put("reports", ident, after)
            if beside is not None:
                beside(tx)
