"""The engine on simulated time: what goes out, when, and what a reply may and may not do to an item."""

import asyncio
import itertools

import pytest

from sync.client.calls import Reply
from sync.client.engine import TALK, Engine, Wait
from sync.client.marks import SentBack
from sync.client.outbox import MemoryOutbox, send_again
from sync.client.policy import Policy
from sync.client.rows import PARKED, RECEIVED, SAFE, WAITING
from sync.records.macs import fingerprint
from sync.records.receipts import EvidenceReceipt, Receipt, seal
from sync.records.wire import decode, encode
from tests.support.sync_sim import AT, KEY, Desk, Sim, queue, small_fact

OFF = Reply(failure="offline")
PORTAL = Reply(200, {"content-type": "text/html"}, b"<html>Welcome, please log in</html>")


def settle(sim, seconds=600):
    sim.run(sim.now + seconds * 1000)


# --- the good way ---


def test_a_fact_without_files_is_safe_after_one_push():
    desk = Desk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    sim.run(0)
    assert sim.states() == {1: SAFE}
    assert sim.purposes() == ["hello", "push", "pull"]


def test_the_bytes_that_leave_are_the_bytes_that_were_frozen():
    desk = Desk()
    sim = Sim(desk)
    fact = small_fact(1, body={"note": "mud é, 40 ft", "n": 1}, extra={"later": {"b": 1, "a": [2]}})
    queue(sim.port, fact)
    text = sim.port.view().facts[0].text
    sim.run(0)
    assert desk.facts[fact.id] == text


def test_a_fact_with_photos_is_green_only_when_every_photo_is_held_and_a_receipt_says_so():
    desk = Desk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1, files=(b"one", b"two")), b"one", b"two")
    seen = []

    def watch():
        row = sim.port.view().facts[0]
        seen.append((row.state, len(desk.files)))
        return False

    sim.run(1_000, stop=watch)
    assert sim.states() == {1: SAFE}
    assert all(held == 2 for state, held in seen if state == SAFE)
    assert RECEIVED in [state for state, _ in seen]


def test_records_do_not_wait_for_a_photo_that_is_on_its_way():
    desk = Desk()

    def slow_files(request, now):
        reply = desk(request, now)
        return (reply, 25_000) if request.purpose == "put" else reply

    sim = Sim(slow_files)
    queue(sim.port, small_fact(1, files=(b"photo",)), b"photo")
    sim.run(1_000)
    queue(sim.port, small_fact(2))
    sim.wake("item")
    sim.run(2_000)
    assert sim.states() == {1: RECEIVED, 2: SAFE}
    sim.run(40_000)
    assert sim.states() == {1: SAFE, 2: SAFE}


def test_small_weighty_files_go_before_photos():
    desk = Desk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1, files=(b"a" * 900, b"b" * 10)), b"a" * 900, b"b" * 10)
    sim.run(1_000)
    puts = [request.evidence for _, request in sim.requests if request.purpose == "put"]
    assert puts == [fingerprint(b"b" * 10), fingerprint(b"a" * 900)]


def test_many_facts_go_in_batches_within_the_limits():
    desk = Desk()
    sim = Sim(desk, policy=Policy(batch_items=7, batch_bytes=1_500, lease_low=0))
    for number in range(1, 31):
        queue(sim.port, small_fact(number))
    sim.run(0)
    batches = [request.ids for _, request in sim.requests if request.purpose == "push"]
    assert [id for batch in batches for id in batch] == [f"{n:032x}" for n in range(1, 31)]
    assert all(len(batch) <= 7 for batch in batches) and len(batches) >= 5
    assert set(sim.states().values()) == {SAFE}


# --- what is not a receipt ---

FORGED = seal(Receipt(f"{1:032x}", "0" * 64, "applied", None, {}, "e1", AT), b"another key")


def wrong_replies(desk):
    """Replies to a push that must leave the item unsent, with the state of the connection they lead to."""
    other = seal(Receipt("f" * 32, "0" * 64, "applied", None, {}, "e1", AT), KEY)
    return {
        "portal page with 200": (PORTAL, "wifi-login"),
        "page without a type": (Reply(200, {}, b"  <!DOCTYPE html><p>hi"), "wifi-login"),
        "redirect": (Reply(302, {"location": "http://wifi.example/login"}, b""), "wifi-login"),
        "redirect the browser hides": (Reply(failure="redirect"), "wifi-login"),
        "511": (Reply(511, {}, b"<html>"), "wifi-login"),
        "201 of a stranger": (Reply(201, {"content-type": "application/json"}, b'{"ok":true}'), "wrong-server"),
        "empty 200": (Reply(200, {}, b""), "wrong-server"),
        "empty 204": (Reply(204, {}, b""), "wrong-server"),
        "ours, but without results": (desk.reply({"ok": True}), "wrong-server"),
        "ours, too few results": (desk.reply({"results": []}), "wrong-server"),
        "forged receipt": (desk.reply({"results": [FORGED]}), "wrong-server"),
        "receipt of a former epoch": (
            desk.reply({"results": [seal(Receipt(f"{1:032x}", "0" * 64, "applied", None, {}, "e0", AT), KEY)]}), None),
        "receipt for another fact": (desk.reply({"results": [other]}), None),
        "connection cut": (Reply(failure="cut"), "connection-cut"),
        "no answer": (Reply(failure="timeout"), "time-out"),
        "bad certificate": (Reply(failure="insecure"), "insecure"),
        "proxy of a dead server": (Reply(502, {"content-type": "text/html"}, b"<html>bad gateway"), "server-busy"),
    }  # fmt: skip


