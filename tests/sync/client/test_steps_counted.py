"""No step of the engine holds up a tap: its work is counted, in calls of functions, for a machine's pace is its own.

The real driver over the real store. However much lies on the tablet, and however much waits to be sent, the loop is
kept busy for no more calls at a time than with little; how many milliseconds these take is measured by the benchmark
(`longest_step_ms` in `python -m tests.bench resume`).
"""

import asyncio
import contextlib
import sys

import pytest

from field_app.store import outbox
from field_app.store.memory import open_memory
from field_app.store.outbox import StoreOutbox, queue
from sync.client.calls import Target
from sync.client.driver import FIRST_PAGE, Driver, Steps
from sync.client.engine import Engine
from sync.client.marks import EpochSeen, Receipted
from sync.client.policy import Policy
from sync.client.rows import SAFE
from sync.records.facts import freeze
from sync.records.macs import fingerprint
from sync.records.receipts import Receipt
from tests.support.sync_driver import running
from tests.support.sync_sim import AT, KEY, Desk, small_fact
from tests.support.virtual_time import VirtualClock, run, until

# The most calls at a time that came out (a batch of 50 records with its receipts), and a third more.
MOST = 20_000
SITES = 3 * FIRST_PAGE


class Counting:
    """Counts calls of Python functions in each callback of the loop; ``most`` of one, and what that was."""

    def __init__(self):
        self.now = self.most = 0
        self.of = ""

    def _call(self, frame, event, argument):
        self.now += event in ("call", "c_call")

    def run(self, real, handle):
        self.now = 0
        sys.setprofile(self._call)
        try:
            real(handle)
        finally:
            sys.setprofile(None)
            if self.now > self.most:
                self.most, self.of = self.now, repr(handle)[:200]

    @contextlib.contextmanager
    def paused(self):
        sys.setprofile(None)
        try:
            yield
        finally:
            sys.setprofile(self._call)


class EvenSteps(Steps):
    """A tablet that is neither slow nor quick: pages of changes stay as they are."""

    last_ms = property(lambda self: 5.0, lambda self, _: None)


class Box:
    async def upload_body(self, sha256):
        return b"x" * 300


class Line:
    """The way to the scripted server, whose own work does not count."""

    def __init__(self, desk, counting):
        self.desk, self.counting = desk, counting

    async def send(self, target, request, body=None, progress=None):
        await asyncio.sleep(0.04)
        with self.counting.paused():
            return self.desk(request, 0)


def signed(number):
    return small_fact(number, files=(b"%d" % number,))


def receipt(fact):
    held = {file.sha256: True for file in fact.evidence}
    said = Receipt(fact.id, fingerprint(freeze(fact)), "applied", None, held, "e1", AT)
    return Receipted(said, {"text": "", "mac": ""})


async def sign(store, numbers):
    async with store.change() as tx:
        for number in numbers:
            queue(tx, freeze(signed(number)), mac="0" * 64, credential="c1")


def most_calls(monkeypatch, safe, waiting):
    """The most calls at a time while ``waiting`` records go out of a tablet that has ``safe`` others."""
    counting, real = Counting(), asyncio.Handle._run

    async def job():
        store = await open_memory()
        await sign(store, range(1, safe + 1))
        port = StoreOutbox(store, Box())
        await port.mark([EpochSeen("e1"), *(receipt(signed(number)) for number in range(1, safe + 1))])
        await sign(store, range(safe + 1, safe + waiting + 1))
        await port.prepare()
        desk = Desk(page=SITES)
        desk.feed = [{"seq": n, "kind": "site", "id": f"s{n}", "doc": {
            "id": f"s{n}", "name": f"Lot {n}", "address": f"{n} Mill St", "parcel": str(n)}} for n in range(1, SITES)]
        driver = Driver(Engine(KEY, "demo", lambda: 0.0, Policy(lease_low=0)), port, Line(desk, counting),
                        Target("http://x", "t"), VirtualClock())
        driver.steps = EvenSteps()
        with monkeypatch.context() as patched:
            patched.setattr(asyncio.Handle, "_run", lambda handle: counting.run(real, handle))
            async with running(driver):
                await until(lambda: len(desk.facts) == waiting and len(store.table("sites")) == SITES - 1)
                for _ in range(200):
                    await asyncio.sleep(1)
        assert {row.state for row in port.view().facts} == {SAFE}

    run(job)
    return counting


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch):
    """What goes in pieces goes in the smallest, so that nothing depends on the machine."""
    monkeypatch.setattr(outbox, "PIECE_S", -1.0)


def test_a_step_does_no_more_on_a_full_tablet_than_on_an_empty_one(monkeypatch):
    few = most_calls(monkeypatch, 20, 60)
    many = most_calls(monkeypatch, 1_500, 240)
    assert few.most <= MOST, few.of
    assert many.most <= few.most * 5 // 4, many.of
