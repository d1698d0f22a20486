"""A permit from application to expiry: its review, its validity, its extensions. Nothing is granted by silence.

    review(pack, steps, at) -> Review            received, decided, revised ...; the clock that runs and what is owed
    Permit(pack, issued_on, authorization_until) valid through the longer of two periods; ``authorization`` recomputes
    permit.extend(on, until) -> refusal or None  never beyond the cap from the base expiry, never after expiry

The plan approval lives and ends with its permit. Validity is inclusive of its last day and never moves to another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from .dates import Derived, application_review, extension_cap, permit_life
from .words import say_day

if TYPE_CHECKING:
    from .pack import Pack

REFUSALS = ("not in force", "beyond the cap", "no longer than before")


class Permit:
    """One permit and how long it is valid. ``granted_after`` names the order it was granted after, if any; ``key``
    the permit itself, where a site has several."""

    __slots__ = ("authorizations", "base_expiry", "changes", "extensions", "granted_after", "issued_on", "key",
                 "last_valid_day", "pack", "practices", "revoked_on")

    def __init__(self, pack: Pack, issued_on: date, authorization_until: date | None = None,
                 granted_after: str | None = None, key: str = ""):
        self.pack, self.issued_on, self.granted_after, self.key = pack, issued_on, granted_after, key
        self.authorizations: tuple[tuple[date, date], ...] = ()
        self.extensions: tuple[tuple[date, date], ...] = ()
        self.practices: tuple[str, ...] = ()
        self.changes: tuple[tuple[date, date, date], ...] = ()
        self.revoked_on: date | None = None
        if authorization_until is not None:
            self.authorizations = ((issued_on, authorization_until),)
        self.base_expiry = self.last_valid_day = self._base(authorization_until)

    def _base(self, authorization_until: date | None) -> date:
        last = self.pack.clocks["K2"].ends(self.issued_on, self.pack.calendar)[1]
        return last if authorization_until is None or authorization_until < last else authorization_until

    def in_force(self, day: date) -> bool:
        """Issued, not past its last valid day, not revoked by the end of ``day``."""
        return self.issued_on <= day <= self.last_valid_day and (self.revoked_on is None or day < self.revoked_on)

    def state(self, day: date) -> str:
        """``applied`` (not issued yet), ``in_force``, ``expired`` or ``revoked``, at the end of ``day``."""
        if day < self.issued_on:
            return "applied"
        if self.revoked_on is not None and day >= self.revoked_on:
            return "revoked"
        return "in_force" if day <= self.last_valid_day else "expired"

    def derived(self) -> Derived:
        """The base validity with its reasoning (K2)."""
        return permit_life(self.pack, self.issued_on, self.authorizations[-1][1] if self.authorizations else None)

    def cap(self) -> Derived:
        """The farthest day to which extensions may reach (K3)."""
        return extension_cap(self.pack, self.base_expiry)

    def authorization(self, on: date, until: date) -> None:
        """The building permit or other authorization now ends on ``until``: the base is computed anew.

        The old and the new last valid day are kept in ``changes``; it is no extension and uses up none of its months.
        """
        self.authorizations += ((on, until),)
        before, self.base_expiry = self.last_valid_day, self._base(until)
        self.last_valid_day = max([self.base_expiry, *(day for _, day in self.extensions)])
        self.changes += ((on, before, self.last_valid_day),)

    def may_extend(self, on: date, until: date) -> str | None:
        """None when the permit may be extended to ``until`` by a decision of ``on``, else one of REFUSALS."""
        if not self.in_force(on):
            return "not in force"
        if until <= self.last_valid_day:
            return "no longer than before"
        return "beyond the cap" if until > self.cap().last_day else None

    def extend(self, on: date, until: date, practices: Iterable[str] = ()) -> str | None:
        """Extends the permit, with further practices as conditions; the refusal when it may not be."""
        refusal = self.may_extend(on, until)
        if refusal is None:
            before, self.last_valid_day = self.last_valid_day, until
            self.extensions += ((on, until),)
            self.practices += tuple(practices)
            self.changes += ((on, before, until),)
        return refusal

    def revoke(self, on: date) -> None:
        if self.in_force(on):
            self.revoked_on = on


_REFUSED = {
    "en": {"not in force": "The permit is not in force on {on}; after expiry a new application is needed.",
           "beyond the cap": "{until} lies beyond {cap}, the end of all extensions together.",
           "no longer than before": "The permit is valid that long already, until {last}."},
    "es": {"not in force": "El permiso no está vigente el {on}; tras vencer hace falta una solicitud nueva.",
           "beyond the cap": "El {until} pasa del {cap}, fin de todas las prórrogas en conjunto.",
           "no longer than before": "El permiso ya vale hasta el {last}."},
}


def say_refusal(permit: Permit, refusal: str, on: date, until: date, language: str = "en") -> str:
    """Why an extension is refused, as a sentence with its dates."""
    days = {"on": on, "until": until, "cap": permit.cap().last_day, "last": permit.last_valid_day}
    return _REFUSED[language][refusal].format(**{name: say_day(day, language, date.min) for name, day in days.items()})


STEPS = ("received", "incomplete", "completed", "granted", "conditional", "denied", "changes_enumerated",
         "revised_plan_received", "revision_unsatisfactory", "revision_satisfactory", "permit_issued", "withdrawn")
"""The steps of one application, in the order in which those of one day are taken."""
_STATE = {"received": "under review", "incomplete": "incomplete", "completed": "under review", "granted": "granted",
          "conditional": "conditionally approved", "denied": "denied", "revised_plan_received": "revision under review",
          "revision_unsatisfactory": "denied", "revision_satisfactory": "to be issued", "permit_issued": "issued",
          "withdrawn": "withdrawn"}
_PENDING = frozenset(("under review", "granted", "conditionally approved", "revision under review", "to be issued"))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an application. ``items``: conditions of an approval, or the changes that a denial requires."""

    what: str
    on: date
    items: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.what not in STEPS:
            raise ValueError(f"{self.what!r} is no step of an application; there are: {', '.join(STEPS)}")


