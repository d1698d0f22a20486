"""The engine's patience, asserted exactly: back-off, waking up, ten seconds to the server's return, crashes."""

import asyncio
import itertools

import pytest

from sync.client.calls import Reply, Wait
from sync.client.engine import TALK, Engine
from sync.client.marks import SentBack
from sync.client.outbox import MemoryOutbox
from sync.client.rows import SAFE
from sync.records.macs import fingerprint
from sync.records.receipts import EvidenceReceipt, seal
from sync.records.wire import encode
from tests.support.sync_sim import AT, KEY, Desk, Sim, queue, small_fact

OFF = Reply(failure="offline")


# --- times ---


def test_back_off_doubles_to_its_cap_and_goes_on_for_ever():
    sim = Sim(lambda request, now: OFF)
    sim.run(60_000)
    starts = [at for at, _ in sim.requests]
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert gaps[:4] == [1000, 2000, 4000, 8000]
    assert set(gaps[4:]) == {8000}


def test_jitter_only_shortens_the_pause():
    sim = Sim(lambda request, now: OFF, jitter=0.999)
    sim.run(100_000)
    starts = [at for at, _ in sim.requests]
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    assert gaps[0] == 750 and max(gaps) == 6002


def test_hidden_pages_try_less_often_and_at_once_when_they_are_shown():
    sim = Sim(lambda request, now: OFF)
    sim.engine.set_visible(False, 0)
    sim.run(600_000)
    starts = [at for at, _ in sim.requests]
    assert starts[-1] - starts[-2] == 60_000
    sim.run(starts[-1] + 10_000)
    before = len(sim.requests)
    sim.engine.set_visible(True, sim.now)
    sim.stir()
    sim.run(sim.now)
    assert len(sim.requests) == before + 1


@pytest.mark.parametrize("down_for", [3_000, 47_123, 3_600_000])
@pytest.mark.parametrize("way", ["refused", "black hole"])
def test_everything_is_sent_within_ten_seconds_of_the_servers_return(down_for, way):
    desk = Desk()

    def server(request, now):
        if now >= down_for:
            return desk(request, now)
        return OFF if way == "refused" else (OFF, 10**9)

    sim = Sim(server)
    for number in range(1, 13):
        queue(sim.port, small_fact(number, files=(b"p%d" % number,)), b"p%d" % number)
    sim.run(down_for + 10_000)
    assert set(sim.states().values()) == {SAFE}


@pytest.mark.parametrize("way", ["refused", "black hole"])
def test_whatever_the_moment_of_its_return_a_server_is_found_within_eight_seconds(way):
    for back_at in range(60_000, 80_000, 777):
        desk = Desk()

        def server(request, now, back_at=back_at, desk=desk):
            if now >= back_at:
                return desk(request, now)
            return OFF if way == "refused" else (OFF, 10**9)

        sim = Sim(server)
        sim.run(back_at + 8_000)
        assert sim.engine.status().up and desk.calls[0][0] <= back_at + 8_000


def test_a_server_that_dies_in_the_middle_of_everything_is_found_again_within_ten_seconds():
    desk = Desk()

    def server(request, now):
        down = any(start <= now < start + 30_000 for start in range(500, 400_000, 60_000))
        return Reply(failure="cut") if down else desk(request, now)

    sim = Sim(server)
    number = 0
    for start in range(500, 400_000, 60_000):
        number += 1
        queue(sim.port, small_fact(number, files=(b"p%d" % number,)), b"p%d" % number)
        sim.wake("item")
        sim.run(start + 30_000 + 10_000)
        assert set(sim.states().values()) == {SAFE}, sim.states()


def test_what_failed_because_the_server_was_dying_does_not_wait_once_it_is_back():
    """A photo cut again and again rests for minutes; but if the server then goes down, it was not the photo."""
    desk = Desk()

    def server(request, now):
        if 70_000 <= now < 80_000:
            return OFF
        return Reply(failure="cut") if request.purpose == "put" and now < 70_000 else desk(request, now)

    sim = Sim(server)
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    sim.run(70_000)
    assert sim.purposes().count("put") >= 5
    sim.run(90_000)
    assert sim.states() == {1: SAFE}


