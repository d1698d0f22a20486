"""The report about the tablet: read here, then sent to the office or saved to a file. Nothing goes out unread."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import line, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.words import _
from field_app.work.views.tablet import DiagnosisView


@safe_screen
def DiagnosisScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `DiagnosisView`. What is read is what is sent: the report is made once, when the screen opens."""
    kept = ft.use_ref(lambda: shell.work.diagnosis())
    read: DiagnosisView = kept.current
    now: DiagnosisView = shell.work.diagnosis()

    async def send(_e: ft.Event) -> None:
        async def act() -> None:
            await shell.work.send_diagnosis(read.text)
            shell.say(_("The report is with the office."))
        await shell.attempt(act, once="diagnosis")

    async def save(_e: ft.Event) -> None:
        async def act() -> None:
            name = await shell.work.save_diagnosis(read.text)
            shell.say(_("Saved to {name}").format(name=name) if name else _("Nothing was saved"))
        await shell.attempt(act, once="diagnosis-save")

    said: list[ft.Control] = [
        text(_("This is all that is sent: versions, counts, states, error codes, clocks, room, and the last lines of "
               "the app's log. No names, no answers, no photos.")),
    ]
    if now.sent:
        said.append(line(ft.Icons.CHECK_CIRCLE, _("Last sent: {moment}").format(moment=now.sent), ink=theme.GOOD.ink))
    if not now.can_send:
        said.append(line(ft.Icons.CLOUD_OFF, _("There is no connection now: save it to a file, or send it later."),
                         ink=theme.WARN.ink))
    return frame(shell, _("Report for the office"), [
        panel(said),
        panel([marked("diagnosis-text", content=ft.Text(read.text, size=theme.SMALL, color=theme.INK,
                                                        selectable=True))]),
        ft.Container(height=24),
    ], bottom=[
        action(_("Send it"), send, id="diagnosis-send", icon=ft.Icons.SEND, expand=True,
               disabled=not now.can_send or shell.busy("diagnosis")),
        action(_("Save to a file"), save, id="diagnosis-save", icon=ft.Icons.SAVE_ALT, kind="secondary", expand=True,
               disabled=shell.busy("diagnosis-save")),
    ])
