"""Whether the web app is on the home screen, how this device puts it there, and doing it where the browser lets us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.hardware.ports import InstallState

if TYPE_CHECKING:
    from field_app.hardware.page_port import PagePort

WAYS = ("ios", "android", "desktop")


class PageInstall:
    """The install port on the page beside the worker."""

    def __init__(self, port: PagePort) -> None:
        self._port = port

    async def look(self) -> InstallState | None:
        """How it stands; None when the page does not answer."""
        try:
            return from_page(await self._port.ask("install-state"))
        except (TimeoutError, RuntimeError):
            return None

    async def install(self) -> bool:
        """Let the browser ask the person. False: it was declined, or the browser has no such question."""
        try:
            return bool((await self._port.ask("install", wait=120.0)).get("installed"))
        except (TimeoutError, RuntimeError):
            return False


def from_page(said: dict) -> InstallState:
    """The state in an answer of the page. A way we do not know is that of a desktop browser: a menu that has it."""
    way = said.get("way")
    return InstallState(bool(said.get("installed")), way if way in WAYS else "desktop", bool(said.get("offers")))
