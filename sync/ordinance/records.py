"""What is kept of an act when a person does it, and how open clocks move when a calendar is edited later.

An ``ActRecord`` freezes the dates and the words under which the act was done, with the pack version: no later edit
of a table moves it. Clocks that still run are computed anew, and ``calendar_changes`` shows each difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from .acts import ACTS, Decision, check_record, clock_of
from .dates import Derived, statement
from .events import Event
from .matter import fold
from .pack import Pack


@dataclass(frozen=True, slots=True)
class ActRecord:
    """An act as done: who, when, under which pack, and the derivation as it stood then (English and Spanish)."""

    act: str
    order: str
    on: date
    by: str
    clause: str
    pack: str
    basis: str | None
    last_day: date | None
    eligible_from: date | None
    words: dict[str, str]


def record_act(decision: Decision, *, by: str, has_power: bool, basis: str | None = None) -> ActRecord:
    """The record of an act done by ``by`` on the matter's day. ActRefused when it is not open, the power is not
    held, or the basis of an entry is missing; nothing is recorded then."""
    check_record(decision, has_power=has_power, basis=basis)
    matter, derived = decision.matter, decision.derived()
    said = {} if derived is None else {language: statement(derived, language) for language in matter.pack.languages}
    return ActRecord(decision.act, decision.order.key, matter.at, by, decision.rule.clause, matter.pack.ref, basis,
                     derived.last_day if derived else None, derived.eligible_from if derived else None, said)


@dataclass(frozen=True, slots=True)
class ClockChange:
    """An open clock that a changed pack moves: before and after."""

    order: str
    act: str
    before: Derived
    after: Derived

    def words(self, language: str = "en") -> str:
        return f"{self.before.label(language)}: {statement(self.before, language)} -> {statement(self.after, language)}"


def calendar_changes(old: Pack, new: Pack, events: Iterable[Event], at: date) -> tuple[ClockChange, ...]:
    """The clocks of acts not yet done whose dates differ between two packs. Acts done are not among them."""
    kept = list(events)
    before, after = fold(old, kept, at), fold(new, kept, at)
    found = []
    for key, order in before.orders.items():
        for act in ACTS:
            first, second = clock_of(before, order, act), clock_of(after, after.orders[key], act)
            if first is None or second is None or not order.stands or _done(before, act, key):
                continue
            if (first.last_day, first.eligible_from) != (second.last_day, second.eligible_from):
                found.append(ClockChange(key, act, first, second))
    return tuple(found)


def _done(matter, act: str, key: str) -> bool:
    order = matter.orders[key]
    return {
        "revoke_permit": any(permit.revoked_on is not None for permit in matter.permits),
        "request_cease_and_desist": order.requested_on is not None,
        "issue_notice_of_intent": order.notice_on is not None,
        "enter_land": order.entered_on is not None,
    }.get(act, False)
