"""What is to be done today: owed inspections by site, the road at the end of the work day, orders with their clocks.

What is owed, until when and why comes from the law (`sync.ordinance.rounds`, `sync.ordinance.dates`); here it is sorted
and put beside the names of places. A site appears once, with everything it is owed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from field_app.work import finding_sites, order_due, orders_known, photos_owed
from field_app.work.day_route import nearest_next, spot_of
from field_app.work.finding_sites import Known, SiteIndex, metres_to
from field_app.work.progress import draft_rows
from field_app.work.rain import last_anywhere
from field_app.work.site_links import map_link
from field_app.work.site_list import (
    active_orders,
    distance_words,
    draft_of,
    known_as_of,
    near_view,
    orders_by_site,
    owed_words,
    sign_of,
)
from field_app.work.site_standing import Standing, correction_of, made_for, settled, standing, state_at
from field_app.work.views.today import (
    DraftLine,
    OrderLine,
    OwedLine,
    RoadRow,
    TodayRow,
    TodaySection,
    TodayView,
)
from field_app.work.words import N_, with_clause
from sync.documents.language import capital, clock_words, counted, date_words, long_date_words
from sync.ordinance.rounds import Owed, road_day

if TYPE_CHECKING:
    from field_app.work.desk import Desk

WINDOW = 20
COMING_DAYS = 3
CORRECTIONS_SHOWN = 4
ROUTE = N_("Today's route: each time the nearest next")
SECTIONS = {"overdue": N_("Overdue"), "today": N_("Today"), "coming": N_("The next three days")}


def today(desk: Desk, mine: bool = False, shown: Mapping[str, int] | None = None, near: bool = False) -> TodayView:
    """`shown`: how many rows of a section are wanted, by its id ("orders" too). `near`: what is due in the order of the
    way from where the tablet is."""
    index = finding_sites.of(desk)
    wanted = {name: (shown or {}).get(name, WINDOW) for name in (*SECTIONS, "route", "orders")}
    now = desk.now().replace(tzinfo=None)
    key = (now.strftime("%Y-%m-%dT%H:%M"), desk.session().get("user"), desk.language, mine, tuple(wanted.items()),
           (index.fix, index.no_fix) if near else None)
    done = settled(desk, index)
    return index.keep("today", (key, done or _reckoned(index)),
                      lambda: _made(desk, index, mine, wanted, now, done, near))


def _reckoned(index: SiteIndex) -> int:
    return sum(1 for known in index.sites.values() if known.standing is not None)


def _made(
    desk: Desk, index: SiteIndex, mine: bool, wanted: dict[str, int], now: datetime, done: bool, near: bool
) -> TodayView:
    _ = desk.words
    user = desk.session().get("user") or ""
    found: dict[str, list[tuple[str, Known]]] = {name: [] for name in SECTIONS}
    assigned = False
    last = date.fromordinal(now.date().toordinal() + COMING_DAYS).isoformat()
    at, current = now.strftime("%Y-%m-%dT%H:%M"), made_for(desk)
    for known in index.shown():
        own = user in (known.doc.get("inspectors") or ())
        assigned = assigned or own
        here = known.standing
        if here is None or not here.first or (mine and not own) or here.made_for != current:
            continue
        if here.first[:10] <= last:
            found[state_at(here.first, at)].append((here.first, known))
    owed_now = [known for rows in found.values() for _at, known in rows]
    sections, totals = [], {name: len(rows) for name, rows in found.items()}
    if near and index.fix and (due := found.pop("overdue") + found.pop("today")):
        route = _route(desk, index, due, wanted["route"], now, user)
        sections.append(TodaySection("route", _(ROUTE), route, len(due)))
    for name, title in SECTIONS.items():
        if name not in found:
            continue
        rows = heapq.nsmallest(wanted[name], found[name], key=_nearest(index) if near and index.fix else _soonest)
        made = tuple(_row(desk, index, known, now, user, _away(desk, index, known) if near else "")
                     for _moment, known in rows)
        if found[name]:
            sections.append(TodaySection(name, _(title), made, len(found[name])))
    road = _road(desk, index, owed_now, now)
    orders, total = _orders(desk, index, mine, user, now.date(), wanted["orders"])
    drafts = tuple(_draft(desk, row) for row in _draft_rows(desk))
    nothing = None
    if not (sections or orders or drafts) and done:
        nothing = _("Nothing is due today. The list of sites has them all.")
        if not index.sites:
            nothing = _("No sites yet. They come down from the office as soon as this tablet reaches it.")
    return TodayView(
        day=capital(long_date_words(now.date(), _)),
        summary=_summary(desk, totals, len(road), total),
        settled=done,
        mine=mine,
        can_choose_mine=assigned,
        drafts=drafts,
        sections=tuple(sections),
        road=road,
        road_title=_("Look at the road again before the end of the work day"),
        orders=orders,
        orders_total=total,
        nothing=nothing,
        rain=last_anywhere(desk, index),
        known_as_of=known_as_of(desk),
        user=user,
        nags=photos_owed.placard_nags(desk),
        take_down=photos_owed.to_take_down(desk),
        near=near_view(desk, index, near),
    )


def _route(desk: Desk, index: SiteIndex, due: list[tuple[str, Known]], stops: int, now: datetime, user: str
           ) -> tuple[TodayRow, ...]:
    """The first `stops` of the way over what is due; sites without a position come last."""
    _, fix = desk.words, index.fix
    assert fix is not None
    placed = [(known, spot) for _at, known in sorted(due, key=_soonest) if (spot := spot_of(known.doc))]
    rows = []
    way = nearest_next((fix.lat_udeg, fix.lon_udeg), [spot for _known, spot in placed], stops)
    for stop, (place, metres) in enumerate(way, start=1):
        distance = distance_words(desk, metres)
        words = _("{distance} from here") if stop == 1 else _("{distance} further")
        rows.append(_row(desk, index, placed[place][0], now, user, words.format(distance=distance), stop))
    nowhere = heapq.nsmallest(stops - len(rows), [row for row in due if spot_of(row[1].doc) is None], key=_soonest)
    return (*rows, *(_row(desk, index, known, now, user) for _at, known in nowhere))


def _away(desk: Desk, index: SiteIndex, known: Known) -> str:
    return distance_words(desk, metres_to(index.fix, known.doc)) if index.fix else ""


def _soonest(row: tuple[str, Known]) -> tuple[str, str]:
    return row[0], row[1].name


def _nearest(index: SiteIndex) -> Callable[[tuple[str, Known]], tuple[bool, float, str, str]]:
    """By the way to the site; those without a position come last."""
    fix = index.fix
    assert fix is not None

    def away(row: tuple[str, Known]) -> tuple[bool, float, str, str]:
        metres = metres_to(fix, row[1].doc)
        return metres is None, metres or 0.0, *_soonest(row)

    return away


def _summary(desk: Desk, totals: dict[str, int], roads: int, orders: int) -> str:
    _ = desk.words
    parts = [
        counted(totals.get("overdue", 0), "1 overdue", "{count} overdue", _),
        counted(totals.get("today", 0), "1 due today", "{count} due today", _),
    ]
    if roads:
        parts.append(counted(roads, "1 road to look at again", "{count} roads to look at again", _))
    if orders:
        parts.append(counted(orders, "1 order running", "{count} orders running", _))
    return " · ".join(parts)


# --- sites ----------------------------------------------------------------------------------------------------------
def _row(desk: Desk, index: SiteIndex, known: Known, now: datetime, user: str, distance: str = "", stop: int = 0
         ) -> TodayRow:
    here = standing(desk, index, known)
    lines: list[OwedLine] = []
    last = date.fromordinal(now.date().toordinal() + COMING_DAYS)
    for owed in (one for one in here.owed if one.on <= last):
        lines.append(owed_line(desk, owed, now))
        if owed.kind == "re-inspection":
            lines += _overdue_corrections(desk, here, now)
    state = here.owed[0].state(now)
    kind = here.owed[0].kind
    return TodayRow(
        site=known.doc["id"],
        name=known.doc["name"],
        address=known.doc["address"],
        state=state,
        lines=tuple(lines),
        mine=user in (known.doc.get("inspectors") or ()),
        draft=draft_of(index, known.doc["id"], user),
        type="re-inspection" if kind == "road" else kind,
        sign=sign_of(known.doc, here, bool(active_orders(desk, index, known.doc["id"])), state),
        distance=distance,
        stop=stop,
        lat_udeg=known.doc.get("lat_udeg") if stop else None,
        lon_udeg=known.doc.get("lon_udeg") if stop else None,
        map_link=map_link(known.doc) if stop else "",
    )


def owed_line(desk: Desk, owed: Owed, now: datetime) -> OwedLine:
    """What is owed, by when, and how the law counts it."""
    _ = desk.words
    state, words = owed.state(now), owed_words(owed, now, _)
    why = owed.words(desk.law_language)
    if owed.clause:
        why = with_clause(why, owed.pack.cite(owed.clause), _)
    return OwedLine(owed.kind, state, words, why)


def _overdue_corrections(desk: Desk, here: Standing, now: datetime) -> list[OwedLine]:
    from field_app.work.order_findings import item_title
    from field_app.work.sites import due_line

    at = now.strftime("%Y-%m-%dT%H:%M")
    past = [one for one in here.open if one.get("due") and f"{one['due']['on']}T{one['due']['at']}" < at]
    past.sort(key=lambda one: (one["due"]["on"], one["due"]["at"]))
    pack = desk.pack()
    lines = [
        OwedLine(
            "correction", "overdue", item_title(pack, one["item"], desk.law_language),
            due_line(desk, one["due"], overdue=True),
        )
        for one in past[:CORRECTIONS_SHOWN]
    ]
    if len(past) > len(lines):
        more = counted(len(past) - len(lines), "and 1 more correction overdue", "and {count} more corrections overdue",
                       desk.words)
        lines.append(OwedLine("correction", "overdue", more, ""))
    return lines


def _road(desk: Desk, index: SiteIndex, rows: list[Known], now: datetime) -> tuple[RoadRow, ...]:
    """Every place with soil on a road that was found today, by the hour at which it must be clean."""
    _, found = desk.words, []
    for known in rows:
        here = known.standing
        if not here.open:
            continue
        owed = next((one for one in here.owed if one.kind == "road"), None)
        if owed is None:
            continue
        for one in here.open:
            if _is_road(owed, one):
                by = clock_words(owed.at, desk.words)
                if owed.on > now.date():  # found after the end of the work day
                    by = _("by {time} on {date}").format(time=by, date=date_words(owed.on, desk.words))
                else:
                    late = owed.state(now) == "overdue"
                    by = _("overdue since {time}").format(time=by) if late else _("by {time}").format(time=by)
                found.append((owed.at, RoadRow(
                    known.doc["id"], known.doc["name"], one.get("note") or known.doc["address"], by, owed.state(now))))
    return tuple(row for _at, row in sorted(found, key=lambda pair: (pair[0], pair[1].name)))


def _is_road(owed: Owed, finding: dict[str, Any]) -> bool:
    """Whether the look at the road that is owed is owed for this finding."""
    try:
        again = owed.pack.item(finding["item"]).recheck_same_day
    except KeyError:
        return False
    return again and road_day(owed.pack, correction_of(finding), owed.at) == owed.on


# --- orders and drafts ----------------------------------------------------------------------------------------------
def _orders(
    desk: Desk, index: SiteIndex, mine: bool, user: str, day: date, limit: int
) -> tuple[tuple[OrderLine, ...], int]:
    """Orders that stand, the one whose next date comes first first."""
    found: list[tuple[str, str, Any]] = []
    for site, orders in orders_by_site(desk, index).items():
        known = index.sites.get(site)
        if known is None or (mine and user not in (known.doc.get("inspectors") or ())):
            continue
        for order in orders:
            if order.status in orders_known.OPEN:
                coming = _next_date(order.dates, day)
                found.append(((coming or {}).get("last_day") or "9999", order.number, order))
    found.sort(key=lambda row: row[:2])
    return tuple(_order_line(desk, index, order, day) for _day, _number, order in found[:limit]), len(found)


def _next_date(dates: Any, day: date) -> dict[str, Any] | None:
    """The date that comes next; when all are past, the one that passed last."""
    dated = sorted((one for one in dates if one.get("last_day")), key=lambda one: one["last_day"])
    coming = [one for one in dated if one["last_day"] >= day.isoformat()]
    return coming[0] if coming else (dated[-1] if dated else None)


def _order_line(desk: Desk, index: SiteIndex, order: orders_known.KnownOrder, day: date) -> OrderLine:
    _ = desk.words
    said = _next_date(orders_known.said_here(desk, order), day)
    clock = orders_known.clock_views(desk, [said])[0] if said else None
    left, state = order_due.days_left(desk, clock.last_day, day) if clock and clock.last_day else ("", "coming")
    due, due_state = order_due.first_due(desk, order)
    return OrderLine(order.number, order.site, index.sites[order.site].doc["name"],
                     orders_known.status_words(desk, order), clock, left, state, due, due_state)


def _draft_rows(desk: Desk) -> list[tuple[Any, str]]:
    """Unfinished work of the person with its site."""
    tables = ("drafts", "order_drafts", "reports")
    sites = {doc["id"]: doc["site"] for table in tables for doc in desk.store.table(table).all()}
    return [(row, sites[row.id]) for row in draft_rows(desk) if row.id in sites]


def _draft(desk: Desk, pair: tuple[Any, str]) -> DraftLine:
    row, site = pair
    doc = desk.store.table("sites").get(site) or {}
    return DraftLine(row, site, doc.get("name", ""))
