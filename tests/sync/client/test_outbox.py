"""The outbox contract on every outbox there is: in memory, over the tablet's store in memory and on native files."""

import asyncio
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from field_app.photos.native import open_native_box
from field_app.store.memory import Medium, open_memory
from field_app.store.native import open_native
from field_app.store.outbox import remember_enrolment
from sync.client.enrolment import Enrolment
from sync.client.keeping import keep_until, purgeable
from sync.client.marks import EpochSeen, Receipted
from sync.client.outbox import MemoryOutbox
from sync.client.rows import FRESH_FILE, PARKED, RECEIVED, SAFE, WAITING, fact_doc
from sync.client.shelf import Shelf, view_of
from sync.client.states import HELD, SENDING, item_states, summary
from sync.records.facts import freeze
from sync.records.numbers import order_number
from sync.records.receipts import Receipt
from tests.contract import outbox_contract
from tests.contract.outbox_world import StoreWorld
from tests.support.sync_sim import AT, small_fact
from tests.support.sync_sim import queue as queue_fact


class MemoryWorld:
    def __init__(self, _folder):
        self.port = MemoryOutbox()

    async def open(self):
        pass

    async def crash(self):
        self.port = MemoryOutbox(self.port.dump())

    async def keep(self, data):
        await self.port.keep(data)

    async def queue(self, frozen, mac, credential):
        await self.port.queue(frozen, mac=mac, credential=credential)

    async def doc(self, table, id):
        return self.port.get(table, id)

    async def put(self, table, id, doc):
        self.port.put(table, id, doc)


class StoreInMemory(StoreWorld):
    async def open_box(self):
        return await open_native_box(self.folder / "evidence")

    def __init__(self, folder):
        super().__init__(folder)
        self.medium = Medium()

    async def open_store(self):
        return await open_memory(self.medium)

    async def crash(self):
        self.medium.held = False  # the process is gone; only the medium's bytes are left
        await self.reopen()


class StoreOnFiles(StoreWorld):
    async def open_box(self):
        return await open_native_box(self.folder / "evidence")

    async def open_store(self):
        return await open_native(self.folder / "store")

    async def crash(self):
        await self.store.close()
        await self.reopen()


@pytest.mark.parametrize("world", [MemoryWorld, StoreInMemory, StoreOnFiles])
@pytest.mark.parametrize("name", outbox_contract.CHECKS)
def test_contract(name, world, tmp_path):
    async def run():
        here = world(tmp_path)
        await here.open()
        await outbox_contract.CHECKS[name](here)

    asyncio.run(run())


def safe_outbox(at="2026-08-27T19:00:00+00:00"):
    """Facts 1 and 2 name the same photo; only 1 is safe."""
    port = MemoryOutbox()
    for number in (1, 2):
        queue_fact(port, small_fact(number, files=(b"p",)), b"p")
    row = port.view().facts[0]
    receipt = Receipt(row.id, row.sha256, "applied", None, {row.evidence[0]: True}, "e1", at)
    asyncio.run(port.mark([EpochSeen("e1"), Receipted(receipt, {"text": "", "mac": ""})]))
    return port


def moment(text):
    return datetime.fromisoformat(text)


def test_originals_are_kept_for_a_fortnight_after_the_receipt():
    view = safe_outbox().view()
    assert purgeable(view, moment("2026-09-10T18:59:59+00:00")) == ((), ())
    facts, _ = purgeable(view, moment("2026-09-10T19:00:00+00:00"))
    assert facts == (view.facts[0].id,)


def test_a_photo_stays_as_long_as_any_record_needs_it():
    view = safe_outbox().view()
    assert purgeable(view, moment("2030-01-01T00:00:00+00:00")) == ((view.facts[0].id,), ())


def test_after_a_new_epoch_nothing_may_be_thrown_away():
    port = safe_outbox()
    asyncio.run(port.mark([EpochSeen("e2")]))
    assert purgeable(port.view(), moment("2030-01-01T00:00:00+00:00")) == ((), ())


@pytest.mark.parametrize("at", ["soon", "2026-08-27T19:00:00", ""])
def test_a_receipt_without_a_usable_time_keeps_its_original_for_ever(at):
    assert keep_until(at) is None
    assert purgeable(safe_outbox(at).view(), moment("2030-01-01T00:00:00+00:00")) == ((), ())


def enrolment(code, count):
    numbers = tuple({"number": order_number(2026, code, n), "counter": n, "token": f"{code}{n}"}
                    for n in range(1, count + 1))  # fmt: skip
    return Enrolment("demo", "Demo City", "id", code, "token", "ab" * 32, numbers, "seal", f"epoch of {code}", AT, {},
                     "https://siltwatch.example")  # fmt: skip


