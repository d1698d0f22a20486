"""A site found with no permit, or on no list: where, what, who, is a permit needed; then the answer to be read out.

Every step is kept as it is made and the steps may be taken in any order. After signing the same screen leads on: to the
order, to the inspection, to the site.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.tabs import tabs_above
from field_app.ui.guard import safe_component
from field_app.ui.screens.find_steps import need, what, where, who
from field_app.ui.screens.second_order import write_order
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views.report import ReportView

STEPS = ("where", "what", "who", "need")


def result_tone(state: str) -> Tone:
    """What the questions about the permit came to."""
    tone, icon = {
        "required": (theme.BAD, ft.Icons.GPP_BAD), "not_required": (theme.GOOD, ft.Icons.VERIFIED),
        "exempt": (theme.GOOD, ft.Icons.VERIFIED),
    }.get(state, (theme.WARN, ft.Icons.HELP))
    return Tone(tone.ink, tone.ground, tone.solid, icon)


def step_words(step: str) -> str:
    return {"where": _("Where"), "what": _("What is done"), "who": _("Who"), "need": _("Permit needed?")}[step]


@safe_screen
def FindScreen(shell: Any, beat: int, report: str) -> ft.Control:
    """Draws `ReportView`."""
    view: ReportView = shell.work.report(report)
    if view.stage != "open":
        shell.behind("site", site=view.site)
        return done_screen(shell, view)
    if not view.new:
        shell.behind("site", site=view.site)
    steps = STEPS if view.new else tuple(step for step in STEPS if step != "where")
    step = shell.memory.get(("find", report), steps[0])

    def go_to(name: str) -> None:
        shell.memory[("find", report)] = name
        shell.redraw()

    draw: dict[str, Callable[[Any, ReportView], list[ft.Control]]] = {
        "where": where, "what": what, "who": who, "need": lambda s, v: [answer_part(v), *need(s, v)]}
    at = steps.index(step)
    bottom: list[ft.Control] = []
    if at > 0:
        bottom.append(action(_("Before: {step}").format(step=step_words(steps[at - 1])), lambda e: go_to(steps[at - 1]),
                             id="step-before", icon=ft.Icons.ARROW_BACK, kind="quiet", expand=True))
    if at + 1 < len(steps):
        bottom.append(action(_("Next: {step}").format(step=step_words(steps[at + 1])), lambda e: go_to(steps[at + 1]),
                             id="step-next", icon=ft.Icons.ARROW_FORWARD, expand=True))
    else:
        bottom.append(save_button(shell, view))
    body = draw[step](shell, view)
    if step == steps[-1] and view.missing:
        body.append(missing_part(view, go_to))
    elif step == steps[-1]:
        body.append(panel([text(view.statement, id="statement")]))
    body += [ft.Row([ThrowAway(shell, view.id, key="throw")]), ft.Container(height=24)]
    return frame(shell, view.title, body, subtitle=view.address, bottom=bottom, part=step,
                 top=step_tabs(shell, view, steps, step, go_to))


def step_tabs(
    shell: Any, view: ReportView, steps: tuple[str, ...], at: str, go_to: Callable[[str], None]
) -> ft.Control:
    """The steps as tabs: a tick where something was said and nothing misses any more."""
    lacking = {one.step for one in view.missing}
    untouched = {step for step, said in (("who", any(one.name for one in view.parties)),
                                         ("need", view.result != "undetermined")) if not said} - lacking
    tabs: list[tuple[str, ft.Control]] = []
    for number, step in enumerate(steps, start=1):
        chosen = step == at
        icon, words, ink = ft.Icons.CHECK_CIRCLE, _("complete"), theme.GOOD.ink
        if step in lacking:
            icon, words, ink = ft.Icons.PENDING, _("something is missing"), theme.WARN.ink
        elif step in untouched:
            icon, words, ink = ft.Icons.RADIO_BUTTON_UNCHECKED, _("nothing said yet"), theme.INK_SOFT
        tabs.append((step, tap_card(
            ft.Row([ft.Icon(icon, size=22, color=theme.ON_BRAND if chosen else ink, semantics_label=words),
                    ft.Text(f"{number}. {step_words(step)}", size=theme.BODY, weight=ft.FontWeight.W_600,
                            color=theme.ON_BRAND if chosen else theme.INK)], spacing=6, tight=True),
            (lambda target: lambda e: go_to(target))(step), id=f"step-{step}", chosen=chosen,
            ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE, padding=17)))
    return tabs_above(shell, tabs, at)


def answer_part(view: ReportView) -> ft.Control:
    """The answer so far, in words with its clauses; large enough to be read out over a fence."""
    tone = result_tone(view.result)
    parts: list[ft.Control] = [
        ft.Row([ft.Icon(tone.icon, size=34, color=tone.ink),
                ft.Text(view.answer, size=theme.KEY, weight=ft.FontWeight.BOLD, color=tone.ink, expand=True)],
               spacing=12, vertical_alignment=ft.CrossAxisAlignment.START)]
    if view.ground:
        parts.append(line(ft.Icons.FRONT_HAND, view.ground, ink=theme.BAD.ink))
    return marked(f"need-{view.result}", live_region=True, container=True,
                  content=panel(parts, ground=tone.ground, edge=tone.solid))


def missing_part(view: ReportView, go_to: Callable[[str], None]) -> ft.Control:
    """What still misses; each line leads there."""
    return panel([heading(_("Still missing"))] + [
        tap_card(line(ft.Icons.PENDING, one.sentence, ink=theme.WARN.ink),
                 (lambda target: lambda e: go_to(target))(one.step), id=f"find-missing-{at}")
        for at, one in enumerate(view.missing)], ground=theme.WARN.ground, edge=theme.WARN.solid)


def save_button(shell: Any, view: ReportView) -> ft.Control:
    async def save(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.save_report(view.id), once="save-report")

    return action(_("Sign the report"), save, id="save-report", icon=ft.Icons.CHECK, kind="good", expand=True,
                  disabled=not view.may_save or shell.busy("save-report"))


@safe_component
def ThrowAway(shell: Any, report: str) -> ft.Control:
    """Give the report up, after a question."""
    asking, ask = use_asking(shell, "throw-away")

    async def discard(_e: ft.Event) -> None:
        ask(False)

        async def act() -> None:
            await shell.work.discard_report(report)
            shell.go("today")
        await shell.attempt(act, once="discard")

    ft.use_dialog(confirm(
        _("Throw this report away?"), _("What was written down here is removed. This cannot be taken back."),
        _("Throw away"), discard, lambda e: ask(False), danger=True) if asking else None)
    return action(_("Throw away"), lambda e: ask(True), id="find-discard", kind="quiet", icon=ft.Icons.DELETE_OUTLINE)


def done_screen(shell: Any, view: ReportView) -> ft.Control:
    """What became of it, and where it leads."""

    async def order(_e: ft.Event) -> None:
        await shell.attempt(lambda: write_order(shell, view.site), once="order")

    async def inspect(_e: ft.Event) -> None:
        async def act() -> None:
            draft = await shell.work.begin_inspection(view.site, "complaint" if view.new else "other")
            shell.go("inspection", draft=draft.id)
        await shell.attempt(act, once="begin")

    body: list[ft.Control] = [
        panel([heading(view.name or view.address, id="find-done"), line(ft.Icons.PLACE, view.address),
               line(ft.Icons.CHECK_CIRCLE, view.saved, ink=theme.GOOD.ink)],
              ground=theme.GOOD.ground, edge=theme.GOOD.solid),
        answer_part(view),
    ]
    if view.ground:
        body.append(action(_("Write a stop-work order") if view.may_post else _("Recommend a stop-work order"), order,
                           id="find-order", icon=ft.Icons.FRONT_HAND, kind="danger", disabled=shell.busy("order")))
    body += [
        action(_("Begin inspection"), inspect, id="find-inspect", icon=ft.Icons.ASSIGNMENT,
               kind="secondary" if view.ground else "primary", disabled=shell.busy("begin")),
        action(_("Go to the site"), lambda e: shell.go("site", site=view.site), id="find-site", icon=ft.Icons.PLACE,
               kind="quiet"),
        ft.Container(height=24),
    ]
    return frame(shell, view.title, body, subtitle=view.address)
