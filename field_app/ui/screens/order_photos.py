"""Photos of a placard that is up. Each is a record of its own: the posting was signed before."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui.components.buttons import action
from field_app.ui.components.capture import Capture
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import panel, panel_width, text
from field_app.ui.components.pin import PinPad
from field_app.ui.words import _
from field_app.work.views import Choice
from sync.records.problems import Problem


@safe_screen
def OrderPhotosScreen(shell: Any, beat: int, number: str) -> ft.Control:
    """The camera for the placard of one order."""
    count, set_count = ft.use_state(0)
    # A picture that waits for the PIN: the one that signed the posting holds for a while, then it is asked again.
    held, hold = ft.use_state(None)

    async def keep(data: bytes, source: str, wanted: str, name: str | None, pin: str | None = None) -> None:
        try:
            await shell.work.add_order_photo(number, data, source=source, view=wanted, name=name, pin=pin)
        except Problem as refused:
            if refused.code != "pin-needed":
                raise
            hold((data, source, wanted, name))
            return
        hold(None)
        set_count(lambda n: n + 1)

    async def keep_held(pin: str) -> None:
        await keep(*held, pin)

    if held is not None:
        return frame(shell, _("Photo of the placard"), [panel([
            text(_("The photo is taken. Your PIN signs it.")),
            ft.Row([PinPad(shell, _("Your PIN signs this photo"), _("Sign"), keep_held, act="sign-photo",
                           key="photo-pad")], alignment=ft.MainAxisAlignment.CENTER)])], subtitle=number)
    views = (Choice("wide", _("Wide view")), Choice("close", _("Close view")))
    return frame(shell, _("Photo of the placard"), [
        panel([text(_("One from afar that shows where it is up, one from near that can be read.")),
               Capture(shell, keep, views, "wide" if count == 0 else "close", panel_width(shell), count, 1,
                       key="capture")]),
        ft.Container(height=24),
    ], subtitle=number, bottom=[
        action(_("Done"), lambda e: shell.back(), id="camera-done", icon=ft.Icons.CHECK, kind="good", expand=True),
    ])
