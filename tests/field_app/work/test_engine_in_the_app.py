"""The engine as the app runs it, on simulated time against the real city: nobody taps, and everything arrives."""

import asyncio
import logging
from dataclasses import replace
from datetime import date, datetime

import pytest
from sqlalchemy import insert

from field_app.hardware.ports import NetworkState
from field_app.work.app import Work
from sync.client.calls import INSECURE, REDIRECT, Reply
from sync.client.driver import Driver
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.people import end_power
from sync.server.casework.settling import settle as settle_conflict
from sync.server.db.schema import powers
from tests.support.field_desk import PIN, ROUNDS, SERVER, jpeg, ready
from tests.support.field_steps import failing_inspection, nothing_else, posted_order, soil_on_the_road
from tests.support.virtual_desk import virtual_bench
from tests.support.virtual_time import run, until


def on_a_tablet(tmp_path, job, **ports):
    """Runs `job(desk, work)` on an enrolled tablet of Ada's; `ports` replace others of its hardware."""

    async def all_of_it():
        desk = virtual_bench(tmp_path)
        if ports:
            plain = desk.hardware
            type(desk).hardware, kept = (lambda self: replace(plain(), **ports)), type(desk).hardware
        try:
            async with desk.work() as work:
                await ready(desk, work)
                await job(desk, work)
        finally:
            if ports:
                type(desk).hardware = kept

    run(all_of_it, threads=True)


def rows(work):
    return [row.state for row in work.outbox().rows]


class Air:
    """What the platform says of the network."""

    def __init__(self, metered=None):
        self._state, self._heard = NetworkState(True, metered), []

    def state(self):
        return self._state

    def listen(self, heard):
        self._heard.append(heard)
        return lambda: self._heard.remove(heard)

    def become(self, **more):
        self._state = replace(self._state, **more)
        for heard in list(self._heard):
            heard(self._state)


# --- by itself ---


@pytest.mark.parametrize("away", [20, 3 * 3600])
def test_what_was_signed_without_a_network_is_safe_ten_seconds_after_it_is_back(tmp_path, away):
    async def job(desk, work):
        desk.network.up = False
        work.start_sync()
        await failing_inspection(work)
        await asyncio.sleep(away)
        assert rows(work) == ["waiting"]
        desk.network.up = True
        await asyncio.sleep(10)
        assert rows(work) == ["safe"] and work.outbox().hand_in.yes

    on_a_tablet(tmp_path, job)


def test_the_time_of_the_next_try_is_on_the_screen_and_true(tmp_path):
    async def job(desk, work):
        desk.network.up = False
        work.start_sync()
        await failing_inspection(work)
        for _ in range(6):
            await until(lambda: work.status().next_try.startswith("Next try at"))
            said, so_far = work.status().next_try, len(desk.network.began)
            assert said in work.status().sentence and said in work.outbox().connection
            await until(lambda n=so_far: len(desk.network.began) > n)
            came = desk.clock.now().astimezone(datetime.fromisoformat("2026-08-27T14:00:00-05:00").tzinfo)
            promised = datetime.strptime(said, "Next try at %I:%M:%S %p.")
            assert 0 <= (came.hour - promised.hour) * 3600 + (came.minute - promised.minute) * 60 + (
                came.second - promised.second) <= 1
            await asyncio.sleep(0.2)

    on_a_tablet(tmp_path, job)


def test_a_hidden_app_says_the_minute_and_comes_to_life_when_it_is_looked_at(tmp_path):
    class Eyes:
        def listen(self, heard):
            self.look = heard
            return lambda: None

    eyes = Eyes()

    async def job(desk, work):
        desk.network.up = False
        work.start_sync()
        await failing_inspection(work)
        eyes.look(False)
        await asyncio.sleep(600)
        desk.network.up = True
        eyes.look(True)
        await asyncio.sleep(3)
        assert rows(work) == ["safe"]

    on_a_tablet(tmp_path, job, visibility=eyes)


