"""A site nobody knew, found with no network: reported, asked about, inspected, stopped; and rain read from a gauge."""

import asyncio
import json
from datetime import datetime
from decimal import Decimal

import pytest

from field_app.hardware.ports import Fix
from field_app.work import site_standing
from sync.ordinance.rounds import Rain
from sync.records.layers import read_layer
from sync.records.problems import Problem
from sync.server.casework import finds, queries
from tests.support.field_desk import PIN, bench, jpeg, ready, settle
from tests.support.field_steps import nothing_else, soil_on_the_road


def on_a_tablet(tmp_path, job, person="ada"):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, person)
            await job(desk, work)

    asyncio.run(all_of_it())


async def a_report(work, **texts):
    report = (await work.begin_report()).id
    said = {"address": "Across from 40 Oak Street", "observed": "A trench along the road.", **texts}
    for field, text in said.items():
        await work.set_report_text(report, field, text)
    await work.locate_report(report)
    return report


def test_found_stopped_and_registered_all_before_the_network_is_back(tmp_path):
    async def job(desk, work):
        desk.network.up = False
        report = await a_report(work, name="Trench on Oak")
        await work.set_report_party(report, 0, "contractor", "Digwell Inc.", "608 555 0100")
        sha = (await work.add_report_photo(report, jpeg(7, (640, 480)))).photos[0].sha256
        await work.add_mark(report, sha, (640, 480), "circle", [[300, 200]], "red")
        view = await work.answer_need(report, "road_work", "local")
        assert view.result == "required" and "C(3)" in view.answer and view.ground.startswith("Ground (a) E(1)(a)")
        view = await work.save_report(report)
        assert view.stage == "done" and view.missing == ()
        site = view.site
        assert [row.id for row in work.sites("digwell").rows] == [site] == [row.id for row in work.sites("oak").rows]
        shown = work.site(site)
        assert shown.need_words.startswith(
            "A permit is required because of street, highway, road or bridge work (clause C(3)).")

        order = await work.begin_order(site)
        assert [ground.letter for ground in order.grounds if ground.chosen] == ["a"]
        assert "C(3)" in order.observed and "No permit is in force" in order.observed
        assert {one.field for one in order.missing} == {"corrections", "met"}
        correction = order.corrections[0]
        await work.set_order_correction(order.id, 0, correction.text, "2026-09-04", "17:00")
        order = await work.set_nobody_present(order.id, True)
        assert order.missing == () and order.findings == ()
        await work.make_placard(order.id)
        await work.placard_is_up(order.id)
        placard = await work.post_order(order.id, PIN)
        assert placard.clocks[0].label.startswith("The building inspector may ask the city attorney")

        inspection = (await work.begin_inspection(site)).id
        await soil_on_the_road(work, inspection)
        await nothing_else(work, inspection)
        await work.sign_inspection(inspection, PIN)
        facts = work._desk.store.table("facts").all()
        kinds = {row["kind"]: work._desk.fact(row) for row in facts}
        told = kinds["site_reported"].id
        layer = kinds["site_reported"].body["photos"][0]["layer"]
        assert [(one.kind, one.sha256) for one in kinds["site_reported"].evidence] == [
            ("photo", sha), ("annotation", layer)]
        assert told in kinds["order_posted"].needs and told in kinds["inspection_signed"].needs

        desk.network.up = True
        await settle(work, lambda: work.site(site).orders[0].status == "in_force")
        assert all(row.state == "safe" for row in work.outbox().rows)
        assert read_layer(desk.city.blobs.read(layer)).of == sha
        page = queries.site_page(desk.city, site)
        assert page["site"]["reported"]["state"] == "reported" and page["site"]["contractor"]["name"] == "Digwell Inc."
        assert [row["status"] for row in page["orders"]] == ["in_force"] and len(page["inspections"]) == 1

        await desk.office(finds.same_site, "carol", site, "site-02", "it is the ditch of lot 2")
        await settle(work, lambda: work.site("site-02").orders)
        assert site not in [row.id for row in work.sites().rows]
        assert len(work.site("site-02").findings) == 1

    on_a_tablet(tmp_path, job)


