"""Today, the filters of the list, the map, rain, and a site that was on no list, tapped through the real screens."""

import asyncio
from pathlib import Path

import flet as ft
import flet_map as fm
from fpdf import FPDF

from field_app.ui.screens import today
from sync.server.casework import founding
from sync.server.casework.plans import add_plan
from tests.support.field_desk import SERVER, bench
from tests.support.flet_harness import walk
from tests.support.tablet_window import Window, window


def tapped(tmp_path: Path, job, **size):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, **size) as w:
            await w.set_up()
            await job(desk, w)
    asyncio.run(go())


def test_today_says_what_is_owed_and_one_tap_begins_it(tmp_path: Path):
    async def job(desk, w: Window):
        await w.press("nav-today")
        await w.appears("today-site-01")
        assert w.screen.texts("today-summary") == ["1 overdue · 0 due today"]
        assert w.screen.shows("never inspected; permit issued Mon Jun 1; day 7 is Mon Jun 8 (clause D(1))")
        await w.press("begin-site-01")
        await w.appears("section-tracking")
        await w.press("back")
        await w.appears("site-permits")
        await w.press("nav-today") if "nav-today" in w.screen.ids() else w.shell.go("today")
        (draft,) = w.work._desk.store.table("drafts").all()
        await w.press(f"go-on-{draft['id']}")
        await w.appears("section-tracking")
        assert w.work.inspection(draft["id"]).details.type == "weekly"

    tapped(tmp_path, job)


