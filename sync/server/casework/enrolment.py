"""Tablets and the people on them: enrol, sign in, lease order numbers, withdraw.

Everything that a tablet is given here (its id, token, keys, credentials, number tokens) is derived from the city's
secret and what the tablet itself sent, so the same request always gets the same answer, and a server restored
from a backup recognises what it gave out after that backup.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import count, islice
from typing import Any

from sqlalchemy import bindparam, select, update

from sync.records.macs import fingerprint, is_fingerprint, sign
from sync.records.numbers import TABLET_CODE, order_number, tablet_code, tablet_number
from sync.records.problems import Problem
from sync.records.wire import encode
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.codes import make_code, redeem
from sync.server.casework.counting import next_tablet_no
from sync.server.casework.lives import begin, mark_now
from sync.server.casework.people import ADMINISTER, needs_reasons, person_row, require
from sync.server.casework.standings import renew_credential
from sync.server.casework.tokens import Token, device_token, is_old, read_token
from sync.server.db.blanks import blanks
from sync.server.db.engine import Tx, add, change, insert_if_absent, put
from sync.server.db.narrow import seconds
from sync.server.db.schema import cities, counters, credentials, leases, tablets
from sync.server.db.tablets import tablet_clocks

# Enough for fifty orders on a tablet that never comes near a network, with some to spare.
LEASE_SIZE = 60
LAST_COUNTER = 999_999


_SEEN = select(tablets.c.seen_at).where(
    tablets.c.city_id == bindparam("city"), tablets.c.id == bindparam("id"))
_BY_ID = select(tablets.c.id, tablets.c.code, tablets.c.status, tablets.c.seen_at, cities.c.epoch).where(
    tablets.c.city_id == bindparam("city"), tablets.c.id == bindparam("id"), cities.c.city_id == tablets.c.city_id)


@dataclass(frozen=True, slots=True)
class Tablet:
    """A tablet that the server knows. ``receipt_key`` seals what the server tells it; ``seen_at``: when it was last in
    touch, and ``epoch``: the life of the database, both as they stood when it was looked up at a glance."""

    id: str
    code: str
    status: str
    receipt_key: bytes
    seen_at: datetime | None = field(default=None, compare=False)
    epoch: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class LeasedNumber:
    """One number that only this tablet may put on a placard, with the random-looking token of its QR code."""

    number: str
    counter: int
    token: str


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What an enrolled tablet is given."""

    tablet: Tablet
    device_token: str
    lease: tuple[LeasedNumber, ...]
    lease_seal: str
    epoch: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A person on a tablet: the credential under which that person's facts are signed there."""

    person: dict[str, Any]
    credential_id: str
    credential_key: bytes


# --- what is derived ------------------------------------------------------------------------------------------
def receipt_key(city: City, tablet_id: str) -> bytes:
    """The key of every receipt for this tablet."""
    return city.key("receipt", tablet_id)


def credential_of(city: City, tablet_code: str, person: str) -> tuple[str, bytes]:
    """Id and key of the credential of this person on this tablet."""
    return city.key("credential-id", tablet_code, person).hex()[:32], city.key("credential-key", tablet_code, person)


def order_token(city: City, number: str) -> str:
    """The public token of an order number: 128 bits that nobody can guess from the number."""
    return city.key("order-token", number).hex()[:32]


def _tablet(city: City, row: Any) -> Tablet:
    return Tablet(row.id, row.code, row.status, receipt_key(city, row.id))


# --- enrolment --------------------------------------------------------------------------------------------------
def create_enrolment_code(city: City, actor: str) -> str:
    """A code with which one tablet may enroll. Needs the power to administer (actor "keeper": the machine's own
    command line)."""

    def work(tx: Tx) -> str:
        if actor != "keeper":
            require(tx, city, actor, ADMINISTER, city.today())
        code = make_code(tx, city, "enrol", made_by=actor)
        record(tx, city, actor, "enrolment_code_made", "city")
        return code

    return city.db.write(work)


