"""Few threads between the lines and the disk: many tablets at once cost one flush, and files are flushed beside it.

A call has two halves around its act in the database: what comes before (a file is made durable) and what comes after
(the answer is sealed). Hands do first halves that take long, each its own; the pen takes all calls whose act waits, has
the acts made durable in one transaction, does the second halves, and tells the event loop once. So hashing and flushing
files never waits for a transaction, nor it for them. No call is answered before its own act is durable.

A call that is alone is done where it arrives, in the event loop: handing it to a thread and back costs as much as all
the rest of it. That is done only while the disk is quick and nobody else writes; then nothing waits that could go on.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Protocol

from sync.server.casework.city import City
from sync.server.db.engine import Done, Told, Tx

log = logging.getLogger(__name__)
HANDS = 2
"""While one waits for the disk the other hashes; more would only wait for each other's turn at the interpreter."""
HANDS_FOR_A_SLOW_DISK = 8
"""Where the disk is what is waited for, files are flushed side by side, each by a hand of its own."""
AT_ONCE = 16
"""So many acts go into one transaction at most."""
KEPT_S = 20.0
"""So long an idle thread stays."""
QUICK_S = 0.005
"""A disk is quick while calls have lately taken less than this on the average. Else none is done in the event loop."""


Tell = Callable[[Any, Exception | None], None]
"""Is told what a call came to, or what it raised."""


class Call(Protocol):
    """What is asked, in two halves."""

    heavy: bool
    """Whether its first half takes long enough to be done beside other work."""
    light: bool
    """Whether its act is so small that it may be done in the event loop."""

    def before(self) -> Callable[[Tx], Any]:
        """All that comes before the database; gives the act. May raise."""

    def after(self, told: Any) -> Any:
        """The answer, from what the act returned."""


def do_one(city: City, call: Call) -> Any:
    """Does one call where it stands."""
    return call.after(city.db.write(call.before()))


class _Waits:
    """A call whose first half is done, or needs none: its act waits to be written."""

    __slots__ = ("act", "call", "loop", "tell")

    def __init__(self, call: Call, loop: asyncio.AbstractEventLoop, tell: Tell,
                 act: Callable[[Tx], Any] | None) -> None:
        self.call, self.loop, self.tell, self.act = call, loop, tell, act


@dataclass(frozen=True, slots=True)
class _Flush:
    """What is done and waits to be durable, and whose it is."""

    done: Done
    taken: list[_Waits]


class _Pool:
    """Threads that come when there is work and go when there is none; each runs ``work`` on what it finds."""

    def __init__(self, name: str, most: Callable[[], int], work: Callable[[Any], None]) -> None:
        self._name, self._most, self._work = name, most, work
        self.asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._threads = self._idle = 0

    def put(self, one: Any) -> None:
        self.asked.put(one)
        if self._idle and self.asked.qsize() <= self._idle:
            return
        with self._counting:
            hire = self.asked.qsize() > self._idle and self._threads < self._most()
            self._threads += hire
        if not hire:
            return
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
        except RuntimeError:  # the system gives no more of them
            with self._counting:
                self._threads -= 1
                nobody = self._threads == 0
            if nobody:
                with suppress(queue.Empty):
                    self._work(self.asked.get_nowait())

    def _run(self) -> None:
        while True:
            with self._counting:
                self._idle += 1
            try:
                taken = self.asked.get(timeout=KEPT_S)
            except queue.Empty:
                taken = None
            with self._counting:
                self._idle -= 1
                if taken is None and self.asked.empty():
                    self._threads -= 1
                    return
            if taken is not None:
                self._work(taken)


