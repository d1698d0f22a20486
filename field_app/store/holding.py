"""What the server takes back while somebody is at work on its site stays until that work is done.

A tablet may stop seeing a site, or an inlet may be struck from the list, in the middle of an inspection. The draft goes
on with what it began with; what was taken back is noted in the same change, and goes when nothing of the site is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from field_app.store.sealed import ENDED, PRIVATE

HELD = "taken_back"
_OF_SITES = frozenset({"sites", "permits", "inlets", "devices", "findings", "inspections", "plans", "orders"})
Write = tuple[str, str, dict[str, Any] | None]


def busy_sites(tx: Any) -> set[str]:
    """The sites with an unfinished inspection, order or report on this tablet."""
    inspections = {doc.get("site") for doc in tx.table("drafts").all()}
    orders = {doc.get("site") for doc in tx.table("order_drafts").all() if doc.get("stage") not in ENDED}
    reports = {doc.get("site") for doc in tx.table("reports").all() if doc.get("stage") == "open"}
    # What people who are not at work just now have begun is sealed; its sites are known all the same.
    reports |= {doc.get("site") for table in PRIVATE for doc in tx.hidden(table)}
    return {site for site in inspections | orders | reports if site}


def hold_back(tx: Any, writes: Iterable[Write]) -> list[Write]:
    """The writes to make now: those that take something back from a busy site are noted instead, and what comes again
    is no longer to be taken back."""
    writes = list(writes)
    if not any(table in _OF_SITES for table, _, _ in writes):
        return writes
    noted = held = [list(one) for one in (tx.get("meta", HELD) or {}).get("items", [])]
    busy = busy_sites(tx) if any(doc is None and table in _OF_SITES for table, _, doc in writes) else set()
    now: list[Write] = []
    for table, ident, doc in writes:
        key = [table, ident]
        if doc is None and table in _OF_SITES and _site(tx, table, ident) in busy:
            held = held if key in held else [*held, key]
            continue
        held = [one for one in held if one != key]
        now.append((table, ident, doc))
    if held != noted:
        now.append(("meta", HELD, {"items": held}))
    return now


def take_back(tx: Any) -> int:
    """Makes up for what was held back, where the work on the site is done; says how many documents went."""
    held = (tx.get("meta", HELD) or {}).get("items", [])
    if not held:
        return 0
    busy = busy_sites(tx)
    left = [one for one in held if _site(tx, one[0], one[1]) in busy]
    for table, ident in (one for one in held if one not in left):
        tx.delete(table, ident)
    if left != held:
        tx.put("meta", HELD, {"items": left})
    return len(held) - len(left)


def _site(tx: Any, table: str, ident: str) -> str | None:
    return ident if table == "sites" else (tx.get(table, ident) or {}).get("site")
