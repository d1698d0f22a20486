"""What "shall" be done: each duty is owed since a day until it is done, and nothing is done by itself.

    owed(matter, order="A") -> tuple[Duty, ...]     on the dashboard until done; ``overdue`` names no consequence
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from .dates import Derived, derive
from .events import FIRST
from .matter import Matter
from .schema import Section

DUTIES = ("decide_application", "enumerate_changes", "issue_permit", "order_revision", "bill_costs", "enter_on_roll")


@dataclass(frozen=True, slots=True)
class DutyRule:
    id: str
    clause: str
    clock: str
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class Duty:
    """A duty that is owed: since when, and of money how much. ``derived()`` has its last day where a clock runs."""

    id: str
    since: date
    amount: Decimal | None = None
    matter: Matter | None = field(default=None, repr=False, compare=False)

    @property
    def rule(self) -> DutyRule:
        return self.matter.pack.duties[self.id]  # type: ignore[union-attr]

    def label(self, language: str = "en") -> str:
        return self.rule.labels[language]

    def derived(self) -> Derived | None:
        rule = self.rule
        return derive(self.matter.pack, rule.clock, self.since) if rule.clock else None  # type: ignore[union-attr]

    def overdue(self) -> bool:
        """Past the last day of its clock; it stays owed, and nothing is granted by silence."""
        found = self.derived()
        return found is not None and self.matter.at > found.last_day  # type: ignore[union-attr]


def owed(matter: Matter, order: str = FIRST) -> tuple[Duty, ...]:
    """The duties owed at the end of the matter's day; those of money are about ``order``."""
    found = []
    if matter.steps:
        found.extend(Duty(name, since, None, matter) for name, since in matter.review().owed)
    if matter.abnormal_on is not None:
        found.append(Duty("order_revision", matter.abnormal_on, None, matter))
    ledger = matter.order(order).ledger
    if ledger.unbilled > 0 and ledger.worked_on is not None:
        found.append(Duty("bill_costs", ledger.worked_on, ledger.unbilled, matter))
    if ledger.bills:
        rows = ledger.delinquent(matter.pack.calendar, matter.at)
        if rows:
            total = sum((amount for _, amount, _ in rows), Decimal(0))
            found.append(Duty("enter_on_roll", min(since for _, _, since in rows), total, matter))
    return tuple(found)


def read_duties(section: Section, clauses: dict, clocks: dict, languages: tuple[str, ...]) -> dict[str, DutyRule]:
    """``[duty.NAME]`` tables of ``acts.toml``."""
    found: dict[str, DutyRule] = {}
    for name, inner in section.tables("duty"):
        if name not in DUTIES:
            raise inner.fail("", "is no duty that is known here")
        clause, clock = inner.text("clause"), inner.text("clock", "")
        if clause not in clauses:
            raise inner.fail("clause", f"{clause!r} is not a clause of this pack")
        if clock and clock not in clocks:
            raise inner.fail("clock", f"{clock!r} is not a clock of this pack")
        found[name] = DutyRule(name, clause, clock, inner.said("label", languages))
        inner.done()
    for name in DUTIES:
        if name not in found:
            raise section.fail(f"duty.{name}", "is missing")
    return {name: found[name] for name in DUTIES}
