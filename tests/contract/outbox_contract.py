"""The outbox port's contract: what every implementation keeps, as plain coroutines that need no test framework.

Each check takes a ``World``: one place for an outbox with its evidence files, which can be lost and found again as
after a crash. A check fails by an exception. ``CHECKS`` lists them all by name.
"""

import asyncio
from typing import Any, Protocol

from sync.client.marks import (
    Change,
    Copied,
    EpochSeen,
    FileHeld,
    FileLost,
    Leased,
    Pulled,
    Receipted,
    Renewed,
    Reread,
    Tried,
    Unknown,
    Withdrawn,
)
from sync.client.outbox import OutboxPort, send_again
from sync.client.rows import PARKED, RECEIVED, SAFE, WAITING, Cursor
from sync.records.facts import freeze
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.records.receipts import EvidenceReceipt, Receipt
from tests.support.sync_sim import AT, small_fact

CHECKS = {}
SEALED = {"text": "as it came", "mac": "0" * 64}


class World(Protocol):
    """One place where an outbox may be, empty at first."""

    port: OutboxPort

    async def open(self) -> None: ...

    async def crash(self) -> None:
        """What was not durable is gone; ``port`` is a new one over what is left."""

    async def keep(self, data: bytes) -> None: ...

    async def queue(self, frozen: bytes, mac: str, credential: str) -> None: ...

    async def doc(self, table: str, id: str) -> dict[str, Any] | None: ...

    async def put(self, table: str, id: str, doc: dict[str, Any]) -> None: ...


def check(function):
    CHECKS[function.__name__] = function
    return function


async def queued(world, number=1, files=(), **more):
    for data in files:
        await world.keep(data)
    fact = small_fact(number, files=tuple(files), **more)
    await world.queue(freeze(fact), "ab" * 32, "c1")
    return fact


def receipted(port, fact, answer="applied", *, epoch="e1", held=True, sha256=None, at=AT, register=None):
    row = port.view().fact(fact.id)
    files = dict.fromkeys(row.evidence, held)
    receipt = Receipt(fact.id, sha256 or row.sha256, answer, None, files, epoch, at, register)
    return Receipted(receipt, SEALED)


def file_held(data, epoch="e1"):
    return FileHeld(EvidenceReceipt(fingerprint(data), len(data), epoch, AT), SEALED)


@check
async def a_queued_fact_keeps_its_exact_bytes_for_ever(world):
    fact = small_fact(1, extra={"z": {"b": 1, "a": "é"}})
    await world.queue(freeze(fact), "ab" * 32, "c1")
    await world.crash()
    await world.port.mark([EpochSeen("e1"), Tried("facts", fact.id, "x"), receipted(world.port, fact)])
    await world.crash()
    row = world.port.view().facts[0]
    assert row.text.encode() == freeze(fact) and row.sha256 == fingerprint(freeze(fact))
    assert (row.mac, row.credential, row.counter, row.kind) == ("ab" * 32, "c1", 1, fact.kind)


@check
async def facts_are_in_the_order_of_their_counters(world):
    for number in (3, 1, 2):
        await queued(world, number)
    assert [row.counter for row in world.port.view().facts] == [1, 2, 3]


@check
async def an_item_is_safe_only_by_a_whole_receipt_of_the_present_epoch(world):
    fact = await queued(world, files=[b"p"])
    port = world.port
    await port.mark([receipted(port, fact, epoch="e1")])
    assert port.view().facts[0].state == WAITING  # no epoch seen yet
    await port.mark([EpochSeen("e1")])
    assert port.view().facts[0].state == SAFE
    await port.mark([receipted(port, fact, held=False)])
    assert port.view().facts[0].state == RECEIVED
    await port.mark([receipted(port, fact, answer="waiting")])
    assert port.view().facts[0].state == RECEIVED
    await port.mark([receipted(port, fact, answer="quarantined")])
    row = port.view().facts[0]
    assert row.state == PARKED and row.park.held
    await port.mark([receipted(port, fact)])
    await world.crash()
    assert world.port.view().facts[0].state == SAFE


@check
async def a_receipt_for_other_bytes_is_not_taken(world):
    fact = await queued(world)
    await world.port.mark([EpochSeen("e1"), receipted(world.port, fact, sha256="0" * 64)])
    assert world.port.view().facts[0].state == WAITING


