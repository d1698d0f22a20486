"""A forgotten PIN, from the locked tablet to the office and back: the drafts are all there, and nothing else opens."""

import asyncio

import pytest

from field_app.store.disk import KEYS
from sync.records.problems import Problem
from sync.server.casework import recovery
from tests.support.field_desk import PIN, bench, jpeg, ready

NEW = "161803"


def run(job):
    asyncio.run(job())


async def refused(code, call):
    with pytest.raises(Problem) as caught:
        await call
    assert caught.value.code == code


async def begun(desk, work):
    """Ada has a draft with a photo, and leaves."""
    await ready(desk, work)
    draft = (await work.begin_inspection("site-01")).id
    await work.note(draft, "WST-01", "behind the blue container")
    await work.add_photo(draft, "", jpeg(3), source="camera")
    return draft


def test_the_office_opens_it_and_everything_is_there(tmp_path):
    async def job():
        desk = bench(tmp_path)
        passphrase = recovery.make_recovery_key(desk.city)
        async with desk.work() as work:
            draft = await begun(desk, work)
        async with desk.work(unlock=False) as work:
            assert work.forgotten_view("ada").state == "choose"
            await refused("pin-weak", work.ask_for_pin("ada", "111111", "111111"))
            await refused("pin-differs", work.ask_for_pin("ada", NEW, "161804"))
            desk.network.up = False
            await refused("offline", work.ask_for_pin("ada", NEW, NEW))
            unsent = work.forgotten_view("ada")
            assert unsent.state == "unsent" and unsent.code
        async with desk.work(unlock=False) as work:  # killed before it could be sent
            desk.network.up = True
            waiting = await work.look_for_pin("ada")
            (asked,) = recovery.asks(desk.city)
            assert waiting.state == "waiting" and waiting.code == asked.code == unsent.code
            assert asked.name == "Ada Lindqvist" and asked.tablet == "T01"
            await refused("recovery-unknown", work.finish_forgotten("ada", NEW))
            recovery.answer(desk.city, "carol", asked.id, passphrase)
            assert (await work.look_for_pin("ada")).state == "answered"
            await refused("pin-wrong", work.finish_forgotten("ada", PIN))
            opened = await work.finish_forgotten("ada", NEW)
            assert opened.screen == "inspection" and opened.draft == draft
            assert "blue container" in str(work._desk.store.table("drafts").get(draft))
            (sha,) = work._desk.store.table("drafts").get(draft)["photos"]
            assert await work._desk.box.read(sha) == jpeg(3)
            assert work._desk.store.keys.entry("ada")["ask"] is None
        async with desk.work(unlock=False) as work:
            await refused("pin-wrong", work.unlock("ada", PIN))
            assert (await work.unlock("ada", NEW)).draft == draft

    run(job)


def test_the_pin_that_comes_back_to_mind_still_opens_and_the_question_is_taken_back(tmp_path):
    async def job():
        desk = bench(tmp_path)
        recovery.make_recovery_key(desk.city)
        async with desk.work() as work:
            await begun(desk, work)
        async with desk.work(unlock=False) as work:
            assert (await work.ask_for_pin("ada", NEW, NEW)).state == "waiting"
            await work.unlock("ada", PIN)
            assert (await work.give_up_asking("ada")).state == "choose"

    run(job)


def test_a_declined_question_can_be_asked_again(tmp_path):
    async def job():
        desk = bench(tmp_path)
        passphrase = recovery.make_recovery_key(desk.city)
        async with desk.work() as work:
            await begun(desk, work)
        async with desk.work(unlock=False) as work:
            await work.ask_for_pin("ada", NEW, NEW)
            recovery.decline(desk.city, "carol", recovery.asks(desk.city)[0].id, "not reached")
            assert (await work.look_for_pin("ada")).state == "declined"
            await work.give_up_asking("ada")
            await work.ask_for_pin("ada", NEW, NEW)
            recovery.answer(desk.city, "carol", recovery.asks(desk.city)[0].id, passphrase)
            await work.look_for_pin("ada")
            await work.finish_forgotten("ada", NEW)
            assert work._desk.store.table("drafts").all()

    run(job)


def test_a_city_that_makes_its_pair_later_reaches_tablets_that_are_enrolled(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await begun(desk, work)
            assert work.forgotten_view("ada").state == "impossible"
            await refused("recovery-none", work.ask_for_pin("ada", NEW, NEW))
            await desk.office(recovery.make_recovery_key)
            work.start_sync()
            work.send_now()
            for _ in range(200):
                await asyncio.sleep(0.02)
                if work.forgotten_view("ada").state == "choose":
                    break
            assert work.forgotten_view("ada").state == "choose"
        # Neither the city's public half nor anything else on the tablet opens a key.
        raw = b"".join(desk.medium.files[name] for name in KEYS)
        assert recovery.public_key(desk.city).encode() in raw and b"blue container" not in raw

    run(job)
