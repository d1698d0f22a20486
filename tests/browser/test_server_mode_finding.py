"""The ways to find work, in real Chromium: Today, the map without a tile, rain, and a site that is on no list, stopped
with the server really away."""

import os
from pathlib import Path

import pytest

from tests.support import tablet_day as day
from tests.support.chromium import browser
from tests.support.led_tablet import Led
from tests.support.server import Server
from tests.support.tablet import TabletApp

pytestmark = pytest.mark.browser


@pytest.mark.timeout(900)
def test_finding_work_and_a_site_on_no_list(tmp_path: Path):
    screens = os.environ.get("SILTWATCH_SCREENS")
    server = Server(tmp_path / "office")
    server.run_from("2026-08-27T13:00:00-05:00")
    tablet = Led(tmp_path / "tablet", server.address, tmp_path / "office.clock")
    with server, tablet, browser(tmp_path / "profile") as chromium:
        app = TabletApp(chromium.open()).open(tablet.address)

        def shoot(name: str) -> None:
            assert app.nameless() == [], name
            if screens:
                app.shoot(Path(screens), name)

        tablet.do("ready")  # set up by the use cases: the taps for that are shown in test_server_mode_day.py
        tablet.do("enrol", code=server.enrol_code())
        tablet.do("sign_in", code=server.personal_code("ada"))
        tablet.do("set_pin")
        day.to_sites(app)
        app.wait("status-safe")
        server.stop()
        app.tap("near")
        app.until_text("Your position")
        shoot("sites-near")
        app.tap("nav-today")
        app.wait("today-day")
        shoot("today")
        app.tap("open-rain")
        app.type("rain-inches", "0.8")
        app.type("rain-gauge", "city yard")
        shoot("rain")
        app.tap("rain-keep")
        app.wait("rain-said")
        app.back()
        app.until_text("0.8 in")
        shoot("today-after-rain")
        app.tap("nav-map")
        app.wait("map-in")
        app.quiet()
        shoot("map")
        app.tap("map-me")
        app.until_text("Your position")
        shoot("map-here")
        app.tap("map-all")
        app.quiet()
        pins = app.ids("pin-")
        assert pins, app.ids()
        app.tap(pins[0])
        app.wait("site-navigate")
        shoot("site-from-map")
        app.back()
        app.wait("map-in")

        app.tap("nav-today")
        app.tap("begin-report")
        app.tap("find-locate")
        app.until_text("position known to")
        app.type("find-address", "Across from 40 Oak Street")
        app.type("find-name", "Trench on Oak")
        shoot("find-where")
        app.tap("step-next")
        app.type("find-observed", "A trench along the road, soil piled on the walk.")
        app.tap("shutter")
        app.wait("photos-kept-1")
        shoot("find-what")
        app.tap("step-next")
        app.type("party-name", "Digwell Inc.")
        app.type("party-phone", "608 555 0100")
        app.tap("party-add")
        app.wait("party-remove-0")
        shoot("find-who")
        app.tap("step-next")
        app.wait("need-undetermined")
        app.tap("need-road_work-local")
        app.wait("need-required")
        app.type("area-0", "5200")
        app.type("slope-0", "6")
        app.until_text("C(1)")
        shoot("find-need")
        app.tap("save-report")
        app.wait("find-done")
        shoot("find-done")
        app.tap("find-site")
        app.wait("begin-site-order")
        shoot("site-found")
        app.tap("begin-site-order")
        app.wait("ground-a")
        shoot("order-without-permit")
        if screens:
            in_spanish(app, shoot)
        server.run_from("2026-08-27T15:00:00-05:00")
        server.start()
        app.wait("status-safe", patience=60)
        assert "Traceback" not in tablet.said()


def in_spanish(app: TabletApp, shoot) -> None:
    """The same screens once more, for the pictures."""
    app.tap("open-settings")
    app.tap("language-es")
    app.until_text("Idioma")
    app.back()
    app.back()
    app.wait("site-permits")
    shoot("es-site")
    app.back()
    app.wait("nav-today")
    app.tap("nav-today")
    app.wait("today-day")
    shoot("es-today")
    app.tap("nav-map")
    app.wait("map-in")
    app.quiet()
    shoot("es-map")
    app.tap("nav-sites")
    app.wait("site-search")
    shoot("es-sites")
    app.tap("begin-report")
    app.tap("step-need")
    shoot("es-find-need")
    app.tap("find-discard")
    app.say_yes()
