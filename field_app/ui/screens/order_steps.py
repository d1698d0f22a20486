"""The steps of writing an order. Each draws its part of `OrderDraftView` and keeps every tap at once."""

from __future__ import annotations

from functools import partial
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.badges import pill
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.entries import AddLine, AddPerson, DueLine, other_lines
from field_app.ui.components.fields import TextLine
from field_app.ui.components.layout import heading, line, panel, panel_width, text
from field_app.ui.components.voice import spoken_part
from field_app.ui.guard import safe_component
from field_app.ui.theme import Tone
from field_app.ui.words import _, counted
from field_app.work.views import Choice, MetView, OrderDraftView


def _check(chosen: bool) -> ft.Control:
    return ft.Icon(ft.Icons.CHECK_BOX if chosen else ft.Icons.CHECK_BOX_OUTLINE_BLANK, size=34,
                   color=theme.BRAND if chosen else theme.INK_SOFT,
                   semantics_label=_("chosen") if chosen else _("not chosen"))


def _choice(chosen: bool, parts: list[ft.Control], on_click: Any, id: str) -> ft.Control:
    return tap_card(
        ft.Row([_check(chosen), ft.Column(parts, spacing=4, expand=True, tight=True)], spacing=14,
               vertical_alignment=ft.CrossAxisAlignment.START),
        on_click, id=id, chosen=chosen, ground=theme.BRAND_SOFT if chosen else theme.PAPER,
        edge=theme.BRAND if chosen else theme.LINE)


