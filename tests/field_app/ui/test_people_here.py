"""The tablet locks itself; people are removed: nothing begun is lost but by name, with the power and reasons."""

import asyncio
from pathlib import Path

from sync.server.casework.audit import entries
from sync.server.casework.public import NOT_TO_BE_USED, public_order
from tests.support.field_desk import PIN, bench, jpeg, ready, refused, settle, sign_in
from tests.support.field_steps import failing_inspection, written_order
from tests.support.powers import grant
from tests.support.tablet_window import window


def run(job):
    asyncio.run(job())


def test_it_locks_itself_in_an_inspection_and_opens_at_the_same_item(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
            await w.press("answer-WST-01-no")
            await w.type("note-WST-01", "behind the blue container")
            place = w.shell.place
            desk.clock.advance(minutes=14)
            await w.shell.lock_when_idle()
            assert w.shell.phase == "work"
            await w.press("section-waste")  # somebody is there
            desk.clock.advance(minutes=14)
            await w.shell.lock_when_idle()
            assert w.shell.phase == "work"
            desk.clock.advance(minutes=1)
            await w.shell.lock_when_idle()
            await w.appears("pin-pad")
            assert w.screen.shows("This tablet is locked") and "item-WST-01" not in w.screen.ids()
            await w.pin()
            await w.appears("item-WST-01")
            assert w.shell.place == place and w.screen.value("note-WST-01") == "behind the blue container"
            w.eyes.look(False)  # the screen goes dark; the tablet sleeps
            desk.clock.advance(hours=2)
            w.shell.touch()
            w.eyes.look(True)
            await w.appears("pin-pad")
            await w.pin()
            await w.press("open-settings")
            await w.press("idle-0")
            desk.clock.advance(days=2)
            await w.shell.lock_when_idle()
            assert w.shell.phase == "work" and w.work.idle().value == "0"
            await w.press("idle-5")
            desk.clock.advance(minutes=5)
            await w.shell.lock_when_idle()
            assert w.shell.phase == "locked"
            assert await refused(w.work.set_idle(7)) == "choice-unknown"

    run(go)


def test_somebody_without_work_here_is_removed_by_tapping(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, width=412, height=915) as w:
            await w.set_up()
            await sign_in(desk, w.work, "ben")
            await w.work.unlock("ada", PIN)
            await settle(w.work)
            w.shell.go("settings")
            await w.press("open-people-here")
            await w.appears("here-ben")
            await w.press("remove-ben")
            await w.appears("remove-panel")
            assert "remove-name" not in w.screen.ids()
            await w.pin("000111")
            await w.until(lambda: w.screen.texts("pin-said") == ["That PIN was wrong. Type it again."], "said")
            await w.pin()
            await w.appears("removed-before")
            assert "here-ben" not in w.screen.ids() and w.screen.shows("Ben Okafor was removed by Ada Lindqvist.")
            assert w.screen.shows("The last person cannot be removed") and "remove-ada" not in w.screen.ids()
            w.shell.go("people")
            await w.appears("sign-in-code")
            assert "person-ben" not in w.screen.ids()

    run(go)


def test_work_that_only_one_key_opens_goes_by_name_with_the_power_and_reasons(tmp_path: Path):
    async def go():
        desk = bench(tmp_path, native=True)
        async with desk.work() as work:
            await ready(desk, work)
            await sign_in(desk, work, "ben")
            desk.network.up = False
            signed = await failing_inspection(work)
            begun = (await work.begin_inspection("site-02")).id
            photo = (await work.add_photo(begun, "", jpeg(7), source="camera")).kept[0].sha256
            await work.unlock("ada", PIN)
            (ada, ben) = work.people_here().people
            assert (ben.unsent, ben.begun, ada.mine) == (1, 1, True) and ben.loses and "administers" in ben.refused
            everything = {"name": "ben okafor", "reasons": "He left the city's service."}
            assert await refused(work.remove_person("ben", PIN, **everything)) == "no-authority"
            grant(desk.city, "ada", "administer")
            desk.network.up = True
            await settle(work, lambda: not work.people_here().people[1].refused)
            desk.network.up = False
            assert work.people_here().people[1].unsent == 0, "it has gone to the office meanwhile"
            assert await refused(work.remove_person("ben", PIN)) == "name-differs"
            assert await refused(work.remove_person("ben", PIN, name="Ben Okafor")) == "reasons-missing"
            assert await refused(work.remove_person("ben", "000111", **everything)) == "pin-wrong"
            assert await work._desk.box.has(photo)
            assert (await work.remove_person("ben", PIN, **everything)).screen == "sites"
            assert [one.id for one in work.people_here().people] == ["ada"]
            (said,) = work.people_here().before
            assert "Ben Okafor was removed by Ada Lindqvist. Destroyed unsigned: 1." in said
            assert "He left the city's service." in said
            assert not await work._desk.box.has(photo) and work.signed(signed.fact).fact == signed.fact
            assert await refused(work.remove_person("ada", PIN)) == "person-last"
        async with desk.work() as work:
            assert [one.id for one in work.lock_view().people] == ["ada"] and work.people_here().before
            assert not work._desk.store.hidden("drafts")
            desk.network.up = True
            await sign_in(desk, work, "ben")  # with a new personal code, and a key of his own
            assert len(work.people_here().people) == 2
            await settle(work)
            assert (await work.remove_person("ben", PIN)).screen == "sign_in", "one may remove oneself"
            await settle(work)
            told = [entry.who for entry in entries(desk.city) if entry.what == "person_removed"]
            assert sorted(told) == ["ada", "ben"], "the office has it in its audit record"

    run(go)


def test_a_placard_that_hangs_unsigned_is_told_when_its_person_is_removed(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            order = await written_order(work, await failing_inspection(work))
            await work.make_placard(order)
            hangs = await work.placard_is_up(order)
            await sign_in(desk, work, "ben")
            grant(desk.city, "ben", "administer")
            await settle(work, lambda: not work.people_here().people[0].refused)
            assert hangs.number in work.people_here().people[0].words
            await work.remove_person("ada", PIN, name="Ada Lindqvist", reasons="She left the city's service.")
            await settle(work)
        token = hangs.public_url.partition("t=")[2].partition("&")[0]
        assert public_order(desk.city, hangs.number, token).state == NOT_TO_BE_USED

    run(go)