@check
async def marks_are_durable_when_mark_returns(world):
    fact = await queued(world, files=[b"p"])
    await world.port.mark([EpochSeen("e1"), file_held(b"p")])
    await world.crash()
    assert world.port.view().files[0].held and world.port.view().epoch == "e1"
    await world.port.mark([receipted(world.port, fact, register="2026-0007")])
    await world.crash()
    assert world.port.view().facts[0].register == "2026-0007"


@check
async def marks_are_all_or_nothing(world):
    fact = await queued(world)
    bad = Pulled((Change("site", "s1", {"id": "s1", "name": object()}),), Cursor("e1", "1", 5))
    try:
        await world.port.mark([EpochSeen("e1"), receipted(world.port, fact), bad])
    except Problem:
        pass
    else:
        raise AssertionError("a document that cannot be kept was taken")
    for _ in range(2):
        view = world.port.view()
        assert (view.facts[0].state, view.epoch, view.cursor) == (WAITING, "", Cursor())
        assert await world.doc("sites", "s1") is None
        await world.crash()


@check
async def a_new_epoch_ends_every_receipt_and_the_cursor_at_once(world):
    fact = await queued(world, files=[b"p"])
    port = world.port
    await port.mark([EpochSeen("e1"), receipted(port, fact), Pulled((), Cursor("e1", "1", 9))])
    assert port.view().facts[0].state == SAFE and port.view().cursor.seq == 9
    await port.mark([EpochSeen("e1")])
    assert port.view().cursor.seq == 9  # the same epoch again changes nothing
    await port.mark([EpochSeen("e2")])
    view = port.view()
    assert (view.facts[0].state, view.facts[0].recheck, view.files[0].held) == (WAITING, True, False)
    assert view.cursor == Cursor()
    await port.mark([receipted(port, fact, epoch="e2")])
    assert port.view().facts[0].state == SAFE and port.view().files[0].held


@check
async def pulled_documents_and_their_cursor_come_together(world):
    site = {"id": "s1", "name": "Lot", "address": "1 Mill St", "parcel": "1", "unheard_of": [1, {"a": None}]}
    page = Pulled((Change("site", "s1", site), Change("site", "s2", {**site, "id": "s2"})), Cursor("e1", "1", 2))
    await world.port.mark([EpochSeen("e1"), page])
    await world.crash()
    assert await world.doc("sites", "s1") == site and world.port.view().cursor == Cursor("e1", "1", 2)
    await world.port.mark([Pulled((Change("site", "s1", None), Change("site", "s9", None)), Cursor("e1", "1", 4))])
    await world.crash()
    assert await world.doc("sites", "s1") is None and await world.doc("sites", "s2") is not None
    await world.port.mark([Reread()])
    assert world.port.view().cursor == Cursor() and await world.doc("sites", "s2") is not None


@check
async def what_could_not_be_read_is_remembered(world):
    await world.port.mark([Pulled((), Cursor("e1", "1", 1), ({"kind": "site", "id": "s1", "problem": "no name"},))])
    assert (await world.doc("meta", "sync"))["unread"][0]["id"] == "s1"


@check
async def a_repeated_lease_never_frees_a_number(world):
    numbers = tuple({"number": f"SW-{n}", "counter": n, "token": f"t{n}"} for n in (1, 2, 3))
    await world.port.mark([Leased(numbers, "seal")])
    await world.put("lease", "SW-1", {**await world.doc("lease", "SW-1"), "used": "order"})
    await world.port.mark([Leased(numbers, "seal")])
    view = world.port.view()
    assert (view.lease_free, view.lease_highest) == (2, 3)
    assert (await world.doc("lease", "SW-1"))["used"] == "order"


@check
async def tries_are_counted_and_an_item_is_parked_and_sent_back(world):
    fact = await queued(world, files=[b"p"])
    port = world.port
    await port.mark([EpochSeen("e1"), Tried("facts", fact.id, "x"), Tried("facts", fact.id, "x", "why", park=True)])
    await port.mark([Tried("evidence", fingerprint(b"p"), "y", park=True)])
    await world.crash()
    port = world.port
    row, file = port.view().facts[0], port.view().files[0]
    assert (row.state, row.tries, row.park.code, row.park.detail) == (PARKED, 2, "x", "why")
    assert file.state == PARKED
    await send_again(port, [fact.id, "not there"])
    row, file = port.view().facts[0], port.view().files[0]
    assert (row.state, row.tries, file.state) == (WAITING, 0, WAITING)


