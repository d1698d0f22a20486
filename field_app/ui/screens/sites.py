"""The list of sites: a search and filters that need no network, nearest first. On a wide screen it stands in two
columns, and beside the site once one is chosen.

Only a window of the list is made and drawn; "show more" widens it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import LEFT, grid, line, nothing_here
from field_app.ui.components.nav import home_tabs
from field_app.ui.guard import remembered, safe_component
from field_app.ui.screens.site import site_body
from field_app.ui.theme import Tone
from field_app.ui.words import _, counted
from field_app.work.views import SiteRow
from field_app.work.views.site import FilterView, SitesView

WINDOW = 20
MEMORY = "sites"


def asked(shell: Any) -> dict[str, Any]:
    """Which filters are on, whether the nearest come first, how many rows are wanted: kept while the window lives."""
    return shell.memory.setdefault(MEMORY, {"filters": (), "near": False, "shown": WINDOW, "open": False})


@safe_component
def SiteCard(shell: Any, row: SiteRow, chosen: bool) -> ft.Control:
    """One site of the list."""
    signs: list[ft.Control] = []
    if row.critical:
        signs.append(pill(theme.SEVERITIES["critical"], _("Critical: {count}").format(count=row.critical)))
    if row.open_findings:
        signs.append(pill(theme.WARN, _("Open findings: {count}").format(count=row.open_findings)))
    if row.draft:
        signs.append(pill(Tone(theme.WAIT.ink, theme.WAIT.ground, theme.WAIT.solid, ft.Icons.EDIT_NOTE),
                          _("inspection begun")))
    if row.reported:
        signs.append(pill(Tone(theme.WARN.ink, theme.WARN.ground, theme.WARN.solid, ft.Icons.ADD_LOCATION_ALT),
                          _("found in the field")))
    if row.mine:
        signs.append(pill(Tone(theme.WAIT.ink, theme.WAIT.ground, theme.WAIT.solid, ft.Icons.PERSON),
                          _("Assigned to me")))
    permit = theme.GOOD if row.permit_ok else theme.BAD
    name: list[ft.Control] = [
        ft.Text(row.name, size=theme.KEY, weight=ft.FontWeight.BOLD, color=theme.INK, expand=True)]
    if row.distance:
        name.append(ft.Text(row.distance, size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.BRAND))
    lines: list[ft.Control] = [
        ft.Row(name, spacing=8),
        ft.Text(row.address, size=theme.BODY, color=theme.INK_SOFT),
        _sign_line(ft.Icons.VERIFIED if row.permit_ok else ft.Icons.GPP_BAD, row.permit, permit),
    ]
    if row.order:
        lines.append(_sign_line(ft.Icons.FRONT_HAND, row.order, theme.BAD))
    if row.due and row.due_state != "coming":
        lines.append(_sign_line(theme.DUE[row.due_state].icon, row.due, theme.DUE[row.due_state]))
    if signs:
        lines.append(ft.Row(signs, wrap=True, spacing=8, run_spacing=6))
    return tap_card(
        ft.Row([ft.Column(lines, spacing=4, expand=True, tight=True),
                ft.Icon(ft.Icons.CHEVRON_RIGHT, size=32, color=theme.INK_SOFT)]),
        lambda e: shell.go("site", site=row.id), id=f"site-{row.id}", chosen=chosen or None,
        ground=theme.BRAND_SOFT if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE_SOFT,
    )


def _sign_line(icon: ft.IconData, words: str, tone: Tone) -> ft.Control:
    return ft.Row([ft.Icon(icon, size=22, color=tone.ink),
                   ft.Text(words, size=theme.BODY, color=tone.ink, weight=ft.FontWeight.W_600, expand=True)], spacing=8)


SiteCardMemo = remembered(SiteCard)


def filter_chip(shell: Any, one: FilterView) -> ft.Control:
    """A filter to tap on and off: a tick says that it is on."""
    now = asked(shell)

    def toggle(_e: ft.Event) -> None:
        now["filters"] = tuple(f for f in now["filters"] if f != one.value) if one.chosen else (
            *now["filters"], one.value)
        now["shown"] = WINDOW
        shell.redraw()

    return chip(one.words, one.chosen, toggle, f"filter-{one.value}")


def filter_part(shell: Any, filters: tuple[FilterView, ...], *before: ft.Control) -> ft.Control:
    """A chip that unfolds the filters, so that none has to be reached by a swipe; those that are on always show."""
    now = asked(shell)
    on = [one for one in filters if one.chosen]

    def unfold(_e: ft.Event) -> None:
        now["open"] = not now["open"]
        shell.redraw()

    icon = ft.Icons.EXPAND_LESS if now["open"] else ft.Icons.FILTER_LIST
    toggle = chip(_("Filters"), False, unfold, "filters", icon)
    shown = [filter_chip(shell, one) for one in (filters if now["open"] else on)]
    return ft.Row([*before, toggle, *shown], wrap=True, spacing=8, run_spacing=8)


def chip(words: str, chosen: bool, on_click: Any, id: str, icon: ft.IconData | None = None) -> ft.Control:
    ink = theme.ON_BRAND if chosen else theme.INK
    mark = ft.Icons.CHECK if chosen else icon
    return tap_card(
        ft.Row([*([ft.Icon(mark, size=22, color=ink)] if mark else []),
                ft.Text(words, size=theme.BODY, weight=ft.FontWeight.W_600, color=ink)], spacing=6, tight=True),
        on_click, id=id, chosen=chosen, ground=theme.BRAND if chosen else theme.PAPER,
        edge=theme.BRAND if chosen else theme.LINE, padding=17)


def site_list(shell: Any, chosen: str, view: SitesView, room: float, columns: int = 1) -> list[ft.Control]:
    """Search, filters, and the window of cards, in so many columns; `room` is how wide it may be."""
    now = asked(shell)

    async def search(text: str) -> None:
        shell.query = text
        now["shown"] = WINDOW
        shell.redraw()

    async def nearest(_e: ft.Event) -> None:
        now["near"] = not now["near"]
        shell.redraw()
        if now["near"]:
            await shell.attempt(shell.work.locate, once="locate")

    def more(_e: ft.Event) -> None:
        now["shown"] += WINDOW
        shell.redraw()

    async def report(_e: ft.Event) -> None:
        async def act() -> None:
            found = await shell.work.begin_report()
            shell.go("find", report=found.id)
        await shell.attempt(act, once="report")

    near = chip(_("Nearest first"), view.near.on, nearest, "near", ft.Icons.NEAR_ME)
    half = int((room - theme.GAP * (columns - 1)) / columns)
    # The same row in each number of columns: what is being typed outlives a turn of the tablet.
    rows: list[ft.Control] = [ft.Row([
        ft.Container(TextLine(shell.query, search, _("Find a site"), "site-search", key="search",
                              hint=_("name, street, parcel, contractor, permit, order")), width=half),
        ft.Container(filter_part(shell, view.filters, near), width=half),
    ], wrap=True, spacing=theme.GAP, run_spacing=theme.GAP, vertical_alignment=ft.CrossAxisAlignment.START)]
    if view.near.on:
        words = view.near.words or _("Asking the tablet where it is ...")
        rows.append(line(ft.Icons.NEAR_ME, words))
    if not view.settled:
        rows.append(line(ft.Icons.HOURGLASS_TOP, _("Looking through the sites ...")))
    if view.empty:
        rows.append(nothing_here(view.empty, ft.Icons.SEARCH_OFF))
    cards: list[ft.Control] = [ft.Container(
        SiteCardMemo(shell, row, row.id == chosen, key=f"site-{row.id}"), expand=columns > 1,
        key=ft.ScrollKey(f"site-{row.id}")) for row in view.rows]
    rows += [grid(cards, columns, theme.GAP)] if columns > 1 else cards
    left_over = view.found - len(view.rows)
    if left_over > 0:
        rows.append(action(_("Show {count} more").format(count=min(WINDOW, left_over)), more, id="sites-more",
                           kind="secondary", icon=ft.Icons.EXPAND_MORE))
    rows.append(action(_("A site on no list"), report, id="begin-report", icon=ft.Icons.ADD_LOCATION_ALT,
                       kind="secondary", disabled=shell.busy("report")))
    rows.append(ft.Container(padding=ft.Padding.only(bottom=20), content=ft.Text(
        counted(view.total, "{found} of 1 site. {known}", "{found} of {count} sites. {known}", found=view.found,
                known=view.known_as_of),
        size=theme.SMALL, color=theme.INK_SOFT)))
    return rows


@safe_screen
def SitesScreen(shell: Any, beat: int, site: str = "") -> ft.Control:
    """Draws `SitesView`; on a wide screen with the chosen `SiteView` beside it."""
    now = asked(shell)
    beside = ft.use_ref(lambda: ft.Ref[ft.Column]()).current
    view: SitesView = shell.work.sites(shell.query, now["filters"], near=now["near"], limit=now["shown"])

    def reckon() -> None:
        if not view.settled:
            shell.start_task(shell.work.prepare_sites())

    async def bring_into_view() -> None:
        await asyncio.sleep(0.05)  # the list must have been laid out
        first = [row.id for row in view.rows[:2]]  # with them the search stays in sight
        if beside.current is not None and site not in first:
            await beside.current.scroll_to(scroll_key=f"site-{site}", duration=0)

    ft.use_effect(reckon, dependencies=[view.settled], cleanup=lambda: None)
    ft.use_effect(bring_into_view, dependencies=[bool(site), shell.narrow], cleanup=lambda: None)
    columns = 1 if shell.narrow or site else 2
    edge = 10 if shell.tiny else theme.EDGE
    rows = site_list(shell, site, view, shell.width - 2 * edge if not site or shell.narrow else LEFT - edge, columns)
    status = shell.work.status()
    title = _("Sites")
    subtitle = " · ".join(w for w in (status.user, status.city_name) if w)
    top = home_tabs(shell, "sites") if not site else None
    if not site or shell.narrow:
        return frame(shell, title, rows, subtitle=subtitle, home=True, top=top, full=True)
    left = ft.Column(rows, scroll=ft.ScrollMode.AUTO, expand=True, spacing=theme.GAP, ref=beside,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    body, bottom = site_body(shell, shell.work.site(site))
    return frame(shell, title, body, subtitle=subtitle, left=left, bottom=bottom)
