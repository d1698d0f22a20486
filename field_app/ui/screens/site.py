"""One site: what is open, which permit, which order, and the one tap that begins the inspection."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import due_first, pill
from field_app.ui.components.buttons import action, side_by_side, tap_card
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, heading, limit_row, line, panel, panel_width, text, titled
from field_app.ui.components.nav import go_on
from field_app.ui.components.photos import photo_strip
from field_app.ui.guard import safe_component
from field_app.ui.screens.second_order import write_order
from field_app.ui.screens.site_parts import (
    RowsPart,
    StillRows,
    device_row,
    finding_row,
    history_row,
    inlet_row,
    party_row,
    permits_part,
    plans_part,
    timetable_row,
)
from field_app.ui.words import _
from field_app.work.views import DraftRow, OrderRow, SignedRow, SiteView
from field_app.work.views.site import RoundLine


def site_body(shell: Any, view: SiteView) -> tuple[list[ft.Control], list[ft.Control]]:
    """The parts of the site, and the buttons below."""
    body: list[ft.Control] = [place_part(shell, view)]
    if view.moved_to:
        body.append(panel([line(ft.Icons.MERGE, _("The office filed this site under another one.")),
                           action(_("Go to that site"), lambda e: shell.go("site", site=view.moved_to),
                                  id="site-moved", icon=ft.Icons.PLACE, kind="secondary")],
                          ground=theme.WARN.ground, edge=theme.WARN.solid))
    if view.owed:
        body.append(panel([heading(_("Due here"))] + [owed_row(one) for one in view.owed], id="site-owed"))
    body += [DraftPart(shell, view.id, draft, key=f"draft-{draft.id}") for draft in view.drafts]
    body += [OrderPart(shell, view.id, order, key=f"order-{order.number}") for order in view.orders]
    if view.findings:
        body.append(StillRows(shell, _("Open since last time ({count})").format(count=len(view.findings)),
                              view.findings, finding_row, "findings", key=f"findings-{view.id}"))
    body += acts_part(shell, view)
    body.append(permits_part(shell, view))
    body += plans_part(shell, view)
    if view.timetable:
        body.append(StillRows(shell, _("Timetable"), view.timetable, timetable_row, "timetable",
                              view.as_written, key=f"timetable-{view.id}"))
    if view.signed:
        body.append(RowsPart(shell, _("Signed on this tablet"), view.signed, partial(signed_row, view.id), "signed",
                             key=f"all-signed-{view.id}"))
    if view.history:
        body.append(StillRows(shell, _("Inspections before"), view.history, history_row, "history",
                              key=f"history-{view.id}"))
    if view.inlets:
        body.append(StillRows(shell, _("Storm-drain inlets ({count})").format(count=len(view.inlets)), view.inlets,
                              inlet_row, "inlets", view.as_written, key=f"inlets-{view.id}"))
    if view.devices:
        body.append(StillRows(shell, _("Control devices ({count})").format(count=len(view.devices)), view.devices,
                              device_row, "devices", view.as_written, key=f"devices-{view.id}"))
    if view.parties or view.assigned:
        body.append(panel([heading(_("Who is who"))] + [party_row(at, party) for at, party in enumerate(view.parties)]
                          + ([line(ft.Icons.ASSIGNMENT_IND, _("Assigned to {names}").format(names=view.assigned))]
                             if view.assigned else []), id="site-parties"))
    body.append(panel([heading(_("Rain"))] + [line(ft.Icons.WATER_DROP, words) for words in view.rain] + [
        action(_("Write down rain here"), lambda e: shell.aside("site_rain", site=view.id), id="site-rain",
               icon=ft.Icons.WATER_DROP, kind="quiet")]))
    body.append(ft.Container(text(view.known_as_of, soft=True, size=theme.SMALL), padding=ft.Padding.only(bottom=20)))
    return body, bottom_buttons(shell, view)


def place_part(shell: Any, view: SiteView) -> ft.Control:
    """Name and place, and the hand-over to the device's own map app."""
    link = place_link(shell, view)
    parts: list[ft.Control] = [
        heading(view.name, id="site-name"),
        line(ft.Icons.PLACE, " · ".join(w for w in (view.address, view.distance) if w)),
        ft.Row([fact(_("Parcel"), view.parcel), fact(_("Kind of site"), view.site_class)], spacing=32, wrap=True),
    ]
    if view.reported:
        parts.append(line(ft.Icons.ADD_LOCATION_ALT, view.reported, ink=theme.WARN.ink))
    buttons: list[ft.Control] = []
    if link:
        buttons.append(action(_("Open in the map app"), None, id="site-navigate", icon=ft.Icons.DIRECTIONS,
                              kind="secondary", client=ft.OpenUrl(link, ft.UrlTarget.BLANK), expand=True))
    if view.lat_udeg is not None:
        buttons.append(action(_("Show on the map"), lambda e: show_on_map(shell, view), id="site-map",
                              icon=ft.Icons.MAP, kind="quiet", expand=True))
    if buttons:
        parts.append(side_by_side(buttons, panel_width(shell, beside=True)))
    return panel(parts)


