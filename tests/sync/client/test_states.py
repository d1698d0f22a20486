"""What the outbox screen is told: states, percent, reasons in plain words, and "is everything safe?"."""

import asyncio

import pytest

from sync.client.marks import EpochSeen, FileHeld, Receipted, Tried
from sync.client.outbox import MemoryOutbox
from sync.client.reasons import ITEM, LINK, explain_item, explain_link
from sync.client.rows import PARKED, RECEIVED, SAFE, WAITING
from sync.client.states import HELD, SENDING, item_states, summary
from sync.records.macs import fingerprint
from sync.records.receipts import EvidenceReceipt, Receipt
from tests.support.sync_sim import AT, queue, small_fact

SEALED = {"text": "", "mac": ""}


def outbox(*marks, files=(b"a" * 1000, b"b" * 1000)):
    port = MemoryOutbox()
    queue(port, small_fact(1, files=files), *files)
    row = port.view().facts[0]
    made = [EpochSeen("e1")]
    for mark in marks:
        if isinstance(mark, tuple):
            answer, reason, held = mark
            made.append(Receipted(Receipt(row.id, row.sha256, answer, reason, dict.fromkeys(row.evidence, held), "e1",
                                          AT, "2026-0007"), SEALED))
        else:
            made.append(mark)
    asyncio.run(port.mark(made))
    return port


def only(port, sending=None):
    return item_states(port.view(), sending)[0]


def held(data):
    return FileHeld(EvidenceReceipt(fingerprint(data), len(data), "e1", AT), SEALED)


def test_an_item_goes_from_waiting_over_sending_and_received_to_safe():
    waiting = only(outbox())
    assert (waiting.state, waiting.percent, waiting.reason) == (WAITING, 0, None)
    sending = only(outbox(), {waiting.fact: 0})
    assert sending.state == SENDING
    received = only(outbox(("applied", None, False)))
    assert received.state == RECEIVED and 0 < received.percent < 50 and "photos" in received.reason.words
    half = only(outbox(("applied", None, False), held(b"a" * 1000)))
    assert half.state == RECEIVED and 50 < half.percent < 99 and {f.state for f in half.files} == {SAFE, WAITING}
    on_its_way = only(outbox(("applied", None, False)), {fingerprint(b"b" * 1000): 500})
    assert on_its_way.state == SENDING and received.percent < on_its_way.percent < half.percent
    all_sent = only(outbox(("applied", None, False), held(b"a" * 1000), held(b"b" * 1000)))
    assert (all_sent.state, all_sent.percent) == (RECEIVED, 99)  # 100 is for safe alone
    safe = only(outbox(("applied", None, True)))
    assert (safe.state, safe.percent, safe.register, safe.reason) == (SAFE, 100, "2026-0007", None)


def test_what_was_sent_twice_over_is_not_more_than_all():
    assert only(outbox(), {fingerprint(b"a" * 1000): 10**9}).percent <= 99


@pytest.mark.parametrize(("mark", "state", "words", "again"), [
    (("waiting", "need-missing", True), RECEIVED, "waits for another record", False),
    (("waiting", "order-not-issued", True), RECEIVED, "office has issued", False),
    (("waiting", "apply-failed", True), RECEIVED, "could not work it in yet", False),
    (("waiting", "kind-unknown", True), HELD, "does not know this kind", False),
    (("quarantined", "no-authority", True), HELD, "did not hold the power", False),
    (("quarantined", "a-code-from-the-future", True), HELD, "the office must look at it", False),
    (Tried("facts", f"{1:032x}", "fact-malformed", "", True), PARKED, "could not read this record", True),
    (Tried("facts", f"{1:032x}", "not-known-yet", "said so", True), PARKED, "refused this item. said so", True),
    (Tried("facts", f"{1:032x}", "server-failed", "", True), PARKED, "failed several times", True),
])  # fmt: skip
def test_reasons_are_in_plain_words_and_say_what_to_do(mark, state, words, again):
    item = only(outbox(mark))
    assert (item.state, item.can_send_again) == (state, again)
    assert words in item.reason.words and item.reason.advice


def test_a_parked_photo_parks_its_item_once_nothing_else_is_on_the_way():
    bad = Tried("evidence", fingerprint(b"a" * 1000), "evidence-not-an-image", "", True)
    assert only(outbox(("applied", None, False), bad)).state == RECEIVED
    item = only(outbox(("applied", None, False), bad, held(b"b" * 1000)))
    assert (item.state, item.reason.code, item.can_send_again) == (PARKED, "evidence-not-an-image", True)


def test_is_everything_safe():
    assert summary(MemoryOutbox().view()).safe
    port = outbox()
    queue(port, small_fact(2))
    count = summary(port.view())
    assert not count.safe and (count.total, count.waiting, count.files_left) == (2, 2, 2)
    assert count.bytes_left == 2000 + sum(row.size for row in port.view().facts)
    done = summary(outbox(("applied", None, True)).view())
    assert done.safe and (done.done, done.files_left, done.bytes_left) == (1, 0, 0)
    held_there = summary(outbox(("quarantined", "no-authority", True)).view())
    assert not held_there.safe and (held_there.held, held_there.parked, held_there.only_here) == (1, 0, 0)
    files_here = summary(outbox(("quarantined", "no-authority", False)).view())
    assert (files_here.held, files_here.only_here, files_here.files_left) == (1, 1, 2)


def test_newest_first():
    port = outbox(files=())
    queue(port, small_fact(2))
    assert [item.counter for item in item_states(port.view())] == [2, 1]


def test_what_a_person_must_look_at_comes_first_and_what_is_safe_last():
    port = MemoryOutbox()
    for n in range(1, 7):
        queue(port, small_fact(n, files=(b"f%d" % n,)), b"f%d" % n)
    rows = {row.counter: row for row in port.view().facts}

    def receipt(n, answer, held):
        row = rows[n]
        return Receipted(Receipt(row.id, row.sha256, answer, None, dict.fromkeys(row.evidence, held), "e1", AT, None),
                         SEALED)

    asyncio.run(port.mark([EpochSeen("e1"), receipt(6, "applied", True), receipt(5, "quarantined", True),
                           receipt(3, "applied", False), Tried("facts", rows[2].id, "fact-malformed", "", True),
                           Tried("evidence", fingerprint(b"f1"), "evidence-empty", "", True)]))
    assert [item.counter for item in item_states(port.view())] == [2, 1, 4, 3, 5, 6]
    assert [item.counter for item in item_states(port.view(), limit=3)] == [2, 1, 4]


def test_every_word_goes_through_the_translator():
    for code in LINK:
        assert explain_link(code, str.upper).words.isupper() and explain_link(code, str.upper).advice.isupper()
    for code in (*ITEM, "no-authority", "unheard-of"):
        for is_held in (True, False):
            reason = explain_item(code, "", is_held, str.upper)
            assert reason.words.isupper() and reason.advice.isupper()


def test_the_words_promise_nothing_is_lost_wherever_the_queue_waits():
    for code in ("offline", "wifi-login", "tablet-not-accepted", "app-too-old", "server-too-old"):
        reason = explain_link(code)
        assert reason.words.endswith(".") and reason.advice.endswith(".")
    assert "Log in to this Wi-Fi" in explain_link("wifi-login").advice