def test_what_is_missing_is_named_and_a_kill_loses_nothing(tmp_path):
    async def all_of_it():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            view = await work.begin_report()
            assert [one.step for one in view.missing] == ["where", "where", "what"] and not view.may_save
            with pytest.raises(Problem) as caught:
                await work.save_report(view.id)
            assert caught.value.code == "report-incomplete"
            await work.set_report_text(view.id, "address", "By the river")
            await work.set_need_area(view.id, 0, "3200", "6")
        async with desk.work() as work:
            again = await work.begin_report()
            assert (again.id, again.address, again.result) == (view.id, "By the river", "required")
            assert again.questions[3].areas[0].area == "3200"
            assert work.has_open_draft()
            await work.discard_report(again.id)
            assert not work.has_open_draft()
            assert (await work.begin_report()).id != again.id

    asyncio.run(all_of_it())


def test_without_a_position_the_reason_is_kept(tmp_path):
    async def job(desk, work):
        desk.position.place = None
        report = await a_report(work)
        view = await work.save_report(report)
        assert not view.has_position and view.position == "the tablet may not tell its position"
        body = work._desk.fact(work._desk.store.table("facts").all()[0]).body
        assert body["position"] is None and body["no_position"] == "the tablet may not tell its position"

    on_a_tablet(tmp_path, job)


def test_known_sites_close_by_are_shown_before_a_new_one_is_made(tmp_path):
    async def job(desk, work):
        report = await a_report(work)
        assert {one.site for one in work.report(report).nearby} == {"site-01", "site-02"}
        desk.position.place = (43_500_000, -89_000_000, 500)
        view = await work.locate_report(report)
        assert view.nearby == ()
        view = await work.set_report_text(report, "address", "200 mill STREET")
        assert [one.site for one in view.nearby] == ["site-02"] and view.nearby[0].distance.endswith(" mi")

    on_a_tablet(tmp_path, job)


def test_a_known_site_without_permit_is_asked_about_and_keeps_its_own_name(tmp_path):
    async def job(desk, work):
        view = await work.begin_report("site-02")
        assert not view.new and view.address == "200 Mill Street"
        await work.set_report_text(view.id, "observed", "They dig.")
        await work.answer_need(view.id, "in_city", "no")
        assert "site-02" in [row.id for row in work.sites(filters=["no_permit"]).rows]
        view = await work.save_report(view.id)
        assert view.result == "not_required" and view.ground == ""
        assert "site-02" not in [row.id for row in work.sites(filters=["no_permit"]).rows]
        [row] = [row for row in work.sites().rows if row.id == "site-02"]
        assert (row.permit, row.permit_ok) == ("No permit needed", True) and row.sign != "no_permit"
        assert "No permit is required." in work.site("site-02").need_words
        order = await work.begin_order("site-02")
        assert [ground.letter for ground in order.grounds if ground.chosen] == []
        assert "findings" in {one.field for one in order.missing}
        await settle(work)
        assert queries.site_page(desk.city, "site-02")["site"]["need"]["result"] == "not_required"
        assert "reported" not in queries.site_page(desk.city, "site-02")["site"]

    on_a_tablet(tmp_path, job)


def test_a_permit_in_force_is_no_ground(tmp_path):
    async def job(desk, work):
        view = await work.begin_report("site-01")
        await work.set_report_text(view.id, "observed", "They dig.")
        await work.answer_need(view.id, "road_work", "local")
        assert (await work.save_report(view.id)).result == "required"
        assert [ground.letter for ground in (await work.begin_order("site-01")).grounds if ground.chosen] == []

    on_a_tablet(tmp_path, job)


def test_a_second_tap_takes_an_answer_back_and_bad_input_is_refused(tmp_path):
    async def job(desk, work):
        report = (await work.begin_report()).id
        await work.answer_need(report, "dewatering", "may_carry_sediment")
        view = await work.answer_need(report, "dewatering", "may_carry_sediment")
        assert view.result == "undetermined" and view.questions[-1].value == ""
        view = await work.answer_need(report, "cut_cu_yd", "lots")
        assert next(q for q in view.questions if q.id == "cut_cu_yd").problem
        assert "need" in {one.step for one in view.missing}
        for attempt, code in [
            (work.answer_need(report, "colour", "red"), "item-unknown"),
            (work.answer_need(report, "road_work", "motorway"), "choice-unknown"),
            (work.set_report_text(report, "owner", "x"), "item-unknown"),
            (work.set_report_text(report, "name", "x" * 301), "text-too-long"),
            (work.set_report_party(report, 0, "king", "x"), "choice-unknown"),
            (work.set_need_area(report, 4, "1", "1"), "item-unknown"),
        ]:
            with pytest.raises(Problem) as caught:
                await attempt
            assert caught.value.code == code

    on_a_tablet(tmp_path, job)


