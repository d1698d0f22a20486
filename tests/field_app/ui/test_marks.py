"""Drawing over a photo on the screen: choose a tool, one stroke each, take back, done; by gloves and by taps."""

import asyncio
from pathlib import Path

import pytest

from tests.field_app.ui.test_inspection_parts import inspecting, now
from tests.support.field_desk import jpeg
from tests.support.field_steps import INLET, item


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
