"""What may be added can be signed: a record has room for all that the tablet lets an inspector add."""

import asyncio

import pytest

from field_app.capture import draft as taps
from field_app.capture import voice
from field_app.capture.body import to_fact_body
from field_app.capture.draft import MOST_PHOTOS
from field_app.capture.findings import judged_all
from field_app.capture.voice import MOST_NOTES
from field_app.work import report_photos, voice_keeping
from field_app.work.ordering import MOST_MET
from field_app.work.photo_records import photos_covered
from sync.documents.language import translator
from sync.records import bodies
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from tests.support.drafts import AT, CARDS, FORM, SIGNED, START, photo, tapped
from tests.support.field_desk import bench, jpeg, ready
from tests.support.field_steps import failing_inspection, written_order


def a_note(number):
    return {"sha256": fingerprint(b"%d" % number), "size": 10, "media": "audio/mp4", "ms": 60_000, "key": "",
            "recorded": photo(1)["taken"]}


@pytest.mark.parametrize("language", ["en", "es"])
def test_an_inspection_that_is_full_is_one_that_can_be_signed(language):
    done = tapped(START, [lambda d, f, c=c: taps.answer_rest(d, f, c, "na", AT) for c in CARDS])
    done = taps.answer(done, FORM, "TRK-03", "answer", "no", AT)
    for number in range(100, 100 + MOST_PHOTOS):
        done = taps.attach_photo(done, FORM, "TRK-03", photo(number))
    for number in range(MOST_NOTES):
        done = voice.attach(done, FORM, "", a_note(number))
    with pytest.raises(Problem) as refused:
        taps.attach_photo(done, FORM, "TRK-07", photo(99))
    assert refused.value.code == "too-many-photos" and str(MOST_PHOTOS) in refused.value.detail
    assert taps.attach_photo(done, FORM, "TRK-07", photo(100)).photos == done.photos, "one that is there is no more"
    words = translator(language)
    statement = " ".join([photos_covered(list(done.photos), words),
                          voice_keeping.covered(done.voice_notes.values(), words)])
    body = to_fact_body(done, judged_all(done, FORM), ended=AT, inspected_on="2026-08-27",
                        signed={**SIGNED, "statement": statement})
    assert len(body["findings"][0]["photos"]) == len(body["photos"]) == MOST_PHOTOS
    bodies.check("inspection_signed", body, {*done.photos, *done.voice_notes})


def test_an_order_and_a_report_take_no_more_than_can_be_signed(tmp_path, monkeypatch):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            order = await written_order(work, await failing_inspection(work))
            await work.set_nobody_present(order, False)
            for number in range(MOST_MET):
                await work.set_met(order, number, f"Person {number}", "", True)
            with pytest.raises(Problem) as refused:
                await work.set_met(order, MOST_MET, "One more", "", True)
            assert refused.value.code == "too-many-people" and len(work.order(order).met) == MOST_MET
            assert len((await work.set_met(order, 0, "Somebody else", "", True)).met) == MOST_MET, "changed, not added"

            monkeypatch.setattr(report_photos, "MOST_PHOTOS", 2)
            report = (await work.begin_report()).id
            for seed in (11, 12):
                await work.add_report_photo(report, jpeg(seed))
            with pytest.raises(Problem) as refused:
                await work.add_report_photo(report, jpeg(13))
            assert refused.value.code == "too-many-photos" and len(work.report(report).photos) == 2

    asyncio.run(job())