@pytest.mark.parametrize("name", list(wrong_replies(Desk())))
def test_no_other_reply_turns_an_item_green(name):
    desk = Desk()
    reply, code = wrong_replies(desk)[name]
    seen = []
    sim = Sim(lambda request, now: reply if request.purpose == "push" else desk(request, now))
    queue(sim.port, small_fact(1))

    def watch():
        seen.append(sim.engine.status().code)
        return False

    sim.run(2_500, stop=watch)
    assert sim.states() == {1: WAITING}
    if code:
        assert code in seen
    sim.server = desk  # and nothing of it was in the way of the real thing
    settle(sim)
    assert sim.states() == {1: SAFE}


def test_a_wifi_login_page_keeps_everything_waiting_and_is_named():
    sim = Sim(lambda request, now: PORTAL)
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim, 120)
    assert sim.states() == {1: WAITING}
    status = sim.engine.status()
    assert (status.up, status.code) == (False, "wifi-login")
    assert set(sim.purposes()) == {"hello"}  # no record and no photo was shown to a stranger


def test_a_receipt_that_does_not_name_every_photo_is_not_green():
    desk = Desk()
    sim = Sim(desk)
    fact = small_fact(1, files=(b"p",))
    queue(sim.port, fact, b"p")
    sha = fingerprint(sim.port.view().facts[0].text.encode())
    bare = seal(Receipt(fact.id, sha, "applied", None, {}, "e1", AT), KEY)

    def server(request, now):
        if request.purpose in ("push", "receipts"):
            return desk.reply({"results": [bare]})
        return desk(request, now)

    sim.server = server
    settle(sim)
    assert sim.states() == {1: RECEIVED}


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
        assert row.state == PARKED and row.park.code in ("server-failed", "body-malformed", "too-large")


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


# --- epochs, pulling, lease ---


def test_a_new_epoch_offers_again_what_the_server_lost_and_only_that():
    desk = Desk()
    sim = Sim(desk)
    for number in range(1, 5):
        queue(sim.port, small_fact(number, files=(b"p%d" % number,)), b"p%d" % number)
    sim.run(10_000)
    assert set(sim.states().values()) == {SAFE}
    desk.epoch = "e2"  # restored from a backup that knew 1 and 2, with the photo of 1
    for number in (3, 4):
        del desk.facts[f"{number:032x}"]
    desk.files = {fingerprint(b"p1"): 1}
    sim.requests.clear()
    sim.run(40_000)
    assert set(sim.states().values()) == {SAFE}
    assert set(desk.facts) == {f"{n:032x}" for n in range(1, 5)} and len(desk.files) == 4
    pushed = [id for _, r in sim.requests if r.purpose == "push" for id in r.ids]
    put = [r.evidence for _, r in sim.requests if r.purpose == "put"]
    assert sorted(pushed) == [f"{3:032x}", f"{4:032x}"]
    assert sorted(put) == sorted(fingerprint(b"p%d" % n) for n in (2, 3, 4))


def test_no_item_stays_green_through_a_new_epoch_without_a_receipt_of_it():
    desk = Desk()
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    sim.run(1_000)
    desk.epoch = "e2"
    desk.facts.clear()
    sim.server = lambda r, n: desk(r, n) if r.purpose in ("hello", "pull") else OFF
    sim.run(30_000)
    assert sim.states() == {1: WAITING}


def site(number):
    doc = {"id": f"s{number}", "name": f"Lot {number}", "address": "1 Mill St", "parcel": "1", "new_field": {"x": 1}}
    return {"seq": number, "kind": "site", "id": doc["id"], "doc": doc}


def test_pulls_pages_in_order_applies_tombstones_and_keeps_unknown_fields():
    desk = Desk(page=3)
    desk.feed = [site(n) for n in range(1, 11)] + [{"seq": 11, "kind": "site", "id": "s2", "doc": None}]
    sim = Sim(desk)
    sim.run(0)
    assert {doc["id"] for doc in sim.port.all("sites")} == {f"s{n}" for n in range(1, 11) if n != 2}
    assert sim.port.get("sites", "s1")["new_field"] == {"x": 1}
    assert sim.port.view().cursor.seq == 11


