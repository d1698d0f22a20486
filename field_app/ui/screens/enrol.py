"""Make this tablet the city's: one code from the office, typed or carried by the enrollment link."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.fields import TextLine
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.install import install_part
from field_app.ui.components.layout import fact, heading, panel, panel_width, text
from field_app.ui.components.scanner import OfficeCode
from field_app.ui.words import _


@safe_screen
def EnrolScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `EnrolView`."""
    view = shell.work.enrol_view()
    code: str = shell.memory.setdefault("enrol-code", view.code)  # outlives a look at the settings

    async def keep(value: str) -> None:
        shell.memory["enrol-code"] = value
        shell.redraw()

    async def act() -> None:
        await shell.work.enrol(shell.memory["enrol-code"])
        shell.enter("sign_in")

    async def enrol() -> None:
        await shell.attempt(act, once="enrol")

    async def tapped(_e: ft.Event) -> None:
        await enrol()

    async def scan(picture: bytes) -> None:
        await keep(await shell.work.scan_enrol_code(picture))
        await act()

    running = shell.busy("enrol")
    hint = shell.work.install_hint()
    on_an_ipad = hint is not None and bool(hint.first)  # there the code must be entered on the home screen
    return frame(
        shell, _("Set up this tablet"),
        [
            *(install_part(shell) if on_an_ipad else []),
            panel([
                heading(_("One code from the office")),
                *[ft.Row([ft.Text(f"{n}.", size=theme.BODY, weight=ft.FontWeight.BOLD),
                          ft.Text(step, size=theme.BODY, expand=True)],
                         vertical_alignment=ft.CrossAxisAlignment.START, spacing=10)
                  for n, step in enumerate(view.steps, start=1)],
            ]),
            panel([
                OfficeCode(shell, scan, _("The office shows it beside the code, under Tablets."), panel_width(shell),
                           key="office-code"),
                TextLine(code, keep, _("Enrollment code"), "enrol-code", capitals=True, submit=enrol,
                         hint=_("as the office shows it")),
                action(_("Setting up ...") if running else _("Set up this tablet"), tapped, id="enrol",
                       icon=ft.Icons.LINK, disabled=running or not code.strip()),
                text(_("This needs the network once. If the answer is lost, tap again: the code is not used up."),
                     soft=True, size=theme.SMALL),
            ]),
            *(install_part(shell) if not on_an_ipad else []),
            panel([fact(_("Central server"), view.server, id="enrol-server")]),
        ],
        home=True,
    )
