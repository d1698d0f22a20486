"""The sealed store: what opens it, what stays shut, and that nothing of it lies open on the medium."""

import asyncio
import json
from random import Random

import pytest

from field_app.hardware.crypto import NativeCrypto
from field_app.store import StoreDamaged, frames, journal
from field_app.store.ciphers import Forged
from field_app.store.disk import JOURNALS, KEYS, SNAPSHOTS
from field_app.store.keyring import data_of, open_box
from field_app.store.memory import Crashed, Medium, open_memory
from field_app.store.problems import StoreFull, StoreLocked
from sync.records.recovery import user_key_label
from tests.field_app.store.test_crash import content, work

PIN, ROUNDS = "271828", 10
CIPHERS = NativeCrypto()


async def opened(medium):
    return await open_memory(medium, CIPHERS)


async def unlocked(medium, person="ada", pin=PIN):
    store = await opened(medium)
    await store.unlock(person, await store.keys.fits(person, pin))
    return store


async def put(store, table, **docs):
    async with store.change() as tx:
        for id, doc in docs.items():
            tx.put(table, id, doc)


async def two_people(medium):
    """Ada has a draft, Ben has one; Ben is at work."""
    store = await opened(medium)
    await put(store, "sites", s1={"name": "Corner lot", "address": "12 Mud Lane"})
    await store.keys.add("ada", "Ada Lindqvist", PIN, ROUNDS)
    store.describe(lambda table, doc: {"site": doc["site"]})
    await put(store, "drafts", a1={"site": "s1", "note": "half a silt fence"})
    await store.lock_person()
    await store.keys.add("ben", "Ben Okafor", "314159", ROUNDS)
    await put(store, "drafts", b1={"site": "s2", "note": "mud on Elm Street"})
    return store


def test_nothing_can_be_read_before_a_pin_and_everything_after():
    async def main():
        medium = Medium()
        store = await two_people(medium)
        await store.compact()
        await put(store, "facts", f1={"text": "signed and sent"})
        await store.close()
        store = await opened(medium)
        assert store.locked and all(not len(store.table(name)) for name in ("sites", "drafts", "facts"))
        with pytest.raises(StoreLocked):
            await put(store, "sites", s1={})
        assert await store.keys.fits("ada", "271829") is None
        await store.unlock("ada", await store.keys.fits("ada", PIN))
        assert content(store)["facts"] == {"f1": {"text": "signed and sent"}}
        assert content(store)["drafts"] == {"a1": {"site": "s1", "note": "half a silt fence"}}
        await store.close()
        raw = b"".join(medium.files.values())
        for known in (b"Mud Lane", b"Corner", b"silt fence", b"Elm Street", b"signed and sent", b"drafts", b"271828"):
            assert known not in raw
        assert b"Lindqvist" in raw  # who may unlock it stands in the key ring, as on any lock screen

    asyncio.run(main())


def test_the_next_person_finds_none_of_what_the_one_before_began_and_leaves_it_as_it_is():
    async def main():
        medium = Medium()
        store = await two_people(medium)
        assert set(content(store)["drafts"]) == {"b1"}
        assert store.hidden("drafts") == [{"id": "a1", "site": "s1"}]
        async with store.change() as tx:
            assert tx.get("drafts", "a1") is None and tx.hidden("drafts")[0]["site"] == "s1"
            tx.delete("drafts", "a1")  # what is not there is not deleted
            tx.put("meta", "m", {"n": 1})
        await store.compact()
        await store.unlock("ada", await store.keys.fits("ada", PIN))
        assert content(store)["drafts"] == {"a1": {"site": "s1", "note": "half a silt fence"}}
        await put(store, "drafts", a1={"site": "s1", "note": "a whole one"})
        await store.close()
        store = await unlocked(medium, "ben", "314159")
        assert set(content(store)["drafts"]) == {"b1"} and content(store)["sites"]
        await store.unlock("ada", await store.keys.fits("ada", PIN))
        assert content(store)["drafts"] == {"a1": {"site": "s1", "note": "a whole one"}}
        await store.lock_person()
        assert "drafts" not in content(store) and not store.locked
        await put(store, "facts", f1={"n": 1})  # what is signed goes on its way

    asyncio.run(main())


def test_what_is_signed_is_everybodys_and_what_is_given_up_too():
    async def main():
        store = await two_people(Medium())
        await put(store, "order_drafts", o1={"stage": "printed", "site": "s1"}, o2={"stage": "done", "site": "s1"})
        await put(store, "reports", r1={"stage": "open", "site": "s1"}, r2={"stage": "signed", "site": "s1"})
        await store.lock_person()
        assert set(content(store)["order_drafts"]) == {"o2"} and set(content(store)["reports"]) == {"r2"}

    asyncio.run(main())


def test_another_pin_opens_the_same_drafts_and_the_old_one_nothing():
    async def main():
        medium = Medium()
        store = await two_people(medium)
        await store.keys.change_pin("ben", "161803", ROUNDS)
        await store.close()
        store = await opened(medium)
        assert await store.keys.fits("ben", "314159") is None
        await store.unlock("ben", await store.keys.fits("ben", "161803"))
        assert set(content(store)["drafts"]) == {"b1"}

    asyncio.run(main())


