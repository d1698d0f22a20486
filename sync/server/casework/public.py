"""What anybody may know who holds the code of a placard: that it is genuine, what it says, what became of it.

Number and token go together: a number alone, or a made-up pair, proves nothing and is told nothing. Of people, only
the office's title is shown.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sqlalchemy import select

from sync.records.numbers import parse_number
from sync.records.problems import Problem
from sync.server.casework.blanks import is_void
from sync.server.casework.city import City
from sync.server.casework.enrolment import order_token
from sync.server.casework.lives import PLACARD, hear_of_number, is_lost
from sync.server.db.engine import find
from sync.server.db.schema import leases, orders

UNKNOWN, NOT_REGISTERED, NOT_TO_BE_USED = "unknown", "not_registered", "not_to_be_used"


@dataclass(frozen=True, slots=True)
class PublicOrder:
    """``state``: unknown (nothing else is told), not_registered (a city tablet has the number; ``printed_on`` is what
    the placard's code says), not_to_be_used (the number was recorded as used up without an order), or the status of the
    order: issued, in_force, stayed, released, voided, quarantined.

    ``dates`` as {clock, label, last_day, eligible_from, words}; ``declined_on`` and ``reasons`` for one declined;
    ``released_on``, ``ended_on`` (voided, replaced or reversed, ``ended_how`` says which) with ``reasons``;
    ``instead``: the number of the order that took its place and is in force.
    """

    state: str
    number: str = ""
    printed_on: date | None = None
    address: str = ""
    posted_on: str | None = None
    issued_on: str | None = None
    register: str | None = None
    grounds: tuple[str, ...] = ()
    dates: tuple[dict[str, Any], ...] = ()
    confirmed_on: str | None = None
    declined_on: str | None = None
    reasons: str = ""
    released_on: str | None = None
    partly_released: tuple[str, ...] = ()
    ended_on: str | None = None
    ended_how: str = ""
    instead: str = ""
    pack: str = ""
    doc: dict[str, Any] = field(default_factory=dict, repr=False)


def public_order(city: City, number: str, token: str | None, printed_on: str | None = None) -> PublicOrder:
    """What the public page says of a scanned code. Never raises for what a stranger may send."""
    try:
        plain = str(parse_number(number))
    except Problem:
        return PublicOrder(UNKNOWN)
    expected = order_token(city, plain)
    if not token or not hmac.compare_digest(token.encode("utf-8", "surrogatepass"), expected.encode()):
        return PublicOrder(UNKNOWN)
    with city.db.read() as tx:
        rows = list(tx.execute(select(orders.c.status, orders.c.doc).where(
            orders.c.city_id == city.id, orders.c.number == plain)))
        void = is_void(tx, city, plain)
        heard = bool(rows) or find(tx, leases, city_id=city.id, number=plain) is not None or is_lost(tx, city, plain)
    if not heard:  # the code is genuine and we never gave it out: so did a life of these records that is lost
        city.db.write(lambda tx: hear_of_number(tx, city, plain, PLACARD))
    # A recommendation that the office has not issued, or refused, is no order: nothing is told of it.
    rows = [row for row in rows if row.status not in ("recommended", "refused")]
    if not rows:
        return PublicOrder(NOT_TO_BE_USED if void else NOT_REGISTERED, plain, _day(printed_on))
    if any(row.status == "quarantined" for row in rows):
        return PublicOrder("quarantined", plain, _day(printed_on))
    if len(rows) > 1:
        # Two placards bear the number and both were decided on: the date on the code tells them apart, or one alone
        # still has force. Where neither does, the office must be asked.
        rows = ([row for row in rows if row.doc["body"]["posted_on"] == printed_on]
                or [row for row in rows if row.status != "voided"])
        if len(rows) != 1:
            return PublicOrder("quarantined", plain, _day(printed_on))
    doc = rows[0].doc
    body = doc["body"]
    declined, confirmed = doc["declined"], doc["confirmed"]
    instead = _in_its_place(city, doc)
    released = doc.get("released")
    ended = None if declined else doc.get("void") or doc.get("reversed")
    return PublicOrder(
        state=doc["status"], number=plain, printed_on=_day(printed_on), address=body["address"],
        posted_on=doc["posted_on"], issued_on=doc["issued_on"], register=doc["register"],
        grounds=tuple(doc["grounds"]), dates=tuple(doc["dates"]),
        confirmed_on=confirmed["at"][:10] if confirmed else None,
        declined_on=declined["at"][:10] if declined else None,
        reasons=(declined or ended or {}).get("reasons", ""),
        released_on=released["on"] if released else None,
        partly_released=tuple(one["part"] for one in doc.get("partly_released", ())),
        ended_on=ended["on"] if ended else None, ended_how=ended["how"] if ended else "",
        instead=instead, pack=doc["pack"], doc=doc,
    )


def _in_its_place(city: City, doc: dict[str, Any]) -> str:
    """The number of the order in force that took the place of this one, or of the one that did; "" for none."""
    seen: set[str] = set()
    with city.db.read() as tx:
        while (other := (doc.get("void") or {}).get("replaced_by")) and other not in seen:
            seen.add(other)
            row = find(tx, orders, city_id=city.id, id=other)
            if row is None:
                break
            if row.status in ("in_force", "stayed"):
                return str(row.number)
            doc = row.doc
    return ""


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text and len(text) == 10 else None
    except ValueError:
        return None