@pytest.mark.parametrize("part", ["epoch", "scope"])
def test_another_epoch_or_scope_pulls_from_the_start_and_deletes_nothing(part):
    desk = Desk()
    desk.feed = [site(n) for n in range(1, 6)]
    sim = Sim(desk)
    sim.run(1_000)
    setattr(desk, part, "changed")
    desk.feed = [site(9)]
    sim.run(40_000)
    assert {doc["id"] for doc in sim.port.all("sites")} == {"s1", "s2", "s3", "s4", "s5", "s9"}
    assert getattr(sim.port.view().cursor, part) == "changed" and sim.port.view().cursor.seq == 1


def test_one_unreadable_document_does_not_stop_the_pull():
    desk = Desk()
    desk.feed = [site(1), {"seq": 2, "kind": "site", "id": "s2", "doc": {"id": "s2"}},
                 {"seq": 3, "kind": "unheard_of", "id": "x", "doc": {"id": "x"}}, site(4)]
    sim = Sim(desk)
    sim.run(0)
    assert {doc["id"] for doc in sim.port.all("sites")} == {"s1", "s4"}
    assert sim.port.get("meta", "sync")["unread"][0]["id"] == "s2"
    assert sim.port.view().cursor.seq == 4


def test_a_version_that_knows_more_kinds_reads_everything_again():
    desk = Desk()
    desk.feed = [site(1)]
    sim = Sim(desk)
    sim.run(0)
    meta = sim.port.get("meta", "sync")
    sim.port._tables["meta"]["sync"] = {**meta, "kinds": "site"}  # as an older version would have left it
    assert sim.port.view().cursor.seq == 0


def test_a_page_that_does_not_follow_is_not_applied():
    desk = Desk()
    desk.feed = [site(1), site(2)]
    sim = Sim(desk)
    sim.run(1_000)

    def server(request, now):
        reply = desk(request, now)
        if request.purpose == "pull" and request.note.seq:
            data = decode(reply.body)
            other = {**data, "epoch": "e9", "next": {**data["next"], "epoch": "e9", "seq": 1}, "items": [site(7)]}
            return desk.reply(other)
        return reply

    sim.server = server
    sim.run(30_000)
    assert sim.port.get("sites", "s7") is None


def test_the_lease_is_renewed_when_few_numbers_are_left_and_a_replay_frees_none():
    desk = Desk()
    sim = Sim(desk, policy=Policy(lease_low=10))
    sim.run(1_000)
    view = sim.port.view()
    assert (view.lease_free, view.lease_highest) == (20, 20)
    for number in range(1, 12):
        doc = sim.port.get("lease", f"SW-{number}")
        sim.port._tables["lease"][f"SW-{number}"] = {**doc, "used": "order"}
    sim.run(120_000)
    view = sim.port.view()
    assert (view.lease_free, view.lease_highest) == (29, 40)
    asyncio.run(sim.port.take_lease([{"number": "SW-1", "counter": 1, "token": "t1"}], "s"))
    assert sim.port.get("lease", "SW-1")["used"] == "order"


# --- who we are ---


def test_a_tablet_that_is_not_accepted_keeps_everything_and_says_so():
    desk = Desk()
    sim = Sim(lambda r, n: desk(r, n) if r.purpose == "hello" else desk.problem(401, "token-unknown"))
    queue(sim.port, small_fact(1))
    settle(sim)
    assert sim.states() == {1: WAITING} and sim.engine.status().code == "tablet-not-accepted"


def test_a_withdrawn_tablet_still_hands_over_what_it_has():
    desk = Desk(answer_for={f"{1:032x}": ("quarantined", "tablet-revoked")})
    sim = Sim(lambda r, n: desk.problem(403, "tablet-revoked") if r.purpose in ("pull", "lease") else desk(r, n))
    queue(sim.port, small_fact(1, files=(b"p",)), b"p")
    settle(sim, 30)
    assert f"{1:032x}" in desk.facts and fingerprint(b"p") in desk.files
    assert sim.engine.status().up and sim.engine.status().notice == "tablet-revoked"


@pytest.mark.parametrize(("lowest", "highest", "code"), [(2, 3, "app-too-old"), (0, 0, "server-too-old")])
def test_versions_that_do_not_meet_are_named_and_lose_nothing(lowest, highest, code):
    desk = Desk()

    def server(request, now):
        if request.purpose == "hello":
            data = decode(desk(request, now).body)
            return desk.reply({**data, "protocol": {"min": lowest, "max": highest}})
        return desk(request, now)

    sim = Sim(server)
    queue(sim.port, small_fact(1))
    settle(sim)
    assert sim.states() == {1: WAITING} and sim.engine.status().code == code
    assert set(sim.purposes()) == {"hello"} and len(sim.requests) <= 12


def test_the_server_of_another_city_is_not_ours():
    desk = Desk()
    sim = Sim(lambda r, n: desk.reply({**decode(desk(r, n).body), "city": "elsewhere"}))
    queue(sim.port, small_fact(1))
    settle(sim)
    assert set(sim.purposes()) == {"hello"} and sim.engine.status().code == "wrong-server"


# --- crashes ---


def test_whatever_the_moment_of_a_crash_the_next_run_finishes_the_work():
    for crash_after in range(1, 16):
        desk = Desk()
        desk.feed = [site(1)]
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
