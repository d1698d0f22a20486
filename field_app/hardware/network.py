"""What the platform says of the network: the page's own words in the browser, Flet's connectivity service natively.

Only what is told counts: a network of which nothing is said is neither free nor metered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import flet as ft

from field_app.hardware.ports import NetworkState, Stop

if TYPE_CHECKING:
    from field_app.hardware.page_port import PagePort

FREE = {"wifi", "ethernet"}
COSTLY = {"cellular", "mobile", "bluetooth", "wimax"}


class _Heard:
    """The last state and who wants to hear of the next."""

    def __init__(self) -> None:
        self._state = NetworkState()
        self._heard: list[Callable[[NetworkState], None]] = []

    def state(self) -> NetworkState:
        """What was said last."""
        return self._state

    def listen(self, heard: Callable[[NetworkState], None]) -> Stop:
        """Be told when it changed."""
        self._heard.append(heard)
        return lambda: self._heard.remove(heard) if heard in self._heard else None

    def _set(self, state: NetworkState) -> None:
        if state != self._state:
            self._state = state
            for heard in list(self._heard):
                heard(state)


def from_page(said: dict[str, Any]) -> NetworkState:
    """The state in a message of the page: ``online``, ``type`` (empty where the browser keeps it) and ``saveData``."""
    kind = str(said.get("type") or "")
    metered = True if said.get("saveData") or kind in COSTLY else False if kind in FREE else None
    return NetworkState(bool(said.get("online", True)), metered, kind)


def from_kinds(kinds: list[str]) -> NetworkState:
    """The state in Flet's list of connectivity types. With Wi-Fi beside mobile data the system uses Wi-Fi."""
    named = set(kinds)
    metered = False if named & FREE else True if named & COSTLY else None
    return NetworkState(None if not named else named != {"none"}, metered, " ".join(sorted(named)))


class PageNetwork(_Heard):
    """The network port on the page beside the worker."""

    def __init__(self, port: PagePort) -> None:
        super().__init__()
        self._port = port
        port.listen("network", lambda message: self._set(from_page(message)))

    async def begin(self) -> None:
        """Ask once how things are; the page tells what changes."""
        with suppress(TimeoutError, RuntimeError):
            self._set(from_page(await self._port.ask("network")))


class FletNetwork(_Heard):
    """The network port on Flet's connectivity service. In server mode that is the network of the screen, not ours."""

    def __init__(self, page: ft.Page) -> None:
        super().__init__()
        if page.web:
            return
        self._service = ft.Connectivity(on_change=lambda e: self._set(from_kinds([k.value for k in e.connectivity])))
        page.run_task(self._ask)

    async def _ask(self) -> None:
        with suppress(Exception):  # a desktop may have no such service: then nothing is said, ever
            kinds = await asyncio.wait_for(self._service.get_connectivity(), 10)
            self._set(from_kinds([kind.value for kind in kinds]))