def show_on_map(shell: Any, view: SiteView) -> None:
    shell.memory["map"] = {"lat": (view.lat_udeg or 0) / 1_000_000, "lon": (view.lon_udeg or 0) / 1_000_000,
                           "zoom": 17.0}
    shell.aside("map")


def place_link(shell: Any, view: SiteView) -> str:
    """The link that the device opens in its map app: geo: on Android, Apple's maps on iPads, else a web map."""
    platform = shell.page.platform
    if view.lat_udeg is None or view.lon_udeg is None:
        return view.map_link
    where = f"{view.lat_udeg / 1_000_000:.6f},{view.lon_udeg / 1_000_000:.6f}"
    if platform == ft.PagePlatform.ANDROID:
        return f"geo:{where}?q={where}({quote(view.name)})"
    if platform in (ft.PagePlatform.IOS, ft.PagePlatform.MACOS):
        return f"https://maps.apple.com/?ll={where}&q={quote(view.name)}"
    return view.map_link


def owed_row(one: RoundLine) -> ft.Control:
    """An inspection that is due here, and how that is reckoned."""
    tone = theme.DUE.get(one.state, theme.CALM)
    return ft.Row([ft.Icon(tone.icon, size=26, color=tone.ink),
                   ft.Column([ft.Text(one.words, size=theme.BODY, weight=ft.FontWeight.BOLD, color=tone.ink),
                              text(one.why, soft=True, size=theme.SMALL)], spacing=0, tight=True, expand=True)],
                  spacing=10, vertical_alignment=ft.CrossAxisAlignment.START)


def bottom_buttons(shell: Any, view: SiteView) -> list[ft.Control]:
    """Begin the inspection, or go on with it; write an order without one."""
    draft = next((d for d in view.drafts if d.kind == "inspection"), None)
    type_ = view.owed[0].type if view.owed and view.owed[0].state != "coming" else "weekly"

    async def begin(_e: ft.Event) -> None:
        async def act() -> None:
            inspection = await shell.work.begin_inspection(view.id, type_)
            shell.go("inspection", draft=inspection.id)
        await shell.attempt(act, once="begin")

    async def order(_e: ft.Event) -> None:
        await shell.attempt(lambda: write_order(shell, view.id), once="order")

    if not view.may_inspect:
        return [text(_("You may look, but not inspect: you do not hold that power."), soft=True)]
    words = _("Stop-work order") if view.may_post else _("Recommend an order")
    return [
        action(words, order, id="begin-site-order", icon=ft.Icons.FRONT_HAND, kind="quiet", expand=2,
               disabled=shell.busy("order")),
        action(_("Go on with the inspection") if draft else _("Begin inspection"), begin, id="begin-inspection",
               icon=ft.Icons.ASSIGNMENT, disabled=shell.busy("begin"), expand=3),
    ]


def acts_part(shell: Any, view: SiteView) -> list[ft.Control]:
    """Emergencies and revisions of the plan: those there are, and the way to write one down."""

    def begin(act: str) -> Any:
        async def begun(_e: ft.Event) -> None:
            async def do() -> None:
                shell.go("site_act", draft=(await shell.work.begin_site_act(view.id, act)).id)
            await shell.attempt(do, once="site-act")
        return begun

    rows: list[ft.Control] = []
    for row in shell.work.site_acts(view.id):
        words = ft.Column([text(row.title, bold=True), text(row.words),
                           *[line(ft.Icons.CHECK_BOX_OUTLINE_BLANK, one) for one in row.orders]], spacing=4, tight=True)
        rows.append(tap_card(words, (lambda ident: lambda e: shell.go("site_act", draft=ident))(row.id),
                             id=f"act-{row.id}", padding=10) if row.id else words)
    buttons: list[ft.Control] = []
    if view.may_inspect:
        buttons = [
            action(_("Emergency"), begin("emergency"), id="begin-emergency", icon=ft.Icons.EMERGENCY, kind="quiet",
                   expand=True),
            action(_("Revise the plan"), begin("revision"), id="begin-revision", icon=ft.Icons.PUBLISHED_WITH_CHANGES,
                   kind="quiet", expand=True)]
    if not rows and not buttons:
        return []
    return [panel([heading(_("Emergencies and revisions of the plan")), *rows,
                   *([side_by_side(buttons, panel_width(shell, beside=True))] if buttons else [])], id="site-acts")]


