"""How the credentials of people on tablets stand: told to their own tablet alone, and ended by the office.

A credential that was ended signs nothing any more: the tablet says so as soon as it hears of it, and what is still
signed under it is set aside when it arrives. A new personal code on the same tablet makes it good again.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.feed import publish
from sync.server.casework.people import ADMINISTER, KEEPER, needs_reasons, require
from sync.server.casework.scope import rescope
from sync.server.db.engine import Tx, change, find
from sync.server.db.schema import credentials, tablets

_OWN = select(tablets.c.id).where(tablets.c.city_id == bindparam("city"), tablets.c.code == bindparam("code"))


def is_ended(tx: Tx, city: City, credential: str) -> bool:
    """Whether the office ended this credential."""
    row = find(tx, credentials, city_id=city.id, id=credential)
    return row is not None and row.revoked_at is not None


def publish_credential(tx: Tx, city: City, credential: str) -> None:
    """Tells the tablet how this credential stands, and looks again at what the tablet sees."""
    row = find(tx, credentials, city_id=city.id, id=credential)
    tablet = tx.execute(_OWN, {"city": city.id, "code": row.tablet_code}).scalar_one_or_none()
    if tablet is not None:
        at = row.revoked_at or row.created_at
        publish(tx, city, "credential", row.id, {
            "id": row.id, "person": row.person, "state": "revoked" if row.revoked_at else "valid",
            "at": at.isoformat(timespec="seconds"),
        }, audience=tablet)
    rescope(tx, city)


def renew_credential(tx: Tx, city: City, credential: str, *, first: bool) -> None:
    """The person signed in; ``first``: with a code that was not used before, which takes an ending back."""
    if first and is_ended(tx, city, credential):
        change(tx, credentials, {"city_id": city.id, "id": credential}, {"revoked_at": None})
    publish_credential(tx, city, credential)


def end_credential(city: City, actor: str, code: str, person: str, reasons: str) -> None:
    """Ends what lets the person sign on the tablet ``code``. Needs the power to administer.

    Raises Problem "not-found", "already-decided", "reasons-missing", "no-authority".
    """

    def work(tx: Tx) -> None:
        if actor != KEEPER:
            require(tx, city, actor, ADMINISTER, city.today())
        needs_reasons(reasons)
        row: Any = find(tx, credentials, city_id=city.id, tablet_code=code, person=person)
        if row is None:
            raise Problem("not-found", f"{person} never signed in on tablet {code}", where="person")
        if row.revoked_at is not None:
            raise Problem("already-decided", f"{person} was signed out of tablet {code} before")
        change(tx, credentials, {"city_id": city.id, "id": row.id}, {"revoked_at": city.now()})
        record(tx, city, actor, "credential_ended", f"tablet:{code}", person=person, reasons=reasons.strip())
        publish_credential(tx, city, row.id)

    city.db.write(work)
