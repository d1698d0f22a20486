"""People in the office: one-time sign-in links and the sessions they open. There is no password to guess.

A link is redeemed by a POST that the person's own click makes; fetching it (a mail scanner, a link preview) uses
nothing up. Only hashes of link and session tokens are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import insert, or_, select, update

from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.codes import make_code, redeem
from sync.server.casework.people import ADMINISTER, person_row, require
from sync.server.db.engine import Tx
from sync.server.db.schema import people, powers
from sync.server.db.signing_in import sessions

LIFE = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class SignedInPerson:
    """Who looks at the office page, with the powers held today."""

    id: str
    name: str
    title: str
    powers: frozenset[str]

    def may(self, power: str) -> bool:
        """Whether the person holds the power today (casework checks it again in the act itself)."""
        return power in self.powers


def create_sign_in_link(city: City, actor: str, person: str) -> str:
    """The token of a link that signs ``person`` in once. Needs the power to administer ("keeper": the cli)."""

    def work(tx: Tx) -> str:
        if person_row(tx, city, person) is None:
            raise Problem("person-unknown", f"the city has nobody with the id {person!r}", where="person")
        if actor != "keeper":
            require(tx, city, actor, ADMINISTER, city.today())
        token = make_code(tx, city, "link", made_by=actor, person=person)
        record(tx, city, actor, "sign_in_link_made", f"person:{person}")
        return token

    return city.db.write(work)


def redeem_link(city: City, token: str) -> tuple[str, datetime]:
    """Opens a session and returns its token and its end. Raises Problem "code-unknown", "link-used"."""
    session = city.random_bytes(32).hex()

    def work(tx: Tx) -> datetime:
        hashed = fingerprint(session.encode())
        row, _ = redeem(tx, city, "link", token, hashed)
        now = city.now()
        tx.execute(insert(sessions).values(
            city_id=city.id, token_hash=hashed, person=row.person, created_at=now, expires_at=now + LIFE,
            ended_at=None,
        ))
        record(tx, city, row.person, "signed_in_at_office", f"person:{row.person}")
        return now + LIFE

    return session, city.db.write(work)


def session_person(city: City, token: str) -> SignedInPerson:
    """The person of a session. Raises Problem "session-missing" when it ended, expired or never was."""
    today = city.today()
    with city.db.read() as tx:
        row = tx.execute(
            select(people.c.id, people.c.name, people.c.title, people.c.valid_from, people.c.valid_until)
            .join(sessions, (sessions.c.city_id == people.c.city_id) & (sessions.c.person == people.c.id))
            .where(sessions.c.city_id == city.id,
                   sessions.c.token_hash == fingerprint(token.encode("utf-8", "surrogatepass")),
                   sessions.c.ended_at.is_(None), sessions.c.expires_at > city.now())
        ).first()
        if row is None or not _belongs(row.valid_from, row.valid_until, today):
            raise Problem("session-missing")
        held = tx.execute(select(powers.c.power).where(
            powers.c.city_id == city.id, powers.c.person == row.id, powers.c.from_day <= today,
            or_(powers.c.until_day.is_(None), powers.c.until_day >= today)))
        return SignedInPerson(row.id, row.name, row.title, frozenset(held.scalars()))


def _belongs(start: date, end: date | None, today: date) -> bool:
    return start <= today and (end is None or today <= end)


def end_session(city: City, token: str) -> None:
    """Signs out; a session that is not there is signed out already."""
    hashed = fingerprint(token.encode("utf-8", "surrogatepass"))
    city.db.write(lambda tx: tx.execute(
        update(sessions).where(sessions.c.city_id == city.id, sessions.c.token_hash == hashed)
        .values(ended_at=city.now())
    ))
