"""The dates of an order, asked of sync.ordinance and of nobody else, in the words a person checks them by."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import or_, select

from sync.ordinance.calendar import CalendarMissing
from sync.ordinance.dates import order_dates
from sync.server.casework.city import City
from sync.server.db.engine import Tx
from sync.server.db.schema import permits


def permit_in_force(tx: Tx, city: City, site: str, on: date) -> bool:
    """Whether some permit of the site was in force on that day."""
    return tx.execute(
        select(permits.c.id).where(
            permits.c.city_id == city.id, permits.c.site == site, permits.c.state.in_(("in_force", "expired")),
            permits.c.issued_on <= on, or_(permits.c.last_valid_day.is_(None), permits.c.last_valid_day >= on),
        )
    ).first() is not None


def dates_of_order(
    pack: Any, *, posted_on: date | None, issued_on: date | None, permitted: bool
) -> tuple[list[dict[str, Any]], str | None]:
    """Every clock of the order as {clock, label, last_day, eligible_from, words}; none before it is posted.

    An order stands whether or not its dates can be computed: where the pack lacks the calendar of a year that
    matters, there are none, and the second value says why.
    """
    if posted_on is None:
        return [], None
    try:
        found = order_dates(pack, posted_on=posted_on, issued_on=issued_on, permit_in_force=permitted)
    except CalendarMissing as err:
        return [], str(err)
    return [derived.to_wire() for derived in found], None