def test_twenty_flips_lose_nothing_and_one_worker_does_it_all(tmp_path):
    async def job(desk, work):
        work.start_sync()
        work.start_sync()  # every screen may ask for it
        for flip in range(20):
            desk.network.up = not desk.network.up
            if flip % 5 == 2:
                desk.network.lose_replies += 2
            if flip in (3, 9, 14):
                await failing_inspection(work)
            await asyncio.sleep(0.3 + flip % 7)
            work.start_sync()
        desk.network.up = True
        await asyncio.sleep(20)
        assert rows(work) == ["safe"] * 3
        assert desk.network.most <= 2  # one call for records, one for files

    on_a_tablet(tmp_path, job)


def test_start_and_stop_in_any_order_end_in_what_was_asked_last(tmp_path):
    async def job(desk, work):
        work.start_sync()
        await asyncio.wait_for(work.stop_sync(), 5)  # it had not begun to run
        work.start_sync()
        await asyncio.sleep(1)
        stopping = asyncio.ensure_future(work.stop_sync())
        await asyncio.sleep(0)
        work.start_sync()  # while the former run still ends
        await stopping
        await failing_inspection(work)
        await asyncio.sleep(5)
        assert rows(work) == ["safe"] and desk.network.most <= 2
        await work.stop_sync()
        calls = len(desk.network.began)
        await asyncio.sleep(600)
        assert len(desk.network.began) == calls

    on_a_tablet(tmp_path, job)


def test_a_second_window_takes_over_and_only_it_sends(tmp_path):
    async def job(desk, work):
        desk.network.up = False
        work.start_sync()
        await failing_inspection(work)
        await work.stop_sync()
        store, box = work._desk.store, work._desk.box
        other = Work(store, box, desk.hardware(), server=SERVER, pin_rounds=ROUNDS)
        other.start_sync()
        desk.network.up = True
        await asyncio.sleep(10)
        assert rows(other) == ["safe"] and desk.network.most <= 2 and not work._desk.sync_task
        await other.stop_sync()

    on_a_tablet(tmp_path, job)


def test_a_driver_that_breaks_is_begun_again(tmp_path, monkeypatch, caplog):
    async def job(desk, work):
        whole, left = Driver.run, [2]

        async def breaks(self):
            left[0] -= 1
            if left[0] >= 0:
                raise ZeroDivisionError
            await whole(self)

        monkeypatch.setattr(Driver, "run", breaks)
        with caplog.at_level(logging.CRITICAL):
            work.start_sync()
            await failing_inspection(work)
            await asyncio.sleep(15)
        assert rows(work) == ["safe"]

    on_a_tablet(tmp_path, job)


# --- decided at the office ---


@pytest.mark.parametrize("when", ["at once", "after hours", "while there is no network"])
def test_an_order_that_the_office_ratifies_turns_green_by_itself(tmp_path, when):
    """Ada may not post any more, and does not know it: the office keeps her order back, and later ratifies it."""

    async def job(desk, work):
        desk.network.up = False
        signed = await failing_inspection(work)
        await desk.office(end_power, "carol", "ada", "post", date(2026, 8, 26))
        await desk.office(lambda city: city.db.write(lambda tx: tx.execute(insert(powers).values(
            city_id=city.id, person="carol", power="ratify", from_day=date(2026, 1, 1)))))
        order = await posted_order(work, signed)
        desk.network.up = True
        work.start_sync()
        await until(lambda: "held" in rows(work), 30)
        assert work.status().level == "received" and work.status().held == 1
        told = work.outbox().rows[0]
        assert "asked again at" in told.reason and not told.can_send_again
        if when == "after hours":
            await asyncio.sleep(1_800)
            assert rows(work) == ["held", "safe"]
        if when == "while there is no network":
            desk.network.up = False
            await asyncio.sleep(3_600)

        def ratify(city):
            one = next(c for c in open_conflicts(city) if c.kind == "unauthorised_posting")
            settle_conflict(city, "carol", "ratify", one.choices[0].subject, one.choices[0].other, "Seen on the site.")

        await desk.office(ratify)
        if when == "while there is no network":
            await asyncio.sleep(3_600)
            desk.network.up = True
        await asyncio.sleep(30)  # news comes down every 15 s, and makes the tablet ask again
        assert rows(work) == ["safe", "safe"], work.outbox().rows
        assert work.status().level == "safe" and work.status().held == 0
        assert work.placard(order.id).sentence == "The posting is signed, and safe on the server."
        assert [o.status for o in work.site("site-01").orders] == ["in_force"]

    on_a_tablet(tmp_path, job)


