"""What a tablet is known to have held that never arrived: for the day on which it is lost, broken or withdrawn.

Known from three traces only: places in its own count that stayed empty, records that other records refer to, and
evidence files that its records name. What a tablet signed after its last contact leaves no trace, and is not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, select

from sync.records.facts import Fact, parse
from sync.server.casework.city import City
from sync.server.casework.smaller_copies import copies_of
from sync.server.db.engine import Tx
from sync.server.db.schema import evidence, fact_evidence, facts, strays, tablets

MOST = 1_000


@dataclass(frozen=True, slots=True)
class Missing:
    """``counters``: runs (first, last) of the tablet's count of which nothing came, both ends included. ``needed``: ids
    of records that its records refer to and that are not here. ``files``: (sha256, kind, fact) of evidence not here;
    ``large``: those of them that are too large for this server and stay there, ``copied``: of which a smaller copy is
    here."""

    code: str
    status: str
    seen_at: datetime | None
    highest: int
    counters: tuple[tuple[int, int], ...]
    needed: tuple[str, ...]
    files: tuple[tuple[str, str, str], ...]
    large: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        """How many places of its count are empty."""
        return sum(last - first + 1 for first, last in self.counters)

    @property
    def nothing(self) -> bool:
        return not (self.counters or self.needed or self.files)


def missing_from(city: City, code: str) -> Missing | None:
    """What is known to be missing from the tablet ``code``; None when there is no such tablet. Reads only."""
    with city.db.read() as tx:
        tablet = tx.execute(select(tablets.c.status, tablets.c.seen_at).where(
            tablets.c.city_id == city.id, tablets.c.code == code)).first()
        if tablet is None:
            return None
        mine = (facts.c.city_id == city.id,
                (facts.c.tablet_code == code) | facts.c.tablet_code.startswith(f"{code}/", autoescape=True))
        apart = [parse(text) for text in tx.execute(select(strays.c.text).where(
            strays.c.city_id == city.id, strays.c.tablet_code == code)).scalars()]
        counts = {*tx.execute(select(facts.c.counter).where(*mine)).scalars(), *(fact.counter for fact in apart)}
        needs: set[str] = set()
        # What is applied refers to nothing that is not here, so of a tablet's years of records few are read.
        for text in tx.execute(select(facts.c.text).where(*mine, facts.c.state != "applied")).scalars():
            fact = parse(text)
            needs |= {*fact.needs, *([fact.revises] if fact.revises else [])}
        here = set(tx.execute(select(facts.c.id).where(
            facts.c.city_id == city.id, facts.c.id.in_(needs or [""]))).scalars())
        files = tx.execute(
            select(fact_evidence.c.sha256, fact_evidence.c.kind, fact_evidence.c.fact)
            .join(facts, and_(facts.c.city_id == fact_evidence.c.city_id, facts.c.id == fact_evidence.c.fact))
            .outerjoin(evidence, and_(evidence.c.city_id == fact_evidence.c.city_id,
                                      evidence.c.sha256 == fact_evidence.c.sha256))
            .where(fact_evidence.c.city_id == city.id, facts.c.tablet_code == code, evidence.c.sha256.is_(None))
            .order_by(facts.c.counter, fact_evidence.c.sha256).limit(MOST))
        absent = tuple((row.sha256, row.kind, row.fact) for row in files) + _of_apart(tx, city, apart)
        sizes = _sizes(tx, city, {fact for _, _, fact in absent}, apart) if absent else {}
        copied = set(copies_of(tx, city, (sha for sha, _, _ in absent)))
        large = copied | {sha for sha, _, _ in absent if sizes.get(sha, 0) > city.evidence_bytes}
        return Missing(
            code, tablet.status, tablet.seen_at, max(counts, default=0), gaps(counts), tuple(sorted(needs - here)),
            absent, tuple(sorted(large)), tuple(sorted(copied)))


def _sizes(tx: Tx, city: City, named_by: set[str], apart: list[Fact]) -> dict[str, int]:
    """How large the files are that these records name, by what they say."""
    texts = tx.execute(select(facts.c.text).where(facts.c.city_id == city.id, facts.c.id.in_(named_by))).scalars()
    return {file.sha256: file.size for fact in (*apart, *map(parse, texts)) for file in fact.evidence}


def _of_apart(tx: Tx, city: City, apart: list[Fact]) -> tuple[tuple[str, str, str], ...]:
    """The files that are not here of records that lie apart: they too say what the tablet held."""
    named = {file.sha256: (file.kind, fact.id) for fact in apart for file in fact.evidence}
    here = set(tx.execute(select(evidence.c.sha256).where(
        evidence.c.city_id == city.id, evidence.c.sha256.in_(list(named)))).scalars()) if named else set()
    return tuple((sha, kind, fact) for sha, (kind, fact) in sorted(named.items()) if sha not in here)


def gaps(counts: set[int]) -> tuple[tuple[int, int], ...]:
    """The runs of whole numbers from 1 up to the highest of ``counts`` that are not among them."""
    found, expected = [], 1
    for count in sorted(counts):
        if count > expected:
            found.append((expected, count - 1))
        expected = count + 1
    return tuple(found)
