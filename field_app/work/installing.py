"""Putting the web app on the home screen: why, and how on this device. Said once, and for good in the settings.

On an iPad the app on the home screen has a storage of its own: a code entered in the browser does not come along, so
there it is said before the code is entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.work.views.tablet import InstallView, WarningView

if TYPE_CHECKING:
    from field_app.work.desk import Desk

READ = "install_read"


async def look(desk: Desk) -> None:
    """Ask the device how it stands; the screens hear of it."""
    port = desk.hardware.install
    if port is None:
        return
    before, desk.install = desk.install, await port.look()
    if desk.install != before:
        desk.changed()


async def install(desk: Desk) -> None:
    """Let the browser ask the person, then look again."""
    if desk.hardware.install is not None:
        await desk.hardware.install.install()
        await look(desk)


def view(desk: Desk) -> InstallView | None:
    """The hint; None where there is nothing to install or it is done."""
    _, state = desk.words, desk.install
    if state is None or state.installed:
        return None
    steps = {
        "ios": (_("Tap Safari's share icon: a square with an arrow upwards."),
                _("Choose \"Add to Home Screen\", then \"Add\"."),
                _("Open Siltwatch from the home screen from now on.")),
        "android": (_("Open the browser's menu: three dots."),
                    _("Choose \"Install app\" or \"Add to Home screen\"."),
                    _("Open Siltwatch from the home screen from now on.")),
        "desktop": (_("Open the browser's menu, or tap the install icon in its address line."),
                    _("Choose \"Install Siltwatch\" or \"Install app\"."),
                    _("Open Siltwatch from its own icon from now on.")),
    }[state.way]
    enrolled = desk.store.table("secrets").get("tablet") is not None
    first = ""
    if state.way == "ios":
        first = _("On an iPad first put the app on the home screen, then enter the code there: what is entered here in "
                  "Safari does not come along.")
        if enrolled:
            first = _("On an iPad the app on the home screen begins empty: send everything first, then ask the office "
                      "for a new code and enter it there.")
    return InstallView(
        why=_("On the home screen the app fills the whole screen, and the browser keeps what is stored."),
        steps=steps, first=first, offers=state.offers,
    )


async def note_read(desk: Desk) -> None:
    """The hint was read; it stays in the settings."""
    async with desk.store.change() as tx:
        tx.put("settings", READ, {"value": True})


def warnings(desk: Desk) -> list[WarningView]:
    """The hint as a line below the status bar, until it was read. Where the browser makes no promise to keep what is
    stored, that says it already."""
    _ = desk.words
    if view(desk) is None or desk.room.kept is False or desk.store.table("settings").get(READ) is not None:
        return []
    return [WarningView("install", "hint", _("Put the app on the home screen."),
                        _("How that is done here stands in the settings."))]
