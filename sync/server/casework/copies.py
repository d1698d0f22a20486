"""A tablet that was copied, or set back to an earlier copy of itself, gets a code, numbers and credentials of its own.

Two tablets under one code would count their records and take their order numbers from the same row. The tablet sees it
(its place in the count is taken, or we have counted further than it has) and asks; nothing that it signed before is
touched. Its people keep working: whoever proves a credential of the old code is given one of the new.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import func, insert, select

from sync.records.macs import is_fingerprint, sign, verify
from sync.records.problems import Problem
from sync.records.proofs import fits, recode_proof
from sync.records.wire import encode
from sync.server.casework.audit import record
from sync.server.casework.blanks import tell_heir
from sync.server.casework.city import City
from sync.server.casework.enrolment import (
    Enrolled,
    SignedIn,
    Tablet,
    credential_of,
    enrolled,
    new_code,
    new_tablet,
    person_doc,
)
from sync.server.casework.people import person_row
from sync.server.casework.scope import inherit
from sync.server.casework.standings import is_ended, publish_credential
from sync.server.db.engine import Tx, add, find, find_all, insert_if_absent
from sync.server.db.schema import credentials, facts, tablets
from sync.server.db.tablets import tablet_lines

LONGEST_LINE = 20
MOST_COPIES = 30
"""So many codes of their own are given to all that descend from one enrolled tablet. A real one is copied once or
twice; what asks without end would use up the codes of the whole city."""


@dataclass(frozen=True, slots=True)
class Recoded:
    """What the copy is from now on, and its people's credentials under the new code."""

    enrolled: Enrolled
    people: tuple[SignedIn, ...]
    line: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """That the tablet ``code`` had the code ``was`` before, sealed under the city's secret. The tablet shows it with
    what it signs under a number of the old code, so that a server restored to before that recognises it."""

    code: str
    was: str
    seal: str


def recode_tablet(city: City, tablet: Tablet, secret: str, proofs: Iterable[tuple[str, str]], *,
                  ageing: bool, marks: bool = True) -> Recoded:
    """A code of its own for the tablet that made ``secret`` (64 hex digits) and still bears the token of ``tablet``.

    ``proofs``: (person, ``recode_proof``) of each credential it holds. The same request gets the same answer. Raises
    Problem "tablet-revoked", "body-malformed", "tablet-copied-too-often", "tablet-codes-gone", "protocol-too-old".
    """
    if tablet.status != "active":
        raise Problem("tablet-revoked")
    if not is_fingerprint(secret):
        raise Problem("body-malformed", "the secret is 64 lower-case hex digits", where="secret")
    given = list(proofs)

    def work(tx: Tx) -> Recoded:
        ident = city.key("tablet-id", "recode", tablet.id, secret).hex()[:32]
        row = find(tx, tablets, city_id=city.id, id=ident)
        if row is None:
            _bound(tx, city, tablet.code)
            code = new_code(tx, city, marks=marks)
            add(tx, tablets, new_tablet(city, ident, code))
            tx.execute(insert(tablet_lines).values(city_id=city.id, code=code, parent=tablet.code, at=city.now()))
            inherit(tx, city, tablet.id, ident)
            tell_heir(tx, city, tablet.code)
            record(tx, city, "server", "tablet_recoded", f"tablet:{code}", was=tablet.code, tablet=ident)
            row = find(tx, tablets, city_id=city.id, id=ident)
        people = []
        for person, proof in given:
            old, old_key = credential_of(city, tablet.code, person)
            gone = person_row(tx, city, person) is None or is_ended(tx, city, old)
            if gone or not fits(recode_proof(old_key, secret), proof):
                continue  # the person signs in anew with a personal code
            name, key = credential_of(city, row.code, person)
            insert_if_absent(tx, credentials, {"city_id": city.id, "id": name, "tablet_code": row.code,
                                               "person": person, "created_at": city.now(), "revoked_at": None})
            publish_credential(tx, city, name)
            people.append(SignedIn(person_doc(tx, city, person), name, key))
        return Recoded(enrolled(tx, city, row, ageing=ageing, marks=marks), tuple(people), _line(tx, city, row.code))

    return city.db.write(work)


def _bound(tx: Tx, city: City, code: str) -> None:
    """Raises Problem "tablet-copied-too-often" when the tablets of this tablet's family were given codes enough."""
    first = (code, *earlier_codes(tx, city, code))[-1]
    family, todo = {first}, [first]
    while todo:
        found = {row.code for row in find_all(tx, tablet_lines, city_id=city.id, parent=todo.pop())} - family
        family |= found
        todo += found
    if len(family) > MOST_COPIES:
        raise Problem("tablet-copied-too-often", f"{len(family) - 1} tablets that were {first} have codes of their own")


def earlier_codes(tx: Tx, city: City, code: str) -> tuple[str, ...]:
    """The codes that the tablet of this code had before, the latest first."""
    found: list[str] = []
    while len(found) < LONGEST_LINE:
        row = find(tx, tablet_lines, city_id=city.id, code=found[-1] if found else code)
        if row is None:
            break
        found.append(row.parent)
    return tuple(found)


def line_seal(city: City, code: str, was: str) -> str:
    """The seal of one link of the line."""
    return sign(city.key("tablet-line"), encode([code, was]))


def _line(tx: Tx, city: City, code: str) -> tuple[Link, ...]:
    codes = (code, *earlier_codes(tx, city, code))
    return tuple(Link(now, was, line_seal(city, now, was)) for now, was in pairwise(codes))


def recognise_line(tx: Tx, city: City, code: str, shown: Iterable[Mapping[str, str]]) -> None:
    """Takes back what codes this tablet had before, from the links that it shows, as far as their seals are ours. A
    server that was restored to before it gave the tablet its code has forgotten them."""
    links = {link["code"]: link for link in shown}
    for _ in range(LONGEST_LINE):
        link = links.get(code)
        if link is None or not verify(city.key("tablet-line"), encode([code, link["was"]]), link["seal"]):
            return
        if insert_if_absent(tx, tablet_lines, {"city_id": city.id, "code": code, "parent": link["was"],
                                               "at": city.now()}):
            record(tx, city, "server", "tablet_line_recognised", f"tablet:{code}", was=link["was"])
            tell_heir(tx, city, link["was"])
        code = link["was"]


def lines(city: City) -> dict[str, str]:
    """Of every tablet that was given a code of its own: the code it had before, by the one it has."""
    with city.db.read() as tx:
        return dict(tx.execute(select(tablet_lines.c.code, tablet_lines.c.parent).where(
            tablet_lines.c.city_id == city.id)).tuples().all())


def counted(city: City, code: str) -> int:
    """The highest place in this tablet's count that we hold a record of; 0: none. A tablet that has counted less than
    that is a copy, or was set back."""
    with city.db.read() as tx:
        return tx.execute(select(func.max(facts.c.counter)).where(
            facts.c.city_id == city.id, facts.c.tablet_code == code)).scalar_one() or 0
