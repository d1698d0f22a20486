"""What a cut costs, and what large uploads cost the small requests beside them.

``resent_chunks``: bytes of a 50 MB file that went out twice after a cut in the middle of a chunk, over the chunk, the
worst of some cuts, by the tablet's own engine through a proxy that cuts. ``small_p50_vs_idle``, ``small_p95_vs_idle``:
a question for receipts while two large uploads run, over the same question alone, in turn. ``tus_vs_put``: 50 MB in
chunks of 8 MiB over one PUT, measured in turn, medians. ``longest_step_ms``: the longest single step of the engine
(view, decide, learn; its own processor time) while 1,000 facts with 2,000 photos go out, natively and in the
browser (``_browser.py``).

``python -m tests.bench resume small steps`` measures these parts alone; a part that fails is told on stderr and left
out, the others stand.
"""

import asyncio
import base64
import hashlib
import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from statistics import median, quantiles
from time import perf_counter, thread_time

from sync.client.calls import Request, Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.marks import EpochSeen
from sync.client.outbox import MemoryOutbox
from sync.client.policy import Policy
from sync.client.rows import SAFE
from sync.client.transports.native import NativeTransport
from sync.records.facts import Evidence
from sync.records.macs import fingerprint
from sync.records.protocol import RECEIPTS, UPLOADS
from tests.bench._browser import figures as in_browser
from tests.bench._city import Line, folder, inspection, new_photo, served
from tests.bench._parts import measured
from tests.faults.proxy import Fate, Proxy
from tests.support.city import inspection_body
from tests.support.remote_tablet import RemoteTablet
from tests.support.server import Server

LARGE, CHUNK = 50 * 1024 * 1024, 8 * 1024 * 1024
ROUNDS, SMALL, QUIET_ROUNDS, CUTS = 5, 150, 3, 5
FACTS = 1_000


class Clock:
    def monotonic_ms(self) -> int:
        return int(perf_counter() * 1000)


def send_in_parts(line: Line, sha: str, data: bytes) -> None:
    """A plain tus client: make it, then chunk after chunk."""
    said = f"sha256 {base64.b64encode(sha.encode()).decode()}"
    made = line.call("POST", UPLOADS, **{"Tus-Resumable": "1.0.0", "Upload-Length": str(len(data)),
                                         "Upload-Metadata": said})
    path, view = UPLOADS + made.headers["location"].partition(UPLOADS)[2], memoryview(data)
    for at in range(0, len(data), CHUNK):
        line.call("PATCH", path, view[at : at + CHUNK], **{
            "Tus-Resumable": "1.0.0", "Upload-Offset": str(at), "Content-Type": "application/offset+octet-stream"})


def paced(server, tablet) -> tuple[float, float]:
    """Seconds of 50 MB by one PUT and in chunks."""
    spent: dict[str, list[float]] = {"put": [], "tus": []}
    for number in range(ROUNDS):
        ways = [("put", Line.put), ("tus", send_in_parts)]
        for name, way in ways if number % 2 else ways[::-1]:
            sha, data = new_photo(LARGE)
            line = Line(server, tablet)
            begun = perf_counter()
            way(line, sha, data)
            spent[name].append(perf_counter() - begun)
            line.close()
    put, tus = median(spent["put"]), median(spent["tus"])
    print(f"resume: 50 MB by PUT {put * 1000:.0f} ms, in chunks {tus * 1000:.0f} ms", file=sys.stderr)
    return put, tus


def small_requests(server, tablet, fact: str) -> list[float]:
    """Milliseconds of each of SMALL questions for one receipt."""
    line, found = Line(server, tablet), []
    body = f'{{"facts":["{fact}"]}}'.encode()
    for _ in range(SMALL):
        begun = perf_counter()
        line.call("POST", RECEIPTS, body, **{"Content-Type": "application/json"})
        found.append((perf_counter() - begun) * 1000)
    line.close()
    return found


def beside_uploads(server, tablets, work: Callable[[], list[float]]) -> list[float]:
    """What ``work`` gives while two tablets upload without a pause, one by PUT and one in chunks.

    They are processes of their own: what ``work`` measures is the server, not who has this interpreter's turn.
    """
    apart = multiprocessing.get_context("fork")
    enough, running = apart.Event(), apart.Barrier(3)

    def upload(tablet, way) -> None:
        line, waiting, number = Line(server, tablet), True, 0
        data = bytearray(new_photo(LARGE)[1])
        while not enough.is_set():
            number += 1  # another file each time
            data[-16:] = os.getpid().to_bytes(8, "big") + number.to_bytes(8, "big")
            sha = hashlib.sha256(data).hexdigest()
            if waiting:
                running.wait(120)
                waiting = False
            way(line, sha, data)
        line.close()

    senders = [apart.Process(target=upload, args=each)
               for each in zip(tablets, (Line.put, send_in_parts), strict=True)]
    for sender in senders:
        sender.start()
    running.wait(120)
    try:
        return work()
    finally:
        enough.set()
        for sender in senders:
            sender.join()
        if any(sender.exitcode for sender in senders):
            raise RuntimeError("an upload failed")


class _Counted(NativeTransport):
    """Counts the bytes of files that went out."""

    sent = 0

    async def send(self, target, request, body=None, progress=None):
        last = 0

        def count(sent: int) -> None:
            nonlocal last
            self.sent += sent - last
            last = sent
            if progress:
                progress(sent)

        return await super().send(target, request, body, count if request.evidence else progress)


