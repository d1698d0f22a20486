"""The shutter on the screen: pressed faster than the camera takes, it counts at once and keeps them all."""

import asyncio
from pathlib import Path

import pytest

from field_app.ui.components.capture import BURST
from tests.field_app.ui.test_inspection_parts import inspecting, now
from tests.support.field_steps import INLET, item


async def slow(w) -> asyncio.Event:
    """The camera gives nothing until the event is set."""
    going, take = asyncio.Event(), w.camera.take

    async def later() -> bytes:
        await going.wait()
        return await take()

    w.camera.take = later
    w.shell.go("camera", draft=w.view.id, item=INLET)
    await w.appears("shutter")
    await w.until(lambda: w.camera.running, "the camera open")
    await w.screen.settle()
    return going


def kept(w):
    return item(now(w), INLET).photos


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (412, 915)])
def test_four_presses_before_the_first_picture_are_counted_and_all_four_kept(tmp_path: Path, width, height):
    async def go():
        async with inspecting(tmp_path, width=width, height=height) as w:
            going = await slow(w)
            for count in range(1, 5):
                await w.screen.press("shutter")
                assert f"shots-asked-{count}" in w.screen.ids() and "photos-kept-0" in w.screen.ids()
            assert w.screen.shows("4 taken now, 4 of them not saved yet")
            going.set()
            await w.appears("photos-kept-4")
            assert "shots-waiting-1" not in w.screen.ids()
            assert len({p.sha256 for p in kept(w)}) == 4 and [p.view for p in kept(w)][:1] == ["Wide view"]
            shots = w.shell.memory[BURST].shots
            assert len(shots) == 4 and all(shot.saved_ms is not None for shot in shots)
    asyncio.run(go())


def test_the_volume_key_is_a_shutter_and_done_waits_for_what_is_not_saved_yet(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            going = await slow(w)
            for key in ("Audio Volume Up", "A", "Audio Volume Down"):
                await w.screen.session.dispatch_event(w.shell.page._i, "keyboard_event", {
                    "key": key, "shift": False, "ctrl": False, "alt": False, "meta": False})
            await w.appears("shots-waiting-2")
            leaving = asyncio.ensure_future(w.screen.press("camera-done"))
            await w.screen.settle()
            assert "shutter" in w.screen.ids()
            going.set()
            await leaving
            await w.appears("section-tracking")
            assert len(kept(w)) == 2 and not w.camera.running
    asyncio.run(go())


def test_who_leaves_another_way_is_told_what_was_not_taken(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            going = await slow(w)
            for _ in range(3):
                await w.screen.press("shutter")
            w.shell.go("today")
            await w.screen.settle()
            going.set()
            await w.until(lambda: len(kept(w)) == 1, "what was in hand is kept")
            await w.until(lambda: w.shell.said == "2 photos were not taken.", "said")
    asyncio.run(go())


def test_a_camera_that_breaks_says_so_and_what_was_saved_stays(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            going = await slow(w)
            going.set()
            await w.screen.press("shutter")
            await w.appears("photos-kept-1")

            async def broken() -> bytes:
                raise OSError("the lens fell off")

            w.camera.take = broken
            await w.screen.press("shutter")
            await w.appears("problem")
            assert "photos-kept-1" in w.screen.ids() and len(kept(w)) == 1
    asyncio.run(go())


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (412, 915)])
def test_a_photo_far_from_the_site_asks_why_and_one_tap_answers(tmp_path: Path, width, height):
    async def go():
        async with inspecting(tmp_path, width=width, height=height) as w:
            w.bench.position.place = (43_083_100, -89_401_200, 500)
            w.shell.go("camera", draft=w.view.id, item=INLET)
            await w.press("shutter")
            await w.appears("far-panel")
            assert w.screen.shows("1 photo was taken 0.7 mi from the site. Why?")
            await w.press("far-seen")
            await w.until(lambda: now(w).details.far.reason == "From where the site can be seen", "the reason kept")
            await w.press("camera-done")
            await w.press("section-details")
            await w.type("far-reason", "From the bridge, where the water runs")
            await w.until(lambda: now(w).details.far.reason == "From the bridge, where the water runs", "in own words")
            assert "far" not in [m.section for m in now(w).missing]
    asyncio.run(go())
