"""One bad item never blocks the rest, and received is not applied."""

import asyncio
import itertools

import pytest

from sync.client.calls import Reply
from sync.client.outbox import send_again
from sync.client.policy import Policy
from sync.client.rows import PARKED, RECEIVED, SAFE, WAITING
from sync.records.macs import fingerprint
from sync.records.receipts import Receipt, seal
from tests.support.sync_sim import AT, KEY, Desk, Sim, queue, small_fact


def settle(sim, seconds=600):
    sim.run(sim.now + seconds * 1000)


# --- one bad item ---


def test_a_refused_item_is_set_aside_and_the_rest_goes_on():
    desk = Desk(refused={f"{7:032x}"})
    sim = Sim(desk)
    for number in range(1, 51):
        queue(sim.port, small_fact(number))
    sim.run(1_000)
    states = sim.states()
    assert states.pop(7) == PARKED and set(states.values()) == {SAFE}
    assert sim.port.view().fact(f"{7:032x}").park.code == "fact-malformed"


@pytest.mark.parametrize("other", ["bytes", "record"])
def test_a_true_receipt_for_something_else_makes_nothing_green_and_a_person_is_told(other):
    """The server mixes its records up: what it says is sealed and is not about what was sent."""
    desk, mixed = Desk(), f"{2:032x}"

    def receipt(fact):
        said = Receipt(fact if other == "bytes" else f"{9:032x}", "0" * 64, "applied", None, {}, desk.epoch, AT)
        return seal(said, KEY) if fact == mixed else Desk.receipt(desk, fact)

    desk.receipt = receipt
    sim = Sim(desk)
    for number in range(1, 4):
        queue(sim.port, small_fact(number))
    settle(sim, 200)
    assert sim.states() == {1: SAFE, 2: PARKED, 3: SAFE}
    row = sim.port.view().fact(mixed)
    assert (row.known, row.park.code, row.tries) == (False, "receipt-amiss", Policy().tries)


def poison(desk, bad, reply):
    """A server that answers `reply` to every push that contains one of the bad facts."""

    def server(request, now):
        if request.purpose == "push" and bad & set(request.ids):
            return reply
        return desk(request, now)

    return server


@pytest.mark.parametrize("failure", ["500", "422", "413", "cut", "timeout"])
def test_a_poison_item_that_fails_whole_batches_is_found_and_the_rest_goes_on(failure):
    desk = Desk()
    replies = {
        "500": desk.problem(500, "server-failed"),
        "422": desk.problem(422, "body-malformed"),
        "413": desk.problem(413, "wire-too-large"),
        "cut": Reply(failure="cut"),
        "timeout": Reply(failure="timeout"),
    }
    bad = f"{23:032x}"
    sim = Sim(poison(desk, {bad}, replies[failure]))
    for number in range(1, 51):
        queue(sim.port, small_fact(number))
    settle(sim, 200)
    states = sim.states()
    assert states.pop(23) != SAFE and set(states.values()) == {SAFE}
    row = sim.port.view().fact(bad)
    if failure in ("cut", "timeout"):
        assert row.state == WAITING  # the network's fault never sets an item aside
    else:
        assert row.state == PARKED and row.park.code in ("server-failed", "body-malformed", "wire-too-large")


@pytest.mark.parametrize("status", [500, 422])
@pytest.mark.parametrize("bad", [range(10, 401, 20), range(151, 171), range(381, 401)],
                         ids=["spread", "amid", "last"])
def test_twenty_poison_records_among_four_hundred_hold_up_nobody(bad, status):
    """The rest goes as fast as the network takes it; each of the twenty has its own pauses and its own five tries,
    and what is signed meanwhile does not wait for them."""
    desk, poisonous = Desk(), {f"{number:032x}" for number in bad}
    answer = poison(desk, poisonous, desk.problem(status, "server-failed" if status == 500 else "body-malformed"))
    sim = Sim(lambda request, now: (answer(request, now), 100))  # each call takes a tenth of a second
    for number in range(1, 401):
        queue(sim.port, small_fact(number))
    assert len(poisonous) == 20
    sim.run(600_000, stop=lambda: len(desk.facts) == 380)
    assert sim.now < 30_000, "a single one that shared its pauses would have cost as much"
    at = sim.now
    for number in range(401, 411):  # somebody goes on working
        sim.run(at + (number - 400) * 6_000)
        queue(sim.port, small_fact(number))
        sim.wake("item")
        signed = sim.now
        sim.run(signed + 60_000, stop=lambda number=number: sim.states()[number] == SAFE)
        assert sim.now - signed <= 1_000
    sim.run(at + 120_000)
    states = sim.states()
    assert {number for number, state in states.items() if state == PARKED} == set(bad)
    assert set(states.values()) == {SAFE, PARKED}
    for id in poisonous:
        alone = [now for now, request in sim.requests if request.purpose == "push" and request.ids == (id,)]
        pauses = [after - before for before, after in itertools.pairwise(alone[:5])]
        assert len(alone) == 5 and all(pause >= 2_000 * 2**n for n, pause in enumerate(pauses)), pauses
        # The first try comes when it is found, the second when nothing that is clean waits any more.
        assert all(pause <= 2_000 * 2**n + 6_000 for n, pause in enumerate(pauses) if n), pauses
        assert not any(id in request.ids for now, request in sim.requests
                       if request.purpose == "push" and len(request.ids) > 1 and now > alone[0])


