"""Writing a stop-work order, one step at a time: grounds, findings, scope, corrections, who was met, review.

Every step is kept as it is made. The number is shown once it stands on a paper. The steps may be taken in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.fields import TextLine, use_entry
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.tabs import tabs_above
from field_app.ui.guard import safe_component
from field_app.ui.screens.order_steps import corrections, findings, grounds, met, scope
from field_app.ui.words import _, counted
from field_app.work.views import OrderDraftView, OtherWords

STEPS = ("grounds", "findings", "scope", "corrections", "met", "review")
# which step a missing field belongs to
STEP_OF = {"observed": "scope", "must_stop": "scope", "may_continue": "scope"}


def step_words(step: str) -> str:
    return {
        "grounds": _("Grounds"), "findings": _("Findings"), "scope": _("Seen and stopped"),
        "corrections": _("Corrections"), "met": _("Who was met"), "review": _("Review"),
    }[step]


def show_step(shell: Any, draft: str, name: str) -> None:
    """Show a step at once; it is kept with the order, so that a killed app opens there."""
    shell.memory[("step", draft)] = name
    shell.redraw()
    shell.start_task(shell.work.go_to_step(draft, name))


def opens(shell: Any, draft: str, name: str) -> Callable[[ft.Event], None]:
    """What a tap on a card or button does that leads to a step."""
    return lambda _e: show_step(shell, draft, name)


@safe_screen
def OrderScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `OrderDraftView`."""
    view: OrderDraftView = shell.work.order(draft)
    shell.behind("site", site=view.site)
    step = shell.memory.get(("step", draft), "review" if view.stage != "draft" else view.step)
    step = step if step in STEPS else "grounds"

    def go_to(name: str) -> None:
        show_step(shell, draft, name)

    draw: Callable[..., list[ft.Control]] = {
        "grounds": grounds, "findings": findings, "scope": scope, "corrections": corrections, "met": met,
        "review": review_step,
    }[step]
    at = STEPS.index(step)
    bottom: list[ft.Control] = []
    if at > 0:
        bottom.append(action(_("Before: {step}").format(step=step_words(STEPS[at - 1])),
                             lambda e: go_to(STEPS[at - 1]), id="step-before", icon=ft.Icons.ARROW_BACK,
                             kind="quiet", expand=True))
    if at + 1 < len(STEPS):
        bottom.append(action(_("Next: {step}").format(step=step_words(STEPS[at + 1])),
                             lambda e: go_to(STEPS[at + 1]), id="step-next", icon=ft.Icons.ARROW_FORWARD,
                             expand=True))
    else:
        bottom.append(print_button(shell, view))
    title = _("Stop-work order") if view.may_post else _("Recommend a stop-work order")
    subtitle = f"{view.number} · {view.site_name}" if view.final else view.site_name
    return frame(
        shell, title, draw(shell, view), subtitle=subtitle, bottom=bottom, part=step,
        top=step_tabs(shell, view, step, go_to) if shell.narrow else None, left=step_list(view, step, go_to),
    )


def print_button(shell: Any, view: OrderDraftView) -> ft.Control:
    async def make(_e: ft.Event) -> None:
        async def act() -> None:
            await shell.work.make_placard(view.id)
            shell.go("placard", draft=view.id)
        await shell.attempt(act, once="placard")

    async def keep(_e: ft.Event) -> None:
        async def act() -> None:
            await shell.work.keep_blank(view.id)
            shell.go("placard", draft=view.id)
        await shell.attempt(act, once="placard")

    if view.stage in ("up", "done"):
        return action(_("Go to the placard"), lambda e: shell.go("placard", draft=view.id), id="to-placard",
                      icon=ft.Icons.DESCRIPTION, expand=True)
    running = shell.busy("placard")
    if view.blank:
        return action(_("Go on with placard {number}").format(number=view.number), keep, id="keep-blank",
                      icon=ft.Icons.DESCRIPTION, expand=True, kind="danger", disabled=running or bool(view.missing))
    words = _("Making the placard ...") if running else (
        _("Make the placard") if view.may_post else _("Make the recommendation"))
    return action(words, make, id="make-placard", icon=ft.Icons.DESCRIPTION, expand=True,
                  kind="danger" if view.may_post else "primary", disabled=running or bool(view.missing))


def _lacks(view: OrderDraftView, step: str) -> bool:
    return any(STEP_OF.get(m.field, m.field) == step for m in view.missing)


def _step_sign(view: OrderDraftView, step: str) -> tuple[ft.IconData, str]:
    if step == "review":
        return (ft.Icons.FACT_CHECK, theme.INK)
    if _lacks(view, step) or (step == "met" and view.unsaid):
        return (ft.Icons.PENDING, theme.WARN.ink)
    if step == "findings" and not any(f.chosen for f in view.findings):
        return (ft.Icons.RADIO_BUTTON_UNCHECKED, theme.INK_SOFT)  # it may rest on none, but nothing is done here
    return (ft.Icons.CHECK_CIRCLE, theme.GOOD.ink)


