"""About this tablet: its code, its version, its storage, the language, and what the office asks on the phone."""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.layout import fact, heading, line, panel, text
from field_app.ui.words import _
from field_app.work.views import SettingsView


def kept_words(persisted: bool | str | None) -> str:
    """Whether the storage is promised to last; None: a folder of the app's own, "asked": no answer yet."""
    if persisted == "asked":
        return "..."
    if persisted is None:
        return _("Kept in the app's own folder.")
    if persisted:
        return _("The browser promised to keep it.")
    return _("The browser made no promise to keep it: install the app on the home screen.")


@safe_screen
def SettingsScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `SettingsView`."""
    view: SettingsView = shell.work.settings()
    persisted, set_persisted = ft.use_state("asked")

    async def ask() -> None:
        set_persisted(await shell.hardware.storage_persisted())

    ft.use_effect(ask, dependencies=[], cleanup=lambda: None)

    async def language(value: str) -> None:
        async def act() -> None:
            await shell.work.set_language(value)
            shell.speak()
        await shell.attempt(act)

    async def update(_e: ft.Event) -> None:
        async def act() -> None:
            if not await shell.hardware.updates.apply():
                shell.say(_("Finish or discard open drafts first."))
        await shell.attempt(act, once="update")

    width = min(shell.width - 20, theme.READABLE) - 2 * theme.EDGE
    body: list[ft.Control] = []
    if shell.hardware.updates.waiting:
        body.append(panel([
            heading(_("A new version is ready")),
            text(_("It starts with the next tap here, when no inspection or order is open.")),
            action(_("Start the new version"), update, id="apply-update", icon=ft.Icons.SYSTEM_UPDATE,
                   disabled=shell.work.has_open_draft() or shell.busy("update")),
        ], ground=theme.WAIT.ground, edge=theme.WAIT.solid))
    body.append(panel([heading(_("This tablet"))]
                      + [fact(label, value, id=f"about-{n}") for n, (label, value) in enumerate(view.facts)]
                      + [fact(_("Version"), view.version, id="about-version"),
                         fact(_("Storage"), kept_words(persisted), id="about-storage")], id="about"))
    offline = shell.hardware.updates.offline_ready
    if offline is not None:
        tone = theme.GOOD if offline else theme.WARN
        body.append(panel([line(tone.icon, _("The app starts without a network.") if offline else
                                _("The app is not yet ready to start without a network: leave it open a moment."),
                                ink=tone.ink)], ground=tone.ground, edge=tone.solid))
    if view.user:
        body.append(panel([
            heading(_("Signed in")), text(view.user, bold=True, size=theme.KEY - 2),
            *[line(ft.Icons.CHECK, power) for power in view.powers],
            action(_("Change my PIN") if view.has_pin else _("Set my PIN"), lambda e: shell.go("change_pin"),
                   id="change-pin", icon=ft.Icons.PIN, kind="secondary"),
        ]))
    body.append(panel([heading(_("Language")),
                       choices_grid(view.languages, view.language, language, id="language", width=width)]))
    body.append(ft.Container(height=24))
    return frame(shell, _("About this tablet"), body)
