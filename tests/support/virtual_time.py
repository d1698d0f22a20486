"""A running loop on simulated time: nothing sleeps, and whatever is due next is due now.

`run(job)` gives the coroutine a loop whose clock jumps to the next timer as soon as nothing else can go on. Work in
threads is waited for in real time, and while `busy()` is open (a call into an application that has threads of its own)
the clock stands. So back-off and "next try at" are asserted to the millisecond through the real driver.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Virtual(asyncio.BaseEventLoop):
    """See the module. Time begins at 1000 s, so that "0" is never taken for "now"."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 1000.0
        self._out = 0

    def time(self) -> float:
        return self._now

    @contextmanager
    def busy(self) -> Iterator[None]:
        """The clock stands while this is open."""
        self._out += 1
        try:
            yield
        finally:
            self._out -= 1

    def _run_once(self) -> None:
        if not self._ready and self._scheduled and not self._out:
            first = min((timer for timer in self._scheduled if not timer.cancelled()), key=lambda t: t.when(),
                        default=None)
            if first is not None:
                self._now = max(self._now, first.when())
        super()._run_once()


class _Nothing:
    """A selector with nothing to select from."""

    def select(self, timeout: float | None) -> list[Any]:
        assert timeout is not None, "everything waits for something that never comes"
        return []


class PureLoop(_Virtual):
    """Timers, tasks and futures alone: runs wherever Python does, in the browser's too."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _Nothing()

    def _process_events(self, events: list[Any]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


class VirtualLoop(_Virtual, asyncio.SelectorEventLoop):
    """With threads and sockets."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        future = super().run_in_executor(executor, func, *args)
        self._out += 1
        future.add_done_callback(lambda _: self._back())
        return future

    def _back(self) -> None:
        self._out -= 1


class VirtualClock:
    """The driver's clock on the loop that runs."""

    def monotonic_ms(self) -> int:
        return round(asyncio.get_running_loop().time() * 1000)


def run(job: Callable[[], Awaitable[Any]], *, threads: bool = False) -> Any:
    """Runs ``job()`` on simulated time; gives what it gives. ``threads``: the job needs threads or sockets."""
    outer = asyncio._get_running_loop()  # Pyodide's own, which cannot be waited for
    asyncio._set_running_loop(None)
    loop = (VirtualLoop if threads else PureLoop)()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(job())
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        if threads:
            loop.run_until_complete(loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        loop.close()
        asyncio._set_running_loop(outer)


async def until(met: Callable[[], Any], seconds: float = 3600, step: float = 0.01) -> None:
    """Lets simulated time pass, in small steps, until something is so; fails when it is not within ``seconds``."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not met():
        assert loop.time() < end, "it did not come about"
        await asyncio.sleep(step)
