"""Small looks that office pages need besides the queries: whose link this is, which law a record was made under."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.codes import plain
from sync.server.casework.people import person_row
from sync.server.db.schema import codes


def pack_of(city: City, ref: str | None = None) -> Any:
    """The parsed ordinance pack ``ref`` (None: the one in force). Raises Problem "subject-unknown"."""
    with city.db.read() as tx:
        return city.pack(tx, ref)


def link_person(city: City, token: str) -> dict[str, str]:
    """Whom a sign-in link would sign in: {name, title}. Uses nothing up.

    Raises Problem "code-unknown" (never made, or expired) and "code-used".
    """
    given = plain(token)
    if len(given) > 64:
        raise Problem("code-unknown", "this is not one of our links")
    with city.db.read() as tx:
        row = tx.execute(
            select(codes).where(codes.c.city_id == city.id, codes.c.code_hash == city.keyed_hash("link", given))
        ).first()
        if row is None or row.purpose != "link" or (row.used_by is None and row.expires_at <= city.now()):
            raise Problem("code-unknown", "this sign-in link is not known, or it is too old")
        if row.used_by is not None:
            raise Problem("code-used", "this sign-in link has already been used")
        person = person_row(tx, city, row.person)
        if person is None:
            raise Problem("code-unknown", "this sign-in link is for nobody we know")
        return {"name": person.name, "title": person.title}
