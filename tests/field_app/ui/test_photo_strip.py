"""Photos on the screen: what cannot be decoded here says so, a photo is taken again, the tablet's own camera."""

import asyncio
import hashlib
from pathlib import Path

from field_app.hardware.ports import Picked
from tests.field_app.ui.test_inspection_parts import inspecting, now
from tests.support.evidence_files import heic
from tests.support.field_desk import jpeg
from tests.support.field_steps import INLET, item


async def camera(w) -> None:
    w.shell.go("camera", draft=w.view.id, item=INLET)
    await w.appears("shutter")
    await w.until(lambda: w.camera.running, "the camera open")
    await w.screen.settle()


def kept(w):
    return item(now(w), INLET).photos


def test_a_picture_that_nothing_here_decodes_is_kept_as_it_is_and_says_preview_in_the_office(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await camera(w)
            large = heic(pixels=bytes(range(256)) * 40_000)
            await w.chooser.choose(Picked("IMG_0001.HEIC", large))
            await w.appears("photos-kept-1")
            await w.until(lambda: w.screen.shows("preview in the office"), "said on the thumbnail")
            (photo,) = kept(w)
            assert photo.sha256 == hashlib.sha256(large).hexdigest() and photo.flags == ("not taken in the app",)
            assert await w.work._desk.box.read(photo.sha256) == large
            await w.work._desk.box.delete(photo.sha256)
            assert await w.work.no_picture_words(photo.sha256) == "not on this tablet"
    asyncio.run(go())


def test_a_photo_is_taken_again_in_two_taps_and_the_first_one_leaves_its_trace(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path, width=412, height=915) as w:
            await camera(w)
            await w.press("shutter")
            await w.appears("photos-kept-1")
            first = kept(w)[0].sha256
            await w.press("kept-retake-1")
            await w.appears("photos-kept-0")
            assert w.shell.said == "Taken off. Take it again now."
            await w.press("shutter")
            await w.appears("photos-kept-1")
            assert kept(w)[0].sha256 != first
            assert w.work._desk.store.table("evidence").get(first)["removed"]["why"] == "retaken"
    asyncio.run(go())


def test_the_tablets_own_camera_is_marked_as_such_unless_the_file_is_older(tmp_path: Path):
    async def go():
        answers = [(Picked("new.jpg", jpeg(1)), True), (Picked("old.jpg", jpeg(2)), False), None]

        async def system_camera():
            return answers.pop(0)

        async with inspecting(tmp_path, system_camera=system_camera) as w:
            await camera(w)
            for count in (1, 2, 2):
                await w.press("system-camera")
                await w.appears(f"photos-kept-{count}")
            records = w.work._desk.store.table("drafts").get(w.view.id)["photos"].values()
            assert [(r["source"], r["name"]) for r in records] == [
                ("system camera", "new.jpg"), ("gallery", "old.jpg")]
            assert not answers
    asyncio.run(go())
