"""Voice notes as evidence: kept as recorded, signed with their receipts, taken off with a trace, corrected later."""

import asyncio

import pytest

from field_app.work.voice_keeping import LARGEST
from sync.client.rows import SAFE
from sync.records.facts import parse
from sync.records.problems import Problem
from tests.support.evidence_files import m4a, wav, webm
from tests.support.field_desk import PIN, bench, ready, refused, settle, signed_facts
from tests.support.field_steps import INLET, failing_inspection, item, nothing_else, unprotected_inlet, written_order


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


async def an_order(desk, work, draft):
    await nothing_else(work, draft)
    await work.sign_inspection(draft, PIN)
    order = await written_order(work, await failing_inspection(work))

    async def sign():
        await work.make_placard(order)
        printed = work.placard(order).sha256
        await work.add_voice_note_beside(order, webm(b"\2" * 80), 3_000)  # the foreman answers: the placard stays
        assert work.placard(order).sha256 == printed and work.order(order).stage == "printed"
        await work.placard_is_up(order)
        await work.post_order(order, PIN)

    return order, lambda: work.order(order).voice_notes, sign, "order_posted", 2


async def an_emergency(desk, work, draft):
    ident = (await work.begin_site_act("site-01", "emergency")).id
    await work.set_act_text(ident, "condition", "The basin overflows.")
    await work.set_threat(ident, "surface water")
    await work.set_act_text(ident, "no_approval", "Nobody answered the phone.")
    return (ident, lambda: work.site_act(ident).voice_notes, lambda: work.sign_site_act(ident, PIN),
            "emergency_reported", 1)


async def a_find(desk, work, draft):
    ident = (await work.begin_report()).id
    await work.set_report_text(ident, "address", "Across from 40 Oak Street")
    await work.set_report_text(ident, "observed", "A trench along the road.")
    await work.locate_report(ident)
    return ident, lambda: work.report(ident).voice_notes, lambda: work.save_report(ident), "site_reported", 1


@pytest.mark.parametrize("begin", [an_order, an_emergency, a_find])
def test_orders_and_reports_are_spoken_about_too_signed_with_their_notes_and_receipted(tmp_path, begin):
    async def job(desk, work, draft):
        ident, notes, sign, kind, count = await begin(desk, work, draft)
        for data, ms in ((m4a(), 12_000), (wav(bytes(2_000)), 2_000)):
            await work.add_voice_note_beside(ident, data, ms)
        kept, off = (note.sha256 for note in notes())
        assert [note.length for note in notes()] == ["0:12", "0:02"]
        changes = []
        done = work._desk.store.watch(changes.append)
        await work.remove_voice_note_beside(ident, off)
        done()
        assert [tables >= {"evidence"} and len(tables) for tables in changes][:1] == [2], "its trace in the same change"
        await work.add_voice_note_beside(ident, m4a(), 12_000)
        assert [note.sha256 for note in notes()] == [kept], "the same recording twice is there once"
        await sign()
        (fact,) = signed_facts(work, kind)
        first, *_more = fact.body["voice_notes"]
        assert (first["sha256"], first["ms"], first["item"]) == (kept, 12_000, None)
        assert len(fact.body["voice_notes"]) == count
        assert [one["sha256"] for one in fact.body["removed_voice_notes"]] == [off]
        assert {one["sha256"] for one in fact.body["voice_notes"]} == {
            one.sha256 for one in fact.evidence if one.kind == "voice_note"}
        if kind != "order_posted":
            assert f"voice note, 12 seconds, SHA-256 {kept[:12]}" in fact.body["signed"]["statement"]
        assert await refused(work.add_voice_note_beside(ident, m4a(), 1_000)) == "order-not-open"
        await settle(work, lambda: work._desk.outbox.view().fact(fact.id).state == SAFE)
        assert kept in {row.sha256 for row in work._desk.outbox.view().files if row.held}

    with_draft(tmp_path, job)


def test_what_was_spoken_about_an_order_outlives_a_kill_and_the_tidying(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            order = await written_order(work, await failing_inspection(work))
            await work.add_voice_note_beside(order, m4a(), 4_000)
        async with desk.work() as work:
            (note,) = work.order(order).voice_notes
            assert await work.voice_note_sound(note.sha256) == (m4a(), "audio/mp4")
            await work.remove_voice_note_beside(order, note.sha256)  # a trace, which is cleared away some day ...
            await work.add_voice_note_beside(order, m4a(), 4_000)  # ... but not what was spoken again
            desk.network.up = True
            await settle(work)
            desk.clock.advance(days=400)
            work.send_now()
            await settle(work)
        async with desk.work() as work:  # the start tidies up
            assert await work.voice_note_sound(note.sha256) == (m4a(), "audio/mp4")

    asyncio.run(all_of_it())
