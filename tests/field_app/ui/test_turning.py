"""A tablet that is turned while a question is open: the question stays, and what was chosen in it stays."""

import asyncio
from pathlib import Path

import flet as ft

from tests.support.field_desk import bench
from tests.support.field_steps import failing_inspection, written_order
from tests.support.flet_harness import SIZES
from tests.support.tablet_window import Window, window


def question(w: Window) -> str | None:
    """The title of the question that is open."""
    for dialog in w.screen.page._dialogs.controls:
        if getattr(dialog, "open", False):
            return dialog.title.value if isinstance(dialog, ft.AlertDialog) else type(dialog).__name__
    return None


async def stays(w: Window, opener: str) -> None:
    """Open the question, turn the tablet every way, then close it."""
    await w.press(opener)
    await w.until(lambda: question(w), opener)
    asked = question(w)
    for width, height in (*SIZES, SIZES[0]):
        await w.resize(width, height)
        await fade(w)
        await w.until(lambda: question(w) == asked, f"{opener} at {width}x{height}: {question(w)}")
        open_ones = [d for d in w.screen.page._dialogs.controls if getattr(d, "open", False)]
        assert len(open_ones) == 1, (opener, width)
    if isinstance(open_ones[0], ft.AlertDialog):
        await w.press(next(one for one in w.screen.ids() if one == "dialog-no" or one.endswith("-cancel")))
    else:
        await w.screen.fire(open_ones[0], "dismiss")
    await w.until(lambda: question(w) is None, f"{opener} closed")
    await fade(w)


async def fade(w: Window) -> None:
    """What a client says when a closed question has faded."""
    for closed in [d for d in w.screen.page._dialogs.controls if not getattr(d, "open", False)]:
        await w.screen.fire(closed, "dismiss")


def test_questions_stay_when_the_tablet_is_turned(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up_inspecting("tracking")
            draft = w.shell.place["draft"]
            await stays(w, "in-order")
            await stays(w, "rest-na")
            await w.press("answer-TRK-03-no")
            await stays(w, "due-TRK-03-day")
            await stays(w, "due-TRK-03-time")
            await w.work.discard_draft(draft)
            w.shell.go("rain")
            await stays(w, "rain-from-day")
            signed = await failing_inspection(w.work)
            order = await written_order(w.work, signed)
            w.shell.go("order", draft=order)
            await w.press("step-corrections")
            await stays(w, "order-due-0-day")
            await w.press("step-review")
            await w.type("abandon-reason", "Drawn up for the wrong lot")
            await stays(w, "abandon")
            assert w.screen.value("abandon-reason") == "Drawn up for the wrong lot"
            await w.press("make-placard")
            await stays(w, "placard-is-up")
            w.shell.go("find", report=(await w.work.begin_report()).id)
            await stays(w, "find-discard")
            again = await w.work.begin_inspection("site-02")
            w.shell.go("site", site="site-02")
            await stays(w, "draft-inspection-discard")
            await w.work.discard_draft(again.id)

    asyncio.run(go())


def test_what_was_begun_is_done_after_the_turn(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up_inspecting("tracking")
            await w.press("rest-na")
            await w.appears("dialog-yes")
            await w.resize(412, 915)
            await w.press("dialog-yes")
            await w.until(lambda: question(w) is None, "answered")
            await w.until(lambda: "rest-na" not in w.screen.ids(), "the rest is answered")

    asyncio.run(go())