def create_personal_code(city: City, actor: str, person: str) -> str:
    """A code with which ``person`` may sign in on one tablet. For oneself, or with the power to administer."""

    def work(tx: Tx) -> str:
        if person_row(tx, city, person) is None:
            raise Problem("person-unknown", f"the city has nobody with the id {person!r}", where="person")
        if actor not in ("keeper", person):
            require(tx, city, actor, ADMINISTER, city.today())
        code = make_code(tx, city, "personal", made_by=actor, person=person)
        record(tx, city, actor, "personal_code_made", f"person:{person}")
        return code

    return city.db.write(work)


def enrol_tablet(city: City, code: str, secret: str, *, ageing: bool = False, marks: bool = True) -> Enrolled:
    """Enrols the tablet that made ``secret`` (64 hex digits). The same code and secret get the same answer.
    ``ageing``: the tablet can renew its token, so it gets one that grows old. ``marks``: it can read the codes and
    numbers that a restored server gives out.

    Raises Problem "code-unknown", "code-used", "body-malformed", "protocol-too-old", "tablet-codes-gone".
    """
    if not is_fingerprint(secret):
        raise Problem("body-malformed", "the secret is 64 lower-case hex digits", where="secret")

    def work(tx: Tx) -> Enrolled:
        owner = fingerprint(secret.encode())
        row, first = redeem(tx, city, "enrol", code, owner)
        tablet_id = city.key("tablet-id", row.code_hash, secret).hex()[:32]
        if first:
            new = new_code(tx, city, marks=marks)
            add(tx, tablets, new_tablet(city, tablet_id, new))
            record(tx, city, row.made_by or "keeper", "tablet_enrolled", f"tablet:{new}", tablet=tablet_id)
        found = tx.execute(
            select(tablets).where(tablets.c.city_id == city.id, tablets.c.id == tablet_id)
        ).one()
        return enrolled(tx, city, found, ageing=ageing, marks=marks)

    return city.db.write(work)


def new_code(tx: Tx, city: City, *, marks: bool) -> str:
    """A code that no tablet ever had. Raises Problem "tablet-codes-gone", and "protocol-too-old" for an app that cannot
    read one of a restored server (``marks``): it could sign nothing."""
    mark = mark_now(tx, city)
    if mark and not marks:
        raise Problem("protocol-too-old", "the server was restored from a backup since, and this version of the app "
                                          "cannot read the codes that it gives out now")
    return tablet_code(next_tablet_no(tx, city), mark)


def new_tablet(city: City, ident: str, code: str, note: str | None = None) -> dict[str, Any]:
    """The row of a tablet that bears this code from now on."""
    return {
        "city_id": city.id, "id": ident, "code": code, "status": "active", "scope": 1, "scope_base": 1,
        "token_hash": fingerprint(device_token(city, ident, code).encode()),
        "enrolled_at": city.now(), "seen_at": None, "note": note,
    }


def enrolled(tx: Tx, city: City, row: Any, *, ageing: bool, marks: bool = True) -> Enrolled:
    """What the tablet of this row is given, the same each time it asks."""
    numbers = _lease(tx, city, row.code, 0, marks=marks)
    token = device_token(city, row.id, row.code, row.enrolled_at if ageing else None)
    return Enrolled(_tablet(city, row), token, numbers, _seal(city, row.id, numbers), city.row(tx).epoch)


def tablet_by_token(city: City, token: str, *, even_old: bool = False) -> Tablet:
    """The tablet that bears ``token``. A withdrawn one is found too: it may still hand over what it has.

    Raises Problem "token-unknown", and "token-expired" unless ``even_old``.
    """
    found = tablet_at_a_glance(city, token, even_old=even_old)
    return found or _tablet(city, city.db.write(lambda tx: _recognise(tx, city, token)))


def tablet_at_a_glance(city: City, token: str, *, even_old: bool = False) -> Tablet | None:
    """The tablet of that token as things stand now, quickly; None: ask ``tablet_by_token``, which may take it back.
    Raises as that does."""
    read = _read(city, token)
    if not even_old and is_old(city, read):
        raise Problem("token-expired")
    row = city.db.glance(_BY_ID, city=city.id, id=read.tablet)
    if row is None or row.code != read.code:
        return None
    return Tablet(row.id, row.code, row.status, receipt_key(city, row.id), row.seen_at, row.epoch)


