"""How much room is left for us, and whether the system promised not to clear it: the disk natively, the browser's word
in the web app. An answer that does not come is None, never a guess.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from field_app.hardware.ports import StorageState

if TYPE_CHECKING:
    from field_app.hardware.page_port import PagePort


class DiskStorage:
    """The storage port of a native process: a folder of the app's own, which no system clears by itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def look(self) -> StorageState:
        """What is free on the disk that the folder lies on."""
        try:
            usage = await asyncio.to_thread(shutil.disk_usage, self._folder)
        except OSError:
            return StorageState()
        return StorageState(free=usage.free)

    async def ask_to_keep(self) -> bool | None:
        """There is nobody to ask."""
        return None


class PageStorage:
    """The storage port in the browser: how much an origin may take is the browser's to say, and it may change."""

    def __init__(self, port: PagePort) -> None:
        self._port = port

    async def look(self) -> StorageState:
        """What the browser still gives us, what we take, and whether it promised to keep it."""
        return await self._told("storage", wait=10.0)

    async def ask_to_keep(self) -> bool | None:
        """Only the page may ask; some browsers ask the person in turn."""
        return (await self._told("keep-storage", wait=120.0)).kept

    async def _told(self, kind: str, *, wait: float) -> StorageState:
        try:
            said = await self._port.ask(kind, wait=wait)
        except (TimeoutError, RuntimeError):
            return StorageState()
        return from_page(said)


def from_page(said: dict) -> StorageState:
    """The state in an answer of the page: ``quota`` and ``usage`` in bytes, ``persisted``; what is missing is None."""
    quota, usage, kept = said.get("quota"), said.get("usage"), said.get("persisted")
    known = isinstance(quota, (int, float)) and isinstance(usage, (int, float))
    return StorageState(
        free=max(0, int(quota - usage)) if known else None,
        used=int(usage) if known else None,
        kept=kept if isinstance(kept, bool) else None,
    )
