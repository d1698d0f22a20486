"""The store's contract, second part: torn tails, damage, compaction cut off anywhere, newer formats."""

import asyncio

from field_app.store import StoreDamaged, StoreNewer, frames
from tests.contract.store_world import FILES, check, content, files, opened, put, refuses_to_open


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
        newer = frames.pack(frames.CHANGE, 2, b"[new]", key_id=1)
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
