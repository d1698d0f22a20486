"""The first screen after unlocking: what is to be done today, where, by when and why."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.site import ClockView, DraftRow, NearView, PlacardNag


@dataclass(frozen=True, slots=True)
class OwedLine:
    """One thing a site is owed. `kind` weekly | rain | road | re-inspection | correction; `state` overdue | today |
    coming; `words` what and by when; `why` how that was counted, in the law's own words, with its clause."""

    kind: str
    state: str
    words: str
    why: str


@dataclass(frozen=True, slots=True)
class TodayRow:
    """A site with all that it is owed, the most urgent first. `state` is that of its first line. `draft`: this person's
    unfinished inspection there. `type`: the type of inspection that the first line calls for. `distance`: how far it
    is, in words, "" where the nearest do not come first. `stop`: its place on the way from site to site, 0 where none
    is shown; `map_link` opens it in the device's own map app."""

    site: str
    name: str
    address: str
    state: str
    lines: tuple[OwedLine, ...]
    mine: bool
    draft: str | None
    type: str
    sign: str
    distance: str = ""
    stop: int = 0
    lat_udeg: int | None = None
    lon_udeg: int | None = None
    map_link: str = ""


@dataclass(frozen=True, slots=True)
class RoadRow:
    """A place on a road that must be clean by the end of the work day: by when, in words."""

    site: str
    name: str
    where: str
    by: str
    state: str


@dataclass(frozen=True, slots=True)
class OrderLine:
    """An order with a running clock. `due`: its first correction, "" once all is put right, and `due_state` overdue |
    today | coming. `next` the date that comes first, with its derivation; `left` how long the city still waits."""

    number: str
    site: str
    name: str
    status: str
    next: ClockView | None
    left: str
    state: str
    due: str = ""
    due_state: str = ""


@dataclass(frozen=True, slots=True)
class DraftLine:
    """Something unfinished of this person, and where."""

    draft: DraftRow
    site: str
    name: str


@dataclass(frozen=True, slots=True)
class TodaySection:
    """`id` overdue | today | coming, or route: those two in the order of the way. `rows` the first of `total`."""

    id: str
    title: str
    rows: tuple[TodayRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class TodayView:
    """`day` in words; `summary` in one line. `mine`: only sites assigned to the person; `can_choose_mine`: any site is.
    `settled` false: not every site has been reckoned yet, more may come. `nothing`: said when there is nothing to do.
    `rain`: the last rain that was written down, "" for none. `nags`: placards whose photos are still to be taken.
    `take_down`: those put up from here whose orders have ended of late. `near`: whether they stand in the order of the
    way, and from where."""

    day: str
    summary: str
    settled: bool
    mine: bool
    can_choose_mine: bool
    drafts: tuple[DraftLine, ...]
    sections: tuple[TodaySection, ...]
    road: tuple[RoadRow, ...]
    road_title: str
    orders: tuple[OrderLine, ...]
    orders_total: int
    nothing: str | None
    rain: str
    known_as_of: str
    user: str
    near: NearView
    nags: tuple[PlacardNag, ...] = ()
    take_down: tuple[PlacardNag, ...] = ()