def test_it_is_set_aside_after_the_set_number_of_tries_and_sent_back_by_hand():
    desk = Desk()
    bad = f"{1:032x}"
    sim = Sim(poison(desk, {bad}, desk.problem(422, "body-malformed")), policy=Policy(tries=3, lease_low=0))
    queue(sim.port, small_fact(1))
    settle(sim)
    pushes = sum(1 for purpose in sim.purposes() if purpose == "push")
    assert pushes == 3 and sim.states() == {1: PARKED}
    settle(sim, 7200)
    assert sum(1 for purpose in sim.purposes() if purpose == "push") == 3
    sim.server = desk
    asyncio.run(send_again(sim.port, [bad]))
    sim.engine.forget([bad])
    sim.wake("person")
    sim.run(sim.now)
    assert sim.states() == {1: SAFE}


def test_what_the_server_failed_on_is_tried_again_by_itself_every_quarter_of_an_hour():
    desk = Desk()
    sim = Sim(poison(desk, {f"{1:032x}"}, desk.problem(500, "server-failed")))
    queue(sim.port, small_fact(1))
    settle(sim)
    assert sim.states() == {1: PARKED}
    sim.server = desk
    settle(sim, 901)
    assert sim.states() == {1: SAFE}


def test_a_server_that_is_wholly_broken_sets_nothing_aside():
    desk = Desk()
    sim = Sim(lambda request, now: desk.problem(500, "server-failed"))
    for number in range(1, 5):
        queue(sim.port, small_fact(number, files=(b"p%d" % number,)), b"p%d" % number)
    settle(sim)
    assert set(sim.states().values()) == {WAITING}
    assert sim.engine.status().code == "server-failed"


def test_a_server_that_dies_of_every_push_sets_nothing_aside():
    """It answers 500, goes down, and comes back: the fault may well be the server's, so no try is counted."""
    desk, down_until = Desk(), [0]

    def server(request, now):
        if now < down_until[0]:
            return Reply(failure="offline")
        if request.purpose == "push":
            down_until[0] = now + 20_000
            return desk.problem(500, "server-failed")
        return desk(request, now)

    sim = Sim(server)
    queue(sim.port, small_fact(1))
    settle(sim)
    assert sim.purposes().count("push") >= 10 and sim.states() == {1: WAITING}
    assert sim.port.view().facts[0].tries == 0
    sim.server = desk
    settle(sim, 60)
    assert sim.states() == {1: SAFE}


def test_a_photo_that_cannot_be_taken_does_not_stop_the_others():
    desk = Desk()
    bad = fingerprint(b"no picture")

    def server(request, now):
        if request.evidence == bad:
            return desk.problem(422, "evidence-not-an-image")
        return desk(request, now)

    sim = Sim(server)
    queue(sim.port, small_fact(1, files=(b"no picture", b"picture")), b"no picture", b"picture")
    queue(sim.port, small_fact(2, files=(b"another one",)), b"another one")
    sim.run(5_000)
    assert sim.states() == {1: RECEIVED, 2: SAFE}
    assert sim.port.view().file(bad).park.code == "evidence-not-an-image"
    assert sim.purposes().count("put") == 3


def test_a_photo_that_arrives_changed_again_and_again_is_set_aside():
    desk = Desk()
    sim = Sim(lambda r, n: desk.problem(422, "evidence-hash-mismatch") if r.purpose == "put" else desk(r, n))
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim)
    assert sim.purposes().count("put") == 5
    assert sim.port.view().files[0].park.code == "evidence-hash-mismatch"


