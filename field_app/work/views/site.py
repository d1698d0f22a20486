"""The list of sites and one site."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.common import Choice
from field_app.work.views.photos import PhotoView


@dataclass(frozen=True, slots=True)
class SiteRow:
    """`order` e.g. "Stop-work order SW-2026-T07-0012-K: posted" or None; `draft` id of an unfinished
    inspection. `due` the inspection that is owed first ("Weekly inspection overdue since ...") or "", `due_state`
    overdue | today | coming | "". `distance` from the last known position, "" when that is not asked for. `mine`:
    assigned to the person signed in. `reported`: found in the field and not confirmed by the office yet. `sign` is the
    one word for list and map: order | critical | overdue | due | no_permit | good."""

    id: str
    name: str
    address: str
    permit: str
    permit_ok: bool
    open_findings: int
    critical: int
    order: str | None
    draft: str | None
    due: str = ""
    due_state: str = ""
    distance: str = ""
    mine: bool = False
    reported: bool = False
    sign: str = "good"


@dataclass(frozen=True, slots=True)
class FilterView:
    """A filter of the list; `value` goes back to Work."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class NearView:
    """Nearest first. `on`: the list is sorted so. `words`: how old the position is and how good, or why there is
    none."""

    on: bool
    words: str
    lat_udeg: int | None = None
    lon_udeg: int | None = None


@dataclass(frozen=True, slots=True)
class SitesView:
    """`rows` the first of the `found` sites that match; `total` of all. `settled` false: some sites have not been
    reckoned yet today, so filters by what is due may still grow."""

    query: str
    rows: tuple[SiteRow, ...]
    total: int
    known_as_of: str
    empty: str | None
    found: int = 0
    filters: tuple[FilterView, ...] = ()
    near: NearView = NearView(False, "")
    settled: bool = True


@dataclass(frozen=True, slots=True)
class PartyView:
    """`call` is the link that calls the phone ("tel:+16085550100"), "" when there is no number."""

    role: str
    name: str
    address: str
    phone: str
    call: str = ""


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """An earlier inspection, here or elsewhere. `mine`: it was signed on this tablet and can be opened."""

    id: str
    title: str
    words: str
    mine: bool


@dataclass(frozen=True, slots=True)
class TimetableRow:
    """One step of the permit's timetable. `state` done | late | now | coming."""

    activity: str
    when: str
    note: str
    state: str
    state_words: str


@dataclass(frozen=True, slots=True)
class RoundLine:
    """An inspection that the site is owed: `words` what and by when, `why` in the law's words; `state` overdue |
    today | coming; `type` of the inspection to begin."""

    words: str
    why: str
    state: str
    type: str


@dataclass(frozen=True, slots=True)
class ConditionView:
    id: str
    text: str
    clause: str


@dataclass(frozen=True, slots=True)
class PermitView:
    """`state` is the wire word (applied, in_force, expired, revoked, denied); `words` says it with its dates.
    `in_force` is decided for today in the city's zone."""

    id: str
    number: str
    state: str
    in_force: bool
    words: str
    conditions: tuple[ConditionView, ...]
    validity: str = ""


@dataclass(frozen=True, slots=True)
class PlaceView:
    """An inlet or a control device of the site."""

    id: str
    label: str
    kind: str
    place: str
    detail: str


@dataclass(frozen=True, slots=True)
class OpenFindingView:
    id: str
    title: str
    subject: str
    severity: str
    severity_words: str
    found: str
    due: str
    overdue: bool
    note: str
    photo: str | None
    age: str = ""


@dataclass(frozen=True, slots=True)
class ClockView:
    """One legal time limit of an order: `label` what may follow, `first` from when on in words, `words` the derivation;
    all the same as on placard, console and PDF."""

    label: str
    last_day: str | None
    eligible_from: str | None
    words: str
    first: str = ""


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order on the site, ours or another's. `status` the wire word, `words` for reading. `can_affix`:
    issued in the office and not yet up, so any inspector may put it up. `placard`: with it `work.placard()` shows
    the paper as it was printed here; None when another tablet printed it. `take_down`: the order has ended and its
    placard was up. `acts`: what this person may do with it here ("repost", "release", "void"). `nag`: which photos of
    the placard are still to be taken by who put it up, "" when none. `photos`: those of the placard signed here. `due`:
    its first correction in words, "" once all is put right, and `due_state` overdue | today | coming."""

    number: str
    fact: str
    status: str
    words: str
    clocks: tuple[ClockView, ...]
    public_url: str
    can_affix: bool
    can_add_photo: bool
    placard: str | None
    take_down: bool = False
    acts: tuple[str, ...] = ()
    nag: str = ""
    photos: tuple[PhotoView, ...] = ()
    due: str = ""
    due_state: str = ""


@dataclass(frozen=True, slots=True)
class PlacardNag:
    """Photos of a placard that was put up from here are still to be taken: which, in `words`."""

    number: str
    site: str
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class DraftRow:
    """`kind` "inspection" | "order" | "affix" | "report" | "site_act" | "placard_photos", of the order `number`."""

    id: str
    kind: str
    title: str
    progress: str
    begun: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class SignedRow:
    """An inspection signed on this tablet. `can_order`: it has findings an order could rest on, and no order that
    stands does; `may_post`: the person holds the power to post it, else it is recommended. `ordered`: the number of
    the order that rests on it."""

    fact: str
    title: str
    outcome: str
    sending: str
    can_order: bool
    may_post: bool = False
    ordered: str = ""


@dataclass(frozen=True, slots=True)
class SiteView:
    """One site. `owed`: inspections due, the first first. `need_words`: whether a permit is needed, as answered on the
    site; `reported`: that it was found in the field. `map_link` opens the place in the device's own map app. `report`
    the id of this person's unfinished report about it. `moved_to`: the office filed it under that other site.
    `as_written`: what stands over the city's own words for a reader of another language, else ""."""

    id: str
    name: str
    address: str
    parcel: str
    site_class: str
    parties: tuple[PartyView, ...]
    permits: tuple[PermitView, ...]
    permit_words: str
    inlets: tuple[PlaceView, ...]
    devices: tuple[PlaceView, ...]
    findings: tuple[OpenFindingView, ...]
    orders: tuple[OrderRow, ...]
    drafts: tuple[DraftRow, ...]
    signed: tuple[SignedRow, ...]
    inspection_types: tuple[Choice, ...]
    entry_bases: tuple[Choice, ...]
    may_inspect: bool
    known_as_of: str
    owed: tuple[RoundLine, ...] = ()
    need_words: str = ""
    reported: str = ""
    history: tuple[HistoryRow, ...] = ()
    timetable: tuple[TimetableRow, ...] = ()
    rain: tuple[str, ...] = ()
    assigned: str = ""
    mine: bool = False
    lat_udeg: int | None = None
    lon_udeg: int | None = None
    distance: str = ""
    map_link: str = ""
    report: str = ""
    can_ask_need: bool = False
    can_order: bool = False
    may_post: bool = False
    moved_to: str = ""
    as_written: str = ""
