"""The outbox makes all its rows anew in pieces, and whatever happens between two of them the view is the one that a
fresh outbox over the same store has."""

import asyncio
from dataclasses import replace

import pytest

from field_app.store import outbox
from field_app.store.memory import open_memory
from field_app.store.outbox import StoreOutbox, queue
from sync.client.marks import EpochSeen, Receipted, Tried
from sync.client.ordered import STEP
from sync.client.states import summary
from sync.records.facts import Evidence, freeze
from sync.records.macs import fingerprint
from sync.records.receipts import Receipt
from tests.support.sync_sim import AT, small_fact

ROWS = 200


def signed(number):
    files = tuple(Evidence(fingerprint(b"%d %d" % (number, n)), "photo", 300, "image/jpeg") for n in range(2))
    return replace(small_fact(number), evidence=files)


def receipt(fact, epoch):
    held = {file.sha256: True for file in fact.evidence}
    said = Receipt(fact.id, fingerprint(freeze(fact)), "applied", None, held, epoch, AT)
    return Receipted(said, {"text": "", "mac": ""})


async def sign(store, *numbers):
    async with store.change() as tx:
        for number in numbers:
            queue(tx, freeze(signed(number)), mac="0" * 64, credential="c1")


async def filled():
    """A store with many records, a third of them receipted and one set aside."""
    store = await open_memory()
    await sign(store, *range(1, ROWS + 1))
    port = StoreOutbox(store, None)
    await port.mark([EpochSeen("e1"), *(receipt(signed(number), "e1") for number in range(1, ROWS, 3)),
                     Tried("facts", signed(2).id, "server-failed", "", True)])
    return store


def told(port):
    view = port.view()
    return (view.facts, view.files, list(view.unsent()), list(view.asking()),
            [(kind, list(rows)) for kind, rows in view.queues()], summary(view), view.shelf.due, view.epoch)


async def meanwhile(work, *steps):
    """Does the steps, one in each pause of the work; gives how often it paused."""
    task, pauses, left = asyncio.ensure_future(work), 0, list(steps)
    while not task.done():
        await asyncio.sleep(0)
        pauses += 1
        if left and pauses % 3 == 0:
            await left.pop(0)()
    await task
    assert not left, "it was over too soon"
    return pauses


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch):
    """Each piece is as small as it gets, so that what happens does not depend on the machine."""
    monkeypatch.setattr(outbox, "PIECE_S", -1.0)


def test_the_first_view_comes_in_pieces_and_is_the_same():
    async def play():
        store = await filled()
        port = StoreOutbox(store, None)
        assert await meanwhile(port.prepare()) >= 5 * ROWS // STEP
        assert told(port) == told(StoreOutbox(store, None))

    asyncio.run(play())


def test_what_is_signed_noted_and_asked_for_meanwhile_is_there():
    async def play():
        store = await filled()
        port, other = StoreOutbox(store, None), StoreOutbox(store, None)

        async def looks():
            assert told(port) == told(StoreOutbox(store, None)), "who cannot wait gets all of it"

        await meanwhile(other.prepare(), lambda: sign(store, ROWS + 1),
                        lambda: StoreOutbox(store, None).mark([receipt(signed(5), "e1")]),
                        lambda: sign(store, ROWS + 2))
        await meanwhile(port.prepare(), looks)
        assert told(other) == told(port) == told(StoreOutbox(store, None))

    asyncio.run(play())


def test_another_life_of_the_server_is_judged_in_pieces():
    async def play():
        store = await filled()
        port = StoreOutbox(store, None)
        await port.prepare()
        before = port.view()
        assert summary(before).done
        async with store.change() as tx:
            outbox.write(tx, [EpochSeen("e2")])
        assert await meanwhile(port.prepare(), lambda: sign(store, ROWS + 1)) >= ROWS // STEP
        assert not summary(port.view()).done and told(port) == told(StoreOutbox(store, None))
        assert len(list(port.view().asking())) == len(range(1, ROWS, 3))

    asyncio.run(play())


def test_two_lanes_prepare_side_by_side_and_one_is_cut_off():
    async def play():
        store = await filled()
        port = StoreOutbox(store, None)
        one, two = (asyncio.ensure_future(port.prepare()) for _ in range(2))
        await asyncio.sleep(0)
        one.cancel()
        await asyncio.wait([one, two])
        assert told(port) == told(StoreOutbox(store, None))
        port._written(None)  # the store was shut or opened: all may be another
        await meanwhile(port.prepare(), lambda: sign(store, ROWS + 1), lambda: _shut(port),
                        lambda: sign(store, ROWS + 2))
        assert told(port) == told(StoreOutbox(store, None))

    async def _shut(port):
        port._written(None)

    asyncio.run(play())