async def _until_safe(driver: Driver, port: MemoryOutbox) -> None:
    task = asyncio.ensure_future(driver.run())
    async with asyncio.timeout(300):
        while not all(row.state == SAFE for row in port.view().facts):
            await asyncio.sleep(0.01)
    await driver.stop()
    await task


def resent(server, tablet) -> tuple[float, int]:
    """Chunks that go twice, at worst, for one cut (bytes beyond the file's own, over the chunk and the cuts), and how
    many cuts there were."""
    worst, all_cuts = 0.0, 0
    for number in range(CUTS):
        sha, data = new_photo(LARGE)
        evidence = (Evidence(sha, "photo", len(data), "image/jpeg"),)
        item = tablet.item(tablet.fact("inspection_signed", inspection_body(), evidence=evidence))
        port, transport = MemoryOutbox(), _Counted()
        policy = replace(Policy(), chunk_first=CHUNK, lease_low=0, first_wait_ms=50, item_wait_ms=50)

        async def run(url: str, port=port, transport=transport, policy=policy, data=data, item=item) -> None:
            await port.mark([EpochSeen(tablet.told["epoch"])])
            await port.keep(data)
            await port.queue(item["fact"].encode(), mac=item["mac"], credential=item["credential"])
            engine = Engine(tablet.key, "demo", lambda: 0.0, policy)
            await _until_safe(Driver(engine, port, transport, Target(url, tablet.told["device_token"]), Clock()), port)

        cut_at = 5_000_000 + number * 9_000_000
        with Proxy(server.port, [Fate(up=cut_at)] * 2) as proxy:
            asyncio.run(run(proxy.url))
            cuts = proxy.broken
        transport.close()
        if not cuts:
            raise RuntimeError("nothing was cut")
        all_cuts += cuts
        worst = max(worst, (transport.sent - len(data)) / CHUNK / cuts)
        print(f"resume: {cuts} cut(s), {transport.sent - len(data)} bytes went twice", file=sys.stderr)
    return worst, all_cuts


def longest_step(tablet) -> float:
    """Milliseconds of the engine's longest step while all of them go out (the server's side does not count)."""
    from tests.support.sync_sim import KEY, Desk, done

    port, desk = MemoryOutbox(), Desk(page=500)
    for number in range(FACTS):
        files = tuple(Evidence(fingerprint(f"{number} {n}".encode()), "photo", 300_000, "image/jpeg") for n in range(2))
        item = tablet.item(tablet.fact("inspection_signed", inspection_body(), evidence=files))
        done(port.queue(item["fact"].encode(), mac=item["mac"], credential=item["credential"]))
    engine = Engine(KEY, "demo", lambda: 0.0, Policy(lease_low=0))
    longest, now = 0.0, 0
    while len(desk.files) < 2 * FACTS or not all(row.state == SAFE for row in port.view().facts):
        now += 1_000
        for lane in ("talk", "files"):
            begun = thread_time()
            step = engine.next(port.view(), now, lane)
            longest = max(longest, thread_time() - begun)
            if not isinstance(step, Request):
                continue
            reply = desk(step, now)
            begun = thread_time()
            marks = engine.took(lane, reply, port.view(), now)
            longest = max(longest, thread_time() - begun)
            done(port.mark(marks))
    return longest * 1000


class Bench:
    """Each part gives (ratios, figures); server and tablets are started when one first needs them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    @cached_property
    def _served(self) -> tuple[Server, list[RemoteTablet]]:
        return self._stack.enter_context(served(self._stack.enter_context(folder()), 3))

    def chunks(self) -> tuple[dict, dict]:
        server, tablets = self._served
        put, tus = paced(server, tablets[0])
        return {"tus_vs_put": round(put / tus, 3)}, {"put_ms": round(put * 1000, 1), "tus_ms": round(tus * 1000, 1)}

    def small(self) -> tuple[dict, dict]:
        server, tablets = self._served
        one = inspection(tablets[2], photos=0)
        line = Line(server, tablets[2])
        line.push(one.push)
        line.close()
        fact = one.fact.decode().partition('"id":"')[2][:32]
        idle, busy = [], []
        for _ in range(QUIET_ROUNDS):
            idle += small_requests(server, tablets[2], fact)
            busy += beside_uploads(server, tablets[:2], lambda: small_requests(server, tablets[2], fact))
        p50, p95 = (round(middle(busy) / middle(idle), 3) for middle in (median, lambda ms: quantiles(ms, n=20)[-1]))
        return ({"small_p50_vs_idle": p50, "small_p95_vs_idle": p95},
                {"small_idle_p50_ms": round(median(idle), 2), "small_busy_p50_ms": round(median(busy), 2)})

    def cuts(self) -> tuple[dict, dict]:
        server, tablets = self._served
        twice, cuts = resent(server, tablets[1])
        return {"resent_chunks": round(twice, 3)}, {"cuts": cuts}

    def steps(self) -> tuple[dict, dict]:
        _, tablets = self._served
        return {}, {"longest_step_native_ms": round(longest_step(tablets[0]), 2)}

    def browser(self) -> tuple[dict, dict]:
        return {}, in_browser()


PARTS = ("chunks", "small", "cuts", "steps", "browser")


def run(*only: str) -> dict:
    """Of all parts, or of those named."""
    with ExitStack() as stack:
        ratios, figures = measured("resume", Bench(stack), PARTS, only)
    steps = [figures[name] for name in ("longest_step_native_ms", "longest_step_browser_ms") if name in figures]
    return {"ratios": ratios, "figures": ({"longest_step_ms": max(steps)} if steps else {}) | figures}
