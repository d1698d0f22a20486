"""Inlets and control devices that inspectors added to a site or found gone, folded from the inspections that stand.

The office's own entry is never written over: what an inspection says lies over it, and goes with a correction of that
inspection. A place that is gone for one standing inspection is gone, whichever record arrived first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, delete, select

from sync.records import found_places
from sync.records.facts import Fact
from sync.server.casework.city import City
from sync.server.casework.feed import publish, withdraw
from sync.server.db.engine import Tx, find, insert_if_absent, put
from sync.server.db.finds import place_finds
from sync.server.db.schema import inspections, places

LONGEST_ID = 64
_STANDING = (
    select(place_finds.c.act, place_finds.c.site, place_finds.c.doc, place_finds.c.inspection)
    .join(inspections, (inspections.c.city_id == place_finds.c.city_id)
          & (inspections.c.id == place_finds.c.inspection))
    .where(place_finds.c.city_id == bindparam("city"), place_finds.c.kind == bindparam("kind"),
           place_finds.c.id == bindparam("id"), inspections.c.superseded_by.is_(None))
    .order_by(inspections.c.inspected_on, inspections.c.id))


def keep_finds(tx: Tx, city: City, fact: Fact, site: str) -> None:
    """Keeps what a newly applied inspection says of places; ``fold_places`` makes it count."""
    for one in fact.body.get("places", ()):
        if len(one["id"]) > LONGEST_ID:
            continue  # no place has a longer id
        insert_if_absent(tx, place_finds, {
            "city_id": city.id, "inspection": fact.id, "kind": one["kind"], "id": one["id"], "act": one["act"],
            "site": site, "doc": one,
        })


def named(tx: Tx, city: City, inspection: str) -> set[tuple[str, str]]:
    """(kind, id) of the places that an inspection speaks of."""
    return set(tx.execute(select(place_finds.c.kind, place_finds.c.id).where(
        place_finds.c.city_id == city.id, place_finds.c.inspection == inspection)).tuples())


def drop_finds(tx: Tx, city: City, inspection: str) -> None:
    """Forgets what a record said of places that is taken out; ``fold_places`` follows."""
    tx.execute(delete(place_finds).where(
        place_finds.c.city_id == city.id, place_finds.c.inspection == inspection))


def fold_places(tx: Tx, city: City, places_named: set[tuple[str, str]]) -> None:
    """Brings these places to what the standing inspections say, and tells the tablets."""
    for kind, ident in sorted(places_named):
        _fold(tx, city, kind, ident)


def fold_places_of(tx: Tx, city: City, chain: Iterable[Any]) -> None:
    """The same for all places that these rows of ``inspections`` speak of."""
    fold_places(tx, city, {place for one in chain for place in named(tx, city, one.id)})


def _fold(tx: Tx, city: City, kind: str, ident: str) -> None:
    row = find(tx, places, city_id=city.id, kind=kind, id=ident)
    said = list(tx.execute(_STANDING, {"city": city.id, "kind": kind, "id": ident}))
    added = [one for one in said if one.act == "add"]
    gone = [one for one in said if one.act == "retire"]
    doc = _office(row.doc) if row is not None else None
    if doc is None and added:
        doc = found_places.added(added[-1].inspection, added[-1].site, added[-1].doc)
    if doc is None:
        if row is not None:
            tx.execute(delete(places).where(places.c.city_id == city.id, places.c.kind == kind, places.c.id == ident))
            withdraw(tx, city, kind, ident)
        return
    if gone:
        doc = found_places.gone(doc, gone[-1].inspection, gone[-1].doc)
    if row is None or row.doc != doc:
        put(tx, places, {"city_id": city.id, "kind": kind, "id": ident, "site": doc["site"], "doc": doc})
    publish(tx, city, kind, ident, doc)


def _office(doc: dict[str, Any]) -> dict[str, Any] | None:
    """The office's own entry without what lies over it; None for one that an inspection made."""
    if doc.get("found_by"):
        return None
    return found_places.there_again(doc) if "retired_by" in doc else doc
