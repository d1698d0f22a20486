"""The store's contract, first part: reading, changing, refusing, and what TinyDB may and may not do."""

import asyncio
import contextlib
import json

from tinydb import TinyDB, where

from field_app.store import StoreBusy, StoreValue, frames
from tests.contract.store_world import check, content, files, opened, put, refuses


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
