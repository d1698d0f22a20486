"""Hands do what waits together; a lone call is done where it arrives, but never while somebody else writes."""

import asyncio
import sqlite3
import threading

import pytest
from sqlalchemy import event

from sync.records.problems import Problem
from sync.server.api import hands
from sync.server.api.hands import Hands
from sync.server.db.engine import add, find
from sync.server.db.schema import sites
from sync.server.opening import DATABASE
from tests.support.city import folder_city
from tests.support.clock import StoppedClock


@pytest.fixture
def city(tmp_path, monkeypatch):
    monkeypatch.setattr(hands, "QUICK_S", float("inf"))  # however slow the disk of the machine is
    found = folder_city(tmp_path / "city", StoppedClock())
    yield found
    found.db.close()


class Found:
    """A call that adds a site and answers with its name and the threads that worked on it."""

    heavy = True

    def __init__(self, name, *, fails=None):
        self.name, self.fails, self.seen = name, fails, []

    def _pass(self, where):
        self.seen.append(threading.current_thread().name)
        if self.fails == where:
            raise Problem("already-decided", where)

    def before(self):
        self._pass("before")
        return self._act

    def _act(self, tx):
        add(tx, sites, {"city_id": "demo", "id": self.name, "name": "n", "address": "a", "doc": {"id": self.name}})
        self._pass("act")
        return self.name

    def after(self, told):
        self._pass("after")
        return told


def held(city, name):
    with city.db.read() as tx:
        return find(tx, sites, city_id="demo", id=name) is not None


def test_a_lone_call_is_done_where_it_arrives(city):
    call = Found("s1")
    assert asyncio.run(Hands(city).do(call, alone=True)) == "s1" and held(city, "s1")
    assert set(call.seen) == {threading.current_thread().name}


def test_on_a_slow_disk_no_call_is_done_in_the_event_loop(city, monkeypatch):
    monkeypatch.setattr(hands, "QUICK_S", 0.0)
    call = Found("s1")
    assert asyncio.run(Hands(city).do(call, alone=True)) == "s1"
    assert call.seen == ["siltwatch-hand", "siltwatch-pen", "siltwatch-pen"]


def test_a_call_whose_first_half_is_nothing_needs_no_hand(city, monkeypatch):
    class Light(Found):
        heavy = False

    monkeypatch.setattr(hands, "QUICK_S", 0.0)
    call = Light("s1")
    assert asyncio.run(Hands(city).do(call)) == "s1"
    assert call.seen == [threading.current_thread().name, "siltwatch-pen", "siltwatch-pen"]


def test_on_a_slow_disk_calls_are_done_side_by_side(city, monkeypatch):
    """Each waits in its first half until all the others are there too."""
    monkeypatch.setattr(hands, "QUICK_S", 0.0)
    meeting = threading.Barrier(5)

    class Meets(Found):
        def before(self):
            meeting.wait(60)
            return super().before()

    async def main():
        found = Hands(city)
        return await asyncio.gather(*(found.do(Meets(f"s{n}")) for n in range(5)))

    assert asyncio.run(main()) == [f"s{n}" for n in range(5)] and all(held(city, f"s{n}") for n in range(5))


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("where", ["before", "act", "after"])
def test_what_a_call_raises_reaches_it_alone(city, alone, where):
    async def main():
        found = Hands(city)
        if alone:
            return await asyncio.gather(found.do(Found("bad", fails=where), alone=True), return_exceptions=True)
        calls = [Found("s1"), Found("bad", fails=where), Found("s2")]
        return await asyncio.gather(*map(found.do, calls), return_exceptions=True)

    told = asyncio.run(main())
    assert [type(one).__name__ for one in told] == (["Problem"] if alone else ["str", "Problem", "str"])
    assert held(city, "bad") == (where == "after")
    assert alone or (held(city, "s1") and held(city, "s2"))


def test_what_waits_is_made_durable_together(city):
    commits = []

    async def main():
        found = Hands(city, count=1)
        await found.do(Found("first"))
        event.listen(city.db.engine, "commit", lambda _: commits.append(1))
        slow, begun = threading.Event(), threading.Event()

        class Slow(Found):
            def _act(self, tx):
                begun.set()
                slow.wait(60)
                return super()._act(tx)

        held_up = asyncio.ensure_future(found.do(Slow("slow")))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        rest = [asyncio.ensure_future(found.do(Found(f"s{n}"))) for n in range(8)]
        while found._pen.asked.qsize() < 8:  # the first halves go on while the pen waits
            await asyncio.sleep(0.001)
        slow.set()
        await asyncio.gather(held_up, *rest)

    asyncio.run(main())
    assert len(commits) == 2 and all(held(city, f"s{n}") for n in range(8))


def test_while_another_process_writes_the_event_loop_does_not_wait(city, tmp_path):
    """The lone call goes to a thread, which is patient; the loop goes on meanwhile."""
    other = sqlite3.connect(tmp_path / "city" / DATABASE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def main():
        call = Found("s1")
        task = asyncio.ensure_future(Hands(city).do(call, alone=True))
        for _ in range(20):
            await asyncio.sleep(0.01)  # the loop runs
        assert not task.done()
        other.execute("COMMIT")
        assert await task == "s1"
        return call

    call = asyncio.run(main())
    other.close()
    assert held(city, "s1") and call.seen == [threading.current_thread().name, "siltwatch-pen", "siltwatch-pen"]
    with city.db.read() as tx:  # the patience of the writer is as it was
        assert tx.exec_driver_sql("PRAGMA busy_timeout").scalar() > 0
    assert city.db._pen.exec_driver_sql("PRAGMA busy_timeout").scalar() > 0


def test_while_this_process_writes_it_does_not_wait_either(city):
    go, begun = threading.Event(), threading.Event()

    def long(tx):
        begun.set()
        go.wait(60)

    writer = threading.Thread(target=city.db.write, args=(long,))
    writer.start()
    begun.wait(60)

    async def main():
        task = asyncio.ensure_future(Hands(city).do(Found("s1"), alone=True))
        await asyncio.sleep(0.02)
        assert not task.done()
        go.set()
        return await task

    assert asyncio.run(main()) == "s1"
    writer.join()
    assert held(city, "s1")
