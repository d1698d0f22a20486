"""One site: what is open, which permit, which order, and the one tap that begins the inspection."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import due_chip, pill, severity_badge
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.dialogs import confirm
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, heading, line, panel, text
from field_app.ui.components.photos import Thumb
from field_app.ui.guard import safe_component
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import DraftRow, OpenFindingView, OrderRow, PermitView, SignedRow, SiteView


def site_body(shell: Any, view: SiteView) -> tuple[list[ft.Control], list[ft.Control]]:
    """The parts of the site, and the buttons below."""
    body: list[ft.Control] = [
        panel([
            heading(view.name, id="site-name"),
            line(ft.Icons.PLACE, view.address),
            ft.Row([fact(_("Parcel"), view.parcel), fact(_("Kind of site"), view.site_class)], spacing=32, wrap=True),
        ])
    ]
    body += [DraftPart(shell, view.id, draft, key=f"draft-{draft.id}") for draft in view.drafts]
    body += [OrderPart(shell, view.id, order, key=f"order-{order.number}") for order in view.orders]
    if view.findings:
        body.append(panel([
            heading(_("Open since last time ({count})").format(count=len(view.findings))),
            *[finding_row(shell, finding) for finding in view.findings],
        ], id="site-findings"))
    body.append(permits_part(view))
    if view.signed:
        body.append(panel([heading(_("Signed on this tablet"))] + [
            SignedPart(shell, view.id, row, key=f"signed-{row.fact}") for row in view.signed]))
    if view.inlets:
        body.append(places(_("Storm-drain inlets ({count})").format(count=len(view.inlets)), view.inlets,
                           ft.Icons.WATER))
    if view.devices:
        body.append(places(_("Control devices ({count})").format(count=len(view.devices)), view.devices,
                           ft.Icons.FENCE))
    if view.parties:
        body.append(panel([heading(_("Who is who"))] + [
            ft.Column([text(party.role, soft=True, size=theme.SMALL), text(party.name, bold=True),
                       text(" · ".join(w for w in (party.address, party.phone) if w))], spacing=0, tight=True)
            for party in view.parties]))
    body.append(ft.Container(text(view.known_as_of, soft=True, size=theme.SMALL), padding=ft.Padding.only(bottom=20)))
    return body, bottom_buttons(shell, view)


def bottom_buttons(shell: Any, view: SiteView) -> list[ft.Control]:
    """Begin the inspection, or go on with it; write an order without one."""
    draft = next((d for d in view.drafts if d.kind == "inspection"), None)

    async def begin(_e: ft.Event) -> None:
        async def act() -> None:
            inspection = await shell.work.begin_inspection(view.id)
            shell.go("inspection", draft=inspection.id)
        await shell.attempt(act, once="begin")

    if not view.may_inspect:
        return [text(_("You may look, but not inspect: you do not hold that power."), soft=True)]
    return [
        action(_("Go on with the inspection") if draft else _("Begin inspection"), begin, id="begin-inspection",
               icon=ft.Icons.ASSIGNMENT, disabled=shell.busy("begin"), expand=True),
    ]


def finding_row(shell: Any, finding: OpenFindingView) -> ft.Control:
    """One finding that is still open from an earlier inspection."""
    words: list[ft.Control] = [
        text(finding.title, bold=True),
        ft.Row([severity_badge(finding.severity, finding.severity_words),
                *([due_chip(finding.due, finding.overdue)] if finding.due else [])],
               wrap=True, spacing=8, run_spacing=6),
        text(" · ".join(w for w in (finding.subject, finding.found) if w), soft=True, size=theme.SMALL),
    ]
    if finding.note:
        words.append(text(finding.note))
    row: list[ft.Control] = [ft.Column(words, spacing=5, expand=True, tight=True)]
    if finding.photo:
        row.append(Thumb(shell, finding.photo, finding.title, 96, key=f"thumb-{finding.photo}"))
    return ft.Container(
        ft.Row(row, vertical_alignment=ft.CrossAxisAlignment.START),
        border=ft.Border.only(top=ft.BorderSide(1, theme.LINE_SOFT)), padding=ft.Padding.only(top=10),
    )


def permits_part(view: SiteView) -> ft.Control:
    """The permits and their conditions, or that there is none."""
    parts: list[ft.Control] = [heading(_("Permit")), text(view.permit_words, id="permit-words")]
    parts += [permit_row(permit) for permit in view.permits]
    return panel(parts, id="site-permits")


def permit_row(permit: PermitView) -> ft.Control:
    tone = theme.GOOD if permit.in_force else theme.BAD
    sign = Tone(tone.ink, tone.ground, tone.solid, ft.Icons.VERIFIED if permit.in_force else ft.Icons.GPP_BAD)
    return ft.Column(
        [
            ft.Row([text(permit.number, bold=True, size=theme.KEY - 2), pill(sign, permit.words)], wrap=True,
                   spacing=12, run_spacing=6),
            *[line(ft.Icons.CHEVRON_RIGHT, condition.text) for condition in permit.conditions],
        ],
        spacing=6, tight=True,
    )


def places(title: str, rows: Any, icon: ft.IconData) -> ft.Control:
    """Inlets or devices, where they are."""
    return panel([heading(title)] + [
        ft.Row([ft.Icon(icon, size=26, color=theme.BRAND),
                ft.Column([text(row.label, bold=True),
                           text(" · ".join(w for w in (row.place, row.kind, row.detail) if w), soft=True)],
                          spacing=0, tight=True, expand=True)], spacing=12)
        for row in rows])


@safe_component
def DraftPart(shell: Any, site: str, draft: DraftRow) -> ft.Control:
    """An unfinished piece of work: go on, or (an inspection only) throw it away after a question."""
    asking, ask = ft.use_state(False)

    def go_on(_e: ft.Event) -> None:
        name = {"inspection": "inspection", "order": "order", "affix": "affix"}[draft.kind]
        shell.go(name, draft=draft.id)

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
        button = action(_("Go on"), go_on, id=f"draft-{draft.kind}-open", icon=ft.Icons.PLAY_ARROW, expand=True)
    return panel([
        ft.Row([ft.Icon(ft.Icons.EDIT_NOTE, size=30, color=theme.WAIT.ink), heading(draft.title)], spacing=10),
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
        ft.Row([ft.Icon(ft.Icons.FRONT_HAND, size=30, color=theme.BAD.ink),
                heading(_("Stop-work order"))], spacing=10),
        text(order.number, bold=True, size=theme.KEY, id=f"order-{order.number}"),
        *([line(theme.BAD.icon, _("Take the placard down."), ink=theme.BAD.ink)] if order.take_down else []),
        text(order.words, id=f"order-words-{order.number}"),
    ]
    parts += [clock_row(clock) for clock in order.clocks]
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
        parts.append(ft.Row(buttons, spacing=10) if not shell.tiny else ft.Column(
            buttons, spacing=8, horizontal_alignment=ft.CrossAxisAlignment.STRETCH))
    return panel(parts, ground=theme.BAD.ground, edge=theme.BAD.solid, id="site-order")


def clock_row(clock: Any) -> ft.Control:
    """One legal time limit with its derivation, the same words as on the placard."""
    return ft.Row(
        [ft.Icon(ft.Icons.EVENT, size=26, color=theme.INK_SOFT),
         ft.Column([text(clock.label, bold=True), text(clock.words)], spacing=0, expand=True, tight=True)],
        spacing=10, vertical_alignment=ft.CrossAxisAlignment.START,
    )


@safe_component
def SignedPart(shell: Any, site: str, row: SignedRow) -> ft.Control:
    """An inspection signed here; an order may rest on it."""

    async def order(_e: ft.Event) -> None:
        async def act() -> None:
            draft = await shell.work.begin_order(site, row.fact)
            shell.go("order", draft=draft.id)
        await shell.attempt(act, once="order")

    parts: list[ft.Control] = [
        tap_card(ft.Column([text(row.title, bold=True), text(row.outcome)], spacing=2, tight=True),
                 lambda e: shell.go("signed", fact=row.fact), id=f"signed-{row.fact}", padding=10),
    ]
    parts.append(text(row.sending, soft=True, size=theme.SMALL))
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
