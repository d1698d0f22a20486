"""A tablet and its city on simulated time: both clocks go with the loop, which jumps to whatever is due next.

While a call is inside the server's own application, which has threads of its own, the clock stands.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import httpx

from sync.client.calls import Request
from tests.support.field_desk import Bench, FieldClock, Network, bench
from tests.support.virtual_time import VirtualLoop


class LoopClock(FieldClock):
    """The tablet's and the office's clock."""

    def __init__(self, at: str) -> None:
        super().__init__(at)
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()

    def now(self) -> datetime:
        passed = self._loop.time() - self._began if hasattr(self, "_loop") else 0
        return super().now() + timedelta(seconds=passed)


class StandingNetwork(Network):
    """Keeps when each call began (ms of the tablet's clock), and lets no time pass while the server works."""

    clock: FieldClock

    def __init__(self, city, clock: FieldClock) -> None:
        super().__init__(city)
        self.clock, self.began, self.under_way, self.most = clock, [], 0, 0

    async def send(self, target, request: Request, body=None, progress=None):
        self.began.append((self.clock.monotonic_ms(), request.purpose))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            return await super().send(target, request, body, progress)
        finally:
            self.under_way -= 1

    async def _ask(self, request: Request, headers: dict[str, str], content: bytes | None) -> httpx.Response:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        with loop.busy():
            return await super()._ask(request, headers, content)


def virtual_bench(folder: Path, at: str = "2026-08-27T14:00:00-05:00") -> Bench:
    """As `bench`, on the loop that runs (`virtual_time.run`)."""
    clock = LoopClock(at)
    found = bench(folder, clock=clock)
    found.network = StandingNetwork(found.city, clock)
    return found