@safe_component
def DraftPart(shell: Any, site: str, draft: DraftRow) -> ft.Control:
    """An unfinished piece of work: go on, or (an inspection only) throw it away after a question."""
    asking, ask = use_asking(shell, f"discard-{draft.id}")

    async def discard(_e: ft.Event) -> None:
        ask(False)
        await shell.attempt(lambda: shell.work.discard_draft(draft.id), once="discard")

    ft.use_dialog(confirm(
        _("Throw this inspection away?"),
        _("All its answers and notes are removed from the site. This cannot be taken back."),
        _("Throw away"), discard, lambda e: ask(False), danger=True) if asking else None)
    if draft.kind == "inspection":  # going on with it is the button below
        button = action(_("Throw away"), lambda e: ask(True), id=f"draft-{draft.kind}-discard", kind="quiet",
                        icon=ft.Icons.DELETE_OUTLINE)
    else:
        button = action(_("Go on"), lambda e: go_on(shell, draft), id=f"draft-{draft.kind}-open",
                        icon=ft.Icons.PLAY_ARROW, expand=True)
    return panel([
        titled(ft.Icons.EDIT_NOTE, draft.title, theme.WAIT.ink),
        text(" · ".join(w for w in (draft.progress, draft.begun) if w)),
        ft.Row([button]),
    ], ground=theme.WAIT.ground, edge=theme.WAIT.solid)


@safe_component
def OrderPart(shell: Any, site: str, order: OrderRow) -> ft.Control:
    """A stop-work order on the site: where it stands and until when something must happen, in words."""

    async def affix(_e: ft.Event) -> None:
        async def act() -> None:
            placard = await shell.work.begin_affixing(order.number)
            shell.go("affix", draft=placard.id)
        await shell.attempt(act, once="affix")

    parts: list[ft.Control] = [
        titled(ft.Icons.FRONT_HAND, _("Stop-work order"), theme.BAD.ink),
        text(order.number, bold=True, size=theme.KEY, id=f"order-{order.number}"),
        *([line(theme.BAD.icon, _("Take the placard down."), ink=theme.BAD.ink)] if order.take_down else []),
        text(order.words, id=f"order-words-{order.number}"),
    ]
    if order.due:
        parts.append(due_first(order.due, order.due_state))
    parts += [limit_row(clock) for clock in order.clocks]
    if order.nag:
        parts.append(ft.Row([pill(theme.WARN, order.nag)], wrap=True))
    if order.photos:
        parts += [heading(_("Photos of the placard"), 3),
                  photo_strip(shell, order.photos, id=f"placard-photos-{order.number}", side=96)]
    buttons: list[ft.Control] = []
    if order.can_affix:
        buttons.append(action(_("Put it up now"), affix, id="begin-affixing", icon=ft.Icons.PUSH_PIN,
                              disabled=shell.busy("affix"), expand=True))
    if order.can_add_photo:
        buttons.append(action(_("Photo of the placard"), lambda e: shell.aside("order_photos", number=order.number),
                              id="order-photo", icon=ft.Icons.PHOTO_CAMERA, kind="secondary", expand=True))
    if order.placard:
        buttons.append(action(_("See the placard"), lambda e: shell.go("placard", draft=order.placard),
                              id="order-placard", icon=ft.Icons.DESCRIPTION, kind="quiet", expand=True))
    if buttons:
        parts.append(side_by_side(buttons, panel_width(shell, beside=True)))
    if order.acts:
        names = {"repost": (_("Put up again"), ft.Icons.REPLAY), "release": (_("Release"), ft.Icons.LOCK_OPEN),
                 "void": (_("Void"), ft.Icons.BLOCK)}
        parts.append(ft.Row([
            action(names[act][0], lambda e, act=act: shell.go("order_act", fact=order.fact, act=act),
                   id=f"order-{act}-{order.number}", icon=names[act][1], kind="quiet")
            for act in order.acts], spacing=10, run_spacing=8, wrap=True))
    return panel(parts, ground=theme.BAD.ground, edge=theme.BAD.solid, id="site-order")


def signed_row(site: str, shell: Any, row: SignedRow) -> ft.Control:
    return SignedPart(shell, site, row, key=f"signed-{row.fact}")


@safe_component
def SignedPart(shell: Any, site: str, row: SignedRow) -> ft.Control:
    """An inspection signed here; an order may rest on it."""

    async def order(_e: ft.Event) -> None:
        await shell.attempt(lambda: write_order(shell, site, row.fact), once="order")

    parts: list[ft.Control] = [
        tap_card(ft.Column([text(row.title, bold=True), text(row.outcome)], spacing=2, tight=True),
                 lambda e: shell.go("signed", fact=row.fact), id=f"signed-{row.fact}", padding=10),
    ]
    parts.append(text(row.sending, soft=True, size=theme.SMALL))
    if row.ordered:
        rests = _("Order {number} rests on this inspection.").format(number=row.ordered)
        parts.append(line(ft.Icons.FRONT_HAND, rests))
    if row.can_order:
        words = _("Write a stop-work order") if row.may_post else _("Recommend a stop-work order")
        parts.append(action(words, order, id=f"order-from-{row.fact}",
                            icon=ft.Icons.FRONT_HAND, kind="secondary", disabled=shell.busy("order")))
    return ft.Column(parts, spacing=6, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


@safe_screen
def SiteScreen(shell: Any, beat: int, site: str) -> ft.Control:
    """Draws `SiteView` on a narrow screen; on a wide one the list draws it beside itself."""
    view = shell.work.site(site)
    body, bottom = site_body(shell, view)
    return frame(shell, view.name, body, subtitle=view.address, bottom=bottom)
