"""Smaller copies of originals that are too large for this server: what came instead, and what stays on a tablet.

The copy is a file of its own and never stands for its original: that one's record stays incomplete, and the office is
told on which tablet the original lies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, select

from sync.records.facts import Fact, parse
from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.files import smaller_copies
from sync.server.db.schema import facts


def apply_smaller_copy(tx: Tx, city: City, fact: Fact) -> None:
    """Works it in. Raises Problem "subject-unknown" when the record that it is about does not name the original."""
    body = fact.body
    about = find(tx, facts, city_id=city.id, id=body["about"]["fact"])
    if about is None or body["original"]["sha256"] not in {file.sha256 for file in parse(about.text).evidence}:
        raise Problem("subject-unknown", "that record does not name this original", where="body.original")
    insert_if_absent(tx, smaller_copies, {
        "city_id": city.id, "original": body["original"]["sha256"], "fact": fact.id, "sha256": body["copy"]["sha256"],
        "about": body["about"]["fact"], "doc": {**body, "tablet": fact.tablet},
    })


def take_out_smaller_copy(tx: Tx, city: City, fact: str) -> None:
    """Undoes what the applied record made."""
    tx.execute(delete(smaller_copies).where(smaller_copies.c.city_id == city.id, smaller_copies.c.fact == fact))


def copies_of(tx: Tx, city: City, originals: Iterable[str]) -> dict[str, dict[str, Any]]:
    """By the SHA-256 of each original that stays on a tablet: {sha256 of the copy, fact, size, limit, tablet, made}."""
    wanted = sorted(set(originals))
    if not wanted:
        return {}
    rows = tx.execute(select(smaller_copies).where(
        smaller_copies.c.city_id == city.id, smaller_copies.c.original.in_(wanted)).order_by(smaller_copies.c.fact))
    return {row.original: {"sha256": row.sha256, "fact": row.fact, "size": row.doc["original"]["size"],
                           "limit": row.doc["limit"], "tablet": row.doc["tablet"], "made": row.doc["made"]}
            for row in rows}
