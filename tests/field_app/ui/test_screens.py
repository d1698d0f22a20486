"""Every screen, on a wide and a narrow tablet and on a phone: drawn, named, large enough, nothing by swipe alone."""

import asyncio
from pathlib import Path

import flet as ft
import pytest

from field_app.ui import theme
from sync.records.problems import Problem
from tests.support.accessible import faults, pale
from tests.support.field_desk import PIN, bench
from tests.support.field_steps import failing_inspection, unprotected_inlet, written_order
from tests.support.flet_harness import SIZES, walk
from tests.support.tablet_window import Window, window

READ = {"normal": (4.5, 3.0), "sun": (7.0, 7.0), "dark": (4.5, 3.0)}  # contrast of words and of icons in each look
LOOKS = dict(zip(SIZES, READ, strict=True))  # each is worn at one of the sizes
FORBIDDEN = (ft.Dropdown, ft.DropdownM2, ft.Dismissible, ft.PopupMenuButton, ft.Slider)


def look_over(w: Window, where: str) -> None:
    """What holds on every screen."""
    controls = w.screen.controls()
    ids = w.screen.ids()
    assert "failed-part" not in ids, (where, w.screen.texts("failed-part"))
    assert len(set(ids)) == len(ids) or where == "outbox", (where, sorted(i for i in ids if ids.count(i) > 1))
    assert faults(w.screen.page) == [], where
    assert pale(w.screen.page, *READ[theme.worn()[0]]) == [], where
    for control in controls:
        assert not isinstance(control, FORBIDDEN), (where, control)
        if isinstance(control, ft.TextField):
            assert (control.text_size or 0) >= 18
        if isinstance(control, ft.Text):
            size = control.size or 14
            assert size >= 14, (where, control.value, size)
    small = [c.value for c in controls if isinstance(c, ft.Text) and (c.size or 14) < 16 and c.value != "DEMO"]
    assert len(small) <= 4, (where, small)  # notes on pictures only
    for semantics in (c for c in controls if isinstance(c, ft.Semantics) and c.button):
        assert semantics.identifier, (where, "a tappable part without an identifier")
    if w.work is not None:
        assert [i for i in ids if i.startswith("status-")], (where, "no status bar")


async def look(w: Window, where: str, *parts: str) -> None:
    for part in parts:
        await w.appears(part)
    await w.screen.settle()
    look_over(w, where)
    if w.shell.tiny:
        await refused_in_sight(w, where)


