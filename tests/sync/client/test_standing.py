"""What the server thinks of the tablet: an old token, a withdrawal, a copy. None of it loses or holds up a record."""

import asyncio

import pytest

from sync.client.calls import Reply, Target
from sync.client.driver import Driver
from sync.client.engine import Engine
from sync.client.enrolment import enrol, sign_in
from sync.client.marks import Copied, EpochSeen, Withdrawn
from sync.client.outbox import MemoryOutbox
from sync.client.policy import Policy
from sync.client.rows import PARKED, SAFE
from sync.client.transports.native import NativeTransport
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.proofs import renewal_proof
from sync.records.wire import decode
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code, withdraw_tablet
from tests.support.city import folder_city, inspection_body
from tests.support.clock import StoppedClock
from tests.support.pictures import picture
from tests.support.real_server import RealServer
from tests.support.samples import at
from tests.support.sync_driver import QUICK, Clock, running, states, until
from tests.support.sync_sim import AT, KEY, Desk, Sim, done, queue, small_fact

TABLET = {"tablet_code": "T07", "device_token": "old"}


def world(server, **policy):
    sim = Sim(server, policy=Policy(**{"lease_low": 0, **policy}))
    sim.port._tables["secrets"]["tablet"] = dict(TABLET)
    return sim


class Ageing(Desk):
    """A server that takes the token "new" alone, and gives it to whoever proves to be the tablet."""

    token = "old"

    def __call__(self, request, now):
        self.calls.append((now, request.purpose))
        if request.purpose == "hello":
            return self._hello(request)
        if request.purpose == "renew":
            asked, token = decode(request.body), self.sim.port.view().token
            assert asked["proof"] == renewal_proof(KEY, token, asked["at"]) and asked["at"] >= AT
            return self.reply({"device_token": "new"})
        if self.sim.port.view().token != "new":
            return self.problem(401, "token-expired")
        return getattr(self, f"_{request.purpose}")(request)


def test_an_old_token_is_renewed_in_between_and_the_queue_goes_on():
    desk = Ageing()
    desk.sim = sim = world(desk)
    queue(sim.port, small_fact(1, files=(b"photo",)), b"photo")
    queue(sim.port, small_fact(2))
    sim.run(5_000)
    assert sim.states() == {1: SAFE, 2: SAFE}
    assert sim.port.get("secrets", "tablet") == {"tablet_code": "T07", "device_token": "new"}
    assert sim.purposes().count("renew") == 1
    assert sim.engine.status().up


def test_a_server_of_another_life_that_calls_the_token_old_is_heard_of_at_once():
    """The tablet slept, and takes its link for good: this is the first that it hears of the restore."""
    desk = Desk()
    sim = world(desk)
    queue(sim.port, small_fact(1))
    sim.run(5_000)
    assert sim.states() == {1: SAFE}
    desk.epoch = "e2"
    sim.server = lambda request, now: desk.problem(401, "token-expired")
    heard = sim.engine.status().last_contact
    sim.run(60_000, stop=lambda: sim.port.view().epoch == "e2")
    assert sim.port.view().epoch == "e2" and sim.states() == {1: "waiting"}
    assert sim.engine.status().last_contact == heard, "by this time nothing may be cleared away"


def test_a_call_that_fails_in_another_life_of_the_server_is_no_contact():
    desk = Desk()
    sim = world(desk)
    queue(sim.port, small_fact(1))
    sim.run(5_000)
    heard, epoch = sim.engine.status().last_contact, desk.epoch

    def refused(request, now):
        desk.epoch = "e2"
        try:
            return desk.problem(413, "batch-too-large") if request.purpose == "push" else Reply(failure="offline")
        finally:
            desk.epoch = epoch

    queue(sim.port, small_fact(2))
    sim.server = refused
    sim.wake("item")
    sim.run(6_000)
    assert sim.purposes()[-1] == "push" and sim.engine.status().last_contact == heard


