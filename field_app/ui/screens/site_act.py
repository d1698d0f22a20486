"""An emergency report, or a revision of the plan: written down step by step, signed, then its paper.

Every tap is kept as it is made and the steps may be taken in any order; the last one says what still misses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.approval import ApprovalPart
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.dialogs import confirm, use_asking
from field_app.ui.components.entries import AddLine, AddPerson, DueLine
from field_app.ui.components.fields import DueField, TextLine
from field_app.ui.components.files import paper_button
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, heading, line, panel, panel_width, text
from field_app.ui.components.pin import PinPad
from field_app.ui.components.report_photos import report_photos
from field_app.ui.components.tabs import tabs_above
from field_app.ui.components.voice import spoken_part
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views import Choice
from field_app.work.views.order import MetView
from field_app.work.views.site_act import SiteActView

EMERGENCY_STEPS = ("what", "approval", "photos", "sign")
REVISION_STEPS = ("why", "devices", "met", "photos", "sign")


def step_words(step: str) -> str:
    return {
        "what": _("What was found"), "approval": _("Approval"), "photos": _("Photos"), "sign": _("Sign"),
        "why": _("Why"), "devices": _("What to install"), "met": _("Who was met"),
    }[step]


@safe_screen
def SiteActScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `SiteActView`."""
    view: SiteActView = shell.work.site_act(draft)
    shell.behind("site", site=view.site)
    if view.stage != "open":
        return signed(shell, view)
    steps = EMERGENCY_STEPS if view.act == "emergency" else REVISION_STEPS
    step = shell.memory.get(("site_act", draft), steps[0])

    def go_to(name: str) -> None:
        shell.memory[("site_act", draft)] = name
        shell.redraw()

    at = steps.index(step)
    bottom: list[ft.Control] = []
    if at > 0:
        bottom.append(action(_("Before: {step}").format(step=step_words(steps[at - 1])), lambda e: go_to(steps[at - 1]),
                             id="step-before", icon=ft.Icons.ARROW_BACK, kind="quiet", expand=True))
    if at + 1 < len(steps):
        bottom.append(action(_("Next: {step}").format(step=step_words(steps[at + 1])), lambda e: go_to(steps[at + 1]),
                             id="step-next", icon=ft.Icons.ARROW_FORWARD, expand=True))
    draw: dict[str, Callable[[Any, SiteActView], list[ft.Control]]] = {
        "what": what, "approval": approval, "photos": photos, "sign": sign, "why": why, "devices": devices, "met": met}
    tabs: list[tuple[str, ft.Control]] = [(name, tap_card(
        ft.Text(f"{number}. {step_words(name)}", size=theme.BODY, weight=ft.FontWeight.W_600,
                color=theme.ON_BRAND if name == step else theme.INK),
        (lambda target: lambda e: go_to(target))(name), id=f"step-{name}", chosen=name == step, padding=17,
        ground=theme.BRAND if name == step else theme.PAPER, edge=theme.BRAND if name == step else theme.LINE))
        for number, name in enumerate(steps, start=1)]
    return frame(shell, view.title, [*draw[step](shell, view), ft.Container(height=24)],
                 subtitle=f"{view.site_name}, {view.address}", bottom=bottom, part=step,
                 top=tabs_above(shell, tabs, step))


def saver(shell: Any, view: SiteActView, field: str) -> Any:
    async def save(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_act_text(view.id, field, value))
    return save


# --- an emergency -----------------------------------------------------------------------------------------------------
def what(shell: Any, view: SiteActView) -> list[ft.Control]:
    """The condition, and what it threatens."""
    rows = []
    for threat in view.threats:
        chosen = threat.value in view.threatened

        async def tapped(_e: ft.Event, one: str = threat.value) -> None:
            await shell.attempt(lambda: shell.work.set_threat(view.id, one))

        rows.append(tap_card(
            ft.Row([ft.Icon(ft.Icons.CHECK_BOX if chosen else ft.Icons.CHECK_BOX_OUTLINE_BLANK, size=30,
                            color=theme.ON_BRAND if chosen else theme.INK_SOFT),
                    ft.Text(threat.words, size=theme.BODY + 1, weight=ft.FontWeight.BOLD, expand=True,
                            color=theme.ON_BRAND if chosen else theme.INK)], spacing=12),
            tapped, id=f"threat-{threat.value.replace(' ', '-')}", chosen=chosen,
            ground=theme.BRAND if chosen else theme.PAPER, edge=theme.BRAND if chosen else theme.LINE))
    return [
        panel([text(view.says), fact(_("Found"), view.found)]),
        panel([heading(_("What did you find?")),
               TextLine(view.condition, saver(shell, view, "condition"), _("Condition"), "act-condition", lines=3,
                        key="condition")]),
        panel([heading(_("What is likely to be damaged or reached?")), *rows,
               text(_("A street or a storm sewer alone is no ground to enter."), soft=True, size=theme.SMALL)]),
        panel([heading(_("What was done, or must be done at once?")),
               TextLine(view.actions, saver(shell, view, "actions"), _("Actions"), "act-actions", lines=3,
                        key="actions")]),
        *spoken_part(shell, view.id, view.voice_notes),
    ]


