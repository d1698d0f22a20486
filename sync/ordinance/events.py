"""What can happen in an enforcement matter, as dated events, and the order in which one day's events count.

An ``Event`` is a plain fact: what, on which day, about which order, and its data. ``in_order`` sorts any pile of
events into the one order that the fold takes, so that the state never depends on their arrival.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

FIRST = "A"
"""The order that an event speaks of when it names none."""

KINDS: tuple[str, ...] = (
    "application_received", "application_decided", "changes_enumerated", "revision_satisfactory", "permit_issued",
    "permit_extended", "permit_revoked", "permit_granted", "order_issued", "order_posted", "posted_without_authority",
    "ratified", "registered", "service_confirmed", "order_declined", "order_voided", "landowner_served",
    "permittee_served", "photos_missing", "photos_complete", "ceased", "complied", "appeal_filed", "stay",
    "peril_certified", "appeal_decided", "stay_lifted", "notice_of_intent_issued", "notice_withdrawn",
    "emergency_found", "entry_basis", "entered", "work_done", "billed", "paid", "certified", "abnormal_conditions",
    "revision_ordered", "order_released",
)
"""The events of a case file, in the order in which those of one day are taken."""

FURTHER: Mapping[str, str] = {
    "application_incomplete": "application_received",
    "application_completed": "application_received",
    "application_withdrawn": "changes_enumerated",
    "revised_plan_received": "changes_enumerated",
    "revision_unsatisfactory": "changes_enumerated",
    "authorization_changed": "permit_issued",
    "order_superseded": "order_voided",
    "ownership_changed": "order_voided",
    "order_confirmed": "registered",
    "order_reposted": "order_posted",
    "land_user_served": "permittee_served",
    "mail_returned": "permittee_served",
    "cease_and_desist_requested": "stay_lifted",
    "cease_and_desist_obtained": "stay_lifted",
    "order_partly_released": "revision_ordered",
}
"""Events that the office records beside those of the case files, each taken just after the kind it follows."""

IN_CASES = (*KINDS, "ownership_changed")
"""What a case file may hold."""

OPPOSITE = (("stay", "stay_lifted"), ("photos_missing", "photos_complete"))

_OPPOSED = {one: other for pair in OPPOSITE for one, other in (pair, pair[::-1])}

RANK: dict[str, float] = {what: float(place) for place, what in enumerate(KINDS)}
RANK.update({what: RANK[after] + (place + 1) / 100 for place, (what, after) in enumerate(FURTHER.items())})


class EventError(ValueError):
    """Events that cannot be taken together, or one that cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Event:
    """``order`` names the order it is about; ``data`` holds the keys of its kind (cost, due, decision ...)."""

    what: str
    on: date
    order: str = FIRST
    data: Mapping[str, object] = field(default_factory=dict)
    key: tuple = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        rank = RANK.get(self.what)
        if rank is None:
            raise EventError(f"{self.what!r} is no event that is known here")
        tie = repr(sorted(self.data.items())) if self.data else ""
        object.__setattr__(self, "key", (self.on, rank, self.order, tie))


def _key(event: Event) -> tuple:
    return event.key


def in_order(events: Iterable[Event]) -> list[Event]:
    """The events by day, and within a day by the list above: the same for every order of arrival."""
    return sorted(events, key=_key)


def refuse_opposites(events: Iterable[Event]) -> None:
    """EventError when two opposite events about one order lie on one day: nobody can say which came last."""
    seen = [(event.what, event.on, event.order) for event in events if event.what in _OPPOSED]
    for what, on, order in seen:
        other = _OPPOSED[what]
        if (other, on, order) in seen:
            raise EventError(f"{what} and {other} on one day, {on}: which of them came last must be recorded")