def test_what_a_stranger_answers_to_a_renewal_renews_nothing():
    desk = Ageing()
    strange = [Reply(200, {}, b"<html>log in</html>"), desk.reply({"device_token": 5}), desk.reply({}),
               desk.problem(409, "renewal-stale")]

    def answers(request, now):
        return strange.pop() if request.purpose == "renew" and strange else desk(request, now)

    desk.sim = sim = world(answers)
    queue(sim.port, small_fact(1))
    sim.run(60_000)
    assert not strange and sim.states() == {1: SAFE}


def test_a_server_that_calls_every_token_old_is_not_asked_in_a_frenzy():
    desk = Ageing()

    def never(request, now):
        answer = desk(request, now)
        return desk.problem(401, "token-expired") if request.purpose not in ("hello", "renew") else answer

    desk.sim = sim = world(never)
    queue(sim.port, small_fact(1))
    sim.run(600_000)
    assert 2 <= sim.purposes().count("renew") <= 11 and len(sim.requests) < 400
    assert sim.states() == {1: "waiting"} and sim.engine.status().code == "tablet-not-accepted"


def test_a_file_that_went_out_under_the_old_token_is_sent_again_without_a_fuss():
    """Both lanes are under way when the token grows old: the second answer comes after the renewal."""
    desk = Ageing()

    def slow_files(request, now):
        if request.purpose == "put" and sim.port.view().token == "old":
            return desk.problem(401, "token-expired"), 3_000
        return desk(request, now)

    sim = world(slow_files)
    desk.sim = sim
    desk.token = "old"
    queue(sim.port, small_fact(1, files=(b"photo",)), b"photo")
    sim.run(20_000)
    assert sim.states() == {1: SAFE} and sim.purposes().count("renew") == 1


def test_a_tablet_whose_renewal_is_refused_keeps_everything_and_says_so():
    desk = Ageing()

    def refuses(request, now):
        return desk.problem(401, "token-unknown") if request.purpose == "renew" else desk(request, now)

    desk.sim = sim = world(refuses)
    queue(sim.port, small_fact(1))
    sim.run(20_000)
    assert sim.states() == {1: "waiting"} and sim.engine.status().code == "tablet-not-accepted"


def test_a_withdrawal_is_learned_from_a_pull_and_what_is_here_is_still_handed_over():
    desk = Desk()
    desk._pull = lambda _: desk.problem(403, "tablet-revoked")
    desk.answer_for[f"{1:032x}"] = ("quarantined", "tablet-revoked")
    sim = world(desk)
    sim.run(1_000)
    assert sim.port.view().withdrawn
    queue(sim.port, small_fact(1, files=(b"photo",)), b"photo")
    sim.wake("item")
    sim.run(3_000)
    assert sim.states() == {1: PARKED} and sim.port.view().fact(f"{1:032x}").park.held
    assert sim.port.view().files[0].held
    # The tablet is used again: the office enrolled it anew under another code.
    done(sim.port.mark([Withdrawn("")]))
    assert not sim.port.view().withdrawn


def test_a_withdrawal_is_learned_from_a_push_too_but_only_of_our_own_code():
    for tablet, learned in (("T07", True), ("T03", False)):
        desk = Desk()
        desk.answer_for[f"{1:032x}"] = ("quarantined", "tablet-revoked")
        sim = world(desk)
        queue(sim.port, small_fact(1) if tablet == "T07" else other_code(1))
        sim.run(300, stop=lambda sim=sim: sim.port.view().withdrawn)
        assert sim.port.view().withdrawn == learned


def other_code(number):
    from dataclasses import replace

    return replace(small_fact(number), tablet="T03")


@pytest.mark.parametrize("reason", ["fact-counter-taken", "fact-forked"])
def test_a_copy_is_seen_by_its_receipts(reason):
    desk = Desk()
    desk.answer_for[f"{1:032x}"] = ("quarantined", reason)
    sim = world(desk)
    queue(sim.port, small_fact(1))
    sim.run(1_000)
    assert sim.port.view().copied


