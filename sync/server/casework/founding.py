"""A city's beginning, its ordinance, and the places that its office keeps."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import insert, select, update

from sync.records.problems import Problem
from sync.server.casework.audit import START, record
from sync.server.casework.city import City, pack_sha256, parse_pack
from sync.server.casework.feed import publish, withdraw
from sync.server.casework.history import publish_permit
from sync.server.casework.people import ADMINISTER, KEEPER, require
from sync.server.casework.scope import rescope
from sync.server.db.engine import Tx, find, put
from sync.server.db.schema import cities, counters, packs, permits, places, sites

# A pack comes down to tablets in one piece, and is kept there for as long as something was begun under it.
MAX_PACK_BYTES = 1_000_000


def check_pack_size(files: Mapping[str, str]) -> None:
    """Raises PackError for texts that are too long for tablets."""
    from sync.ordinance.pack import PackError

    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values())
    if size > MAX_PACK_BYTES:
        largest = max(files, key=lambda name: len(files[name]))
        raise PackError(largest, "", f"the texts of a pack take at most {MAX_PACK_BYTES} bytes together; these are "
                                     f"{size}, and no tablet would get them")


def found_city(city: City, pack_files: Mapping[str, str], *, first_tablet: int = 1) -> None:
    """Writes the city's first rows: itself, its counters, its ordinance pack. PackError for a pack with a mistake."""
    check_pack_size(pack_files)
    pack = parse_pack(pack_files)

    def work(tx: Tx) -> None:
        tx.execute(insert(cities).values(
            city_id=city.id, name=city.name, zone=city.zone.key, epoch=city.random_bytes(16).hex(), pack=pack.ref,
            created_at=city.now(), place=city.place or None,
        ))
        tx.execute(insert(counters).values(
            city_id=city.id, seq=0, register_no=0, tablet_no=first_tablet - 1, audit_seq=0, audit_head=START,
        ))
        record(tx, city, "keeper", "city_founded", "city", name=city.name)
        _keep_pack(tx, city, pack, dict(pack_files))

    city.db.write(work)


def _keep_pack(tx: Tx, city: City, pack: Any, files: dict[str, str], actor: str = KEEPER) -> None:
    sha = pack_sha256(files)
    put(tx, packs, {"city_id": city.id, "id": pack.id, "version": pack.version, "sha256": sha, "files": files,
                    "loaded_at": city.now()})
    record(tx, city, actor, "pack_loaded", f"pack:{pack.ref}", sha256=sha)
    _tell_pack(tx, city, pack, files)


def _tell_pack(tx: Tx, city: City, pack: Any, files: dict[str, str]) -> None:
    publish(tx, city, "pack", pack.id, {"id": pack.id, "version": pack.version, "sha256": pack_sha256(files),
                                        "files": files})


def read_new_pack(city: City, pack_files: Mapping[str, str]) -> Any:
    """The pack in these texts, if this city can take it. Raises Problem "pack-malformed": what is wrong, and where."""
    from sync.ordinance.pack import PackError

    try:
        check_pack_size(pack_files)
        pack = parse_pack(dict(pack_files))
    except PackError as error:
        raise Problem("pack-malformed", str(error), where=getattr(error, "file", "") or "") from error
    if pack.zone != city.zone.key:
        raise Problem("pack-malformed", f"it counts days in {pack.zone}, this city in {city.zone.key}",
                      where="pack.toml: zone")
    return pack


def update_pack(city: City, pack_files: Mapping[str, str], actor: str = KEEPER, against: str = "") -> bool:
    """Takes another text of the ordinance into force for what begins from now on; says whether anything changed. Its
    calendars count the open clocks of orders that were begun before, too.

    The text of a version never changes once loaded: a changed pack bears a new version. One that was in force before
    can be put in force again. ``against``: the one in force that it was compared with, where a person was shown what
    changes. Needs the power to administer. Raises Problem "pack-malformed" (also where another one came into force
    since), "no-authority".
    """
    from sync.server.casework.orders import refold_open  # here: orders rest on the city's beginning

    pack, files = read_new_pack(city, pack_files), dict(pack_files)

    def work(tx: Tx) -> bool:
        if actor != KEEPER:
            require(tx, city, actor, ADMINISTER, city.today())
        known = tx.execute(select(packs.c.sha256).where(
            packs.c.city_id == city.id, packs.c.id == pack.id, packs.c.version == pack.version)).scalar_one_or_none()
        if known is not None and known != pack_sha256(files):
            raise Problem("pack-malformed", f"{pack.ref} is already in use with another text: give it a new version",
                          where="pack.toml: version")
        before = city.row(tx).pack
        if before == pack.ref:
            return False
        if against not in ("", before):
            raise Problem("pack-malformed", f"it was compared with {against}, but {before} came into force since: "
                          "check it anew")
        if known is None:
            _keep_pack(tx, city, pack, files, actor)
        else:
            _tell_pack(tx, city, pack, files)
        if before.partition("@")[0] != pack.id:
            withdraw(tx, city, "pack", before.partition("@")[0])
        tx.execute(update(cities).where(cities.c.city_id == city.id).values(pack=pack.ref))
        record(tx, city, actor, "pack_in_force", f"pack:{pack.ref}", before=before)
        for moved in refold_open(tx, city):
            record(tx, city, "server", "order_recounted", f"order:{moved}", pack=pack.ref)
        return True

    return city.db.write(work)


def pack_list(city: City) -> list[dict[str, Any]]:
    """Every ordinance that the city had, the latest loaded first: {ref, sha256, loaded_at, in_force}."""
    with city.db.read() as tx:
        now = city.row(tx).pack
        rows = tx.execute(select(packs.c.id, packs.c.version, packs.c.sha256, packs.c.loaded_at).where(
            packs.c.city_id == city.id).order_by(packs.c.loaded_at.desc(), packs.c.version.desc()))
        return [{"ref": f"{row.id}@{row.version}", "sha256": row.sha256, "loaded_at": row.loaded_at,
                 "in_force": f"{row.id}@{row.version}" == now} for row in rows]


def _day(doc: dict[str, Any], key: str) -> date | None:
    return date.fromisoformat(doc[key]) if doc.get(key) else None


def keep_site(tx: Tx, city: City, doc: dict[str, Any]) -> None:
    """Writes a site (the document that comes down to tablets) and tells them."""
    before = find(tx, sites, city_id=city.id, id=doc["id"])
    put(tx, sites, {"city_id": city.id, "id": doc["id"], "name": doc["name"], "address": doc["address"], "doc": doc})
    publish(tx, city, "site", doc["id"], doc)
    if (before.doc.get("inspectors") if before else []) != doc.get("inspectors", []):
        rescope(tx, city)


def keep_permit(tx: Tx, city: City, doc: dict[str, Any]) -> None:
    """Writes a permit with its conditions and tells the tablets."""
    put(tx, permits, {
        "city_id": city.id, "id": doc["id"], "site": doc["site"], "number": doc["number"], "state": doc["state"],
        "issued_on": _day(doc, "issued_on"), "last_valid_day": _day(doc, "last_valid_day"), "doc": doc,
    })
    publish_permit(tx, city, doc)


def keep_place(tx: Tx, city: City, kind: str, doc: dict[str, Any]) -> None:
    """Writes an inlet or a control device and tells the tablets."""
    put(tx, places, {"city_id": city.id, "kind": kind, "id": doc["id"], "site": doc["site"], "doc": doc})
    publish(tx, city, kind, doc["id"], doc)
