"""The end of an inspection: what must follow, who was told on the site, and why a signed record is corrected."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choice_button, choices_grid
from field_app.ui.components.fields import TextLine
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.guard import safe_component
from field_app.ui.screens.signature import SignatureField
from field_app.ui.words import _
from field_app.work.views import Choice, ReviewView
from field_app.work.views.inspection import StepView


@safe_component
def Steps(shell: Any, view: ReviewView, width: float) -> ft.Control:
    """What must follow; what the findings suggest says so, what the law demands cannot be taken off."""
    parts: list[ft.Control] = [heading(_("What must follow"))]
    for step in view.steps:
        parts.append(one_step(shell, view.id, step))
    return panel(parts, id="steps")


def one_step(shell: Any, draft: str, step: StepView) -> ft.Control:
    async def tapped(_value: str) -> None:
        if not step.bound:
            await shell.attempt(lambda: shell.work.set_follows(draft, step.id, not step.chosen))

    words: list[ft.Control] = []
    if step.suggested and not step.chosen:
        words.append(line(theme.WARN.icon, _("The findings suggest it."), ink=theme.WARN.ink))
    words.append(text(step.why, soft=True, size=theme.SMALL))
    return ft.Column([
        ft.Row([choice_button(Choice(step.id, step.words), step.chosen, tapped, id=f"step-{step.id}", several=True)]),
        *words,
    ], spacing=4, tight=True)


@safe_component
def Closing(shell: Any, view: ReviewView, width: float) -> ft.Control:
    """Who was told; the drawn signatures."""
    closing, draft = view.closing, view.id
    assert closing is not None

    def setter(field: str) -> Any:
        async def save(value: str) -> None:
            await shell.attempt(lambda: shell.work.set_closing(draft, **{field: value}))
        return save

    async def choose(value: str) -> None:
        wanted = "" if closing.how == value else value
        await shell.attempt(lambda: shell.work.set_closing(draft, how=wanted))

    def field(name: str, label: str) -> ft.Control:
        return TextLine(getattr(closing, name), setter(name), label, f"closing-{name}", key=f"closing-{name}")

    parts: list[ft.Control] = [
        heading(_("The person in charge of the site")),
        text(_("Say what must be corrected and by when, and let them sign that they were told.") if closing.needed
             else _("If somebody in charge is here, they can sign that they were told."), soft=True),
        choices_grid(closing.hows, closing.how, choose, id="in-charge", width=width),
    ]
    if closing.how in ("signed", "refused"):
        parts += [field("name", _("Name")), field("role", _("Role, such as foreman"))]
    if closing.how == "signed":
        parts.append(SignatureField(shell, draft, "in_charge", _("Signature of the person in charge"),
                                    "in_charge" in closing.signed, width, key="sign-in_charge"))
    if closing.how == "refused":
        parts += [field("witness", _("Name of a witness of the refusal")),
                  field("reason", _("What was said, or why there is no witness"))]
        if closing.witness.strip():
            parts.append(SignatureField(shell, draft, "witness", _("Signature of the witness"),
                                        "witness" in closing.signed, width, key="sign-witness"))
    parts += [line(theme.WARN.icon, sentence, ink=theme.WARN.ink) for sentence in closing.missing]
    parts.append(SignatureField(shell, draft, "inspector", _("Your own signature (the PIN below signs the record)"),
                                "inspector" in closing.signed, width, key="sign-inspector"))
    return panel(parts, id="closing")


def revising(shell: Any, view: ReviewView) -> ft.Control:
    """Why a signed record is corrected; the reason is part of what is signed."""

    async def save(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_details(view.id, revise_reason=value))

    return panel([
        line(ft.Icons.EDIT_NOTE, view.revises, ink=theme.WAIT.ink),
        text(_("Both records stay. The office and the report show both."), soft=True),
        TextLine(view.revise_reason, save, _("Why it is corrected"), "revise-reason", lines=2, key="revise-reason"),
    ], id="revising")
