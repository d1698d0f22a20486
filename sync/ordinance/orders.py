"""The dates of one stop-work order: issued, posted, registered, stayed, served, released ... and its status.

A date that did not happen is None. Issuance and posting are two days; registering moves neither of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from .money import Ledger

if TYPE_CHECKING:
    from .pack import Pack

STATUSES = ("none", "issued", "posted", "in_force", "stayed", "quarantined", "released", "voided")


@dataclass(frozen=True, slots=True)
class Service:
    """One party served: when, how (by hand, certified mail ...) and on whom by name, as far as it was recorded."""

    on: date
    party: str
    method: str = ""
    name: str = ""


class OrderState:
    """The dates of one order. A date that did not happen is None."""

    issued_on: date | None = None
    posted_on: date | None = None
    registered_on: date | None = None
    quarantined_on: date | None = None
    service_confirmed_on: date | None = None
    voided_on: date | None = None
    voided_by = ""
    released_on: date | None = None
    partly_released_on: date | None = None
    requested_on: date | None = None
    obtained_on: date | None = None
    confirmed_on: date | None = None
    ceased_on: date | None = None
    complied_on: date | None = None
    photos_missing = False
    stay_from: date | None = None
    stays: tuple[tuple[date, date], ...] = ()
    appeals: tuple[tuple[date, str], ...] = ()
    notice_on: date | None = None
    entered_on: date | None = None
    entry_bases: tuple[tuple[date, str], ...] = ()
    returned: tuple[date, ...] = ()
    reposted: tuple[date, ...] = ()
    service: tuple[Service, ...] = ()
    sold_on: date | None = None
    sold_to = ""

    def __init__(self, key: str):
        self.key = key
        self.ledger = Ledger()

    @property
    def issuance(self) -> date | None:
        """When it was issued: in the office, or by the authorised posting itself."""
        return self.issued_on if self.issued_on is not None else self.posted_on

    @property
    def first_on(self) -> date | None:
        """When the order came to be: the earlier of issuance and posting."""
        issued, posted = self.issued_on, self.posted_on
        if issued is None or posted is None:
            return posted if issued is None else issued
        return min(issued, posted)

    @property
    def stands(self) -> bool:
        """Posted with authority, and neither released nor voided."""
        return self.posted_on is not None and self.voided_on is None and self.released_on is None

    def served(self, party: str) -> date | None:
        """When ``party`` (landowner, permittee, land_user) was first served; None when not yet.

        Once the land is sold while the order stands, only what was served from that day on reached its landowner, and
        by name, where one was recorded, nobody but the new one.
        """
        since = self.sold_on if party == "landowner" else None
        for one in self.service:
            if one.party != party:
                continue
            if since is None or (one.on >= since and one.name in ("", self.sold_to)):
                return one.on
        return None

    def late(self, pack: Pack) -> bool:
        """Registered more than the pack's days after posting."""
        if self.registered_on is None or self.posted_on is None:
            return False
        return (self.registered_on - self.posted_on).days > pack.late_registration_days

    def status(self) -> str:
        """One of STATUSES. A release that came before its order is held until the order is there."""
        if self.voided_on is not None:
            return "voided"
        if self.released_on is not None and (self.first_on is not None or self.quarantined_on is not None):
            return "released"
        if self.quarantined_on is not None:
            return "quarantined"
        if self.stay_from is not None and self.first_on is not None:
            return "stayed"
        if self.posted_on is not None:
            return "in_force" if self.issued_on is not None or self.registered_on is not None else "posted"
        return "issued" if self.issued_on is not None else "none"
