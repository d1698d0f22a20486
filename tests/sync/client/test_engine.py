"""The engine on simulated time: what goes out, and what a reply may and may not do to an item."""


import pytest

from sync.client.calls import Reply
from sync.client.policy import Policy
from sync.client.rows import RECEIVED, SAFE, WAITING
from sync.records.macs import fingerprint
from sync.records.receipts import Receipt, seal
from tests.support.sync_sim import AT, KEY, Desk, Sim, queue, small_fact

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
