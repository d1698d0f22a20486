"""Orders that another has to decide on: recommended without the power to post, put up after the office issued it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import flet as ft
import pytest

from sync.server.casework.orders import decline_order, issue_recommended_order
from tests.support.field_desk import PIN, bench
from tests.support.field_steps import failing_inspection, posted_order, recommended_order, written_order
from tests.support.powers import grant
from tests.support.tablet_window import Window, window


async def until_known(w: Window, come: Callable[[], bool], what: str) -> None:
    """Time passes on all clocks, and the tablet asks the office now and then, until it is so."""
    for _time in range(60):
        w.bench.clock.advance(minutes=1)
        w.work.send_now()
        for _turn in range(10):
            if come():
                await w.screen.settle()
                return
            await asyncio.sleep(0.02)
    raise AssertionError(f"it never came down: {what}; on the screen: {w.screen.texts()}")


def test_a_recommendation_says_not_valid_everywhere_and_can_only_be_signed(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.set_up("ben")
            signed = await failing_inspection(w.work)
            w.shell.go("signed", fact=signed.fact)
            await w.appears("signed")
            assert w.screen.shows("you can recommend it to the office")
            assert w.screen.texts("begin-order") == ["Recommend a stop-work order"]
            await w.press("begin-order")
            await w.press("step-met")
            await w.press("nobody-present")
            await w.press("step-review")
            await w.appears("why-not")
            await w.press("make-placard")
            await w.appears("placard-sheet")
            assert w.screen.shows("NOT VALID: a recommendation, not to be put up")
            assert w.screen.texts("screen-title") == ["Recommendation: NOT VALID"]
            assert "placard-is-up" not in w.screen.ids()
            assert "placard-url" not in w.screen.ids()
            await w.pin()
            await w.appears("placard-done")
            assert "placard-photo" not in w.screen.ids()
    asyncio.run(go())


def test_an_order_issued_in_the_office_is_put_up_by_an_inspector(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up("ben")
            await recommended_order(w.work, await failing_inspection(w.work))
            w.shell.go("site", site="site-01")
            await until_known(w, lambda: w.work.status().level == "safe", "the recommendation arrived")
            (row,) = w.work.site("site-01").orders
            await desk.office(issue_recommended_order, "carol", row.fact)
            await until_known(w, lambda: "begin-affixing" in w.screen.ids(), "the issued order")
            await w.press("begin-affixing")
            await w.type("affix-place", "Main gate")
            desk.network.up = False
            assert w.screen.shows("STOP WORK ORDER") and w.screen.shows("STOP WORK ORDER / DETENGA EL TRABAJO")
            await w.press("placard-is-up")
            await w.press("dialog-no")
            assert "placard-up" not in w.screen.ids()
            await w.press("office-paper")
            await w.appears("blank-dated")
            assert w.screen.shows("Placard from the office") and "placard-is-up" not in w.screen.ids()
            await w.press("print-here")
            await w.appears("office-paper")
            await w.press("placard-is-up")
            await w.press("dialog-yes")
            await w.appears("placard-up")
            await w.press("placard-not-up")
            await w.press("placard-is-up")
            await w.press("dialog-yes")
            await w.appears("placard-up")
            await w.pin()
            await w.appears("placard-done")
            await w.press("to-site")
            await w.appears(f"order-{row.number}")
            assert "begin-affixing" not in w.screen.ids()
    asyncio.run(go())


def test_a_declined_order_says_so_with_its_reasons(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            placard = await posted_order(w.work, await failing_inspection(w.work))
            w.shell.go("site", site="site-01")
            await until_known(w, lambda: w.work.status().level == "safe", "the posting arrived")
            (row,) = w.work.site("site-01").orders
            await desk.office(decline_order, "carol", row.fact, "The road was swept before the posting.")
            await until_known(w, lambda: w.screen.shows("The road was swept before the posting."), "the reasons")
            assert "order-photo" not in w.screen.ids()
            assert w.screen.shows("Take the placard down.")
            await w.press("order-placard")
            await w.appears("placard-ended")
            assert w.shell.place["draft"] == placard.id
            assert w.screen.shows("NOT VALID: this order has no force") and not w.screen.shows("STOP WORK ORDER")
            assert not w.screen.shows("Time limits") and not w.screen.shows("a recommendation")
            assert not {"save-placard", "placard-photo", "placard-done", "pin-pad"} & set(w.screen.ids())
    asyncio.run(go())


def scrolling(w: Window) -> list[str]:
    """The keys of the screen's scrolling parts."""
    return [c.key for c in w.screen.controls() if isinstance(c, ft.Column) and str(c.key).startswith("body-")]


