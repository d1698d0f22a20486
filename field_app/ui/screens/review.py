"""Read once more what will be signed, then sign it with the PIN. Nothing is edited after this."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.badges import due_chip, pill, severity_badge
from field_app.ui.components.buttons import tap_card
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.photos import photo_strip
from field_app.ui.components.pin import PinPad
from field_app.ui.screens.closing import Closing, Steps, revising
from field_app.ui.theme import Tone
from field_app.ui.words import _
from field_app.work.views import FindingView, MissingView, ReviewView

LAST_ICONS = {"fixed": ft.Icons.CHECK_CIRCLE, "still_open": ft.Icons.CANCEL, "worse": ft.Icons.TRENDING_DOWN,
              "not_observed": ft.Icons.VISIBILITY_OFF}


def last_ink(state: str) -> str:
    """The ink of the icon of what became of a finding."""
    inks = {"fixed": theme.GOOD.ink, "not_observed": theme.WARN.ink}
    return inks.get(state, theme.BAD.ink if state in LAST_ICONS else theme.INK_SOFT)


def outcome_tone(outcome: str) -> Tone:
    """Calm green only for what is in order; the word always stands beside it."""
    if outcome in ("compliant", "corrected on site"):
        return theme.GOOD
    if outcome == "incomplete":
        return theme.WARN
    return theme.BAD


@safe_screen
def ReviewScreen(shell: Any, beat: int, draft: str) -> ft.Control:
    """Draws `ReviewView`."""
    view: ReviewView = shell.work.review(draft)
    scroller = ft.use_ref(lambda: ft.Ref[ft.Column]()).current
    width = min(shell.width - 2 * (10 if shell.tiny else theme.EDGE), theme.READABLE) - 2 * theme.EDGE

    async def scroll_to(part: str) -> None:
        if scroller.current is not None:
            await scroller.current.scroll_to(scroll_key=part, duration=200)

    async def sign(pin: str) -> None:
        signed = await shell.work.sign_inspection(draft, pin)
        shell.go("signed", fact=signed.fact)

    async def jump(entry: MissingView) -> None:
        if entry.section == "closing":
            await scroll_to("closing")
            return
        if entry.card:
            shell.memory[("card", draft, entry.section)] = entry.card
        await shell.work.go_to(draft, entry.section, entry.key)
        shell.go("inspection", draft=draft)

    tone = outcome_tone(view.outcome)
    body: list[ft.Control] = [
        panel([
            text(_("Outcome"), soft=True, size=theme.SMALL),
            ft.Row([ft.Icon(tone.icon, size=40, color=tone.ink),
                    marked("outcome", content=ft.Text(
                        view.outcome_words, size=theme.TITLE, weight=ft.FontWeight.BOLD, color=tone.ink))],
                   spacing=12, wrap=True),
            *([ft.Row([severity_badge(severity, _("{count} × {severity}").format(count=count, severity=words))
                       for severity, words, count in view.counts], wrap=True, spacing=8, run_spacing=6)]
              if view.counts else []),
        ], ground=tone.ground, edge=tone.solid),
    ]
    if view.revises:
        body.append(revising(shell, view))
    if view.missing:
        body.append(panel(
            [heading(_("Still missing ({count})").format(count=len(view.missing))), text(view.missing_kinds)] + [
                tap_card(line(ft.Icons.CHEVRON_RIGHT, entry.sentence, ink=theme.WARN.ink),
                         (lambda e: lambda _e: shell.start_task(jump(e)))(entry), id=f"missing-{n}", padding=12)
                for n, entry in enumerate(view.missing[:40])
            ], ground=theme.WARN.ground, edge=theme.WARN.solid, id="missing"))
    body.append(heading(_("Findings ({count})").format(count=len(view.findings))))
    if not view.findings:
        body.append(panel([text(_("No findings: nothing that was checked fails."))]))
    body += [finding_panel(shell, finding) for finding in view.findings]
    if view.last_time:
        body.append(panel([heading(_("Open from last time ({count})").format(count=len(view.last_time)))] + [
            line(LAST_ICONS.get(state, ft.Icons.HISTORY), words, ink=last_ink(state))
            for state, words in view.last_time], id="review-last-time"))
    if view.places:
        body.append(panel([heading(_("Changes to the site's list"))] + [
            line(ft.Icons.EDIT_LOCATION_ALT, words) for words in view.places], id="review-places"))
    if view.not_observed:
        body.append(panel([heading(_("Not observed ({count})").format(count=len(view.not_observed)))] + [
            line(ft.Icons.VISIBILITY_OFF, words, ink=theme.WARN.ink) for words in view.not_observed]))
    if view.photos:
        body.append(panel([heading(_("All photos ({count})").format(count=len(view.photos))),
                           photo_strip(shell, view.photos, id="review-photos", side=112)]))
    if view.steps:
        body.append(Steps(shell, view, width, key="steps"))
    if view.closing is not None:
        body.append(ft.Container(key=ft.ScrollKey("closing"), content=Closing(shell, view, width, key="closing")))
    body.append(panel([
        heading(_("Sign")),
        text(view.statement, id="statement"),
        text(view.signer, bold=True),
        ft.Row([PinPad(shell, _("Your PIN signs this inspection"), _("Sign"), sign, wait=view.pin_wait,
                       disabled=not view.can_sign, act="sign", key="sign-pad")],
               alignment=ft.MainAxisAlignment.CENTER),
        *([text(_("It can be signed when nothing is missing."), soft=True)] if not view.can_sign else []),
    ], id="sign-panel"))
    body.append(ft.Container(height=24))
    return frame(shell, _("Review and sign"), body, subtitle=f"{view.site_name}, {view.address}",
                 scroll_ref=scroller)


def finding_panel(shell: Any, finding: FindingView) -> ft.Control:
    """One finding as it will be signed."""
    parts: list[ft.Control] = [
        ft.Row([severity_badge(finding.severity, finding.severity_words),
                *([pill(theme.GOOD, _("corrected on site"))] if finding.corrected else
                  [due_chip(finding.due_words)] if finding.due_words else []),
                *([pill(Tone(theme.INK, theme.GROUND, theme.LINE, ft.Icons.HISTORY), finding.carried)]
                  if finding.carried else [])], wrap=True, spacing=8, run_spacing=6),
        text(finding.title, bold=True, size=theme.BODY + 1),
        text(" · ".join(w for w in (finding.subject, finding.clause) if w), soft=True, size=theme.SMALL),
    ]
    if finding.note:
        parts.append(line(ft.Icons.NOTES, finding.note))
    if finding.correction:
        parts.append(line(ft.Icons.BUILD, finding.correction))
    if finding.no_photo:
        parts.append(line(ft.Icons.NO_PHOTOGRAPHY, finding.no_photo))
    if finding.photos:
        parts.append(photo_strip(shell, finding.photos, id=f"finding-{finding.id}", side=112))
    return panel(parts)
