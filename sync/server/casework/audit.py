"""The audit record: what was done, by whom, when; appended only, each entry sealed to the one before it.

The hash of an entry covers all its fields and the hash of the entry before; the newest hash stands in the city's
counter row. Changing, removing or slipping in an entry breaks the chain from there on; ``verify`` finds the place.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from sync.records.problems import Problem
from sync.records.wire import decode, encode
from sync.server.casework.city import City
from sync.server.casework.counting import audit_head, move_audit
from sync.server.db.engine import Tx, add
from sync.server.db.schema import audit, counters

START = "0" * 64


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; ``at`` is an ISO time in UTC, ``details`` plain JSON."""

    seq: int
    at: str
    who: str
    what: str
    subject: str
    details: dict[str, Any]
    hash: str


def _seal(city_id: str, seq: int, at: str, who: str, what: str, subject: str, details: str, prev: str) -> str:
    return hashlib.sha256(encode([city_id, seq, at, who, what, subject, details, prev])).hexdigest()


def record(tx: Tx, city: City, who: str, what: str, subject: str, **details: Any) -> int:
    """Appends an entry in the caller's transaction and returns its place in the record."""
    last, head = audit_head(tx, city)
    seq = last + 1
    at = city.now().isoformat(timespec="milliseconds")
    text = encode(details).decode()
    sealed = _seal(city.id, seq, at, who, what, subject, text, head)
    add(tx, audit, {
        "city_id": city.id, "seq": seq, "at": at, "who": who, "what": what, "subject": subject,
        "details": text, "prev": head, "hash": sealed,
    })
    move_audit(tx, city, seq, sealed)
    return seq


def verify(city: City) -> int:
    """Checks the whole record and returns how many entries it has.

    Raises Problem "audit-broken" naming the first entry that does not follow from the one before.
    """
    with city.db.read() as tx:
        head = tx.execute(select(counters).where(counters.c.city_id == city.id)).one()
        rows = tx.execute(select(audit).where(audit.c.city_id == city.id).order_by(audit.c.seq))
        prev, count = START, 0
        for row in rows:
            count += 1
            sealed = _seal(city.id, row.seq, row.at, row.who, row.what, row.subject, row.details, prev)
            if row.seq != count or row.prev != prev or row.hash != sealed:
                raise Problem("audit-broken", f"entry {count} does not follow from entry {count - 1}",
                              where=f"audit[{count}]")
            prev = row.hash
        if (count, prev) != (head.audit_seq, head.audit_head):
            raise Problem("audit-broken", f"the record ends at entry {count}, but {head.audit_seq} were written",
                          where=f"audit[{count + 1}]")
    return count


def entries(city: City, *, subject: str | None = None, before: int | None = None, limit: int = 100) -> list[Entry]:
    """The newest entries first, about ``subject`` only when given; ``before`` is the seq to go on from."""
    query = select(audit).where(audit.c.city_id == city.id).order_by(audit.c.seq.desc()).limit(limit)
    if subject is not None:
        query = query.where(audit.c.subject == subject)
    if before is not None:
        query = query.where(audit.c.seq < before)
    with city.db.read() as tx:
        return [
            Entry(r.seq, r.at, r.who, r.what, r.subject, decode(r.details), r.hash) for r in tx.execute(query)
        ]
