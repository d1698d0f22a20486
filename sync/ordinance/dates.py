"""The dates of a stop-work order and of a permit, each derived from its own day 0 and able to say why.

    order_dates(pack, posted_on=..., issued_on=..., permit_in_force=True|False|None) -> tuple[Derived, ...]
    words(derived, "en"|"es"), statement(derived, language), eligibility(derived, language)

K4 (revocation) runs from issuance, K5 (cease and desist) and K6 (notice of intent) from posting, K7 (entry)
from the issuing of the notice; a pack may read the first three as running from the later day. Day 0 is not
counted; the last day moves past Sundays and legal holidays, never past a Saturday (Wis. Stat. 990.001(4)).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from .clocks import Clock
from .words import eligibility, source, statement, words

if TYPE_CHECKING:
    from .pack import Pack

__all__ = ["Derived", "application_review", "bill_due", "derive", "eligibility", "extension_cap", "order_dates",
           "permit_life", "permit_limb", "source", "statement", "words"]


@dataclass(frozen=True, slots=True)
class Derived:
    """One derived date. ``clock`` K1..K12, ``clause`` a slug of the pack, ``start`` day 0, ``raw`` the literal
    last day, ``last_day`` after rolling, ``eligible_from`` the first day the act may follow (None: no act).

    ``fixed``: the literal day was set by a person (a bill's due date), not counted.
    ``permit_last_day`` (K5 alone): the last day of the limb "obtain a permit" when it is later than ``last_day``.
    """

    clock: str
    clause: str
    start: date
    started_by: str
    raw: date
    last_day: date
    eligible_from: date | None
    pack: Pack = field(repr=False, compare=False)
    permit_last_day: date | None = None
    other: date | None = None
    further: int = 0
    fixed: bool = False

    @property
    def rule(self) -> Clock:
        return self.pack.clocks[self.clock]

    def label(self, language: str = "en") -> str:
        """What this clock is about, such as "Permit may be revoked"."""
        return self.rule.label[language]

    def to_wire(self, language: str = "en") -> dict:
        """As it travels in ``down.order.dates``: clock, label, dates as ISO text, words."""
        return {"clock": self.clock, "label": self.label(language), "last_day": self.last_day.isoformat(),
                "eligible_from": self.eligible_from.isoformat() if self.eligible_from else None,
                "words": words(self, language)}


def derive(pack: Pack, clock: str, start: date, started_by: str = "", *, permit_pending: bool = False,
           further: int = 0) -> Derived:
    """The end of ``clock`` from day 0 ``start``. ``permit_pending`` lets K5 wait for the limb "obtain a permit".

    ``further`` days lengthen the clock (a stay, where the pack gives the remaining days). CalendarMissing when
    the calendar of a year that matters is not in the pack.
    """
    rule = pack.clocks[clock]
    raw, last = rule.ends(start, pack.calendar, further)
    eligible = rule.opens_on(raw, last)
    other = None
    if clock == "K5":
        other = permit_limb(pack, last)
        if other == last:
            other = None
        elif permit_pending and rule.opens == "day after":
            eligible = rule.opens_on(raw, other)
    return Derived(clock, rule.clause, start, started_by or rule.start, raw, last, eligible, pack, other,
                   further=further)


def permit_limb(pack: Pack, last: date) -> date:
    """The last day to obtain a permit: past a Saturday on which the office is shut (990.001(4)(c))."""
    calendar = pack.calendar
    if not calendar.is_shut_saturday(last):
        return last
    return calendar.roll(date.fromordinal(last.toordinal() + 1))


def order_dates(pack: Pack, *, posted_on: date, issued_on: date | None = None,
                permit_in_force: bool | None = None) -> tuple[Derived, ...]:
    """What follows from a posted order: K4 and/or K5 (by the permit), K6, and K7 as if the notice were issued on
    the first day possible. ``issued_on`` None: posted in the field, issuance and posting are one day.
    """
    issued = posted_on if issued_on is None else issued_on
    posted = posted_on
    if pack.readings.clock_start == "later":
        issued = posted = max(issued, posted)
    found = []
    if permit_in_force is not False:
        found.append(derive(pack, "K4", issued, "issued" if issued_on is not None else "posted"))
    if permit_in_force is not True:
        found.append(derive(pack, "K5", posted))
    notice = derive(pack, "K6", posted)
    found.append(notice)
    if notice.eligible_from is not None:
        found.append(derive(pack, "K7", notice.eligible_from, "notice_if"))
    return tuple(found)


def application_review(pack: Pack, received: date) -> Derived:
    """K1: the last of the working days in which an application is decided. Nothing is approved by silence."""
    return derive(pack, "K1", received)


def permit_life(pack: Pack, issued: date, authorization_until: date | None = None) -> Derived:
    """K2: the last valid day, the longer of the days of the clause and the other authorization. Never rolls."""
    base = derive(pack, "K2", issued)
    if authorization_until is None:
        return base
    return Derived("K2", base.clause, issued, "issued", base.raw, max(base.raw, authorization_until), None, pack,
                   other=authorization_until)


def bill_due(pack: Pack, billed_on: date, due: date | None = None) -> Derived:
    """K10: when a bill is due, the day set on it or the pack's own count, on a day on which the office is open."""
    if due is None:
        return derive(pack, "K10", billed_on)
    rule = pack.clocks["K10"]
    last = rule.moved(due, pack.calendar)
    return Derived("K10", rule.clause, billed_on, "billed", due, last, rule.opens_on(due, last), pack, fixed=True)


def extension_cap(pack: Pack, base_expiry: date) -> Derived:
    """K3: the farthest day to which extensions may reach, counted from the base expiry, not from the last one."""
    return derive(pack, "K3", base_expiry)
