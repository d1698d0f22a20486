"""The findings that an order on a site may rest on: open ones of inspections signed here, and those that came down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from field_app.work.sealing import in_line
from field_app.work.sites import grouped, place_labels
from sync.ordinance.pack import Pack
from sync.records.bodies import SEVERITIES, found_on
from sync.records.facts import is_id

if TYPE_CHECKING:
    from field_app.work.desk import Desk


@dataclass(frozen=True, slots=True)
class OrderFinding:
    """`fact` is the id of the inspection, `finding` of the finding. `subject` in words, "" for the site. `topic`
    is the title of its checklist."""

    fact: str
    finding: str
    item: str
    title: str
    topic: str
    subject: str
    severity: str
    clause: str
    grounds: tuple[str, ...]
    note: str
    correction: str
    due: dict[str, Any] | None
    found_on: str
    about: dict[str, str] | None
    inputs: dict[str, Any]
    first_found_on: str | None = None
    photo: str | None = None

    def as_earlier(self) -> dict[str, Any]:
        """As a later inspection remembers it."""
        names = {"id": self.finding, "item": self.item, "title": self.title, "severity": self.severity}
        names |= {"inspection": self.fact, "note": self.note, "correction": self.correction}
        optional = {"first_found_on": self.first_found_on, "photo": self.photo, "due": self.due}
        known = {name: value for name, value in optional.items() if value is not None}
        return {**names, **known, "subject": self.about, "found_on": self.found_on, "status": "open"}

    @property
    def where(self) -> str:
        """What it is about, for a line on an order: the inlet, the device, else the checklist."""
        return self.subject or self.topic

    def line(self) -> str:
        """The finding as one line: the inspector's own words where there are any."""
        return f"{self.where}: {self.note or self.title}"

    def for_paper(self) -> dict[str, Any]:
        """As the placard takes it: the finding as signed."""
        about = {"item": self.item, "subject": self.about, "inputs": self.inputs}
        return {**about, "note": self.note, "clause": self.clause}


def item_title(pack: Pack, item: str, language: str) -> str:
    """The question of an item, whatever its checklist; the id itself when this pack does not have it."""
    try:
        return pack.item(item).question(language)
    except KeyError:
        return item


def item_topic(pack: Pack, item: str, language: str) -> str:
    """The title of the checklist that the item is on; "" when this pack does not have it."""
    try:
        return pack.checklists[pack.item(item).topic].title(language)
    except KeyError:
        return ""


def item_grounds(pack: Pack, item: str) -> tuple[str, ...]:
    """The grounds that a failure of this item supports."""
    try:
        return pack.item(item).grounds
    except KeyError:
        return ()


def available(desk: Desk, site: str) -> list[OrderFinding]:
    """The gravest first. A finding signed here wins over the same one as it came down, until that says corrected."""
    pack, labels = desk.pack(), place_labels(desk, site)
    came_down = {doc["id"]: doc for doc in grouped(desk, "findings").get(site, [])}
    found: dict[str, OrderFinding] = {}
    for row, body in standing_inspections(desk, site):
        for closed in body.get("closes", []):
            found.pop(closed, None)
            came_down.pop(closed, None)
        for finding in body["findings"]:
            if finding["status"] == "open" and came_down.get(finding["id"], {}).get("status", "open") == "open":
                found[finding["id"]] = _made(
                    desk, pack, labels, row["id"], {**finding, "found_on": found_on(finding, body)}, finding["grounds"]
                )
    for doc in came_down.values():
        if doc["id"] not in found and doc.get("status", "open") == "open" and is_id(doc["id"]):
            found[doc["id"]] = _made(desk, pack, labels, doc["inspection"], doc, item_grounds(pack, doc["item"]))
    return sorted(found.values(), key=lambda f: (SEVERITIES.index(f.severity), f.title, f.subject))


def corrected_by(desk: Desk) -> dict[str, str]:
    """For each inspection that a later record corrects, that record: one signed here, or where the office says that
    another one stands, that."""
    rows = sorted((row for row in desk.store.table("facts").all() if row["kind"] == "inspection_signed"), key=in_line)
    own = {fact.revises: fact.id for fact in map(desk.fact, rows) if fact.revises}
    return own | {gone: doc["id"] for doc in desk.store.table("inspections").all() for gone in doc.get("instead", ())}


def standing_inspections(desk: Desk, site: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The inspections of the site signed here that no later one corrects, (outbox document, body), oldest first."""
    over = corrected_by(desk)
    rows = sorted(desk.store.table("facts").all(), key=in_line)
    own = ((row, desk.fact(row).body) for row in rows if row["kind"] == "inspection_signed" and row["id"] not in over)
    return [(row, body) for row, body in own if body["site"] == site]


def closed_here(desk: Desk, site: str) -> set[str]:
    """The findings that an inspection signed here says are put right or carried on by another finding."""
    return {closed for _row, body in standing_inspections(desk, site) for closed in body.get("closes", [])}


def finding_of(desk: Desk, site: str, fact: str, finding: str) -> OrderFinding | None:
    return next((f for f in available(desk, site) if (f.fact, f.finding) == (fact, finding)), None)


def _made(
    desk: Desk, pack: Pack, labels: dict[tuple[str, str], str], fact: str, raw: dict[str, Any], grounds: Any
) -> OrderFinding:
    subject = raw.get("subject") or {}
    return OrderFinding(
        fact=fact,
        finding=raw["id"],
        item=raw["item"],
        title=item_title(pack, raw["item"], desk.law_language),
        topic=item_topic(pack, raw["item"], desk.law_language),
        subject=labels.get((subject.get("kind", ""), subject.get("id", "")), ""),
        severity=raw["severity"],
        clause=raw.get("clause") or "",
        grounds=tuple(grounds),
        note=raw.get("note") or "",
        correction=raw.get("correction") or "",
        due=raw.get("due"),
        found_on=raw["found_on"],
        about={"kind": subject["kind"], "id": subject["id"]} if subject else None,
        inputs=raw.get("inputs") or {},
        first_found_on=raw.get("first_found_on"),
        photo=raw.get("photo") or next(iter(raw.get("photos") or ()), None),
    )
