"""What else comes down about a site: the lines of its newest inspections, and why a permit is valid until its last day.

Only the newest inspections of a site come down: a tablet shows how a site stands, the office has the whole record.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import bindparam, select

from sync.ordinance.dates import permit_life
from sync.ordinance.words import words
from sync.records.facts import Fact
from sync.server.casework.city import City
from sync.server.casework.feed import publish, withdraw
from sync.server.db.engine import Tx, ask, find
from sync.server.db.schema import inspections, people

LINES = 20
_NEWEST = (
    select(inspections.c.id)
    .where(inspections.c.city_id == bindparam("city"), inspections.c.site == bindparam("site"),
           inspections.c.superseded_by.is_(None))
    .order_by(inspections.c.inspected_on.desc(), inspections.c.id.desc())
    .limit(LINES + 4))  # each new line pushes one out, so a few more than are told suffice


def publish_inspection(tx: Tx, city: City, fact: Fact, site: str, *, new: bool = False, person: Any = None,
                       instead: Sequence[str] = ()) -> None:
    """Tells the tablets the line of this inspection, which stands, and takes back what is too old to be told. ``site``:
    the one under which it is filed; ``new``: they were never told of it; ``person``: the inspector's row, where it has
    been read; ``instead``: the records in whose place it stands."""
    body = fact.body
    person = person or find(tx, people, city_id=city.id, id=fact.user)
    publish(tx, city, "inspection", fact.id, {
        "id": fact.id, "site": site, "inspected_on": body["inspected_on"], "type": body["type"],
        "outcome": body["outcome"], "person": fact.user, "inspector": person.name if person else body["signed"]["name"],
        "findings": len(body["findings"]), "critical": sum(f["severity"] == "critical" for f in body["findings"]),
        "ended": body["ended"], **({"instead": list(instead)} if instead else {}),
    }, new=new)
    newest = [row.id for row in ask(tx, _NEWEST, city=city.id, site=body["site"])]
    if not new or fact.id in newest:  # else it pushed none out
        for ident in sorted(newest[LINES:]):
            withdraw(tx, city, "inspection", ident)


def validity(pack: Any, permit: dict[str, Any]) -> dict[str, str]:
    """Why the permit's last valid day is that day, by language; {} where the law does not derive it."""
    if not (permit.get("issued_on") and permit.get("last_valid_day")) or permit["state"] in ("applied", "denied"):
        return {}
    until = permit.get("authorization_until")
    derived = permit_life(pack, date.fromisoformat(permit["issued_on"]), date.fromisoformat(until) if until else None)
    if derived.last_day is None or derived.last_day.isoformat() != permit["last_valid_day"]:
        return {}
    return {language: words(derived, language) for language in pack.languages}


def publish_permit(tx: Tx, city: City, doc: dict[str, Any]) -> None:
    """Tells the tablets of a permit, with the words on its validity."""
    publish(tx, city, "permit", doc["id"], {**doc, "validity": validity(city.pack(tx), doc)})