@pytest.mark.parametrize("failure", ["cut", "timeout", "offline"])
def test_a_photo_too_heavy_for_the_network_lets_the_others_go_first_and_is_never_given_up(failure):
    desk = Desk()
    heavy = fingerprint(b"h")

    def server(request, now):
        if request.evidence == heavy and now < 3_000_000:
            return (Reply(failure=failure), 10**9 if failure == "timeout" else 0)
        return desk(request, now)

    sim = Sim(server)
    queue(sim.port, small_fact(1, files=(b"h",)), b"h")
    queue(sim.port, small_fact(2, files=(b"light 1", b"light 2")), b"light 1", b"light 2")
    settle(sim, 400)
    assert sim.states() == {1: RECEIVED, 2: SAFE}
    queue(sim.port, small_fact(3))
    sim.wake("item")
    settle(sim, 60)
    assert sim.states()[3] == SAFE
    settle(sim, 4_000)
    assert sim.states() == {1: SAFE, 2: SAFE, 3: SAFE}


def test_a_photo_that_times_out_gets_more_time_at_the_next_try():
    desk = Desk()
    sim = Sim(lambda request, now: (desk(request, now), 100_000) if request.purpose == "put" else desk(request, now))
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim)
    allowed = [request.timeout_ms for _, request in sim.requests if request.purpose == "put"]
    assert allowed == [30_000, 60_000, 120_000]
    assert sim.states() == {1: SAFE}


def test_a_file_that_is_not_on_the_tablet_is_set_aside_at_once():
    desk = Desk()
    sim = Sim(lambda r, n: Reply(failure="local", detail="gone") if r.purpose == "put" else desk(r, n))
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim)
    assert sim.purposes().count("put") == 1
    assert sim.port.view().files[0].park.code == "evidence-unknown"


# --- the answers of the server ---


@pytest.mark.parametrize(("answer", "reason", "state"), [
    ("waiting", "need-missing", RECEIVED),
    ("waiting", "kind-unknown", PARKED),
    ("quarantined", "no-authority", PARKED),
])  # fmt: skip
def test_received_is_not_applied(answer, reason, state):
    desk = Desk(answer_for={f"{1:032x}": (answer, reason)})
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    sim.run(60_000)
    assert sim.states() == {1: state}
    assert sim.purposes().count("push") == 1  # it is held there: asked about, not sent again
    assert sim.purposes().count("receipts") >= 2
    desk.answer_for.clear()
    settle(sim)
    assert sim.states() == {1: SAFE}


def test_news_from_the_office_make_it_ask_again_soon():
    desk = Desk(answer_for={f"{1:032x}": ("quarantined", "no-authority")})
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    settle(sim, 3_000)
    desk.answer_for.clear()
    desk.feed.append({"seq": 1, "kind": "permit", "id": "p1", "doc": {"id": "p1", "site": "s", "number": "1",
                                                                      "state": "in_force"}})
    sim.run(sim.now + 17_000)
    assert sim.states() == {1: SAFE}


def test_a_correction_is_sent_only_after_what_it_corrects_has_its_receipt():
    desk = Desk()
    lost = [3]

    def server(request, now):
        reply = desk(request, now)
        if request.purpose == "push" and lost[0]:
            lost[0] -= 1
            return Reply(failure="cut")
        return reply

    sim = Sim(server)
    queue(sim.port, small_fact(1))
    queue(sim.port, small_fact(2, revises=f"{1:032x}"))
    queue(sim.port, small_fact(3))
    settle(sim, 60)
    pushes = [request.ids for _, request in sim.requests if request.purpose == "push"]
    first_with_2 = next(index for index, ids in enumerate(pushes) if f"{2:032x}" in ids)
    assert all(f"{1:032x}" not in ids for ids in pushes[first_with_2:])
    assert first_with_2 > 3 and set(sim.states().values()) == {SAFE}


def test_a_correction_of_a_refused_record_still_goes_out():
    desk = Desk(refused={f"{1:032x}"})
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    queue(sim.port, small_fact(2, revises=f"{1:032x}"))
    sim.run(1_000)
    assert sim.states() == {1: PARKED, 2: SAFE}


def test_a_file_that_the_server_lost_is_sent_again():
    desk = Desk()
    sim = Sim(desk)

    def server(request, now):
        reply = desk(request, now)
        if request.purpose == "put" and sim.purposes().count("put") == 1:
            desk.files.clear()  # receipted, then lost
        return reply

    sim.server = server
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim, 60)
    assert sim.purposes().count("put") == 2 and sim.states() == {1: SAFE}


def test_a_server_that_loses_a_file_for_ever_is_not_asked_for_ever():
    desk = Desk()

    def server(request, now):
        reply = desk(request, now)
        desk.files.clear()
        return reply

    sim = Sim(server)
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim, 7200)
    assert sim.port.view().files[0].park.code == "server-failed"
    assert sim.purposes().count("put") < 20