def test_the_city_can_open_the_box_and_nobody_else():
    async def main():
        private, public = await CIPHERS.new_pair()
        medium = Medium()
        store = await two_people(medium)
        assert all("recovery" not in entry for entry in store.keys.doc["people"].values())
        await store.keys.trust(public)  # Ben is at work: his key is boxed up at once, Ada's when she comes
        assert set(store.keys.doc["people"]["ben"]) > {"recovery"} and "recovery" not in store.keys.doc["people"]["ada"]
        await store.unlock("ada", await store.keys.fits("ada", PIN))
        await store.close()
        store = await opened(medium)
        box = data_of(store.keys.entry("ada")["recovery"]["box"])
        key = await open_box(CIPHERS, private, public, box, user_key_label("ada"))
        await store.unlock("ada", key)
        assert set(content(store)["drafts"]) == {"a1"}
        stranger, _public = await CIPHERS.new_pair()
        with pytest.raises(Forged):
            await open_box(CIPHERS, stranger, public, box, user_key_label("ada"))
        with pytest.raises(Forged):  # in another person's question
            await open_box(CIPHERS, private, public, box, user_key_label("ben"))
        ben = await open_box(CIPHERS, private, public, data_of(store.keys.entry("ben")["recovery"]["box"]),
                             user_key_label("ben"))
        with pytest.raises(StoreDamaged):  # a key that is not hers is not kept
            await store.unlock("ada", ben)
        assert store.keys.person is None and store.keys.own is None and "drafts" not in content(store)
        # A box of an older app, which named nobody, is made anew.
        older = {**store.keys.entry("ada")["recovery"], "box": "old"}
        del older["v"]
        await store.keys.write(lambda doc: doc["people"]["ada"].update(recovery=older))
        await store.unlock("ada", key)
        assert store.keys.entry("ada")["recovery"]["box"] != "old"

    asyncio.run(main())


def test_a_key_is_destroyed_only_when_told_and_the_last_one_never_shuts_the_tablet():
    async def main():
        medium = Medium()
        store = await two_people(medium)
        await store.keys.forget("ben")
        assert store.keys.entry("ben") is None and store.keys.person is None
        await store.unlock("ada", await store.keys.fits("ada", PIN))
        await store.keys.forget("ada")
        await store.close()
        store = await opened(medium)
        assert not store.locked and content(store)["sites"]

    asyncio.run(main())


@pytest.mark.parametrize("name", ["journal-0", "journal-1", "snapshot-0", "snapshot-1"])
def test_a_whole_frame_that_does_not_open_is_damage_and_not_a_torn_tail(name):
    async def main():
        medium = Medium()
        store = await two_people(medium)
        await store.compact()
        await put(store, "meta", m={"n": 1})
        await store.close()
        found = frames.scan(medium.files.get(name, b""), where=name).frames
        sealed = [frame for frame in found if frame.key_id]
        if not sealed:
            return False
        last = sealed[-1]
        flipped = bytes([last.payload[0] ^ 1]) + last.payload[1:]
        data = b"".join(frames.pack(f.kind, f.seq, flipped if f is last else f.payload, f.key_id) for f in found)
        medium.files[name] = data
        before = dict(medium.files)
        with pytest.raises(StoreDamaged):
            await unlocked(medium)
        assert {n: d for n, d in medium.files.items() if n not in KEYS} == {
            n: d for n, d in before.items() if n not in KEYS}
        return True

    asyncio.run(main())


def test_a_frame_does_not_pass_for_another():
    """Two sealed records change places, numbers and all but what is sealed: they do not open."""

    async def main():
        medium = Medium()
        store = await opened(medium)
        await put(store, "sites", s1={"n": 1})
        await put(store, "sites", s1={"n": 2})
        await store.close()
        head, one, two = frames.scan(medium.files["journal-0"], where="").frames
        medium.files["journal-0"] = b"".join((
            frames.pack(head.kind, head.seq, head.payload), frames.pack(one.kind, one.seq, two.payload, one.key_id),
            frames.pack(two.kind, two.seq, one.payload, two.key_id)))
        with pytest.raises(StoreDamaged):
            await opened(medium)

    asyncio.run(main())


def test_lost_keys_are_reported_and_never_made_anew():
    async def main():
        medium = Medium()
        await (await two_people(medium)).close()
        for broken in ({name: b"" for name in KEYS}, {name: b"\0" * 300 for name in KEYS}):
            copy = Medium()
            copy.files = {**medium.files, **broken}
            with pytest.raises(StoreDamaged):
                await opened(copy)
            assert copy.files == {**medium.files, **broken}
        for name in KEYS:  # one of the two is enough
            copy = Medium()
            copy.files = {**medium.files, name: b""}
            store = await unlocked(copy)
            assert content(store)["sites"] and copy.files[name]

    asyncio.run(main())