def step_tabs(shell: Any, view: OrderDraftView, at: str, go_to: Callable[[str], None]) -> ft.Control:
    """The steps as a row of tabs for a narrow screen."""
    tabs: list[tuple[str, ft.Control]] = []
    for number, step in enumerate(STEPS, start=1):
        icon, ink = _step_sign(view, step)
        chosen = step == at
        tabs.append((step, tap_card(
            ft.Row([ft.Icon(icon, size=22, color=theme.ON_BRAND if chosen else ink),
                    ft.Text(f"{number}. {step_words(step)}", size=theme.BODY, weight=ft.FontWeight.W_600,
                            color=theme.ON_BRAND if chosen else theme.INK)], spacing=6, tight=True),
            (lambda name: lambda e: go_to(name))(step), id=f"step-{step}", chosen=chosen, padding=12,
            ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE)))
    return tabs_above(shell, tabs, at, saved(view))


def saved(view: OrderDraftView) -> ft.Control:
    return ft.Row([ft.Icon(ft.Icons.CHECK, size=20, color=theme.GOOD.ink),
                   marked("saved", expand=True, content=ft.Text(
                       view.saved, size=theme.SMALL, color=theme.GOOD.ink, weight=ft.FontWeight.W_600))], spacing=6)


def step_list(view: OrderDraftView, at: str, go_to: Callable[[str], None]) -> ft.Control:
    """The steps beside the form on a wide screen."""
    rows: list[ft.Control] = [saved(view)]
    for number, step in enumerate(STEPS, start=1):
        icon, ink = _step_sign(view, step)
        chosen = step == at
        rows.append(tap_card(
            ft.Row([ft.Icon(icon, size=26, color=theme.ON_BRAND if chosen else ink),
                    ft.Text(f"{number}. {step_words(step)}", size=theme.BODY + 1, weight=ft.FontWeight.BOLD,
                            color=theme.ON_BRAND if chosen else theme.INK, expand=True)], spacing=12),
            (lambda name: lambda e: go_to(name))(step), id=f"step-{step}", chosen=chosen,
            ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE_SOFT))
    rows.append(panel([fact(_("Order number"), number_words(view), id="order-number"),
                       text(_("Numbers left on this tablet: {count}").format(count=view.numbers_left), soft=True,
                            size=theme.SMALL)]))
    return ft.Column(rows, scroll=ft.ScrollMode.AUTO, spacing=8, expand=True,
                     horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


def number_words(view: OrderDraftView) -> str:
    """The number once it stands on a paper; before that a number noted by hand could become wrong."""
    if view.final:
        return view.number
    return _("comes with the placard") if view.may_post else _("comes with the recommendation")


def review_step(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """What the order will say, and what it still lacks."""
    body: list[ft.Control] = []
    if not view.may_post:
        body.append(panel([line(theme.WARN.icon, view.why_not, ink=theme.WARN.ink),
                           text(_("The office can issue it under the same number; then any inspector puts it up."))],
                          ground=theme.WARN.ground, edge=theme.WARN.solid, id="why-not"))
    if view.beside:
        body.append(panel([heading(_("Another order on this site")),
                           *[line(ft.Icons.FRONT_HAND, words, ink=theme.WARN.ink) for words in view.beside]],
                          ground=theme.WARN.ground, edge=theme.WARN.solid, id="beside"))
    if view.missing:
        body.append(panel([heading(_("Still missing ({count})").format(count=len(view.missing)))] + [
            tap_card(line(ft.Icons.CHEVRON_RIGHT, m.sentence, ink=theme.WARN.ink),
                     opens(shell, view.id, STEP_OF.get(m.field, m.field)), id=f"missing-{n}",
                     padding=12) for n, m in enumerate(view.missing)],
            ground=theme.WARN.ground, edge=theme.WARN.solid, id="missing"))
    if view.unsaid and view.stage in ("draft", "printed"):
        body.append(panel([tap_card(line(ft.Icons.CHEVRON_RIGHT, said, ink=theme.WARN.ink),
                                    opens(shell, view.id, "met"), id=f"unsaid-{n}",
                                    padding=12) for n, said in enumerate(view.unsaid)],
                          ground=theme.WARN.ground, edge=theme.WARN.solid, id="unsaid"))
    if not view.missing and view.may_post and view.stage in ("draft", "printed") and not view.blank:
        body.append(two_ways(shell, view))
    chosen = [g for g in view.grounds if g.chosen]
    body += [
        panel([
            fact(_("Order number"), number_words(view), id="review-number"),
            fact(_("Site"), f"{view.site_name}, {view.address}"),
            fact(_("Parcel"), view.parcel),
            fact(_("Permit"), view.permit),
        ]),
        panel([heading(_("Grounds"))] + ([line(ft.Icons.GAVEL, f"({g.letter}) {g.title}") for g in chosen]
                                         or [text(_("none chosen"), soft=True)])
              + ([text(_("Not covered by the permit: {work}").format(work=view.outside)),
                  *said_again(view.others.get("outside", ()))]
                 if view.permit_covers and view.outside else [])),
        panel([heading(_("Findings"))] + ([line(ft.Icons.REPORT, f"{f.severity_words}: {f.title}")
                                           for f in view.findings if f.chosen]
                                          or [text(_("none chosen"), soft=True)])),
        panel([heading(_("What was seen")), text(view.observed or _("nothing written")),
               *said_again(view.others.get("observed", ())),
               heading(_("What must stop")), text(view.must_stop or _("nothing written")),
               *said_again(view.others.get("must_stop", ())),
               heading(_("What may go on")), text(view.may_continue or _("nothing written")),
               *said_again(view.others.get("may_continue", ()))]),
        *not_in_each(shell, view),
        panel([heading(_("Corrections"))] + ([part for c in view.corrections for part in (
            line(ft.Icons.BUILD, f"{c.text} ({c.due_words})" if c.due_words else c.text), *said_again(c.others))]
            or [text(_("none"), soft=True)])),
        panel([heading(_("Who was met"))] + (
            [text(_("Nobody was present."))] if view.nobody_present else
            [line(ft.Icons.PERSON, ", ".join(
                w for w in (m.name, m.party_words, m.role, _("got a copy") if m.served else "") if w))
             for m in view.met] or [text(_("nobody named"), soft=True)])),
    ]
    if view.stage in ("draft", "printed"):
        body.append(AbandonPart(shell, view.id, view.number if view.final else "", view.site, key="abandon"))
    body.append(ft.Container(height=24))
    return body


def said_again(others: Sequence[OtherWords]) -> list[ft.Control]:
    """The same own words as they were given in the other languages of the paper."""
    return [text(_("The same {in_language}").format(in_language=one.said) + f": {one.text}")
            for one in others if one.text.strip()]


def not_in_each(shell: Any, view: OrderDraftView) -> list[ft.Control]:
    """What the paper will say in one of its languages only: a hint, nothing that is missing."""
    if not view.lacking or view.stage not in ("draft", "printed"):
        return []
    fields = {field for field, others in view.others.items() if any(not one.text.strip() for one in others)}
    there = opens(shell, view.id, "scope" if fields - {"outside"} else "grounds" if fields else "corrections")
    return [panel([
        heading(_("Languages of the paper")),
        *[line(ft.Icons.TRANSLATE, said) for said in view.lacking],
        text(_("The paper says there that it is given as you wrote it. Where you can, write it in both."), soft=True,
             size=theme.SMALL),
        ft.Row(wrap=True, controls=[action(_("Write it in both"), there, id="write-both", kind="quiet",
                                           icon=ft.Icons.EDIT)]),
    ], id="languages")]


def two_ways(shell: Any, view: OrderDraftView) -> ft.Control:
    """A placard can be printed here, or be one that the office printed in advance."""
    left = len(shell.work.blanks().free)
    return panel([
        heading(_("How does the placard get on paper?")),
        line(ft.Icons.PRINT, _("You can print here: make the placard below, then print or share the PDF.")),
        line(ft.Icons.QR_CODE_SCANNER,
             _("You cannot print here: take a pre-printed placard, scan its code and date it by hand.")),
        action(counted(left, "Use a pre-printed placard (1 left)", "Use a pre-printed placard ({count} left)"),
               lambda e: shell.go("blank", draft=view.id), id="use-blank", icon=ft.Icons.QR_CODE_SCANNER,
               kind="secondary", disabled=not left),
        *([] if left else [line(theme.WARN.icon, _(
            "No pre-printed placard of this tablet is left, as far as it knows. The office prints them; let the tablet "
            "reach the office once before you leave with them."), ink=theme.WARN.ink)]),
    ], id="two-ways")


@safe_component
def AbandonPart(shell: Any, draft: str, number: str, site: str) -> ft.Control:
    """Give the order up, with a reason; its number stays used."""
    asking, ask = use_asking(shell, "abandon")
    reason, keep = use_entry(shell, "abandon-reason")

    async def abandon(_e: ft.Event) -> None:
        ask(False)

        async def act() -> None:
            await shell.work.abandon_order(draft, reason)
            shell.go("site", site=site)
        await shell.attempt(act, once="abandon")

    stays = _("The number {number} stays used for ever and goes on no other order.").format(number=number) if number \
        else _("The number that was kept for it goes on no other order.")
    ft.use_dialog(confirm(_("Give this order up?"), stays, _("Give it up"), abandon, lambda e: ask(False), danger=True)
                  if asking else None)
    return panel([
        heading(_("Give this order up")),
        TextLine(reason, keep, _("Why"), "abandon-reason"),
        action(_("Give this order up"), lambda e: ask(True), id="abandon", kind="quiet",
               icon=ft.Icons.DELETE_OUTLINE, disabled=not reason.strip()),
    ])


