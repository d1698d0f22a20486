"""One-time codes that a person reads off one screen and types into another: made here, redeemed once.

A code is redeemed by whoever gives it first; the same one may ask again and gets the same answer (a lost reply
burns nothing), anybody else is told that it was used. Only a keyed hash is kept, so the database shows no code.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import insert, select, update

from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.db.engine import Tx
from sync.server.db.signing_in import codes

# Crockford's letters: no I, L, O, U, so that no two look alike on a wet screen.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOKS_LIKE = str.maketrans({"O": "0", "I": "1", "L": "1", "U": "V"})
LIFE = {"enrol": timedelta(days=2), "personal": timedelta(days=2), "link": timedelta(days=1)}
LENGTH = {"enrol": 12, "personal": 10, "link": 32}


def plain(code: str) -> str:
    """The code as it is compared: case, blanks and hyphens forgiven, look-alike letters read as one."""
    return "".join(code.upper().replace("-", " ").split()).translate(_LOOKS_LIKE)


def make_code(tx: Tx, city: City, purpose: str, *, made_by: str, person: str | None = None) -> str:
    """A new code, as it is shown (in groups of four)."""
    raw = city.random_bytes(LENGTH[purpose])
    code = "".join(ALPHABET[byte % 32] for byte in raw)
    now = city.now()
    tx.execute(insert(codes).values(
        city_id=city.id, code_hash=city.keyed_hash(purpose, code), purpose=purpose, person=person, made_by=made_by,
        created_at=now, expires_at=now + LIFE[purpose], used_at=None, used_by=None,
    ))
    return "-".join(code[i : i + 4] for i in range(0, len(code), 4)) if purpose != "link" else code


def redeem(tx: Tx, city: City, purpose: str, code: str, by: str) -> tuple[Any, bool]:
    """The row of the code, and whether this is the first time that ``by`` redeems it.

    Raises Problem "code-unknown" (never made, or expired unused) and "code-used" (by somebody else; "link-used" for a
    sign-in link).
    """
    given = plain(code)
    if len(given) > 64:
        raise Problem("code-unknown", "this is not one of our codes")
    hashed = city.keyed_hash(purpose, given)
    now = city.now()
    # One statement takes it: of two at the same moment exactly one finds used_by still empty.
    first = tx.execute(
        update(codes)
        .where(codes.c.city_id == city.id, codes.c.code_hash == hashed, codes.c.used_by.is_(None),
               codes.c.expires_at > now)
        .values(used_by=by, used_at=now)
    ).rowcount == 1
    row = tx.execute(select(codes).where(codes.c.city_id == city.id, codes.c.code_hash == hashed)).first()
    if row is None or row.purpose != purpose:
        raise Problem("code-unknown", "this is not one of our codes")
    if row.used_by is None:
        raise Problem("code-unknown", "the code has expired")
    if row.used_by != by:
        if purpose == "link":
            raise Problem("link-used")
        raise Problem("code-used", "this code has already been used")
    return row, first


def live_until(purpose: str, now: datetime) -> datetime:
    """When a code made now stops working."""
    return now + LIFE[purpose]
