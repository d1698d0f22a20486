"""Who may do what, and from which day to which: a power is granted to a person by name, with its dates.

A power is looked up for the day of the act. Nobody holds a power because of a title.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from sqlalchemy import or_, select

from sync.ordinance.words import say_day
from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.db.engine import Tx, find, find_all, put
from sync.server.db.schema import people, powers

INSPECT = "inspect"
POST = "post"
CONFIRM = "confirm_or_decline"
ISSUE = "issue"
VOID = "void_and_supersede"
RATIFY = "ratify"
RELEASE = "release"
EXTEND = "extend"
REVOKE = "revoke"
DECIDE_APPLICATIONS = "decide_applications"
CERTIFY_PERIL = "certify_peril"
REVISE = "revise"
APPROVE_ENTRY = "approve_entry"
ADMINISTER = "administer"

POWERS = frozenset({
    INSPECT, POST, CONFIRM, ISSUE, VOID, RATIFY, RELEASE, EXTEND, REVOKE, DECIDE_APPLICATIONS, CERTIFY_PERIL, REVISE,
    APPROVE_ENTRY, ADMINISTER,
})

# Who acts where no person does: the machine's command line, and the server itself. Never ids of people.
KEEPER, SERVER = "keeper", "server"


def person_row(tx: Tx, city: City, person: str) -> Any | None:
    """The person's row, or None."""
    return find(tx, people, city_id=city.id, id=person)


def holds(tx: Tx, city: City, person: str, power: str, on: date, known: Any | None = None) -> bool:
    """Whether the person belonged to the city and held the power on that day (both ends included). ``known``: the
    person's row, if it has just been read."""
    row = known or person_row(tx, city, person)
    if row is None or on < row.valid_from or (row.valid_until is not None and on > row.valid_until):
        return False
    grants = find_all(tx, powers, city_id=city.id, person=person, power=power)
    return any(grant.from_day <= on and (grant.until_day is None or on <= grant.until_day) for grant in grants)


def needs_reasons(reasons: str) -> None:
    """Raises Problem "reasons-missing" where nothing was written: an act for which a person must say why."""
    if not reasons.strip():
        raise Problem("reasons-missing", where="reasons")


def require(tx: Tx, city: City, person: str, power: str, on: date) -> None:
    """Raises Problem "no-authority" unless the person holds the power on that day."""
    if not holds(tx, city, person, power, on):
        row = person_row(tx, city, person)
        name = row.name if row else person
        day = say_day(on, near=date.min)
        called = said_power(city.pack(tx), power)
        raise Problem("no-authority", f"{name} does not hold the power to {called} on {day}")


def said_power(pack: Any, power: str, language: str = "en") -> str:
    """A power as the pack calls it, to stand inside a sentence; by its id where the pack does not know it."""
    said = pack.powers.labels.get(power, {}).get(language) or power.replace("_", " ")
    return said[:1].lower() + said[1:]


def publish_person(tx: Tx, city: City, person: str) -> None:
    """Tells the tablets who this is and what they may do."""
    row = person_row(tx, city, person)
    if row is None:
        publish(tx, city, "person", person, None)
        return
    grants = tx.execute(
        select(powers).where(powers.c.city_id == city.id, powers.c.person == person)
        .order_by(powers.c.power, powers.c.from_day)
    )
    publish(tx, city, "person", person, {
        "id": row.id, "name": row.name, "title": row.title, "credential_no": row.credential_no or "",
        "powers": [_granted(row, grant) for grant in grants],
    })


def _granted(person: Any, grant: Any) -> dict[str, Any]:
    """A grant as a tablet may use it: no longer than the person belongs to the city."""
    ends = [day for day in (grant.until_day, person.valid_until) if day is not None]
    return {"power": grant.power, "from": max(grant.from_day, person.valid_from).isoformat(),
            "until": min(ends).isoformat() if ends else None}


def keep_person(tx: Tx, city: City, ident: str, *, name: str, title: str, credential_no: str | None,
                valid_from: date, valid_until: date | None, grants: list[tuple[str, date, date | None]]) -> None:
    """Writes a person and their powers (power, from, until) and tells the tablets."""
    if ident in (KEEPER, SERVER):
        raise ValueError(f"{ident!r} is the name of a program, not of a person")
    put(tx, people, {
        "city_id": city.id, "id": ident, "name": name, "title": title, "credential_no": credential_no,
        "valid_from": valid_from, "valid_until": valid_until,
    })
    for power, start, end in grants:
        put(tx, powers, {"city_id": city.id, "person": ident, "power": power, "from_day": start, "until_day": end})
    publish_person(tx, city, ident)


def grant(city: City, actor: str, ident: str, *, name: str, title: str, credential_no: str | None,
          powers: list[str]) -> None:
    """Adds the person, or brings them up to date ("" or None: as it is), and grants the powers from today on. Needs the
    power to administer (actor "keeper": the machine's own command line). What they hold already stays as it is."""

    def work(tx: Tx) -> None:
        from sync.server.casework.audit import record

        today = city.today()
        if actor != KEEPER:
            require(tx, city, actor, ADMINISTER, today)
        known = find(tx, people, city_id=city.id, id=ident)
        new = [power for power in powers if not holds(tx, city, ident, power, today)]
        keep_person(
            tx, city, ident, name=name, title=title or (known.title if known else ""),
            credential_no=credential_no if credential_no is not None or known is None else known.credential_no,
            valid_from=min(known.valid_from, today) if known else today,
            valid_until=known.valid_until if known else None, grants=[(power, today, None) for power in new])
        record(tx, city, actor, "person_kept", f"person:{ident}", name=name, powers=new)

    city.db.write(work)


def end_power(city: City, actor: str, person: str, power: str, last_day: date) -> None:
    """Ends every grant of the power to the person with ``last_day``. Needs the power to administer.

    Raises Problem "no-authority", "person-unknown", and "act-not-open" when nobody would be left who administers.
    """

    def work(tx: Tx) -> None:
        from sync.server.casework.audit import record

        require(tx, city, actor, ADMINISTER, city.today())
        if find(tx, people, city_id=city.id, id=person) is None:
            raise Problem("person-unknown", f"the city has nobody with the id {person!r}", where="person")
        tx.execute(
            powers.update().where(
                powers.c.city_id == city.id, powers.c.person == person, powers.c.power == power,
                or_(powers.c.until_day.is_(None), powers.c.until_day > last_day),
            ).values(until_day=last_day)
        )
        rows = tx.execute(select(people.c.id).where(people.c.city_id == city.id)).scalars().all()
        if not any(holds(tx, city, one, ADMINISTER, max(last_day, city.today()) + timedelta(days=1)) for one in rows):
            raise Problem("act-not-open", "nobody would be left who administers; grant it to somebody else first")
        record(tx, city, actor, "power_ended", f"person:{person}", power=power, last_day=last_day.isoformat())
        publish_person(tx, city, person)

    city.db.write(work)
