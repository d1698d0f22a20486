"""The locked tablet: who are you, and your PIN. Works without any network."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, tap_card
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import heading, panel, text
from field_app.ui.components.pin import PinPad
from field_app.ui.screens.forgotten import Forgotten
from field_app.ui.words import _


@safe_screen
def LockScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `LockView`."""
    view = shell.work.lock_view()
    chosen, choose = ft.use_state(view.person)
    forgot, set_forgot = ft.use_state(any(one.asked and one.id == view.person for one in view.people))
    person = next((one for one in view.people if one.id == chosen), None)

    async def unlock(pin: str) -> None:
        shell.unlocked(await shell.work.unlock(person.id, pin))

    def forget(_e: ft.Event) -> None:
        shell.dismiss()
        set_forgot(True)

    def pick(ident: str | None) -> Any:
        def picked(_e: ft.Event) -> None:
            shell.dismiss()
            choose(ident)
            set_forgot(any(one.asked and one.id == ident for one in view.people))
        return picked

    async def newcomer(_e: ft.Event) -> None:
        shell.enter("sign_in")

    body: list[ft.Control] = []
    if person is not None and forgot:
        body.append(Forgotten(shell, person.id, lambda _e: set_forgot(False), key=f"forgot-{person.id}"))
    elif person is not None:
        others = len(view.people) > 1 or view.others
        body.append(panel([
            heading(person.name),
            ft.Row([PinPad(shell, _("Your PIN unlocks this tablet"), _("Unlock"), unlock, shortest=4, wait=person.wait,
                           act="unlock", key=f"unlock-{person.id}")], alignment=ft.MainAxisAlignment.CENTER),
            action(_("I forgot my PIN"), forget, id="forgot-pin", icon=ft.Icons.HELP,
                   kind="quiet"),
            *([action(_("Somebody else"), pick(None), id="lock-other", icon=ft.Icons.PEOPLE, kind="quiet")]
              if others else []),
        ], id="lock-panel"))
    else:
        body.append(heading(_("Who are you?")))
        body += [
            tap_card(
                ft.Row([
                    ft.Icon(ft.Icons.LOCK, size=40, color=theme.BRAND),
                    ft.Text(one.name, size=theme.KEY, weight=ft.FontWeight.BOLD, expand=True),
                    ft.Icon(ft.Icons.CHEVRON_RIGHT, size=32, color=theme.INK_SOFT),
                ], spacing=14),
                pick(one.id), id=f"lock-person-{one.id}",
            )
            for one in view.people
        ]
        if view.others:
            body.append(action(_("First time on this tablet"), newcomer, id="lock-newcomer", icon=ft.Icons.PERSON_ADD,
                               kind="secondary"))
        else:
            body.append(text(_("A new person can sign in once somebody has unlocked the tablet.")))
    body.append(text(_("What is on this tablet is encrypted. What is signed is kept, and goes to the office by itself "
                       "once somebody has unlocked it.")))
    # Each step begins at its top, where what is to be read out stands.
    step = shell.work.forgotten_view(person.id).state if person is not None and forgot else ""
    return frame(shell, _("This tablet is locked"), body, home=True, part=f"{chosen}-{step}")
