"""The running driver on simulated time: ten seconds, flips, poison, metered networks, next tries that come."""

import asyncio
import random

import pytest

from sync.client.calls import Reply, Target
from sync.client.driver import FIRST_PAGE, Driver, page_size
from sync.client.engine import Engine
from sync.client.outbox import MemoryOutbox
from sync.client.policy import Policy
from sync.client.rows import PARKED, RECEIVED, SAFE
from sync.client.states import summary
from sync.records.macs import fingerprint
from tests.support.sync_driver import running, states
from tests.support.sync_sim import KEY, Desk, queue, small_fact
from tests.support.virtual_time import VirtualClock, run, until

OFF = Reply(failure="offline")


class Line:
    """The way to the scripted server: up or down, each call takes its time and fails when the line went down in it."""

    def __init__(self, desk, ms=40, bytes_per_ms=200):
        self.desk, self.ms, self.bytes_per_ms = desk, ms, bytes_per_ms
        self.up, self.cuts, self.calls, self.under_way, self.most = True, 0, [], 0, 0
        self.flips = 0

    def flip(self, up):
        self.up, self.flips = up, self.flips + 1

    async def send(self, target, request, body=None, progress=None):
        loop = asyncio.get_running_loop()
        self.calls.append((round(loop.time() * 1000), request.purpose, request.ids))
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if not self.up:
                return OFF
            before = self.flips
            size = len(body or b"")
            await asyncio.sleep((self.ms + size / self.bytes_per_ms) / 1000)
            if self.flips != before:
                self.cuts += 1
                return Reply(failure="cut")
            return self.desk(request, 0)
        finally:
            self.under_way -= 1


def driver_for(port, line, jitter=0.0, **policy):
    engine = Engine(KEY, "demo", lambda: jitter, Policy(lease_low=0, **policy))
    return Driver(engine, port, line, Target("http://x", "t"), VirtualClock())


def outbox(count, size=20_000):
    port = MemoryOutbox()
    for n in range(1, count + 1):
        data = bytes([n % 256]) * size + str(n).encode()
        queue(port, small_fact(n, files=(data,)), data)
    return port


def all_safe(port):
    return set(states(port).values()) == {SAFE}


@pytest.mark.parametrize("down_for", [1, 9, 31, 7_200])
def test_it_sends_by_itself_within_ten_seconds_of_the_network_coming_back(down_for):
    async def job():
        port, line = outbox(5), Line(Desk())
        line.up = False
        async with running(driver_for(port, line, 0.5)):
            await asyncio.sleep(down_for)
            assert not line.desk.facts
            line.up = True
            await asyncio.sleep(10)
            assert all_safe(port)

    run(job)


def test_what_the_platform_says_of_the_network_makes_it_sooner():
    async def job():
        port, line = outbox(5), Line(Desk())
        line.up = False
        driver = driver_for(port, line)
        async with running(driver):
            await asyncio.sleep(100)
            line.up = True
            driver.wake("network")
            await asyncio.sleep(1.5)
            assert all_safe(port)

    run(job)


def test_the_next_try_that_is_shown_is_the_one_that_comes():
    async def job():
        port, line = outbox(1), Line(Desk())
        line.up = False
        driver = driver_for(port, line, 0.3)
        async with running(driver):
            seen = set()
            await asyncio.sleep(0.1)
            for _ in range(12):
                await until(lambda: not driver.status.link.up and not driver.status.calling)
                promised, so_far = driver.status.link.next_try, len(line.calls)
                assert promised not in seen
                seen.add(promised)
                await until(lambda n=so_far: len(line.calls) > n)
                assert 0 <= line.calls[so_far][0] - promised <= 1
                await asyncio.sleep(0.05)

    run(job)


