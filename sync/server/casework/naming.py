"""What people call a record: an order by its number, an inspection by the address, an emergency by its paper; a plan
by its title. And the names of people, the addresses of sites, without all else that is known of them.
"""

from __future__ import annotations

from sqlalchemy import and_, select

from sync.records.numbers import paper_reference
from sync.server.casework.city import City
from sync.server.casework.site_acts import EMERGENCY, REVISION
from sync.server.db.acts import acts
from sync.server.db.engine import Tx
from sync.server.db.pulling import plans
from sync.server.db.schema import inspections, orders, people, sites


def names_of(tx: Tx, city: City) -> dict[str, str]:
    """By the person's id."""
    return dict(tx.execute(select(people.c.id, people.c.name).where(people.c.city_id == city.id)).tuples().all())


def person_names(city: City) -> dict[str, str]:
    """The same for a page."""
    with city.db.read() as tx:
        return names_of(tx, city)


def site_addresses(city: City) -> dict[str, str]:
    """By the site's id."""
    with city.db.read() as tx:
        return dict(tx.execute(select(sites.c.id, sites.c.address).where(sites.c.city_id == city.id)).tuples().all())


def plan_titles(city: City, idents: list[str]) -> dict[str, str]:
    """By the plan's id: its title and version."""
    with city.db.read() as tx:
        rows = tx.execute(select(plans.c.id, plans.c.doc).where(plans.c.city_id == city.id, plans.c.id.in_(idents)))
        return {row.id: ", ".join(part for part in (row.doc["title"], row.doc.get("version")) if part) for row in rows}


def called(city: City, records: list[str]) -> dict[str, str]:
    """By the record's id; a record that has no name of its own is not in it."""
    with city.db.read() as tx:
        found = dict(tx.execute(select(orders.c.id, orders.c.number).where(
            orders.c.city_id == city.id, orders.c.id.in_(records))).tuples().all())
        found |= dict(tx.execute(
            select(inspections.c.id, sites.c.address)
            .join(sites, and_(sites.c.city_id == inspections.c.city_id, sites.c.id == inspections.c.site))
            .where(inspections.c.city_id == city.id, inspections.c.id.in_(records))).tuples().all())
        for row in tx.execute(select(acts.c.about, acts.c.act, acts.c.on_day).where(
                acts.c.city_id == city.id, acts.c.about.in_(records), acts.c.act.in_((EMERGENCY, REVISION)))):
            found[row.about] = paper_reference(row.act, row.on_day.isoformat(), row.about)
    return found
