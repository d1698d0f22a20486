"""The life of a window: starting, two windows, a store that cannot be opened, a killed app, back and forward."""

import asyncio
from pathlib import Path

from field_app.ui.routes import Place
from sync.records.problems import Problem
from tests.support.field_desk import bench
from tests.support.tablet_window import window


def test_the_second_window_says_so_and_can_take_over(tmp_path: Path):
    async def go():
        desk = bench(tmp_path, native=True)
        async with window(desk) as first:
            await first.set_up()
            async with window(desk) as second:
                await second.appears("another-tab")
                assert second.screen.shows("Nothing is lost")
                await second.press("take-over")
                await second.pin()
                await second.press("nav-sites")
                await second.appears("site-site-01")
                await first.appears("another-tab")
                assert first.work is None
    asyncio.run(go())


def test_a_store_that_cannot_be_read_is_never_started_empty(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        broken = True

        async def open_store():
            if broken:
                raise Problem("store-damaged", "The journal ends in the middle.")
            return await desk.open_store()

        async with window(desk, open_store=open_store) as w:
            await w.appears("try-again")
            assert w.screen.shows("The journal ends in the middle.")
            assert w.screen.shows("bring the tablet to the office")
            assert w.screen.shows("store-damaged")
            await w.press("try-again")
            await w.appears("try-again")
            broken = False
            await w.press("try-again")
            await w.appears("enrol-code")
    asyncio.run(go())


def test_a_killed_app_opens_where_the_inspector_was(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
            await w.press("answer-WST-01-no")
        async with window(desk) as w:
            await w.appears("item-WST-01")
            assert w.screen.shows("Fails")
    asyncio.run(go())


def test_an_app_left_on_the_sites_opens_on_today_and_the_draft_stays(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
            await w.press("back")
            await w.appears("begin-inspection")
            await w.press("back")
            await w.until(lambda: not w.shell._tasks or w.screen.shows("inspection begun"))
        async with window(desk) as w:
            await w.appears("today-day")
            assert w.shell.place == Place("today")
            (draft,) = w.work._desk.store.table("drafts").all()
            await w.press(f"go-on-{draft['id']}")
            await w.appears("section-waste")
    asyncio.run(go())


def test_back_leads_to_the_screen_behind_and_the_browser_may_go_anywhere(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, width=412, height=915) as w:
            await w.set_up()
            await w.press("site-site-01")
            await w.press("begin-inspection")
            await w.appears("section-tracking")
            draft = w.shell.place["draft"]
            await w.press("back")
            assert w.shell.place == Place("site", (("site", "site-01"),))
            await w.press("back")
            assert w.shell.place == Place("sites")
            await w.screen.session.dispatch_event(1, "route_change", {"route": f"/inspection/{draft}"})
            await w.appears("section-tracking")
            view = w.screen.page.views
            from flet.components.public_utils import unwrap_component

            shown = unwrap_component(view)
            shown = shown[0] if isinstance(shown, list) else shown
            assert shown.can_pop is False  # Android's back is ours here
            await w.screen.fire(shown, "confirm_pop")
            assert w.shell.place.name == "site"
    asyncio.run(go())


def test_a_path_to_something_that_is_not_here_says_so_and_leads_back(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            await w.screen.session.dispatch_event(1, "route_change", {"route": "/inspection/nosuch"})
            await w.appears("problem")
            assert "failed-part" not in w.screen.ids()
            await w.press("to-sites")
            await w.appears("site-search")
    asyncio.run(go())


def test_a_refusal_is_a_banner_with_code_and_advice_until_it_is_closed(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.type("enrol-code", "WRONG-CODE")
            await w.press("enrol")
            await w.appears("problem")
            assert w.screen.shows("code-unknown")
            assert w.screen.shows("letter by letter to its end. If it is the same, ask for a new one.")
            await w.press("problem-close")
            assert "problem" not in w.screen.ids()
            desk.network.up = False
            await w.type("enrol-code", desk.enrolment_code())
            await w.press("enrol")
            await w.appears("problem")
    asyncio.run(go())