@pytest.mark.parametrize("what", ["a photo that always breaks", "a record that the office holds back"])
def test_the_next_try_of_a_single_item_is_told_and_comes(what):
    """Each rests longer each time, and says until when."""

    async def job():
        port = outbox(2)
        desk, line = Desk(), None
        wanted, purpose = fingerprint(bytes([2]) * 20_000 + b"2"), "put"
        if what.endswith("back"):
            wanted, purpose = f"{1:032x}", "receipts"
            desk.answer_for[wanted] = ("quarantined", "no-authority")
        line = Line(desk)

        async def send(target, request, body=None, progress=None):
            if request.ids == (wanted,) and request.purpose == "put":
                line.calls.append((VirtualClock().monotonic_ms(), "put", request.ids))
                return Reply(failure="cut")
            return await Line.send(line, target, request, body, progress)

        line.send = send
        driver = driver_for(port, line)
        async with running(driver):
            waits = []
            await asyncio.sleep(5)
            for _ in range(4):
                await until(lambda: driver.retries().get(wanted, 0) > VirtualClock().monotonic_ms())
                promised, so_far = driver.retries()[wanted], len(line.calls)
                waits.append(promised - VirtualClock().monotonic_ms())
                await until(lambda n=so_far: any(c[1] == purpose and wanted in c[2] for c in line.calls[n:]))
                came = next(c[0] for c in line.calls[so_far:] if c[1] == purpose and wanted in c[2])
                assert 0 <= came - promised <= 100
            assert waits[1] < waits[2] < waits[3]

    run(job)


@pytest.mark.parametrize("seed", range(2))
def test_it_survives_twenty_flips_of_the_network_and_sends_nothing_twice_over(seed):
    async def job():
        rng = random.Random(seed)
        port, line = outbox(40, 60_000), Line(Desk(), bytes_per_ms=100)
        driver = driver_for(port, line, 0.5)
        async with running(driver) as task:
            for flip in range(20):
                await asyncio.sleep(rng.uniform(0.01, 6))
                line.flip(not line.up)
                if rng.random() < 0.5:
                    driver.wake("network")
                assert not task.done(), flip
            line.flip(True)
            await asyncio.sleep(30)
            assert all_safe(port) and summary(port.view()).safe
            assert len(line.desk.facts) == 40 and len(line.desk.files) == 40
            assert line.cuts, "no flip ever hit a call"
            assert line.most <= 2  # one worker: a call for records, a call for files

    run(job)


def test_one_poison_record_among_fifty_is_set_aside_and_the_rest_is_delivered():
    async def job():
        port, desk = MemoryOutbox(), Desk()
        for n in range(1, 51):
            queue(port, small_fact(n))
        bad, line = f"{23:032x}", Line(desk)
        pushes = []

        async def send(target, request, body=None, progress=None):
            if request.purpose == "push" and bad in request.ids:
                pushes.append(len(request.ids))
                return desk.problem(422, "body-malformed")
            return await Line.send(line, target, request, body, progress)

        line.send = send
        driver = driver_for(port, line)
        async with running(driver):
            await until(lambda: states(port)[23] == PARKED, 300)
            assert pushes.count(1) == 5
            found = states(port)
            assert list(found.values()).count(SAFE) == 49
            row = port.view().fact(bad)
            assert row.park.code == "body-malformed" and not row.park.held
            del line.send
            await driver.send_again([bad])
            await until(lambda: all_safe(port), 5)

    run(job)


def test_photos_go_one_by_one_and_what_is_there_stays_there_over_restarts():
    """500 photos, each a request of its own; the app is killed again and again and never starts anew."""

    async def job():
        port, line = MemoryOutbox(), Line(Desk())
        photos = [b"photo %d" % n for n in range(500)]
        for n in range(10):
            own = tuple(photos[n * 50 : n * 50 + 50])
            queue(port, small_fact(n + 1, files=own), *own)
        for _ in range(7):
            async with running(driver_for(port, line)):
                await asyncio.sleep(2.5)
            before = len(line.desk.files)
            port = MemoryOutbox(port.dump())
            assert sum(row.held for row in port.view().files) >= before - 1
        async with running(driver_for(port, line)):
            await until(lambda: all_safe(port), 60)
        puts = [ids for _, purpose, ids in line.calls if purpose == "put"]
        assert all(len(ids) == 1 for ids in puts)
        assert len({ids for ids in puts}) == 500 and len(puts) <= 507

    run(job)


def test_on_a_network_that_costs_money_originals_wait_and_records_and_previews_do_not():
    async def job():
        port, line = MemoryOutbox(), Line(Desk())
        from sync.records.facts import Evidence
        fact = small_fact(1)
        files = {b"original": "photo", b"name": "signature", b"placard": "placard", b"sound": "voice_note"}
        fact = type(fact)(**{name: getattr(fact, name) for name in fact.__slots__} | {"evidence": tuple(
            Evidence(fingerprint(data), kind, len(data), "image/jpeg") for data, kind in files.items())})
        queue(port, fact, *files)
        driver = driver_for(port, line)
        driver.set_metered(True)
        large = {fingerprint(b"original"), fingerprint(b"sound")}
        async with running(driver):
            await asyncio.sleep(60)
            assert states(port) == {1: RECEIVED}
            assert set(line.desk.files) == {fingerprint(b"name"), fingerprint(b"placard")}
            assert driver.held_back() == large
            driver.send_originals_anyway()
            await until(lambda: all_safe(port), 5)
            assert driver.held_back() == frozenset()
            # Once: what is taken later waits again, until the network costs nothing.
            queue(port, small_fact(2, files=(b"later",)), b"later")
            driver.wake("item")
            await asyncio.sleep(60)
            assert states(port) == {1: SAFE, 2: RECEIVED} and driver.held_back() == {fingerprint(b"later")}
            driver.set_metered(False)
            await until(lambda: all_safe(port), 5)

    run(job)


