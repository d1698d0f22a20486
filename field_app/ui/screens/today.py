"""Today, the first screen: what is owed, where, by when and why; the road before the work day ends; running orders."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import due_first, pill, told
from field_app.ui.components.buttons import action, icon_key, one_line, side_by_side, tap_card
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import (
    heading,
    limit_result,
    line,
    nothing_here,
    page_width,
    panel,
    text,
    titled,
)
from field_app.ui.components.marks import marked
from field_app.ui.components.nagging import nag_card, take_down_card
from field_app.ui.components.nav import go_on, home_tabs
from field_app.ui.components.states import KIND_ICONS
from field_app.ui.guard import remembered, safe_component
from field_app.ui.screens.site import place_link
from field_app.ui.ticking import use_ticks
from field_app.ui.words import _
from field_app.work.today import WINDOW
from field_app.work.views.today import DraftLine, OrderLine, OwedLine, RoadRow, TodayRow, TodayView

MEMORY = "today"
TICK = 30.0
"""Seconds after which the screen looks at the clock again: what is due becomes overdue without a tap."""


@safe_screen
def TodayScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `TodayView`."""
    asked: dict[str, Any] = shell.memory.setdefault(MEMORY, {"mine": False, "near": False, "shown": {}})
    view: TodayView = shell.work.today(asked["mine"], asked["shown"], near=asked["near"])

    def reckon() -> None:
        if not view.settled:
            shell.start_task(shell.work.prepare_sites())

    ft.use_effect(reckon, dependencies=[view.settled], cleanup=lambda: None)
    use_ticks(TICK, shell.redraw)

    def more(section: str) -> Any:
        def widen(_e: ft.Event) -> None:
            asked["shown"] = {**asked["shown"], section: asked["shown"].get(section, WINDOW) + WINDOW}
            shell.redraw()
        return widen

    def toggle_mine(_e: ft.Event) -> None:
        asked["mine"] = not asked["mine"]
        shell.redraw()

    async def toggle_near(_e: ft.Event) -> None:
        asked["near"] = not asked["near"]
        shell.redraw()
        if asked["near"]:
            await shell.attempt(shell.work.locate, once="locate")

    side = [take_down_card(shell, one) for one in view.take_down] + [nag_card(shell, one) for one in view.nags]
    side += [DraftCard(shell, one, key=f"draft-{one.draft.id}") for one in view.drafts]
    side += road_part(shell, view)
    side += orders_part(shell, view, more)
    sites: list[ft.Control] = []
    for section in view.sections:
        sites.append(heading(f"{section.title} ({section.total})", id=f"today-{section.id}"))
        sites += [TodayCardMemo(shell, row, shell.tiny, key=f"{section.id}-{row.site}") for row in section.rows]
        if section.total > len(section.rows):
            sites.append(action(_("Show {count} more").format(count=min(WINDOW, section.total - len(section.rows))),
                                more(section.id), id=f"more-{section.id}", kind="secondary",
                                icon=ft.Icons.EXPAND_MORE))
    if not view.settled:
        sites.insert(0, line(ft.Icons.HOURGLASS_TOP, _("Looking through the sites ...")))
    if view.nothing:
        sites.append(nothing_here(view.nothing, ft.Icons.TASK_ALT))
    foot = ft.Container(text(view.known_as_of, soft=True, size=theme.SMALL), padding=ft.Padding.only(bottom=20))
    status = shell.work.status()
    subtitle = " · ".join(w for w in (status.user, status.city_name) if w)
    top = home_tabs(shell, "today")
    head = [day_part(view), tools(shell, view, toggle_mine, toggle_near)]
    if shell.narrow or not side:
        return frame(shell, _("Today"), [*head, *side, *sites, foot], subtitle=subtitle, home=True, top=top)
    left = ft.Column(side, scroll=ft.ScrollMode.AUTO, expand=True, spacing=theme.GAP,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    return frame(shell, _("Today"), [*head, *sites, foot], subtitle=subtitle, home=True, top=top, left=left)


def day_part(view: TodayView) -> ft.Control:
    """The date and the count."""
    return ft.Column([heading(view.day, 1, id="today-day"), text(view.summary, bold=True, id="today-summary"),
                      *([line(ft.Icons.WATER_DROP, _("Last rain written down: {words}").format(words=view.rain))]
                        if view.rain else [])], spacing=4, tight=True)


def tools(shell: Any, view: TodayView, toggle_mine: Any, toggle_near: Any) -> ft.Control:
    """What is begun from here: rain, a site on no list; and which sites are shown, in which order."""

    async def report(_e: ft.Event) -> None:
        async def act() -> None:
            found = await shell.work.begin_report()
            shell.go("find", report=found.id)
        await shell.attempt(act, once="report")

    buttons: list[ft.Control] = [
        action(_("Write down rain"), lambda e: shell.aside("rain"), id="open-rain", icon=ft.Icons.WATER_DROP,
               kind="secondary", expand=True),
        action(_("A site on no list"), report, id="begin-report", icon=ft.Icons.ADD_LOCATION_ALT, kind="secondary",
               expand=True, disabled=shell.busy("report")),
    ]
    buttons.append(action(_("As a route") if not view.near.on else _("Soonest first"), toggle_near, id="today-near",
                          icon=ft.Icons.ROUTE, kind="primary" if view.near.on else "secondary", expand=True))
    if view.can_choose_mine:
        buttons.append(action(_("Only mine") if not view.mine else _("All sites"), toggle_mine, id="today-mine",
                              icon=ft.Icons.PERSON, kind="primary" if view.mine else "secondary", expand=True))
    rows = [buttons[:2], buttons[2:]] if shell.tiny or len(buttons) > 3 else [buttons]
    parts = [side_by_side(row, page_width(shell, beside=True)) for row in rows if row]
    if view.near.on:
        parts.append(line(ft.Icons.NEAR_ME, view.near.words or _("Asking the tablet where it is ...")))
    if any(section.id == "route" for section in view.sections):
        parts.append(text(_("Distances are straight lines; the map app knows the roads."), soft=True, size=theme.SMALL))
    return ft.Column(parts, spacing=10, tight=True)


def owed_line(owed: OwedLine) -> ft.Control:
    """One thing that is owed: icon by kind, colour and word by urgency, and the reckoning below."""
    tone = theme.DUE.get(owed.state, theme.CALM)
    words: list[ft.Control] = [ft.Text(owed.words, size=theme.BODY, weight=ft.FontWeight.W_600, color=tone.ink)]
    if owed.why:
        words.append(ft.Text(owed.why, size=theme.SMALL, color=theme.INK_SOFT))
    return ft.Row(
        [ft.Icon(KIND_ICONS.get(owed.kind, ft.Icons.EVENT), size=26, color=tone.ink),
         ft.Column(words, spacing=0, tight=True, expand=True)],
        spacing=10, vertical_alignment=ft.CrossAxisAlignment.START,
    )


@safe_component
def TodayCard(shell: Any, row: TodayRow, tiny: bool) -> ft.Control:
    """A site with everything it is owed; a tap opens it, the button begins the inspection it calls for. The button
    stands below where much is owed, or the screen is `tiny`: beside it the lines would be narrow."""

    async def begin(_e: ft.Event) -> None:
        async def act() -> None:
            inspection = await shell.work.begin_inspection(row.site, row.type)
            shell.go("inspection", draft=inspection.id)
        await shell.attempt(act, once="begin")

    tone = theme.DUE.get(row.state, theme.CALM)
    words: list[ft.Control] = [
        ft.Row([ft.Text(f"{row.stop}. {row.name}" if row.stop else row.name, size=theme.KEY,
                        weight=ft.FontWeight.BOLD, color=theme.INK, expand=True),
                *([ft.Text(row.distance, size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.BRAND)]
                  if row.distance else [])], spacing=8),
        ft.Text(row.address, size=theme.BODY, color=theme.INK_SOFT),
        *[owed_line(one) for one in row.lines],
    ]
    if row.mine:
        words.append(ft.Row([pill(theme.Tone(theme.WAIT.ink, theme.WAIT.ground, theme.WAIT.solid, ft.Icons.PERSON),
                                  _("Assigned to me"))], wrap=True))
    does = _("Go on") if row.draft else _("Begin inspection")
    button = action(does, begin, id=f"begin-{row.site}",
                    icon=ft.Icons.ASSIGNMENT, kind="primary" if row.state == "overdue" else "secondary")
    link = place_link(shell, row)
    way = [icon_key(ft.Icons.DIRECTIONS, _("Open in the map app"), None, id=f"way-{row.site}",
                    client=ft.OpenUrl(link, ft.UrlTarget.BLANK))] if link else []
    opens = marked(f"today-{row.site}", button=True, expand=True, content=ft.Container(
        ft.Row([ft.Column(words, spacing=6, expand=True, tight=True),
                ft.Icon(ft.Icons.CHEVRON_RIGHT, size=32, color=theme.INK_SOFT)], spacing=8),
        on_click=lambda e: shell.aside("site", site=row.site), ink=True, padding=6, border_radius=theme.RADIUS))
    inside: ft.Control
    if tiny:
        inside = ft.Column([ft.Row([opens]), ft.Row([*way, ft.Container(button, expand=True)], spacing=theme.APART)],
                           spacing=8, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
    elif len(row.lines) > 1:
        inside = ft.Column([ft.Row([opens]), ft.Row([*way, ft.Container(button, width=min(310, one_line(does)))],
                                                    alignment=ft.MainAxisAlignment.END)], spacing=8, tight=True)
    else:
        inside = ft.Row([opens, *way, ft.Container(button, width=min(310, one_line(does)))], spacing=12,
                        vertical_alignment=ft.CrossAxisAlignment.CENTER)
    return ft.Container(inside, padding=10, bgcolor=theme.PAPER, border_radius=theme.RADIUS, border=ft.Border(
        left=ft.BorderSide(9, tone.solid), top=ft.BorderSide(1.5, theme.LINE_SOFT),
        right=ft.BorderSide(1.5, theme.LINE_SOFT), bottom=ft.BorderSide(1.5, theme.LINE_SOFT)))


TodayCardMemo = remembered(TodayCard)


def road_part(shell: Any, view: TodayView) -> list[ft.Control]:
    """The list to go through before the work day ends."""
    if not view.road:
        return []
    return [panel([titled(ft.Icons.ADD_ROAD, view.road_title, theme.WARN.ink, id="today-road"),
                   *[road_row(shell, at, row) for at, row in enumerate(view.road)]],
                  ground=theme.WARN.ground, edge=theme.WARN.solid)]


def road_row(shell: Any, at: int, row: RoadRow) -> ft.Control:
    tone = theme.DUE.get(row.state, theme.CALM)
    return tap_card(
        ft.Row([told([text(row.name, bold=True), text(row.where)], pill(tone, row.by),
                     spacing=4)]),
        lambda e: shell.aside("site", site=row.site), id=f"road-{at}")


def orders_part(shell: Any, view: TodayView, more: Any) -> list[ft.Control]:
    """The orders that stand, each with the date that comes next."""
    if not view.orders:
        return []
    body: list[ft.Control] = [heading(_("Stop-work orders ({count})").format(count=view.orders_total),
                                      id="today-orders")]
    body += [order_line(shell, one) for one in view.orders]
    if view.orders_total > len(view.orders):
        body.append(action(_("Show {count} more").format(count=min(WINDOW, view.orders_total - len(view.orders))),
                           more("orders"), id="more-orders", kind="secondary", icon=ft.Icons.EXPAND_MORE))
    return body


def order_line(shell: Any, order: OrderLine) -> ft.Control:
    """Number, site, and until when something must happen, in the law's words."""
    tone = theme.DUE.get(order.state, theme.CALM)
    parts: list[ft.Control] = [
        ft.Row([ft.Icon(ft.Icons.FRONT_HAND, size=26, color=theme.BAD.ink),
                ft.Text(order.number, size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.BAD.ink, expand=True)],
               spacing=8),
        text(order.name, bold=True),
        text(order.status, size=theme.SMALL),
    ]
    if order.due:
        parts.append(due_first(order.due, order.due_state))
    if order.next is not None:
        parts += [*([ft.Row([pill(tone, order.left)], wrap=True)] if order.left else []),
                  limit_result(order.next), text(order.next.words, soft=True, size=theme.SMALL)]
    return tap_card(ft.Column(parts, spacing=4, tight=True), lambda e: shell.aside("site", site=order.site),
                    id=f"today-order-{order.number}", edge=theme.BAD.solid)


@safe_component
def DraftCard(shell: Any, one: DraftLine) -> ft.Control:
    """Something unfinished: one tap goes on with it."""
    return panel([
        titled(ft.Icons.EDIT_NOTE, one.draft.title, theme.WAIT.ink),
        *([text(one.name, bold=True)] if one.name else []),
        text(" · ".join(w for w in (one.draft.progress, one.draft.begun) if w), size=theme.SMALL),
        action(_("Go on"), lambda e: go_on(shell, one.draft), id=f"go-on-{one.draft.id}", icon=ft.Icons.PLAY_ARROW),
    ], ground=theme.WAIT.ground, edge=theme.WAIT.solid)
