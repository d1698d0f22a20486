"""Small looks that office pages need besides the queries: whose link this is, which law a record was made under."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from sync.records.facts import parse
from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.codes import plain
from sync.server.casework.people import person_row
from sync.server.casework.previews import previews_of
from sync.server.casework.receiving import reason_in_words
from sync.server.db.schema import evidence, facts, strays
from sync.server.db.signing_in import codes


def pack_of(city: City, ref: str | None = None) -> Any:
    """The parsed ordinance pack ``ref`` (None: the one in force). Raises Problem "subject-unknown"."""
    with city.db.read() as tx:
        return city.pack(tx, ref)


def link_person(city: City, token: str) -> dict[str, str]:
    """Whom a sign-in link would sign in: {name, title}. Uses nothing up.

    Raises Problem "code-unknown" (never made, or expired) and "link-used".
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
            raise Problem("link-used")
        person = person_row(tx, city, row.person)
        if person is None:
            raise Problem("code-unknown", "this sign-in link is for nobody we know")
        return {"name": person.name, "title": person.title}


def kept_records(city: City, ident: str) -> list[dict[str, Any]]:
    """Every record kept under this id, applied or not: the stored one first, then those kept apart; often just one.

    {id, sha256, kind, person, person_name, tablet_code, counter, at (its clocks), received_at, state, reason,
    reason_words, detail, body, evidence: [{sha256, kind, size, media, held, preview: sha256 or None}]}. A record may
    name a person that the city does not know.
    """
    with city.db.read() as tx:
        stored = tx.execute(select(facts).where(facts.c.city_id == city.id, facts.c.id == ident)).first()
        apart = list(
            tx.execute(
                select(strays)
                .where(strays.c.city_id == city.id, strays.c.fact == ident)
                .order_by(strays.c.received_at, strays.c.sha256)
            )
        )
        found = []
        for row in ([stored] if stored is not None else []) + apart:
            fact = parse(row.text)
            named = [file.sha256 for file in fact.evidence]
            here = set(
                tx.execute(
                    select(evidence.c.sha256).where(evidence.c.city_id == city.id, evidence.c.sha256.in_(named))
                ).scalars()
            )
            small = previews_of(tx, city, set(named) - here)
            person = person_row(tx, city, row.person)
            found.append(
                {
                    "id": ident,
                    "sha256": row.sha256,
                    "kind": row.kind,
                    "person": row.person,
                    "person_name": person.name if person else row.person,
                    "tablet_code": row.tablet_code,
                    "counter": fact.counter,
                    "at": fact.at,
                    "received_at": row.received_at,
                    "state": row.state if row is stored else "quarantined",
                    "reason": row.reason,
                    "reason_words": reason_in_words(row.reason),
                    "detail": row.detail,
                    "body": fact.body,
                    "evidence": [file.to_wire() | {"held": file.sha256 in here, "preview": small.get(file.sha256)}
                                 for file in fact.evidence],
                }
            )
        return found
