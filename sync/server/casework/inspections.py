"""Inspections and their findings, folded from the facts: the same tables whatever order the facts arrived in.

A correction revises an inspection; all revisions of one form a chain with one root, and the one that no other corrects
stands (`corrections`). A finding is open until an inspection that stands says that it is put right, or
carries it on in a finding of its own, which keeps the day on which it was first found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from sync.records.bodies import found_on
from sync.records.facts import Fact, is_id, parse
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.corrections import ends_of
from sync.server.casework.feed import publish, withdraw
from sync.server.casework.finds import real_site
from sync.server.casework.found_places import drop_finds, fold_places, fold_places_of, keep_finds, named
from sync.server.casework.history import publish_inspection
from sync.server.casework.thumbnails import thumbnail_of
from sync.server.db.engine import Tx, add, ask, find, find_all, insert_if_absent
from sync.server.db.finds import place_finds
from sync.server.db.schema import closures, facts, findings, inspections

LONGEST_ID = 64
_MARK = 8
_CLOSED_BY = (
    select(closures.c.inspection)
    .join(inspections, (inspections.c.city_id == closures.c.city_id) & (inspections.c.id == closures.c.inspection))
    .where(closures.c.city_id == bindparam("city"), closures.c.finding == bindparam("finding"),
           inspections.c.superseded_by.is_(None), inspections.c.root != bindparam("root"))
    .order_by(closures.c.inspection))


def fact_of(tx: Tx, city: City, ident: str) -> Fact:
    """The fact, read from its exact text. Raises NoResultFound when the server does not have it."""
    return parse(tx.execute(
        select(facts.c.text).where(facts.c.city_id == city.id, facts.c.id == ident)
    ).scalar_one())


def apply_inspection(tx: Tx, city: City, fact: Fact, received_at: Any, *, new: bool = False,
                     person: Any = None) -> None:
    """Works one inspection in. Raises Problem when it cannot be placed. ``new``: it was stored a moment ago, so nothing
    that stands speaks of it yet; ``person``: the inspector's row, where it has been read."""
    body = fact.body
    root = fact.id
    if fact.revises:
        first = tx.execute(select(inspections.c.root).where(
            inspections.c.city_id == city.id, inspections.c.id == fact.revises)).scalar_one_or_none()
        if first is None:
            raise Problem("subject-unknown", "it corrects a record that is no inspection", where="revises")
        root = first
    for ident in finding_ids(root, body["findings"]):
        other = find(tx, findings, city_id=city.id, id=ident)
        if other is not None and other.root != root:
            raise Problem("finding-taken", f"finding {ident} belongs to another inspection", where="body.findings")
    first_of_all, site = new and not fact.revises, real_site(tx, city, body["site"])
    add(tx, inspections, {
        "city_id": city.id, "id": fact.id, "root": root, "site": site,
        "type": body["type"],
        "inspected_on": date.fromisoformat(body["inspected_on"]), "person": fact.user, "tablet_code": fact.tablet,
        "counter": fact.counter, "outcome": body["outcome"], "findings": len(body["findings"]),
        "critical": sum(f["severity"] == "critical" for f in body["findings"]),
        "superseded_by": None, "received_at": received_at,
    })
    for ident in (one for one in body.get("closes", []) if len(one) <= LONGEST_ID):  # no finding has a longer one
        insert_if_absent(tx, closures, {"city_id": city.id, "finding": ident, "inspection": fact.id})
    if body.get("places"):
        keep_finds(tx, city, fact, site)
    if first_of_all:
        publish_inspection(tx, city, fact, site, new=True, person=person)
        _tell_findings(tx, city, root, fact, site)
    else:
        refold_inspections(tx, city, root, fact)
    if body.get("places") or fact.revises:
        fold_places_of(tx, city, find_all(tx, inspections, city_id=city.id, root=root))


def refold_inspections(tx: Tx, city: City, root: str, new: Fact | None = None) -> None:
    """Brings the chain of ``root`` and every finding it speaks of to what the facts say. ``new``: one of the chain that
    has been read already."""
    chain = find_all(tx, inspections, city_id=city.id, root=root)
    head = ends_of(tx, city, chain)[0]
    for row in chain:
        standing = None if row.id == head.id else head.id
        if row.superseded_by != standing:
            tx.execute(update(inspections).where(
                inspections.c.city_id == city.id, inspections.c.id == row.id).values(superseded_by=standing))
            if standing:
                withdraw(tx, city, "inspection", row.id)
    fact = new if new is not None and new.id == head.id else fact_of(tx, city, head.id)
    publish_inspection(tx, city, fact, head.site, instead=sorted(row.id for row in chain if row.id != head.id))
    before = {row.id for row in find_all(tx, findings, city_id=city.id, root=root)}
    now = set(finding_ids(root, fact.body["findings"]))
    if before:
        tx.execute(delete(findings).where(findings.c.city_id == city.id, findings.c.root == root))
    for gone in sorted(before - now):
        publish(tx, city, "finding", gone, None)
    spoken_of = {row.finding for one in chain for row in find_all(tx, closures, city_id=city.id, inspection=one.id)}
    _tell_findings(tx, city, root, fact, head.site, spoken_of)


def _tell_findings(tx: Tx, city: City, root: str, fact: Fact, site: str, spoken_of: set[str] | None = None) -> None:
    """Files the findings of ``fact``, of which none is there, and says how they and the others ``spoken_of`` in its
    chain stand. None: its chain is itself alone."""
    now = dict(zip(finding_ids(root, fact.body["findings"]), fact.body["findings"], strict=True))
    for ident, item in now.items():
        add(tx, findings, {
            "city_id": city.id, "id": ident, "root": root, "inspection": fact.id, "site": site,
            "status": item["status"], "severity": item["severity"], "doc": _doc(tx, city, fact, site, ident, item),
        })
    if spoken_of is None:
        spoken_of = {one for one in fact.body.get("closes", []) if len(one) <= LONGEST_ID}
    for ident in sorted(spoken_of | now.keys()):
        _restate(tx, city, ident)


