"""The state of an enforcement matter on a day: a fold over its events, the same for every order of arrival.

    matter = fold(pack, events, at)          events of the future are left out; ``at`` counts to its end
    matter.orders["A"].status()              see STATUSES
    acts.decide(matter, "revoke_permit")     what is open, and what is missing
    duties.owed(matter)                      what "shall" be done

Permits, applications, revisions and emergencies belong to the site; all else to the order it names. Nothing here
decides or acts: it only remembers dates.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from .events import FIRST, Event, in_order, refuse_opposites
from .orders import STATUSES, OrderState, Service
from .permits import Permit, Review, Step, review

if TYPE_CHECKING:
    from .pack import Pack

__all__ = ["STATUSES", "Emergency", "Matter", "OrderState", "Permit", "fold"]

GROUNDS_FOR_ENTRY = ("adjacent property", "surface water")
"""What must be threatened for an emergency entry; ways and sewers are protected by it, never its ground."""
THREATENED = (*GROUNDS_FOR_ENTRY, "public way", "storm sewer")


class Emergency:
    """The record of an emergency: when, who approved the entry, what is threatened."""

    __slots__ = ("approved_by", "entered", "found_on", "threatens")

    def __init__(self, found_on: date, approved_by: str, threatens: str):
        self.found_on, self.approved_by, self.threatens = found_on, approved_by, threatens
        self.entered = False

    @property
    def complete(self) -> bool:
        return bool(self.approved_by.strip()) and self.threatens in GROUNDS_FOR_ENTRY


class Matter:
    """A site with its permits and orders as they stand at the end of ``at``."""

    __slots__ = ("abnormal_on", "at", "emergencies", "orders", "pack", "permits", "steps")

    def __init__(self, pack: Pack, at: date):
        self.pack, self.at = pack, at
        self.permits: list[Permit] = []
        self.orders: dict[str, OrderState] = {FIRST: OrderState(FIRST)}
        self.emergencies: list[Emergency] = []
        self.abnormal_on: date | None = None
        self.steps: list[Step] = []

    def order(self, key: str) -> OrderState:
        state = self.orders.get(key)
        if state is None:
            state = self.orders[key] = OrderState(key)
        return state

    def review(self) -> Review:
        """Where the application for a permit stands."""
        return review(self.pack, self.steps, self.at)

    @property
    def permit_pending(self) -> bool:
        """A permit was applied for and may still come."""
        return bool(self.steps) and self.review().pending

    def permit_in_force(self, day: date) -> Permit | None:
        for permit in self.permits:
            if permit.in_force(day):
                return permit
        return None


def fold(pack: Pack, events: Iterable[Event], at: date) -> Matter:
    """The matter at the end of the day ``at``. EventError for opposite events on one day."""
    ordered = in_order(events)
    refuse_opposites(ordered)
    matter = Matter(pack, at)
    for event in ordered:
        if event.on > at:
            break
        take = _TAKE.get(event.what)
        if take is not None:
            take(matter, matter.order(event.order), event)
    return matter


def after(permit: Permit, order: OrderState) -> bool:
    """Whether the permit was issued after the order came to be (it can be revoked only under a new order)."""
    first = order.first_on
    if first is None:
        return permit.granted_after == order.key
    return permit.issued_on > first or (permit.issued_on == first and permit.granted_after == order.key)


def _application(matter: Matter, order: OrderState, event: Event) -> None:
    what = str(event.data["decision"]) if event.what == "application_decided" else event.what
    items = event.data.get("items", ())
    matter.steps.append(Step(what.removeprefix("application_"), event.on, tuple(items)))  # type: ignore[arg-type]


def _permit_issued(matter: Matter, order: OrderState, event: Event) -> None:
    until = event.data.get("authorization_until")
    after_order = order.key if event.what == "permit_granted" else None
    key = str(event.data.get("permit", ""))
    matter.permits.append(Permit(matter.pack, event.on, until, after_order, key))  # type: ignore[arg-type]
    matter.steps.append(Step("permit_issued", event.on))


def _named(matter: Matter, event: Event) -> list[Permit]:
    """The permit that the event names; every one of the site where it names none."""
    return [one for one in matter.permits if event.data.get("permit", one.key) == one.key]


def _authorization_changed(matter: Matter, order: OrderState, event: Event) -> None:
    for permit in _named(matter, event):
        if permit.in_force(event.on):
            permit.authorization(event.on, event.data["until"])  # type: ignore[arg-type]


def _permit_extended(matter: Matter, order: OrderState, event: Event) -> None:
    """An extension that is refused (after expiry, beyond the cap) lengthens nothing."""
    for permit in _named(matter, event):
        permit.extend(event.on, event.data["until"], event.data.get("practices", ()))  # type: ignore[arg-type]


def _permit_revoked(matter: Matter, order: OrderState, event: Event) -> None:
    for permit in _named(matter, event):
        permit.revoke(event.on)


def _order_issued(matter: Matter, order: OrderState, event: Event) -> None:
    if order.issued_on is None:
        order.issued_on = event.on


def _order_posted(matter: Matter, order: OrderState, event: Event) -> None:
    if order.posted_on is None:
        order.posted_on, order.quarantined_on = event.on, None
    else:
        order.reposted += (event.on,)


def _order_reposted(matter: Matter, order: OrderState, event: Event) -> None:
    """The same order and number put up again: it moves no clock."""
    order.reposted += (event.on,)


def _posted_without_authority(matter: Matter, order: OrderState, event: Event) -> None:
    if order.posted_on is None and order.quarantined_on is None:
        order.quarantined_on = event.on


def _ratified(matter: Matter, order: OrderState, event: Event) -> None:
    """Counts as posting, issuing and registering on that day, for an order that nobody with the power had posted."""
    if order.posted_on is None:
        order.posted_on = order.issued_on = order.registered_on = event.on
        order.quarantined_on = None


def _registered(matter: Matter, order: OrderState, event: Event) -> None:
    if order.registered_on is None:
        order.registered_on = event.on


def _service_confirmed(matter: Matter, order: OrderState, event: Event) -> None:
    order.service_confirmed_on = event.on


def _voided(matter: Matter, order: OrderState, event: Event) -> None:
    if order.voided_on is None:
        order.voided_on, order.voided_by = event.on, event.what


def _served(matter: Matter, order: OrderState, event: Event) -> None:
    data = event.data
    order.service += (Service(event.on, event.what.removesuffix("_served"), str(data.get("method", "")),
                              str(data.get("name", ""))),)


def _ownership_changed(matter: Matter, order: OrderState, event: Event) -> None:
    """The land of the site was sold: every order that stands binds its new owner, who must be served in turn."""
    for one in matter.orders.values():
        if one.first_on is not None and one.voided_on is None and one.released_on is None:
            one.sold_on, one.sold_to = event.on, str(event.data.get("to", ""))


def _mail_returned(matter: Matter, order: OrderState, event: Event) -> None:
    """Unclaimed mail: a further reasonable step is due; whether service holds is for a person to say."""
    order.returned += (event.on,)


def _photos(matter: Matter, order: OrderState, event: Event) -> None:
    order.photos_missing = event.what == "photos_missing"


def _ceased(matter: Matter, order: OrderState, event: Event) -> None:
    if order.ceased_on is None:
        order.ceased_on = event.on


def _complied(matter: Matter, order: OrderState, event: Event) -> None:
    if order.complied_on is None:
        order.complied_on = event.on


def _stay(matter: Matter, order: OrderState, event: Event) -> None:
    if order.stay_from is None:
        order.stay_from = event.on


def _peril_certified(matter: Matter, order: OrderState, event: Event) -> None:
    order.stay_from = None


def _appeal_decided(matter: Matter, order: OrderState, event: Event) -> None:
    result = str(event.data.get("result"))
    order.appeals += ((event.on, result),)
    if result == "reversed":
        order.stay_from = None
        _voided(matter, order, event)
    else:
        _stay_lifted(matter, order, event)


def _stay_lifted(matter: Matter, order: OrderState, event: Event) -> None:
    if order.stay_from is not None:
        order.stays += ((order.stay_from, event.on),)
        order.stay_from = None


def _notice_issued(matter: Matter, order: OrderState, event: Event) -> None:
    if order.notice_on is None:
        order.notice_on, order.entered_on = event.on, None


def _notice_withdrawn(matter: Matter, order: OrderState, event: Event) -> None:
    order.notice_on = order.entered_on = None


def _emergency_found(matter: Matter, order: OrderState, event: Event) -> None:
    data = event.data
    matter.emergencies.append(Emergency(event.on, str(data.get("approved_by", "")), str(data.get("threatens", ""))))


def _entry_basis(matter: Matter, order: OrderState, event: Event) -> None:
    order.entry_bases += ((event.on, str(event.data.get("basis"))),)


def _entered(matter: Matter, order: OrderState, event: Event) -> None:
    """An entry uses up an emergency that was open; it uses up the notice when its time had come, or nothing else was
    there to enter on."""
    emergency = False
    for one in matter.emergencies:
        if one.complete and not one.entered:
            one.entered = emergency = True
    if order.notice_on is not None:
        opens, begun = None, notice_start(matter.pack, order)
        if begun is not None:
            start, further = clock_start(matter.pack, order, "K7", begun[0])
            rule = matter.pack.clocks["K7"]
            opens = rule.opens_on(*rule.ends(start, matter.pack.calendar, further))
        if not emergency or (opens is not None and event.on >= opens):
            order.entered_on = event.on


def _work_done(matter: Matter, order: OrderState, event: Event) -> None:
    order.ledger.work(event.on, event.data["cost"])  # type: ignore[arg-type]


def _billed(matter: Matter, order: OrderState, event: Event) -> None:
    order.ledger.bill(event.on, event.data["due"])  # type: ignore[arg-type]


def _paid(matter: Matter, order: OrderState, event: Event) -> None:
    order.ledger.pay(event.data["amount"])  # type: ignore[arg-type]


def _certified(matter: Matter, order: OrderState, event: Event) -> None:
    order.ledger.certify(event.on, matter.pack.calendar)


def _abnormal_conditions(matter: Matter, order: OrderState, event: Event) -> None:
    if matter.abnormal_on is None:
        matter.abnormal_on = event.on


def _revision_ordered(matter: Matter, order: OrderState, event: Event) -> None:
    matter.abnormal_on = None


def _released(matter: Matter, order: OrderState, event: Event) -> None:
    if order.released_on is None:
        order.released_on = event.on


def _partly_released(matter: Matter, order: OrderState, event: Event) -> None:
    order.partly_released_on = event.on


def _confirmed(matter: Matter, order: OrderState, event: Event) -> None:
    order.confirmed_on = event.on


def _obtained(matter: Matter, order: OrderState, event: Event) -> None:
    order.obtained_on = event.on


def _requested(matter: Matter, order: OrderState, event: Event) -> None:
    order.requested_on = event.on


def notice_start(pack: Pack, order: OrderState) -> tuple[date, str] | None:
    """Day 0 of the wait between notice of intent and entry, before any stay, and what it is the day of.

    Where the land was sold after the notice it is the day on which the new owner was served, and None until then; a
    pack may let the days of the notice run on.
    """
    issued, sold = order.notice_on, order.sold_on
    if issued is None or sold is None or sold <= issued or pack.readings.after_sale == "runs on":
        return None if issued is None else (issued, "notice_issued")
    served = order.served("landowner")
    return None if served is None else (served, "new_owner_served")


def clock_start(pack: Pack, order: OrderState, clock: str, start: date) -> tuple[date, int]:
    """Day 0 and further days of ``clock`` once the stays that ended are counted in."""
    if not order.stays or (order.stays[-1][1] <= start):
        return start, 0
    if pack.readings.after_stay == "fresh":
        return order.stays[-1][1], 0
    further = sum((end - max(begin, start)).days for begin, end in order.stays if end > start)
    return start, further


_TAKE = {
    "application_received": _application, "application_incomplete": _application, "application_completed": _application,
    "application_decided": _application, "application_withdrawn": _application, "changes_enumerated": _application,
    "revised_plan_received": _application, "revision_unsatisfactory": _application,
    "revision_satisfactory": _application, "permit_issued": _permit_issued,
    "authorization_changed": _authorization_changed,
    "permit_granted": _permit_issued, "permit_extended": _permit_extended, "permit_revoked": _permit_revoked,
    "order_issued": _order_issued, "order_posted": _order_posted, "order_reposted": _order_reposted,
    "posted_without_authority": _posted_without_authority, "ratified": _ratified, "registered": _registered,
    "service_confirmed": _service_confirmed, "order_declined": _voided, "order_voided": _voided,
    "order_superseded": _voided, "ownership_changed": _ownership_changed,
    "landowner_served": _served, "permittee_served": _served,
    "land_user_served": _served, "mail_returned": _mail_returned,
    "photos_missing": _photos, "photos_complete": _photos, "ceased": _ceased,
    "complied": _complied, "appeal_filed": _stay, "stay": _stay, "peril_certified": _peril_certified,
    "appeal_decided": _appeal_decided, "stay_lifted": _stay_lifted, "notice_of_intent_issued": _notice_issued,
    "notice_withdrawn": _notice_withdrawn, "emergency_found": _emergency_found, "entry_basis": _entry_basis,
    "entered": _entered, "work_done": _work_done, "billed": _billed, "paid": _paid, "certified": _certified,
    "abnormal_conditions": _abnormal_conditions, "revision_ordered": _revision_ordered, "order_released": _released,
    "order_partly_released": _partly_released, "cease_and_desist_requested": _requested,
    "cease_and_desist_obtained": _obtained, "order_confirmed": _confirmed,
}
