"""The loop that joins engine, outbox, transport and clock: it asks, does, tells, and never decides.

Two lanes run side by side, so that a record goes out while a photo is on its way. What the loop learned is in the
outbox, durably, before the next step is asked for. Whatever fails in here, the loop goes on.
"""

import asyncio
import contextlib
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from sync.client.calls import CUT, LOCAL, Reply, Request, Target, Transport, Wait
from sync.client.engine import LANES, Engine
from sync.client.link import LinkStatus
from sync.client.outbox import OutboxPort, send_again
from sync.client.pace import Pace
from sync.records.problems import Problem

# One outbox has one driver, however many pages or sessions a process sees.
_DRIVEN: "weakref.WeakKeyDictionary[OutboxPort, Driver]" = weakref.WeakKeyDictionary()
_TELL_EVERY_BYTES = 256 * 1024
# A step that keeps a tap waiting for longer than SLOW_MS is made smaller; one frame of the screen is 16 ms.
SLOW_MS, QUICK_MS = 8.0, 2.0
FIRST_PAGE, LEAST_PAGE = 50, 10
STILL_MS = 2_000
"""When the network came back, a call of which nothing has moved for so long went out into the network that is gone."""


class Clock(Protocol):
    """A clock that only goes forward, in milliseconds."""

    def monotonic_ms(self) -> int: ...


class _Stalled(Exception):
    """The call under way was given up: the network that it went out into is gone."""


@dataclass(slots=True)
class _Call:
    """A call under way: when something of it moved last (monotonic ms), and what is set when it is given up."""

    moved: int
    given_up: asyncio.Event


@dataclass(frozen=True, slots=True)
class DriverStatus:
    """``sending``: bytes gone out by fact id or SHA-256; ``trouble``: code of a problem of this tablet, or "".

    ``calling``: a call to the server is under way.
    """

    running: bool
    link: LinkStatus
    sending: dict[str, int]
    trouble: str
    calling: bool = False