def test_a_tablet_that_is_enrolled_again_counts_only_its_new_numbers(tmp_path):
    async def run():
        world = StoreInMemory(tmp_path)
        await world.open()
        for code, count in (("T07", 20), ("T08", 5)):
            async with world.store.change() as tx:
                remember_enrolment(tx, enrolment(code, count), "cd" * 32)
            view = world.port.view()
            assert (view.lease_free, view.lease_highest, view.epoch) == (count, count, f"epoch of {code}")
        assert len(world.store.table("lease")) == 25  # nothing of the first enrolment is thrown away

    asyncio.run(run())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(["put", "gone", "held", "tried", "received", "whole", "epoch", "limit"]),
                          st.integers(0, 9)), max_size=25))
def test_a_view_that_was_patched_is_the_view_made_anew(steps):
    """Whatever changed in between: rows are remade one by one, and every list is that of looking at everything."""
    files, facts = {}, {}
    patched, epoch, tablet = Shelf(), "e1", None
    for what, number in steps:
        sha, id = f"{number:064x}", f"{number + 1:032x}"
        match what:
            case "put":
                fact = small_fact(number + 1, files=(b"%d" % (number % 4),))
                facts[id] = fact_doc(freeze(fact), mac="0" * 64, credential="c")
                named = fact.evidence[0].sha256
                files[named] = {"sha256": named, "kind": "photo", "size": 3, "media": "image/jpeg", "facts": [id],
                                "sync": files.get(named, {}).get("sync"), "preview": ["due", "made"][number % 2]}
                files[sha] = {"sha256": sha, "kind": ["photo", "placard"][number % 2], "size": 100 - number,
                              "media": "image/jpeg", "facts": ["x"] if number % 3 else [], "sync": None,
                              **({"of": f"{number - 1:064x}"} if number % 3 == 0 else {})}
                patched.change("evidence", named, files[named])
            case "gone":
                facts.pop(id, None)
                files.pop(sha, None)
            case "epoch":
                epoch = f"e{number % 3}"
            case "limit":
                tablet = {"limits": {"evidence_bytes": 93 + number % 5}} if number else None
            case "received" | "whole" if id in facts:
                said = {"receipt": {"text": "", "mac": ""}, "epoch": "e1", "whole": what == "whole",
                        "answer": ["applied", "waiting"][number % 2],
                        "parked": {"code": "server-failed"} if number == 7 else None}
                facts[id] = {**facts[id], "sync": {**facts[id]["sync"], **said}}
            case _:
                for one in (sha, facts[id]["evidence"][0]["sha256"] if id in facts else sha):
                    if one in files:
                        said = {"held": what == "held", "epoch": "e1",
                                "parked": [{"code": "server-failed"}, {"code": "too-large", "largest": 94},
                                           None][min(number % 4, 2)]}
                        files[one] = {**files[one], "sync": {**FRESH_FILE, **said}}
                        patched.change("evidence", one, files[one])
        patched.change("facts", id, facts.get(id))
        patched.change("evidence", sha, files.get(sha))
        made, anew = view_of(patched, (0, 0), {"epoch": epoch}, tablet), Shelf()
        anew.all(facts.values(), files.values())
        fresh = view_of(anew, (0, 0), {"epoch": epoch}, tablet)
        for said in ("facts", "files"):
            assert getattr(made, said) == getattr(fresh, said)
        for said in ("unsent", "asking"):
            assert list(getattr(made, said)()) == list(getattr(fresh, said)())
        assert [(kind, list(rows)) for kind, rows in made.queues()] == [
            (kind, list(rows)) for kind, rows in fresh.queues()]
        assert patched.due == anew.due
        sending = {id: 1, sha: 1}
        for moving in ({}, sending):
            count = summary(made, moving)
            items = [item for item in item_states(made, moving) if item.state != SAFE]
            assert [count.waiting, count.sending, count.received, count.parked, count.held] == [
                sum(item.state == state for item in items) for state in (WAITING, SENDING, RECEIVED, PARKED, HELD)]
            left = [row for row in made.files if row.facts and not row.held]
            assert (count.total, count.done, count.files_left) == (
                len(made.facts), len(made.facts) - len(items), len(left))
            opened = [row for row in made.facts if row.state != SAFE]
            assert count.bytes_left == sum(row.size for row in left) + sum(
                row.size for row in opened if not row.known)
            here = {row.sha256 for row in left}
            assert count.only_here == sum(not row.known or bool(here & set(row.evidence)) for row in opened)
            assert count.safe == (not opened and not left)
        # And they are what the whole says.
        wanted = [row for row in made.facts if not row.known and not row.recheck
                  and (row.state == WAITING or (row.park and row.park.code == "server-failed"))]
        assert list(made.unsent()) == wanted
        rechecking = {sha for row in made.facts if row.recheck for sha in row.evidence}
        assert [row for _, rows in made.queues() for row in rows] == [
            row for row in made.files if not row.held and not (row.recheck and row.sha256 in rechecking)
            and (row.park is None or row.park.code == "server-failed")]
        held = {row.sha256 for row in made.files if row.held}
        assert list(made.asking()) == [
            row for row in made.facts if row.recheck
            or (row.known and not row.whole and (row.answer != "applied" or held.issuperset(row.evidence)))]
        assert made.facts_of(["none", *(row.id for row in made.facts)]) == [None, *made.facts]