async def refused_in_sight(w: Window, where: str) -> None:
    """Whatever is refused here is said above what scrolls, wherever that stands, and to those who listen; the same one
    again is told again."""
    told = []
    for _time in range(2):
        w.shell.refuse(Problem("clock-wrong", "its clock is years behind"))
        await w.screen.settle()
        scrolled = {getattr(part, "identifier", None) for column in w.screen.controls()
                    if isinstance(column, ft.Column) and column.scroll for part in walk(column)}
        assert w.screen.part("problem-said").live_region and "problem-said" not in scrolled, where
        told.append(w.screen.part("problem-said")._i)
    assert told[0] != told[1], (where, "said once, told once")
    w.shell.dismiss()
    await w.screen.settle()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_screen(tmp_path: Path, size):
    async def go():
        desk = bench(tmp_path)
        async with window(desk, width=size[0], height=size[1]) as w:
            await look(w, "enrol", "enrol-code", "enrol")
            await w.type("enrol-code", desk.enrolment_code())
            await w.press("enrol")
            await look(w, "sign in", "sign-in-code")
            await w.type("sign-in-code", desk.personal_code("ada"))
            await w.press("sign-in")
            await look(w, "pin", "pin-pad")
            await w.pin()
            await w.until(lambda: w.screen.shows("once more"))
            await w.pin()
            await w.work.set_look(look=LOOKS[size])
            w.shell.dress()
            await look(w, "today", "today-site-01", "open-rain", "begin-report")
            await w.press("nav-map")
            await look(w, "map", "map-in")
            await w.press("nav-sites")
            await look(w, "sites", "site-search", "site-site-01", "site-site-02")
            await w.press("site-site-01")
            await look(w, "site", "begin-inspection", "begin-site-order", "site-permits")
            await w.press("begin-inspection")
            await look(w, "inspection", "section-tracking", "section-inlets", "section-waste", "section-permit")
            draft = w.shell.place["draft"]
            for section in ("details", "tracking", "inlets", "waste", "permit"):
                await w.press(f"section-{section}")
                await look(w, section)
            await unprotected_inlet(w.work, draft)
            await w.work.go_to(draft, "inlets", "INL-01@inlet:inlet-01")
            await look(w, "failing item", "severity-change-INL-01@inlet:inlet-01", "due-INL-01@inlet:inlet-01-day")
            await w.press("photo-INL-01@inlet:inlet-01")
            await look(w, "camera", "shutter", "pick-photo", "photos-kept-2")
            await w.press("camera-done")
            await w.appears("section-inlets")
            w.shell.go("review", draft=draft)
            await look(w, "review", "missing", "pin-pad")
            await w.work.discard_draft(draft)
            signed = await failing_inspection(w.work)
            w.shell.go("signed", fact=signed.fact)
            await look(w, "signed", "begin-order", "to-site")
            w.shell.go("notice", fact=signed.fact)
            await look(w, "notice", "notice-line-1", "notice-code", "notice-es")
            again = await w.work.begin_inspection("site-01")
            w.shell.go("inspection", draft=again.id)
            await look(w, "last time", "card-last", f"follow-{again.last_time[0].id}-fixed")
            await w.press(f"follow-{again.last_time[0].id}-worse")
            await look(w, "last time, worse", f"last-note-{again.last_time[0].id}", "undo")
            await w.work.discard_draft(again.id)
            correction = await w.work.begin_correction(signed.fact)
            w.shell.go("review", draft=correction.id)
            await look(w, "correction", "revising", "revise-reason", "closing", "steps")
            await w.work.discard_draft(correction.id)
            w.shell.go("signed", fact=signed.fact)
            order = await written_order(w.work, signed)
            w.shell.go("order", draft=order)
            for step in ("grounds", "findings", "scope", "corrections", "met", "review"):
                await w.press(f"step-{step}")
                await look(w, f"order: {step}")
            await w.press("make-placard")
            await look(w, "placard", "placard-is-up", "placard-sheet")
            await w.work.placard_is_up(order)
            await look(w, "placard up", "pin-pad", "placard-not-up")
            posted = await w.work.post_order(order, PIN)
            await look(w, "placard done", "placard-done", "placard-photo")
            await w.press("placard-photo")
            await look(w, "photo of the placard", "shutter")
            w.shell.go("rain")
            await look(w, "rain", "rain-inches", "rain-keep")
            w.shell.go("find", report=(await w.work.begin_report()).id)
            for step in ("where", "what", "who", "need"):
                await w.press(f"step-{step}")
                await look(w, f"find: {step}")
            w.shell.go("outbox")
            await look(w, "outbox", "send-now")
            w.shell.go("settings")
            await look(w, "settings", "about", "change-pin")
            await w.press("change-pin")
            await look(w, "change pin", "pin-pad")
            w.shell.go("people")
            await look(w, "people", "person-ada", "sign-in-code")
            w.shell.go("site", site="site-01")
            await look(w, "site with an order", f"order-{posted.number}")
    asyncio.run(go())


def test_only_a_window_of_a_long_list_is_drawn(tmp_path: Path):
    async def go():
        from sync.server.casework import founding

        desk = bench(tmp_path)

        def many(tx) -> None:
            for n in range(3, 103):
                founding.keep_site(tx, desk.city, {
                    "id": f"site-{n:03d}", "name": f"Lot {n}", "address": f"{n} Oak Street", "parcel": f"9-{n}",
                    "lat_udeg": 43_000_000, "lon_udeg": -89_000_000, "site_class": "house", "permittee": None,
                    "landowner": None, "land_user": None, "end_of_work_day": None,
                })
        desk.city.db.write(many)
        async with window(desk) as w:
            await w.set_up()
            await w.until(lambda: w.screen.shows("of 102 sites"))

            def shown() -> int:
                return len([i for i in w.screen.ids() if i.startswith("site-site-")])

            assert shown() == 20
            await w.press("sites-more")
            assert shown() == 40
            await w.type("site-search", "oak 77")
            assert [i for i in w.screen.ids() if i.startswith("site-site-")] == ["site-site-077"]
            await w.type("site-search", "no such place")
            assert shown() == 0
            assert w.screen.value("site-search") == "no such place"
    asyncio.run(go())