def test_a_pace_is_told_only_when_enough_was_sent_to_know_it():
    async def job():
        port, line = outbox(60, 50_000), Line(Desk(), ms=0, bytes_per_ms=100)
        driver = driver_for(port, line)
        async with running(driver):
            await until(lambda: len(line.desk.files) == 3)
            assert driver.bytes_per_second() is None
            await until(lambda: len(line.desk.files) == 40)
            assert 90_000 <= driver.bytes_per_second() <= 101_000
            driver.wake("network")
            assert driver.bytes_per_second() is None

    run(job)


def test_how_long_a_step_takes_is_measured():
    async def job():
        port, line = outbox(60), Line(Desk())
        driver = driver_for(port, line)
        async with running(driver):
            await until(lambda: all_safe(port))
        assert driver.steps.count > 120 and driver.steps.longest_ms > 0 and driver.steps.longest_of

    run(job)


def test_pages_of_changes_are_as_large_as_can_be_read_between_two_frames():
    """On a tablet that needs 0.2 ms for a document they shrink until one takes no more than 8 ms, on a quick one they
    grow to the most there is."""
    for each_ms, ends in ((0.2, range(20, 41)), (0.001, range(500, 501)), (5.0, range(10, 11))):
        size = FIRST_PAGE
        for _ in range(12):
            size = page_size(size, size * each_ms, 500)
        assert size in ends, (each_ms, size)


def test_the_driver_asks_for_pages_of_that_size():
    async def job():
        port, desk = MemoryOutbox(), Desk()
        limits, line = [], Line(desk)

        async def send(target, request, body=None, progress=None):
            if request.purpose == "pull":
                limits.append(int(request.path.rpartition("limit=")[2]))
            return await Line.send(line, target, request, body, progress)

        line.send = send
        async with running(driver_for(port, line)):
            await asyncio.sleep(200)
        assert limits[0] == FIRST_PAGE and all(10 <= limit <= 500 for limit in limits) and len(limits) > 5

    run(job)


@pytest.mark.parametrize("hole", ["push", "put", "pull"])
def test_a_call_that_went_into_a_network_that_is_gone_is_given_up_when_the_platform_says_that_it_is_back(hole):
    """A hole of three seconds that swallows one call whole: nobody ever answers it."""

    class Hole(Line):
        swallowed = 0

        async def send(self, target, request, body=None, progress=None):
            if request.purpose == hole and not self.swallowed:
                self.swallowed += 1
                await asyncio.sleep(request.timeout_ms / 1000)
                return Reply(failure="timeout")
            return await super().send(target, request, body, progress)

    async def job():
        port, line = outbox(3), Hole(Desk())
        driver = driver_for(port, line)
        async with running(driver):
            await until(lambda: line.swallowed)
            await asyncio.sleep(1)
            driver.wake("network")  # too early to say anything of the call
            await asyncio.sleep(2)
            assert line.swallowed == 1 and driver.status.calling
            driver.wake("network")
            await asyncio.sleep(2)
            assert all_safe(port)

    run(job)


def test_a_file_that_still_moves_is_not_given_up():
    class Slow(Line):
        begun = 0

        async def send(self, target, request, body=None, progress=None):
            if request.purpose == "put":
                self.begun += 1
                for sent in range(0, len(body), 1_000):
                    progress(sent)
                    await asyncio.sleep(0.5)
            return await super().send(target, request, body, progress)

    async def job():
        port, line = outbox(1), Slow(Desk())
        driver = driver_for(port, line)
        async with running(driver):
            await until(lambda: line.begun)
            for _ in range(4):
                await asyncio.sleep(1)
                driver.wake("network")
            await until(lambda: all_safe(port), 20)
            assert line.begun == 1

    run(job)
