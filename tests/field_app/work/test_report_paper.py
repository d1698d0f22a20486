"""The inspection report as a paper of the tablet: its photos with their marks, what became of those that are not here,
and who may make one."""

import asyncio
from dataclasses import replace
from io import BytesIO

import pytest
from pypdf import PdfReader

from field_app.work import darkroom, report_paper
from sync.records.problems import Problem
from tests.support.evidence_files import heic
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import failing_inspection, nothing_else, soil_on_the_road
from tests.support.large_photos import large_jpeg
from tests.support.papers import flat


def on_a_tablet(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            await job(desk, work)

    asyncio.run(all_of_it())


def pictures_in(data):
    return [image for page in PdfReader(BytesIO(data)).pages for image in page.images]


def test_the_report_is_made_with_no_network_and_shows_every_photo_small_with_its_fingerprint(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        await soil_on_the_road(work, view.id)
        large = large_jpeg(4_000, 3_000, 3_000_000)
        await work.add_photo(view.id, "", large, source="camera", view="wide")
        (kept,) = work.photo_capture(view.id).kept
        await work.add_mark(view.id, kept.sha256, (4_000, 3_000), "arrow", [(400, 400), (2_000, 1_500)], "red")
        await work.add_photo(view.id, "", heic(), source="gallery", view="other", name="phone.heic")
        while await darkroom.step(work._desk):
            pass
        await nothing_else(work, view.id)
        signed = await work.sign_inspection(view.id, PIN)
        assert signed.report
        handed = await work.save_inspection_report(signed.fact, "en")
        data = desk.saved[handed.name]
        text = flat(data)
        body = work._desk.fact(work._desk.store.table("facts").get(signed.fact)).body
        for photo in body["photos"]:
            assert photo["sha256"] in text.replace(" ", "")
        assert "Made on tablet T01; not in the office yet" in text and "Received by the office" not in text
        assert "with the inspector's marks; the photo itself has none" in text
        assert "The tablet cannot show this photo; the original is kept and goes to the office." in text
        assert "Mud along Mill Street for 40 feet." in text
        shown = pictures_in(data)
        assert len(shown) == 2 and max(max(one.image.size) for one in shown) == report_paper.PAPER_LONGEST
        assert len(data) < 600_000 and data == await work.inspection_report_pdf(signed.fact, "en")
        assert "Informe de inspección" in flat(await work.inspection_report_pdf(signed.fact, "es"))

    on_a_tablet(tmp_path, job)


def test_a_photo_that_was_changed_or_has_left_the_tablet_is_not_shown_and_the_paper_says_why(tmp_path):
    async def job(desk, work):
        signed = await failing_inspection(work)
        first, second, _third = (photo["sha256"] for photo in work._desk.fact(
            work._desk.store.table("facts").get(signed.fact)).body["photos"])
        desk.network.up = True
        await settle(work)
        await work.stop_sync()
        await work._desk.box.delete(first)
        place = desk.box_folder / second[:2] / second
        place.write_bytes(place.read_bytes()[:-1] + b"\0")
        data = await work.inspection_report_pdf(signed.fact, "en")
        text = flat(data)
        assert "This photo is not on the tablet any more; the office holds it." in text
        assert "This photo cannot be read on the tablet any more." in text
        assert "; in the office too" in text and "Received by the office Thu Aug 27, 2026" in text
        assert len(pictures_in(data)) == 1

    on_a_tablet(tmp_path, job)


def test_a_damaged_layer_keeps_no_photo_from_the_paper_which_says_that_its_marks_are_not_shown(tmp_path):
    async def job(desk, work):
        view = await work.begin_inspection("site-01")
        await soil_on_the_road(work, view.id)
        await work.add_photo(view.id, "", jpeg(5, (640, 480)), source="camera", view="wide")
        (kept,) = work.photo_capture(view.id).kept
        await work.add_mark(view.id, kept.sha256, (640, 480), "arrow", [(40, 40), (200, 150)], "red")
        await nothing_else(work, view.id)
        signed = await work.sign_inspection(view.id, PIN)
        body = work._desk.fact(work._desk.store.table("facts").get(signed.fact)).body
        layer = next(photo["layer"] for photo in body["photos"] if photo["sha256"] == kept.sha256)
        place = desk.box_folder / layer[:2] / layer
        place.write_bytes(place.read_bytes()[:-1] + b"\0")
        data = await work.inspection_report_pdf(signed.fact, "en")
        assert "the inspector's marks over it cannot be shown here" in flat(data) and len(pictures_in(data)) == 2

    on_a_tablet(tmp_path, job)


def test_a_browser_makes_no_paper_with_photos_and_says_so(tmp_path):
    async def job(desk, work):
        signed = await failing_inspection(work)
        work._desk.hardware = replace(work._desk.hardware, kind="browser")
        assert not work.signed(signed.fact).report
        with pytest.raises(Problem) as caught:
            await work.inspection_report_pdf(signed.fact, "en")
        assert caught.value.code == "paper-elsewhere"

    on_a_tablet(tmp_path, job)
