"""A tablet that is turned, or gets another look, language and size of letters, while a question is open: the question
stays, and what was chosen in it; no other part of the screen forgets what it knows either."""

import asyncio
from pathlib import Path

import flet as ft

from tests.support.field_desk import bench
from tests.support.field_steps import failing_inspection, written_order
from tests.support.flet_harness import SIZES, forgotten, remembering
from tests.support.tablet_window import Window, window

ONLY_ASKS = ("UpButton up-button",)  # all that it knows is the question, which is not its own


def questions(w: Window) -> list[ft.AlertDialog]:
    """Those that are open."""
    return [dialog for dialog in w.screen.page._dialogs.controls if getattr(dialog, "open", False)]


def asked(w: Window) -> str | None:
    """The title of the question that is open."""
    return next((one.title.value for one in questions(w)), None)


async def another_look(w: Window, look: str, text: str, language: str) -> None:
    await w.work.set_look(look=look, text=text)
    await w.work.set_language(language)
    w.shell.dress()
    await w.screen.settle()


async def every_way(w: Window, where: str) -> None:
    """Turn the tablet, then turn it in Spanish with the largest letters in the dark; the screen forgets nothing."""
    at_first = remembering(w.screen.page)
    for look, sizes in ((("normal", "standard", "en"), SIZES[1:]), (("dark", "largest", "es"), SIZES[::-1])):
        await another_look(w, *look)
        for width, height in sizes:
            await w.resize(width, height)
            await fade(w)
            await w.until(lambda: len(questions(w)) == 1, f"{where} with {look} at {width}x{height}")
            # The page of a site is another screen where it stands beside the list.
            if w.shell.place.name != "site":
                lost = forgotten(at_first, remembering(w.screen.page))
                assert [one for one in lost if one not in ONLY_ASKS] == [], (where, look, width)
    await another_look(w, "normal", "standard", "en")


async def stays(w: Window, opener: str) -> None:
    """Open the question, turn the tablet every way, then close it."""
    await w.press(opener)
    await w.until(lambda: asked(w), opener)
    words = asked(w)
    await every_way(w, opener)
    assert asked(w) == words
    await w.press(next(one for one in w.screen.ids() if one == "dialog-no" or one.endswith("-cancel")))
    await w.until(lambda: asked(w) is None, f"{opener} closed")
    await fade(w)


async def fade(w: Window) -> None:
    """What a client says when a closed question has faded."""
    for closed in [d for d in w.screen.page._dialogs.controls if not getattr(d, "open", False)]:
        await w.screen.fire(closed, "dismiss")


def test_questions_of_an_inspection_stay_when_the_tablet_is_turned(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up_inspecting("tracking")
            draft = w.shell.place["draft"]
            await stays(w, "in-order")
            await stays(w, "rest-na")
            await w.press("answer-TRK-03-no")
            await stays(w, "due-TRK-03-day")
            await w.press("due-TRK-03-time")
            await w.press("due-TRK-03-time-hour-9")
            await every_way(w, "due-TRK-03-time")
            assert w.screen.texts("due-TRK-03-time-shown") == ["9:00 PM"], "what was chosen so far stays"
            await w.press("due-TRK-03-time-cancel")
            await w.press("section-inlets")
            await w.press("choose-inlets@inlet:inlet-01")
            await w.press("retire-inlet-01")
            await w.type("retire-why", "Paved over")
            await every_way(w, "retire-inlet-01")
            assert w.screen.value("retire-why") == "Paved over"
            await w.press("dialog-no")
            await w.work.discard_draft(draft)

    asyncio.run(go())


def test_questions_of_orders_and_reports_stay_when_the_tablet_is_turned(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
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
            await another_look(w, "sun", "largest", "es")
            await w.press("dialog-yes")
            await w.until(lambda: asked(w) is None, "answered")
            await w.until(lambda: "rest-na" not in w.screen.ids(), "the rest is answered")

    asyncio.run(go())
