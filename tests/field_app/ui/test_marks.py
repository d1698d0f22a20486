"""Drawing over a photo on the screen: choose a tool, one stroke each, take back, done; by gloves and by taps."""

import asyncio
from pathlib import Path

import pytest

from sync.records.layers import read_layer
from sync.server.casework.queries import order_page
from tests.field_app.ui.test_inspection_parts import inspecting, now
from tests.support.field_desk import bench, jpeg, settle, signed_facts
from tests.support.field_steps import INLET, failing_inspection, item, posted_order
from tests.support.tablet_window import window


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (412, 915)])
def test_an_arrow_a_circle_and_words_are_drawn_and_shown_over_the_photo(tmp_path: Path, width, height):
    async def go():
        async with inspecting(tmp_path, width=width, height=height) as w:
            await w.work.add_photo(w.view.id, INLET, jpeg(4, (400, 300)), source="camera")
            w.shell.go("camera", draft=w.view.id, item=INLET)
            await w.press("kept-mark-1")
            await w.appears("easel")
            await w.draw("easel", [(20, 20), (60, 60), (100, 110)])
            await w.until(lambda: marks(w) == 1, "the arrow kept")
            await w.press("tool-circle")
            await w.press("colour-yellow")
            await w.draw("easel", [(50, 50), (90, 52), (90, 90), (50, 90)])
            await w.until(lambda: marks(w) == 2, "the circle kept")
            await w.press("tool-text")
            await w.draw("easel", [(30, 30), (31, 31)])
            await w.type("mark-words", "torn here")
            await w.draw("easel", [(30, 30), (31, 31)])
            await w.until(lambda: marks(w) == 3, "the words kept; without words nothing was")
            kinds = [(type(d).__name__, d.colour) for d in item(now(w), INLET).photos[0].layer.drawn]
            assert kinds == [("Line", "red"), ("Line", "red"), ("Ellipse", "yellow"), ("Words", "yellow")]
            await w.until(lambda: w.screen.shows("Undo the last mark"))
            await w.press("mark-undo")
            await w.until(lambda: marks(w) == 2, "the last one taken back")
            await w.press("marks-done")
            await w.appears("kept-1")
            await w.until(lambda: drawn_over(w, "kept-1"), "the marks over the small picture")
    asyncio.run(go())


def drawn_over(w, part: str) -> list:
    try:
        return w.screen.inside(part, "Canvas").shapes
    except LookupError:
        return []  # the small picture is still being made


def marks(w) -> int:
    layer = item(now(w), INLET).photos[0].layer
    return layer.marks if layer else 0


def test_a_photo_of_a_placard_is_drawn_on_before_it_is_signed_and_office_and_tablet_show_the_marks(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            number = (await posted_order(w.work, await failing_inspection(w.work))).number
            w.shell.go("site", site="site-01")
            await w.appears("order-photo")
            await w.press("order-photo")
            await w.appears("shutter")
            await w.press("shutter")
            await w.appears("kept-mark-1")
            await w.press("kept-mark-1")
            await w.appears("easel")
            await w.draw("easel", [(20, 20), (60, 60), (100, 110)])
            await w.until(lambda: w.work.order_photos(number).waiting[0].layer, "the arrow kept")
            await w.press("marks-done")
            await w.appears("kept-1")
            await w.until(lambda: drawn_over(w, "kept-1"), "the marks over the small picture")
            await w.press("camera-done")
            await w.until(lambda: len(w.work.order_photos(number).signed) == 1, "signed with its marks")
            (fact,) = signed_facts(w.work, "photo_added")
            layer = fact.body["photo"]["layer"]
            assert [(one.sha256, one.kind) for one in fact.evidence] == [
                (fact.body["photo"]["sha256"], "photo"), (layer, "annotation")]
            await settle(w.work, lambda: w.work.status().level == "safe")
            (order,) = w.work.site("site-01").orders
            (shown,) = order_page(desk.city, order.fact)["photos"]
            assert shown["layer"] == layer
            assert read_layer(desk.city.blobs.read(layer)).of == shown["sha256"]
            w.shell.go("site", site="site-01")
            strip = f"placard-photos-{number}-1"
            await w.appears(strip)
            await w.until(lambda: drawn_over(w, strip), "and so does the tablet, over the signed photo")

    asyncio.run(go())


def test_who_leaves_the_photos_of_a_placard_without_a_word_has_signed_them(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            number = (await posted_order(w.work, await failing_inspection(w.work))).number
            w.shell.go("order_photos", number=number)
            await w.appears("shutter")
            await w.press("shutter")
            await w.until(lambda: w.work.order_photos(number).waiting, "it waits while the screen is open")
            w.shell.go("today")
            await w.until(lambda: len(w.work.order_photos(number).signed) == 1, "signed while the PIN holds")

    asyncio.run(go())
