"""Sites that were found in the field and rain that was read there: worked in, confirmed, filed under the right site.

A site found in the field is a site from the moment its report arrives; inspections and orders on it follow like any
others. The office confirms it, or says which of its sites it is: then everything that belongs to it is filed there,
also what arrives later, and nothing that was signed is changed.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import delete, insert, select, true, update

from sync.records.facts import Fact, is_id
from sync.records.places import metres_between
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.casework.founding import keep_site
from sync.server.casework.people import CONFIRM, needs_reasons, require
from sync.server.db import narrow
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.finds import rains, site_reports
from sync.server.db.schema import facts, orders, people, permits, places, sites

PARTIES = ("permittee", "landowner", "land_user", "contractor")
KINDS = ("site_reported", "rain_recorded")
STRICTEST = ("required", "undetermined", "exempt", "not_required")


def real_site(tx: Tx, city: City, ident: str) -> str:
    """The site under which things of ``ident`` are filed: another one where the office said so. Only ids made on a
    tablet can have one, so others cost nothing."""
    if not is_id(ident):
        return ident
    doc = tx.execute(select(acts.c.doc).where(
        acts.c.city_id == city.id, acts.c.about == ident, acts.c.act == "same_site")).scalar_one_or_none()
    return ident if doc is None else str(doc["same_as"])


def apply_find(tx: Tx, city: City, fact: Fact) -> None:
    """Works a site report or a reading of rain in."""
    if fact.kind == "site_reported":
        _apply_report(tx, city, fact)
    else:
        _apply_rain(tx, city, fact)


def take_out_find(tx: Tx, city: City, fact: Fact) -> None:
    """Undoes what one of them made, so that another version of it can be worked in. A site stays."""
    if fact.kind == "site_reported":
        tx.execute(delete(site_reports).where(site_reports.c.city_id == city.id, site_reports.c.id == fact.id))
        refold_site_doc(tx, city, fact.body["site"])
        return
    tx.execute(delete(rains).where(rains.c.city_id == city.id, rains.c.id == fact.id))
    publish(tx, city, "rain", fact.id, None)
    if fact.revises:
        _restate_rain(tx, city, fact.revises)


# --- sites ----------------------------------------------------------------------------------------------------------
def _apply_report(tx: Tx, city: City, fact: Fact) -> None:
    body = fact.body
    tx.execute(insert(site_reports).values(
        city_id=city.id, id=fact.id, site=body["site"], person=fact.user, pack=fact.pack,
        reported_on=date.fromisoformat(body["reported_on"]), reported_at=narrow.wall(body["reported_at"]),
        doc=body))
    row = find(tx, sites, city_id=city.id, id=body["site"])
    if row is None:
        keep_site(tx, city, _new_site(fact))
    record(tx, city, fact.user, "site_reported", f"site:{body['site']}", fact=fact.id, address=body["address"],
           new=body["new"], need=(body["need"] or {}).get("result"))
    refold_site_doc(tx, city, body["site"])


def _new_site(fact: Fact) -> dict[str, Any]:
    body, position = fact.body, fact.body["position"] or {}
    parties = {one["role"]: {key: one[key] for key in ("name", "address", "phone")} for one in body["parties"]}
    others = [{"role": one["role"], "name": one["name"], "phone": one["phone"]}
              for one in body["parties"] if one["role"] not in PARTIES]
    return {
        "id": body["site"], "name": body["name"], "address": body["address"], "parcel": body["parcel"],
        "lat_udeg": position.get("lat_udeg"), "lon_udeg": position.get("lon_udeg"),
        "site_class": body["site_class"], **{role: parties.get(role) for role in PARTIES}, "contacts": others,
        "end_of_work_day": None, "inspectors": [fact.user],
    }


def refold_site_doc(tx: Tx, city: City, ident: str) -> None:
    """Brings what the site's document says of its reports to what they and the acts of the office say."""
    row = find(tx, sites, city_id=city.id, id=ident)
    if row is None:
        return
    reports = sorted(tx.execute(select(site_reports).where(
        site_reports.c.city_id == city.id, site_reports.c.site == ident)), key=lambda one: (one.reported_at, one.id))
    decided = {act.act: act for act in tx.execute(select(acts).where(
        acts.c.city_id == city.id, acts.c.about == ident, acts.c.act.in_(("confirm_site", "same_site"))))}
    first = next((one for one in reports if one.doc["new"]), None)
    asked = [one for one in reports if one.doc["need"]]
    doc = {key: value for key, value in row.doc.items() if key not in ("reported", "need", "same_as")}
    if first is not None:
        state = "duplicate" if "same_site" in decided else "confirmed" if "confirm_site" in decided else "reported"
        doc["reported"] = {"fact": first.id, "by": first.person, "on": first.reported_on.isoformat(), "state": state}
    if asked:
        stands = _need_that_stands(tx, city, asked)
        doc["need"] = {"fact": stands.id, "by": stands.person, "on": stands.reported_on.isoformat(),
                       **stands.doc["need"]}
    if "same_site" in decided:
        doc["same_as"] = decided["same_site"].doc["same_as"]
    if doc != row.doc:
        keep_site(tx, city, doc)


