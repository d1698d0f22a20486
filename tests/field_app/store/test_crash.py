"""Crashes and full media at every single operation, simulated as unkindly as a power cut (store.memory)."""

import asyncio
from contextlib import suppress
from random import Random

import pytest

from field_app.store import StoreFull, journal
from field_app.store.memory import Crashed, Medium, open_memory

TEXT = "x" * 300


@pytest.fixture(autouse=True)
def small_journal(monkeypatch):
    monkeypatch.setattr(journal, "COMPACT_AT", 3_000)
    monkeypatch.setattr(journal, "PART_BYTES", 800)


def content(store):
    return {name: {doc.doc_id: dict(doc) for doc in store.table(name)} for name in store.db.tables()
            if len(store.table(name))}


async def work(store, random, changes, states):
    """Random changes; after each the state is appended to ``states`` before it is made and is durable after."""
    for number in range(changes):
        after = {name: dict(rows) for name, rows in states[-1].items()}
        async with store.change() as tx:
            for _ in range(random.randint(1, 3)):
                table, id = random.choice(("drafts", "facts")), f"i{random.randrange(9)}"
                if random.random() < 0.3:
                    tx.delete(table, id)
                    after.get(table, {}).pop(id, None)
                else:
                    doc = {"number": number, "text": TEXT}
                    tx.put(table, id, doc)
                    after.setdefault(table, {})[id] = doc
            states.append({name: rows for name, rows in after.items() if rows})


@pytest.mark.parametrize("seed", range(6))
def test_a_crash_at_every_operation(seed):
    """The state found is that of the last acknowledged change, or of the one that was under way."""

    async def one(at):
        medium, random, states = Medium(), Random(seed), [{}]
        medium.random = Random(1000 * seed + at)
        medium.crash_in = at
        crashed, acknowledged = False, 0
        try:
            store = await open_memory(medium)
            for _ in range(40):
                await work(store, random, 1, states)
                acknowledged = len(states) - 1
                await asyncio.sleep(0)
            await store.close()
        except Crashed:
            crashed = True
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.gather(task, return_exceptions=True)
        if not crashed:
            return False
        # Crash once more while it recovers, then let it recover.
        medium.crash_in = at % 5
        with suppress(Crashed):
            store = await open_memory(medium)
            await store.close()
        medium.crash_in = None
        store = await open_memory(medium)
        assert content(store) in states[acknowledged:], f"crash at operation {at}"
        states.append(content(store))
        await work(store, random, 5, states)
        expected = states[-1]
        await store.close()
        store = await open_memory(medium)
        assert content(store) == expected
        await store.close()
        return True

    async def all_of_them():
        at = 0
        while await one(at):
            at += 1
        return at

    assert asyncio.run(all_of_them()) > 60


def test_a_full_medium_leaves_the_old_data_and_says_so():
    async def main():
        medium, states = Medium(room=20_000), [{}]
        store = await open_memory(medium)
        refused = None
        for number in range(200):
            try:
                async with store.change() as tx:
                    tx.put("facts", f"f{number}", {"number": number, "text": TEXT})
            except StoreFull as full:
                refused = full
                break
            states.append(content(store))
            await asyncio.sleep(0)
        assert refused is not None and refused.code == "store-full" and "no room" in refused.detail
        assert content(store) == states[-1]
        await store.close()
        store = await open_memory(medium)
        assert content(store) == states[-1] and not store.repairs
        # Room again: it goes on, and compaction too.
        medium.room = None
        async with store.change() as tx:
            tx.put("facts", "later", {"number": 0})
        await store.compact()
        await store.close()
        store = await open_memory(medium)
        assert content(store)["facts"].keys() == states[-1]["facts"].keys() | {"later"}

    asyncio.run(main())


def test_a_full_medium_during_compaction_stops_only_the_compaction():
    async def main():
        medium = Medium()
        store = await open_memory(medium)
        for number in range(8):
            async with store.change() as tx:
                tx.put("facts", f"f{number}", {"number": number, "text": TEXT})
        medium.room = medium.used() + 1500
        with pytest.raises(StoreFull):
            await store.compact()
        async with store.change() as tx:
            tx.put("facts", "f0", {"number": "changed"})
        expected = content(store)
        await store.close()
        medium.room = None
        store = await open_memory(medium)
        assert content(store) == expected
        await store.compact()
        await store.close()
        assert sum(1 for name in ("journal-0", "journal-1") if medium.files[name]) == 1
        store = await open_memory(medium)
        assert content(store) == expected

    asyncio.run(main())
