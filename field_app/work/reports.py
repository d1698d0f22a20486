"""What all unfinished reports about a site share: a site on no list, an emergency, a revision of a plan.

Each edit is one durable change of a report that is open and this person's; a photo is kept before it is attached.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]
Edit = Callable[[Callable[[Doc], Doc]], Awaitable[Any]]


async def edit_open(desk: Desk, ident: str, mine: Callable[[Doc], bool], change: Callable[[Doc], Doc]) -> None:
    """One durable edit. `mine`: whether it is a report of the kind meant. Problem "draft-unknown", "order-not-open"."""
    async with desk.store.change() as tx:
        before = tx.get("reports", ident)
        if before is None or not mine(before):
            raise Problem("draft-unknown", "there is no such report on this tablet", where=ident)
        if before["stage"] != "open" or before["user"] != desk.user():
            raise Problem("order-not-open", "this report is signed or another person's", where=ident)
        after = change(before)
        if after != before:
            tx.put("reports", ident, after)


async def attach_photo(desk: Desk, read: Callable[[], Doc], edit: Edit, data: bytes, source: str, view: str,
                       name: str | None) -> Any:
    """A photo is kept under its hash first, then attached, then its position is asked for. `read` and `edit` are of
    the report; gives what `edit` gave last."""
    from field_app.work.photographing import keep_photo, located

    record = await keep_photo(desk, data, source=source, view=view, name=name)
    sha = record["sha256"]
    shown = await edit(lambda doc: doc if any(p["sha256"] == sha for p in doc["photos"]) else {
        **doc, "photos": [*doc["photos"], record]})
    placed = await located(desk, record)
    if placed != record and read()["stage"] == "open":
        shown = await edit(lambda doc: {
            # Something may have been drawn over it meanwhile.
            **doc, "photos": [{**placed, **{k: p[k] for k in p if k == "layer"}} if p["sha256"] == sha else p
                              for p in doc["photos"]]})
    return shown


def without_photo(sha256: str) -> Callable[[Doc], Doc]:
    """The edit that takes a photo off."""
    return lambda doc: {**doc, "photos": [p for p in doc["photos"] if p["sha256"] != sha256]}
