"""The PIN pad itself: as many digits as a PIN may have, and none lost to fast fingers on a slow tablet."""

import asyncio
from pathlib import Path

from tests.support.field_desk import PIN, bench
from tests.support.flet_harness import walk
from tests.support.tablet_window import window


async def tapped(screen, identifier: str) -> None:
    """The tap alone: nothing is drawn before the next one."""
    control = next(c for c in walk(screen.part(identifier)) if getattr(c, "on_click", None) is not None)
    await screen.session.dispatch_event(control._i, "click", None)


def test_a_pin_of_twelve_digits_typed_faster_than_the_screen_is_drawn(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        digits = "274915380264"
        async with window(desk) as w:
            await w.type("enrol-code", desk.enrolment_code())
            await w.press("enrol")
            await w.type("sign-in-code", desk.personal_code("ada"))
            await w.press("sign-in")
            await w.appears("pin-pad")
            for digit in digits[:6]:
                await w.press(f"pin-{digit}")
            for digit in digits[6:]:
                await tapped(w.screen, f"pin-{digit}")
            await tapped(w.screen, "pin-ok")
            await w.until(lambda: w.screen.shows("once more"), "the first time")
            await w.pin(digits)
            await w.appears("nav-sites")
            assert await w.shell.work._desk.store.keys.fits("ada", digits) is not None
            assert await w.shell.work._desk.store.keys.fits("ada", digits[:6]) is None

    asyncio.run(go())


def test_a_pin_confirmed_before_its_last_digit_is_drawn_is_taken_and_a_short_one_is_asked_for(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up("ada")
            await w.work.leave()
            w.shell.enter("locked")
            await w.appears("pin-pad")
            await w.press("pin-2")
            await w.press("pin-ok")
            await w.until(lambda: w.screen.shows("Type the whole PIN first."), "it says that digits miss")
            ok = next(c for c in walk(w.screen.part("pin-ok")) if getattr(c, "on_click", None) is not None)
            for digit in PIN[1:]:
                await tapped(w.screen, f"pin-{digit}")
            assert PIN[0] == "2" and not ok.disabled, "the button as it was drawn before takes the tap"
            await w.screen.session.dispatch_event(ok._i, "click", None)
            await w.appears("nav-sites")

    asyncio.run(go())
