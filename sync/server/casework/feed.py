"""What tablets are told: one row per document with the place of its latest change in the city's one sequence.

A pull goes on from (epoch, scope, seq); another epoch (a restored server) or scope (the tablet may see other things)
starts again from 0. A document that is gone stays as a tombstone, because absence never means "delete".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from sync.records.wire import encode
from sync.server.casework.city import City
from sync.server.casework.counting import next_seq
from sync.server.db.engine import Tx, find, put
from sync.server.db.schema import counters, feed, tablets

MAX_PAGE = 500
MAX_PAGE_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """One document as it is now (``doc`` None: it is gone)."""

    seq: int
    kind: str
    id: str
    doc: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of changes in order; go on from ``seq``. ``restart``: the cursor was of another epoch or scope."""

    epoch: str
    scope: str
    items: tuple[Change, ...]
    seq: int
    more: bool
    restart: bool


def publish(tx: Tx, city: City, kind: str, ident: str, doc: dict[str, Any] | None) -> None:
    """Tells every tablet of the document as it is now; does nothing when they were told exactly this before."""
    row = find(tx, feed, city_id=city.id, kind=kind, id=ident)
    if row is not None and encode(row.doc) == encode(doc):
        return
    put(tx, feed, {"city_id": city.id, "kind": kind, "id": ident, "seq": next_seq(tx, city), "doc": doc})


def withdraw(tx: Tx, city: City, kind: str, ident: str) -> None:
    """Tells every tablet that the document is gone; nothing where they were never told of it."""
    if find(tx, feed, city_id=city.id, kind=kind, id=ident) is not None:
        publish(tx, city, kind, ident, None)


def changes_since(city: City, tablet_id: str, epoch: str, scope: str, seq: int, limit: int = 200) -> Page:
    """The changes after ``seq``, at most ``limit`` of them and about 2 MB."""
    with city.db.read() as tx:
        now = city.row(tx).epoch
        own = str(tx.execute(
            select(tablets.c.scope).where(tablets.c.city_id == city.id, tablets.c.id == tablet_id)
        ).scalar_one())
        newest = tx.execute(select(counters.c.seq).where(counters.c.city_id == city.id)).scalar_one()
        # A cursor ahead of us can only come from another life of this database.
        restart = (epoch, scope) != (now, own) or seq > newest
        start = 0 if restart else max(seq, 0)
        limit = max(1, min(limit, MAX_PAGE))
        rows = tx.execute(
            select(feed.c.seq, feed.c.kind, feed.c.id, feed.c.doc)
            .where(feed.c.city_id == city.id, feed.c.seq > start)
            .order_by(feed.c.seq)
            .limit(limit + 1)
        )
        items: list[Change] = []
        size, more = 0, False
        for row in rows:
            length = len(encode(row.doc))
            if len(items) == limit or (items and size + length > MAX_PAGE_BYTES):
                more = True
                break
            items.append(Change(row.seq, row.kind, row.id, row.doc))
            size += length
    last = items[-1].seq if items else start
    return Page(now, own, tuple(items), last, more, restart)
