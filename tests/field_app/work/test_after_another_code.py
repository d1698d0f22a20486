"""A tablet that gets another code counts anew: what it signs afterwards still comes after what it signed before."""

import asyncio

from field_app.work import copying
from sync.client.rows import SAFE
from sync.server.casework import queries
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import failing_inspection, nothing_else


def under_another_code(tmp_path, job):
    """``job(desk, work, signed)`` once two inspections were signed and sent, and the tablet has another code."""

    async def run():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await failing_inspection(work)
            signed = await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
            before = work._desk.tablet()["tablet_code"]
            await copying.recode(work._desk)
            assert work._desk.tablet()["tablet_code"] != before
            await job(desk, work, signed)

    asyncio.run(run())


def test_a_correction_stands_in_the_place_of_what_it_corrects(tmp_path):
    async def job(desk, work, signed):
        view = await work.begin_correction(signed.fact)
        view = await work.answer(view.id, "TRK-06", "distance", "60")
        await work.set_details(view.id, revise_reason="I measured again: 60 feet.")
        again = await work.sign_inspection(view.id, PIN)
        await settle(work)
        await work.stop_sync()
        rows = {row["id"]: row["superseded_by"] for row in queries.site_page(desk.city, "site-01")["inspections"]}
        assert rows[signed.fact] == again.fact and rows[again.fact] is None
        assert {row.state for row in work._desk.outbox.view().facts} == {SAFE}

    under_another_code(tmp_path, job)


def test_what_is_found_fixed_is_open_no_longer(tmp_path):
    async def job(desk, work, signed):
        desk.clock.advance(days=7)
        view = await work.begin_inspection("site-01")
        for one in view.last_time:
            view = await work.follow_up(view.id, one.id, "fixed")
            await work.add_photo(view.id, one.photo_key, jpeg(20), source="camera", view="close")
        await nothing_else(work, view.id)
        await work.sign_inspection(view.id, PIN)
        assert work.site("site-01").findings == () and work._desk.store.table("findings").all()
        await settle(work)
        await work.stop_sync()
        assert work.site("site-01").findings == ()
        told = {one["status"] for one in queries.site_page(desk.city, "site-01")["findings"]}
        assert "corrected" in told and "open" not in told

    under_another_code(tmp_path, job)
