"""The land of a site is sold while an order may stand on it: the order binds its new owner, who must be served in turn.

A sale is an act about the site, under its own day. Sites, orders and clocks follow from all sales together, so that it
does not matter which was recorded first, or whether the order had arrived by then.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import select

from sync.ordinance.words import say_day
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.deciding import not_later
from sync.server.casework.founding import keep_site
from sync.server.casework.matters import sales_of
from sync.server.casework.orders import refold_site
from sync.server.casework.people import ADMINISTER, needs_reasons, require
from sync.server.casework.site_records import may_change_sites, party, stands_by_itself
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.schema import sites


def record_sale(city: City, actor: str, site: str, landowner: Mapping[str, Any], reasons: str, *,
                on: date | None = None) -> None:
    """The land was sold to ``landowner`` ({name, address, phone}) on the day ``on``, default today. ``reasons``: how
    the office knows. Needs the power to decide applications or to administer.

    Raises Problem "site-malformed", "body-malformed" (a day to come), "already-decided" (a sale of that day is on
    record), "reasons-missing", "no-authority", "not-found".
    """
    day = on or city.today()

    def work(tx: Tx) -> None:
        row = _site(tx, city, actor, site, reasons)
        new = party("landowner", landowner)
        if new is None:
            raise Problem("site-malformed", "say who the new landowner is", where="landowner")
        not_later(city, day)
        sales = sales_of(tx, city, site)
        earlier = [sale.doc["landowner"] for sale in sales if sale.on_day <= day]
        before = earlier[-1] if earlier else sales[0].doc["before"] if sales else row.doc.get("landowner")
        count = tx.execute(select(acts.c.step).where(
            acts.c.city_id == city.id, acts.c.about == site, acts.c.act == "sale", acts.c.on_day == day)).all()
        if any(sale.on_day == day for sale in sales) or not insert_if_absent(tx, acts, {
            "city_id": city.id, "about": site, "step": f"sale:{day}:{len(count) + 1}", "act": "sale", "person": actor,
            "at": city.now(), "on_day": day, "reasons": reasons.strip(), "fact": None,
            "doc": {"landowner": new, "before": before},
        }):
            raise Problem("already-decided", f"a sale of {say_day(day, near=city.today())} is on record")
        record(tx, city, actor, "site_sold", f"site:{site}", on=day.isoformat(), to=new["name"],
               reasons=reasons.strip())
        _follow(tx, city, site)

    city.db.write(work)


def take_back_sale(city: City, actor: str, site: str, reasons: str) -> None:
    """The latest sale was recorded by mistake: it counts as if it had not been. Both acts stay in the record."""

    def work(tx: Tx) -> None:
        _site(tx, city, actor, site, reasons)
        sales = sales_of(tx, city, site)
        if not sales:
            raise Problem("act-not-open", "no sale of this land is on record")
        last = sales[-1]
        insert_if_absent(tx, acts, {
            "city_id": city.id, "about": site, "step": f"take_back:{last.step}", "act": "take_back", "person": actor,
            "at": city.now(), "on_day": city.today(), "reasons": reasons.strip(), "fact": None,
            "doc": {"step": last.step},
        })
        record(tx, city, actor, "site_sale_taken_back", f"site:{site}", on=last.on_day.isoformat(),
               reasons=reasons.strip())
        _follow(tx, city, site, otherwise=sales[0].doc["before"])

    city.db.write(work)


def sales(city: City, site: str) -> list[dict[str, Any]]:
    """The sales on record, by day: {on, to, by, reasons}."""
    with city.db.read() as tx:
        return [{"on": sale.on_day, "to": sale.doc["landowner"]["name"], "by": sale.person, "reasons": sale.reasons}
                for sale in sales_of(tx, city, site)]


def _site(tx: Tx, city: City, actor: str, site: str, reasons: str) -> Any:
    if not may_change_sites(tx, city, actor):
        require(tx, city, actor, ADMINISTER, city.today())
    needs_reasons(reasons)
    row = find(tx, sites, city_id=city.id, id=site)
    if row is None:
        raise Problem("not-found", "there is no such site", where="site")
    stands_by_itself(row)
    return row


def _follow(tx: Tx, city: City, site: str, otherwise: dict[str, Any] | None = None) -> None:
    """The site gets the landowner of its last sale, ``otherwise`` the one before the first; orders are counted anew."""
    now = sales_of(tx, city, site)
    doc = find(tx, sites, city_id=city.id, id=site).doc
    keep_site(tx, city, {**doc, "landowner": now[-1].doc["landowner"] if now else otherwise})
    refold_site(tx, city, site)