def approval(shell: Any, view: SiteActView) -> list[ft.Control]:
    """Who approved the entry, or why nobody did; and whether somebody entered."""
    work = shell.work

    async def entered(_e: ft.Event) -> None:
        await shell.attempt(lambda: work.set_entered(view.id, not view.entered))

    async def entered_at(on: str, at: str) -> None:
        await shell.attempt(lambda: work.set_entered_at(view.id, on, at))

    parts: list[ft.Control] = [panel([ApprovalPart(
        shell, view.approval, lambda **fields: work.set_act_approval(view.id, **fields),
        lambda: work.act_approved_now(view.id), panel_width(shell), key="approval")])]
    if not view.approved:
        parts.append(panel([TextLine(view.no_approval, saver(shell, view, "no_approval"),
                                     _("Not approved: why? (nobody reached, refused ...)"), "no-approval", lines=2,
                                     key="no-approval")]))
    tone = theme.GOOD if not view.entry_lacks and not view.too_late else theme.WARN
    rows: list[ft.Control] = [heading(_("Entering"), 3)]
    if view.entered:
        rows += [fact(_("Entered"), view.entered, id="act-entered"),
                 DueField(shell, view.entered_wall[:10], view.entered_wall[11:16], entered_at, "entered",
                          last=shell.work.day, key="entered-time")]
    if view.too_late:
        rows += [line(tone.icon, _("The entry was before its approval. The record says so."), ink=tone.ink),
                 TextLine(view.late_why, saver(shell, view, "late_why"), _("Why was it entered before?"), "late-why",
                          lines=2, key="late-why")]
    elif view.entry_lacks:
        rows.append(line(tone.icon, " ".join((_("The land may not be entered on this record yet."), view.entry_lacks)),
                         ink=tone.ink))
    elif not view.entered:
        rows.append(line(tone.icon, _("The land may be entered on this record."), ink=tone.ink))
    if view.entered or not view.entry_lacks:
        rows.append(action(_("Nobody entered after all") if view.entered else _("We enter now"), entered,
                           id="enter-now", kind="quiet" if view.entered else "secondary", icon=ft.Icons.LOGIN))
    parts.append(panel(rows, ground=tone.ground, edge=tone.solid, id="entry"))
    return parts


# --- a revision -------------------------------------------------------------------------------------------------------
def why(shell: Any, view: SiteActView) -> list[ft.Control]:
    """The abnormal conditions, and why the plan is not enough."""
    tone = theme.CALM if view.orders else theme.WARN
    return [
        panel([text(view.says, id="act-says")], ground=tone.ground, edge=tone.solid),
        panel([heading(_("What is abnormal?")),
               TextLine(view.conditions, saver(shell, view, "conditions"), _("Rain, snow melt, or what else"),
                        "act-conditions", lines=3, key="conditions"),
               *gauges(view)]),
        panel([heading(_("Why is the plan in place not enough?")),
               TextLine(view.inadequate, saver(shell, view, "inadequate"), _("What fails, and where"),
                        "act-inadequate", lines=3, key="inadequate")]),
        *spoken_part(shell, view.id, view.voice_notes),
    ]


def gauges(view: SiteActView) -> list[ft.Control]:
    """What the gauges showed, beside what is typed about the rain."""
    if not view.rains:
        return [line(theme.WARN.icon, _("No rain was written down for this site or the city. If it is rain, write the "
                                        "gauge's reading down too: “Rain” on the site's page."), ink=theme.WARN.ink)]
    return [text(_("Rain that was written down:"), bold=True, id="act-rains"),
            *[line(ft.Icons.WATER_DROP, words) for words in view.rains],
            text(_("What you write should agree with it, or say which other gauge you read."), soft=True,
                 size=theme.SMALL)]


def devices(shell: Any, view: SiteActView) -> list[ft.Control]:
    """What must be installed, each with its day."""
    body: list[ft.Control] = [heading(_("What must be installed, and by when?"))]
    body += [DueLine(shell, row, partial(shell.work.set_revision_device, view.id, row.index),
                     _("Device {number}").format(number=row.index + 1), "device", "device-due",
                     key=f"device-{row.index}") for row in view.devices]

    async def add(value: str) -> None:
        await shell.work.set_revision_device(view.id, len(view.devices), value)

    return [*body, AddLine(shell, add, _("One more device, and where"), _("Add this device"), "device", "add-device",
                           key=f"add-{len(view.devices)}")]


def met(shell: Any, view: SiteActView) -> list[ft.Control]:
    """Who was met, or that nobody was there."""

    async def nobody(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_act_nobody(view.id, not view.nobody_present))

    body: list[ft.Control] = [
        heading(_("Whom did you meet?")),
        tap_card(ft.Row([ft.Icon(ft.Icons.CHECK_BOX if view.nobody_present else ft.Icons.CHECK_BOX_OUTLINE_BLANK,
                                 size=30, color=theme.BRAND), text(_("Nobody was present"), bold=True)], spacing=12),
                 nobody, id="nobody-present", chosen=view.nobody_present)]
    if not view.nobody_present:
        body += [MetPart(shell, view.id, row, key=f"met-{row.index}") for row in view.met]

        async def add(name: str, role: str) -> None:
            await shell.work.set_act_met(view.id, len(view.met), name, role, False)

        body.append(AddPerson(shell, add, key=f"add-met-{len(view.met)}"))
    return body