def _need_that_stands(tx: Tx, city: City, asked: list[Any]) -> Any:
    """Of the reports that say whether the site needs a permit: each tablet's last by its own count, and of those of
    several tablets the strictest. No device's clock puts them in order."""
    count = {row.id: (row.tablet_code, row.counter) for row in tx.execute(
        select(facts.c.id, facts.c.tablet_code, facts.c.counter).where(
            facts.c.city_id == city.id, facts.c.id.in_([one.id for one in asked])))}
    last = {count[one.id][0]: one for one in sorted(asked, key=lambda one: count[one.id][1])}
    return min(last.values(), key=lambda one: (STRICTEST.index(one.doc["need"]["result"]), one.id))


def confirm_site(city: City, actor: str, site: str, reasons: str = "") -> None:
    """The office keeps a site that was found in the field as one of its own. Needs the power to confirm.

    Raises Problem "no-authority", "not-found", "already-decided".
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, CONFIRM, city.today())
        _undecided(tx, city, site)
        _decide(tx, city, actor, site, "confirm_site", reasons, {})
        record(tx, city, actor, "site_confirmed", f"site:{site}", **({"reasons": reasons} if reasons else {}))
        refold_site_doc(tx, city, site)

    city.db.write(work)


def same_site(city: City, actor: str, site: str, same_as: str, reasons: str) -> None:
    """The site found in the field is one that the office knew: its inspections, findings and orders are filed there.

    Needs the power to confirm. Raises Problem "no-authority", "reasons-missing", "not-found", "already-decided",
    "act-not-open" (a site of itself, of another duplicate, or one that has a permit of its own).
    """
    from sync.server.casework.inspections import move_inspections
    from sync.server.casework.orders import refold

    def work(tx: Tx) -> None:
        require(tx, city, actor, CONFIRM, city.today())
        needs_reasons(reasons)
        _undecided(tx, city, site)
        target = find(tx, sites, city_id=city.id, id=same_as)
        if target is None:
            raise Problem("not-found", "there is no such site", where=same_as)
        if same_as == site or target.doc.get("same_as"):
            raise Problem("act-not-open", "choose another site, one that the office keeps", where=same_as)
        if find(tx, permits, city_id=city.id, site=site) is not None:
            raise Problem("act-not-open", "the site has a permit of its own: move the permit first", where=site)
        _decide(tx, city, actor, site, "same_site", reasons.strip(), {"same_as": same_as})
        record(tx, city, actor, "site_filed_under", f"site:{site}", same_as=same_as, reasons=reasons.strip())
        for row in list(tx.execute(select(places).where(places.c.city_id == city.id, places.c.site == site))):
            doc = {**row.doc, "site": same_as}
            tx.execute(update(places).where(places.c.city_id == city.id, places.c.kind == row.kind,
                                            places.c.id == row.id).values(site=same_as, doc=doc))
            publish(tx, city, row.kind, row.id, doc)
        move_inspections(tx, city, site, same_as)
        moved = list(tx.execute(select(orders.c.id).where(
            orders.c.city_id == city.id, orders.c.site == site).order_by(orders.c.id)).scalars())
        tx.execute(update(orders).where(orders.c.city_id == city.id, orders.c.site == site).values(site=same_as))
        for ident in moved:
            refold(tx, city, ident)
        for row in list(tx.execute(select(rains).where(rains.c.city_id == city.id, rains.c.site == site))):
            tx.execute(update(rains).where(rains.c.city_id == city.id, rains.c.id == row.id).values(site=same_as))
            _restate_rain(tx, city, row.id)
        refold_site_doc(tx, city, site)

    city.db.write(work)


def _undecided(tx: Tx, city: City, site: str) -> None:
    row = find(tx, sites, city_id=city.id, id=site)
    if row is None or not row.doc.get("reported"):
        raise Problem("not-found", "there is no such site that was found in the field", where=site)
    if row.doc["reported"]["state"] == "duplicate":
        raise Problem("already-decided", f"{row.name} was filed under another site", where=site)


def _decide(tx: Tx, city: City, actor: str, site: str, act: str, reasons: str, doc: dict[str, Any]) -> None:
    if not insert_if_absent(tx, acts, {
        "city_id": city.id, "about": site, "step": act, "act": act, "person": actor, "at": city.now(),
        "on_day": city.today(), "reasons": reasons or None, "fact": None, "doc": doc,
    }):
        raise Problem("already-decided", "this site was confirmed before", where=site)


def reports_of(tx: Tx, city: City, site: str) -> list[Any]:
    """The reports of a site from the field, oldest first: rows of ``site_reports``."""
    return sorted(tx.execute(select(site_reports).where(
        site_reports.c.city_id == city.id, site_reports.c.site == site)), key=lambda one: (one.reported_at, one.id))


def site_finds(city: City, site: str) -> dict[str, Any]:
    """What was found of a site, for its page: {reports: [{fact, person, person_name, on, pack, body, photos}], rains:
    [{inches, began, ended, gauge, note, city_wide, person_name}], others: sites it may be the same as}."""
    from sync.server.casework.queries import photos_of

    with city.db.read() as tx:
        row = find(tx, sites, city_id=city.id, id=site)
        if row is None:
            return {"reports": [], "rains": [], "others": []}
        names = dict(tx.execute(select(people.c.id, people.c.name).where(people.c.city_id == city.id)).tuples().all())
        reports = [{
            "fact": one.id, "person": one.person, "person_name": names.get(one.person, one.person),
            "on": one.reported_on, "pack": one.pack, "body": one.doc,
            "photos": photos_of(tx, city, one.id, one.doc["photos"])[0],
        } for one in reports_of(tx, city, site)]
        state = (row.doc.get("reported") or {}).get("state")
        return {"reports": reports, "rains": rain_rows(tx, city, names, site),
                "others": _perhaps_the_same(tx, city, row.doc) if state in ("reported", "confirmed") else []}


def rain_rows(tx: Tx, city: City, names: dict[str, str], site: str | None = None) -> list[dict[str, Any]]:
    """Readings that count as plain values, the newest first: what inspectors recorded (``person_name``) and what the
    office has of a gauge at a site (no name)."""
    limit = 100 if site is None else 10
    found = [{"inches": one.inches, "began": one.began, "ended": one.ended, "gauge": one.gauge, "note": one.note,
              "site": one.site, "city_wide": one.site is None, "person_name": names.get(one.person, one.person)}
             for one in rain_list(tx, city, site, limit)]
    query = select(sites.c.doc).where(sites.c.city_id == city.id, sites.c.id == site if site else true())
    found += [{"gauge": "", "note": "", **one, "site": doc["id"], "city_wide": False, "person_name": ""}
              for doc in tx.execute(query).scalars() for one in doc.get("rains") or ()]
    for one in found:
        one.update({name: _in_city(city, one[name]) for name in ("began", "ended")})
    return sorted(found, key=lambda one: one["ended"], reverse=True)[:limit]


def _in_city(city: City, moment: str) -> str:
    """The office writes down the time on the wall of the city, without an offset from UTC."""
    read = datetime.fromisoformat(moment)
    return (read if read.tzinfo else read.replace(tzinfo=city.zone)).isoformat()


def _perhaps_the_same(tx: Tx, city: City, doc: dict[str, Any]) -> list[dict[str, Any]]:
    """The sites of the office that a find may be, same parcel first, then the nearest."""
    found = []
    for other in tx.execute(select(sites.c.doc).where(sites.c.city_id == city.id)).scalars():
        if other["id"] == doc["id"] or other.get("same_as"):
            continue
        metres = metres_between(doc, other) if doc.get("lat_udeg") is not None else None
        same = bool(doc["parcel"]) and other["parcel"] == doc["parcel"]
        found.append((not same, metres is None, metres or 0, other["address"], other["id"], other, metres))
    return [{"id": row[4], "name": row[5]["name"], "address": row[5]["address"], "metres": row[6]}
            for row in sorted(found, key=lambda row: row[:5])[:40]]


def open_reports(tx: Tx, city: City) -> list[dict[str, Any]]:
    """The documents of the sites that were found in the field and that nobody in the office has looked at."""
    reported = select(site_reports.c.site).where(site_reports.c.city_id == city.id).distinct()
    rows = tx.execute(select(sites.c.doc).where(sites.c.city_id == city.id, sites.c.id.in_(reported))
                      .order_by(sites.c.address, sites.c.id)).scalars()
    return [doc for doc in rows if (doc.get("reported") or {}).get("state") == "reported"]


# --- rain -----------------------------------------------------------------------------------------------------------
def _apply_rain(tx: Tx, city: City, fact: Fact) -> None:
    body = fact.body
    if fact.revises and find(tx, rains, city_id=city.id, id=fact.revises) is None:
        raise Problem("subject-unknown", "it corrects a record that is no reading of rain", where="revises")
    site = body["site"]
    tx.execute(insert(rains).values(
        city_id=city.id, id=fact.id, site=real_site(tx, city, site) if site else None, gauge=body["gauge"],
        inches=narrow.inches(body["inches"]), began=narrow.wall(body["from"]), ended=narrow.wall(body["to"]),
        note=body["note"], person=fact.user, superseded_by=None))
    record(tx, city, fact.user, "rain_recorded", f"site:{site}" if site else "city", fact=fact.id,
           inches=body["inches"], **{"from": body["from"], "to": body["to"]})
    if fact.revises:
        _restate_rain(tx, city, fact.revises, fact.id)
    _restate_rain(tx, city, fact.id)


def _restate_rain(tx: Tx, city: City, ident: str, superseded_by: str | None = None) -> None:
    """Tells the tablets of a reading as it stands; one that was corrected is gone."""
    if superseded_by is not None:
        tx.execute(update(rains).where(rains.c.city_id == city.id, rains.c.id == ident).values(
            superseded_by=superseded_by))
    row = find(tx, rains, city_id=city.id, id=ident)
    if row is None:
        return
    publish(tx, city, "rain", ident, None if row.superseded_by else {
        "id": ident, "site": row.site, "gauge": row.gauge, "inches": row.inches, "began": row.began,
        "ended": row.ended, "note": row.note, "by": row.person})


def rain_list(tx: Tx, city: City, site: str | None = None, limit: int = 100) -> list[Any]:
    """Rows of ``rains`` that count, the newest first; with ``site`` those of it and of the whole city."""
    query = select(rains).where(rains.c.city_id == city.id, rains.c.superseded_by.is_(None))
    if site is not None:
        query = query.where((rains.c.site == site) | (rains.c.site.is_(None)))
    return list(tx.execute(query.order_by(rains.c.ended.desc(), rains.c.id).limit(limit)))


