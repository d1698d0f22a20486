"""A pre-printed placard by tapping: two ways offered, scanned or typed, refused in words, dated, put up, spoiled."""

import asyncio
from pathlib import Path

from sync.records.protocol import public_order_url
from sync.server.casework import blanks
from sync.server.casework.enrolment import order_token
from tests.support.city import PUBLIC_URL
from tests.support.codes import jpeg_of, seen
from tests.support.field_desk import bench
from tests.support.field_steps import failing_inspection, written_order
from tests.support.tablet_window import window


async def written_with_papers(w, count=3):
    """On the review step of an order with nothing missing, papers in the case; the order's id and their numbers."""
    await w.set_up("ada")
    code = w.work._desk.tablet()["tablet_code"]
    await w.bench.office(blanks.print_blanks, "carol", code, count)
    w.work.send_now()
    await w.until(lambda: len(w.work.blanks().free) == count, "the papers are known")
    w.bench.network.up = False
    order = await written_order(w.work, await failing_inspection(w.work))
    w.shell.go("order", draft=order)
    await w.press("step-review")
    await w.appears("two-ways")
    return order, w.work.blanks().free


def show(w, text):
    """What the camera sees from now on."""
    async def take():
        return jpeg_of(seen(text, turned=7))
    w.camera.take = take


def link(desk, number):
    return public_order_url(PUBLIC_URL, number, order_token(desk.city, number))


def test_a_scanned_placard_is_dated_put_up_and_signed(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, width=412, height=915) as w:
            order, papers = await written_with_papers(w)
            assert w.screen.shows("Use a pre-printed placard (3 left)")
            await w.press("use-blank")
            await w.until(lambda: w.camera.running, "the camera is open")
            show(w, "https://example.org/menu")
            await w.press("scan")
            await w.until(lambda: w.screen.shows("This code leads somewhere else"), "the refusal")
            assert w.screen.shows("Scan the code on the placard.")
            show(w, link(desk, papers[1]))
            await w.press("scan")
            await w.appears("blank-steps")
            assert w.screen.texts("blank-head") == [papers[1]] and w.screen.shows("08 / 27 / 2026")
            assert "placard-is-up" not in w.screen.ids(), "first the date"
            await w.press("blank-dated")
            await w.press("placard-is-up")
            await w.press("dialog-yes")
            await w.appears("placard-up")
            await w.pin()
            await w.appears("placard-done")
            assert w.work.order(order).number == papers[1]
            await w.press("save-placard")
            await w.until(lambda: f"{papers[1]}.pdf" in desk.saved, "the whole order as PDF")
    asyncio.run(go())


def test_a_typed_one_is_left_spoiled_and_another_taken(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, camera=False) as w:
            order, papers = await written_with_papers(w)
            await w.press("use-blank")
            await w.appears("scan-no-camera")
            await w.type("blank-number", papers[0][:-1] + ("A" if papers[0][-1] != "A" else "B"))
            await w.press("blank-use")
            await w.until(lambda: w.screen.shows("Check the number, letter by letter."), "the check character")
            await w.type("blank-number", papers[0].lower())
            await w.press("blank-use")
            await w.appears("blank-steps")
            await w.press("leave-blank")
            await w.type("leave-reason", "The marker bled")
            await w.press("leave-void")
            await w.appears("two-ways")
            assert w.work.blanks().free == papers[1:] and w.work.order(order).number not in papers
            assert w.screen.shows("Use a pre-printed placard (2 left)")

            await w.press("use-blank")
            await w.press("blank-spoiled")
            await w.type("spoiled-number", papers[1])
            await w.type("spoiled-reason", "Lost on the way")
            await w.press("spoiled-void")
            await w.press("dialog-yes")
            await w.until(lambda: w.work.blanks().free == papers[2:], "it is recorded")
            await w.type("blank-number", papers[1])
            await w.press("blank-use")
            await w.until(lambda: w.screen.shows("Destroy it and take another one."), "void")
            await w.type("blank-number", papers[2])
            await w.press("blank-use")
            await w.press("blank-dated")
            await w.appears("placard-is-up")
            desk.clock.advance(hours=20)
            w.shell.redraw()
            await w.until(lambda: w.screen.shows("must not go up on another day"), "the day after")
            assert "placard-is-up" not in w.screen.ids()
            await w.press("leave-blank")
            assert "leave-clean" not in w.screen.ids(), "it bears a date"
            # The order goes on where it was: an edit keeps its placard.
            w.shell.go("order", draft=order)
            await w.appears("keep-blank")
    asyncio.run(go())
