"""What anybody may know who holds the code of a correction notice: what must be corrected, by when, what became of it.

The record's id and the random token that was signed with it go together; neither alone is told anything, and a notice
that has not arrived looks like one that never was. Of people, only the inspector's title is shown.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from sync.records.facts import is_id
from sync.server.casework.city import City
from sync.server.casework.inspections import fact_of, finding_ids
from sync.server.db.engine import find
from sync.server.db.schema import findings, inspections, sites


@dataclass(frozen=True, slots=True)
class PublicNotice:
    """The notice as it stands now. `body` is that of the newest record of the inspection, `corrected` whether that is
    not the one the code was made for; `lines`: (finding as signed, its status now: open, corrected, continued)."""

    address: str
    inspected_on: str
    title: str
    pack: str
    corrected: bool
    body: dict[str, Any]
    lines: tuple[tuple[dict[str, Any], str], ...]


def public_notice(city: City, ident: str, token: str | None) -> PublicNotice | None:
    """None for everything that is not both known and proved. Never raises for what a stranger may send."""
    if not is_id(ident) or not token:
        return None
    with city.db.read() as tx:
        row = find(tx, inspections, city_id=city.id, id=ident)
        if row is None:
            return None
        expected = fact_of(tx, city, ident).body.get("notice_token") or ""
        if not expected or not hmac.compare_digest(token.encode("utf-8", "surrogatepass"), expected.encode()):
            return None
        standing = row.superseded_by or ident
        fact = fact_of(tx, city, standing)
        now = {one.id: one.status for one in tx.execute(select(findings.c.id, findings.c.status).where(
            findings.c.city_id == city.id, findings.c.root == row.root))}
        site = find(tx, sites, city_id=city.id, id=row.site)
    body = fact.body
    lines = tuple((one, now.get(ident, one["status"])) for one, ident in zip(
        body["findings"], finding_ids(row.root, body["findings"]), strict=True))
    return PublicNotice(
        address=site.address if site is not None else "", inspected_on=body["inspected_on"],
        title=body["signed"]["title"], pack=fact.pack, corrected=standing != ident, body=body, lines=lines)
