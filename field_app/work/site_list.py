"""The list of sites: searched, filtered, sorted by need or by distance; only what is shown is made into rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from field_app.work import clocks, finding_sites, orders_known
from field_app.work.finding_sites import Known, SiteIndex, metres_to
from field_app.work.progress import sync_clock
from field_app.work.site_standing import Standing, catch_up, made_for, runs, settled, standing, state_at
from field_app.work.views.site import FilterView, NearView, SiteRow, SitesView
from field_app.work.words import N_, PERMIT_STATE, said
from sync.documents import language
from sync.documents.language import Translate, clock_words, date_words
from sync.ordinance.rounds import Owed

if TYPE_CHECKING:
    from field_app.work.desk import Desk

FILTERS = {
    "due": N_("Due now"),
    "open": N_("Open findings"),
    "order": N_("Stop-work order"),
    "no_permit": N_("No permit"),
    "mine": N_("Assigned to me"),
}
ROUND = {
    "weekly": N_("Weekly inspection"),
    "rain": N_("Inspection after rain"),
    "road": N_("Road re-check"),
    "re-inspection": N_("Re-inspection"),
}


def known_as_of(desk: Desk) -> str:
    _ = desk.words
    at = sync_clock(desk)
    if not at:
        return _("Nothing has come down from the office yet")
    return _("As the office knew it on {moment}").format(moment=desk.moment_words(at))


def orders_by_site(desk: Desk, index: SiteIndex) -> dict[str, list[orders_known.KnownOrder]]:
    """Every order known here, by its site."""

    def make() -> dict[str, list[orders_known.KnownOrder]]:
        found: dict[str, list[orders_known.KnownOrder]] = {}
        for order in orders_known.all_orders(desk):
            found.setdefault(order.site, []).append(order)
        return found

    return index.keep("orders", desk.language, make)


def active_orders(desk: Desk, index: SiteIndex, site: str) -> list[orders_known.KnownOrder]:
    return [one for one in orders_by_site(desk, index).get(site, ()) if one.status in orders_known.OPEN]


def sites(
    desk: Desk, query: str = "", filters: Iterable[str] = (), near: bool = False, limit: int | None = None
) -> SitesView:
    _ = desk.words
    index = finding_sites.of(desk)
    chosen = [name for name in FILTERS if name in set(filters)]
    ready = "due" not in chosen or settled(desk, index)
    ranked = _ranked(desk, index)
    total = len(ranked)
    found = index.search(query, ranked)
    for name in chosen:
        keep = filter_of(desk, index, name)
        found = [known for known in found if keep(known)]
    if near and index.fix is not None:
        found = _nearest(index, found)
    rows = [site_row(desk, index, known, near=near) for known in (found if limit is None else found[:limit])]
    empty = None
    if not total:
        empty = _("No sites yet. They come down from the office as soon as this tablet reaches it.")
    elif not found and query.strip():
        empty = _("No site matches “{query}”.").format(query=query)
    elif not found:
        empty = _("No site matches what you chose.")
    return SitesView(
        query,
        tuple(rows),
        total,
        known_as_of(desk),
        empty,
        found=len(found),
        filters=tuple(FilterView(name, _(words), name in chosen) for name, words in FILTERS.items()),
        near=near_view(desk, index, near),
        settled=ready,
    )


def _ranked(desk: Desk, index: SiteIndex) -> list[Known]:
    """All sites that lists show: a draft, an order, critical findings first; the rest by name."""
    user = desk.session().get("user")

    def make() -> list[Known]:
        special = index.sites_with("findings", "orders", "drafts", "facts")
        first = []
        for site in special:
            known = index.sites[site]
            here = standing(desk, index, known)
            first.append(
                (
                    draft_of(index, site, user) is None,
                    not active_orders(desk, index, site),
                    -here.critical,
                    -len(here.open),
                    known.name,
                    site,
                )
            )
        first.sort()
        rest = sorted((known for site, known in index.sites.items() if site not in special), key=lambda one: one.name)
        ranked = [index.sites[row[-1]] for row in first] + rest
        return [known for known in ranked if not known.doc.get("same_as")]

    return index.keep("ranked", (user, made_for(desk)), make)


def draft_of(index: SiteIndex, site: str, user: str | None) -> str | None:
    """The person's unfinished inspection of the site."""
    return next((doc["id"] for doc in index.of_site("drafts", site) if doc["user"] == user), None)