@safe_component
def MetPart(shell: Any, draft: str, row: MetView) -> ft.Control:
    async def served(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_act_met(draft, row.index, row.name, row.role, not row.served))

    async def remove(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.set_act_met(draft, row.index, "", "", False))

    return panel([
        text(", ".join(w for w in (row.name, row.role) if w), bold=True),
        tap_card(ft.Row([ft.Icon(ft.Icons.CHECK_BOX if row.served else ft.Icons.CHECK_BOX_OUTLINE_BLANK, size=30,
                                 color=theme.BRAND), text(_("Was given a copy"), bold=True)], spacing=12),
                 served, id=f"met-served-{row.index}", chosen=row.served),
        ft.Row([action(_("Remove"), remove, id=f"met-remove-{row.index}", kind="quiet",
                       icon=ft.Icons.DELETE_OUTLINE)]),
    ])


# --- both -------------------------------------------------------------------------------------------------------------
def photos(shell: Any, view: SiteActView) -> list[ft.Control]:
    """Photos of what is reported."""
    return report_photos(
        shell, view, text(_("One from afar that shows where, one from near that shows what.")),
        (Choice("wide", _("Wide view")), Choice("close", _("Close view"))), panel_width(shell),
        add=shell.work.add_act_photo, remove=shell.work.remove_act_photo,
        mark=lambda sha: shell.aside("act_marks", draft=view.id, photo=sha))


def sign(shell: Any, view: SiteActView) -> list[ft.Control]:
    """What still misses; then the PIN."""
    async def signed_with(pin: str) -> None:
        await shell.work.sign_site_act(view.id, pin)

    body: list[ft.Control] = []
    if view.missing:
        body.append(panel([heading(_("Still missing ({count})").format(count=len(view.missing))), *[
            line(theme.WARN.icon, sentence, ink=theme.WARN.ink) for sentence in view.missing]],
            ground=theme.WARN.ground, edge=theme.WARN.solid, id="missing"))
    pad = PinPad(shell, _("Your PIN signs it"), _("Sign"), signed_with, wait=view.pin_wait, act="site-act",
                 disabled=bool(view.missing), key="act-pad")
    body.append(panel([text(view.statement, id="statement"),
                       ft.Row([pad], alignment=ft.MainAxisAlignment.CENTER)]))
    body.append(ft.Row([ThrowAway(shell, view.id, view.site, key="throw")]))
    return body


@safe_component
def ThrowAway(shell: Any, draft: str, site: str) -> ft.Control:
    """Nothing of it was signed: it can go."""
    asking, ask = use_asking(shell, "throw-away")

    async def discard(_e: ft.Event) -> None:
        ask(False)

        async def act() -> None:
            await shell.work.discard_site_act(draft)
            shell.go("site", site=site)
        await shell.attempt(act, once="discard")

    ft.use_dialog(confirm(_("Throw this away?"), _("Nothing of it was signed. This cannot be taken back."),
                          _("Throw away"), discard, lambda e: ask(False), danger=True) if asking else None)
    return action(_("Throw away"), lambda e: ask(True), id="act-discard", kind="quiet", icon=ft.Icons.DELETE_OUTLINE)


def signed(shell: Any, view: SiteActView) -> ft.Control:
    """It is signed: where it is, and its paper."""

    rows: list[ft.Control] = [text(view.reference, bold=True, size=theme.KEY, id="act-reference")]
    if view.act == "emergency":
        label = _("Entry approved") if view.approved else _("Entry not approved")
        rows += [text(view.condition), fact(label, view.approved or view.no_approval)]
        rows += [text(view.office, bold=True, id="act-office")] if view.office else []
        rows += [fact(_("Entered"), view.entered)] if view.entered else []
    else:
        rows += [text(view.conditions), text(view.inadequate),
                 *[line(ft.Icons.BUILD, f"{one.text} ({one.due_words})") for one in view.devices]]
    return frame(shell, view.title, [
        panel([ft.Row([ft.Icon(theme.GOOD.icon, size=48, color=theme.GOOD.ink),
                       ft.Container(heading(view.saved, id="act-signed"), expand=True)], spacing=12)],
              ground=theme.GOOD.ground, edge=theme.GOOD.solid),
        panel(rows), ft.Container(height=24),
    ], subtitle=f"{view.site_name}, {view.address}", part="done", bottom=[
        paper_button(shell, lambda: shell.work.save_site_act(view.id), id="save-act"),
        action(_("Back to the site"), lambda e: shell.go("site", site=view.site), id="to-site", kind="quiet",
               icon=ft.Icons.ARROW_BACK, expand=True),
    ])
