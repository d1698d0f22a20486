"""The server's witness on the tablet: the latest is kept and given back with every call that bears the token."""

import asyncio
import time

import pytest

from sync.client.calls import Reply, Request, Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.outbox import MemoryOutbox
from sync.client.policy import Policy
from sync.records.protocol import HEADER_EPOCH, HEADER_WITNESS
from tests.support.sync_sim import KEY, Desk, Sim, queue, small_fact


class Telling(Desk):
    """A server that says a witness with its answers to records and news."""

    said = "7.e1..abc"

    def reply(self, data, status=200):
        return super().reply({**data, "witness": self.said} if {"results", "items"} & data.keys() else data, status)


def test_the_latest_witness_is_kept_with_what_came_with_it_and_survives_the_app():
    desk = Telling()
    sim = Sim(desk)
    sim.run(1_000)
    assert sim.port.view().witness == "7.e1..abc"
    desk.said = "8.e1..abd"
    queue(sim.port, small_fact(1))
    sim.wake("item")
    sim.run(2_000)
    assert MemoryOutbox(sim.port.dump()).view().witness == "8.e1..abd"
    # The next life says another; what the former said is given back until then.
    desk.epoch, desk.said = "e2", "8.e2.e1.abe"
    sim.wake("network")
    sim.run(4_000)
    assert (sim.port.view().epoch, sim.port.view().witness) == ("e2", "8.e2.e1.abe")


@pytest.mark.parametrize("purpose", ["hello", "pull", "push", "receipts", "lease", "put"])
def test_a_late_answer_of_a_life_that_is_over_changes_nothing(purpose):
    """The server was restored, and an answer of before comes once more: the life stays, and nothing turns green."""
    desk, old, late = Telling(feed=[{"seq": 1, "kind": "site", "id": "s1", "doc": None}]), {}, []

    def before(request, now):
        old[request.purpose] = desk(request, now)
        return old[request.purpose]

    sim = Sim(before, policy=Policy(lease_low=50))
    fact = queue(sim.port, small_fact(1, files=(b"wide",)), b"wide")
    sim.run(60_000)
    old["receipts"] = desk.reply({"results": [desk.receipt(fact)]})
    assert sim.port.view().fact(fact).whole and purpose in old

    desk.epoch, desk.said = "e2", "8.e2.e1.abe"
    desk.facts.clear(), desk.files.clear()
    sim.server = lambda request, now: (desk(request, now) if request.purpose in ("pull", "hello")
                                       else desk.problem(503, "server-busy"))
    sim.wake("network")
    sim.run(sim.now + 1)
    assert (sim.port.view().epoch, sim.port.view().witness) == ("e2", "8.e2.e1.abe")

    def server(request, now):
        if request.purpose == purpose and len(late) < 3:
            late.append(request)
            return old[purpose]
        return desk(request, now)

    def looks():
        view = sim.port.view()
        assert view.epoch == "e2" and (not view.fact(fact).whole or (fact in desk.facts and desk.files))
        return False

    sim.server = server
    sim.wake("person")
    sim.run(sim.now + 300_000, stop=looks)
    queue(sim.port, small_fact(2))
    sim.wake("person")
    sim.run(sim.now + 300_000, stop=looks)
    assert sim.port.view().fact(fact).whole and sim.engine.status().up
    assert late or purpose == "lease"


def test_a_false_epoch_is_not_believed_for_longer_than_until_the_next_true_answer():
    """What one changed answer calls the present life may not make an end of the true one."""
    desk = Telling()
    sim = Sim(lambda request, now: Reply(200, {**(said := desk(request, now)).headers, HEADER_EPOCH.lower(): "e0"},
                                         said.body))
    sim.run(1)
    assert sim.port.view().epoch == "e0"
    sim.server = desk
    fact = queue(sim.port, small_fact(1))
    sim.wake("person")
    sim.run(60_000)
    assert sim.port.view().epoch == "e1" and sim.port.view().fact(fact).whole


@pytest.mark.parametrize("said", ["a\r\nX-Other: b", "a b", "é", "", "a" * 601, 7, None, ["a"], {"a": "b"}])
def test_what_cannot_stand_in_a_header_is_not_taken_and_stops_nothing(said):
    desk = Telling()
    sim = Sim(desk)
    sim.run(1_000)
    desk.said = said
    fact = queue(sim.port, small_fact(1))
    sim.wake("item")
    sim.run(2_000)
    assert sim.port.view().witness == "7.e1..abc" and sim.port.view().fact(fact).whole


def test_it_goes_with_the_token_and_never_to_a_stranger():
    request = Request("push", "POST", "/api/v1/facts", 1_000)
    hello = Request("hello", "GET", "/api/v1/hello", 1_000, anonymous=True)
    target = Target("http://office", "t", "7.e1..abc")
    assert target.headers(request)[HEADER_WITNESS] == "7.e1..abc"
    assert HEADER_WITNESS not in target.headers(hello)
    assert HEADER_WITNESS not in Target("http://office", None, "7.e1..abc").headers(request)
    assert HEADER_WITNESS not in Target("http://office", "t").headers(request)


def test_the_driver_gives_back_what_it_was_given_since_it_began():
    asked = []

    class Transport:
        async def send(self, target, request, body=None, progress=None):
            asked.append((request.purpose, target.witness))
            return desk(request, 0)

    class Clock:
        def monotonic_ms(self):
            return time.monotonic_ns() // 1_000_000

    desk, port = Telling(), MemoryOutbox()

    async def play():
        driver = Driver(Engine(KEY, "demo", lambda: 0.0, Policy(lease_low=0)), port, Transport(),
                        Target("http://office", "t"), Clock())
        running = asyncio.ensure_future(driver.run())
        async with asyncio.timeout(30):
            while not port.view().witness:
                await asyncio.sleep(0.005)
            queue(port, small_fact(1))
            driver.wake("item")
            while "push" not in dict(asked):
                await asyncio.sleep(0.005)
        await driver.stop()
        await running

    asyncio.run(play())
    assert dict(reversed(asked))["pull"] == "" and dict(asked)["push"] == "7.e1..abc"