def test_what_is_due_becomes_overdue_without_a_tap(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(today, "TICK", 0.02)

    async def job(desk, w: Window):
        store = w.work._desk.store
        async with store.change() as tx:
            tx.put("inspections", "f" * 32, {
                "id": "f" * 32, "site": "site-01", "inspected_on": "2026-08-20", "type": "weekly",
                "outcome": "compliant", "person": "ben", "ended": "2026-08-20T10:00:00-05:00"})
        await w.press("nav-today")
        await w.appears("today-today")
        assert w.screen.texts("today-summary") == ["0 overdue · 1 due today"]
        desk.clock.set("2026-08-27T17:01:00-05:00")
        await w.until(lambda: w.screen.texts("today-summary") == ["1 overdue · 0 due today"])

    tapped(tmp_path, job)


def test_only_mine_is_offered_when_sites_are_assigned(tmp_path: Path):
    async def job(desk, w: Window):
        await w.press("nav-today")
        await w.appears("today-site-01")
        assert "today-mine" not in w.screen.ids()
        await w.press("today-near")
        await w.until(lambda: w.screen.shows("Your position: now, known to 17 ft"), "near")
        await w.until(lambda: w.screen.shows("10 ft from here") and "today-route" in w.screen.ids(), "the route")
        assert isinstance(w.screen.inside("way-site-01", "IconButton").action, ft.OpenUrl)
        await w.press("today-near")
        await w.until(lambda: not w.screen.shows("Your position"), "the soonest first again")
        assert "today-route" not in w.screen.ids()
        store = w.work._desk.store
        async with store.change() as tx:
            tx.put("sites", "site-02", {**tx.get("sites", "site-02"), "inspectors": ["ada"]})
        await w.press("today-mine")
        assert "today-site-01" not in w.screen.ids() and w.screen.shows("Nothing is due today")
        await w.press("today-mine")
        await w.appears("today-site-01")

    tapped(tmp_path, job)


def test_filters_and_distance_narrow_the_list(tmp_path: Path):
    async def job(desk, w: Window):
        def shown() -> list[str]:
            return [i for i in w.screen.ids() if i.startswith("site-site-")]

        assert "filter-due" not in w.screen.ids()
        await w.press("filters")
        await w.press("filter-due")
        assert shown() == ["site-site-01"]
        await w.press("filter-no_permit")
        assert shown() == [] and w.screen.shows("No site matches what you chose.")
        await w.press("filter-due")
        assert shown() == ["site-site-02"]
        await w.press("filter-no_permit")
        await w.press("filters")
        assert not [i for i in w.screen.ids() if i.startswith("filter-")]
        await w.press("near")
        await w.until(lambda: w.screen.shows("Your position: now, known to 17 ft"))
        assert shown() == ["site-site-01", "site-site-02"] and w.screen.shows("10 ft")

    tapped(tmp_path, job)


def test_a_site_on_no_list_is_reported_and_stopped_without_a_network(tmp_path: Path):
    async def job(desk, w: Window):
        desk.network.up = False
        await w.press("begin-report")
        await w.press("find-locate")
        await w.until(lambda: w.screen.shows("position known to 17 ft"))
        assert "nearby-site-01" in w.screen.ids()
        await w.type("find-address", "By the river, Mill Street")
        await w.press("step-what")
        await w.type("find-observed", "They cut a road through the bank.")
        await w.press("shutter")
        await w.appears("photos-kept-1")
        await w.press("kept-mark-1")
        await w.appears("easel")
        await w.draw("easel", [(20, 20), (60, 60), (100, 110)])
        await w.until(lambda: w.screen.shows("Undo the last mark"), "the arrow is kept")
        await w.press("marks-done")
        await w.appears("kept-1")
        await w.press("step-who")
        await w.type("party-name", "Digwell Inc.")
        await w.press("party-add")
        await w.appears("party-remove-0")
        await w.press("step-need")
        await w.appears("need-undetermined")
        await w.press("need-road_work-local")
        await w.appears("need-required")
        assert w.screen.shows("A permit is required because of street, highway, road or bridge work (clause C(3)).")
        await w.type("area-0", "5000")
        await w.type("slope-0", "6")
        await w.until(lambda: w.screen.shows("C(1)"))
        await w.press("save-report")
        await w.appears("find-done")
        await w.press("find-order")
        await w.appears("ground-a")
        order = w.work.order(w.shell.place["draft"])
        assert [one.letter for one in order.grounds if one.chosen] == ["a"]
        assert "C(1)" in order.observed and order.address == "By the river, Mill Street"
        await w.press("back")
        await w.appears("site-permits")
        assert w.screen.shows("The office has not confirmed it yet.")
        await w.press("begin-site-order")  # goes on with the same one
        await w.appears("ground-a")
        assert w.work.order(w.shell.place["draft"]).number == order.number

    tapped(tmp_path, job)


def test_missing_parts_of_a_report_lead_to_their_step(tmp_path: Path):
    async def job(desk, w: Window):
        await w.press("begin-report")
        await w.press("step-need")
        await w.appears("find-missing-0")
        assert not w.screen.enabled("save-report")
        await w.press("find-missing-2")
        await w.appears("find-observed")
        await w.press("find-discard")
        await w.press("dialog-yes")
        await w.appears("today-day")
        assert not w.work.has_open_draft()

    tapped(tmp_path, job, width=412, height=915)


def test_rain_is_written_down_and_said_what_follows(tmp_path: Path):
    async def job(desk, w: Window):
        await w.press("nav-today")
        await w.press("open-rain")
        await w.type("rain-inches", "0.8")
        await w.type("rain-gauge", "yard")
        await w.press("rain-keep")
        await w.appears("rain-said")
        assert w.screen.texts("rain-said") == ["Written down. One inspection is due for it."]
        assert w.screen.value("rain-inches") == ""
        await w.press("rain-correct-0")
        assert w.screen.value("rain-inches") == "0.8"
        await w.type("rain-inches", "0.1")
        await w.press("rain-keep")
        await w.until(lambda: w.screen.texts("rain-said") == ["Written down. It calls for no inspection."])
        await w.type("rain-inches", "99")
        await w.press("rain-keep")
        await w.appears("problem")
        assert w.screen.shows("rain-malformed")
        await w.press("back")
        await w.appears("today-day")
        assert w.screen.shows("Last rain written down: 0.1 in")

    tapped(tmp_path, job)


def test_a_second_reading_of_the_same_gauge_and_hours_is_asked_about(tmp_path: Path):
    async def job(desk, w: Window):
        def read():
            return [row.inches for row in w.work.rain().rows]

        async def write(inches: str):
            await w.type("rain-inches", inches)
            await w.press("rain-keep")

        w.shell.go("rain")
        await w.type("rain-gauge", "yard")
        await write("0.8")
        await w.until(lambda: read() == ["0.8"] and w.screen.value("rain-inches") == "", "written down")
        await write("3")
        await w.appears("dialog-no")
        assert w.screen.shows("For this gauge and these hours is written down: 0.8 inches")
        await w.press("dialog-no")
        await w.until(lambda: "dialog-no" not in w.screen.ids(), "nothing is written down")
        assert read() == ["0.8"] and w.screen.value("rain-inches") == "3"
        await w.press("rain-keep")
        await w.press("dialog-yes")
        await w.until(lambda: sorted(read()) == ["0.8", "3"], "both stand")
        await w.until(lambda: "dialog-yes" not in w.screen.ids() and w.screen.value("rain-inches") == "", "closed")
        await write("0.2")
        await w.press("rain-correct-it")
        await w.until(lambda: len(read()) == 2 and "0.2" in read(), "one of them is corrected")

    tapped(tmp_path, job)


def test_the_map_shows_pins_heaps_a_grid_and_a_scale_and_needs_no_tile(tmp_path: Path):
    async def job(desk, w: Window):
        def many(tx) -> None:
            for n in range(40):
                founding.keep_site(tx, desk.city, {
                    "id": f"far-{n:02d}", "name": f"Far {n}", "address": f"{n} Far Road", "parcel": "",
                    "lat_udeg": 43_100_000 + n * 5, "lon_udeg": -89_300_000 + n * 5, "site_class": "other",
                    "permittee": None, "landowner": None, "land_user": None, "end_of_work_day": None})

        await desk.office(lambda city: city.db.write(many))
        desk.clock.advance(minutes=2)
        w.work.send_now()
        await w.until(lambda: len(w.work._desk.store.table("sites")) == 42)
        await w.press("nav-map")
        await w.until(lambda: sum(i.startswith("heap-") for i in w.screen.ids()) == 2)
        (shown,) = [c for c in w.screen.controls() if isinstance(c, fm.Map)]
        assert not [c for c in walk(shown) if isinstance(c, fm.TileLayer)]
        assert len([c for c in walk(shown) if isinstance(c, fm.PolylineMarker)]) > 6
        assert any(text.endswith((" ft", " mi")) for text in w.screen.texts())
        assert w.screen.shows("There is no street map here. The lines are a plain grid: north is up")
        assert "40 sites. Most urgent: " in " ".join(
            c.label or "" for c in w.screen.controls() if isinstance(c, ft.Semantics))
        many_here = next(i for i in w.screen.ids() if i.startswith("heap-") and "40" in w.screen.texts(i))
        before = w.shell.memory["map"]["zoom"]
        await w.press(many_here)
        assert w.shell.memory["map"]["zoom"] == before + 2
        await w.press("map-out")
        assert w.shell.memory["map"]["zoom"] == before + 1
        await w.screen.fire(shown, "position_change", {"has_gesture": True, "coordinates": None, "camera": {
            "center": {"latitude": 43.0731, "longitude": -89.4012}, "zoom": 19.0, "min_zoom": 3, "max_zoom": 19,
            "rotation": 0}})
        # The two are one microdegree apart: no zoom tells them apart, so the list does.
        await w.until(lambda: any("2" in w.screen.texts(i) for i in w.screen.ids() if i.startswith("heap-")))
        await w.press(next(i for i in w.screen.ids() if i.startswith("heap-")))
        await w.appears("heap-site-site-02")
        await w.press("heap-close")
        assert "heap-site-site-02" not in w.screen.ids()
        await w.press("map-me")
        await w.until(lambda: w.screen.shows("Your position: now"))
        w.screen.connection.sent.clear()
        await w.press("map-east")
        calls = [m.body.name for m in w.screen.connection.sent if hasattr(m.body, "name")]
        assert "move_to" in calls
        await w.press("filters")
        await w.press("filter-order")
        assert not [i for i in w.screen.ids() if i.startswith(("pin-", "heap-"))]
        async with w.work._desk.store.change() as tx:
            tx.put("maps", "tiles", {"id": "tiles", "path": "/tiles/{z}/{x}/{y}.png", "attribution": "County GIS",
                                     "min_zoom": 10, "max_zoom": 17})
        await w.screen.settle()
        (layer,) = [c for c in w.screen.controls() if isinstance(c, fm.TileLayer)]
        assert not w.screen.shows("There is no street map here.")
        assert layer.url_template == f"{SERVER}/tiles/{{z}}/{{x}}/{{y}}.png", "the city's own server and no other"

    tapped(tmp_path, job)


def test_the_site_screen_calls_and_opens_the_map_app(tmp_path: Path):
    async def job(desk, w: Window):
        store = w.work._desk.store
        async with store.change() as tx:
            tx.put("sites", "site-01", {
                **tx.get("sites", "site-01"),
                "contractor": {"name": "Digwell Inc.", "address": "9 Pit Road", "phone": "(608) 555-0142 ext. 3"},
                "timetable": [
                    {"id": "t1", "activity": "Grading", "start": "2026-08-01", "end": "2026-08-20", "done_on": None},
                    {"id": "t2", "activity": "Seeding", "start": "2026-09-10", "end": None, "done_on": None}],
                "inspectors": ["ada"]})
            tx.put("inspections", "f" * 32, {
                "id": "f" * 32, "site": "site-01", "inspected_on": "2026-08-20", "type": "weekly",
                "outcome": "compliant", "person": "ben", "inspector": "Ben Okafor", "findings": 0, "critical": 0,
                "ended": "2026-08-20T10:00:00-05:00"})
        await w.press("site-site-01")
        await w.appears("call-0")

        def link(part: str) -> str:
            button = w.screen.inside(part, "FilledButton")
            return button.action._arguments["url"].url if hasattr(button.action, "_arguments") else button.action.url

        assert link("call-0") == "tel:+16085550142"
        assert link("site-navigate").startswith("geo:43.073100,-89.401201?q=")
        texts = w.screen.texts()
        assert "late" in texts and "planned" in texts and "Thu Aug 20, 2026, Weekly" in texts
        assert w.screen.shows("Assigned to Ada Lindqvist")
        assert w.screen.shows("last inspected Thu Aug 20; day 7 is Thu Aug 27 (clause D(1))")
        assert isinstance(w.screen.inside("site-navigate", "FilledButton").action, ft.OpenUrl)
        await w.press("site-map")
        await w.appears("map-in")
        assert round(w.shell.memory["map"]["lat"], 4) == 43.0731
        await w.press("back") if "back" in w.screen.ids() else w.shell.back()
        await w.appears("call-0")

    tapped(tmp_path, job)


def test_a_plan_is_looked_at_page_by_page_without_a_network(tmp_path: Path):
    async def job(desk, w: Window):
        def add(city) -> str:
            paper = FPDF(unit="in", format=(11, 8.5))
            for _sheet in range(2):
                paper.add_page()
            file = city.blobs.incoming()
            file.write(bytes(paper.output()))
            return add_plan(city, "carol", "site-01", file, title="Erosion control plan", kind="drawing", version="B")

        ident = await desk.office(add)
        desk.clock.advance(minutes=2)
        w.work.send_now()
        await w.until(lambda: [row for row in w.work.plans("site-01").current if row.here], "the plan is here")
        desk.network.up = False
        await w.press("site-site-01")
        await w.press(f"plan-{ident}")
        await w.appears("plan-page")
        assert isinstance(w.screen.inside("plan-page", "Image").src, bytes)
        assert w.screen.inside("plan-page", "InteractiveViewer").max_scale >= 8
        await w.press("page-next")
        await w.appears("plan-page")
        assert w.screen.shows("Last page") and not w.screen.enabled("page-next")
        w.screen.connection.sent.clear()
        await w.press("plan-larger")
        assert "zoom" in [m.body.name for m in w.screen.connection.sent if hasattr(m.body, "name")]
        await w.press("back")
        await w.appears("site-plans")

    tapped(tmp_path, job)


def test_what_was_typed_about_the_rain_outlives_a_kill(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            w.shell.go("rain")
            await w.type("rain-inches", "0.7")
            await w.type("rain-gauge", "roof of the depot")
        async with window(desk) as again:  # the app was killed and started anew
            await again.until(lambda: again.shell.phase == "work", "open")
            again.shell.go("rain")
            await again.appears("rain-inches")
            assert again.screen.value("rain-inches") == "0.7"
            assert again.screen.value("rain-gauge") == "roof of the depot"
            await again.press("rain-keep")
            await again.appears("rain-said")
            assert again.screen.value("rain-inches") == ""
            assert again.screen.value("rain-gauge") == "roof of the depot"
            again.shell.go("site_rain", site="site-01")
            await again.until(lambda: again.screen.value("rain-gauge") == "", "the form of another place is its own")

    asyncio.run(go())