# --- networks that cost money ---


def photo_states(work):
    return [file.state for row in work.outbox().rows for file in row.files]


def test_on_mobile_data_photos_wait_where_the_platform_tells_and_go_once_when_asked(tmp_path):
    air = Air(metered=True)

    async def job(desk, work):
        work.start_sync()
        await failing_inspection(work)
        await asyncio.sleep(30)
        view = work.outbox()
        assert rows(work) == ["received"] and set(photo_states(work)) == {"paused"}
        assert view.photos.paused and view.photos.count == 3 and view.photos.wifi_only
        assert "Photos wait for Wi-Fi" in view.status.sentence and not view.hand_in.yes
        work.send_photos_now()
        await asyncio.sleep(5)
        assert rows(work) == ["safe"]
        later = (await work.begin_inspection("site-01")).id
        await soil_on_the_road(work, later)
        await work.add_photo(later, "TRK-06", jpeg(40), source="camera")
        await nothing_else(work, later)
        await work.sign_inspection(later, PIN)
        await asyncio.sleep(30)
        assert rows(work) == ["received", "safe"]
        air.become(metered=False)
        await asyncio.sleep(5)
        assert rows(work) == ["safe", "safe"]

    on_a_tablet(tmp_path, job, network=air)


@pytest.mark.parametrize("told", [None, True])
def test_the_persons_own_switch(tmp_path, told):
    """Where the platform tells nothing the switch alone decides; off, photos go over any network."""
    air = Air(metered=told)

    async def job(desk, work):
        work.start_sync()
        await work.set_photos_wifi_only(True)
        await failing_inspection(work)
        await asyncio.sleep(30)
        assert rows(work) == ["received"] and set(photo_states(work)) == {"paused"}
        assert "cannot tell" in work.outbox().photos.words if told is None else True
        await work.set_photos_wifi_only(False)
        await asyncio.sleep(5)
        assert rows(work) == ["safe"] and not work.outbox().photos.wifi_only

    on_a_tablet(tmp_path, job, network=air)


def test_nothing_waits_where_nobody_chose_and_nothing_is_told(tmp_path):
    async def job(desk, work):
        work.start_sync()
        await failing_inspection(work)
        await asyncio.sleep(5)
        assert rows(work) == ["safe"] and not work.outbox().photos.paused

    on_a_tablet(tmp_path, job, network=Air(None))


def test_the_network_that_comes_back_is_heard_of(tmp_path):
    air = Air()

    async def job(desk, work):
        desk.network.up = False
        work.start_sync()
        await failing_inspection(work)
        air.become(online=False)
        await asyncio.sleep(95)
        desk.network.up = True
        air.become(online=True)
        await asyncio.sleep(1.5)
        assert rows(work) == ["safe"]

    on_a_tablet(tmp_path, job, network=air)


# --- what is no receipt ---

PAGE = Reply(200, {"content-type": "text/html"}, b"<html>Welcome to the hotel</html>")


@pytest.mark.parametrize(("reply", "said"), [
    (PAGE, "Log in to this Wi-Fi"),
    (Reply(failure=REDIRECT), "Log in to this Wi-Fi"),
    (Reply(302, {"location": "http://hotel.example/"}, b""), "Log in to this Wi-Fi"),
    (Reply(511, {}, b"x"), "Log in to this Wi-Fi"),
    (Reply(201, {"content-type": "application/json"}, b'{"ok": true}'), "not the city's server"),
    (Reply(200, {"content-type": "application/json"}, b"{}"), "not the city's server"),
    (Reply(200, {}, b""), "not the city's server"),
    (Reply(failure=INSECURE), "not secure"),
])  # fmt: skip
def test_a_strangers_answer_is_said_to_be_one_and_nothing_counts_as_sent(tmp_path, reply, said):
    async def job(desk, work):
        true = desk.network.send

        async def stranger(*args, **more):
            await asyncio.sleep(0.02)
            return reply

        desk.network.send = stranger
        work.start_sync()
        await failing_inspection(work)
        await asyncio.sleep(30)
        status = work.status()
        assert rows(work) == ["waiting"] and status.level == "attention"
        assert status.sentence.startswith("Not sent: 1 signed item.") and said in status.sentence
        assert status.next_try and status.next_try in status.sentence
        desk.network.send = true
        await asyncio.sleep(10)
        assert rows(work) == ["safe"]

    on_a_tablet(tmp_path, job)


