"""Where photos were taken, asked for behind the shutter: one question at a time, for all photos that wait for it.

A position that is at most `FRESH_MS` old stands in the record at once, with the time at which it was fixed, so that its
age is known; else the photo waits with the reason why it has none, which stands if none comes. No position is ever
made up, and one that comes is never older than the photo by more than that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from field_app.work import clocks

if TYPE_CHECKING:
    from field_app.work.desk import Desk

FRESH_MS = 10_000
log = logging.getLogger(__name__)

Place = Callable[[Any], Awaitable[None]]


class Locating:
    """One per tablet. `last` is the last fix and when (monotonic milliseconds) it came."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._waiting: list[Place] = []
        self._task: asyncio.Task[None] | None = None
        self._placing = False
        self.last: tuple[Any, int] | None = None
        self.awaited: set[str] = set()
        """Photos, by SHA-256, that are not to be signed or printed on before the position came, or the reason."""

    def note(self, fix: Any) -> None:
        """What the position port gave."""
        clocks.fixed(self._desk, fix)
        if getattr(fix, "reason", None) is None:
            self.last = (fix, self._desk.hardware.clock.monotonic_ms())

    def age_s(self) -> int | None:
        """How old the last position is; None: there was none."""
        if self.last is None:
            return None
        return max(0, self._desk.hardware.clock.monotonic_ms() - self.last[1]) // 1000

    def fresh(self) -> Any | None:
        """The last fix while it is fresh."""
        if self.last is None or self._desk.hardware.clock.monotonic_ms() - self.last[1] > FRESH_MS:
            return None
        return self.last[0]

    def ask(self, place: Place | None = None) -> None:
        """Ask for a position; `place` gets the fix, or the reason why there is none."""
        if place is not None:
            self._waiting.append(place)
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())

    async def soon(self, seconds: float) -> Any | None:
        """A fresh position, or what comes within so many seconds, be it the reason why there is none; else None."""
        if (fresh := self.fresh()) is not None:
            return fresh
        came: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def place(fix: Any) -> None:
            if not came.done():
                came.set_result(fix)

        self.ask(place)
        await asyncio.wait({came}, timeout=seconds)
        return came.result() if came.done() else None

    async def settled(self) -> None:
        """Until nobody waits for a position any more."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    def stop(self) -> asyncio.Task[None] | None:
        """The app closes: who waits keeps the reason why there is no position. Gives what is still ending."""
        self._waiting.clear()
        self.awaited.clear()
        task, self._task = self._task, None
        if task is not None and not self._placing:  # what is being written is written to its end
            task.cancel()
        return task

    async def _run(self) -> None:
        while True:
            fix = await self._desk.hardware.position.fix()
            self.note(fix)
            waiting, self._waiting = self._waiting, []
            self._placing = True
            for place in waiting:
                try:
                    await place(fix)
                except Exception:  # the draft was signed or thrown away meanwhile, or the store is closed
                    log.info("a position came too late for its photo", exc_info=True)
            self._placing = False
            if not self._waiting:
                return
