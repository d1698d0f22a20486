"""Working a checklist: answers, what is missing, severity, due dates, photos, all kept at the tap."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

from field_app.hardware.ports import Picked
from tests.support.field_desk import bench, jpeg
from tests.support.tablet_window import window

ITEM = "TRK-07"


@asynccontextmanager
async def tracking(folder: Path, **options):
    """A window on the first checklist of a begun inspection."""
    async with window(bench(folder), **options) as w:
        await w.set_up_inspecting("tracking")
        await w.appears(f"item-{ITEM}")
        yield w


def draft(w):
    return w.work.inspection(w.shell.place["draft"])


def item(w, key=ITEM):
    return next(i for s in draft(w).sections for c in s.cards for i in c.items if i.key == key)


def test_a_tap_answers_another_changes_it_and_the_same_takes_it_back(tmp_path: Path):
    async def go():
        async with tracking(tmp_path) as w:
            await w.press(f"answer-{ITEM}-no")
            assert item(w).state == "pass"
            assert w.screen.part(f"answer-{ITEM}-no").selected is True
            await w.press(f"answer-{ITEM}-yes")
            assert item(w).state == "fail"
            await w.press(f"answer-{ITEM}-not_observed")
            assert item(w).state == "not_observed"
            await w.press(f"answer-{ITEM}-not_observed")
            assert w.screen.part(f"answer-{ITEM}-not_observed").selected is False
    asyncio.run(go())


def test_only_the_card_of_the_tapped_item_is_drawn_again(tmp_path: Path):
    """A checklist has hundreds of controls; on a slow tablet a tap must not draw them all."""

    async def go():
        async with tracking(tmp_path) as w:
            before = w.screen.connection.bytes_sent
            w.shell.redraw()
            await w.screen.settle()
            idle = w.screen.connection.bytes_sent - before
            before = w.screen.connection.bytes_sent
            await w.press(f"answer-{ITEM}-yes")
            tapped = w.screen.connection.bytes_sent - before
            assert idle < 3_000
            assert tapped < 40_000
    asyncio.run(go())


def test_what_is_missing_leads_to_its_place(tmp_path: Path):
    async def go():
        async with tracking(tmp_path, width=412, height=915) as w:
            await w.press("show-missing")
            entry = next(one for one in draft(w).missing if one.section == "inlets" and "CB-1" in one.sentence)
            await w.press(f"missing-{entry.key}-1")
            await w.appears(f"item-{entry.key}")
            assert draft(w).at_section == "inlets"
    asyncio.run(go())


def test_severity_is_explained_raised_freely_and_lowered_only_with_a_reason(tmp_path: Path):
    async def go():
        async with tracking(tmp_path) as w:
            await w.press(f"answer-{ITEM}-yes")
            await w.appears(f"severity-change-{ITEM}")
            computed = item(w).computed
            assert computed == "major"
            assert w.screen.shows(item(w).severity_why)
            await w.press(f"severity-change-{ITEM}")
            await w.press(f"severity-{ITEM}-critical")
            await w.until(lambda: item(w).severity == "critical")
            assert w.screen.shows("changed by you")
            await w.press(f"severity-change-{ITEM}")
            await w.press(f"severity-{ITEM}-minor")
            assert item(w).severity == "critical"
            assert not w.screen.enabled(f"severity-take-{ITEM}")
            await w.type(f"severity-reason-{ITEM}", "A hand's breadth, swept while I was there")
            await w.press(f"severity-take-{ITEM}")
            await w.until(lambda: item(w).severity == "minor")
            assert item(w).severity_reason == "A hand's breadth, swept while I was there"
            assert w.screen.shows("Your reason: A hand's breadth")
    asyncio.run(go())


def test_note_correction_and_corrected_on_site(tmp_path: Path):
    async def go():
        async with tracking(tmp_path) as w:
            await w.press(f"answer-{ITEM}-yes")
            await w.type(f"note-{ITEM}", "Dry clumps")
            await w.type(f"correction-{ITEM}", "Sweep it before four.")
            assert (item(w).note, item(w).correction) == ("Dry clumps", "Sweep it before four.")
            assert w.screen.value(f"note-{ITEM}") == "Dry clumps"
            await w.press(f"corrected-{ITEM}")
            assert item(w).corrected
            assert f"due-{ITEM}-day" not in w.screen.ids()
            await w.press(f"corrected-{ITEM}")
            assert f"due-{ITEM}-day" in w.screen.ids()
    asyncio.run(go())


def test_the_shutter_keeps_shooting_and_the_chooser_works_beside_it(tmp_path: Path):
    async def go():
        async with tracking(tmp_path) as w:
            await w.press(f"answer-{ITEM}-yes")
            await w.press(f"photo-{ITEM}")
            for count in (1, 2, 3):
                await w.press("shutter")
                await w.appears(f"photos-kept-{count}")
            assert w.camera.running
            await w.chooser.choose(Picked("mud.jpg", jpeg(9)))
            await w.appears("photos-kept-4")
            await w.chooser.choose()
            await w.chooser.choose(Picked("notes.pdf", b"%PDF-1.7 nothing to see"))
            await w.appears("problem")
            assert w.screen.shows("evidence-not-an-image")
            await w.press("kept-remove-4")
            await w.appears("photos-kept-3")
            await w.press("camera-done")
            await w.until(lambda: not w.camera.running, "the camera was let go")
            assert len(item(w).photos) == 3
    asyncio.run(go())


def test_without_a_camera_the_chooser_is_offered_and_the_reason_said(tmp_path: Path):
    async def go():
        async with tracking(tmp_path, camera=False) as w:
            await w.press(f"answer-{ITEM}-yes")
            await w.press(f"photo-{ITEM}")
            await w.appears("camera-none")
            assert "shutter" not in w.screen.ids()
            await w.chooser.choose(Picked("mud.jpg", jpeg(9)))
            await w.appears("photos-kept-1")
            assert w.screen.shows("not taken in the app")
    asyncio.run(go())


def test_the_rest_of_a_card_is_answered_only_after_a_question(tmp_path: Path):
    async def go():
        async with tracking(tmp_path) as w:
            await w.press(f"answer-{ITEM}-yes")
            await w.press("rest-not_observed")
            assert w.screen.shows('(11) becomes "not observed"')
            await w.press("dialog-no")
            assert item(w, "TRK-01").state == "empty"
            await w.press("rest-not_observed")
            await w.press("dialog-yes")
            await w.until(lambda: item(w, "TRK-01").state == "not_observed")
            assert item(w).state == "fail"
    asyncio.run(go())


def test_what_was_opened_and_typed_outlives_a_turn_of_the_tablet(tmp_path: Path):
    async def go():
        async with tracking(tmp_path) as w:
            await w.press("section-inlets")
            await w.appears("choose-inlets")
            await w.press("choose-inlets")
            await w.press("add-place-open")
            await w.type("place-label", "CB-9")
            await w.resize(800, 1280)
            assert w.screen.value("place-label") == "CB-9"
            await w.resize(1280, 800)
            await w.press("place-add")
            await w.until(lambda: any(c.title == "CB-9" and c.added for s in draft(w).sections for c in s.cards))
    asyncio.run(go())
