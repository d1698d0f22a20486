"""The loop that fetches files, one part after the other, whenever nothing of the tablet's own is waiting to be sent.

A part that came stays, whatever happens to the connection, and the next try goes on behind it. A file counts only once
it has its hash and the tablet has noted it. Whatever fails in here hurts no record: the loop waits and goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from sync.client.calls import CUT, TIMEOUT, Reply, Request, Target
from sync.client.fetching import SMALL, Wanted, choose, let_go
from sync.client.replies import judge
from sync.records.problems import Problem
from sync.records.protocol import FILES, HEADER_EPOCH, HEADER_PROTOCOL


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """Times in milliseconds, parts in bytes. A part aims at ``part_ms`` on the present link."""

    part_first: int = 256 * 1024
    part_least: int = 32 * 1024
    part_most: int = 4 * 1024 * 1024
    part_ms: int = 2_000
    timeout_ms: int = 30_000
    first_wait_ms: int = 2_000
    cap_ms: int = 60_000
    # A file that the server does not give, or whose bytes are not what its name says.
    refused_ms: int = 900_000
    full_ms: int = 300_000


class Ledger(Protocol):
    """What the tablet knows of the files: which it wants, which it has, and how much room there is."""

    def wanted(self) -> tuple[Wanted, ...]: ...

    def budget(self) -> int: ...

    def held(self) -> dict[str, int]: ...

    async def box(self) -> Any: ...

    async def have(self, sha256: str, size: int) -> None:
        """Notes, durably, that the whole file is here."""

    async def forget(self, shas: Iterable[str]) -> None:
        """Notes, durably, that these are not here (any more); the files go after that."""


class Fetcher:
    """``transport(server)`` makes one; ``target()``: where to call and as whom, now. ``ready()``: "all", "small" (only
    small pictures, for the network costs money) or "" (not now)."""

    def __init__(self, transport: Callable[[str], Any], target: Callable[[], Target], ledger: Ledger, clock: Any,
                 ready: Callable[[], str], policy: FetchPolicy | None = None) -> None:
        self._make, self._target, self._ledger, self._clock, self._ready = transport, target, ledger, clock, ready
        self._transport: tuple[str, Any] | None = None
        self._policy = policy or FetchPolicy()
        self._awake = asyncio.Event()
        self._part = self._policy.part_first
        self._not_before: dict[str, int] = {}
        self._link_until, self._fails, self._tidied = 0, 0, False
        self.fetching: str | None = None
        self.trouble = ""

    def wake(self) -> None:
        """Something changed: what is wanted, what is sent, or the connection."""
        self._awake.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self._awake.clear()
            try:
                until = await self.step()
            except Exception as error:  # a fault of this tablet's storage: no reason to end
                self.trouble = error.code if isinstance(error, Problem) else "server-failed"
                until = self._now() + self._policy.full_ms
            finally:
                self.fetching = None
            if until is None:
                await self._awake.wait()
            elif until > self._now():
                # Not wait_for: in Python 3.11 it forgets that it was cancelled when it is woken in the same moment.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout((until - self._now()) / 1000):
                        await self._awake.wait()
            else:
                await asyncio.sleep(0)

    async def step(self) -> int | None:
        """Fetches at most one part. Gives when to go on (0: at once), None when something must change first."""
        if not self._tidied:
            await self._tidy()
        now = self._now()
        wanted, held, budget = self._ledger.wanted(), self._ledger.held(), self._ledger.budget()
        chosen = choose(wanted, budget)
        if gone := let_go(held, wanted, chosen, budget):
            await self._let_go(gone)
            return 0
        asking = self._ready()
        if not asking:
            return None
        missing = [one for one in chosen if one.sha256 not in held and (asking == "all" or one.sort == SMALL)]
        if not missing:
            return None
        if now < self._link_until:
            return self._link_until
        one = next((one for one in missing if self._not_before.get(one.sha256, 0) <= now), None)
        if one is None:
            return min(self._not_before[one.sha256] for one in missing)
        return await self._fetch(one)

    async def _fetch(self, one: Wanted) -> int:
        box = await self._ledger.box()
        at = await box.part_size(one.sha256)
        if at > one.size:
            await box.drop_part(one.sha256)
            at = 0
        self.fetching = one.sha256
        if at < one.size:
            last = min(at + self._part, one.size) - 1
            began = self._now()
            reply = await self._call(box, one, at, last)
            if reply.failure or reply.status not in (200, 206):
                return await self._failed(box, one, reply)
            came = await box.part_size(one.sha256) - at
            if came <= 0:
                return await self._failed(box, one, Reply(failure=CUT, detail="nothing came"))
            self._went(came, self._now() - began)
            at += came
        if at < one.size:
            return 0
        if await box.finish(one.sha256):
            await self._ledger.have(one.sha256, one.size)
            self._not_before.pop(one.sha256, None)
        else:
            self._not_before[one.sha256] = self._now() + self._policy.refused_ms
        self.trouble = ""
        return 0

    async def _call(self, box: Any, one: Wanted, at: int, last: int) -> Reply:
        # No encoding on the way: what is counted and kept are the bytes of the file.
        headers = {"Range": f"bytes={at}-{last}", "Accept": "*/*", "Accept-Encoding": "identity"}
        request = Request("fetch", "GET", FILES + one.sha256, self._policy.timeout_ms, headers=headers,
                          ids=(one.sha256,))
        target = self._target()
        if self._transport is None or self._transport[0] != target.server:
            self._transport = (target.server, self._make(target.server))
        sink = await box.sink(one.sha256, at)
        try:
            return await self._transport[1].download(
                target, request, sink, lambda status, found: room(status, found, at, last, one.size))
        except Problem:  # no room on the tablet
            raise
        except Exception as error:
            return Reply(failure=CUT, detail=repr(error))
        finally:
            sink.close()

    async def _failed(self, box: Any, one: Wanted, reply: Reply) -> int:
        answer = judge(reply)
        now = self._now()
        if reply.status == 416:  # what is here is longer than the file: begin anew
            await box.drop_part(one.sha256)
            self._not_before[one.sha256] = now + self._policy.first_wait_ms
            return self._not_before[one.sha256]
        if answer.ours and 400 <= answer.status < 500 and answer.status not in (401, 429):
            await box.drop_part(one.sha256)  # it may be out of sight for good: nothing of it is left lying here
            self._not_before[one.sha256] = now + self._policy.refused_ms
            return 0
        if reply.failure in (CUT, TIMEOUT):
            self._part = max(self._policy.part_least, self._part // 2)
        self._fails += 1
        self._link_until = now + min(self._policy.cap_ms, self._policy.first_wait_ms * 2 ** min(self._fails - 1, 10))
        return self._link_until

    def _went(self, size: int, ms: int) -> None:
        self._fails = 0
        if size >= self._part // 2:
            wished = size * self._policy.part_ms // max(ms, 1)
            self._part = max(self._policy.part_least, min(self._policy.part_most, wished, self._part * 2))

    async def _let_go(self, gone: Iterable[str]) -> None:
        box = await self._ledger.box()
        await self._ledger.forget(gone)
        for sha256 in gone:
            await box.delete(sha256)

    async def _tidy(self) -> None:
        """Brings the notes and the files together after a crash, and drops parts of what nobody wants any more."""
        box = await self._ledger.box()
        wanted, held = {one.sha256: one for one in self._ledger.wanted()}, self._ledger.held()
        here = set(await box.shas())
        if lost := held.keys() - here:
            await self._ledger.forget(sorted(lost))
        for sha256 in sorted(here - held.keys()):
            # It got its name only after its hash was checked; the note was not written any more.
            if sha256 in wanted:
                await self._ledger.have(sha256, wanted[sha256].size)
            else:
                await box.delete(sha256)
        for sha256 in await box.parts():
            if sha256 not in wanted:
                await box.drop_part(sha256)
        self._tidied = True

    def _now(self) -> int:
        return self._clock.monotonic_ms()


def room(status: int, headers: dict[str, str], at: int, last: int, size: int) -> int | None:
    """How many bytes of an answer with these headers (lower case) are the part that was asked for; None: it is none of
    ours, or not this part, and nothing of it is kept."""
    if HEADER_PROTOCOL.lower() not in headers and HEADER_EPOCH.lower() not in headers:
        return None
    if headers.get("content-encoding", "identity") != "identity":
        return None
    if status == 206 and headers.get("content-range", "").strip() == f"bytes {at}-{last}/{size}":
        return last + 1 - at
    if status == 200 and at == 0 and headers.get("content-length") == str(size):
        return size
    return None
