"""Evidence files that no record names: photos that travelled before their inspection was signed, and then never were.

They are kept for long, for a tablet that lies in a drawer may still sign. Cleared away is only what came more than a
year ago from tablets that have all been withdrawn and not been heard of for a year; never what an enrolled tablet sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.db.engine import Tx
from sync.server.db.files import also_sent, previews
from sync.server.db.pulling import plan_files, thumbnails
from sync.server.db.schema import evidence, fact_evidence, strays, tablets

KEPT = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """``files`` no record names, of ``size`` bytes; ``clearable`` of them by SHA-256, and previews of no use."""

    files: int
    size: int
    clearable: tuple[str, ...]
    previews: tuple[str, ...]


def unclaimed(city: City) -> Unclaimed:
    """How it stands now. Reads only."""
    with city.db.read() as tx:
        return _look(tx, city)


def clear_unclaimed(city: City) -> int:
    """Clears away what may be cleared; gives how many files. A server that runs beside this takes a file that comes
    again in the same moment anew."""

    def work(tx: Tx) -> list[str]:
        found = _look(tx, city)
        gone = [*found.clearable, *found.previews]
        for sha256 in found.clearable:
            tx.execute(delete(also_sent).where(also_sent.c.city_id == city.id, also_sent.c.sha256 == sha256))
            tx.execute(delete(evidence).where(evidence.c.city_id == city.id, evidence.c.sha256 == sha256))
        for sha256 in found.previews:
            tx.execute(delete(previews).where(previews.c.city_id == city.id, previews.c.sha256 == sha256))
        if gone:
            record(tx, city, "keeper", "unclaimed_cleared", "city", files=len(gone))
        for sha256 in gone:
            # Inside the transaction: whoever brings the file again meanwhile looks for it in one that comes after.
            if not _still_used(tx, city, sha256):
                city.blobs.remove(sha256)
        return gone

    return len(city.db.write(work))


def _look(tx: Tx, city: City) -> Unclaimed:
    in_use = _may_still_name(tx, city)
    also: dict[str, set[str]] = {}
    for row in tx.execute(select(also_sent).where(also_sent.c.city_id == city.id)):
        also.setdefault(row.sha256, set()).add(row.tablet)
    before = city.now() - KEPT
    files = size = 0
    clearable = []
    for row in _unnamed(tx, city):
        files, size = files + 1, size + row.size
        senders = {row.tablet, *also.get(row.sha256, ())}
        if row.received_at < before and not senders & in_use:
            clearable.append(row.sha256)
    named = set(tx.execute(select(fact_evidence.c.sha256).where(fact_evidence.c.city_id == city.id)).scalars())
    idle = {row.sha256 for row in tx.execute(select(previews).where(previews.c.city_id == city.id))
            if row.original not in named and row.received_at < before and row.tablet not in in_use}
    return Unclaimed(files, size, tuple(clearable), tuple(sorted(idle)))


def _unnamed(tx: Tx, city: City) -> Iterator[Any]:
    """The rows of files that no record names, not even one that is kept apart."""
    named = select(fact_evidence.c.sha256).where(fact_evidence.c.city_id == city.id)
    apart = list(tx.execute(select(strays.c.text).where(strays.c.city_id == city.id)).scalars())
    for row in tx.execute(select(evidence).where(
            evidence.c.city_id == city.id, evidence.c.sha256.not_in(named)).order_by(evidence.c.received_at)):
        if not any(row.sha256 in text for text in apart):
            yield row


def _may_still_name(tx: Tx, city: City) -> set[str]:
    """The tablets that are enrolled, or were heard of in the last year: a withdrawn one may hand over what it has."""

    def lately(seen: datetime | None, enrolled: datetime) -> bool:
        return max(seen or enrolled, enrolled) >= city.now() - KEPT

    return {row.id for row in tx.execute(select(tablets).where(tablets.c.city_id == city.id))
            if row.status == "active" or lately(row.seen_at, row.enrolled_at)}


def _still_used(tx: Tx, city: City, sha256: str) -> bool:
    """Whether the same bytes are here for another reason."""
    held = select(evidence.c.sha256).where(evidence.c.city_id == city.id, evidence.c.sha256 == sha256)
    shown = select(previews.c.sha256).where(previews.c.city_id == city.id, previews.c.sha256 == sha256)
    drawn = select(plan_files.c.sha256).where(plan_files.c.city_id == city.id, plan_files.c.sha256 == sha256)
    small = select(thumbnails.c.sha256).where(thumbnails.c.city_id == city.id, thumbnails.c.sha256 == sha256)
    return any(tx.execute(query).first() is not None for query in (held, shown, drawn, small))
