"""Which open orders another calendar would move, asked before it is taken into force. Reads only."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from sync.ordinance.calendar import CalendarMissing
from sync.server.casework.city import City
from sync.server.casework.inspections import fact_of
from sync.server.casework.matters import dates_of_order, events_for, pack_of_order
from sync.server.casework.orders import REGISTERED
from sync.server.db.engine import Tx
from sync.server.db.schema import orders


def moved_by(city: City, newer: Any) -> list[str]:
    """The numbers of the orders whose open dates would be other ones under the calendars of the pack ``newer``."""
    with city.db.read() as tx:
        return [row.number for row in tx.execute(select(orders).where(
            orders.c.city_id == city.id, orders.c.status.in_(REGISTERED)).order_by(orders.c.number))
            if _moves(tx, city, row, newer)]


def _moves(tx: Tx, city: City, row: Any, newer: Any) -> bool:
    fact = fact_of(tx, city, row.id)
    events = events_for(tx, city, row, fact)

    def days(pack: Any) -> list[tuple[Any, ...]]:
        try:
            return [(one.clock, one.last_day, one.eligible_from) for one in dates_of_order(pack, events, row.id)]
        except CalendarMissing:
            return []

    return days(pack_of_order(tx, city, fact.pack)) != days(city.pack(tx, fact.pack).under_calendar_of(newer))
