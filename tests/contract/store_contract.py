"""The store's contract: what every backend keeps, as plain coroutines that need no test framework.

Each check takes a ``World``: one place for a store, whose files can be looked at and damaged while no store
is open. pytest runs them on native files and in memory, and a page runs the same ones on OPFS in Chromium.
A check fails by an exception. ``CHECKS`` lists them all by name.
"""

import asyncio
import contextlib
import json
from typing import Protocol

from tinydb import TinyDB, where

from field_app.store import Store, StoreBusy, StoreDamaged, StoreNewer, StoreValue, frames

CHECKS = {}
FILES = ("journal-0", "journal-1", "snapshot-0", "snapshot-1")


class World(Protocol):
    """One place where a store may be, empty at first."""

    async def open(self) -> Store: ...

    async def peek(self, name: str) -> bytes:
        """A file's bytes; empty when there is none. Only while no store is open."""

    async def poke(self, name: str, data: bytes) -> None:
        """Replaces a file's bytes. Only while no store is open."""

    async def names(self) -> set[str]:
        """The names of the files that are there."""


def check(function):
    CHECKS[function.__name__] = function
    return function


@contextlib.asynccontextmanager
async def opened(world):
    store = await world.open()
    try:
        yield store
    finally:
        await store.close()


async def put(store, table, **docs):
    async with store.change() as tx:
        for id, doc in docs.items():
            tx.put(table, id, doc)


def content(store):
    return {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in sorted(store.db.tables())
            if len(store.table(name))}


async def files(world):
    return {name: await world.peek(name) for name in FILES}


async def refuses(error, awaitable):
    """The error that awaiting raised. Fails when it raised another or none."""
    try:
        await awaitable
    except error as refused:
        return refused
    raise AssertionError(f"{error.__name__} was not raised")


async def refuses_to_open(world, error):
    """Opening is refused, and not one byte has changed."""
    before, names = await files(world), await world.names()
    refused = await refuses(error, world.open())
    assert await files(world) == before, "a store that could not be read was changed"
    assert await world.names() - {"lock"} == names - {"lock"}
    return refused


@check
async def a_new_store_is_empty_and_readable(world):
    async with opened(world) as store:
        assert len(store.table("sites")) == 0
        assert store.table("sites").get("s1") is None
        assert store.table("sites").all() == []
        assert not store.repairs


@check
async def a_change_is_there_at_once_and_after_reopening(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"name": "Elm Street 4"}, s2={"name": "Öl\ud800\u0000 & 東"})
        assert store.table("sites").get("s1") == {"name": "Elm Street 4"}
        before, id = content(store), store.store_id
    async with opened(world) as store:
        assert content(store) == before and store.store_id == id
        assert store.table("sites").get("s2").doc_id == "s2"
        assert "s1" in store.table("sites") and "s3" not in store.table("sites")


@check
async def one_change_is_one_frame(world):
    async with opened(world) as store, store.change() as tx:
        tx.put("facts", "f1", {"n": 1})
        tx.put("evidence", "e1", {"fact": "f1"})
        tx.delete("drafts", "d1")
        tx.put("facts", "f1", {"n": 2})
    kinds = [chr(frame.kind) for frame in frames.scan(await world.peek("journal-0"), where="").frames]
    assert kinds == ["J", "C"]
    async with opened(world) as store:
        assert content(store) == {"facts": {"f1": {"n": 2}}, "evidence": {"e1": {"fact": "f1"}}}


