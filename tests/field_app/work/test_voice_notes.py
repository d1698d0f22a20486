"""Voice notes as evidence: kept as recorded, signed with their receipts, taken off with a trace, corrected later."""

import asyncio

import pytest

from field_app.work.voice_notes import LARGEST
from sync.client.rows import SAFE
from sync.records.facts import parse
from sync.records.problems import Problem
from tests.support.evidence_files import m4a, wav, webm
from tests.support.field_desk import PIN, bench, ready, settle
from tests.support.field_steps import INLET, item, nothing_else, unprotected_inlet


def with_draft(tmp_path, job):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await job(desk, work, (await work.begin_inspection("site-01")).id)

    asyncio.run(all_of_it())


def body_of(work, fact):
    return parse(work._desk.store.table("facts").get(fact)["text"])


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "evidence-empty"), (b"nothing that can be heard", "evidence-not-a-recording"),
     (m4a()[:-9], "evidence-truncated"), (wav(bytes(LARGEST)), "evidence-too-large")],
    ids=["empty", "text", "cut off", "20 MB"],
)
def test_what_is_no_finished_recording_is_refused_and_not_kept(tmp_path, data, code):
    async def job(desk, work, draft):
        with pytest.raises(Problem) as caught:
            await work.add_voice_note(draft, INLET, data, 900)
        assert caught.value.code == code
        assert item(work.inspection(draft), INLET).voice_notes == () and await work._desk.box.shas() == []

    with_draft(tmp_path, job)


def test_notes_are_signed_with_the_finding_and_travel_as_evidence(tmp_path):
    async def job(desk, work, draft):
        await unprotected_inlet(work, draft)
        await work.add_voice_note(draft, INLET, m4a(), 61_400)
        await work.add_voice_note(draft, "", webm(), 7_000)
        view = work.inspection(draft)
        assert [n.length for n in item(view, INLET).voice_notes] == ["1:01"]
        assert [n.length for n in view.voice_notes] == ["0:07"]
        await nothing_else(work, draft)
        signed = await work.sign_inspection(draft, PIN)
        fact = body_of(work, signed.fact)
        first, second = fact.body["voice_notes"]
        for note, length in ((first, "61 seconds"), (second, "7 seconds")):
            assert f"voice note, {length}, SHA-256 {note['sha256'][:12]}" in fact.body["signed"]["statement"]
        finding = next(f for f in fact.body["findings"] if f["item"] == "INL-01")
        assert (first["item"], first["finding"], first["ms"]) == ("INL-01", finding["id"], 61_400)
        assert first["subject"] == {"kind": "inlet", "id": "inlet-01"}
        assert (second["item"], second["finding"]) == (None, None)
        media = {e.sha256: (e.kind, e.media) for e in fact.evidence}
        assert media[first["sha256"]] == ("voice_note", "audio/mp4")
        assert media[second["sha256"]] == ("voice_note", "audio/webm")
        await settle(work, lambda: work._desk.outbox.view().fact(signed.fact).state == SAFE)
        held = {row.sha256 for row in work._desk.outbox.view().files if row.held}
        assert {first["sha256"], second["sha256"]} <= held

    with_draft(tmp_path, job)


def test_a_note_taken_off_leaves_its_trace_in_the_signed_record(tmp_path):
    async def job(desk, work, draft):
        await work.add_voice_note(draft, INLET, m4a(), 5_000)
        sha = item(work.inspection(draft), INLET).voice_notes[0].sha256
        await work.remove_voice_note(draft, sha)
        assert item(work.inspection(draft), INLET).voice_notes == ()
        await nothing_else(work, draft)
        body = body_of(work, (await work.sign_inspection(draft, PIN)).fact).body
        assert "voice_notes" not in body
        assert [(one["sha256"], one["taken"] is not None) for one in body["removed_voice_notes"]] == [(sha, True)]
        assert await work._desk.box.has(sha)

    with_draft(tmp_path, job)


def test_a_killed_app_has_the_note_and_a_correction_carries_it_on(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01")).id
            await work.add_voice_note(draft, INLET, m4a(), 5_000)
        async with desk.work() as work:
            assert len(item(work.inspection(draft), INLET).voice_notes) == 1
            await nothing_else(work, draft)
            signed = await work.sign_inspection(draft, PIN)
            again = await work.begin_correction(signed.fact)
            assert [n.length for n in item(again, INLET).voice_notes] == ["0:05"]
            assert await work.voice_note_sound(item(again, INLET).voice_notes[0].sha256) == (m4a(), "audio/mp4")

    asyncio.run(all_of_it())
