"""The city's four counters, each moved in the transaction that uses the number, so that none is lost or twice.

Numbers that a replay could burn are never taken here first: a caller takes one only once it knows that the row
it is for is new.
"""

from __future__ import annotations

from sqlalchemy import bindparam, update

from sync.server.casework.city import City
from sync.server.db.engine import Tx, ask
from sync.server.db.schema import counters

_STEP = {
    column.name: update(counters).where(counters.c.city_id == bindparam("city"))
    .values({column.name: column + bindparam("step")}).returning(column)
    for column in (counters.c.seq, counters.c.register_no, counters.c.tablet_no)
}


def _next(tx: Tx, city: City, name: str, step: int = 1) -> int:
    ((found,),) = ask(tx, _STEP[name], city=city.id, step=step)
    return found


def next_seq(tx: Tx, city: City) -> int:
    """The next place in the change feed."""
    return _next(tx, city, "seq")


def next_register_no(tx: Tx, city: City) -> int:
    """The next register number."""
    return _next(tx, city, "register_no")


def next_tablet_no(tx: Tx, city: City) -> int:
    """The number of the next tablet (7 for T07)."""
    return _next(tx, city, "tablet_no")