def _read(city: City, token: str) -> Token:
    read = read_token(city, token)
    if read is None:
        raise Problem("token-unknown")
    return read


def _recognise(tx: Tx, city: City, token: str) -> Any:
    """Takes back a tablet that enrolled after the backup from which this server was restored. One that enrolled in the
    present life of these very records proves that they were set back behind our back: another life begins first."""
    read = _read(city, token)
    tablet_id, code = read.tablet, read.code
    known = tx.execute(select(tablets.c.id).where(
        tablets.c.city_id == city.id, (tablets.c.id == tablet_id) | (tablets.c.code == code))).first()
    if known is None and (TABLET_CODE.fullmatch(code)[2] or "") == mark_now(tx, city):
        begin(tx, city, noticed="tablet")
    new = insert_if_absent(tx, tablets, new_tablet(city, tablet_id, code, "recognized after a restore"))
    row = tx.execute(
        select(tablets).where(tablets.c.city_id == city.id, tablets.c.id == tablet_id, tablets.c.code == code)
    ).first()
    if row is None:  # its code was given to another tablet since: it must enroll again
        raise Problem("token-unknown", "this tablet's code now belongs to another tablet")
    if new:
        record(tx, city, "keeper", "tablet_recognised", f"tablet:{code}", tablet=tablet_id)
        number = tablet_number(code)
        tx.execute(update(counters).where(counters.c.city_id == city.id, counters.c.tablet_no < number)
                   .values(tablet_no=number))
    return row


def seen(city: City, tablet: Tablet, off_ms: int | None = None) -> None:
    """Notes that the tablet was in touch, and how far its clock is behind (where it says so), at most about once a
    minute."""
    now = city.now()
    if _lately(tablet.seen_at, now):
        return
    found = city.db.glance(_SEEN, city=city.id, id=tablet.id)
    if found is not None and _lately(found.seen_at, now):
        return
    city.db.write(lambda tx: note_seen(tx, city, tablet, off_ms))


