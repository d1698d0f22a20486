"""A revision order (clause E2): its cause, the further devices with a date each, and the findings they become.

It is owed when rain or another abnormal condition makes the plan inadequate; it is no fault of the permittee. What
is not installed by its date is a finding like any other and then supports the ground "conditions not met".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pack import Pack

CAUSES = ("measured rain", "other condition")


@dataclass(frozen=True, slots=True)
class Cause:
    """``rain_in`` inches in ``hours`` with its source for measured rain; ``condition`` in words for any other."""

    kind: str
    on: date
    rain_in: Decimal | None = None
    hours: int | None = None
    source: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True)
class OrderedDevice:
    """One further device: kind from the catalogue, where, by when; ``installed_on`` once it was seen in place."""

    id: str
    kind: str
    place: str
    due: date
    installed_on: date | None = None


@dataclass(frozen=True, slots=True)
class RevisionOrder:
    on: date
    cause: Cause
    devices: tuple[OrderedDevice, ...]


@dataclass(frozen=True, slots=True)
class RevisionFinding:
    """What one ordered device becomes: a finding of item ``item`` with clause, ground, correction and due date."""

    device: str
    item: str
    clause: str
    grounds: tuple[str, ...]
    severity: str
    correction: str
    due: date
    status: str


def revision_problems(pack: Pack, order: RevisionOrder) -> tuple[str, ...]:
    """Why the order cannot go out yet: one sentence each, none when it is complete."""
    found = []
    cause = order.cause
    if cause.kind not in CAUSES:
        found.append(f"The cause must be one of: {', '.join(CAUSES)}.")
    elif cause.kind == "measured rain" and (not cause.rain_in or not cause.hours or not cause.source.strip()):
        found.append("Measured rain needs its inches, the hours it fell in, and who measured it.")
    elif cause.kind == "other condition" and not cause.condition.strip():
        found.append("The abnormal condition must be described.")
    if cause.on > order.on:
        found.append("The cause lies after the order.")
    if not order.devices:
        found.append("The order names no further device.")
    seen: set[str] = set()
    for device in order.devices:
        if device.id in seen:
            found.append(f"Device {device.id} is named twice.")
        seen.add(device.id)
        if device.kind not in pack.devices:
            found.append(f"{device.kind} is no control device of the catalog.")
        if not device.place.strip():
            found.append(f"Device {device.id} has no place.")
        if device.due < order.on:
            found.append(f"Device {device.id} is due before the order.")
    return tuple(found)


def revision_findings(pack: Pack, order: RevisionOrder, at: date, language: str = "en") -> tuple[RevisionFinding, ...]:
    """Each ordered device as a finding to be re-inspected by itself; ``status`` at the end of the day ``at``."""
    item = next(item for checklist in pack.checklists.values() for item in checklist.items if item.revision)
    grounds = tuple(letter for letter, ground in pack.grounds.items() if letter in _condition_grounds(pack))
    severity = item.rules[0].severity
    found = []
    for device in order.devices:
        if device.installed_on is not None and device.installed_on <= at:
            status = "verified"
        else:
            status = "overdue" if at > device.due else "open"
        name = pack.devices[device.kind].name(language)
        found.append(RevisionFinding(device.id, item.id, item.clause, grounds, severity,
                                     f"{name}: {device.place}", device.due, status))
    return tuple(found)


def _condition_grounds(pack: Pack) -> Iterable[str]:
    """The grounds that the pack's own question about permit conditions supports."""
    for checklist in pack.checklists.values():
        for item in checklist.items:
            if item.per == "condition":
                return item.grounds
    return ()