def test_who_may_not_inspect_reports_nothing(tmp_path):
    async def job(desk, work):
        rain = work.record_rain("", "1", ("2026-08-27", "06:00"), ("2026-08-27", "09:00"))
        for attempt in (work.begin_report(), rain):
            with pytest.raises(Problem) as caught:
                await attempt
            assert caught.value.code == "no-authority"

    on_a_tablet(tmp_path, job, "dora")


def test_rain_written_down_offline_makes_an_inspection_due_and_reaches_the_office(tmp_path):
    async def job(desk, work):
        desk.network.up = False
        said = await work.record_rain("", "0,70", ("2026-08-27", "01:00"), ("2026-08-27", "06:00"), "city yard")
        assert said == "Written down. One inspection is due for it."
        rows = {row.site: row for section in work.today().sections for row in section.rows}
        line = next(one for one in rows["site-01"].lines if one.kind == "rain")
        assert line.state == "coming" and line.words == "Inspection after rain due Fri Aug 28, 2026 by 6:00 AM"
        assert line.why == ("0.7 in of rain until Thu Aug 27 at 6:00 AM (limit 0.5 in); "
                            "24 hours end Fri Aug 28 at 6:00 AM (clause D(1))")
        assert work.today().rain.startswith("0.70 inches, Thu Aug 27, 2026 from 1:00 AM until 6:00 AM (city yard)")
        assert work.today().rain.endswith("(city yard) · whole city")
        assert work.site("site-01").rain == (work.today().rain,)  # it makes the site's inspection due
        assert not work.rain("site-01").rows[0].mine  # corrected where it was written down
        first = work.rain().rows[0]
        said = await work.record_rain("", "0.2", ("2026-08-27", "01:00"), ("2026-08-27", "06:00"), "city yard",
                                      corrects=first.id)
        assert said == "Written down. It calls for no inspection." and len(work.rain().rows) == 1
        # What a site owes already is not owed for a drop more.
        await work.record_rain("", "0.8", ("2026-08-26", "01:00"), ("2026-08-26", "06:00"), "roof")
        said = await work.record_rain("", "0.01", ("2026-08-27", "07:00"), ("2026-08-27", "08:00"), "school")
        assert said == "Written down. It calls for no inspection."
        said = await work.record_rain("site-01", "0.9", ("2026-08-27", "07:00"), ("2026-08-27", "08:00"), "fence")
        assert said == "Written down. One inspection is due for it."
        desk.network.up = True
        await settle(work)
        with desk.city.db.read() as tx:
            assert sorted(row.inches for row in finds.rain_list(tx, desk.city)) == ["0.01", "0.2", "0.8", "0.9"]
        await settle(work, lambda: len(work._desk.store.table("rains")) == 4)
        assert len(work.rain().rows) == 3 and work.rain("site-01").place == "Lot 1"

    on_a_tablet(tmp_path, job)


def test_rain_of_the_city_is_reckoned_a_few_sites_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(site_standing, "AT_ONCE", 5)

    async def job(desk, work):
        async with work._desk.store.change() as tx:
            for n in range(12):
                tx.put("sites", f"s{n:02d}", {**tx.get("sites", "site-01"), "id": f"s{n:02d}", "name": f"Lot {n}"})
                tx.put("permits", f"p{n:02d}", {**tx.get("permits", "permit-01"), "id": f"p{n:02d}",
                                                "site": f"s{n:02d}", "number": f"EC-{n:02d}"})
        rain = Rain(Decimal("0.7"), datetime(2026, 8, 27, 1), datetime(2026, 8, 27, 6), "yard")
        await work.record_rain("", "0.7", ("2026-08-27", "01:00"), ("2026-08-27", "06:00"), "yard")
        turns = []

        async def a_screen():
            while True:
                turns.append(True)
                await asyncio.sleep(0)

        screen = asyncio.create_task(a_screen())
        try:
            assert await site_standing.called_for(work._desk, rain, "") == 13
            assert len(turns) >= 2  # after the fifth site and after the tenth
        finally:
            screen.cancel()

    on_a_tablet(tmp_path, job)


