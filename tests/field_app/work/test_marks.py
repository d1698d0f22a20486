"""Marks over a photo: in the draft stroke by stroke, signed as a file of their own; the photo stays what it was."""

import asyncio
import io

import pytest
from PIL import Image

from sync.client.rows import SAFE
from sync.records.facts import parse
from sync.records.layers import MOST_MARKS, read_layer
from sync.records.problems import Problem
from tests.support.evidence_files import heic
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import INLET, item, nothing_else, unprotected_inlet


def with_draft(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work, (await work.begin_inspection("site-01")).id)

    asyncio.run(all_of_it())


async def photo(work, draft, data=None) -> str:
    return (await work.add_photo(draft, INLET, data or jpeg(5, (640, 480)), source="camera")).kept[-1].sha256


def test_each_mark_is_kept_at_once_and_the_last_one_is_taken_back(tmp_path):
    async def job(desk, work, draft):
        data = jpeg(5, (640, 480))
        sha = await photo(work, draft, data)
        view = await work.marking(draft, sha)
        assert (view.layer.width, view.layer.height, view.layer.marks) == (640, 480, 0)
        await work.add_mark(draft, sha, (640, 480), "arrow", [[10, 10], [300, 200]], "red")
        await work.add_mark(draft, sha, (640, 480), "circle", [[300, 200]], "yellow")
        layer = await work.add_mark(draft, sha, (640, 480), "text", [[20, 400]], "blue", "  here  ")
        assert layer.marks == 3 and layer.drawn[-1].text == "here"
        assert item(work.inspection(draft), INLET).photos[0].layer == layer
        assert (await work.take_mark_back(draft, sha)).marks == 2
        assert work.inspection(draft).undo == "a mark on a photo"
        await work.take_mark_back(draft, sha)
        assert await work.take_mark_back(draft, sha) is None and await work.take_mark_back(draft, sha) is None
        assert await work._desk.box.read(sha) == data and await work._desk.box.shas() == [sha]

    with_draft(tmp_path, job)


def test_a_turned_photo_is_drawn_on_as_it_is_seen(tmp_path):
    async def job(desk, work, draft):
        out, exif = io.BytesIO(), Image.Exif()
        exif[0x0112] = 6
        Image.new("RGB", (640, 480), "#445566").save(out, "JPEG", exif=exif)
        view = await work.marking(draft, await photo(work, draft, out.getvalue()))
        assert (view.layer.width, view.layer.height) == (480, 640)

    with_draft(tmp_path, job)


def test_what_cannot_be_shown_cannot_be_drawn_on_and_nonsense_is_refused(tmp_path):
    async def job(desk, work, draft):
        with pytest.raises(Problem) as caught:
            await work.marking(draft, await photo(work, draft, heic()))
        assert caught.value.code == "evidence-not-an-image"
        sha = await photo(work, draft)
        for kind, stroke, colour, text in (("star", [[1, 1]], "red", ""), ("arrow", [], "red", ""),
                                           ("arrow", [[1, 1]], "pink", ""), ("text", [[1, 1]], "red", " ")):
            with pytest.raises(Problem, match="an arrow, a circle or words"):
                await work.add_mark(draft, sha, (640, 480), kind, stroke, colour, text)
        for _n in range(MOST_MARKS):
            await work.add_mark(draft, sha, (640, 480), "circle", [[100, 100]], "red")
        with pytest.raises(Problem) as caught:
            await work.add_mark(draft, sha, (640, 480), "circle", [[100, 100]], "red")
        assert caught.value.code == "too-many-marks"

    with_draft(tmp_path, job)


def test_the_layer_is_signed_sent_and_carried_into_a_correction(tmp_path):
    async def job(desk, work, draft):
        await unprotected_inlet(work, draft)
        first, second = (p.sha256 for p in item(work.inspection(draft), INLET).photos)
        await work.add_mark(draft, first, (64, 48), "arrow", [[3, 3], [40, 30]], "red")
        await nothing_else(work, draft)
        signed = await work.sign_inspection(draft, PIN)
        fact = parse(work._desk.store.table("facts").get(signed.fact)["text"])
        photos = {p["sha256"]: p for p in fact.body["photos"]}
        assert "layer" not in photos[second]
        sha = photos[first]["layer"]
        assert [e.kind for e in fact.evidence if e.sha256 == sha] == ["annotation"]
        layer = read_layer(await work._desk.box.read(sha))
        assert layer.of == first and len(layer.marks) == 1
        await settle(work, lambda: work._desk.outbox.view().fact(signed.fact).state == SAFE)
        again = await work.begin_correction(signed.fact)
        assert [p.layer.marks if p.layer else 0 for p in item(again, INLET).photos] == [1, 0]

    with_draft(tmp_path, job)