def move_inspections(tx: Tx, city: City, site: str, to: str) -> None:
    """Files the inspections of ``site`` with their findings under another one and tells the tablets."""
    here = (inspections.c.city_id == city.id, inspections.c.site == site)
    roots = sorted(set(tx.execute(select(inspections.c.root).where(*here)).scalars()))
    tx.execute(update(inspections).where(*here).values(site=to))
    tx.execute(update(place_finds).where(place_finds.c.city_id == city.id, place_finds.c.site == site).values(site=to))
    for root in roots:
        refold_inspections(tx, city, root)


def take_out_inspection(tx: Tx, city: City, ident: str) -> None:
    """Undoes what one inspection made, so that another version of it can be worked in."""
    root = tx.execute(select(inspections.c.root).where(
        inspections.c.city_id == city.id, inspections.c.id == ident)).scalar_one()
    spoken_of = set(tx.execute(select(closures.c.finding).where(
        closures.c.city_id == city.id, closures.c.inspection == ident)).scalars())
    withdraw(tx, city, "inspection", ident)
    tx.execute(delete(closures).where(closures.c.city_id == city.id, closures.c.inspection == ident))
    places_named = named(tx, city, ident)
    drop_finds(tx, city, ident)
    tx.execute(delete(inspections).where(inspections.c.city_id == city.id, inspections.c.id == ident))
    if tx.execute(select(inspections.c.id).where(
            inspections.c.city_id == city.id, inspections.c.root == root)).first() is not None:
        refold_inspections(tx, city, root)
    else:
        for gone in sorted(tx.execute(select(findings.c.id).where(
                findings.c.city_id == city.id, findings.c.root == root)).scalars()):
            tx.execute(delete(findings).where(findings.c.city_id == city.id, findings.c.id == gone))
            publish(tx, city, "finding", gone, None)
    for finding in sorted(spoken_of):
        _restate(tx, city, finding)
    fold_places(tx, city, places_named)


def _restate(tx: Tx, city: City, ident: str) -> None:
    """Sets a finding open or corrected by what stands now, and tells the tablets."""
    row = find(tx, findings, city_id=city.id, id=ident)
    if row is None:
        return
    closed = ask(tx, _CLOSED_BY, city=city.id, finding=ident, root=row.root)
    own = row.doc["found_as"]
    status = _closed_as(tx, city, closed, ident) if closed else own
    doc = {**row.doc, "status": status}
    if status != row.status or doc != row.doc:
        tx.execute(update(findings).where(findings.c.city_id == city.id, findings.c.id == ident)
                   .values(status=status, doc=doc))
    publish(tx, city, "finding", ident, doc)


def _closed_as(tx: Tx, city: City, closed_by: list[Any], ident: str) -> str:
    """"corrected" where one of these inspections says so, else "continued": found again, and carried on by a finding
    of theirs."""
    for row in closed_by:
        found = fact_of(tx, city, row.inspection).body["findings"]
        if not any(ident in one.get("continues", ()) for one in found):
            return "corrected"
    return "continued"


def finding_id(root: str, ident: str) -> str:
    """The id of a finding in the whole city: its own when it is random, else that of its inspection goes before."""
    return ident if is_id(ident) else f"{root}.{fingerprint(ident.encode())[:_MARK]}"


def finding_ids(root: str, found: Sequence[dict[str, Any]]) -> list[str]:
    """The id in the whole city of each of these findings of one inspection. Where a program of somebody else wrote
    several under one id, the further ones have their place among them behind it: none is filed over another."""
    given: list[str] = []
    times: Counter[str] = Counter()
    for ident in (finding_id(root, item["id"]) for item in found):
        times[ident] += 1
        given.append(ident if times[ident] == 1 else f"{ident}.{times[ident]}")
    return given


def first_of_its_id(ident: str) -> str:
    """Of a finding's id in the whole city: that of the first under the same id of its inspection, mostly itself."""
    before, _, place = ident.rpartition(".")
    return before if before and place.isdigit() and len(place) < _MARK else ident


def _doc(tx: Tx, city: City, fact: Fact, site: str, ident: str, item: dict[str, Any]) -> dict[str, Any]:
    photo = item["photos"][0] if item["photos"] else None
    return {
        "id": ident, "site": site, "item": item["item"], "title": _title(tx, city, fact, item),
        "severity": item["severity"], "found_on": found_on(item, fact.body), "due": item["due"],
        "status": item["status"], "found_as": item["status"], "inspection": fact.id,
        "photo": photo, "thumbnail": thumbnail_of(tx, city, ident, photo), "subject": item["subject"],
        "note": item["note"],
        "correction": item["correction"], "clause": item["clause"], **_age(item),
    }


def _age(item: dict[str, Any]) -> dict[str, Any]:
    """Since when it is open, where it carries earlier findings on."""
    return {name: item[name] for name in ("continues", "first_found_on", "found_at") if item.get(name)}


def _title(tx: Tx, city: City, fact: Fact, item: dict[str, Any]) -> str:
    """What the finding is called in a list: the question of its checklist item, else what must be put right."""
    try:
        pack = city.pack(tx, fact.pack)
    except Problem:
        return item["correction"] or item["item"]
    return question(pack, item["item"]) or item["correction"] or item["item"]


def question(pack: Any, ident: str) -> str | None:
    """The question of a checklist item in English, None for an item that the pack does not have."""
    try:
        return pack.item(ident).question("en")
    except KeyError:
        return None