def test_waking_up_is_never_a_storm():
    sim = Sim(lambda request, now: OFF)
    sim.run(0)
    for step in range(1, 1001):
        sim.run(step)
        sim.wake("network")
    assert len(sim.requests) <= 4


def test_an_item_queued_while_all_is_well_goes_out_at_once():
    desk = Desk()
    sim = Sim(desk)
    sim.run(5_000)
    queue(sim.port, small_fact(1))
    sim.wake("item")
    sim.run(5_000)
    assert sim.states() == {1: SAFE}


def test_the_server_may_ask_for_a_longer_pause_but_not_for_an_endless_one():
    desk = Desk()
    busy = desk.problem(503, "server-busy")
    busy = Reply(503, {**busy.headers, "retry-after": "30"}, busy.body)
    sim = Sim(lambda request, now: busy)
    sim.run(29_000)
    assert len(sim.requests) == 1 and sim.engine.status().code == "server-busy"
    forever = Reply(503, {**busy.headers, "retry-after": "99999"}, busy.body)
    sim.server = lambda request, now: forever
    sim.run(200_000)
    assert len(sim.requests) >= 3


def test_status_says_when_the_next_try_is_and_it_is_then():
    sim = Sim(lambda request, now: OFF)
    sim.run(20_000)
    due = sim.engine.status().next_try
    before = len(sim.requests)
    sim.run(due - 1)
    assert len(sim.requests) == before
    sim.run(due)
    assert sim.requests[before][0] == due


# --- crashes ---


SITE = {"seq": 1, "kind": "site", "id": "s1",
        "doc": {"id": "s1", "name": "Lot 1", "address": "1 Mill St", "parcel": "1"}}


def test_whatever_the_moment_of_a_crash_the_next_run_finishes_the_work():
    for crash_after in range(1, 16):
        desk = Desk()
        desk.feed = [SITE]
        sim = Sim(desk)
        for number in range(1, 4):
            queue(sim.port, small_fact(number, files=(b"p%d" % number,)), b"p%d" % number)
        done = []
        sim.run(5_000, stop=lambda seen=done, limit=crash_after: seen.append(1) or len(seen) >= limit)
        again = Sim(desk, port=MemoryOutbox(sim.port.dump()))
        again.run(20_000)
        assert set(again.states().values()) == {SAFE}
        assert len(desk.facts) == 3 and again.port.get("sites", "s1")


def test_two_calls_in_one_lane_are_refused():
    engine = Engine(KEY, "demo", lambda: 0.0)
    port = MemoryOutbox()
    engine.next(port.view(), 0, TALK)
    with pytest.raises(RuntimeError):
        engine.next(port.view(), 0, TALK)
    engine.gave_up(TALK)
    assert not isinstance(engine.next(port.view(), 0, TALK), Wait)


def test_sending_back_a_safe_item_only_asks_again():
    desk = Desk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    sim.run(0)
    asyncio.run(sim.port.mark([SentBack("facts", f"{1:032x}")]))
    sim.stir()
    sim.run(1_000)
    assert sim.states() == {1: SAFE} and len(desk.facts) == 1


def test_a_size_that_the_record_got_wrong_is_not_in_the_way():
    desk = Desk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    sha = fingerprint(b"p")
    receipt = seal(EvidenceReceipt(sha, 77, "e1", AT), KEY)

    def server(request, now):
        if request.purpose == "put":
            desk.files[sha] = 1
            return Reply(200, desk.reply({}).headers, encode(receipt))
        return desk(request, now)

    sim.server = server
    sim.run(5_000)
    assert sim.states() == {1: SAFE}


def test_a_server_whose_disk_is_full_blames_no_item_and_is_not_flooded():
    desk = Desk()
    sim = Sim(lambda request, now: desk.problem(507, "server-full") if request.purpose in ("push", "put")
              else desk(request, now))
    for number in range(1, 21):
        data = bytes([number]) * 1_000
        queue(sim.port, small_fact(number, files=(data,)), data)
    sim.run(3_600_000)
    assert sim.engine.status().code in ("server-full", "")
    assert len([one for one in sim.purposes() if one in ("push", "put")]) < 300
    view = sim.port.view()
    assert not any(row.park or row.tries for row in (*view.facts, *view.files))
    sim.server = desk
    sim.run(3_600_000 + 60_000)
    assert set(sim.states().values()) == {SAFE}
