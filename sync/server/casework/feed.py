"""What tablets are told: one row per document with the place of its latest change in the city's one sequence.

A pull goes on from (epoch, scope, seq); another epoch (a restored server) starts again from 0. A document that is
gone stays as a tombstone, because absence never means "delete". A tablet that sees only some sites (`scope.py`) is told
of those alone. When its scope has changed since its cursor was made, it is first told of the sites that it sees now and
did not see then, and gets tombstones for those of which it is the other way round; of nothing else. How far it is with
that stands in the scope of its cursor: "4-5.120" had scope 4, is on its way to 5, and was told all up to place 120.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import or_, select

from sync.records.wire import encode
from sync.server.casework.city import City
from sync.server.casework.counting import next_seq
from sync.server.db.engine import Tx, find, find_all, put
from sync.server.db.pulling import tablet_sites
from sync.server.db.schema import counters, feed, tablets

MAX_PAGE = 500
MAX_PAGE_BYTES = 2_000_000
FAR = 200
ALL, ASSIGNED = "all", "assigned"


@dataclass(frozen=True, slots=True)
class Change:
    """One document as it is now (``doc`` None: it is gone)."""

    seq: int
    kind: str
    id: str
    doc: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of changes in order; go on from ``seq``. ``restart``: it does not follow on the place of the cursor, whose
    epoch or scope was another."""

    epoch: str
    scope: str
    items: tuple[Change, ...]
    seq: int
    more: bool
    restart: bool


def publish(tx: Tx, city: City, kind: str, ident: str, doc: dict[str, Any] | None, *,
            audience: str | None = None, new: bool = False, told: Any = None) -> None:
    """Tells every tablet (``audience``: this tablet alone) of the document as it is now; does nothing when they were
    told exactly this before. ``new``: they were never told of it; ``told``: what they were told, where it was just
    read."""
    row = told or (None if new else find(tx, feed, city_id=city.id, kind=kind, id=ident))
    if row is not None and encode(row.doc) == encode(doc):
        return
    site = row.site if row is not None else None
    before = row.moved_from if row is not None else None
    if doc is not None:
        there = ident if kind == "site" else doc.get("site")
        if site is not None and site != there:
            # Who sees the old site and not the new one must be told that it is gone.
            before = sorted({*(before or ()), site})
        site = there
    put(tx, feed, {"city_id": city.id, "kind": kind, "id": ident, "seq": next_seq(tx, city), "doc": doc, "site": site,
                   "moved_from": before, "audience": audience})


def withdraw(tx: Tx, city: City, kind: str, ident: str, told: Any = None) -> None:
    """Tells every tablet that the document is gone; nothing where they were never told of it. ``told``: as there."""
    row = told or find(tx, feed, city_id=city.id, kind=kind, id=ident)
    if row is not None and row.doc is not None:
        publish(tx, city, kind, ident, None, audience=row.audience, told=row)


@dataclass(frozen=True, slots=True)
class _Sight:
    """Which sites a tablet sees (None: all), and which it saw once and does not see now."""

    visible: frozenset[str] | None
    hidden: frozenset[str]

    def of(self, row: Any) -> bool | None:
        """True: it sees the document; False: it is told that it is gone; None: it never hears of it."""
        if row.site is None or self.visible is None or row.site in self.visible:
            return True
        seen = {row.site, *(row.moved_from or ())}
        return False if seen & (self.hidden | self.visible) else None


def _sight(tx: Tx, city: City, tablet: Any) -> _Sight:
    if tablet.sees != ASSIGNED:
        return _Sight(None, frozenset())
    rows = find_all(tx, tablet_sites, city_id=city.id, tablet=tablet.id)
    return _Sight(frozenset(row.site for row in rows if row.visible),
                  frozenset(row.site for row in rows if not row.visible and not row.chosen))


_SCOPE = re.compile(r"(\d{1,9})(?:-(\d{1,9})\.(\d{1,15}))?")


def _had(scope: str, tablet: Any) -> tuple[int, int] | None:
    """The scope that a cursor was made in, and up to which place its tablet was told what changed from there to the
    present one. None: nobody can say what changed since."""
    read = _SCOPE.fullmatch(scope)
    if read is None or not (tablet.scope_base or 1) <= int(read[1]) <= tablet.scope:
        return None
    return int(read[1]), int(read[3]) if read[2] and int(read[2]) == tablet.scope else 0


def changes_since(city: City, tablet_id: str, epoch: str, scope: str, seq: int, limit: int = 200) -> Page:
    """The changes after ``seq``, at most ``limit`` of them and about 2 MB; before them, what a changed scope brings."""
    with city.db.read() as tx:
        now = city.row(tx).epoch
        tablet = tx.execute(select(tablets.c.id, tablets.c.scope, tablets.c.scope_base, tablets.c.sees).where(
            tablets.c.city_id == city.id, tablets.c.id == tablet_id)).one()
        own, had = str(tablet.scope), _had(scope, tablet)
        newest = tx.execute(select(counters.c.seq).where(counters.c.city_id == city.id)).scalar_one()
        # A cursor ahead of us can only come from another life of this database.
        restart = epoch != now or had is None or seq > newest
        behind = had is not None and not restart and had[0] != tablet.scope
        start = 0 if restart else min(had[1], newest) if behind else max(seq, 0)
        limit = max(1, min(limit, MAX_PAGE))
        sight = _sight(tx, city, tablet)
        query = (
            select(feed.c.seq, feed.c.kind, feed.c.id, feed.c.doc, feed.c.site, feed.c.moved_from)
            .where(feed.c.city_id == city.id, feed.c.seq > start,
                   or_(feed.c.audience.is_(None), feed.c.audience == tablet_id))
            .order_by(feed.c.seq)
        )
        if behind:
            other = select(tablet_sites.c.site).where(
                tablet_sites.c.city_id == city.id, tablet_sites.c.tablet == tablet_id, tablet_sites.c.since > had[0])
            query = query.where(feed.c.site.in_(other), feed.c.seq <= seq)  # what is newer comes in its turn
        elif sight.visible is not None:
            mine = select(tablet_sites.c.site).where(
                tablet_sites.c.city_id == city.id, tablet_sites.c.tablet == tablet_id)
            query = query.where(or_(feed.c.site.is_(None), feed.c.site.in_(mine), feed.c.moved_from.is_not(None)))
        items: list[Change] = []
        size, more, last = 0, False, start
        for at, row in enumerate(tx.execute(query.limit(limit + 1))):
            sees = sight.of(row)
            doc = row.doc if sees else None
            length = 0 if sees is None else len(encode(doc))
            if at == limit or (items and size + length > MAX_PAGE_BYTES):
                more = True
                break
            last = row.seq
            if sees is not None:
                items.append(Change(row.seq, row.kind, row.id, doc))
                size += length
        if behind:
            told = f"{had[0]}-{own}.{last}" if more else own
            return Page(now, told, tuple(items), seq, more or newest > seq, restart=True)
        if not more and newest - last > FAR:  # so that what is not for this tablet is not walked through at every call
            last = newest
    return Page(now, own, tuple(items), last, more, restart)
