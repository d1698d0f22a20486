"""Few threads that take what is waiting together: many tablets at once cost one flush, and hardly a change of threads.

A call has two halves around its act in the database: what comes before (a file is made durable) and what comes after
(the answer is sealed). A hand takes all calls that wait (on a slow disk one, beside other hands), does the first
halves, has the acts made durable in one transaction, does the second halves, and tells the event loop once. No call is
answered before its own act is durable.

A call that is alone is done where it arrives, in the event loop: handing it to a thread and back costs as much as all
the rest of it. That is done only while the disk is quick and nobody else writes; then nothing waits that could go on.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any, Protocol

from sync.server.casework.city import City
from sync.server.db.engine import Told, Tx

HANDS = 2
"""While one waits for the disk the other computes; more would only wait for each other's turn at the interpreter."""
HANDS_FOR_A_SLOW_DISK = 8
"""Where the disk is what is waited for, files are flushed side by side, each by a hand of its own."""
AT_ONCE = 16
KEPT_S = 20.0
"""So long an idle thread stays."""
QUICK_S = 0.005
"""A disk is quick while calls have lately taken less than this on the average. Else none is done in the event loop."""


class Call(Protocol):
    """What is asked, in two halves."""

    def before(self) -> Callable[[Tx], Any]:
        """All that comes before the database; gives the act. May raise."""

    def after(self, told: Any) -> Any:
        """The answer, from what the act returned."""


def do_one(city: City, call: Call) -> Any:
    """Does one call where it stands."""
    return call.after(city.db.write(call.before()))


class _Rest:
    """The call whose first half is done."""

    def __init__(self, call: Call, act: Callable[[Tx], Any]) -> None:
        self.after, self._act = call.after, act

    def before(self) -> Callable[[Tx], Any]:
        return self._act


class Hands:
    """The threads of one city."""

    def __init__(self, city: City, count: int = HANDS, slow_count: int = HANDS_FOR_A_SLOW_DISK) -> None:
        self._city, self._counts = city, (slow_count, count)
        self._asked: queue.SimpleQueue[tuple[Call, asyncio.Future[Any]]] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._threads = self._idle = 0
        self._pace = 0.0

    async def do(self, call: Call, *, alone: bool = False) -> Any:
        """The answer to the call; raises what it raises. ``alone``: no other is on its way as far as we know."""
        if alone and self._quick:
            begun = perf_counter()
            act = call.before()
            told = self._city.db.write_at_once(act)
            self._note(perf_counter() - begun)
            if told is not None:
                result, error = told
                if error is not None:
                    raise error
                return call.after(result)
            call = _Rest(call, act)
        future = asyncio.get_running_loop().create_future()
        self._asked.put((call, future))
        with self._counting:
            hire = self._asked.qsize() > self._idle and self._threads < self._counts[self._quick]
            self._threads += hire
        if hire:
            threading.Thread(target=self._work, name="siltwatch-hand", daemon=True).start()
        return await future

    def _work(self) -> None:
        while True:
            with self._counting:
                self._idle += 1
            try:
                taken = [self._asked.get(timeout=KEPT_S)]
            except queue.Empty:
                taken = []
            with self._counting:
                self._idle -= 1
                if not taken and self._asked.empty():
                    self._threads -= 1
                    return
            if not taken:
                continue
            with suppress(queue.Empty):
                while self._quick and len(taken) < AT_ONCE:
                    taken.append(self._asked.get_nowait())
            begun = perf_counter()
            told = self._do_all([call for call, _ in taken])
            self._note((perf_counter() - begun) / len(taken))
            by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Told]]] = {}
            for (_, future), one in zip(taken, told, strict=True):
                by_loop.setdefault(future.get_loop(), []).append((future, one))
            for loop, answers in by_loop.items():
                with suppress(RuntimeError):  # the server was stopped meanwhile: nobody waits
                    loop.call_soon_threadsafe(_tell, answers)

    @property
    def _quick(self) -> bool:
        return self._pace < QUICK_S

    def _note(self, spent: float) -> None:
        self._pace += (spent - self._pace) / 8

    def _do_all(self, calls: list[Call]) -> list[Told]:
        told: list[Told] = [(None, None)] * len(calls)
        acts: list[tuple[int, Callable[[Tx], Any]]] = []
        for number, call in enumerate(calls):
            try:
                acts.append((number, call.before()))
            except Exception as error:
                told[number] = (None, error)
        try:
            outcomes = self._city.db.write_all([act for _, act in acts]) if acts else []
        except Exception as error:
            outcomes = [(None, error)] * len(acts)
        for (number, _), (result, error) in zip(acts, outcomes, strict=True):
            if error is None:
                try:
                    result = calls[number].after(result)
                except Exception as late:
                    result, error = None, late
            told[number] = (result, error)
        return told


def _tell(answers: list[tuple[asyncio.Future[Any], Told]]) -> None:
    for future, (result, error) in answers:
        if future.done():  # given up meanwhile
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
