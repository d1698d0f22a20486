"""Photos of reports: the shutter waits for nothing, what is taken off leaves a trace, each is signed for."""

from dataclasses import replace

from tests.field_app.work.test_finds import a_report, on_a_tablet
from tests.field_app.work.test_locating import Slow
from tests.field_app.work.test_site_acts import approved_by_phone, body_of, run
from tests.support.field_desk import PIN, jpeg, refused, settle


def test_a_photo_taken_off_is_put_back_or_leaves_its_trace_and_the_statement_names_each(tmp_path):
    async def job(desk, work):
        report = await a_report(work, name="Trench on Oak")
        slow = Slow(desk.position)
        desk.clock.advance(minutes=1)
        work._desk.hardware = replace(work._desk.hardware, position=slow)
        assert await work.shoot_report(report, jpeg(1), view="wide") == "close"
        assert await work.shoot_report(report, jpeg(2), view="close") == "close", "no shot waits for a position"
        first, second = (photo.sha256 for photo in work.report(report).photos)
        slow.going.set()
        await work._desk.locating.settled()
        assert [photo.place for photo in work.report(report).photos] == ["position known to 17 ft"] * 2
        view = await work.remove_report_photo(report, first)
        assert view.can_put_back and len(view.photos) == 1
        await work.put_report_photo_back(report)
        assert [photo.sha256 for photo in work.report(report).photos] == [first, second]
        await work.remove_report_photo(report, first, retake=True)
        await work.shoot_report(report, jpeg(3), view="wide")
        third = work.report(report).photos[-1].sha256
        await work.answer_need(report, "road_work", "local")
        statement = work.report(report).statement
        assert "report what I found at Across from 40 Oak Street" in statement
        assert second[:12] in statement and third[:12] in statement and first[:12] not in statement
        await work.save_report(report)
        (row,) = [row for row in work._desk.store.table("facts").all() if row["kind"] == "site_reported"]
        body = work._desk.fact(row).body
        assert body["signed"]["statement"] == statement
        (gone,) = body["removed_photos"]
        assert (gone["sha256"], gone["why"]) == (first, "retaken")
        await settle(work)
        assert [one.state for one in work.outbox().rows] == ["safe"]
        assert await work._desk.box.has(first), "for two weeks it can still be shown"

    on_a_tablet(tmp_path, job)


def test_an_emergency_photographed_from_far_away_is_signed_with_the_reason(tmp_path):
    async def story(desk, work):
        ident = (await work.begin_site_act("site-01", "emergency")).id
        await work.set_act_text(ident, "condition", "The basin overflows.")
        await work.set_threat(ident, "surface water")
        await approved_by_phone(work, ident)
        desk.clock.advance(minutes=1)
        desk.position.place = (43_173_100, -89_401_200, 500)
        view = await work.add_act_photo(ident, jpeg(3), view="wide")
        sha = view.photos[0].sha256
        assert view.far.words.startswith("1 photo was taken")
        assert "Say why photos were taken far from the site." in view.missing
        assert await refused(work.sign_site_act(ident, PIN)) == "report-incomplete"
        await work.set_report_far_reason(ident, "From where the site can be seen")
        off = (await work.add_act_photo(ident, jpeg(4), view="close")).photos[1].sha256
        assert (await work.remove_act_photo(ident, off)).missing == ()
        view = await work.sign_site_act(ident, PIN)
        body = body_of(work, "emergency_reported")
        assert body["photos"][0]["far_reason"] == "From where the site can be seen"
        assert [one["sha256"] for one in body["removed_photos"]] == [off]
        assert sha[:12] in body["signed"]["statement"] and off[:12] not in body["signed"]["statement"]
        desk.network.up = True
        await settle(work)

    run(tmp_path, story)
