"""The inspector's day, tapped through the real screens over the real use cases, with a real city behind them."""

import asyncio
from pathlib import Path

from tests.support.field_desk import bench
from tests.support.tablet_window import window


def test_from_enrolment_to_a_posted_order(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up_by_tapping()
            desk.network.up = False
            await w.press("site-site-01")
            await w.press("begin-inspection")
            await w.press("section-tracking")
            await w.press("answer-TRK-07-yes")
            await w.until(lambda: w.screen.shows("Major"))
            await w.type("note-TRK-07", "Packed soil from yesterday")
            await w.press("photo-TRK-07")
            await w.press("shutter")
            await w.appears("photos-kept-1")
            await w.press("shutter")
            await w.appears("photos-kept-2")
            await w.press("camera-done")
            await w.rest("tracking")
            await w.press("section-inlets")
            for card in [i for i in w.screen.ids() if i.startswith("choose-")]:
                await w.press(card)
                await w.rest(card.removeprefix("choose-"))
            await w.press("section-waste")
            await w.rest("waste")
            await w.press("section-permit")
            await w.rest("permit:c1")
            assert not [i for i in w.screen.ids() if i.startswith("missing")]
            await w.press("go-review")
            await w.appears("outcome")
            await w.press("in-charge-nobody present")
            await w.until(lambda: w.screen.enabled("pin-0"), "nothing is missing")
            await w.pin("000000")
            await w.until(lambda: w.screen.texts("pin-said") == ["That PIN was wrong. Type it again."], "said")
            assert "problem" not in w.screen.ids()
            await w.pin()
            await w.appears("signed")
            await w.press("begin-order")
            await w.appears("ground-b")
            await w.press("step-scope")
            await w.type("order-must-stop", "All earth moving")
            await w.press("step-met")
            await w.press("nobody-present")
            await w.press("step-review")
            await w.press("make-placard")
            await w.appears("placard-number")
            await w.press("placard-is-up")
            await w.press("dialog-yes")
            await w.appears("placard-up")
            await w.pin()
            await w.appears("placard-done")
            assert w.screen.shows("Tue Sep 8")
            await w.press("status-waiting")
            await w.appears("out-waiting")
            desk.network.up = True
            desk.clock.advance(minutes=2)
            await w.press("send-now")
            await w.appears("status-safe")
            assert w.screen.ids().count("out-safe") == 2
    asyncio.run(go())
