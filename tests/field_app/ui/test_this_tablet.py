"""What the screens say about the tablet itself: a clock that is off, few numbers, a withdrawal that locks it."""

import asyncio
from pathlib import Path

from sync.server.casework.enrolment import LEASE_SIZE, withdraw_tablet
from tests.field_app.work.test_tablet_standing import use
from tests.support.field_desk import bench
from tests.support.tablet_window import window


def test_warnings_stand_below_the_status_bar_and_go_when_they_are_over(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            await w.work.stop_sync()
            assert not [one for one in w.screen.ids() if one.startswith("warning-")]
            await use(w.work, LEASE_SIZE - 3)
            await w.appears("warning-numbers")
            assert w.screen.shows("3 order numbers are left on this tablet.")
            assert w.screen.shows("Connect to the office once")
            w.shell.aside("outbox")
            await w.appears("warning-numbers")
            w.work.start_sync()
            await w.until(lambda: "warning-numbers" not in w.screen.ids(), "numbers came")

    asyncio.run(go())


def test_a_withdrawn_tablet_shows_one_screen_hands_over_and_can_be_taken_into_use_again(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            await desk.office(withdraw_tablet, "carol", "T01", "Stolen from the car.")
            w.work.send_now()
            await w.appears("withdrawn")
            assert w.screen.shows("The office has withdrawn tablet T01.")
            assert w.screen.shows("Bring it to the office.")
            assert not {"open-settings", "open-people", "back"} & set(w.screen.ids())
        async with window(desk) as w:
            await w.appears("withdrawn")
            await w.press("enrol-anew")
            await w.appears("enrol-code")
            await w.screen.type("enrol-code", desk.enrolment_code())
            await w.press("enrol")
            await w.appears("sign-in-code")
            assert w.work.withdrawn() is None

    asyncio.run(go())
