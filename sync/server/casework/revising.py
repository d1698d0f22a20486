"""A revision of a plan that the office itself orders: no inspector recommended it, and no tablet's record is behind it.

It has the same content as one from the field, kept with the act, and it stands, is withdrawn and is told to the tablets
like any other.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import select

from sync.records.bodies import BODIES
from sync.records.problems import Problem
from sync.records.shapes import MAX_TEXT
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.people import REVISE, person_row, require
from sync.server.casework.site_acts import REVISION, read, refold
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.schema import permits, sites

KIND = "revision_ordered"
LANGUAGE = "en"  # of the office's pages


def order_revision(city: City, actor: str, site: str, *, found_on: date, conditions: str, inadequate: str,
                   permit: str | None, devices: list[dict[str, Any]]) -> str:
    """Orders it today; gives its id, the same where the person ordered just this today (a form that was sent twice) and
    did not withdraw it. ``devices``: [{text, due: {on, at}}], what must be installed and by when;
    ``permit``: the id of the permit whose plan is revised. Needs the power to revise.

    Raises Problem "no-authority", "not-found" (site or permit), "body-malformed" naming the field ("devices.0" for the
    first of what must be installed).
    """

    def work(tx: Tx) -> str:
        today, now = city.today(), city.now().astimezone(city.zone)
        require(tx, city, actor, REVISE, today)
        if find(tx, sites, city_id=city.id, id=site) is None:
            raise Problem("not-found", "there is no such site", where=site)
        _check(found_on, today, conditions, inadequate, devices)
        person = person_row(tx, city, actor)
        wall = now.isoformat(timespec="seconds")
        body = {
            "site": site, "permit": permit, "permit_number": _number(tx, city, site, permit),
            "conditions": conditions.strip(), "inadequate": inadequate.strip(), "devices": devices,
            "found_on": found_on.isoformat(), "met": [], "nobody_present": False, "photos": [], "written_in": LANGUAGE,
            "reported_on": today.isoformat(), "reported_at": wall, "ordered_on": today.isoformat(), "ordered_at": wall,
            "inspector": {"name": person.name, "title": person.title, "credential_no": person.credential_no or ""},
        }  # fmt: skip
        BODIES[KIND](body, "body")
        if again := _same(tx, city, actor, found_on, body):
            return again
        ident = city.random_bytes(16).hex()
        insert_if_absent(tx, acts, {
            "city_id": city.id, "about": ident, "step": "recorded", "act": REVISION, "person": actor, "at": city.now(),
            "on_day": found_on, "reasons": None, "fact": None,
            "doc": {"site": site, "body": body, "pack": city.pack(tx).ref},
        })
        record(tx, city, actor, KIND, f"site:{site}", fact=ident, on=found_on.isoformat())
        refold(tx, city, ident)
        return ident

    return city.db.write(work)


def _same(tx: Tx, city: City, actor: str, found_on: date, body: dict[str, Any]) -> str | None:
    """The revision that says the same, but for the time of day, and stands."""
    times = {"reported_at": "", "ordered_at": ""}
    for row in tx.execute(select(acts.c.about, acts.c.doc).where(
            acts.c.city_id == city.id, acts.c.act == REVISION, acts.c.person == actor, acts.c.on_day == found_on,
            acts.c.fact.is_(None))):
        if {**row.doc["body"], **times} == {**body, **times} and read(tx, city, row.about).status == "ordered":
            return row.about
    return None


def _check(found_on: date, today: date, conditions: str, inadequate: str, devices: list[dict[str, Any]]) -> None:
    if found_on > today:
        raise Problem("body-malformed", "the conditions were found today or before", where="found_on")
    for name, text in (("conditions", conditions), ("inadequate", inadequate)):
        if not text.strip():
            raise Problem("body-malformed", "this must be written", where=name)
        _not_long(text, name)
    if not devices:
        raise Problem("body-malformed", "name what must be installed, and by when", where="devices")
    for n, one in enumerate(devices):
        _not_long(one["text"], f"devices.{n}")
        if date.fromisoformat(one["due"]["on"]) < today:
            raise Problem("body-malformed", "the day by which it must be installed is over already",
                          where=f"devices.{n}")


def _not_long(text: str, where: str) -> None:
    if len(text.strip()) > MAX_TEXT:
        raise Problem("body-malformed", f"this is longer than {MAX_TEXT:,} characters: say it shorter", where=where)


def _number(tx: Tx, city: City, site: str, permit: str | None) -> str | None:
    if permit is None:
        return None
    found = tx.execute(select(permits.c.number).where(
        permits.c.city_id == city.id, permits.c.id == permit, permits.c.site == site)).scalar_one_or_none()
    if found is None:
        raise Problem("not-found", "there is no such permit of this site", where="permit")
    return found
