"""One door to the decisions on conflicts: the name of a choice, what it is done to, why. Casework checks the rest.

A decision is taken only while its conflict is open and offers it, seen in the transaction that takes it: of two people
who decide one conflict the second is told, also from a page that was opened before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from sqlalchemy import select

from sync.ordinance.words import say_day
from sync.records.problems import Problem
from sync.server.casework import clocks, deciding, judging, orders, permitting, site_acts
from sync.server.casework.city import City
from sync.server.casework.conflicts import conflicts_now
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find
from sync.server.db.schema import people

T = TypeVar("T")
Settle = Callable[[City, str, str, str, str], None]

CHOICES: dict[str, Settle] = {
    "keep_number": lambda city, who, subject, other, why: deciding.keep_number(city, who, subject, why),
    "void": lambda city, who, subject, other, why: deciding.void_order(city, who, subject, why),
    "keep_both": lambda city, who, subject, other, why: deciding.keep_both_orders(city, who, subject, other, why),
    "supersede": lambda city, who, subject, other, why: deciding.supersede_order(city, who, subject, other, why),
    "count_as_repost": lambda city, who, subject, other, why: deciding.count_as_repost(city, who, subject, other, why),
    "service_confirmed": lambda city, who, subject, other, why: deciding.confirm_service(city, who, subject, why),
    "note_parcel": lambda city, who, subject, other, why: deciding.note_order(city, who, subject, "parcel", why),
    "note_clock": lambda city, who, subject, other, why: deciding.note_order(city, who, subject, "clock", why),
    "note_record_clock": lambda city, who, subject, other, why: clocks.note_clock(city, who, subject, why),
    "release": lambda city, who, subject, other, why: deciding.release_order(city, who, subject, why),
    "note_early": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "early", why, about=other),
    "take_back_release": lambda city, who, subject, other, why: deciding.take_back_release(
        city, who, subject, other, why),
    "issue": lambda city, who, subject, other, why: orders.issue_recommended_order(city, who, subject),
    "new_owner_served": lambda city, who, subject, other, why: deciding.record_outcome(
        city, who, subject, "landowner_served", why),
    "note_owner": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "owner", why, about=other),
    "note_permit": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "permit", why, about=other),
    "note_revocation": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "revocation", why),
    "note_repost_after_end": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "repost_after_end", why, about=other),
    "note_void_number": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "void_number", why),
    "note_put_up_twice": lambda city, who, subject, other, why: deciding.note_order(
        city, who, subject, "put_up_twice", why, about=other),
    "count_posting": lambda city, who, subject, other, why: deciding.count_posting(city, who, subject, other, why),
    "keep_revisions": lambda city, who, subject, other, why: site_acts.keep_revisions(city, who, subject, other, why),
    "withdraw_revision": lambda city, who, subject, other, why: site_acts.withdraw_revision(city, who, subject, why),
    "take_back": lambda city, who, subject, other, why: permitting.take_back_revocation(city, who, subject, why),
    "ratify": lambda city, who, subject, other, why: judging.ratify_order(city, who, subject, why),
    "accept": lambda city, who, subject, other, why: judging.accept_record(city, who, subject, why),
    "accept_day": lambda city, who, subject, other, why: judging.accept_day(city, who, subject, why),
    "leave_out": lambda city, who, subject, other, why: judging.leave_out(city, who, subject, why),
    "leave_apart": lambda city, who, subject, other, why: judging.leave_out(city, who, subject, why, other),
    "try_again": lambda city, who, subject, other, why: judging.try_again(city, who, subject, why),
    "take_version": lambda city, who, subject, other, why: judging.take_version(city, who, subject, other, why),
    "count_correction": lambda city, who, subject, other, why: judging.count_correction(city, who, subject, other, why),
    "take_beside": lambda city, who, subject, other, why: judging.take_beside(city, who, subject, why),
}


def settle(city: City, actor: str, choice: str, subject: str, other: str, reasons: str) -> None:
    """Takes the decision ``choice`` of ``conflicts.Choice``. Raises Problem "not-found" for a choice that there is not,
    "already-decided" where no open conflict offers it any more, and what the decision itself raises."""
    if choice not in CHOICES:
        raise Problem("not-found", "there is no such decision", where=choice)

    def still_offered(tx: Tx) -> None:
        offered = {(one.act, one.subject, one.other) for each in conflicts_now(tx, city) for one in each.choices}
        if (choice, subject, other) not in offered:
            raise Problem("already-decided", _settled(tx, city, subject, other))

    CHOICES[choice](replace(city, db=_While(city.db, still_offered)), actor, subject, other, reasons)


class _While:
    """A city's database in which an act is done only while something holds, both in one transaction."""

    def __init__(self, db: Any, holds: Callable[[Tx], None]) -> None:
        self._db, self._holds = db, holds

    def write(self, work: Callable[[Tx], T]) -> T:
        def first(tx: Tx) -> T:
            self._holds(tx)
            return work(tx)

        return self._db.write(first)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


def _settled(tx: Tx, city: City, *about: str) -> str:
    """That there is nothing left to decide, and who decided last."""
    last = tx.execute(select(acts.c.person, acts.c.on_day).where(
        acts.c.city_id == city.id, acts.c.about.in_([one for one in about if one]), acts.c.fact.is_(None))
        .order_by(acts.c.at.desc(), acts.c.step).limit(1)).first()
    if last is None:
        return "it is settled: something arrived, or was decided, since this page was opened"
    person = find(tx, people, city_id=city.id, id=last.person)
    return f"it is settled: {person.name if person else last.person} decided, {say_day(last.on_day, near=city.today())}"
