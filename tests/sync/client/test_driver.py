"""The driver: engine, outbox, transport and clock joined, against scripted servers."""

import asyncio

import pytest

from sync.client.calls import Reply, Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.enrolment import enrol
from sync.client.outbox import MemoryOutbox
from sync.client.rows import PARKED, RECEIVED, SAFE
from sync.client.states import item_states, summary
from sync.records.facts import freeze
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from tests.support.sync_driver import QUICK, Clock, running, states, until
from tests.support.sync_sim import KEY, Desk, queue, small_fact


class DeskTransport:
    """The scripted server, reached at once; ``held`` keeps files back until it is set."""

    def __init__(self, desk):
        self.desk, self.bodies = desk, []
        self.held = None

    async def send(self, target, request, body=None, progress=None):
        if request.purpose == "put":
            self.bodies.append(body)
            if progress:
                progress(len(body))
            if self.held is not None:
                await self.held.wait()
        await asyncio.sleep(0)
        return self.desk(request, 0)


def driver_for(port, transport, changed=None, policy=QUICK):
    return Driver(Engine(KEY, "demo", lambda: 0.0, policy), port, transport, Target("http://x", "t"), Clock(), changed)


def with_three(number=3):
    port = MemoryOutbox()
    for n in range(1, number + 1):
        queue(port, small_fact(n, files=(b"p%d" % n,)), b"p%d" % n)
    return port


def test_it_sends_everything_and_tells_the_screens():
    async def run():
        port, told = with_three(), []
        transport = DeskTransport(Desk())
        async with running(driver_for(port, transport, lambda: told.append(1))) as task:
            await until(lambda: set(states(port).values()) == {SAFE})
            assert not task.done()
        assert told and sorted(transport.bodies) == [b"p1", b"p2", b"p3"]

    asyncio.run(run())


def test_a_record_goes_out_while_a_photo_is_on_its_way_and_its_progress_shows():
    async def run():
        port = with_three(1)
        transport = DeskTransport(Desk())
        transport.held = asyncio.Event()
        driver = driver_for(port, transport)
        async with running(driver):
            await until(lambda: transport.bodies and states(port) == {1: RECEIVED})
            sha = fingerprint(b"p1")
            assert driver.status.sending == {sha: 2}
            assert item_states(port.view(), driver.status.sending)[0].state == "sending"
            await port.queue(freeze(small_fact(2)), mac="0" * 64, credential="c1")
            driver.wake()
            await until(lambda: states(port) == {1: RECEIVED, 2: SAFE})
            transport.held.set()
            await until(lambda: states(port) == {1: SAFE, 2: SAFE})
            assert summary(port.view()).safe and driver.status.sending == {}

    asyncio.run(run())


def test_only_one_driver_runs_on_an_outbox():
    async def run():
        port = MemoryOutbox()
        first, second = driver_for(port, DeskTransport(Desk())), driver_for(port, DeskTransport(Desk()))
        async with running(first):
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError):
                await second.run()
        async with running(second):  # the place is free again
            await until(lambda: second.status.link.up)
        assert not second.status.running

    asyncio.run(run())


def test_cancelling_the_task_of_the_driver_ends_it_too():
    async def run():
        driver = driver_for(with_three(), DeskTransport(Desk()))
        task = asyncio.ensure_future(driver.run())
        await until(lambda: driver.status.link.up)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not driver.status.running

    asyncio.run(run())


@pytest.mark.parametrize("broken", ["transport", "outbox full", "screen", "lost file"])
def test_whatever_fails_the_loop_goes_on(broken):
    async def run():
        port, transport = with_three(), DeskTransport(Desk())
        left = [3]

        def breaks(error):
            if left[0]:
                left[0] -= 1
                raise error

        send, mark = transport.send, port.mark

        async def bad_send(*args, **more):
            breaks(ValueError("a bug"))
            return await send(*args, **more)

        async def bad_mark(marks):
            breaks(Problem("store-full"))
            await mark(marks)

        if broken == "transport":
            transport.send = bad_send
        if broken == "outbox full":
            port.mark = bad_mark
        if broken == "lost file":
            del port._files[fingerprint(b"p2")]
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        driver = driver_for(port, transport, (lambda: breaks(ValueError("a screen"))) if broken == "screen" else None)
        async with running(driver):
            if broken == "outbox full":
                await until(lambda: driver.status.trouble == "store-full")
            wanted = {1: SAFE, 2: RECEIVED, 3: SAFE} if broken == "lost file" else dict.fromkeys((1, 2, 3), SAFE)
            await until(lambda: states(port) == wanted)
            if broken == "lost file":
                assert PARKED in {item.state for item in item_states(port.view())}
                await port.keep(b"p2")  # it turned up again
                await driver.send_again([f"{2:032x}"])
                await until(lambda: states(port)[2] == SAFE)

    asyncio.run(run())


def test_stopping_in_the_middle_of_a_call_loses_nothing():
    async def run():
        port, transport = with_three(), DeskTransport(Desk())
        transport.held = asyncio.Event()
        async with running(driver_for(port, transport)):
            await until(lambda: transport.bodies)
        transport.held.set()
        async with running(driver_for(port, transport)):
            await until(lambda: set(states(port).values()) == {SAFE})

    asyncio.run(run())


@pytest.mark.parametrize(("reply", "code", "sends"), [
    (Reply(failure="offline"), "offline", 3),
    (Reply(200, {"content-type": "text/html"}, b"<html>log in"), "network-login", 1),
    (Reply(200, {}, b"{}"), "wrong-server", 1),
    (Reply(404, {"siltwatch-epoch": "e"}, b'{"code":"code-unknown","detail":"no such code"}'), "code-unknown", 1),
    (Reply(503, {"siltwatch-epoch": "e"}, b'{"code":"server-busy","detail":"busy"}'), "server-busy", 3),
    (Reply(200, {"siltwatch-epoch": "e"}, b'{"city":"demo"}'), "wrong-server", 1),
])  # fmt: skip
def test_enrolment_says_what_is_the_matter_and_repeats_only_what_may_help(reply, code, sends):
    calls, pauses = [], []

    class One:
        async def send(self, target, request, body=None, progress=None):
            calls.append(request)
            return reply

    async def pause(milliseconds):
        pauses.append(milliseconds)

    with pytest.raises(Problem) as raised:
        asyncio.run(enrol(One(), "http://x", " CODE ", "ab" * 32, pause))
    assert raised.value.code == code and len(calls) == sends == len(pauses) + 1
    assert len({call.body for call in calls}) == 1  # the same code and secret each time
    with pytest.raises(ValueError, match="64 lower-case"):
        asyncio.run(enrol(One(), "http://x", "CODE", "short", pause))