# --- one bad item ---


@pytest.mark.parametrize("tries", [None, 2])
def test_a_poison_item_is_set_aside_after_the_set_number_of_tries(tmp_path, tries):
    async def job(desk, work):
        if tries is not None:
            async with work._desk.store.change() as tx:
                tx.put("settings", "tries", {"value": tries})
        await failing_inspection(work)
        await failing_inspection(work)
        bad = work.outbox().rows[0].fact
        true, alone = desk.network.send, []

        async def chokes(target, request, body=None, progress=None):
            if request.purpose == "push" and bad in request.ids:
                alone.append(len(request.ids))
                return Reply(422, {"siltwatch-protocol": "1"}, b'{"code": "body-malformed", "detail": "choked"}')
            return await true(target, request, body, progress)

        desk.network.send = chokes
        work.start_sync()
        await asyncio.sleep(600)
        assert rows(work) == ["parked", "safe"] and alone.count(1) == (tries or 5)
        row, status = work.outbox().rows[0], work.status()
        assert status.level == "attention" and status.parked == 1 and row.can_send_again
        assert "not well formed" in row.reason and not work.outbox().hand_in.yes
        desk.network.send = true
        await work.send_again(bad)
        await asyncio.sleep(5)
        assert rows(work) == ["safe", "safe"]

    on_a_tablet(tmp_path, job)


def test_what_the_server_fails_on_says_when_it_is_tried_again_and_is(tmp_path):
    async def job(desk, work):
        await failing_inspection(work)
        true = desk.network.send
        pushes = []

        async def fails(target, request, body=None, progress=None):
            if request.purpose == "push":
                pushes.append(desk.clock.now())
                return Reply(500, {"siltwatch-protocol": "1"}, b'{"code": "server-failed", "detail": "a bug"}')
            return await true(target, request, body, progress)

        desk.network.send = fails
        work.start_sync()
        await until(lambda: rows(work) == ["parked"], 600, step=1)
        said = work.outbox().rows[0].reason.rpartition("Next try at ")[2].rstrip(".")
        promised, so_far = datetime.strptime(said, "%I:%M %p"), len(pushes)
        desk.network.send = true
        await until(lambda: rows(work) == ["safe"], 1_000, step=1)
        assert so_far == 5
        came = desk.clock.now().astimezone(datetime.fromisoformat("2026-08-27T14:00:00-05:00").tzinfo)
        assert abs((came.hour - promised.hour) * 60 + came.minute - promised.minute) <= 1

    on_a_tablet(tmp_path, job)


def test_whatever_a_record_speaks_of_it_has_a_line_in_the_outbox(tmp_path):
    """Rain was read at a gauge and names no site; a record of a later version may say anything."""

    async def job(desk, work):
        desk.network.up = False
        await failing_inspection(work)
        one = work.outbox().rows[0].fact
        doc = work._desk.store.table("facts").get(one)
        odd = ({"site": None, "gauge": "city yard"}, {"site": "", "about": None},
               {"site": 7, "about": "x", "number": None}, {"about": {"order": None}, "name": "Lot 9"},
               {"about": {"fact": "a"}, "site": "nowhere"})
        for n, changes in enumerate(odd):
            ident = f"{n:032x}"
            fact = work._desk.fact(doc)
            fact = replace(fact, id=ident, counter=100 + n, body={**fact.body, **changes}, evidence=())
            work._desk._facts[ident] = fact
            async with work._desk.store.change() as tx:
                tx.put("facts", ident, {**doc, "id": ident, "counter": 100 + n, "evidence": []})
        titles = {row.fact: row.title for row in work.outbox().rows}
        assert len(titles) == 6 and titles[f"{0:032x}"] == "Inspection · city yard"
        assert titles[f"{3:032x}"].startswith("Inspection · Lot ") and all(titles.values())

    on_a_tablet(tmp_path, job)
