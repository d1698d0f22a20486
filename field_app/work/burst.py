"""The shutter that answers at once and keeps shooting: what was asked for, taken and kept, one photo after the other.

A press only counts and asks the camera; hashing and keeping run behind it, strictly one photo at a time, so that never
more than one is in the memory of Python where the platform holds the others (a browser does). `saved` counts what
`keep` returned for, which is durable; nothing else is ever shown as saved. How many may wait is bounded. A failure
stops the burst: what was not saved by then is given up and said.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

MOST_WAITING = 8
AHEAD = 3
"""So many pictures may be taken and not kept yet where they lie in the memory of the process."""
REMEMBERED = 50


@dataclass(slots=True)
class Shot:
    """When (monotonic milliseconds) a photo was asked for, taken, and durable; None: not yet, or never."""

    asked_ms: int
    taken_ms: int | None = None
    saved_ms: int | None = None
    picture: Any = None


class Burst:
    """`take()` gives the picture of that moment (`hardware.ports.Shot`), `keep(data)` makes it durable; `changed` is
    told of every step, `failed` of what stopped it and how many photos were given up. `most` presses may wait, `ahead`
    pictures be taken and not kept yet."""

    def __init__(
        self,
        take: Callable[[], Awaitable[Any]],
        keep: Callable[[bytes], Awaitable[Any]],
        *,
        now_ms: Callable[[], int],
        changed: Callable[[], None],
        failed: Callable[[Exception, int], None],
        most: int = MOST_WAITING,
        ahead: int = AHEAD,
    ) -> None:
        self._take, self._keep, self._now_ms = take, keep, now_ms
        self._changed, self._failed, self._most, self._ahead = changed, failed, most, ahead
        self._waiting: deque[Shot] = deque()
        self._task: asyncio.Task[None] | None = None
        self._moved = asyncio.Event()
        self._closed = self._ending = False
        self.asked = self.taken = self.saved = self.presses = 0
        self.resting = False
        """Nothing waits, but the last press was a moment ago: for whoever draws."""
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
        self._moved.set()
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())
        return True

    async def drain(self) -> None:
        """Wait until everything that was asked for is durable, or given up."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})

    async def close(self) -> None:
        """No more presses; what was taken is still kept, what was not taken yet is given up and said."""
        self._closed = True
        self._moved.set()
        await self.drain()

    async def _run(self) -> None:
        self._ending = False
        taker = asyncio.ensure_future(self._take_all())
        try:
            while self._waiting:
                shot = self._waiting[0]
                while shot.picture is None:
                    if taker.done():
                        taker.result()  # raises what stopped the camera
                    await self._move()
                data = await shot.picture.read()
                shot.picture = None
                await self._keep(data)
                del data
                shot.saved_ms = self._now_ms()
                self._waiting.popleft()
                self.saved += 1
                self._tell()
        except Exception as failure:
            given_up = len(self._waiting)
            self._waiting.clear()
            self.asked = self.saved
            self._failed(failure, given_up)
            self._tell()
        finally:
            self._ending = True
            self._moved.set()
            await asyncio.wait({taker})  # a picture that is being taken is never cut off: the camera would mind
            taker.exception()

    async def _take_all(self) -> None:
        """One after the other: no camera takes two at once."""
        try:
            while not self._ending:
                shot = next((one for one in self._waiting if one.taken_ms is None), None)
                in_hand = sum(one.taken_ms is not None for one in self._waiting)
                if shot is None or in_hand >= self._ahead:
                    await self._move()
                    continue
                if self._closed:
                    raise Closed("the camera was closed")
                shot.picture = await self._take()
                shot.taken_ms = self._now_ms()
                self.taken += 1
                self._tell()
        finally:
            self._moved.set()

    def _tell(self) -> None:
        self._moved.set()
        self._changed()

    async def _move(self) -> None:
        """Until something has changed; whoever waits looks again."""
        self._moved.clear()
        await self._moved.wait()


class Closed(Exception):
    """The camera was closed with photos still asked for."""
