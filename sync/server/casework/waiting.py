"""What waits for a person of the office, counted for the menu: the same things that the pages behind it list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import func, select

from sync.server.casework import recovery, site_acts
from sync.server.casework.city import City
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.finds import open_reports
from sync.server.casework.queries import needs_decision
from sync.server.casework.site_acts import EMERGENCY, SiteAct
from sync.server.db.engine import Database, Tx
from sync.server.db.recovery import recovery_asks
from sync.server.db.schema import audit, counters, facts, orders, strays


@dataclass(frozen=True, slots=True)
class Waiting:
    """``emergencies``: nobody of the office has seen to them yet, the latest found first. ``sites``: revisions and
    sites found in the field that nobody has decided about. ``forgotten``: questions for a forgotten PIN."""

    orders: int
    emergencies: tuple[SiteAct, ...]
    sites: int
    conflicts: int
    forgotten: int

    @property
    def all(self) -> int:
        return self.orders + len(self.emergencies) + self.sites + self.conflicts + self.forgotten


# Every page of the office counts what waits, and to look for conflicts alone costs milliseconds for each order that
# stands: what was found is kept until anything was recorded, came in, or the day changed. By the database, so that it
# goes with it.
_found: WeakKeyDictionary[Database, tuple[Any, Waiting]] = WeakKeyDictionary()


def waiting(city: City) -> Waiting:
    """As it is now."""
    with city.db.read() as tx:
        mark = _mark(tx, city)
    known = _found.get(city.db)
    if known is None or known[0] != mark:
        known = _found[city.db] = (mark, _look(city))
    return known[1]


def _mark(tx: Tx, city: City) -> Any:
    """Differs as soon as anything that waits could have come or gone."""
    entries = select(func.max(audit.c.seq)).where(audit.c.city_id == city.id)
    told = select(counters.c.seq).where(counters.c.city_id == city.id)
    aside = select(func.count(), func.max(facts.c.received_at)).where(
        facts.c.city_id == city.id, facts.c.state.in_(("quarantined", "waiting")))
    apart = select(func.count()).select_from(strays).where(strays.c.city_id == city.id)
    return (city.id, city.today(), *(tuple(tx.execute(one).one()) for one in (entries, told, aside, apart)))


def _look(city: City) -> Waiting:
    with city.db.read() as tx:
        known = site_acts.open_of(tx, city)
        standing = tx.execute(select(orders.c.status, orders.c.doc).where(
            orders.c.city_id == city.id, orders.c.status.in_(("recommended", "in_force"))))
        to_decide = sum(needs_decision(row.status, row.doc) for row in standing)
        reports = len(open_reports(tx, city))
        forgotten = tx.execute(select(func.count()).select_from(recovery_asks).where(
            recovery_asks.c.city_id == city.id, recovery_asks.c.state == recovery.WAITING)).scalar_one()
    emergencies = [one for one in known if one.act == EMERGENCY]
    revisions = len(known) - len(emergencies)
    return Waiting(to_decide, tuple(sorted(emergencies, key=lambda one: one.body["found_at"], reverse=True)),
                   revisions + reports, len(open_conflicts(city)), forgotten)