def note_seen(tx: Tx, city: City, tablet: Tablet, off_ms: int | None = None) -> None:
    """The same in a transaction; nothing when it was noted lately, as far as ``tablet`` says."""
    now = city.now()
    if _lately(tablet.seen_at, now):
        return
    change(tx, tablets, {"city_id": city.id, "id": tablet.id}, {"seen_at": now})
    if off_ms is not None:
        put(tx, tablet_clocks, {"city_id": city.id, "tablet": tablet.id, "at": now, "off_s": seconds(off_ms // 1000)})


def _lately(at: datetime | None, now: datetime) -> bool:
    return at is not None and abs((now - at).total_seconds()) < 60


def withdraw_tablet(city: City, actor: str, code: str, reasons: str) -> None:
    """Withdraws a tablet: it gets nothing more, and what it still sends goes to quarantine. Needs administer."""

    def work(tx: Tx) -> None:
        require(tx, city, actor, ADMINISTER, city.today())
        needs_reasons(reasons)
        changed = tx.execute(
            update(tablets).where(tablets.c.city_id == city.id, tablets.c.code == code, tablets.c.status == "active")
            .values(status="revoked", note=reasons.strip())
        ).rowcount
        if not changed:
            raise Problem("already-decided", f"tablet {code} is not in use")
        record(tx, city, actor, "tablet_withdrawn", f"tablet:{code}", reasons=reasons.strip())

    city.db.write(work)


# --- people on tablets --------------------------------------------------------------------------------------------
def sign_in(city: City, tablet: Tablet, code: str) -> SignedIn:
    """Signs the person of the code in on this tablet. The same code on the same tablet gets the same answer.

    Raises Problem "code-unknown", "code-used", "tablet-revoked".
    """
    if tablet.status != "active":
        raise Problem("tablet-revoked")

    def work(tx: Tx) -> SignedIn:
        row, first = redeem(tx, city, "personal", code, tablet.id)
        ident, key = credential_of(city, tablet.code, row.person)
        insert_if_absent(tx, credentials, {
            "city_id": city.id, "id": ident, "tablet_code": tablet.code, "person": row.person,
            "created_at": city.now(), "revoked_at": None,
        })
        if first:
            record(tx, city, row.person, "signed_in_on_tablet", f"tablet:{tablet.code}")
        renew_credential(tx, city, ident, first=first)
        return SignedIn(person_doc(tx, city, row.person), ident, key)

    return city.db.write(work)


def person_doc(tx: Tx, city: City, person: str) -> dict[str, Any]:
    """The person as tablets are told of them."""
    from sync.server.db.schema import feed

    return tx.execute(
        select(feed.c.doc).where(feed.c.city_id == city.id, feed.c.kind == "person", feed.c.id == person)
    ).scalar_one()


# --- order numbers ------------------------------------------------------------------------------------------------
def lease_numbers(city: City, tablet: Tablet, after: int, *,
                  marks: bool = True) -> tuple[tuple[LeasedNumber, ...], str]:
    """The numbers that follow the count ``after``, and a seal over them. Asking again gives the same numbers.
    ``marks``: the tablet can read those that bear the mark of a restore.

    Raises Problem "tablet-revoked", "body-malformed" (a count that no tablet reaches).
    """
    if tablet.status != "active":
        raise Problem("tablet-revoked")
    if not 0 <= after <= LAST_COUNTER - LEASE_SIZE:
        raise Problem("body-malformed", f"after is a count from 0 to {LAST_COUNTER - LEASE_SIZE}", where="after")
    numbers = city.db.write(lambda tx: _lease(tx, city, tablet.code, after, marks=marks))
    return numbers, _seal(city, tablet.id, numbers)


def _lease(tx: Tx, city: City, code: str, after: int, *, marks: bool) -> tuple[LeasedNumber, ...]:
    year = city.today().year  # the number's year is the lease's, also when it is used after New Year
    life = mark_now(tx, city)
    # What stands on a pre-printed placard is given out on paper alone. Such numbers lie above all that were leased
    # when they were printed, so a lease that is asked for again is still the same.
    on_paper = set(tx.execute(select(blanks.c.counter).where(
        blanks.c.city_id == city.id, blanks.c.tablet_code == code, blanks.c.counter > after)).scalars())
    places = list(islice((place for place in count(after + 1) if place not in on_paper), LEASE_SIZE))
    if places[-1] > LAST_COUNTER:
        raise Problem("body-malformed", f"tablet {code} has no numbers left", where="after")
    known = {
        row.counter: row.number
        for row in tx.execute(select(leases.c.counter, leases.c.number).where(
            leases.c.city_id == city.id, leases.c.tablet_code == code,
            leases.c.counter > after, leases.c.counter <= places[-1]))
    }
    fresh = [place for place in places if place not in known]
    if fresh and life and not marks and TABLET_CODE.fullmatch(code)[2] is None:
        # A new number must bear the mark, and this app could not read it. One without could stand on a paper of a life
        # that is lost. What the tablet has been given before it may be given again.
        raise Problem("protocol-too-old", "the server was restored from a backup since, and this version of the app "
                                          "cannot read the numbers that it gives out now")
    for place in fresh:
        known[place] = order_number(year, code, place, life)
        insert_if_absent(tx, leases, {"city_id": city.id, "tablet_code": code, "counter": place,
                                      "number": known[place], "leased_at": city.now()})
    if fresh:
        record(tx, city, "server", "numbers_leased", f"tablet:{code}", first=fresh[0], last=fresh[-1])
    return tuple(LeasedNumber(known[place], place, order_token(city, known[place])) for place in places)


def _seal(city: City, tablet_id: str, numbers: tuple[LeasedNumber, ...]) -> str:
    return sign(city.key("lease"), encode([tablet_id, [[n.number, n.counter, n.token] for n in numbers]]))
