"""Little room on the tablet: said in time, no new photo below 100 MB in words everywhere, and the text goes on."""

import asyncio
from pathlib import Path

import pytest

from field_app.hardware.ports import Picked, StorageState
from field_app.work import room
from sync.records.problems import Problem
from tests.support.field_desk import PIN, bench, jpeg
from tests.support.field_steps import failing_inspection, nothing_else, posted_order
from tests.support.tablet_window import Window, window

MB = 1_000_000


class Shelf:
    """A storage port with figures of the test's own; `asked` counts how often the promise was asked for."""

    def __init__(self, free: int | None = 30_000 * MB, kept: bool | None = None, grants: bool = False) -> None:
        self.state, self.grants, self.asked = StorageState(free, 40 * MB, kept), grants, 0

    def now(self, free: int | None) -> None:
        self.state = StorageState(free, self.state.used, self.state.kept)

    async def look(self) -> StorageState:
        return self.state

    async def ask_to_keep(self) -> bool | None:
        self.asked += 1
        if self.grants:
            self.state = StorageState(self.state.free, self.state.used, True)
        return self.state.kept


async def runs_down(w: Window, shelf: Shelf, free: int | None) -> None:
    shelf.now(free)
    await w.work.look_at_storage()
    await w.screen.settle()


def test_a_warning_in_time_then_no_photos_but_everything_else(tmp_path: Path):
    async def go():
        shelf = Shelf()
        async with window(bench(tmp_path), storage=shelf) as w:
            await w.set_up()
            assert "warning-storage" not in w.screen.ids()
            await runs_down(w, shelf, 500 * MB)
            assert "warning-storage" not in w.screen.ids()
            await runs_down(w, shelf, 500 * MB - 1)
            assert "499.9 MB are left on this tablet." in w.screen.texts("warning-storage")
            await w.press("site-site-01")
            await w.press("begin-inspection")
            draft = w.shell.place["draft"]
            await w.press("section-tracking")
            await w.press("answer-TRK-07-yes")
            await w.press("photo-TRK-07")
            await w.press("shutter")
            await w.appears("photos-kept-1")
            assert w.screen.enabled("shutter") and "no-room" not in w.screen.ids()

            await runs_down(w, shelf, 100 * MB - 1)
            assert w.screen.texts("no-room") == [
                "Less than 100 MB are left on this tablet: no new photos and recordings. Text goes on."]
            assert not w.screen.enabled("shutter") and not w.screen.enabled("pick-photo")
            await w.chooser.choose(Picked("late.jpg", jpeg(9)))  # it was chosen before the room ran out
            await w.appears("problem")
            assert w.screen.shows("storage-low")
            assert len(w.work.photo_capture(draft, "TRK-07").kept) == 1
            with pytest.raises(Problem, match="storage-low"):
                w.work.check_room()

            await w.press("camera-done")
            await w.type("note-TRK-07", "Clumps by the gate; no photo, the tablet is full.")
            await nothing_else(w.work, draft)
            stored = w.work._desk.store.table("drafts").get(draft)
            assert "Clumps by the gate; no photo, the tablet is full." in str(stored)
            await runs_down(w, shelf, 100 * MB)
            await w.work.add_photo(draft, "TRK-07", jpeg(10), source="camera", view="close")
            assert len(w.work.photo_capture(draft, "TRK-07").kept) == 2

    asyncio.run(go())


def test_with_no_room_for_photos_an_inspection_and_an_order_are_still_signed(tmp_path: Path):
    async def go():
        shelf = Shelf()
        async with window(bench(tmp_path), storage=shelf) as w:
            await w.set_up()
            signed = await failing_inspection(w.work)
            await runs_down(w, shelf, 20 * MB)
            number = (await posted_order(w.work, signed)).number
            w.shell.go("order_photos", number=number)
            await w.appears("no-room")
            assert not w.screen.enabled("shutter")
            with pytest.raises(Problem, match="storage-low"):
                await w.work.add_order_photo(number, jpeg(3), source="camera", pin=PIN)
            again = await w.work.begin_inspection("site-02")
            await nothing_else(w.work, again.id)
            w.work.send_now()
            await w.until(lambda: w.work.status().waiting == 0, "all of it is sent")

    asyncio.run(go())


def test_nothing_is_fetched_into_the_last_room(tmp_path: Path):
    async def go():
        shelf = Shelf()
        async with window(bench(tmp_path), storage=shelf) as w:
            await w.set_up()
            from field_app.work.fetching import ready

            await w.until(lambda: ready(w.work._desk) == "all", "connected, and nothing to send")
            await runs_down(w, shelf, 99 * MB)
            assert ready(w.work._desk) == ""
            await runs_down(w, shelf, None)
            assert ready(w.work._desk) == "all", "what is not told stops nothing"

    asyncio.run(go())


def test_the_promise_is_asked_for_once_and_its_refusal_said(tmp_path: Path):
    async def go():
        shelf = Shelf(kept=False)
        async with window(bench(tmp_path), storage=shelf) as w:
            await w.set_up()
            w.work.send_now()
            await w.until(lambda: w.work.room().kept is False, "looked")
            await room.ask_to_keep(w.work._desk)
            assert shelf.asked >= 1
            await w.appears("warning-unkept")
            assert w.screen.shows("The browser made no promise to keep what is stored here")
            await w.press("warning-unkept")  # one line until it is unfolded
            await w.appears("read-unkept")
            await w.press("read-unkept")
            await w.until(lambda: "warning-unkept" not in w.screen.ids(), "it was read")
            await w.press("open-settings")
            assert "The browser made no promise" in " ".join(w.screen.texts("storage"))
            assert "30.0 GB are left for this app. It takes 40.0 MB now." in w.screen.texts("storage")
            shelf.grants = True
            await w.press("keep-storage")
            await w.until(lambda: "keep-storage" not in w.screen.ids(), "it is granted")
            assert "The browser promised to keep what is stored here." in w.screen.texts("storage")

    asyncio.run(go())


def test_on_a_phone_a_warning_is_one_line_that_unfolds(tmp_path: Path):
    async def go():
        shelf = Shelf(free=300 * MB)
        async with window(bench(tmp_path), width=412, height=915, storage=shelf) as w:
            await w.set_up()
            await runs_down(w, shelf, 250 * MB)
            advice = "Below 100 MB no photos can be taken. Send what waits, then make room."
            assert w.screen.texts("warning-storage") == ["250.0 MB are left on this tablet."]
            await w.press("warning-storage")
            assert w.screen.texts("warning-storage") == ["250.0 MB are left on this tablet.", advice]
            await w.press("warning-storage")
            assert advice not in w.screen.texts("warning-storage")

    asyncio.run(go())
