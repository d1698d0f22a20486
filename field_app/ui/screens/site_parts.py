"""The parts of a site's page that only say how it stands: findings, permits, plans, timetable, history, places, people.

Long ones are drawn in windows: a site of many years has hundreds of inspections.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import due_chip, pill, severity_badge, told
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.photos import Thumb
from field_app.ui.guard import remembered, safe_component
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import OpenFindingView, PermitView, PlaceView, SiteView
from field_app.work.views.site import HistoryRow, PartyView, TimetableRow
from field_app.work.words import with_clause

WINDOW = 15  # so many rows are drawn; "show more" widens it


@safe_component
def RowsPart(shell: Any, title: str, rows: tuple[Any, ...], draw: Callable[[Any, Any], ft.Control], name: str,
             remark: str = "") -> ft.Control:
    """A window of the rows, each drawn by `draw(shell, row)`; `name` names the part, `remark` stands over the rows."""
    shown, show = ft.use_state(WINDOW)
    left = len(rows) - shown
    return panel([
        heading(title),
        *as_written(remark),
        *[draw(shell, row) for row in rows[:shown]],
        *([action(_("Show {count} more").format(count=min(WINDOW, left)), lambda e: show(shown + WINDOW),
                  id=f"{name}-more", kind="secondary", icon=ft.Icons.EXPAND_MORE)] if left > 0 else []),
    ], id=f"site-{name}")


StillRows = remembered(RowsPart)
"""The same for rows that say all there is to draw."""


def finding_row(shell: Any, finding: OpenFindingView) -> ft.Control:
    """One finding that is still open from an earlier inspection."""
    words: list[ft.Control] = [
        text(finding.title, bold=True),
        ft.Row([severity_badge(finding.severity, finding.severity_words),
                *([due_chip(finding.due, finding.overdue)] if finding.due else [])],
               wrap=True, spacing=8, run_spacing=6),
        text(" · ".join(w for w in (finding.subject, finding.found, finding.age) if w), soft=True, size=theme.SMALL),
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


def permits_part(shell: Any, view: SiteView) -> ft.Control:
    """The permits and their conditions, or that there is none; then whether one is needed can be asked here."""

    async def ask(_e: ft.Event) -> None:
        async def act() -> None:
            report = await shell.work.begin_report(view.id)
            shell.go("find", report=report.id)
        await shell.attempt(act, once="report")

    parts: list[ft.Control] = [heading(_("Permit")), text(view.permit_words, id="permit-words")]
    parts += [permit_row(permit, view.as_written) for permit in view.permits]
    if view.need_words:
        parts.append(line(ft.Icons.GAVEL, view.need_words))
    if view.can_ask_need:
        words = _("Go on: is a permit needed?") if view.report else _("Is a permit needed?")
        parts.append(action(words, ask, id="ask-need", icon=ft.Icons.HELP, kind="secondary",
                            disabled=shell.busy("report")))
    return panel(parts, id="site-permits")


def as_written(remark: str) -> list[ft.Control]:
    """Over words that stand as the city wrote them."""
    return [line(ft.Icons.FORMAT_QUOTE, remark, size=theme.SMALL)] if remark else []


def permit_row(permit: PermitView, remark: str) -> ft.Control:
    """A permit, how long it holds, and its conditions; `remark` stands over those."""
    tone = theme.GOOD if permit.in_force else theme.BAD
    sign = Tone(tone.ink, tone.ground, tone.solid, ft.Icons.VERIFIED if permit.in_force else ft.Icons.GPP_BAD)
    return ft.Column(
        [
            ft.Row([text(permit.number, bold=True, size=theme.KEY - 2), pill(sign, permit.words)], wrap=True,
                   spacing=12, run_spacing=6),
            *([text(permit.validity, soft=True, size=theme.SMALL)] if permit.validity else []),
            *(as_written(remark) if permit.conditions else []),
            *[line(ft.Icons.CHEVRON_RIGHT, with_clause(condition.text, condition.clause, _) if condition.clause
                   else condition.text) for condition in permit.conditions],
        ],
        spacing=6, tight=True,
    )


def timetable_row(shell: Any, row: TimetableRow) -> ft.Control:
    """A step of the plan: what, when, and whether it is late."""
    tones = {"done": theme.GOOD, "late": theme.BAD, "now": theme.WARN, "coming": theme.WAIT}
    words: list[ft.Control] = [text(row.activity, bold=True)]
    words += [text(said, soft=True, size=theme.SMALL) for said in (row.when, row.note) if said]
    return ft.Row([told(words, pill(tones.get(row.state, theme.CALM), row.state_words))])


def history_row(shell: Any, row: HistoryRow) -> ft.Control:
    """An earlier inspection in two lines."""
    return ft.Row([ft.Icon(ft.Icons.HISTORY, size=26, color=theme.INK_SOFT),
                   ft.Column([text(row.title, bold=True), text(row.words)], spacing=0, tight=True, expand=True)],
                  spacing=12, vertical_alignment=ft.CrossAxisAlignment.START)


def party_row(at: int, party: PartyView) -> ft.Control:
    """Somebody with their number; one tap calls."""
    words = ft.Column([text(party.role, soft=True, size=theme.SMALL), text(party.name, bold=True),
                       *([text(party.address)] if party.address else [])], spacing=0, tight=True, expand=True)
    if not party.call:
        return words
    call = action(party.phone, None, id=f"call-{at}", icon=ft.Icons.CALL, kind="secondary",
                  client=ft.OpenUrl(party.call))
    return ft.Row([words, call], spacing=10, wrap=False, vertical_alignment=ft.CrossAxisAlignment.CENTER)


def plans_part(shell: Any, view: SiteView) -> list[ft.Control]:
    """The plan documents and drawings; a tap shows one, with no network."""
    plans = shell.work.plans(view.id)
    if plans.empty:
        return []
    rows = [*plans.current, *plans.replaced]
    return [panel([heading(_("Plans and drawings"))] + [plan_row(shell, row) for row in rows], id="site-plans")]


def plan_row(shell: Any, row: Any) -> ft.Control:
    words = " · ".join(w for w in (row.kind_words, row.version, row.added, row.size) if w)
    parts: list[ft.Control] = [text(row.title, bold=True), text(words, soft=True, size=theme.SMALL)]
    if row.status != "current":
        parts.append(text(row.status_words, size=theme.SMALL, color=theme.WARN.ink))
    if not row.here:
        parts.append(text(row.fetching, soft=True, size=theme.SMALL))
    icon = ft.Icons.MAP if row.here else ft.Icons.CLOUD_DOWNLOAD
    return tap_card(ft.Row([ft.Icon(icon, size=28, color=theme.BRAND),
                            ft.Column(parts, spacing=0, tight=True, expand=True),
                            ft.Icon(ft.Icons.CHEVRON_RIGHT, size=30, color=theme.INK_SOFT)], spacing=12),
                    lambda e: shell.aside("plan", plan=row.id), id=f"plan-{row.id}")


def inlet_row(shell: Any, row: PlaceView) -> ft.Control:
    """An inlet and where it is."""
    return _place_row(row, ft.Icons.WATER)


def device_row(shell: Any, row: PlaceView) -> ft.Control:
    """A control device and where it is."""
    return _place_row(row, ft.Icons.FENCE)


def _place_row(row: PlaceView, icon: ft.IconData) -> ft.Control:
    return ft.Row([ft.Icon(icon, size=26, color=theme.BRAND),
                   ft.Column([text(row.label, bold=True),
                              text(" · ".join(w for w in (row.place, row.kind, row.detail) if w), soft=True)],
                             spacing=0, tight=True, expand=True)], spacing=12)
