"""The head of an inspection: why, by what right, what weather, which further checklists."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.approval import ApprovalPart
from field_app.ui.components.buttons import action
from field_app.ui.components.far import FarReason
from field_app.ui.components.fields import TextLine
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.voice import spoken_part
from field_app.ui.words import _
from field_app.work.views import InspectionView
from field_app.work.views.inspection import RainOffer


def details(shell: Any, view: InspectionView, width: float) -> list[ft.Control]:
    """The head of the inspection: why we are here, by what right, how much it rained."""
    details, inner = view.details, width - 2 * theme.EDGE

    def setter(field: str) -> Any:
        async def save(value: str) -> None:
            await shell.attempt(lambda: shell.work.set_details(view.id, **{field: value}))
        return save

    more: list[ft.Control] = []
    if view.more_topics:
        def add(topic: str) -> Any:
            async def added(_e: ft.Event) -> None:
                await shell.attempt(lambda: shell.work.add_topic(view.id, topic))
            return added
        more.append(panel([heading(_("More checklists")), *[
            action(topic.words, add(topic.value), id=f"add-{topic.value}", icon=ft.Icons.ADD, kind="secondary")
            for topic in view.more_topics]]))
    return [
        *([panel([line(ft.Icons.EDIT_NOTE, view.revises, ink=theme.WAIT.ink)], id="revises")] if view.revises else []),
        text(_("Began {when}").format(when=view.began), soft=True),
        *[line(theme.WARN.icon, sentence, ink=theme.WARN.ink) for sentence in details.missing],
        *([FarReason(shell, details.far, setter("far_reason"), inner, key="far")] if details.far is not None else []),
        panel([heading(_("Kind of inspection")),
               choices_grid(details.types, details.type, setter("type"), id="type", width=inner)]),
        panel([heading(_("By what right you are on the site")),
               choices_grid(details.entries, details.entry, setter("entry"), id="entry", width=inner),
               *([TextLine(details.entry_note, setter("entry_note"), details.entry_label, "entry-note",
                           key=f"entry-note-{details.entry}")] if details.entry_label else []),
               *([ApprovalPart(
                   shell, details.approval, lambda **fields: shell.work.set_entry_approval(view.id, **fields),
                   lambda: shell.work.entry_approved_now(view.id), inner, key="approval",
               )] if details.approval else [])]),
        panel([
            heading(_("Weather")),
            choices_grid(details.skies, details.sky, setter("sky"), id="sky", width=inner),
            ft.Row([
                ft.Container(TextLine(details.rain, setter("rain"), _("Rain in the last 24 hours"), "rain",
                                      number=True, unit=_("in"), key="rain"), width=min(inner, 340)),
                ft.Container(TextLine(details.rain_since, setter("rain_since"), _("Rain since the last inspection"),
                                      "rain-since", number=True, unit=_("in"), key="rain-since"),
                             width=min(inner, 340)),
            ], wrap=True, spacing=theme.GAP, run_spacing=theme.GAP),
            *[_offered(shell, view.id, offer, at) for at, offer in enumerate(details.rain_offers)],
            text(_("Measured by"), bold=True),
            choices_grid(details.rain_sources, details.rain_source, setter("rain_source"), id="rain-source",
                         width=inner),
        ]),
        *spoken_part(shell, view.id, view.voice_notes, _("What you want to say about the whole inspection")),
        *more,
        ft.Container(height=24),
    ]


def _offered(shell: Any, draft: str, offer: RainOffer, at: int) -> ft.Control:
    """Rain that was written down for these hours. It is taken over by a tap, never by itself."""
    async def take(_e: ft.Event) -> None:
        fields = {"rain": offer.inches} | ({"rain_source": offer.source} if offer.source else {})
        await shell.attempt(lambda: shell.work.set_details(draft, **fields))

    return ft.Column([
        line(ft.Icons.WATER_DROP, _("Written down: {reading}").format(reading=offer.words)),
        ft.Row([action(_("Take over {inches} in").format(inches=offer.inches), take, id=f"rain-take-{at}",
                       icon=ft.Icons.CHECK, kind="secondary", expand=True)]),
    ], spacing=6, tight=True)
