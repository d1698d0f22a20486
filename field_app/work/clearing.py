"""Clearing away what came down and is of no use any more: ordinances that no work refers to, and what was taken back
while somebody was at work on its site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.store.holding import HELD, take_back

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def old_packs(desk: Desk) -> list[str]:
    """The ordinances (ids in the store) that are not in force and that no draft and no record on the tablet names."""
    table = desk.store.table
    kept = {doc.doc_id: f"{doc['id']}@{doc['version']}" for doc in table("packs").all() if "@" in doc.doc_id}
    if not kept:
        return []
    named = {doc.get("pack") for name in ("drafts", "order_drafts")
             for doc in (*table(name).all(), *desk.store.hidden(name))}
    named |= {desk.fact(doc).pack for doc in table("facts").all()}
    return [ident for ident, ref in kept.items() if ref not in named]


async def clear(desk: Desk) -> None:
    """Called when the app starts."""
    packs = old_packs(desk)
    if not packs and not (desk.store.table("meta").get(HELD) or {}).get("items"):
        return
    async with desk.store.change() as tx:
        for ident in packs:
            tx.delete("packs", ident)
        take_back(tx)
