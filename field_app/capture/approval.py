"""Who approved an entry in an emergency: as it is typed, what it still lacks, and as it goes into a record.

A person with the power "approve entry" approves, if need be by phone; then the record says who, in what role, and when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from sync.records.bodies import APPROVED_HOW

HOW = ("", *APPROVED_HOW)
OTHER = "-"  # somebody who is on no list, and named by hand


@dataclass(frozen=True, slots=True)
class Approval:
    """`how` one of HOW; `person` the id of a person of the city, OTHER for one who is only named, "" while nobody said
    who; `on` ISO date and `at` "HH:MM" in the city's zone, or ""."""

    how: str = ""
    person: str = ""
    name: str = ""
    role: str = ""
    on: str = ""
    at: str = ""

    @property
    def whole(self) -> bool:
        """Everything that a record needs is there and can be read."""
        try:
            return bool(self.how and self.name.strip() and date.fromisoformat(self.on) and time.fromisoformat(self.at))
        except ValueError:
            return False

    def is_after(self, wall: str) -> bool:
        """Whether it was given after this wall time; to the minute, for no more is said of it."""
        return self.whole and f"{self.on}T{self.at}" > wall[:16]

    def to_wire(self, zone_of: str, zone: str = "") -> dict[str, Any] | None:
        """As a record has it; None while it is not whole. `zone`: that of the city, which says the offset of that day;
        without it that of the wall time `zone_of` is taken."""
        if not self.whole:
            return None
        offset = zone_of[-6:]
        if zone:
            moment = datetime.combine(date.fromisoformat(self.on), time.fromisoformat(self.at), ZoneInfo(zone))
            offset = moment.isoformat()[-6:]
        known = None if self.person in ("", OTHER) else self.person
        return {"how": self.how, "person": known, "name": self.name.strip(), "role": self.role.strip(),
                "at": f"{self.on}T{self.at}:00{offset}"}


def from_wire(told: Mapping[str, Any] | None) -> Approval:
    """As it was typed."""
    if told is None:
        return Approval()
    day, hour = told["at"][:10], told["at"][11:16]
    return Approval(told["how"], told.get("person") or OTHER, told["name"], told["role"], day, hour)
