"""The city's four counters, each moved in the transaction that uses the number, so that none is lost or twice.

Numbers that a replay could burn are never taken here first: a caller takes one only once it knows that the row
it is for is new.

Where nothing but records comes in, those that every record moves (`Counts`) are read once, moved in memory, and written
once before the transaction ends; a part of it that is undone takes its steps back.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import bindparam, select, update

from sync.server.casework.city import City
from sync.server.db.engine import Tx, ask, change
from sync.server.db.memory import Memory, remembered
from sync.server.db.schema import counters

_STEP = {
    column.name: update(counters).where(counters.c.city_id == bindparam("city"))
    .values({column.name: column + bindparam("step")}).returning(column)
    for column in (counters.c.seq, counters.c.register_no, counters.c.tablet_no)
}

_NOW = select(counters.c.seq, counters.c.audit_seq, counters.c.audit_head).where(
    counters.c.city_id == bindparam("city")).with_for_update()


class Counts(NamedTuple):
    """The last place in the change feed, and the head of the audit record."""

    seq: int
    audit_seq: int
    audit_head: str


def _now(tx: Tx, city: City) -> Counts:
    """As the transaction sees them. Whoever asks holds them until it ends (SQLite has one writer anyway)."""
    (found,) = ask(tx, _NOW, city=city.id)
    return Counts(*found)


def _move(tx: Tx, city: City, **steps: int | str) -> bool:
    """Moves them in memory, where that is how it is done."""
    memory = remembered(tx)
    if memory.counts is None:
        return False
    memory.counts[city.id] = memory.counts[city.id]._replace(**steps)
    memory.pay = _pay
    return True


def _counts(tx: Tx, city: City) -> Counts:
    held = remembered(tx).counts
    if held is None:
        return _now(tx, city)
    found = held.get(city.id)
    if found is None:
        found = held[city.id] = _now(tx, city)
    return found


def _pay(tx: Tx, memory: Memory) -> None:
    for city, counts in (memory.counts or {}).items():
        change(tx, counters, {"city_id": city}, counts._asdict())


def audit_head(tx: Tx, city: City) -> tuple[int, str]:
    """The place and the hash of the last entry in the audit record."""
    found = _counts(tx, city)
    return found.audit_seq, found.audit_head


def move_audit(tx: Tx, city: City, seq: int, head: str) -> None:
    """There is one entry more."""
    if not _move(tx, city, audit_seq=seq, audit_head=head):
        change(tx, counters, {"city_id": city.id}, {"audit_seq": seq, "audit_head": head})


def _next(tx: Tx, city: City, name: str, step: int = 1) -> int:
    ((found,),) = ask(tx, _STEP[name], city=city.id, step=step)
    return found


def next_seq(tx: Tx, city: City) -> int:
    """The next place in the change feed."""
    if remembered(tx).counts is None:
        return _next(tx, city, "seq")
    found = _counts(tx, city).seq + 1
    _move(tx, city, seq=found)
    return found


def next_register_no(tx: Tx, city: City) -> int:
    """The next register number."""
    return _next(tx, city, "register_no")


def next_tablet_no(tx: Tx, city: City) -> int:
    """The number of the next tablet (7 for T07)."""
    return _next(tx, city, "tablet_no")
