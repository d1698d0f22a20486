"""Inlets and control devices that a signed inspection adds or finds gone, on this tablet's own list at once.

Written in the change that signs. The office's document of the same id comes down later and takes the place of what
stands here; it is made by the same rule (`sync/records/found_places.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from field_app.capture.draft import Subject
from field_app.capture.places import ADDED, RETIRED
from sync.records.facts import Fact
from sync.records.found_places import added, gone, there_again

if TYPE_CHECKING:
    from field_app.work.desk import Desk

TABLES = {"inlet": "inlets", "device": "devices"}


def take_over(tx: Any, fact: str, site: str, places: Iterable[Mapping[str, Any]], revised: Fact | None) -> None:
    """What the inspection `fact` says of places counts from now on; no longer what the one said that it corrects."""
    said = list(places)
    if revised is not None:
        _take_back(tx, revised, {(one["act"], one["kind"], one["id"]) for one in said})
    for one in said:
        table = TABLES[one["kind"]]
        known = tx.get(table, one["id"])
        if one["act"] == ADDED and known is None:
            tx.put(table, one["id"], added(fact, site, one))
        elif one["act"] == ADDED and revised is not None and known.get("found_by") == revised.id:
            tx.put(table, one["id"], {**known, **added(fact, site, one), "retired": known["retired"]})
        elif one["act"] == RETIRED and known is not None:
            tx.put(table, one["id"], gone(known, fact, one))


def _take_back(tx: Any, revised: Fact, said_again: set[tuple[str, str, str]]) -> None:
    for one in revised.body.get("places", ()):
        table = TABLES[one["kind"]]
        known = tx.get(table, one["id"])
        if known is None or (one["act"], one["kind"], one["id"]) in said_again:
            continue
        if one["act"] == ADDED and known.get("found_by") == revised.id:
            tx.delete(table, one["id"])
        elif one["act"] == RETIRED and known.get("retired_by") == revised.id:
            tx.put(table, one["id"], there_again(known))


def gone_in(desk: Desk, body: Mapping[str, Any]) -> list[Subject]:
    """What a signed inspection found gone, to be asked again if its correction says that it is there after all."""
    found = []
    for one in body.get("places", ()):
        if one["act"] == RETIRED:
            known = desk.store.table(TABLES[one["kind"]]).get(one["id"]) or {}
            kind = known.get("kind", "") if one["kind"] == "device" else ""
            found.append(Subject(one["kind"], one["id"], one["label"], one["place"], "", kind))
    return found
