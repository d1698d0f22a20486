"""Hands do what waits together; a lone call is done where it arrives, but never while somebody else writes; light acts
are done in the event loop, and made durable beside it.
"""

import asyncio
import sqlite3
import threading

import pytest
from sqlalchemy import event

from sync.records.problems import Problem
from sync.server.api import hands
from sync.server.api.hands import Hands
from sync.server.db.engine import add, find
from sync.server.db.memory import gentle
from sync.server.db.quick import raw_of
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

    heavy, light = True, False

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
    class Small(Found):
        heavy = False

    monkeypatch.setattr(hands, "QUICK_S", 0.0)
    call = Small("s1")
    assert asyncio.run(Hands(city).do(call)) == "s1"
    assert call.seen == [threading.current_thread().name, "siltwatch-pen", "siltwatch-pen"]


@pytest.mark.parametrize("light", [True, False])
def test_where_the_system_gives_no_more_threads_a_call_is_done_all_the_same_and_once(city, monkeypatch, light):
    start = threading.Thread.start

    def none_of_ours(thread):
        if thread.name.startswith("siltwatch-"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", none_of_ours)
    call = (Light if light else Found)("s1")
    own = threading.current_thread().name
    assert asyncio.run(Hands(city).do(call)) == "s1" and held(city, "s1")
    assert call.seen == [own] * 3


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


class Light(Found):
    """The same, as a record or a photo is."""

    light = True

    def before(self):
        self._pass("before")
        return gentle(lambda tx: self._act(tx))


KINDS = pytest.mark.parametrize("kind", [Found, Light])


def flushed(city):
    """Where the city's transactions are made durable from now on: the names of the threads."""
    found = []
    event.listen(city.db.engine, "commit", lambda _: found.append(threading.current_thread().name))
    return found


def test_a_light_act_is_done_in_the_event_loop_which_does_not_wait_for_the_disk(city):
    where, call = flushed(city), Light("s1")
    own = threading.current_thread().name
    assert asyncio.run(Hands(city).do(call)) == "s1" and where == ["siltwatch-flush"] and held(city, "s1")
    assert call.seen == ["siltwatch-hand", own, own]


def test_light_acts_that_come_during_a_flush_are_made_durable_together_in_the_next(city):
    go, where = threading.Event(), []

    def flush(_):
        where.append(threading.current_thread().name)
        go.wait(60)

    event.listen(city.db.engine, "commit", flush)

    async def main():
        found = Hands(city)
        tasks = [asyncio.ensure_future(found.do(Light("first")))]
        while not where:
            await asyncio.sleep(0.001)
        tasks += [asyncio.ensure_future(found.do(Light(f"s{n}"))) for n in range(6)]
        while len(found._ready) < 6:  # the loop goes on meanwhile, and nobody is answered
            await asyncio.sleep(0.001)
        assert not any(task.done() for task in tasks)
        go.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(main()) == ["first", *(f"s{n}" for n in range(6))]
    assert where == ["siltwatch-flush"] * 2 and all(held(city, f"s{n}") for n in range(6))


def test_what_could_not_be_made_durable_is_done_again_and_answered_only_then(city):
    failures = [OSError("the disk hiccups")]

    def flush(_):
        if failures:
            raise failures.pop()

    event.listen(city.db.engine, "commit", flush)
    call = Light("s1")
    assert asyncio.run(Hands(city).do(call)) == "s1" and held(city, "s1") and not failures
    assert call.seen == ["siltwatch-hand", threading.current_thread().name, "siltwatch-pen", "siltwatch-pen"]
    city.db.write(lambda tx: None)  # and others can write


def breaks_at_begin(tx):
    raise sqlite3.OperationalError("disk I/O error")  # as the driver says it, by itself


def breaks_at_commit(tx):
    raw_of(tx).close()  # so nothing can be undone either, nor the connection given back


@pytest.mark.parametrize("when, breaks", [("begin", breaks_at_begin), ("commit", breaks_at_commit)])
def test_a_connection_that_breaks_leaves_nobody_waiting(city, when, breaks):
    broken = []

    def once(tx):
        if not broken:
            broken.append(when)
            breaks(tx)

    event.listen(city.db.engine, when, once)

    async def main():
        found = Hands(city)
        async with asyncio.timeout(60):
            return [await found.do(Light("s1")), await found.do(Light("s2"))]

    assert asyncio.run(main()) == ["s1", "s2"] and broken and held(city, "s1") and held(city, "s2")


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("where", ["before", "act", "after"])
@KINDS
def test_what_a_call_raises_reaches_it_alone(city, alone, where, kind):
    async def main():
        found = Hands(city)
        if alone:
            return await asyncio.gather(found.do(kind("bad", fails=where), alone=True), return_exceptions=True)
        calls = [kind("s1"), kind("bad", fails=where), kind("s2")]
        return await asyncio.gather(*map(found.do, calls), return_exceptions=True)

    told = asyncio.run(main())
    assert [type(one).__name__ for one in told] == (["Problem"] if alone else ["str", "Problem", "str"])
    assert held(city, "bad") == (where == "after")
    assert alone or (held(city, "s1") and held(city, "s2"))


@KINDS
def test_whoever_cannot_be_told_keeps_nobody_else_from_it(city, kind):
    told, calls = [], [kind("s1"), kind("s2"), kind("s3")]

    async def main():
        found, all_told = Hands(city), asyncio.Event()

        def tell(name):
            def now(result, error):
                told.append(name)
                if len(told) == 3:
                    all_told.set()
                raise RuntimeError("the line is closed")
            return now

        for call in calls:
            found.take(call, False, tell(call.name))
        async with asyncio.timeout(60):
            await all_told.wait()

    asyncio.run(main())
    assert sorted(told) == ["s1", "s2", "s3"] and all(held(city, call.name) for call in calls)


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


@pytest.mark.parametrize("kind, alone", [(Found, True), (Light, True), (Light, False)])
def test_while_another_process_writes_the_event_loop_does_not_wait(city, tmp_path, kind, alone):
    """The lone call goes to a thread, which is patient; the loop goes on meanwhile."""
    other = sqlite3.connect(tmp_path / "city" / DATABASE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def main():
        call = kind("s1")
        task = asyncio.ensure_future(Hands(city).do(call, alone=alone))
        for _ in range(20):
            await asyncio.sleep(0.01)  # the loop runs
        assert not task.done()
        other.execute("COMMIT")
        assert await task == "s1"
        return call

    call = asyncio.run(main())
    other.close()
    before = threading.current_thread().name if alone else "siltwatch-hand"
    assert held(city, "s1") and call.seen == [before, "siltwatch-pen", "siltwatch-pen"]
    with city.db.read() as tx:  # the patience of the writer is as it was
        assert tx.exec_driver_sql("PRAGMA busy_timeout").scalar() > 0
    assert city.db._pen.exec_driver_sql("PRAGMA busy_timeout").scalar() > 0


@pytest.mark.parametrize("kind, alone", [(Found, True), (Light, True), (Light, False)])
def test_while_this_process_writes_it_does_not_wait_either(city, kind, alone):
    go, begun = threading.Event(), threading.Event()

    def long(tx):
        begun.set()
        go.wait(60)

    writer = threading.Thread(target=city.db.write, args=(long,))
    writer.start()
    begun.wait(60)

    async def main():
        task = asyncio.ensure_future(Hands(city).do(kind("s1"), alone=alone))
        await asyncio.sleep(0.02)
        assert not task.done()
        go.set()
        return await task

    assert asyncio.run(main()) == "s1"
    writer.join()
    assert held(city, "s1")