class Steps:
    """How long the driver's own work kept the loop busy without a pause, in milliseconds.

    ``longest_ms`` since the start or `anew`; a tap waits at most so long for the driver.
    """

    def __init__(self) -> None:
        self.last_ms = 0.0
        self.longest_ms, self.longest_of, self.count = 0.0, "", 0

    def anew(self) -> None:
        self.longest_ms, self.longest_of, self.count = 0.0, "", 0

    @contextlib.contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Measures the block; there must be no ``await`` in it."""
        began = time.perf_counter_ns()
        try:
            yield
        finally:
            took = (time.perf_counter_ns() - began) / 1e6
            self.count += 1
            self.last_ms = took
            if took > self.longest_ms:
                self.longest_ms, self.longest_of = took, name


def page_size(now: int, took_ms: float, most: int) -> int:
    """How many documents the next page of changes may have, when one of at most ``now`` was read in ``took_ms``: a
    tablet whose Python is slow (a browser's) reads smaller pages, so that no tap waits for one."""
    if took_ms > SLOW_MS:
        return max(LEAST_PAGE, now // 2)
    return min(most, now * 2) if took_ms < QUICK_MS else now


class Driver:
    """Runs one engine over one outbox. ``changed`` is called (no arguments) after everything a screen may show."""

    def __init__(
        self,
        engine: Engine,
        port: OutboxPort,
        transport: Transport,
        target: Target,
        clock: Clock,
        changed: Callable[[], None] | None = None,
    ) -> None:
        self._engine, self._port, self._transport = engine, port, transport
        self._target, self._clock, self._changed = target, clock, changed
        self._awake = {lane: asyncio.Event() for lane in LANES}
        self._calls: dict[str, _Call] = {}
        self._sent: dict[str, int] = {}
        self._trouble = ""
        self._lanes: list[asyncio.Task[None]] = []
        self._stopping = False
        self._pace, self.steps = Pace(), Steps()
        self._most = engine.policy.pull_limit
        engine.pull_limit = min(FIRST_PAGE, self._most)

    @property
    def status(self) -> DriverStatus:
        """What the status bar shows; join it with `sync.client.states.summary`."""
        sending = {id: self._sent.get(id, 0) for id in self._engine.under_way()}
        status = self._engine.status()
        return DriverStatus(bool(self._lanes), status, sending, self._trouble, self._engine.calling())

    def retries(self) -> dict[str, int]:
        """When each item that waits by itself is tried or asked about again (monotonic ms), by fact id or SHA-256."""
        return self._engine.next_tries(self._port.view())

    def held_back(self) -> frozenset[str]:
        """The originals that wait for a network that costs nothing, by SHA-256."""
        return frozenset(row.sha256 for row in self._engine.originals.held_back(self._port.view().files))

    def bytes_per_second(self) -> int | None:
        """How fast files went out of late; None while that is not known."""
        return self._pace.bytes_per_second(self._clock.monotonic_ms())

    def wake(self, why: str = "item") -> None:
        """Something happened: "item" (queued), "network" (came back), "visible", "person" (asked for it)."""
        now = self._clock.monotonic_ms()
        if why == "network":
            self._pace.anew()
            for call in self._calls.values():
                if now - call.moved >= STILL_MS:
                    call.given_up.set()
        self._engine.wake(now, why)
        self._stir()

    def set_metered(self, metered: bool) -> None:
        """Whether the network costs money now: then originals wait, records and previews do not."""
        if metered != self._engine.originals.metered:
            self._engine.originals.metered = metered
            self._stir()

    def set_tries(self, tries: int) -> None:
        """After how many failed tries an item is set aside, from the next failure on."""
        self._engine.policy = replace(self._engine.policy, tries=tries)

    def send_originals_anyway(self) -> None:
        """A person sends the originals that wait for another network, these and now."""
        self._engine.originals.send_anyway(self._port.view().files)
        self.wake("person")

    def set_visible(self, visible: bool) -> None:
        """The page was shown or hidden."""
        self._engine.set_visible(visible, self._clock.monotonic_ms())
        self._stir()

    async def send_again(self, ids: Iterable[str]) -> None:
        """A person sends parked items (fact ids or SHA-256s) again, now."""
        wanted = list(ids)
        await send_again(self._port, wanted)
        self._engine.forget(wanted)
        self.wake("person")

    async def run(self) -> None:
        """Runs until `stop` or cancellation. Raises RuntimeError when another driver runs on this outbox."""
        if self._port in _DRIVEN:
            raise RuntimeError("another sync driver already runs on this outbox")
        _DRIVEN[self._port] = self
        self._stopping = False
        self._lanes = [asyncio.ensure_future(self._lane(lane)) for lane in LANES]
        try:
            await asyncio.gather(*self._lanes)
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            lanes, self._lanes = self._lanes, []
            for task in lanes:
                task.cancel()
            try:
                await asyncio.gather(*lanes, return_exceptions=True)
            finally:  # also when the one who waits for us loses patience
                _DRIVEN.pop(self._port, None)
                self._tell()

    async def stop(self) -> None:
        """Ends `run`. A call under way is given up: nothing is lost, it is made again at the next start."""
        self._stopping = True
        lanes = list(self._lanes)
        for task in lanes:
            task.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)

    async def _lane(self, lane: str) -> None:
        while not self._stopping:
            self._awake[lane].clear()
            try:
                await self._step(lane)
            except Exception as err:  # the loop must outlive a full disk or a bug in one step
                self._engine.gave_up(lane)
                self._trouble = err.code if isinstance(err, Problem) else "server-failed"
                self._tell()
                await self._sleep(lane, self._clock.monotonic_ms() + self._engine.policy.trouble_wait_ms)

    async def _step(self, lane: str) -> None:
        await self._port.prepare()
        with self.steps.timed("next"):
            step = self._engine.next(self._port.view(), self._clock.monotonic_ms(), lane)
        if isinstance(step, Wait):
            await self._sleep(lane, step.until)
            return
        began = self._clock.monotonic_ms()
        try:
            self._tell()
            reply = await self._call(step, lane)
        except _Stalled:
            self._engine.gave_up(lane)
            return
        except BaseException:
            self._engine.gave_up(lane)
            raise
        await self._port.prepare()
        now = self._clock.monotonic_ms()
        with self.steps.timed(f"took {step.purpose}"):
            marks = self._engine.took(lane, reply, self._port.view(), now)
        if step.purpose == "pull":
            self._engine.pull_limit = page_size(self._engine.pull_limit, self.steps.last_ms, self._most)
        if marks:
            await self._port.mark(marks)
        self._trouble = ""
        if step.evidence is not None and 200 <= reply.status < 300:
            self._went(step, began, now, bool(marks))
        for id in step.ids if step.part is None or marks else ():
            self._sent.pop(id, None)
        self._stir()

    async def _call(self, request: Request, lane: str) -> Reply:
        """Raises _Stalled when it was given up."""
        body, progress = None, None
        call = _Call(self._clock.monotonic_ms(), asyncio.Event())
        if request.evidence is not None:
            try:
                body = await self._port.evidence_body(request.evidence)
            except (Problem, OSError) as err:
                return Reply(failure=LOCAL, detail=str(err))
            progress = self._counter(request.evidence, request.part[0] if request.part else 0, call)
        # The token is renewed while we run: the outbox knows the present one.
        view = self._port.view()
        target = replace(self._target, token=view.token or self._target.token, witness=view.witness)
        sending = asyncio.ensure_future(self._transport.send(target, request, body, progress))
        stalled = asyncio.ensure_future(call.given_up.wait())
        self._calls[lane] = call
        try:
            await asyncio.wait((sending, stalled), return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                raise _Stalled
            return sending.result()
        except _Stalled:
            raise
        except Exception as err:  # a transport should not raise; if one does, it is a failed call and no more
            return Reply(failure=CUT, detail=repr(err))
        finally:
            del self._calls[lane]
            stalled.cancel()
            sending.cancel()
            await asyncio.gather(sending, stalled, return_exceptions=True)

    def _went(self, step: Request, began: int, now: int, whole: bool) -> None:
        """A file, or one part of it, went out: its pace counts, and how far it is shows where nothing else tells."""
        row = self._port.view().file(step.ids[0])
        size = step.part[1] if step.part else (row.size if row else 0)
        self._pace.went(size, now - began, now)
        if step.part and not whole:
            self._sent[step.ids[0]] = sum(step.part)

    def _counter(self, id: str, before: int, call: _Call) -> Callable[[int], None]:
        loop = asyncio.get_running_loop()
        told = 0

        def count(sent: int) -> None:
            nonlocal told
            if call.given_up.is_set():  # its thread goes on for a moment, while the file goes out again
                return
            self._sent[id], call.moved = before + sent, self._clock.monotonic_ms()
            if sent - told >= _TELL_EVERY_BYTES:
                told = sent
                loop.call_soon_threadsafe(self._tell)

        return count

    async def _sleep(self, lane: str, until: int | None) -> None:
        if until is None:
            await self._awake[lane].wait()
            return
        seconds = max(0, until - self._clock.monotonic_ms()) / 1000
        # Not wait_for: in Python 3.11 it forgets that it was cancelled when it is woken in the same moment.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._awake[lane].wait()

    def _stir(self) -> None:
        for event in self._awake.values():
            event.set()
        self._tell()

    def _tell(self) -> None:
        if self._changed:
            try:
                self._changed()
            except Exception as err:  # a screen that fails must not keep a record on the tablet
                context = {"message": "a listener of the sync driver failed", "exception": err}
                asyncio.get_running_loop().call_exception_handler(context)