class Hands:
    """The threads of one city."""

    def __init__(self, city: City, count: int = HANDS, slow_count: int = HANDS_FOR_A_SLOW_DISK) -> None:
        self._city = city
        self._pace = 0.0
        self._files = _Pool("siltwatch-hand", lambda: count if self._quick else slow_count, self._first_half)
        self._pen = _Pool("siltwatch-pen", lambda: 1, self._write)
        self._flush = _Pool("siltwatch-flush", lambda: 1, self._make_durable)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: list[_Waits] = []
        self._due = self._flushing = False

    async def do(self, call: Call, *, alone: bool = False) -> Any:
        """The answer to the call; raises what it raises. ``alone``: no other is on its way as far as we know."""
        future = asyncio.get_running_loop().create_future()
        self.take(call, alone, partial(_settle, future))
        return await future

    def take(self, call: Call, alone: bool, tell: Tell) -> None:
        """As ``do``; ``tell`` is told in the event loop what it comes to, at once or later."""
        loop, act = asyncio.get_running_loop(), None
        if alone and self._quick:
            try:
                begun = perf_counter()
                act = call.before()
                told = self._city.db.write_at_once(act)
                self._note(perf_counter() - begun)
                if told is not None and told[1] is None:
                    told = call.after(told[0]), None
            except Exception as error:
                told = None, error
            if told is not None:
                tell(*told)
                return
        elif not call.heavy:
            act = call.before()
        one = _Waits(call, loop, tell, act)
        if act is None:
            self._files.put(one)
        else:
            self._is_ready(one)

    def _first_half(self, one: _Waits) -> None:
        begun = perf_counter()
        try:
            one.act = one.call.before()
        except Exception as error:
            with suppress(RuntimeError):
                one.loop.call_soon_threadsafe(one.tell, None, error)
            return
        self._note(perf_counter() - begun)
        if one.call.light:
            with suppress(RuntimeError):
                one.loop.call_soon_threadsafe(self._is_ready, one)
        else:
            self._pen.put(one)

    # --- light acts, in the event loop ---

    def _is_ready(self, one: _Waits) -> None:
        """Its act waits to be written. Called in the event loop."""
        if not one.call.light:
            self._pen.put(one)
            return
        if self._loop is not one.loop:
            self._loop, self._ready, self._due, self._flushing = one.loop, [], False, False
        self._ready.append(one)
        if not (self._due or self._flushing):
            self._due = True
            one.loop.call_soon(self._write_ready)

    def _write_ready(self) -> None:
        self._due = False
        taken, self._ready = self._ready[:AT_ONCE], self._ready[AT_ONCE:]
        if not taken:
            return
        done = self._city.db.do_now([one.act for one in taken])
        if done is None:
            for one in taken:
                self._pen.put(one)
        else:
            self._flushing = True
            self._flush.put(_Flush(done, taken))

    def _make_durable(self, one: _Flush) -> None:
        try:
            durable = one.done.commit()
        except Exception:  # done again, it is the same act; and this thread goes on
            log.exception("nobody knows whether a transaction is durable")
            durable = False
        with suppress(RuntimeError):  # the server was stopped meanwhile: nobody waits
            one.taken[0].loop.call_soon_threadsafe(self._is_durable, one, durable)

    def _is_durable(self, flushed: _Flush, durable: bool) -> None:
        self._flushing = False
        for one, (result, error) in zip(flushed.taken, flushed.done.told, strict=True):
            if not durable:
                self._pen.put(one)
                continue
            if error is None:
                try:
                    result = one.call.after(result)
                except Exception as late:
                    result, error = None, late
            _tell_all([(one.tell, (result, error))])
        if self._ready and not self._due:
            self._write_ready()

    # --- the rest, in a thread ---

    def _write(self, one: _Waits) -> None:
        taken = [one]
        with suppress(queue.Empty):
            while len(taken) < AT_ONCE:
                taken.append(self._pen.asked.get_nowait())
        try:
            outcomes = self._city.db.write_all([one.act for one in taken])
        except Exception as error:
            outcomes = [(None, error)] * len(taken)
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Tell, Told]]] = {}
        for one, (result, error) in zip(taken, outcomes, strict=True):
            if error is None:
                try:
                    result = one.call.after(result)
                except Exception as late:
                    result, error = None, late
            by_loop.setdefault(one.loop, []).append((one.tell, (result, error)))
        for loop, answers in by_loop.items():
            with suppress(RuntimeError):  # the server was stopped meanwhile: nobody waits
                loop.call_soon_threadsafe(_tell_all, answers)

    @property
    def _quick(self) -> bool:
        return self._pace < QUICK_S

    def _note(self, spent: float) -> None:
        self._pace += (spent - self._pace) / 8


def _tell_all(answers: list[tuple[Tell, Told]]) -> None:
    for tell, told in answers:
        try:
            tell(*told)
        except Exception:  # its line broke meanwhile; the others are told all the same
            log.exception("nobody could be told what a call came to")


def _settle(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if future.done():  # given up meanwhile
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