@dataclass(frozen=True, slots=True)
class Review:
    """Where an application stands: ``state``, the running clock (K1) or None, and what is owed since when.

    The clock is counted when asked for: an application is owed its decision also in a year without a table.
    """

    state: str
    clock_from: date | None
    at: date
    conditions: tuple[str, ...]
    changes: tuple[str, ...]
    owed: tuple[tuple[str, date], ...]
    pack: Pack = field(repr=False, compare=False)

    @property
    def clock(self) -> Derived | None:
        """The review that runs; None when nothing waits for a decision. CalendarMissing."""
        return None if self.clock_from is None else application_review(self.pack, self.clock_from)

    @property
    def overdue(self) -> bool:
        """Past the last day of its clock at the end of ``at``, and nothing else by that. CalendarMissing."""
        clock = self.clock
        return clock is not None and self.at > clock.last_day

    @property
    def pending(self) -> bool:
        """The applicant still waits for a permit: undecided, granted but not issued, or revised and under review."""
        return self.state in _PENDING


def review(pack: Pack, steps: Iterable[Step], at: date) -> Review:
    """The application at the end of ``at``; the same for every order of arrival of its steps.

    A revised plan starts a review of its own of the same length. An application past its last day is overdue and
    nothing else: it is neither granted nor denied by that.
    """
    state, clock_from = "not received", None
    conditions: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    duties: dict[str, date] = {}
    for step in sorted(steps, key=lambda one: (one.on, STEPS.index(one.what), one.items)):
        if step.on > at:
            break
        state = _STATE.get(step.what, state)
        if step.what in ("received", "completed", "revised_plan_received"):
            clock_from = step.on
            duties.setdefault("decide_application", step.on)
        elif step.what != "changes_enumerated":
            clock_from = None
            duties.pop("decide_application", None)
        if step.what == "conditional":
            conditions = step.items
        elif step.what == "denied":
            duties["enumerate_changes"] = step.on
            changes = step.items
            if step.items:
                duties.pop("enumerate_changes")
        elif step.what == "changes_enumerated":
            changes += step.items
            duties.pop("enumerate_changes", None)
        elif step.what == "revision_satisfactory":
            duties["issue_permit"] = step.on
        elif step.what in ("permit_issued", "withdrawn"):
            duties.clear()
    return Review(state, clock_from, at, conditions, changes, tuple(duties.items()), pack)