def test_no_nonce_comes_twice_not_even_after_a_torn_tail():
    async def main():
        medium, seen = Medium(), []
        medium.random = Random(5)
        for _ in range(20):
            medium.crash_in = 9
            try:
                store = await opened(medium)
                while True:
                    await put(store, "facts", f1={"n": 1})
            except Crashed:
                pass
            medium.crash_in = None
            for name in JOURNALS:
                found = frames.scan(medium.files.get(name, b""), where="").frames
                seen += [frame.payload[:12] for frame in found if frame.key_id and frame.payload[:12] not in seen]
        payloads = {frame.payload for name in JOURNALS
                    for frame in frames.scan(medium.files.get(name, b""), where="").frames
                    if frame.key_id}
        assert len({payload[:12] for payload in payloads}) == len(payloads) and len(seen) >= 20

    asyncio.run(main())


async def as_before(medium):
    """A store of the time before there were keys, with a torn tail kept aside, changes and a snapshot."""
    store = await open_memory(medium)
    for number in range(12):
        await put(store, "facts", **{f"f{number}": {"number": number, "text": "soil on the road " * 20}})
    await store.compact()
    await put(store, "drafts", d1={"user": "ada", "note": "half a silt fence"})
    await store.close()
    medium.files["journal-0.torn-1"] = b"soil on the road"
    return content(store)


def test_an_older_store_becomes_sealed_whenever_it_is_killed_on_the_way(monkeypatch):
    monkeypatch.setattr(journal, "PART_BYTES", 800)

    async def one(at):
        medium = Medium()
        expected = await as_before(medium)
        medium.random, medium.crash_in = Random(at), at
        crashed = False
        try:
            await (await opened(medium)).close()
        except Crashed:
            crashed = True
        medium.crash_in = None
        store = await opened(medium)
        assert content(store) == expected, f"killed at operation {at}"
        await store.close()
        raw = b"".join(data for name, data in medium.files.items())
        assert b"soil on the road" not in raw and b"silt fence" not in raw, f"killed at operation {at}"
        return crashed

    async def every():
        at = 0
        while await one(at):
            at += 1
        return at

    assert asyncio.run(every()) > 15


def test_a_first_pin_takes_the_drafts_from_before_along():
    async def main():
        medium = Medium()
        await as_before(medium)
        store = await opened(medium)
        await store.keys.add("ada", "Ada Lindqvist", PIN, ROUNDS)
        assert await store.adopt(lambda table, doc: doc["user"] == "ada") == 1
        await store.lock_person()
        assert "drafts" not in content(store)

    asyncio.run(main())


def test_a_full_medium_refuses_a_pin_and_keeps_the_old_one():
    async def main():
        medium = Medium()
        store = await two_people(medium)
        medium.room = medium.used()
        before = json.dumps(store.keys.doc)
        try:
            await store.keys.change_pin("ben", "161803", ROUNDS)
        except StoreFull:
            assert json.dumps(store.keys.doc) == before
        medium.room = None
        await store.close()
        store = await opened(medium)
        right = [pin for pin in ("314159", "161803") if await store.keys.fits("ben", pin)]
        assert len(right) == 1

    asyncio.run(main())


@pytest.mark.parametrize("seed", range(2))
def test_a_sealed_store_survives_a_crash_at_every_operation(seed, monkeypatch):
    """With people coming and going: the state found is that of the last acknowledged change, or of the next one."""
    monkeypatch.setattr(journal, "COMPACT_AT", 3_000)
    monkeypatch.setattr(journal, "PART_BYTES", 800)

    async def one(at):
        medium, random, states = Medium(), Random(seed), [{}]
        medium.random = Random(1000 * seed + at)
        store = await opened(medium)
        await store.keys.add("ada", "Ada Lindqvist", PIN, ROUNDS)
        medium.crash_in = at
        crashed, acknowledged = False, 0
        try:
            for number in range(25):
                await work(store, random, 1, states)
                acknowledged = len(states) - 1
                if number % 8 == 7:
                    await store.lock_person()
                    await store.unlock("ada", await store.keys.fits("ada", PIN))
                    await store.keys.note_tries("ada", {"wrong": number})
                await asyncio.sleep(0)
            await store.close()
        except Crashed:
            crashed = True
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.gather(task, return_exceptions=True)
        medium.crash_in = None
        store = await unlocked(medium)
        assert content(store) in states[acknowledged:], f"crash at operation {at}"
        await store.close()
        return crashed

    async def all_of_them():
        at = 0
        while await one(at):
            at += 1
        return at

    assert asyncio.run(all_of_them()) > 40


def test_the_snapshots_are_sealed_too():
    async def main():
        medium = Medium()
        store = await two_people(medium)
        await store.compact()
        await store.close()
        kinds = {frame.kind: frame.key_id for name in SNAPSHOTS
                 for frame in frames.scan(medium.files.get(name, b""), where="").frames}
        assert kinds[frames.PART] == kinds[frames.END] == 1 and kinds[frames.SNAPSHOT] == frames.CLEAR

    asyncio.run(main())
