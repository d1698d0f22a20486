"""What comes down, and who we are to the server: epochs, pages of changes, the lease, versions, withdrawal."""

import asyncio

import pytest

from sync.client.calls import Reply
from sync.client.policy import Policy
from sync.client.rows import SAFE, WAITING
from sync.records.macs import fingerprint
from sync.records.wire import decode, encode
from tests.support.sync_sim import Desk, Sim, queue, small_fact

OFF = Reply(failure="offline")


def settle(sim, seconds=600):
    sim.run(sim.now + seconds * 1000)


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


def test_a_record_that_waited_for_minutes_is_offered_at_once_to_a_restored_server():
    desk = Desk(answer_for={f"{1:032x}": ("waiting", "need-missing")})
    sim = Sim(desk)
    queue(sim.port, small_fact(1))
    settle(sim, 3_000)
    desk.epoch = "e2"
    desk.facts.clear()
    desk.answer_for.clear()
    settle(sim, 17)
    assert sim.states() == {1: SAFE}


def test_no_file_is_sent_again_before_the_server_was_asked_which_it_has():
    desk = Desk()
    sim = Sim(lambda r, n: (desk(r, n), 3_000) if r.purpose == "receipts" else desk(r, n))
    for number in range(1, 6):
        queue(sim.port, small_fact(number, files=(b"p%d" % number,)), b"p%d" % number)
    settle(sim, 60)
    assert set(sim.states().values()) == {SAFE}
    desk.epoch = "e2"  # restored from a backup that lacks nothing
    sim.requests.clear()
    settle(sim, 60)
    assert set(sim.states().values()) == {SAFE}
    assert "receipts" in sim.purposes() and not {"put", "push"} & set(sim.purposes())


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


def ordinance(version):
    files = {"pack.toml": f"version = '{version}'"}
    doc = {"id": "demo", "version": version, "sha256": fingerprint(encode(files)), "files": files}
    return {"seq": 1, "kind": "pack", "id": "demo", "doc": doc}


def test_a_page_that_arrives_changed_leaves_the_old_data_and_is_asked_for_again():
    desk = Desk(feed=[ordinance("2026.1")])
    sim = Sim(desk)
    sim.run(1_000)
    assert sim.port.get("packs", "demo")["version"] == "2026.1"
    desk.feed += [site(2), {**ordinance("2026.2"), "seq": 3}]
    before, changed = sim.port.view().cursor, []

    def server(request, now):
        reply = desk(request, now)
        if request.purpose == "pull" and len(changed) < 3:
            changed.append(request.note)
            return Reply(reply.status, reply.headers, reply.body.replace(b"'2026.2'", b"'2026.3'"))
        return reply

    sim.server = server
    sim.wake("person")
    sim.run(sim.now + 500, stop=lambda: bool(changed))
    queue(sim.port, small_fact(1))
    sim.wake("item")
    sim.run(sim.now + 500)
    assert sim.states() == {1: SAFE}, "records do not wait for it"
    assert sim.port.view().cursor == before and sim.port.get("packs", "demo")["version"] == "2026.1"
    assert sim.port.get("sites", "s2") is None, "nothing of such a page is taken"
    sim.run(sim.now + 10_000)
    assert changed == [before] * 3 and not sim.port.get("meta", "sync").get("unread")
    assert sim.port.get("packs", "demo") == desk.feed[2]["doc"] and sim.port.get("sites", "s2")
    assert sim.port.view().cursor.seq == 3


def test_one_unreadable_document_does_not_stop_the_pull_for_good():
    desk = Desk()
    desk.feed = [site(1), {"seq": 2, "kind": "site", "id": "s2", "doc": {"id": "s2"}},
                 {"seq": 3, "kind": "unheard_of", "id": "x", "doc": {"id": "x"}}, site(4)]
    sim = Sim(desk)
    sim.run(3_999)
    assert sim.port.all("sites") == [] and sim.purposes().count("pull") == 4
    sim.run(4_000)
    assert sim.purposes().count("pull") == 5
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


def test_news_come_down_although_every_record_fails():
    """A fault of the server in taking records: hundreds wait, and each is tried five times, one after the other."""
    desk = Desk(feed=[{"seq": 1, "kind": "site", "id": "s1", "doc": None}])
    sim = Sim(lambda request, now: desk.problem(500, "server-failed") if request.purpose == "push"
              else desk(request, now))
    for number in range(1, 101):
        queue(sim.port, small_fact(number))
    sim.run(600_000)
    assert sim.port.view().cursor.seq == 1
    assert sim.purposes().count("push") > 10 * sim.purposes().count("pull") > 0