def filter_of(desk: Desk, index: SiteIndex, name: str) -> Callable[[Known], bool]:
    if name == "due":
        now, at = made_for(desk), desk.now().strftime("%Y-%m-%dT%H:%M")

        def due(known: Known) -> bool:
            here = known.standing
            if here is None or here.made_for != now:
                return False  # not reckoned yet: `prepare_sites` does
            return state_at(here.first, at) in ("overdue", "today")

        return due
    if name == "open":
        open_ = {s for s in index.sites_with("findings", "facts") if standing(desk, index, index.sites[s]).open}
        return lambda known: known.doc["id"] in open_
    if name == "order":
        active = {site for site in orders_by_site(desk, index) if active_orders(desk, index, site)}
        return lambda known: known.doc["id"] in active
    if name == "mine":
        user = desk.session().get("user")
        return lambda known: user in (known.doc.get("inspectors") or ())
    day = desk.today().isoformat()
    permitted = {
        site
        for site in index.sites_with("permits")
        if any(runs(permit, day) for permit in index.of_site("permits", site))
    }
    return lambda known: known.doc["id"] not in permitted and permit_needed(known.doc)


def _nearest(index: SiteIndex, found: list[Known]) -> list[Known]:
    fix = index.fix
    assert fix is not None
    away = [(metres_to(fix, known.doc), place) for place, known in enumerate(found)]
    order = sorted(range(len(found)), key=lambda place: (away[place][0] is None, away[place][0] or 0.0, place))
    return [found[place] for place in order]


# --- rows -----------------------------------------------------------------------------------------------------------
def site_row(desk: Desk, index: SiteIndex, known: Known, *, near: bool = False) -> SiteRow:
    _ = desk.words
    doc, here = known.doc, standing(desk, index, known)
    active = active_orders(desk, index, doc["id"])
    line = None
    if len(active) > 1:
        line = _("{count} stop-work orders: {numbers}").format(
            count=len(active), numbers=", ".join(order.number for order in active))
    elif active:
        line = _("Stop-work order {number}: {status}").format(
            number=active[-1].number, status=orders_known.status_words(desk, active[-1])
        )
    due, state = due_words(desk, here)
    user = desk.session().get("user")
    metres = metres_to(index.fix, doc) if near and index.fix is not None else None
    return SiteRow(
        id=doc["id"],
        name=doc["name"],
        address=doc["address"],
        permit=permit_line(desk, here.permit) if here.permit or permit_needed(doc) else _("No permit needed"),
        permit_ok=here.permit_ok or not permit_needed(doc),
        open_findings=len(here.open),
        critical=here.critical,
        order=line,
        draft=draft_of(index, doc["id"], user),
        due=due,
        due_state=state,
        distance=distance_words(desk, metres),
        mine=user in (doc.get("inspectors") or ()),
        reported=(doc.get("reported") or {}).get("state") == "reported",
        sign=sign_of(doc, here, bool(active), state),
    )


def permit_needed(site: dict[str, Any]) -> bool:
    """Whether a permit is missed where there is none: not where the newest answer says that none is needed."""
    return (site.get("need") or {}).get("result") not in ("not_required", "exempt")


def sign_of(site: dict[str, Any], here: Standing, order: bool, due_state: str) -> str:
    """The one thing that matters most about a site, for its pin."""
    if order:
        return "order"
    if here.critical:
        return "critical"
    if due_state == "overdue":
        return "overdue"
    if not here.permit_ok and permit_needed(site):
        return "no_permit"
    return "due" if due_state == "today" else "good"