def test_a_reading_of_the_same_gauge_and_hours_is_said_and_both_can_stand(tmp_path):
    async def job(desk, work):
        hours = ("2026-08-27", "06:00"), ("2026-08-27", "09:00")
        form = {"from_on": "2026-08-27", "from_at": "06:00", "to_on": "2026-08-27", "to_at": "09:00"}
        await work.record_rain("", "0.8", *hours, "City yard")
        await work.keep_rain_form("", **form, inches="3", gauge=" city YARD")
        alike = work.rain().alike
        assert (alike.inches, alike.mine) == ("0.8", True)
        for other in ({"gauge": "roof"}, {"gauge": "city yard", "to_at": "09:30"},
                      {"to_at": "09:00", "inches": ""}, {"inches": "3", "corrects": alike.id}):
            await work.keep_rain_form("", **other)
            assert work.rain().alike is None, other
        await work.keep_rain_form("site-01", **form, inches="3", gauge="city yard")
        assert work.rain("site-01").alike is None, "what was read for the whole city is another gauge's matter"
        await work.record_rain("", "3", *hours, "city yard")
        assert [row.inches for row in work.rain().rows] in (["3", "0.8"], ["0.8", "3"])
        with pytest.raises(Problem) as caught:
            await work.keep_rain_form("", gauge="y" * 401)
        assert (caught.value.code, caught.value.where) == ("text-too-long", "gauge")

    on_a_tablet(tmp_path, job)


def test_rain_of_the_last_day_is_offered_to_the_inspection_and_never_filled_in_by_itself(tmp_path):
    async def job(desk, work):  # it is Thu Aug 27, in the afternoon
        day = "2026-08-27"
        for inches, begin, end, gauge in (("0.3", "05:00", "07:00", "yard"), ("0.25", "09:00", "11:00", "Yard")):
            await work.record_rain("", inches, (day, begin), (day, end), gauge)
        await work.record_rain("site-01", "0.4", (day, "06:00"), (day, "08:00"), "fence post")
        await work.record_rain("site-01", "9", ("2026-08-26", "06:00"), (day, "08:00"), "began too early")
        draft = (await work.begin_inspection("site-01")).id
        details = work.inspection(draft).details
        assert (details.rain, details.rain_source) == ("", "")
        assert [(one.inches, one.source) for one in details.rain_offers] == [("0.55", ""), ("0.4", "gauge on site")]
        assert details.rain_offers[0].words == (
            "0.55 inches, Thu Aug 27, 2026 from 5:00 AM until 11:00 AM (Yard) · whole city · 2 readings")
        await work.record_rain("", "0.1", (day, "10:00"), (day, "12:00"), "yard")  # its hours meet those before
        assert [one.inches for one in work.inspection(draft).details.rain_offers] == ["0.1", "0.25", "0.4"]
        taken = (await work.set_details(draft, rain="0.4", rain_source="gauge on site")).details
        assert (taken.rain, taken.rain_source, taken.rain_offers) == ("0.4", "gauge on site", ())

    on_a_tablet(tmp_path, job)


@pytest.mark.parametrize("inches, begin, end, where", [
    ("much", "06:00", "09:00", "inches"), ("41", "06:00", "09:00", "inches"), ("-1", "06:00", "09:00", "inches"),
    ("1", "09:00", "06:00", "to"), ("1", "06:00", "23:00", "to"), ("1", "six", "09:00", "from")])
def test_rain_that_cannot_be_is_refused_in_words(tmp_path, inches, begin, end, where):
    async def job(desk, work):
        with pytest.raises(Problem) as caught:
            await work.record_rain("", inches, ("2026-08-27", begin), ("2026-08-27", end))
        assert (caught.value.code, caught.value.where) == ("rain-malformed", where)

    on_a_tablet(tmp_path, job)