@check
async def what_the_server_lost_is_to_be_sent_again(world):
    fact = await queued(world, files=[b"p"])
    port = world.port
    await port.mark([EpochSeen("e1"), file_held(b"p"), receipted(port, fact)])
    await port.mark([FileLost(fingerprint(b"p"))])
    assert not port.view().files[0].held
    await port.mark([Unknown(fact.id)])
    row = port.view().facts[0]
    assert (row.state, row.recheck) == (WAITING, False)


@check
async def a_file_that_two_facts_name_is_one_file(world):
    one = await queued(world, 1, files=[b"p"])
    two = await queued(world, 2, files=[b"p"])
    files = world.port.view().files
    assert [row.facts for row in files] == [(one.id, two.id)]


@check
async def what_others_keep_beside_a_file_stays(world):
    sha = fingerprint(b"p")
    await world.keep(b"p")
    await world.put("evidence", sha, {"sha256": sha, "kind": "photo", "size": 1, "media": "image/jpeg", "draft": "d1"})
    assert [(row.sha256, row.facts) for row in world.port.view().files] == [(sha, ())]  # it may travel already
    await queued(world, files=[b"p"])
    assert (await world.doc("evidence", sha))["draft"] == "d1"
    assert [(row.sha256, len(row.facts)) for row in world.port.view().files] == [(sha, 1)]


@check
async def the_files_bytes_are_what_is_sent(world):
    await queued(world, files=[b"the very bytes"])
    body = await world.port.evidence_body(fingerprint(b"the very bytes"))
    if hasattr(body, "arrayBuffer"):  # a JS File, in the browser
        body = (await body.arrayBuffer()).to_bytes()
    elif hasattr(body, "read"):
        with body:
            body = body.read()
    assert body == b"the very bytes"
    try:
        await world.port.evidence_body("0" * 64)
    except Problem as problem:
        assert problem.code == "evidence-unknown"
    else:
        raise AssertionError("a file that is not here was given out")


@check
async def marks_from_both_lanes_do_not_undo_each_other(world):
    facts = [await queued(world, number, files=[b"p%d" % number]) for number in range(1, 11)]
    port = world.port
    await port.mark([EpochSeen("e1")])
    await asyncio.gather(
        *(port.mark([file_held(b"p%d" % number)]) for number in range(1, 11)),
        *(port.mark([receipted(port, fact, held=False)]) for fact in facts),
    )
    await world.crash()
    view = world.port.view()
    assert all(row.held for row in view.files) and all(row.known for row in view.facts)


@check
async def what_the_server_thinks_of_the_tablet_is_remembered_for_its_present_code(world):
    await world.port.mark([Renewed("nobody's")])
    assert await world.doc("secrets", "tablet") is None, "a tablet that is not enrolled has no token"
    await world.put("secrets", "tablet", {"tablet_code": "T07", "device_token": "old", "receipt_key": "k"})
    await world.port.mark([EpochSeen("e1"), Renewed("new"), Copied("T07"), Withdrawn("T07")])
    await world.crash()
    view = world.port.view()
    assert (view.code, view.token, view.copied, view.withdrawn, view.epoch) == ("T07", "new", True, True, "e1")
    assert await world.doc("secrets", "tablet") == {"tablet_code": "T07", "device_token": "new", "receipt_key": "k"}
    await world.port.mark([Withdrawn("")])
    assert not world.port.view().withdrawn and world.port.view().copied
    await world.put("secrets", "tablet", {"tablet_code": "T12", "device_token": "t12", "receipt_key": "k"})
    assert not world.port.view().copied and world.port.view().token == "t12"


@check
async def a_mark_about_something_that_is_gone_does_nothing(world):
    gone = small_fact(9)
    receipt = Receipt(gone.id, "0" * 64, "applied", None, {}, "e1", AT)
    await world.port.mark([EpochSeen("e1"), Receipted(receipt, SEALED), file_held(b"gone"), Unknown(gone.id),
                           FileLost("0" * 64), Tried("facts", gone.id, "x", park=True)])
    assert world.port.view().facts == () and world.port.view().files == ()
