"""Works a stored fact in: applied, waiting for one named thing, or quarantined with a reason. Never lost, never stuck.

What decides depends on the fact, on what the office granted for that day, and on facts that it refers to; never on
when it arrived. Whatever is applied releases what waited for it, in the same transaction.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import DataError, DBAPIError, NoResultFound

from sync.ordinance.words import say_day
from sync.records.facts import Fact, parse
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.blanks import apply_number_void, recognise, tell
from sync.server.casework.city import City
from sync.server.casework.copies import earlier_codes, recognise_line
from sync.server.casework.enrolment import credential_of, order_token
from sync.server.casework.field_acts import KINDS as FIELD_ACTS
from sync.server.casework.field_acts import apply_field_act
from sync.server.casework.finds import KINDS as FINDS
from sync.server.casework.finds import apply_find
from sync.server.casework.inspections import apply_inspection
from sync.server.casework.judging import judged
from sync.server.casework.lives import RECORD, hear_of_number
from sync.server.casework.orders import apply_affixing, apply_order, check_affixing, is_issued
from sync.server.casework.people import ADMINISTER, INSPECT, POST, RELEASE, REVISE, VOID, holds, person_row, said_power
from sync.server.casework.site_acts import KINDS as SITE_ACTS
from sync.server.casework.site_acts import apply_site_act
from sync.server.casework.smaller_copies import apply_smaller_copy
from sync.server.casework.standings import is_ended
from sync.server.db.engine import Tx, ask, change, find, part
from sync.server.db.memory import Memory, remembered
from sync.server.db.schema import attachments, facts, leases, orders, packs, sites, tablets

MANY = 200
"""So many things that are waited for are kept in mind."""
# Put in order here: asked for an order, SQLite would walk through all facts by id instead of using the index.
_WAITING = select(facts.c.id).where(facts.c.city_id == bindparam("city"), facts.c.waits_for == bindparam("key"))
# Compared, not asked for being there: only so SQLite goes by the index.
_WAITED_FOR = select(facts.c.waits_for).where(
    facts.c.city_id == bindparam("city"), facts.c.waits_for > "").distinct().limit(MANY + 1)
_WITHDRAWN = select(tablets.c.code).where(
    tablets.c.city_id == bindparam("city"), tablets.c.status == "revoked",
    (tablets.c.code == bindparam("code")) | (tablets.c.id == bindparam("by")))
log = logging.getLogger(__name__)

NEEDED_POWER = {
    "inspection_signed": INSPECT,
    "order_posted": POST,
    "order_recommended": INSPECT,
    "order_affixed": INSPECT,
    "photo_added": INSPECT,
    "order_released": RELEASE,
    "placard_reposted": INSPECT,
    "order_voided": VOID,
    "number_voided": INSPECT,
    "emergency_reported": INSPECT,
    "revision_ordered": REVISE,
    "revision_recommended": INSPECT,
    "site_reported": INSPECT,
    "rain_recorded": INSPECT,
    "smaller_copy_added": INSPECT,
    "person_removed": INSPECT,  # ADMINISTER where something is lost by it
}


class _Wait(Exception):
    """The fact waits for ``key``; ``code`` says why, ``detail`` for what in words."""

    def __init__(self, code: str, key: str, detail: str):
        self.code, self.key, self.detail = code, key, detail
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class New:
    """A fact that was stored a moment ago in this transaction, nothing decided yet; ``written``: the state that its
    row was given, which is what most facts of its kind come to."""

    id: str
    kind: str
    person: str
    sha256: str
    pushed_by: str
    received_at: datetime
    written: str
    state: str = "new"
    reason: None = None
    waits_for: None = None


def likely_state(fact: Fact) -> str:
    """The state to store a new fact with: an inspection is almost always applied at once, and need not be written
    twice. Nobody sees it before it is decided."""
    return "applied" if fact.kind == "inspection_signed" and fact.known else "waiting"


def work_in(tx: Tx, city: City, ident: str, fact: Fact | None = None, memory: Memory | None = None,
            new: New | None = None) -> tuple[str, str | None]:
    """Decides about the stored fact ``ident`` and about everything that was waiting for it; gives its state and reason.
    ``fact``: the same, if it has just been read; ``new``: its row, if it has just been stored. ``memory``: that of the
    transaction, where it may be gone by."""
    memory = memory if memory is not None else Memory()
    stands, todo = _work_in_one(tx, city, new or _stored(tx, city, ident), fact, memory)
    while todo:
        todo += _work_in_one(tx, city, _stored(tx, city, todo.pop(0)), None, memory)[1]
    return stands


def _stored(tx: Tx, city: City, ident: str) -> Any:
    row = find(tx, facts, city_id=city.id, id=ident)
    if row is None:
        raise NoResultFound(f"there is no fact {ident}")
    return row


def release_waiting(tx: Tx, city: City, key: str) -> None:
    """Decides again about what waited for ``key``."""
    for ident in _waiting(tx, city, key):
        work_in(tx, city, ident)


def retry_parked(city: City) -> int:
    """At the start of a server: tries again what an older program could not read or work in. Returns how many."""

    def work(tx: Tx) -> int:
        parked = list(tx.execute(
            select(facts.c.id).where(facts.c.city_id == city.id, facts.c.state == "waiting",
                                     facts.c.reason.in_(("kind-unknown", "apply-failed"))).order_by(facts.c.id)
        ).scalars())
        for ident in parked:
            work_in(tx, city, ident)
        return len(parked)

    return city.db.write(work)


def _waited_for(tx: Tx, city: City) -> set[str] | None:
    """The keys that something waits for, and perhaps some more; None: too many to be kept in mind."""

    def now() -> tuple[set[str] | None]:
        keys = {row.waits_for for row in ask(tx, _WAITED_FOR, city=city.id)}
        return (keys if len(keys) <= MANY else None,)

    return remembered(tx).once(("waited for", city.id), now)[0]


def _waiting(tx: Tx, city: City, key: str) -> list[str]:
    known = _waited_for(tx, city)
    if known is not None and key not in known:
        return []
    return sorted(row.id for row in ask(tx, _WAITING, city=city.id, key=key))


def _work_in_one(tx: Tx, city: City, row: Any, read: Fact | None,
                 memory: Memory) -> tuple[tuple[str, str | None], list[str]]:
    """What it comes to, and what waited for it."""
    if row.state == "applied":
        return ("applied", None), []
    try:
        # A kind that an older program did not know was kept unread: its body may turn out not to be well formed.
        fact = read or parse(row.text)
        with part(tx):
            _check(tx, city, fact, row.pushed_by, memory)
            _apply(tx, city, fact, row.received_at, isinstance(row, New), memory.get(("person", fact.user)))
    except _Wait as wait:
        return _set(tx, city, row, "waiting", wait.code, wait.detail, wait.key), []
    except Problem as problem:
        return _set(tx, city, row, "quarantined", problem.code, problem.detail, None), []
    except Exception as error:
        if isinstance(error, DBAPIError) and not isinstance(error, DataError):
            raise  # the whole transaction runs again or fails: nothing is decided about this fact
        # A mistake of ours in one fact must not keep the others from being taken; it is tried again.
        log.exception("fact %s (%s) could not be worked in", row.id, row.kind)
        return _set(tx, city, row, "waiting", "apply-failed", "the server failed while working it in", None), []
    stands = _set(tx, city, row, "applied", None, None, None)
    released = _waiting(tx, city, f"fact:{row.id}")
    if fact.kind in ("order_posted", "order_recommended"):
        released += _waiting(tx, city, f"order:{fact.body['number']}")
    return stands, released


def _set(tx: Tx, city: City, row: Any, state: str, reason: str | None, detail: str | None,
         key: str | None) -> tuple[str, str | None]:
    if (row.state, row.reason, row.waits_for) == (state, reason, key):
        return state, reason
    if not (isinstance(row, New) and row.written == state == "applied"):
        change(tx, facts, {"city_id": city.id, "id": row.id}, {
            "state": state, "reason": reason, "detail": detail, "waits_for": key,
            "applied_at": city.now() if state == "applied" else None,
        })
        if key is not None and (known := _waited_for(tx, city)) is not None:
            known.add(key)
    if state == "quarantined":
        record(tx, city, row.person, "fact_quarantined", f"fact:{row.id}", kind=row.kind, reason=reason,
               detail=detail or "")
    elif state == "applied":
        record(tx, city, row.person, "fact_applied", f"fact:{row.id}", kind=row.kind, sha256=row.sha256)
    return state, reason


def needed_power(fact: Fact) -> str:
    """The power that the person must have held."""
    if fact.kind == "person_removed" and (fact.body["begun"] or fact.body["unsent"]):
        return ADMINISTER
    return NEEDED_POWER[fact.kind]


def acted_on(fact: Fact) -> date:
    """The day on which the person must have held the power."""
    for key in ("posted_on", "inspected_on", "released_on", "voided_on", "reported_on", "removed_on"):
        if isinstance(fact.body.get(key), str):
            return date.fromisoformat(fact.body[key])
    return fact.at.wall.date()


def _check(tx: Tx, city: City, fact: Fact, pushed_by: str, memory: Memory) -> None:
    """What does not depend on other facts, then what does. Raises Problem (quarantine) or _Wait."""
    if not fact.known:
        raise _Wait("kind-unknown", f"kind:{fact.kind}", f"{fact.kind} (format {fact.v})")
    withdrawn = memory.once(("withdrawn", fact.tablet, pushed_by),
                            lambda: ask(tx, _WITHDRAWN, city=city.id, code=fact.tablet, by=pushed_by))
    if withdrawn and not judged(tx, city, fact.id, "accept", "ratify"):
        raise Problem("tablet-revoked", f"tablet {withdrawn[0].code} has been withdrawn")
    ended = memory.once(("ended", fact.tablet, fact.user),
                        lambda: is_ended(tx, city, credential_of(city, fact.tablet, fact.user)[0]))
    if ended and not judged(tx, city, fact.id, "accept", "ratify"):
        raise Problem("credential-ended", f"this person was signed out of tablet {fact.tablet} by the office")
    person = memory.once(("person", fact.user), lambda: person_row(tx, city, fact.user))
    if person is None:
        raise Problem("person-unknown", f"the city has nobody with the id {fact.user}", where="user")
    power, day = needed_power(fact), acted_on(fact)
    may = memory.once(("power", fact.user, power, day), lambda: holds(tx, city, fact.user, power, day, person))
    if not may and fact.kind == "number_voided":  # as in the office; so who removes a person accounts for the numbers
        may = holds(tx, city, fact.user, ADMINISTER, day, person)
    if not may and not judged(tx, city, fact.id, "ratify", "accept_day"):
        raise Problem("no-authority", f"{person.name} did not hold the power to {said_power(city.pack(tx), power)} on "
                                      f"{say_day(day, near=date.min)}", where="user")
    body = fact.body
    needs = dict.fromkeys((*fact.needs, *([fact.revises] if fact.revises else [])))
    site = None if fact.kind == "site_reported" and body["new"] else body.get("site")
    if site is not None and memory.once(("site", site), lambda: find(tx, sites, city_id=city.id, id=site)) is None:
        for need in needs:  # a site found in the field may be on its way: its report is among them
            _wait_for_fact(tx, city, need)
        raise Problem("subject-unknown", f"the city has no site {site}", where="body.site")
    if fact.kind in ("order_posted", "order_recommended"):
        _check_order(tx, city, fact)
    elif fact.kind == "number_voided":
        _check_number(tx, city, fact)
    for need in needs:
        _wait_for_fact(tx, city, need)


def _check_order(tx: Tx, city: City, fact: Fact) -> None:
    if fact.revises:
        raise Problem("subject-unknown", "an order is never corrected by a later record; it is replaced",
                      where="revises")
    ident, _, version = fact.pack.partition("@")
    if tx.execute(select(packs.c.id).where(
            packs.c.city_id == city.id, packs.c.id == ident, packs.c.version == version)).first() is None:
        raise Problem("subject-unknown", f"the city has no ordinance pack {fact.pack}", where="pack")
    _check_number(tx, city, fact)


def _check_number(tx: Tx, city: City, fact: Fact) -> None:
    """Raises Problem "number-not-leased" unless the tablet was given the number that its record bears."""
    number = fact.body["number"]
    # The token is derived from number and secret: whoever holds it was given the number, also before a restore.
    if fact.body.get("line"):
        recognise_line(tx, city, fact.tablet, fact.body["line"])
    tablet_of_number = number.split("-")[2]
    own = tablet_of_number == fact.tablet or tablet_of_number in earlier_codes(tx, city, fact.tablet)
    if not own or fact.body["token"] != order_token(city, number):
        raise Problem("number-not-leased", f"{number} was not given to tablet {fact.tablet}", where="body.number")
    if find(tx, leases, city_id=city.id, number=number) is None:
        hear_of_number(tx, city, number, RECORD)


def _wait_for_fact(tx: Tx, city: City, ident: str) -> None:
    state = tx.execute(select(facts.c.state).where(
        facts.c.city_id == city.id, facts.c.id == ident)).scalar_one_or_none()
    if state != "applied":
        what = "has not arrived" if state is None else f"is {state}"
        raise _Wait("need-missing", f"fact:{ident}", f"the record {ident} that it refers to {what}")


def _apply(tx: Tx, city: City, fact: Fact, received_at: Any, new: bool, person: Any) -> None:
    if fact.kind == "inspection_signed":
        apply_inspection(tx, city, fact, received_at, new=new, person=person)
    elif fact.kind in ("order_posted", "order_recommended"):
        apply_order(tx, city, fact, received_at)
        if fact.body.get("blank"):
            recognise(tx, city, fact.body["number"], fact.user)
        tell(tx, city, fact.body["number"])
    elif fact.kind == "number_voided":
        apply_number_void(tx, city, fact)
    elif fact.kind == "order_affixed":
        _wait_for_fact(tx, city, fact.body["order"])
        check_affixing(tx, city, fact)
        if not is_issued(tx, city, fact.body["order"]):
            raise _Wait("order-not-issued", f"issued:{fact.body['order']}", "the office has not issued the order")
        apply_affixing(tx, city, fact)
    elif fact.kind in FIELD_ACTS:
        _wait_for_fact(tx, city, fact.body["order"])
        apply_field_act(tx, city, fact)
    elif fact.kind in SITE_ACTS:
        apply_site_act(tx, city, fact)
    elif fact.kind in FINDS:
        apply_find(tx, city, fact)
    elif fact.kind == "photo_added":
        _attach(tx, city, fact)
    elif fact.kind == "smaller_copy_added":
        _wait_for_fact(tx, city, fact.body["about"]["fact"])
        apply_smaller_copy(tx, city, fact)
    elif fact.kind == "person_removed":
        body = fact.body
        record(tx, city, fact.user, "person_removed", f"tablet:{fact.tablet}", fact=fact.id, person=body["person"],
               **{name: body[name] for name in ("begun", "unsent", "reasons")})


def _attach(tx: Tx, city: City, fact: Fact) -> None:
    about = fact.body["about"]
    if "order" in about:
        found = list(tx.execute(select(orders.c.id).where(
            orders.c.city_id == city.id, orders.c.number == about["order"]).order_by(orders.c.id)).scalars())
        if not found:
            raise _Wait("need-missing", f"order:{about['order']}", f"the order {about['order']} has not arrived")
        # Kept under the number, so that it is found whichever of two orders with one number a person keeps.
        subject = about["order"]
    else:
        _wait_for_fact(tx, city, about["fact"])
        subject = about["fact"]
    photo, said = fact.body["photo"], (fact.body.get("signed") or {}).get("statement")
    tx.execute(insert(attachments).values(
        city_id=city.id, about=subject, fact=fact.id, sha256=photo["sha256"],
        doc={**photo, "statement": said} if said else photo,
    ))
