"""Which sites a tablet sees: all of them, or those that the office gave to it and to the people signed in on it.

What a tablet may see decides what comes down to it and which files it may read; what it sends counts all the same. When
its sites change, its scope is counted up in one transaction with them, and of each site that changed stands with which
scope it did: its next pull brings what it sees anew and takes back, by tombstones, what it sees no longer, and nothing
that stayed. Nothing is ever taken back by being left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, select, update

from sync.records.facts import Fact, parse
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.feed import ALL, ASSIGNED
from sync.server.casework.meanwhile import check_unchanged
from sync.server.casework.people import ADMINISTER, KEEPER, require
from sync.server.db.engine import Tx, find, find_all, put
from sync.server.db.pulling import tablet_sites
from sync.server.db.schema import credentials, inspections, orders, people, sites, tablets

_SEES = select(tablets.c.sees).where(tablets.c.city_id == bindparam("city"), tablets.c.id == bindparam("tablet"))


def sees_site(tx: Tx, city: City, tablet: str, site: str | None) -> bool:
    """Whether the tablet (its id) may see what belongs to the site; what belongs to none, everybody may."""
    sees = tx.execute(_SEES, {"city": city.id, "tablet": tablet}).scalar_one_or_none()
    if site is None or sees != ASSIGNED:
        return True
    row = find(tx, tablet_sites, city_id=city.id, tablet=tablet, site=site)
    return row is not None and bool(row.visible)


def sees_fact(tx: Tx, city: City, tablet: str, text: str) -> bool:
    """Whether the tablet may see the files of the fact with this text: it sees the site that the fact is about."""
    sees = tx.execute(_SEES, {"city": city.id, "tablet": tablet}).scalar_one_or_none()
    return sees != ASSIGNED or any(sees_site(tx, city, tablet, site) for site in _sites_of(tx, city, parse(text)))


def _sites_of(tx: Tx, city: City, fact: Fact) -> set[str]:
    about = fact.body.get("about") or {}
    ids = {fact.id, about.get("fact"), fact.body.get("order")} - {None}
    found = set(tx.execute(select(inspections.c.site).where(
        inspections.c.city_id == city.id, inspections.c.id.in_(ids))).scalars())
    numbers = {about.get("order"), fact.body.get("number")} - {None}
    found |= set(tx.execute(select(orders.c.site).where(
        orders.c.city_id == city.id, orders.c.id.in_(ids) | orders.c.number.in_(numbers))).scalars())
    return found or {site for site in (fact.body.get("site"),) if isinstance(site, str)}


def sight_of(city: City, code: str) -> dict[str, Any] | None:
    """What the tablet ``code`` sees, for its page: {sees, sites: [{id, name, address, chosen, visible, by}], people:
    [{id, name, ended}]}; ``by``: the persons signed in on it whom the site is assigned to. None for no such tablet."""
    with city.db.read() as tx:
        tablet = tx.execute(select(tablets).where(tablets.c.city_id == city.id, tablets.c.code == code)).first()
        if tablet is None:
            return None
        rows = {row.site: row for row in find_all(tx, tablet_sites, city_id=city.id, tablet=tablet.id)}
        names = dict(tx.execute(select(people.c.id, people.c.name).where(people.c.city_id == city.id)).tuples().all())
        signed = find_all(tx, credentials, city_id=city.id, tablet_code=code)
        here = {row.person for row in signed if row.revoked_at is None}
        found = []
        for site in tx.execute(select(sites).where(sites.c.city_id == city.id).order_by(sites.c.address, sites.c.id)):
            row = rows.get(site.id)
            found.append({
                "id": site.id, "name": site.name, "address": site.address, "area": site.doc.get("area") or "",
                "chosen": bool(row and row.chosen), "visible": tablet.sees != ASSIGNED or bool(row and row.visible),
                "by": [names.get(one, one) for one in site.doc.get("inspectors") or () if one in here],
            })
        return {"sees": tablet.sees or ALL, "sites": found, "people": sorted(
            ({"id": row.person, "name": names.get(row.person, row.person), "ended": row.revoked_at is not None}
             for row in signed), key=lambda one: one["name"])}


def choice_of(sees: str | None, chosen: Iterable[str]) -> list[Any]:
    """The choice of a tablet's sites as its form shows it."""
    return [sees or ALL, sorted(chosen)]


