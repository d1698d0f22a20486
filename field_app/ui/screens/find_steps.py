"""The steps of reporting a site that was found. Each draws its part of `ReportView` and keeps every tap at once."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action, icon_action, tap_card
from field_app.ui.components.fields import TextLine, use_entry
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.report_photos import report_photos
from field_app.ui.components.voice import spoken_part
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views import Choice
from field_app.work.views.report import AreaView, NearbyView, QuestionView, ReportPartyView, ReportView


def inner_width(shell: Any) -> float:
    """The room inside a panel."""
    return min(shell.width - 2 * (10 if shell.tiny else theme.EDGE), theme.READABLE) - 2 * theme.EDGE - 6


def _saver(shell: Any, report: str, field: str) -> Any:
    async def save(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_report_text(report, field, value))
    return save


def where(shell: Any, view: ReportView) -> list[ft.Control]:
    """Position, address, parcel, kind; and the sites that it may be already."""

    async def locate(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.locate_report(view.id), once="locate")

    async def choose_class(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_report_text(view.id, "site_class", value))

    tone = theme.GOOD if view.has_position else theme.WARN
    body: list[ft.Control] = [
        panel([
            heading(_("Where is it?")),
            line(ft.Icons.MY_LOCATION, view.position, ink=tone.ink),
            action(_("Asking the tablet where it is ...") if shell.busy("locate") else
                   (_("Take the position again") if view.has_position else _("Take the position here")),
                   locate, id="find-locate", icon=ft.Icons.MY_LOCATION, kind="secondary" if view.has_position else
                   "primary", disabled=shell.busy("locate")),
            TextLine(view.address, _saver(shell, view.id, "address"), _("Address, or what it lies beside"),
                     "find-address", key="address"),
            TextLine(view.parcel, _saver(shell, view.id, "parcel"), _("Parcel, if you know it"), "find-parcel",
                     key="parcel"),
            TextLine(view.name, _saver(shell, view.id, "name"), _("A name for the list, such as the project"),
                     "find-name", key="name"),
        ]),
    ]
    if view.nearby:
        body.append(panel([
            heading(_("Is it one of these?")),
            text(_("The office knows these sites. Open one instead of adding it a second time."), soft=True),
            *[_nearby(shell, one) for one in view.nearby],
        ], ground=theme.WARN.ground, edge=theme.WARN.solid))
    body.append(panel([heading(_("Kind of site")),
                       choices_grid(view.classes, view.site_class, choose_class, id="find-class",
                                    width=inner_width(shell))]))
    return body


def _nearby(shell: Any, one: NearbyView) -> ft.Control:
    names = ft.Column([text(one.name, bold=True), text(one.address, soft=True)], spacing=0, tight=True, expand=True)
    away = [text(one.distance, bold=True)] if one.distance else []
    return tap_card(ft.Row([names, *away], spacing=10), lambda e: shell.aside("site", site=one.site),
                    id=f"nearby-{one.site}")


def what(shell: Any, view: ReportView) -> list[ft.Control]:
    """What is seen, in words and pictures."""

    views = (Choice("wide", _("Wide view")), Choice("close", _("Close view")), Choice("other", _("Other")))
    return [
        panel([heading(_("What do you see?")),
               TextLine(view.observed, _saver(shell, view.id, "observed"), _("What goes on here, in your words"),
                        "find-observed", lines=3, key="observed")]),
        *spoken_part(shell, view.id, view.voice_notes),
        *report_photos(shell, view, heading(_("Photos")), views, inner_width(shell), add=shell.work.add_report_photo,
                       remove=shell.work.remove_report_photo,
                       mark=lambda sha: shell.aside("find_marks", report=view.id, photo=sha)),
    ]


def who(shell: Any, view: ReportView) -> list[ft.Control]:
    """Who works there and whose it is, as far as somebody says."""
    body: list[ft.Control] = [heading(_("Who works there, and whose is it?")),
                              text(_("Leave it out if nobody can be asked."), soft=True)]
    body += [PartyPart(shell, view, row, key=f"party-{row.index}") for row in view.parties]
    body.append(AddParty(shell, view, key=f"add-{len(view.parties)}"))
    return body


@safe_component
def PartyPart(shell: Any, view: ReportView, row: ReportPartyView) -> ft.Control:
    """Somebody who was written down."""

    async def remove(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_report_party(view.id, row.index, row.role, "", ""))

    return panel([ft.Row([
        ft.Column([text(row.role_words, soft=True, size=theme.SMALL), text(row.name, bold=True),
                   *([text(row.phone)] if row.phone else [])], spacing=0, tight=True, expand=True),
        icon_action(ft.Icons.DELETE_OUTLINE, _("Take {name} off").format(name=row.name), remove,
                    id=f"party-remove-{row.index}", ink=theme.BAD.ink)])])


@safe_component
def AddParty(shell: Any, view: ReportView) -> ft.Control:
    """Somebody more."""
    role, choose = use_entry(shell, "party-role", "contractor")
    name, keep_name = use_entry(shell, "party-name")
    phone, keep_phone = use_entry(shell, "party-phone")

    async def add(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_report_party(view.id, len(view.parties), role, name, phone))

    return panel([
        choices_grid(view.roles, role, choose, id="party-role", width=inner_width(shell)),
        TextLine(name, keep_name, _("Name or firm"), "party-name", key="name"),
        TextLine(phone, keep_phone, _("Phone"), "party-phone", key="phone"),
        action(_("Add"), add, id="party-add", icon=ft.Icons.PERSON_ADD, kind="secondary", disabled=not name.strip()),
    ])


def need(shell: Any, view: ReportView) -> list[ft.Control]:
    """The questions that matter, each with its clause."""
    return [QuestionPart(shell, view, one, key=f"question-{one.id}") for one in view.questions]


@safe_component
def QuestionPart(shell: Any, view: ReportView, one: QuestionView) -> ft.Control:
    """One question; a second tap on an answer takes it back."""

    async def answer(value: str) -> None:
        await shell.attempt(lambda: shell.work.answer_need(view.id, one.id, value))

    parts: list[ft.Control] = [ft.Row([
        ft.Text(one.text, size=theme.BODY + 1, weight=ft.FontWeight.BOLD, color=theme.INK, expand=True),
        *([text(_("Clause {cite}").format(cite=one.clause), soft=True, size=theme.SMALL)] if one.clause else [])],
        spacing=10)]
    if one.kind == "choice":
        parts.append(choices_grid(one.choices, one.value, answer, id=f"need-{one.id}", width=inner_width(shell)))
    elif one.kind == "number":
        parts.append(ft.Container(TextLine(one.value, answer, one.text, f"need-{one.id}", number=True, unit=one.unit,
                                           problem=one.problem or "", key=one.id), width=min(460, inner_width(shell))))
    else:
        parts.append(Areas(shell, view.id, one, key="areas"))
    return panel(parts, id=f"question-{one.id}")


@safe_component
def Areas(shell: Any, report: str, one: QuestionView) -> ft.Control:
    """Parts of the disturbed land with their slopes."""
    more, set_more = ft.use_state(False)
    rows = list(one.areas)
    if not rows or more:
        rows.append(AreaView(len(rows), "", "", None))

    def saver(row: AreaView, which: str) -> Any:
        async def save(value: str) -> None:
            set_more(False)
            area, slope = (value, row.slope) if which == "area" else (row.area, value)
            await shell.attempt(lambda: shell.work.set_need_area(report, row.index, area, slope))
        return save

    drawn: list[ft.Control] = []
    for row in rows:
        fields = [
            ft.Container(TextLine(row.area, saver(row, "area"), _("Area"), f"area-{row.index}", number=True,
                                  unit=_("sq ft"), problem=row.problem or "", key=f"area-{row.index}"), expand=True),
            ft.Container(TextLine(row.slope, saver(row, "slope"), _("Slope"), f"slope-{row.index}", number=True,
                                  unit="%", key=f"slope-{row.index}"), expand=True),
        ]
        drawn.append(ft.Row(fields, spacing=10, vertical_alignment=ft.CrossAxisAlignment.START))
    if one.areas and not more:
        drawn.append(action(_("A further part with another slope"), lambda e: set_more(True), id="area-more",
                            icon=ft.Icons.ADD, kind="quiet"))
    return ft.Column(drawn, spacing=10, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)