@check
async def an_exception_inside_leaves_nothing(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
        with contextlib.suppress(ZeroDivisionError):
            async with store.change() as tx:
                tx.put("sites", "s1", {"n": 2})
                tx.put("sites", "s2", {"n": 2})
                tx.delete("sites", "s1")
                raise ZeroDivisionError
        assert content(store) == {"sites": {"s1": {"n": 1}}}
    async with opened(world) as store:
        assert content(store) == {"sites": {"s1": {"n": 1}}}


@check
async def a_change_without_writes_costs_nothing(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
    before = await files(world)
    async with opened(world) as store, store.change() as tx:
        assert tx.get("sites", "s1") == {"n": 1}
    assert await files(world) == before


@check
async def values_that_would_not_come_back_are_refused(world):
    endless = []
    endless.append(endless)
    bad = [float("nan"), float("inf"), {1, 2}, (1, 2), {1: "one"}, b"bytes", object(), endless, {"a": {None: 1}}]
    async with opened(world) as store:
        for value in bad:
            async def change(value=value):
                async with store.change() as tx:
                    tx.put("sites", "good", {"n": 1})
                    tx.put("sites", "bad", {"value": value})

            await refuses(StoreValue, change())
        for id in ("", 7, None):
            async def wrong(id=id):
                async with store.change() as tx:
                    tx.put("sites", id, {})

            await refuses(StoreValue, wrong())
        assert content(store) == {}
    async with opened(world) as store:
        assert content(store) == {}


@check
async def a_change_keeps_its_own_copy(world):
    doc = {"answers": {"TRK-01": "yes"}}
    async with opened(world) as store:
        await put(store, "drafts", d1=doc)
        doc["answers"]["TRK-01"] = "no"
        assert store.table("drafts").get("d1") == {"answers": {"TRK-01": "yes"}}


@check
async def an_unknown_table_is_refused(world):
    async with opened(world) as store:
        async def write():
            async with store.change() as tx:
                tx.put("sitse", "s1", {})

        await refuses(StoreValue, write())
        with contextlib.suppress(StoreValue):
            store.table("sitse")
            raise AssertionError("a table that does not exist was given")


@check
async def changes_run_one_after_the_other(world):
    async with opened(world) as store:
        await put(store, "meta", count={"n": 0})

        async def add():
            async with store.change() as tx:
                n = tx.get("meta", "count")["n"]
                await asyncio.sleep(0)
                tx.put("meta", "count", {"n": n + 1})

        await asyncio.gather(*(add() for _ in range(25)))
        assert store.table("meta").get("count") == {"n": 25}
    async with opened(world) as store:
        assert store.table("meta").get("count") == {"n": 25}


@check
async def a_change_inside_a_change_is_refused_not_waited_for(world):
    async with opened(world) as store:
        async def nested():
            async with store.change(), store.change():
                raise AssertionError("the inner change began")

        await asyncio.wait_for(refuses(StoreValue, nested()), 10)
        await put(store, "sites", s1={"n": 1})


@check
async def an_ended_change_is_of_no_use(world):
    async with opened(world) as store:
        async with store.change() as tx:
            tx.put("sites", "s1", {"n": 1})
        with contextlib.suppress(StoreValue):
            tx.put("sites", "s2", {"n": 2})
            raise AssertionError("a change took a write after its end")
        assert content(store) == {"sites": {"s1": {"n": 1}}}


@check
async def a_reader_never_sees_half_a_change(world):
    async with opened(world) as store:
        async with store.change() as tx:
            tx.put("sites", "s1", {"n": 1})
            assert tx.get("sites", "s1") == {"n": 1}
            assert store.table("sites").get("s1") is None
        assert store.table("sites").get("s1") == {"n": 1}


@check
async def deleting_lasts_and_order_is_kept(world):
    async with opened(world) as store:
        await put(store, "sites", a={"n": 1}, b={"n": 2}, c={"n": 3})
        async with store.change() as tx:
            tx.delete("sites", "b")
            tx.delete("sites", "nothing")
        await put(store, "sites", b={"n": 4}, a={"n": 5})
        assert store.table("sites").ids() == ["a", "c", "b"]
    async with opened(world) as store:
        assert store.table("sites").ids() == ["a", "c", "b"]
        await store.compact()
    async with opened(world) as store:
        assert store.table("sites").ids() == ["a", "c", "b"]
        assert content(store) == {"sites": {"a": {"n": 5}, "c": {"n": 3}, "b": {"n": 4}}}


@check
async def it_is_tinydb(world):
    async with opened(world) as store:
        assert isinstance(store.db, TinyDB)
        await put(store, "inlets", i1={"site": "s1", "kind": "curb"}, i2={"site": "s2"}, i3={"site": "s1"})
        table = store.table("inlets")
        assert [doc.doc_id for doc in table.search(where("site") == "s1")] == ["i1", "i3"]
        assert table.get(where("kind") == "curb").doc_id == "i1"
        assert table.get(doc_ids=["i3", "nothing", "i1"]) == [{"site": "s1"}, {"site": "s1", "kind": "curb"}]
        assert table.count(where("site") == "s1") == 2 and table.contains(where("site") == "s2")
        async with store.change() as tx:
            inside = tx.table("inlets")
            assert inside.update({"checked": True}, where("site") == "s1") == ["i1", "i3"]
            assert inside.remove(where("site") == "s2") == ["i2"]
            assert len(inside) == 2 and len(table) == 3
        expected = {"i1": {"site": "s1", "kind": "curb", "checked": True}, "i3": {"site": "s1", "checked": True}}
        assert content(store) == {"inlets": expected}
    async with opened(world) as store:
        assert content(store) == {"inlets": expected}


@check
async def tinydb_cannot_write_round_the_journal(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
        for write in (
            lambda: store.table("sites").update({"n": 2}),
            lambda: store.table("sites").remove(where("n") == 1),
            lambda: store.table("sites").truncate(),
            lambda: store.db.drop_tables(),
            lambda: store.db.storage.write({}),
        ):
            try:
                write()
            except StoreValue:
                continue
            raise AssertionError("a write went round the journal")
        assert content(store) == {"sites": {"s1": {"n": 1}}}


@check
async def no_query_cache_hides_a_change(world):
    async with opened(world) as store:
        sought = where("n") >= 1
        await put(store, "sites", s1={"n": 1})
        assert len(store.table("sites").search(sought)) == 1
        await put(store, "sites", s2={"n": 2})
        assert len(store.table("sites").search(sought)) == 2


@check
async def watchers_hear_of_each_change_and_cannot_break_it(world):
    async with opened(world) as store:
        heard, complaints = [], []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
        end = store.watch(heard.append)
        store.watch(lambda changed: 1 / 0)
        await put(store, "sites", s1={"n": 1})
        end()
        await put(store, "permits", p1={"n": 1})
        asyncio.get_running_loop().set_exception_handler(None)
        assert heard == [frozenset({"sites"})] and len(complaints) == 2
        assert content(store) == {"sites": {"s1": {"n": 1}}, "permits": {"p1": {"n": 1}}}


@check
async def a_second_opener_is_told_and_harms_nothing(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
        await refuses(StoreBusy, world.open())
        await put(store, "sites", s2={"n": 2})
    async with opened(world) as store:
        assert len(store.table("sites")) == 2


@check
async def a_closed_store_refuses_and_lets_go(world):
    store = await world.open()
    await store.close()
    await store.close()
    await refuses(StoreValue, put(store, "sites", s1={}))
    async with opened(world) as store:
        await put(store, "sites", s1={})


@check
async def a_torn_tail_is_cut_off_and_kept_aside(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
    whole = await world.peek("journal-0")
    frame = frames.pack(frames.CHANGE, 2, b'[["sites","s2",{"n":2}]]')
    flipped = frame[:30] + bytes([frame[30] ^ 1]) + frame[31:]
    tails = [frame[:1], frame[:23], frame[:24], frame[:-1], bytes(40), b"\xf5W\x01C" + b"\xff" * 60, flipped]
    for number, tail in enumerate(tails, 1):
        await world.poke("journal-0", whole + tail)
        async with opened(world) as store:
            assert content(store) == {"sites": {"s1": {"n": 1}}}
            [repair] = store.repairs
            assert (repair.file, repair.at, repair.size) == ("journal-0", len(whole), len(tail))
            assert repair.kept_as == f"journal-0.torn-{number}"
        assert await world.peek(repair.kept_as) == tail
        assert await world.peek("journal-0") == whole
    async with opened(world) as store:
        await put(store, "sites", s2={"n": 3})
    async with opened(world) as store:
        assert content(store) == {"sites": {"s1": {"n": 1}, "s2": {"n": 3}}} and not store.repairs


@check
async def damage_before_good_records_is_reported_not_cut_off(world):
    async with opened(world) as store:
        for n in range(5):
            await put(store, "sites", **{f"s{n}": {"n": n}})
    whole = await world.peek("journal-0")
    ends = [frame.seq for frame in frames.scan(whole, where="").frames]
    assert ends == [0, 1, 2, 3, 4, 5]
    for at in (3, 40, len(whole) // 2):
        await world.poke("journal-0", whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        await refuses_to_open(world, StoreDamaged)
    await world.poke("journal-0", whole)
    async with opened(world) as store:
        assert len(store.table("sites")) == 5


@check
async def a_missing_record_is_reported(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
    whole = await world.peek("journal-0")
    await world.poke("journal-0", whole + frames.pack(frames.CHANGE, 3, b'[["sites","s2",{"n":2}]]'))
    assert "2" in str(await refuses_to_open(world, StoreDamaged))


@check
async def files_full_of_zeros_are_not_an_empty_store(world):
    async with opened(world) as store:
        await put(store, "meta", a={})
    smallest = await world.peek("journal-0")
    await world.poke("journal-0", bytes(len(smallest)))
    await refuses_to_open(world, StoreDamaged)
    await world.poke("journal-0", smallest)
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1}, s2={"text": "x" * 300})
    whole = await world.peek("journal-0")
    await world.poke("journal-0", bytes(len(whole)))
    await refuses_to_open(world, StoreDamaged)
    await world.poke("journal-0", b"{" + b"garbage" * 40)
    await refuses_to_open(world, StoreDamaged)


@check
async def a_store_whose_making_was_cut_off_is_made_again(world):
    async with opened(world):
        pass
    head = await world.peek("journal-0")
    for begun in (b"", head[:1], head[:24], head[:-1], bytes(len(head))):
        for name in FILES:
            await world.poke(name, b"")
        await world.poke("journal-0", begun)
        async with opened(world) as store:
            await put(store, "sites", s1={"n": 1})
        async with opened(world) as store:
            assert content(store) == {"sites": {"s1": {"n": 1}}}


@check
async def compaction_changes_nothing_that_is_read(world):
    async with opened(world) as store:
        for n in range(30):
            await put(store, "sites", **{f"s{n % 7}": {"n": n, "text": "x" * 200}})
        await put(store, "permits", p1={"n": 1})
        before = content(store)
        await store.compact()
        assert content(store) == before
        await put(store, "permits", p2={"n": 2})
    left = await files(world)
    assert not left["journal-0"] and left["snapshot-0"] and not left["snapshot-1"]
    before["permits"]["p2"] = {"n": 2}
    for _ in range(3):
        async with opened(world) as store:
            assert content(store) == before
            await store.compact()
            assert content(store) == before


@check
async def changes_during_a_compaction_survive(world):
    async with opened(world) as store:
        await put(store, "sites", **{f"s{n}": {"text": "x" * 5000} for n in range(100)})
        compaction = asyncio.ensure_future(store.compact())
        n = 0
        while not compaction.done():
            await put(store, "sites", **{f"s{n % 100}": {"n": n}, f"new{n}": {"n": n}})
            n += 1
            await asyncio.sleep(0)
        await compaction
        assert n > 2, "nothing was written while the snapshot was"
        before = content(store)
    async with opened(world) as store:
        assert content(store) == before


@check
async def a_closing_store_gives_up_a_compaction_without_loss(world):
    async with opened(world) as store:
        await put(store, "sites", **{f"s{n}": {"text": "x" * 5000} for n in range(100)})
        compaction = asyncio.ensure_future(store.compact())
        await asyncio.sleep(0)
        await put(store, "sites", s1={"n": 1})
        compaction.cancel()
        await asyncio.gather(compaction, return_exceptions=True)
        await put(store, "sites", s2={"n": 2})
        before = content(store)
    async with opened(world) as store:
        assert content(store) == before
        await store.compact()
        await put(store, "sites", s3={"n": 3})
        before = content(store)
    async with opened(world) as store:
        assert content(store) == before


@check
async def every_cut_in_a_compaction_can_be_recovered(world):
    """The files as they stand at each moment of a compaction, put together by hand."""
    async with opened(world) as store:
        await put(store, "sites", **{f"s{n}": {"n": n} for n in range(20)})
        await store.compact()
        await put(store, "sites", s1={"n": "changed"})
        before = content(store)
    old = await files(world)
    async with opened(world) as store:
        await store.compact()
    new = await files(world)
    assert old["snapshot-0"] and old["journal-1"] and not new["snapshot-0"] and not new["journal-1"]
    header, snapshot = new["journal-0"], new["snapshot-1"]
    middle = [snapshot[: len(snapshot) * n // 5] for n in range(5)] + [snapshot[:-1], bytes(len(snapshot))]
    moments = [old | {"journal-0": header[:n]} for n in (1, 24, len(header) - 1, len(header))]
    moments += [old | {"journal-0": header, "snapshot-1": part} for part in middle]
    moments += [old | {"journal-0": header, "snapshot-1": snapshot}]
    moments += [new | {"snapshot-0": old["snapshot-0"]}, new]
    for moment in moments:
        for name, data in moment.items():
            await world.poke(name, data)
        async with opened(world) as store:
            assert content(store) == before
            await put(store, "sites", s2={"n": 2})
        async with opened(world) as store:
            assert content(store)["sites"] == before["sites"] | {"s2": {"n": 2}}


@check
async def a_damaged_or_missing_snapshot_is_reported(world):
    async with opened(world) as store:
        await put(store, "sites", **{f"s{n}": {"n": n} for n in range(20)})
        await store.compact()
        await put(store, "sites", s1={"n": "changed"})
    good = await world.peek("snapshot-0")
    bad = [b"", good[:-1], bytes(len(good))]
    bad += [good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :] for at in (2, 30, len(good) // 2, len(good) - 1)]
    for data in bad:
        await world.poke("snapshot-0", data)
        await refuses_to_open(world, StoreDamaged)
    await world.poke("snapshot-0", good)
    async with opened(world) as store:
        assert store.table("sites").get("s1") == {"n": "changed"}


@check
async def a_missing_journal_is_reported(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
        await store.compact()
    for name in ("journal-0", "journal-1"):
        await world.poke(name, b"")
    await refuses_to_open(world, StoreDamaged)


@check
async def the_files_of_two_stores_are_not_mixed(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
        await store.compact()
    snapshot = await world.peek("snapshot-0")
    for name in FILES:
        await world.poke(name, b"")
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
    await world.poke("snapshot-0", snapshot)
    await refuses_to_open(world, StoreDamaged)


@check
async def a_newer_format_is_left_alone(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
    whole = await world.peek("journal-0")
    version, frames.VERSION = frames.VERSION, frames.VERSION + 1
    try:
        newer = frames.pack(frames.CHANGE, 2, b"[new]")
    finally:
        frames.VERSION = version
    await world.poke("journal-0", whole + newer)
    await refuses_to_open(world, StoreNewer)


@check
async def a_frame_under_an_unknown_key_is_left_alone(world):
    async with opened(world) as store:
        await put(store, "sites", s1={"n": 1})
    whole = await world.peek("journal-0")
    await world.poke("journal-0", whole + frames.pack(frames.CHANGE, 2, b"sealed", key_id=9))
    await refuses_to_open(world, StoreDamaged)


@check
async def large_and_many_documents_come_back(world):
    big = {"text": "ä" * 300_000, "list": list(range(1000)), "number": 0.1, "null": None, "yes": True}
    async with opened(world) as store:
        await put(store, "packs", big=big)
        await put(store, "facts", **{f"f{n}": {"n": n} for n in range(2000)})
        await store.compact()
        await put(store, "packs", bigger=big)
    async with opened(world) as store:
        assert store.table("packs").get("big") == big == store.table("packs").get("bigger")
        assert [doc["n"] for doc in store.table("facts").all()] == list(range(2000))


@check
async def memory_is_what_the_files_say(world):
    """Many changes of every kind, compaction by itself at its threshold; what was read stays what is read."""
    text = "x" * 20_000
    async with opened(world) as store:
        for n in range(150):
            async with store.change() as tx:
                tx.put("drafts", f"d{n % 11}", {"n": n, "text": text})
                tx.delete("drafts", f"d{(n * 3) % 11}")
                tx.put("facts", f"f{n}", {"n": n})
        before = json.dumps(content(store), sort_keys=True)
    left = await files(world)
    assert left["snapshot-0"] or left["snapshot-1"], "compaction did not begin by itself"
    assert sum(map(len, left.values())) < 150 * len(text)
    async with opened(world) as store:
        assert json.dumps(content(store), sort_keys=True) == before
