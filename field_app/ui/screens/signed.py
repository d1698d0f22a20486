"""After signing: it is kept, it travels by itself, and what may follow."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.files import paper_button, paper_words
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.screens.second_order import write_order
from field_app.ui.words import _
from field_app.work.views import SignedView


@safe_screen
def SignedScreen(shell: Any, beat: int, fact: str) -> ft.Control:
    """Draws `SignedView`."""
    view = shell.work.signed(fact)
    shell.behind("site", site=view.site)

    async def order(_e: ft.Event) -> None:
        await shell.attempt(lambda: write_order(shell, view.site, fact), once="order")

    async def correct(_e: ft.Event) -> None:
        async def act() -> None:
            draft = await shell.work.begin_correction(fact)
            shell.go("inspection", draft=draft.id)
        await shell.attempt(act, once="correct")

    body: list[ft.Control] = []
    if view.corrected_by:
        body.append(panel([
            line(ft.Icons.EDIT_NOTE, _("This record was corrected by a later one. Both stay."), ink=theme.WARN.ink),
            ft.Row([action(_("See the later record"), lambda e: shell.go("signed", fact=view.corrected_by),
                           id="to-later", kind="secondary", icon=ft.Icons.ARROW_FORWARD, expand=True)]),
        ], ground=theme.WARN.ground, edge=theme.WARN.solid, id="corrected"))
    body.append(panel([
        ft.Row([ft.Icon(theme.GOOD.icon, size=52, color=theme.GOOD.ink),
                heading(_("The inspection is signed"), 1, id="signed")], spacing=14, wrap=True),
        text(view.kept),
        text(_("Outcome: {outcome}").format(outcome=view.outcome_words), bold=True),
    ], ground=theme.GOOD.ground, edge=theme.GOOD.solid))
    if view.corrects:
        body.append(panel([
            line(ft.Icons.EDIT_NOTE, _("It corrects an earlier record of yours. Both stay."), ink=theme.WAIT.ink),
            ft.Row([action(_("See the earlier record"), lambda e: shell.go("signed", fact=view.corrects),
                           id="to-earlier", kind="quiet", icon=ft.Icons.ARROW_BACK, expand=True)]),
        ], id="corrects"))
    if view.notice:
        body.append(panel([
            heading(_("Correction notice")),
            text(_("Show it to the person in charge, or give them a copy.")),
            action(_("Show the notice"), lambda e: shell.go("notice", fact=fact), id="to-notice",
                   icon=ft.Icons.ASSIGNMENT_LATE),
        ]))
    body.append(_report(shell, view))
    if view.ordered:
        body.append(panel([
            heading(_("Stop-work order")),
            line(ft.Icons.FRONT_HAND, _("Order {number} rests on this inspection.").format(number=view.ordered)),
            ft.Row([action(_("See the order"), lambda e: shell.go("site", site=view.site), id="see-order",
                           icon=ft.Icons.ARROW_FORWARD, kind="secondary", expand=True)]),
        ], id="ordered"))
    if view.can_order:
        body.append(panel([
            heading(_("Stop-work order")),
            text(_("The findings support a stop-work order.") if view.suggest_order
                 else _("A stop-work order can rest on these findings.")),
            text(_("You hold the power to post it.") if view.may_post
                 else _("You do not hold the power to post: you can recommend it to the office.")),
            action(_("Write a stop-work order") if view.may_post else _("Recommend a stop-work order"), order,
                   id="begin-order", icon=ft.Icons.FRONT_HAND,
                   kind="danger" if view.suggest_order else "secondary", disabled=shell.busy("order")),
        ]))
    if view.can_correct:
        body.append(panel([
            heading(_("Something in it is wrong?")),
            text(_("What was signed stays. You sign a new record that names it and says why."), soft=True),
            ft.Row([action(_("Correct this inspection"), correct, id="correct", kind="quiet",
                           icon=ft.Icons.EDIT_NOTE, expand=True, disabled=shell.busy("correct"))]),
        ]))
    return frame(shell, _("Signed"), body, subtitle=view.site_name, bottom=[
        action(_("Back to the site"), lambda e: shell.go("site", site=view.site), id="to-site",
               icon=ft.Icons.ARROW_BACK, kind="secondary" if view.suggest_order else "primary", expand=True),
    ])


def _report(shell: Any, view: SignedView) -> ft.Control:
    """The report with its photos, or where it is to be had."""
    if not view.report:
        return panel([
            heading(_("Inspection report")),
            line(ft.Icons.INFO_OUTLINE, _("The report with its photos is made in the office. It is there as a PDF "
                                          "as soon as this tablet has sent the inspection.")),
        ], id="report")

    def paper(words: str, language: str) -> ft.Control:
        return paper_button(shell, lambda: shell.work.save_inspection_report(view.fact, language),
                            id=f"report-{language}", words=words)

    return panel([
        heading(_("Inspection report")),
        text(_("All answers, findings, signatures and photos. It needs no network.")),
        ft.Row([paper(_("Report in English"), "en"), paper(_("Report in Spanish"), "es")], spacing=10),
        text(paper_words(shell), soft=True, size=theme.SMALL),
    ], id="report")
