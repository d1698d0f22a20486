"""Settings: how the app looks, who is signed in, what may use network and space, and what the office asks on the phone.

Each part is a function that gives panels, in the order of `SettingsScreen`; a room that has something to set adds one.
"""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.answers import choices_grid
from field_app.ui.components.buttons import action
from field_app.ui.components.frame import frame, safe_screen
from field_app.ui.components.install import install_part
from field_app.ui.components.layout import fact, heading, line, panel, text
from field_app.ui.guard import safe_component
from field_app.ui.screens.look import look_part
from field_app.ui.screens.outbox import photos_on_the_network
from field_app.ui.words import _
from field_app.work.views import Choice, SettingsView
from field_app.work.views.tablet import RoomView


@safe_screen
def SettingsScreen(shell: Any, beat: int) -> ft.Control:
    """Draws `SettingsView` and the parts around it."""
    view: SettingsView = shell.work.settings()
    width = min(shell.width - 20, theme.READABLE) - 2 * theme.EDGE
    return frame(shell, _("Settings"), [
        *_update(shell),
        panel(look_part(shell, width), id="look-part"),
        *_person(shell, view),
        *_lock(shell, view, width),
        *_network(shell),
        *install_part(shell),
        *_storage(shell),
        *_space(shell, width),
        *_about(shell, view),
        Advanced(shell, width, key="advanced"),
        ft.Container(height=24),
    ])


def _update(shell: Any) -> list[ft.Control]:
    """A newer version that waits, and whether the app starts without a network."""

    async def update(_e: ft.Event) -> None:
        async def act() -> None:
            if not await shell.hardware.updates.apply():
                shell.say(_("Finish or discard open drafts first."))
        await shell.attempt(act, once="update")

    parts: list[ft.Control] = []
    if shell.hardware.updates.waiting:
        parts.append(panel([
            heading(_("A new version is ready")),
            text(_("It starts with the next tap here, when no inspection or order is open.")),
            action(_("Start the new version"), update, id="apply-update", icon=ft.Icons.SYSTEM_UPDATE,
                   disabled=shell.work.has_open_draft() or shell.busy("update")),
        ], ground=theme.WAIT.ground, edge=theme.WAIT.solid))
    offline = shell.hardware.updates.offline_ready
    if offline is not None:
        tone = theme.GOOD if offline else theme.WARN
        parts.append(panel([line(tone.icon, _("The app starts without a network.") if offline else
                                 _("The app is not yet ready to start without a network: leave it open a moment."),
                                 ink=tone.ink)], ground=tone.ground, edge=tone.solid))
    return parts


def _person(shell: Any, view: SettingsView) -> list[ft.Control]:
    """Who is signed in, what that person may do, the PIN."""
    if not view.user:
        return []
    return [panel([
        heading(_("Signed in")), text(view.user, bold=True, size=theme.KEY - 2),
        *[line(ft.Icons.CHECK, power) for power in view.powers],
        action(_("Change my PIN") if view.has_pin else _("Set my PIN"), lambda e: shell.go("change_pin"),
               id="change-pin", icon=ft.Icons.PIN, kind="secondary"),
    ]), panel([heading(_("Encryption")),
               *[text(sentence, size=theme.BODY) for sentence in shell.work.protection()]], id="protection")]


def _lock(shell: Any, view: SettingsView, width: float) -> list[ft.Control]:
    """After how long the tablet locks itself, and who may unlock it."""
    if not view.has_pin:
        return []
    idle = shell.work.idle()

    async def choose(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_idle(int(value)), once="idle")

    return [panel([
        heading(_("Lock by itself")),
        choices_grid(idle.choices, idle.value, choose, id="idle", width=width),
        text(idle.words, soft=True, size=theme.SMALL),
        action(_("People on this tablet"), lambda e: shell.go("people_here"), id="open-people-here",
               icon=ft.Icons.PEOPLE, kind="secondary"),
    ], id="lock-part")]


def _network(shell: Any) -> list[ft.Control]:
    """Whether photos wait for a network that costs nothing: the switch of the outbox."""
    return photos_on_the_network(shell, shell.work.outbox(1).photos, heading(_("Network")))


def _storage(shell: Any) -> list[ft.Control]:
    """How much room is left, and whether what is kept here is promised to stay."""
    view: RoomView = shell.work.room()

    async def ask(_e: ft.Event) -> None:
        await shell.attempt(shell.work.ask_to_keep_storage, once="keep")

    parts: list[ft.Control] = [heading(_("Storage")), line(ft.Icons.SD_CARD, view.words)]
    if view.refusal:
        parts.append(line(theme.BAD.icon, view.refusal, ink=theme.BAD.ink))
    if view.kept_words:
        tone = theme.WARN if view.kept is False else theme.GOOD
        parts.append(line(tone.icon, view.kept_words, ink=tone.ink))
    if view.kept is False:
        parts.append(action(_("Ask the browser again"), ask, id="keep-storage", icon=ft.Icons.REFRESH, kind="secondary",
                            disabled=shell.busy("keep")))
    tone = theme.BAD if view.level == "full" else theme.WARN if view.level == "low" or view.kept is False else None
    return [panel(parts, id="storage", ground=tone.ground if tone else "", edge=tone.solid if tone else "")]


def _space(shell: Any, width: float) -> list[ft.Control]:
    """How much of the tablet plans and small pictures may take. Evidence is never counted there and never cleared."""
    space = shell.work.file_space()

    async def choose(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_file_space(int(value)), once="space")

    choices = tuple(Choice(str(n), _("{n} MB").format(n=n)) for n in space.choices_mb)
    return [panel([
        heading(_("Plans and pictures from the office")),
        choices_grid(choices, str(space.budget_mb), choose, id="space", width=width),
        text(space.words, id="space-words"),
        text(_("When more is needed, files not looked at for longest go first; they can be fetched again. "
               "What you record and photograph is never cleared for this."), soft=True, size=theme.SMALL),
    ])]


def _about(shell: Any, view: SettingsView) -> list[ft.Control]:
    """What a support call asks for."""
    return [panel([heading(_("This tablet"))]
                  + [fact(label, value, id=f"about-{n}") for n, (label, value) in enumerate(view.facts)]
                  + [fact(_("Version"), view.version, id="about-version"),
                     action(_("Report for the office"), lambda e: shell.go("diagnosis"), id="open-diagnosis",
                            icon=ft.Icons.TROUBLESHOOT, kind="secondary")], id="about")]


@safe_component
def Advanced(shell: Any, width: float) -> ft.Control:
    """What is seldom needed: folded up."""
    opened, unfold = ft.use_state(False)
    if not opened:
        return ft.Row(wrap=True, controls=[
            action(_("More, seldom needed"), lambda e: unfold(True), id="advanced", kind="quiet",
                              icon=ft.Icons.EXPAND_MORE)])
    view = shell.work.tries()

    async def choose(value: str) -> None:
        await shell.attempt(lambda: shell.work.set_tries(int(value)), once="tries")

    return panel([
        heading(_("Tries before an item is set aside")),
        choices_grid(view.choices, view.value, choose, id="tries", width=width),
        text(view.words, soft=True, size=theme.SMALL),
        ft.Row(wrap=True, controls=[action(_("Show less"), lambda e: unfold(False), id="advanced-close", kind="quiet",
                       icon=ft.Icons.EXPAND_LESS)]),
    ], id="advanced-part")