def due_words(desk: Desk, here: Standing) -> tuple[str, str]:
    """The inspection that is owed first, in a few words, and overdue | today | coming."""
    if not here.owed:
        return "", ""
    _ = desk.words
    first, now = here.owed[0], desk.now().replace(tzinfo=None)
    return owed_words(first, now, _), first.state(now)


def owed_words(owed: Owed, now: datetime, _: Translate) -> str:
    """What is owed and by when. An hour that the day alone would hide is said: that of rain and of the road."""
    state, what = owed.state(now), _(ROUND[owed.kind])
    day, at = date_words(owed.on, _), clock_words(owed.at, _)
    if owed.at_once:
        return _("{what} overdue since {date}").format(what=what, date=day)
    if state == "overdue":
        return _("{what} overdue since {date} at {time}").format(what=what, date=day, time=at)
    if state == "today":
        return _("{what} due today by {time}").format(what=what, time=at)
    if owed.kind in ("rain", "road"):
        return _("{what} due {date} by {time}").format(what=what, date=day, time=at)
    return _("{what} due {date}").format(what=what, date=day)


def permit_line(desk: Desk, permit: dict[str, Any] | None) -> str:
    _ = desk.words
    if permit is None:
        return _("No permit found")
    return _("Permit {number}: {state}").format(number=permit["number"], state=permit_words(desk, permit))


def permit_words(desk: Desk, permit: dict[str, Any]) -> str:
    """The permit's state today with its dates; a permit that came down "in force" may have run out since."""
    _ = desk.words
    last = permit.get("last_valid_day")
    state = permit["state"]
    if state == "in_force" and last and last < desk.today().isoformat():
        return _("expired, last valid day {date}").format(date=desk.date_words(last))
    words = said(PERMIT_STATE, state, _)
    if state == "in_force" and last:
        return _("{state} through {date}").format(state=words, date=desk.date_words(last))
    if last:
        return _("{state}, last valid day {date}").format(state=words, date=desk.date_words(last))
    return words


# --- where the tablet is --------------------------------------------------------------------------------------------
def distance_words(desk: Desk, metres: float | None) -> str:
    """ "350 ft" or "1.2 mi"; "" when it is not known."""
    return "" if metres is None else language.distance_words(max(metres, 1), desk.words, step=10)


def near_view(desk: Desk, index: SiteIndex, on: bool) -> NearView:
    _ = desk.words
    fix = index.fix
    if fix is None:
        return NearView(on, _(index.no_fix) if on and index.no_fix else "")
    age = desk.now() - fix.fixed_at
    if age < timedelta(minutes=1):
        how_old = _("now")
    elif age < timedelta(hours=1):
        how_old = _("{n} min ago").format(n=int(age.total_seconds() // 60))
    else:
        how_old = desk.moment_words(fix.fixed_at)
    words = _("Your position: {when}, known to {distance}").format(
        when=how_old, distance=language.distance_words(fix.accuracy_cm / 100, _))
    return NearView(on, words, fix.lat_udeg, fix.lon_udeg)


async def locate(desk: Desk) -> NearView:
    """Ask the tablet where it is and remember it with its time; without an answer the last one stays, with its age."""
    from field_app.work.photo_keeping import NO_FIX

    index = finding_sites.of(desk)
    fix = await desk.hardware.position.fix()
    clocks.fixed(desk, fix)
    reason = getattr(fix, "reason", None)
    if reason is None:
        index.fix, index.no_fix = fix, ""
    else:
        index.no_fix = NO_FIX.get(reason, reason)
    desk.changed()
    return near_view(desk, index, True)


async def prepare(desk: Desk) -> None:
    """Reckon what every site is owed today, without holding up the screens."""
    if not settled(desk, finding_sites.of(desk)):
        await catch_up(desk)
        desk.changed()
