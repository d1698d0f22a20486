"""What tablets brought of an order that bears a day on which there was no order yet."""

from __future__ import annotations

from typing import Any

from sync.records.macs import fingerprint
from sync.server.casework.city import City
from sync.server.casework.matters import standing_about
from sync.server.casework.telling import first_day
from sync.server.db.engine import Tx


def early_acts(tx: Tx, city: City, order: Any) -> tuple[list[Any], str]:
    """The releases and re-posts of the order (a row of ``orders``) that are older than it, without what was taken back;
    and a mark of just these, under which a person notes that they were looked at."""
    first = first_day(order.doc) or ""
    early = [act for act in standing_about(tx, city, order.id)
             if act.fact and act.act in ("release", "repost") and act.on_day.isoformat() < first]
    return early, fingerprint(" ".join(act.fact for act in early).encode())[:16]