def grounds(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """Why the work must stop, in the words of the ordinance."""
    now = [g.letter for g in view.grounds if g.chosen]

    def toggle(letter: str) -> Any:
        async def toggled(_e: ft.Event) -> None:
            wanted = [x for x in now if x != letter] if letter in now else sorted([*now, letter])
            await shell.attempt(lambda: shell.work.set_grounds(view.id, wanted))
        return toggled

    body: list[ft.Control] = [heading(_("On which grounds?")),
                              *([text(view.law_said, soft=True, id="law-said")] if view.law_said else [])]
    for ground in view.grounds:
        parts: list[ft.Control] = [
            ft.Row([text(f"({ground.letter}) {ground.title}", bold=True, size=theme.KEY - 2),
                    *([pill(Tone(theme.WAIT.ink, theme.WAIT.ground, theme.WAIT.solid, ft.Icons.LINK),
                            _("the findings support it"))] if ground.suggested else [])], wrap=True,
                   spacing=10, run_spacing=6),
            text(ground.text), text(_("Clause {cite}").format(cite=ground.clause), soft=True, size=theme.SMALL),
        ]
        body.append(_choice(ground.chosen, parts, toggle(ground.letter), f"ground-{ground.letter}"))
    if view.permit_covers:
        async def outside(value: str) -> None:
            await shell.attempt(lambda: shell.work.set_order_text(view.id, "outside", value))

        body.append(panel([
            line(theme.WARN.icon, view.permit_covers, ink=theme.WARN.ink),
            TextLine(view.outside, outside, _("Work that the permit does not cover"), "order-outside", lines=2,
                     key="outside"),
            *in_others(shell, view, "outside", "order-outside"),
        ], ground=theme.WARN.ground, edge=theme.WARN.solid, id="permit-covers"))
    return body


def findings(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """Which findings the order rests on."""

    def toggle(row: Any) -> Any:
        async def toggled(_e: ft.Event) -> None:
            await shell.attempt(
                lambda: shell.work.set_order_finding(view.id, row.fact, row.finding, not row.chosen))
        return toggled

    body: list[ft.Control] = [heading(_("On which findings does it rest?"))]
    if not view.findings:
        body.append(panel([text(_("There is no signed finding on this site yet."))]))
    for n, row in enumerate(view.findings):
        supports = counted(len(row.grounds), "supports ground {letters}", "supports grounds {letters}",
                           letters=", ".join(f"({g})" for g in row.grounds))
        body.append(_choice(row.chosen, [
            text(row.title, bold=True),
            text(" · ".join(w for w in (row.severity_words, supports if row.grounds else "") if w)),
        ], toggle(row), f"order-finding-{n}"))
    return body


def scope(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """What was seen, what must stop, what may and must go on."""

    def saver(field: str) -> Any:
        async def save(value: str) -> None:
            await shell.attempt(lambda: shell.work.set_order_text(view.id, field, value))
        return save

    async def parcel(value: str) -> None:
        await shell.attempt(
            lambda: shell.work.set_order_parcel(view.id, value, value not in view.parcels_chosen))

    return [
        *([panel([heading(_("Which parcels does it bind?")),
                  choices_grid(view.parcels, view.parcels_chosen, parcel, id="order-parcel", width=panel_width(shell),
                               several=True)])] if view.parcels else []),
        panel([heading(_("What you saw")),
               TextLine(view.observed, saver("observed"), _("What you saw, in your words"), "order-observed", lines=3,
                        key="observed"), *in_others(shell, view, "observed", "order-observed")]),
        panel([heading(_("What must stop")), *ready_made(shell, view, "must_stop", "ready-stop"),
               TextLine(view.must_stop, saver("must_stop"), _("All work that must stop"), "order-must-stop", lines=3,
                        key="must-stop"), *in_others(shell, view, "must_stop", "order-must-stop")]),
        panel([heading(_("What may and must go on")),
               text(_("The order must not forbid the work that puts things right. The paper says by itself that making "
                      "the site safe and the corrections go on."), soft=True, size=theme.SMALL),
               *ready_made(shell, view, "may_continue", "ready-go"),
               TextLine(view.may_continue, saver("may_continue"), _("Work that may go on"), "order-may-continue",
                        lines=3, key="may-continue"), *in_others(shell, view, "may_continue", "order-may-continue")]),
        *spoken_part(shell, view.id, view.voice_notes),
        ft.Container(height=24),
    ]


def ready_made(shell: Any, view: OrderDraftView, field: str, id: str) -> list[ft.Control]:
    """Sentences that the paper says in every language, to be tapped in and out."""
    now = view.ready_chosen[field]

    async def tapped(key: str) -> None:
        await shell.attempt(lambda: shell.work.set_order_ready(view.id, field, key, key not in now))

    said = [text(_("What you tap here is printed in each language of the paper."), soft=True, size=theme.SMALL)]
    grid = choices_grid(view.ready[field], now, tapped, id=id, width=panel_width(shell), several=True)
    return [*(said if view.both else ()), grid]


def in_others(shell: Any, view: OrderDraftView, field: str, id: str) -> list[ft.Control]:
    """The fields for own words in the other languages of the paper."""

    async def keep(language: str, value: str) -> None:
        await shell.attempt(lambda: shell.work.set_order_text(view.id, field, value, language))

    return other_lines(view.others.get(field, ()), keep, id)


def corrections(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """What must be done and by when, line by line."""
    body: list[ft.Control] = [heading(_("What must be done, and by when?"))]
    body += [DueLine(shell, row, partial(shell.work.set_order_correction, view.id, row.index),
                     _("Correction {number}").format(number=row.index + 1), "order-correction", "order-due",
                     partial(shell.work.set_order_correction_in, view.id, row.index),
                     key=f"correction-{row.index}") for row in view.corrections]

    async def add(value: str) -> None:
        await shell.work.set_order_correction(view.id, len(view.corrections), value)

    body.append(AddLine(shell, add, _("One more correction"), _("Add this correction"), "order-correction",
                        "add-correction", key=f"add-{len(view.corrections)}"))
    return [*body, ft.Container(height=24)]


def met(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """Who was met and who got a copy, or that nobody was there."""

    async def nobody(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_nobody_present(view.id, not view.nobody_present))

    body: list[ft.Control] = [
        heading(_("Whom did you meet?")),
        _choice(view.nobody_present, [text(_("Nobody was present"), bold=True)], nobody, "nobody-present"),
    ]
    if not view.nobody_present:
        body += [MetPart(shell, view.id, row, view.parties, key=f"met-{row.index}") for row in view.met]

        async def add(name: str, role: str) -> None:
            await shell.work.set_met(view.id, len(view.met), name, role, False)

        body.append(AddPerson(shell, add, key=f"add-met-{len(view.met)}"))
    return [*body, ft.Container(height=24)]


@safe_component
def MetPart(shell: Any, draft: str, row: MetView, parties: tuple[Choice, ...]) -> ft.Control:
    async def choose(party: str) -> None:
        await shell.attempt(lambda: shell.work.set_met_party(draft, row.index, party))

    async def save_role(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_met(draft, row.index, row.name, value, row.served))

    async def save_name(value: str) -> None:
        if value.strip():
            await shell.attempt(lambda: shell.work.set_met(draft, row.index, value, row.role, row.served))

    async def served(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_met(draft, row.index, row.name, row.role, not row.served))

    async def remove(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_met(draft, row.index, "", "", False))

    return panel([
        TextLine(row.name, save_name, _("Name"), f"met-name-{row.index}"),
        text(_("What is this person to the site?"), bold=True),
        choices_grid(parties, row.party, choose, id=f"met-party-{row.index}", width=panel_width(shell)),
        TextLine(row.role, save_role, _("Role, e.g. site superintendent"), f"met-role-{row.index}"),
        _choice(row.served, [text(_("Was given a copy of the order"), bold=True)], served, f"met-served-{row.index}"),
        *([text(_("Only a copy for the landowner, the permittee, a land user or a contractor counts as service."),
                soft=True)] if row.served and row.party in ("", "other") else []),
        ft.Row(wrap=True, controls=[action(_("Remove"), remove, id=f"met-remove-{row.index}", kind="quiet",
                       icon=ft.Icons.DELETE_OUTLINE)]),
    ])