def test_the_pad_itself_says_each_time_that_the_pin_was_wrong(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            order = await written_order(w.work, await failing_inspection(w.work))
            await w.work.make_placard(order)
            w.shell.go("placard", draft=order)
            await w.appears("placard-is-up")
            before = scrolling(w)
            await w.press("placard-is-up")
            await w.press("dialog-yes")
            await w.appears("placard-up")
            # Another scrolling part begins at its top, where the pad stands.
            assert len(before) == len(scrolling(w)) == 1 and before != scrolling(w)
            assert w.screen.texts("pin-said") == ["Type your PIN"]
            await w.pin("999111")
            await w.until(lambda: w.screen.texts("pin-said") == ["That PIN was wrong. Type it again."], "said")
            assert "problem" not in w.screen.ids(), "one says it, not two"
            await w.pin("999222")
            await w.until(lambda: w.screen.texts("pin-said") == ["That PIN was wrong. Type it again."], "said again")
            await w.pin("999333")
            await w.until(lambda: w.screen.texts("pin-said") == ["That PIN was wrong. Wait 5 seconds."], "the wait")
    asyncio.run(go())


def test_an_unposted_order_is_given_up_only_with_a_reason(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            order = await written_order(w.work, await failing_inspection(w.work))
            number = w.work.order(order).number
            w.shell.go("order", draft=order)
            await w.press("step-review")
            await w.appears("two-ways")
            assert not w.screen.enabled("use-blank"), "no placard was printed for this tablet"
            await w.appears("abandon")
            assert not w.screen.enabled("abandon")
            await w.type("abandon-reason", "Begun on the wrong site")
            await w.press("abandon")
            assert w.screen.shows("The number that was kept for it goes on no other order.")
            assert not w.screen.shows(number), "it stands on no paper yet, so nobody can note a wrong one"
            await w.press("dialog-yes")
            await w.until(lambda: w.shell.place.name == "site", "back on the site")
    asyncio.run(go())


@pytest.mark.parametrize("later", [10, 16])
def test_the_pin_holds_for_a_quarter_of_an_hour_then_a_photo_asks_for_it(tmp_path: Path, later: int):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            placard = await posted_order(w.work, await failing_inspection(w.work))
            w.shell.go("order_photos", number=placard.number)
            await w.appears("shutter")
            desk.clock.advance(minutes=later)
            await w.press("shutter")
            await w.appears("photos-kept-1")
            assert w.work.order_photos(placard.number).waiting, "while the screen is open it can be drawn on"
            await w.press("camera-done")
            if later > 15:
                await w.appears("pin-pad")
                assert w.screen.shows("Your PIN signs these photos")
                await w.pin()
            await w.until(lambda: w.shell.place.name != "order_photos", "signed, and back")
            assert [row.title for row in w.work.outbox().rows if "Photo added" in row.title]
            assert len(w.work.order_photos(placard.number).signed) == 1
    asyncio.run(go())


def test_today_says_which_placard_must_come_down_and_the_way_to_its_site(tmp_path: Path):
    async def go():
        made = bench(tmp_path)
        grant(made.city, "ada", "release")
        async with window(made, width=412, height=915) as w:
            await w.set_up("ada")
            await posted_order(w.work, await failing_inspection(w.work))
            (order,) = w.work.site("site-01").orders
            w.shell.go("today")
            await w.appears(f"nag-{order.number}")
            assert f"take-down-{order.number}" not in w.screen.ids()
            await w.work.release_order(order.fact, "The street is clean.", PIN)
            w.shell.redraw()
            await w.appears(f"take-down-{order.number}")
            assert w.screen.shows("Take the placard down.")
            await w.press(f"take-down-site-{order.number}")
            assert (w.shell.place.name, w.shell.place["site"]) == ("site", "site-01")

    asyncio.run(go())