def set_sites(city: City, actor: str, code: str, sees: str, chosen: Iterable[str] = (), *, seen: str = "") -> None:
    """The tablet sees all sites, or ("assigned") the ``chosen`` ones and those of the people signed in on it. ``seen``:
    the choice that was before the person (`meanwhile.seen_as` of ``choice_of``).

    Needs the power to administer. Raises Problem "scope-malformed", "not-found", "no-authority", "changed-meanwhile".
    """
    wanted = sorted(set(chosen))

    def work(tx: Tx) -> None:
        if actor != KEEPER:
            require(tx, city, actor, ADMINISTER, city.today())
        if sees not in (ALL, ASSIGNED):
            raise Problem("scope-malformed", f"a tablet sees all or assigned sites, not {sees!r}", where="sees")
        row = tx.execute(select(tablets).where(tablets.c.city_id == city.id, tablets.c.code == code)).first()
        if row is None:
            raise Problem("not-found", f"there is no tablet {code}", where="code")
        known = set(tx.execute(select(sites.c.id).where(sites.c.city_id == city.id)).scalars())
        if unknown := [site for site in wanted if site not in known]:
            raise Problem("scope-malformed", f"there is no site {unknown[0]}", where="sites")
        was_all = row.sees != ASSIGNED
        tx.execute(update(tablets).where(tablets.c.city_id == city.id, tablets.c.id == row.id).values(sees=sees))
        had = {one.site: one for one in find_all(tx, tablet_sites, city_id=city.id, tablet=row.id)}
        check_unchanged(seen, choice_of(row.sees, [one.site for one in had.values() if one.chosen]))
        if sees == ALL:
            if not was_all:
                since = _anew(tx, city, row.id)
                for site in known:
                    saw = site in had and had[site].visible
                    _put(tx, city, row.id, site, chosen=0, visible=1, since=had[site].since if saw else since)
        else:
            for site in known:
                before = had.get(site)
                # So far it saw everything, if it did not see some alone.
                visible = 1 if was_all else before.visible if before else 0
                if before or visible or site in wanted:
                    _put(tx, city, row.id, site, chosen=int(site in wanted), visible=visible,
                         since=before.since if before else None)
            _look_again(tx, city, row.id, row.code)
        record(tx, city, actor, "tablet_sites_changed", f"tablet:{code}", sees=sees, sites=wanted)

    city.db.write(work)


def rescope(tx: Tx, city: City) -> None:
    """Assignments or sign-ins changed: brings what each tablet sees up to date."""
    for row in tx.execute(select(tablets.c.id, tablets.c.code).where(
            tablets.c.city_id == city.id, tablets.c.sees == ASSIGNED)).all():
        _look_again(tx, city, row.id, row.code)


def inherit(tx: Tx, city: City, parent: str, child: str) -> None:
    """The tablet ``child`` sees, and saw, what its ``parent`` does: it is a copy of it."""
    row = find(tx, tablets, city_id=city.id, id=parent)
    tx.execute(update(tablets).where(tablets.c.city_id == city.id, tablets.c.id == child).values(
        sees=row.sees, scope=row.scope, scope_base=row.scope_base))
    for one in find_all(tx, tablet_sites, city_id=city.id, tablet=parent):
        _put(tx, city, child, one.site, chosen=one.chosen, visible=one.visible, since=one.since)


def hide_the_rest(tx: Tx, city: City) -> None:
    """After a restore nobody knows what tablets saw since the backup: what they do not see now is taken back."""
    known = set(tx.execute(select(sites.c.id).where(sites.c.city_id == city.id)).scalars())
    for row in tx.execute(select(tablets.c.id).where(
            tablets.c.city_id == city.id, tablets.c.sees == ASSIGNED)).all():
        had = {one.site for one in find_all(tx, tablet_sites, city_id=city.id, tablet=row.id)}
        for site in known - had:
            _put(tx, city, row.id, site, chosen=0, visible=0, since=None)


def _assigned(tx: Tx, city: City, code: str) -> set[str]:
    """The sites of the people who are signed in on the tablet."""
    here = set(tx.execute(select(credentials.c.person).where(
        credentials.c.city_id == city.id, credentials.c.tablet_code == code,
        credentials.c.revoked_at.is_(None))).scalars())
    if not here:
        return set()
    return {row.id for row in tx.execute(select(sites.c.id, sites.c.doc).where(sites.c.city_id == city.id))
            if here & set(row.doc.get("inspectors") or ())}


def _look_again(tx: Tx, city: City, tablet: str, code: str) -> None:
    rows = {row.site: row for row in find_all(tx, tablet_sites, city_id=city.id, tablet=tablet)}
    now = _assigned(tx, city, code) | {site for site, row in rows.items() if row.chosen}
    before = {site for site, row in rows.items() if row.visible}
    if now != before:
        since = _anew(tx, city, tablet)
        for site in now ^ before:
            _put(tx, city, tablet, site, chosen=int(bool(rows[site].chosen)) if site in rows else 0,
                 visible=int(site in now), since=since)


def _anew(tx: Tx, city: City, tablet: str) -> int:
    """Counts the tablet's scope up; the new one."""
    return tx.execute(update(tablets).where(tablets.c.city_id == city.id, tablets.c.id == tablet)
                      .values(scope=tablets.c.scope + 1).returning(tablets.c.scope)).scalar_one()


def _put(tx: Tx, city: City, tablet: str, site: str, *, chosen: int, visible: int, since: int | None) -> None:
    """``since``: the scope with which it came to be visible, or not."""
    put(tx, tablet_sites, {"city_id": city.id, "tablet": tablet, "site": site, "chosen": chosen, "visible": visible,
                           "since": since})
