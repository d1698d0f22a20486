"""The shutter that answers at once and keeps shooting: what was asked for, taken and kept, one photo after the other.

A press only counts; taking, hashing and keeping run behind it, strictly one photo at a time, so that never more than
one is in the memory of Python. `saved` counts what `keep` returned for, which is durable; nothing else is ever shown
as saved. How many may wait is bounded. A failure stops the burst: what was not taken by then is given up and said.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

MOST_WAITING = 8
REMEMBERED = 50


@dataclass(slots=True)
class Shot:
    """When (monotonic milliseconds) a photo was asked for, in hand, and durable; None: not yet, or never."""

    asked_ms: int
    taken_ms: int | None = None
    saved_ms: int | None = None


class Burst:
    """`take()` gives one picture, `keep(data)` makes it durable; `changed` is told of every step, `failed` of what
    stopped it and how many photos were given up."""

    def __init__(
        self,
        take: Callable[[], Awaitable[bytes]],
        keep: Callable[[bytes], Awaitable[Any]],
        *,
        now_ms: Callable[[], int],
        changed: Callable[[], None],
        failed: Callable[[Exception, int], None],
        most: int = MOST_WAITING,
    ) -> None:
        self._take, self._keep, self._now_ms = take, keep, now_ms
        self._changed, self._failed, self._most = changed, failed, most
        self._waiting: deque[Shot] = deque()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self.asked = self.taken = self.saved = self.presses = 0
        self.shots: deque[Shot] = deque(maxlen=REMEMBERED)
        """The last shots, for whoever measures."""

    @property
    def busy(self) -> bool:
        """Something is asked for and not durable yet."""
        return bool(self._waiting)

    @property
    def full(self) -> bool:
        return len(self._waiting) >= self._most

    def press(self) -> bool:
        """Ask for one more photo; False when too many wait already."""
        if self.full or self._closed:
            return False
        shot = Shot(self._now_ms())
        self._waiting.append(shot)
        self.shots.append(shot)
        self.asked += 1
        self.presses += 1
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())
        return True

    async def drain(self) -> None:
        """Wait until everything that was asked for is durable, or given up."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    async def close(self) -> None:
        """No more presses; what is in hand is still kept, what was not taken yet is given up and said."""
        self._closed = True
        await self.drain()

    async def _run(self) -> None:
        while self._waiting:
            shot = self._waiting[0]
            try:
                if self._closed and shot.taken_ms is None:
                    raise Closed("the camera was closed")
                data = await self._take()
                shot.taken_ms = self._now_ms()
                self.taken += 1
                self._changed()
                await self._keep(data)
                del data
            except Exception as failure:
                given_up = len(self._waiting)
                self._waiting.clear()
                self.asked = self.saved
                self._failed(failure, given_up)
                self._changed()
                return
            shot.saved_ms = self._now_ms()
            self._waiting.popleft()
            self.saved += 1
            self._changed()


class Closed(Exception):
    """The camera was closed with photos still asked for."""