def test_a_tablet_set_back_to_an_earlier_copy_is_seen_before_it_signs_anything():
    desk = Desk()
    plain = desk._pull
    desk._pull = lambda request: desk.reply({**decode(plain(request).body), "counted": 3})
    for signed, copied in ((3, False), (2, True)):
        sim = world(desk, lease_low=10)
        for number in range(1, signed + 1):
            queue(sim.port, small_fact(number))
        sim.run(1_000)
        assert sim.port.view().copied == copied
        # The numbers of a code that is not ours alone are no use: none are asked for.
        assert ("lease" in sim.purposes()) != copied


def test_a_code_of_its_own_ends_it():
    sim = world(Desk())
    done(sim.port.mark([Copied("T07"), Withdrawn("T07")]))
    assert sim.port.view().copied and sim.port.view().withdrawn
    sim.port._tables["secrets"]["tablet"] = {"tablet_code": "T12", "device_token": "x"}
    sim.port._tables["meta"]["sync"] = dict(sim.port._tables["meta"]["sync"])
    done(sim.port.mark([EpochSeen("e9")]))
    assert not sim.port.view().copied and not sim.port.view().withdrawn


class DaysLater(Clock):
    """The tablet's own monotonic clock, which goes on while the test does not wait."""

    ahead_ms = 0

    def monotonic_ms(self):
        return super().monotonic_ms() + self.ahead_ms


async def no_pause(_):
    await asyncio.sleep(0)


def test_after_fourteen_days_offline_all_arrives_over_http_without_a_person(tmp_path):
    """B13: the token grew old in the field; capture went on, the queue is whole, and nobody has to do anything."""
    clock = StoppedClock("2026-08-27T15:00:00-05:00")
    city = folder_city(tmp_path / "city", clock)
    server, transport, port = RealServer(city), NativeTransport(), MemoryOutbox()
    photo = picture(40_000, 3)

    async def run():
        with server:
            found = await enrol(transport, server.url, create_enrolment_code(city, "keeper"), "ab" * 32, no_pause)
            target = Target(server.url, found.device_token)
            person = await sign_in(transport, target, create_personal_code(city, "keeper", "ada"), no_pause)
        port._tables["secrets"]["tablet"] = {**found.to_doc(), "secret": "ab" * 32}
        await port.mark([EpochSeen(found.epoch)])
        own_clock = DaysLater()
        driver = Driver(Engine(bytes.fromhex(found.receipt_key), found.city, lambda: 0.0, QUICK), port, transport,
                        target, own_clock)
        async with running(driver):
            await until(lambda: driver.status.link.code == "offline")
            clock.advance(days=14)
            await port.keep(photo)
            for count in (1, 2, 3):
                file = Evidence(fingerprint(photo), "photo", len(photo), "image/jpeg")
                fact = Fact("demo", f"{count:032x}", "inspection_signed", found.tablet_code, count, "ada", at(),
                            "demo@2026.1", inspection_body(), evidence=(file,))
                frozen = freeze(fact)
                await port.queue(frozen, mac=sign(bytes.fromhex(person.key), frozen), credential=person.credential)
            driver.wake("item")
            with server:
                await until(lambda: states(port) == {1: SAFE, 2: SAFE, 3: SAFE} and port.all("sites"))
                assert port.view().token != found.device_token and driver.status.link.up
                withdraw_tablet(city, "carol", found.tablet_code, "It is not needed any more.")
                await until(lambda: port.view().withdrawn)
                clock.advance(days=8)
                own_clock.ahead_ms += 8 * 86_400_000
                fact = Fact("demo", f"{4:032x}", "inspection_signed", found.tablet_code, 4, "ada", at(), "demo@2026.1",
                            inspection_body())
                frozen = freeze(fact)
                await port.queue(frozen, mac=sign(bytes.fromhex(person.key), frozen), credential=person.credential)
                driver.wake("item")
                await until(lambda: states(port)[4] == PARKED)
                assert port.view().fact(fact.id).park.code == "tablet-revoked"

    try:
        asyncio.run(run())
    finally:
        transport.close()
        city.db.close()
