"""What was typed and not taken by a button when the tablet locked itself: sealed, and there again after the PIN."""

import asyncio
from pathlib import Path

from tests.support.field_desk import PIN, bench
from tests.support.field_steps import failing_inspection, posted_order, written_order
from tests.support.tablet_window import Window, window

SECRET = "Begun on the wrong site, lot 4"
OTHERS_PIN = "314159"


async def locks_itself(w: Window) -> None:
    w.bench.clock.advance(minutes=20)
    await w.shell.lock_when_idle()
    await w.appears("pin-pad")
    assert w.shell.phase == "locked" and SECRET not in repr((w.shell.entries, w.shell.forms, w.shell.memory))


def test_a_field_that_a_button_takes_is_there_again_after_an_idle_lock_and_after_a_restart(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            order = await written_order(w.work, await failing_inspection(w.work))
            w.shell.go("order", draft=order)
            await w.press("step-review")
            await w.type("abandon-reason", SECRET)
            await locks_itself(w)
            kept = repr(w.work._desk.store.table("settings").all())
            assert "sealed" in kept and SECRET not in kept
            await w.pin()
            await w.appears("abandon-reason")
            assert w.screen.value("abandon-reason") == SECRET and w.screen.enabled("abandon")
            assert "sealed" not in repr(w.work._desk.store.table("settings").all())
            await locks_itself(w)
        async with window(desk, unlock=False) as w:
            await w.pin()
            await w.appears("abandon-reason")  # at the step where it was
            assert w.screen.value("abandon-reason") == SECRET
            await w.press("step-met")
            await w.appears("nobody-present")
            await w.press("step-review")
            await w.appears("abandon-reason")
            assert w.screen.value("abandon-reason") == "", "left without the button, as ever"

    asyncio.run(go())


def test_what_a_pin_was_to_sign_is_kept_too_and_for_nobody_else(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            await posted_order(w.work, await failing_inspection(w.work))
            (row,) = w.work.site("site-01").orders
            w.shell.go("order_act", fact=row.fact, act="repost")
            await w.type("act-reasons", SECRET)
            await locks_itself(w)
            await w.press("lock-other")
            await w.press("lock-newcomer")
            await w.sign_in_new("ben", OTHERS_PIN)
            await w.appears("today-day")
            assert SECRET not in repr((w.shell.entries, w.shell.typed_before, w.shell.forms))
            w.shell.go("people")
            await w.press("person-ada")
            await w.appears("pin-pad")
            await w.pin(PIN)
            await w.appears("today-day")
            w.shell.go("order_act", fact=row.fact, act="repost")
            await w.appears("act-reasons")
            assert w.screen.value("act-reasons") == SECRET

    asyncio.run(go())
