"""What a tablet's records have become at the server: read from its database beside it, once they are there."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import select

from sync.records.facts import Fact, parse
from sync.server.casework.city import City
from sync.server.db.schema import evidence, facts
from tests.support.server import Server

FIRST = "T07"  # the first tablet that is enrolled in the demo city
Found = TypeVar("Found")


def until_there(server: Server, look: Callable[[City], Found | None], what: str, patience: float = 90.0) -> Found:
    """What `look` finds in the city; waits until it finds something."""
    end = time.monotonic() + patience
    with server.city() as city:
        while not (found := look(city)):
            assert time.monotonic() < end, f"it did not come: {what}"
            time.sleep(0.2)
    return found


def applied(server: Server, kind: str, count: int = 1, *, tablet: str = FIRST, site: str = ""
            ) -> list[Fact]:
    """The tablet's applied records of that kind, of one site or of all, in the order in which they were signed; waits
    for so many."""

    def look(city: City) -> list[Fact] | None:
        with city.db.read() as tx:
            found = [parse(row.text) for row in tx.execute(select(facts.c.text).where(
                facts.c.city_id == city.id, facts.c.kind == kind, facts.c.tablet_code == tablet,
                facts.c.state == "applied").order_by(facts.c.counter))]
        found = [one for one in found if site in ("", one.body.get("site"))]
        return found if len(found) >= count else None

    found = until_there(server, look, f"{count} x {kind}")
    assert len(found) == count, [one.body for one in found]
    return found


def held(server: Server, *wanted: str) -> dict[str, str]:
    """The media type of each of these evidence files; waits until all of them are held."""

    def look(city: City) -> dict[str, str] | None:
        with city.db.read() as tx:
            here = {row.sha256: row.media for row in tx.execute(select(evidence.c.sha256, evidence.c.media).where(
                evidence.c.city_id == city.id, evidence.c.sha256.in_(wanted)))}
        return here if len(here) == len(set(wanted)) else None

    return until_there(server, look, f"the files {wanted}")
