"""I forgot my PIN: choose another one, read a code out to the office, type the new PIN. Nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.files import file_button, use_file
from field_app.ui.components.layout import heading, line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.components.pin import NewPin, PinPad
from field_app.ui.guard import safe_component
from field_app.ui.words import _

LOOK_EVERY_S = 15


@safe_component
def Forgotten(shell: Any, person: str, leave: Callable[..., Any]) -> ft.Control:
    """Draws `ForgottenView` in the place of the lock's PIN pad."""
    view = shell.work.forgotten_view(person)
    saved, set_saved = ft.use_state("")

    async def ask(first: str, again: str) -> None:
        await shell.work.ask_for_pin(person, first, again)

    async def finish(pin: str) -> None:
        shell.unlocked(await shell.work.finish_forgotten(person, pin))

    async def look(_e: Any = None) -> None:
        await shell.attempt(lambda: shell.work.look_for_pin(person), once="look-for-pin")

    async def anew(_e: ft.Event) -> None:
        await shell.attempt(lambda: shell.work.give_up_asking(person), once="give-up")

    async def keep_looking() -> None:
        while view.state in ("waiting", "unsent"):
            await asyncio.sleep(LOOK_EVERY_S)
            await look()

    async def save(_e: ft.Event) -> None:
        async def act() -> None:
            set_saved(await shell.work.save_pin_question(person) or "")
        await shell.attempt(act, once="save-question")

    use_file(shell, lambda data: shell.work.take_pin_answer(person, data), "take-answer")
    ft.use_effect(keep_looking, dependencies=[view.state], cleanup=lambda: None)
    parts: list[ft.Control] = [heading(_("I forgot my PIN"))]
    if view.state == "impossible":
        parts.append(text(_("The office cannot open this tablet for you: it had no key for that when you were last "
                            "here. Keep trying your PIN. Nothing is ever erased.")))
    elif view.state == "choose":
        parts.append(text(_("Choose another PIN. The office then opens what you have begun here; none of it is lost.")))
        pad = NewPin(shell, _("Choose another PIN"), _("Ask the office"), ask, shortest=6, key="new-pin")
        parts.append(ft.Row([pad], alignment=ft.MainAxisAlignment.CENTER))
    elif view.state == "answered":
        parts.append(text(_("The office has opened it. Type the PIN that you chose.")))
        parts.append(ft.Row([PinPad(shell, _("Your new PIN"), _("Unlock"), finish, act="finish-pin", key="finish-pin")],
                            alignment=ft.MainAxisAlignment.CENTER))
        parts.append(text(_(
            "If you do not remember that one either, or it does not open: ask again, with another PIN.")))
        parts.append(action(_("Ask again"), anew, id="ask-again", icon=ft.Icons.REFRESH, kind="quiet"))
    elif view.state in ("waiting", "unsent"):
        parts += [
            text(_("Call the office and read out this code:") if not view.phone else
                 _("Call the office, {phone}, and read out this code:").format(phone=view.phone)),
            marked("forgotten-code", content=ft.Text(view.code, size=theme.KEY + 10, weight=ft.FontWeight.BOLD,
                                                     color=theme.INK, font_family="monospace",
                                                     text_align=ft.TextAlign.CENTER)),
            *call_part(view.phone),
            text(_("Your question has not reached the office yet. Connect the tablet to a network.")
                 if view.state == "unsent" else _("Your question is at the office. The answer comes here by itself.")),
            action(_("Look now"), look, id="look-for-pin", icon=ft.Icons.REFRESH, disabled=shell.busy("look-for-pin")),
            heading(_("When no network helps"), 3),
            text(_("Save the question to a file and bring it to the office, then take in the file it gives back.")),
            action(_("Save the question to a file"), save, id="save-question", icon=ft.Icons.SAVE_ALT,
                   kind="secondary"),
            *([line(ft.Icons.CHECK, _("Saved to {name}").format(name=saved))] if saved else []),
            *file_button(shell, _("Take in the office's answer"), id="take-answer"),
        ]
    else:
        parts.append(text(_("The office did not open it. Call them, then ask again.")))
        parts += call_part(view.phone)
        parts.append(action(_("Ask again"), anew, id="ask-again", icon=ft.Icons.REFRESH))
    parts.append(action(_("Back to the PIN"), leave, id="forgotten-back", icon=ft.Icons.ARROW_BACK, kind="quiet"))
    return panel(parts, id="forgotten-panel")


def call_part(phone: str) -> list[ft.Control]:
    """One tap calls the office, where the city gave a number and the device can call."""
    if not phone:
        return []
    number = "".join(sign for sign in phone if sign in "+0123456789")
    return [action(_("Call {phone}").format(phone=phone), None, id="call-office", icon=ft.Icons.CALL, kind="secondary",
                   client=ft.OpenUrl(f"tel:{number}"))]
