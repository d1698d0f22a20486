"""The parts of an inspection beside its questions: last time, all in order, undo, places, the end, the correction."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path

from field_app.hardware.ports import SHARED
from tests.support.accessible import name_of
from tests.support.field_desk import bench
from tests.support.field_steps import INLET, failing_inspection, item, nothing_else, soil_on_the_road, unprotected_inlet
from tests.support.tablet_window import window


@asynccontextmanager
async def inspecting(folder: Path, *, before: bool = False, **options):
    """A window on a begun inspection of site-01; `before`: one was signed there already."""
    async with window(bench(folder), **options) as w:
        await w.set_up()
        if before:
            await failing_inspection(w.work)
        w.view = await w.work.begin_inspection("site-01")
        w.shell.go("inspection", draft=w.view.id)
        await w.appears("section-tracking")
        yield w


def now(w):
    return w.work.inspection(w.view.id)


def test_the_findings_of_last_time_come_first_and_take_one_tap(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path, before=True, width=412, height=915) as w:
            inlet, road = now(w).last_time
            await w.appears(f"follow-{inlet.id}-fixed")
            assert w.screen.shows("Open from last time") and w.screen.shows(road.age)
            await w.until(lambda: road.pictures[0] in w.shell.pictures, "the photo of last time")
            await w.screen.settle()
            assert w.screen.inside(f"last-{road.id}", "Image").src
            await w.press(f"follow-{inlet.id}-fixed")
            assert now(w).last_time[0].state == "fixed"
            assert w.screen.shows("Take a photo of what is fixed")
            await w.press(f"follow-{road.id}-worse")
            await w.type(f"last-note-{road.id}", "It reaches Third Street.")
            await w.press(f"last-take-{road.id}")
            await w.press("shutter")
            await w.appears("photos-kept-1")
            await w.press("camera-done")
            await w.appears(f"last-photos-{road.id}-1")
            await w.press(f"last-photos-{road.id}-mark-1")
            await w.appears("easel")
            await w.draw("easel", [(20, 20), (60, 60), (100, 110)])
            await w.until(lambda: now(w).last_time[1].photos[0].layer is not None, "the arrow kept")
            await w.press("marks-done")
            await w.appears(f"last-question-{road.id}")
            await w.press(f"last-question-{road.id}")
            await w.appears("item-TRK-06")
            assert w.screen.shows("Carried on from last time, with 1 photo.")
    asyncio.run(go())


def test_each_answer_of_several_parts_says_which_part_it_answers(tmp_path: Path):
    """A screen reader meets two pairs of "Yes" and "No" on one card."""
    async def go():
        async with inspecting(tmp_path) as w:
            await w.press("section-waste")
            await w.appears("item-WST-04")
            said = {one: name_of(w.screen.part(f"answer-WST-04-{one}")) for one in (
                "liner-yes", "liner-no", "overflow-yes", "not_observed")}
            assert said["liner-yes"].startswith("The liner is whole: Yes")
            assert said["liner-no"].startswith("The liner is whole: No")
            assert said["overflow-yes"].startswith("It overflows: Yes")
            assert said["not_observed"].startswith("The whole question: Not observed")
            # One with a single part has its question as a heading above it.
            assert name_of(w.screen.part("answer-WST-01-yes")) == "Yes"
    asyncio.run(go())


def test_a_correction_names_its_inlet_and_says_that_it_is_due_at_once(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path, width=412, height=915) as w:
            await unprotected_inlet(w.work, w.view.id)
            await w.work.go_to(w.view.id, "inlets", INLET)
            w.shell.memory[("card", w.view.id, "inlets")] = "inlets@inlet:inlet-01"
            w.shell.redraw()
            await w.appears(f"correction-{INLET}")
            assert w.screen.value(f"correction-{INLET}") == "Install a barrier at inlet CB-1 (Mill Street)."
            assert w.screen.texts(f"due-{INLET}-day") == ["Set a day and a time instead"]
            await w.press(f"due-{INLET}-day")
            await w.press(f"due-{INLET}-day-2026-08-28")
            assert w.screen.texts(f"due-{INLET}-day") == ["Fri Aug 28, 2026"]
            assert w.screen.texts(f"due-{INLET}-time") == ["5:00 PM"]
    asyncio.run(go())


def test_all_in_order_asks_first_and_is_taken_back_in_one_tap(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await w.press("section-tracking")
            await w.press("in-order")
            assert w.screen.shows("must be measured, counted or chosen")
            await w.press("dialog-no")
            assert now(w).done == 0
            await w.press("in-order")
            await w.press("dialog-yes")
            await w.until(lambda: item(now(w), "TRK-03").state == "pass")
            assert item(now(w), "TRK-01").state == "empty"
            assert w.screen.shows("Undo: all in order")
            await w.press("undo")
            await w.until(lambda: now(w).done == 0)
            assert "undo" not in w.screen.ids()
    asyncio.run(go())


def test_a_false_tap_is_taken_back_on_a_phone_too(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path, width=412, height=915) as w:
            await w.press("section-tracking")
            await w.press("answer-TRK-07-yes")
            assert item(now(w), "TRK-07").state == "fail"
            await w.press("undo")
            await w.until(lambda: item(now(w), "TRK-07").state == "empty")
    asyncio.run(go())


def test_an_inlet_is_added_another_gone_and_both_are_counted(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await w.press("section-inlets")
            await w.press("add-place-open")
            await w.appears("place-label")
            assert not w.screen.enabled("place-add")
            await w.type("place-label", "CB-9")
            await w.press("place-add")
            await w.until(lambda: "CB-9" in [c.title for s in now(w).sections for c in s.cards])
            await w.press("choose-inlets@inlet:inlet-02")
            await w.press("retire-inlet-02")
            await w.type("retire-why", "Paved over")
            await w.press("dialog-yes")
            await w.appears("gone-inlet-02")
            assert w.screen.shows("Paved over")
            await w.press("choose-inlets")
            await w.press("count-inlets")
            await w.until(lambda: item(now(w), "INL-00").state == "pass")
            await w.press("keep-inlet-02")
            await w.until(lambda: "CB-2" in [c.title for s in now(w).sections for c in s.cards])
    asyncio.run(go())


def test_a_checklist_is_added_and_left_out_again(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await w.press("section-details")
            await w.press("add-dewatering")
            await w.press("section-dewatering")
            await w.press("drop-dewatering")
            await w.until(lambda: "section-dewatering" not in w.screen.ids())
    asyncio.run(go())


def test_the_head_says_what_a_warrant_and_rain_need(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await w.press("section-details")
            await w.press("type-rain")
            await w.press("entry-warrant")
            assert w.screen.shows("An inspection after rain says how much it rained.")
            await w.type("rain", "0.7")
            await w.type("entry-note", "W-2026-8, Judge Hill")
            await w.press("sky-heavy rain")
            await w.until(lambda: now(w).details.missing == ())
            await w.work.record_rain("site-01", "0.9", ("2026-08-27", "06:00"), ("2026-08-27", "08:00"), "fence")
            await w.type("rain", "")
            await w.press("rain-take-0")
            await w.until(lambda: (now(w).details.rain, now(w).details.rain_source) == ("0.9", "gauge on site"))
            await w.until(lambda: "rain-take-0" not in w.screen.ids() and w.screen.value("rain") == "0.9")
    asyncio.run(go())


def test_the_end_who_was_told_signature_notice_correction(tmp_path: Path):
    shared = []

    async def share(name: str, data: bytes, media: str) -> str:
        shared.append(name)
        return SHARED if data.startswith(b"%PDF") and media == "application/pdf" else ""

    async def go():
        async with inspecting(tmp_path, share_file=share) as w:
            await soil_on_the_road(w.work, w.view.id)
            await nothing_else(w.work, w.view.id)
            await w.work.set_closing(w.view.id, how="")
            w.shell.go("review", draft=w.view.id)
            await w.appears("closing")
            assert not w.screen.enabled("pin-1")
            await w.press("in-charge-signed")
            await w.type("closing-name", "Jo Kessler")
            await w.press("sign-in_charge")
            await w.appears("pad")
            await w.draw("pad", [(40, 80), (120, 30), (260, 110)])
            await w.resize(800, 1280)
            await w.appears("pad")  # turned in the middle: the pad is still there, and what was drawn
            strokes = await w.work.signature_strokes(w.view.id, "in_charge")
            assert len(strokes) == 1 and len(strokes[0]) == 3
            await w.draw("pad", [(300, 80), (320, 90)])
            await w.press("pad-done")
            assert len(await w.work.signature_strokes(w.view.id, "in_charge")) == 2
            await w.press("step-order")
            await w.until(lambda: w.screen.enabled("pin-1"))
            assert w.work.review(w.view.id).outcome == "stop-work recommended"
            await w.pin()
            await w.appears("signed")
            await w.press("to-notice")
            await w.appears("notice-line-1")
            assert w.screen.shows("Jo Kessler was told and signed.")
            await w.appears("notice-code")
            assert w.screen.texts("notice-how") == ["A tap opens what this device prints and shares with."]
            await w.press("notice-es")
            await w.until(lambda: w.screen.shows("Handed over: correction-notice-"))
            assert [name[-7:] for name in shared] == ["-es.pdf"] and not w.bench.saved
            await w.press("back")
            await w.press("correct")
            await w.appears("section-details")
            await w.press("section-details")
            assert w.screen.shows("This corrects the inspection that was signed.")
            w.shell.go("review", draft=w.shell.place["draft"])
            await w.type("revise-reason", "Sixty feet, not forty.")
            await w.until(lambda: w.screen.enabled("pin-1"))
            await w.pin()
            await w.appears("corrects")
            await w.press("to-earlier")
            await w.appears("corrected")
            assert "correct" not in w.screen.ids() and "begin-order" not in w.screen.ids()
    asyncio.run(go())
