"""An emergency report, or a revision of the plan, being written or signed; and those that a site has."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.approval import ApprovalView
from field_app.work.views.common import Choice
from field_app.work.views.order import CorrectionView, MetView
from field_app.work.views.photos import FarView, PhotoView, VoiceNoteView


@dataclass(frozen=True, slots=True)
class SiteActView:
    """`act` "emergency" | "revision". `stage` "open" | "done". `missing`: what it still lacks, in words. `statement` is
    what the PIN signs. `orders`: signed by this person a revision commands; else it is a recommendation to the office.

    Of an emergency: `condition`, `threats` (value and words), `threatened` the chosen ones, `found` when it was found,
    `approval`, `no_approval` why nobody approved, `entered` when somebody entered ("" not; `entered_wall` the
    wall time), `actions`, `entry_lacks` what stands in the way of entering, "" for nothing; `too_late`: somebody
    entered before the approval, `late_why`; `office`: what was arranged there since.
    Of a revision: `conditions`, `inadequate`, `devices`, `met`,
    `nobody_present`; `rains`: what gauges showed here of late, to be held beside what is typed.
    """

    id: str
    act: str
    stage: str
    site: str
    site_name: str
    address: str
    title: str
    says: str
    saved: str
    missing: tuple[str, ...]
    statement: str
    pin_wait: int
    photos: tuple[PhotoView, ...]
    reference: str = ""
    condition: str = ""
    threats: tuple[Choice, ...] = ()
    threatened: tuple[str, ...] = ()
    found: str = ""
    approval: ApprovalView | None = None
    approved: str = ""
    no_approval: str = ""
    entered: str = ""
    entered_wall: str = ""
    entry_lacks: str = ""
    too_late: bool = False
    late_why: str = ""
    actions: str = ""
    orders: bool = False
    conditions: str = ""
    inadequate: str = ""
    devices: tuple[CorrectionView, ...] = ()
    met: tuple[MetView, ...] = ()
    nobody_present: bool = False
    far: FarView | None = None
    can_put_back: bool = False
    voice_notes: tuple[VoiceNoteView, ...] = ()
    rains: tuple[str, ...] = ()
    office: str = ""


@dataclass(frozen=True, slots=True)
class SiteActRow:
    """One of them on the site's page; `id` opens it when it was signed on this tablet, "" else. `orders`: what a
    revision that stands demands, each with its day."""

    id: str
    act: str
    title: str
    words: str
    orders: tuple[str, ...] = ()