def test_the_list_is_sorted_by_distance_and_says_how_old_the_position_is(tmp_path):
    async def job(desk, work):
        async with work._desk.store.change() as tx:
            tx.put("sites", "far", {**tx.get("sites", "site-02"), "id": "far", "name": "Far", "lat_udeg": 43_080_000})
            tx.put("sites", "lost", {**tx.get("sites", "site-02"), "id": "lost", "name": "A lost one",
                                     "lat_udeg": None, "lon_udeg": None})
        assert work.sites(near=True).near.words == ""
        assert (await work.locate()).words == "Your position: now, known to 17 ft"
        rows = work.sites(near=True).rows
        assert [row.id for row in rows] == ["site-01", "site-02", "far", "lost"]
        assert [row.distance for row in rows] == ["10 ft", "10 ft", "0.5 mi", ""]
        desk.clock.advance(minutes=7)
        assert work.sites(near=True).near.words == "Your position: 7 min ago, known to 17 ft"
        desk.position.place = None
        # The last position stays, with its age.
        assert (await work.locate()).words == "Your position: 7 min ago, known to 17 ft"
        assert isinstance(work._desk.site_index.fix, Fix)
        async with work._desk.store.change() as tx:
            permit = tx.get("permits", "permit-01")
            for site in ("site-02", "far", "lost"):
                tx.put("permits", f"of {site}", {**permit, "id": f"of {site}", "site": site})
        desk.clock.advance(days=7)
        (route,) = work.today(near=True).sections  # what is owed, from each site to the next
        assert (route.id, route.total) == ("route", 4)
        assert [(row.site, row.stop, row.distance) for row in route.rows] == [
            ("site-01", 1, "10 ft from here"), ("site-02", 2, "10 ft further"), ("far", 3, "0.5 mi further"),
            ("lost", 0, "")]
        assert route.rows[2].map_link and [row.site for row in work.today(near=True, shown={"route": 2}).sections[
            0].rows] == ["site-01", "site-02"]
        assert work.today(near=True).summary == work.today().summary == "4 overdue · 0 due today"
        assert work.today().sections[0].rows[0].site == "lost"  # by name, where all are as late

    on_a_tablet(tmp_path, job)


def areas_of(view):
    return next(one.areas for one in view.questions if one.kind == "areas")


def test_a_number_that_cannot_be_read_holds_nothing_up_once_it_is_asked_no_more(tmp_path):
    async def job(desk, work):
        report = await a_report(work)
        view = await work.answer_need(report, "cut_cu_yd", "a lot")
        view = await work.set_need_area(report, 0, "wide", "")
        assert [one.step for one in view.missing] == ["need"]
        view = await work.answer_need(report, "in_city", "no")
        assert [one.id for one in view.questions] == ["in_city"] and view.missing == ()
        view = await work.answer_need(report, "in_city", "yes")  # a false tap takes nothing away
        assert [one.step for one in view.missing] == ["need"] and areas_of(view)[0].area == "wide"
        assert next(one.value for one in view.questions if one.id == "cut_cu_yd") == "a lot"
        await work.answer_need(report, "in_city", "no")
        assert (await work.save_report(report)).stage == "done"
        row = next(row for row in work._desk.store.table("facts").all() if '"site_reported"' in row["text"])
        assert json.loads(row["text"])["body"]["answers"] == {"in_city": "no"}

    on_a_tablet(tmp_path, job)


def test_a_comma_before_the_tenths_is_read_among_the_answers_too(tmp_path):
    async def job(desk, work):
        report = await a_report(work)
        await work.answer_need(report, "cut_cu_yd", "12,5")
        view = await work.set_need_area(report, 0, "3200", "8,5")
        assert view.missing == () and areas_of(view)[0].slope == "8,5", "it stands there as it was typed"
        view = await work.set_need_area(report, 0, "3,200", "8,5")
        assert [one.step for one in view.missing] == ["need"], "that could be three, or three thousand"
        await work.set_need_area(report, 0, "3200", "8,5")
        await work.save_report(report)
        row = next(row for row in work._desk.store.table("facts").all() if '"site_reported"' in row["text"])
        answers = json.loads(row["text"])["body"]["answers"]
        assert answers["cut_cu_yd"] == "12.5" and answers["areas"] == [{"area_sq_ft": "3200", "slope_percent": "8.5"}]

    on_a_tablet(tmp_path, job)
