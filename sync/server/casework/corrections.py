"""Which inspection of a chain of corrections stands.

A correction names the record that it corrects; what no other record corrects is an end of the chain. Mostly there is
one. Two copies of a tablet can each have corrected the same record without knowing of each other: then a person says
which correction counts, and until then the stricter one stands. Counts and clocks of tablets decide nothing: a tablet
that got another code counts anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.sql.functions import count

from sync.records.facts import parse
from sync.server.casework.city import City
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find_all
from sync.server.db.schema import facts, inspections

COUNT_CORRECTION = "count_correction"


def ends_of(tx: Tx, city: City, chain: Sequence[Any]) -> list[Any]:
    """The rows of ``inspections`` that may stand, of those of one root: the one that does comes first, and any other
    is a correction that a person has still to judge. ``chain`` is not empty."""
    if len(chain) == 1:
        return list(chain)
    texts = tx.execute(select(facts.c.text).where(
        facts.c.city_id == city.id, facts.c.id.in_([row.id for row in chain]))).scalars()
    corrected = {parse(text).revises for text in texts}
    out = _decided_against(tx, city, chain[0].root)
    ends = [row for row in chain if row.id not in corrected]
    # While a version of the one that counts is changed for another, those decided against are all there is.
    left = [row for row in ends if row.id not in out] or ends
    return sorted(left, key=lambda row: (-row.critical, -row.findings, row.id))


def undecided(tx: Tx, city: City) -> list[list[Any]]:
    """The corrections of one inspection that nobody has judged yet, two or more in each list, rows by id."""
    found = []
    for root in tx.execute(select(inspections.c.root).where(inspections.c.city_id == city.id)
                           .group_by(inspections.c.root).having(count() > 1)).scalars():
        ends = ends_of(tx, city, find_all(tx, inspections, city_id=city.id, root=root))
        if len(ends) > 1:
            found.append(sorted(ends, key=lambda row: row.id))
    return found


def _decided_against(tx: Tx, city: City, root: str) -> set[str]:
    """The corrections that a person said do not count. What was signed on top of one since is judged anew."""
    out: set[str] = set()
    for act in tx.execute(select(acts).where(acts.c.city_id == city.id, acts.c.about == root,
                                             acts.c.act == COUNT_CORRECTION).order_by(acts.c.at, acts.c.step)):
        out |= set(act.doc["instead"])
        out.discard(act.doc["fact"])
    return out
