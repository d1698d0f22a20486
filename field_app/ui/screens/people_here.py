"""People on this tablet: what of theirs is here, and removing one, which destroys that person's key."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.fields import TextLine, use_entry
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.pin import PinPad
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views.tablet import PersonHere


@safe_screen
def PeopleHereScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `PeopleHereView`."""
    view = shell.work.people_here()
    chosen, choose = ft.use_state("")
    person = next((one for one in view.people if one.id == chosen), None)
    if person is not None:
        return frame(shell, _("Remove from this tablet"), [
            RemovePart(shell, person, view.pin_wait, lambda: choose(""), key=f"remove-{person.id}"),
            ft.Container(height=24),
        ], part=person.id)
    body: list[ft.Control] = [text(_("Each of them opens this tablet with a PIN. Whoever is removed signs in once more "
                                     "with a personal code to work here again."))]
    body += [person_part(one, (lambda ident: lambda _e: choose(ident))(one.id)) for one in view.people]
    if view.remark:
        body.append(text(view.remark, soft=True, size=theme.SMALL, id="titles-as-written"))
    if view.before:
        body.append(panel([heading(_("Removed before"))] + [line(ft.Icons.HISTORY, words) for words in view.before],
                          id="removed-before"))
    return frame(shell, _("People on this tablet"), [*body, ft.Container(height=24)])


def person_part(person: PersonHere, remove: Any) -> ft.Control:
    """One person, what of theirs is here, and the way to remove them."""
    name = _("{name} (you)").format(name=person.name) if person.mine else person.name
    tone = theme.WARN if person.loses else theme.GOOD
    parts: list[ft.Control] = [
        ft.Row([ft.Icon(ft.Icons.ACCOUNT_CIRCLE, size=40, color=theme.BRAND),
                ft.Column([text(name, bold=True, size=theme.KEY - 2),
                           *([text(person.title, soft=True)] if person.title else [])],
                          spacing=0, tight=True, expand=True)], spacing=12),
        line(tone.icon, person.words, ink=tone.ink),
    ]
    if person.refused:
        parts.append(text(person.refused, soft=True))
    else:
        parts.append(ft.Row([action(_("Remove from this tablet"), remove, id=f"remove-{person.id}", kind="quiet",
                                    icon=ft.Icons.PERSON_REMOVE, expand=True)]))
    return panel(parts, id=f"here-{person.id}")


@safe_component
def RemovePart(shell: Any, person: PersonHere, wait: int, back: Any) -> ft.Control:
    """What it means, the name and the reasons where something is lost, and the PIN."""
    name, keep_name = use_entry(shell, f"remove-name-{person.id}")
    reasons, keep_reasons = use_entry(shell, f"remove-reasons-{person.id}")

    async def remove(pin: str) -> None:
        start = await shell.work.remove_person(person.id, pin, name=name, reasons=reasons)
        back()
        if person.mine:
            shell.unlocked(start)
        else:
            shell.say(_("{name} is removed from this tablet.").format(name=person.name))

    parts: list[ft.Control] = [heading(person.name)]
    if person.begun:
        parts.append(line(theme.BAD.icon, _("Begun and not signed: {count}. It is destroyed, and nobody can ever read "
                                            "it again.").format(count=person.begun), ink=theme.BAD.ink))
    if person.unsent:
        parts.append(line(theme.WARN.icon, _("Signed and not yet safe at the office: {count}. It stays here and is "
                                             "sent by itself.").format(count=person.unsent), ink=theme.WARN.ink))
    if not person.loses:
        parts.append(line(theme.GOOD.icon, person.words, ink=theme.GOOD.ink))
    parts.append(text(_("The key of this person on this tablet is destroyed. This cannot be taken back.")))
    if person.loses:
        parts += [
            TextLine(name, keep_name, _("Type the name: {name}").format(name=person.name), "remove-name", key="name"),
            TextLine(reasons, keep_reasons, _("Why this person is removed"), "remove-reasons", lines=2, key="reasons"),
        ]
    ready = not person.loses or bool(name.strip() and reasons.strip())
    parts += [
        ft.Row([PinPad(shell, _("Your PIN confirms it"), _("Remove"), remove, wait=wait, disabled=not ready,
                       act="remove-person", key="remove-pad")], alignment=ft.MainAxisAlignment.CENTER),
        action(_("No, go back"), lambda _e: back(), id="remove-back", kind="quiet", icon=ft.Icons.ARROW_BACK),
    ]
    return panel(parts, id="remove-panel")
