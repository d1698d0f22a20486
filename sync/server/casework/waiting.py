"""What waits for a person of the office, counted for the menu: the same things that the pages behind it list."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from sync.server.casework import recovery, site_acts
from sync.server.casework.city import City
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.finds import open_reports
from sync.server.casework.queries import needs_decision
from sync.server.casework.site_acts import EMERGENCY, SiteAct
from sync.server.db.recovery import recovery_asks
from sync.server.db.schema import orders


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


def waiting(city: City) -> Waiting:
    """As it is now."""
    with city.db.read() as tx:
        known = site_acts.all_of(tx, city)
        standing = tx.execute(select(orders.c.status, orders.c.doc).where(
            orders.c.city_id == city.id, orders.c.status.in_(("recommended", "in_force"))))
        to_decide = sum(needs_decision(row.status, row.doc) for row in standing)
        reports = len(open_reports(tx, city))
        forgotten = tx.execute(select(func.count()).select_from(recovery_asks).where(
            recovery_asks.c.city_id == city.id, recovery_asks.c.state == recovery.WAITING)).scalar_one()
    emergencies = [one for one in known if one.act == EMERGENCY and one.attended is None]
    revisions = sum(one.status == "recommended" for one in known)
    return Waiting(to_decide, tuple(sorted(emergencies, key=lambda one: one.body["found_at"], reverse=True)),
                   revisions + reports, len(open_conflicts(city)), forgotten)
