"""The whole job in server mode, the native code path: real server process, real tablet process, real Chromium.

The server is really stopped, the tablet app and its browser are really killed, and both are started again.
"""

import os
from pathlib import Path

import pytest

from tests.support import tablet_day as day
from tests.support.chromium import browser
from tests.support.office import picture
from tests.support.server import Server
from tests.support.tablet import TabletApp
from tests.support.tablet_server import TabletServer

pytestmark = pytest.mark.browser

THURSDAY, WEDNESDAY = "2026-08-27T13:00:00-05:00", "2026-09-02T08:00:00-05:00"
LAST_DAY = "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"


@pytest.mark.timeout(900)
def test_a_day_without_a_server(tmp_path: Path):
    mud = tmp_path / "mud.jpg"
    mud.write_bytes(picture(7, (2400, 1800)))
    screens = os.environ.get("SILTWATCH_SCREENS")
    server = Server(tmp_path / "office")
    server.run_from(THURSDAY)
    tablet = TabletServer(tmp_path / "tablet", server.address, tmp_path / "office.clock")
    with server, tablet, browser(tmp_path / "profile") as chromium:
        app = TabletApp(chromium.open()).open(tablet.address)

        def shoot(name: str) -> None:
            assert app.nameless() == [], name
            if screens:
                app.shoot(Path(screens), name)

        day.set_up(app, server.enrol_code(), server.personal_code("ada"), shoot)
        app.wait("status-safe")

        server.stop()
        day.begin(app, shoot=shoot)
        day.fail_tracking(app, mud, shoot)
        day.fail_inlet(app, shoot)
        day.answer_all_the_rest(app)
        day.sign(app, shoot)
        number = day.write_order(app, shoot)
        assert number.startswith("SW-2026-T07-")
        day.post(app, shoot)
        app.tap("to-site")
        app.wait(f"order-{number}")
        app.until_text(LAST_DAY)
        shoot("site-with-order")
        app.tap(f"order-repost-{number}")
        app.type("act-place", "North gate")
        app.type("act-reasons", "The wind took it down.")
        shoot("put-up-again")
        app.pin(day.PIN)
        app.wait(f"order-{number}")
        app.until_text(LAST_DAY)

        chromium.close()
        tablet.kill()
        tablet.start()
        app = TabletApp(chromium.open()).open(tablet.address)
        day.to_sites(app)
        app.tap(f"site-{day.SITE}")
        app.wait(f"order-{number}")
        app.until_text(LAST_DAY)
        app.tap("status-waiting")
        app.wait("out-waiting")
        app.until_count("out-waiting", 4)
        shoot("outbox-waiting")

        server.run_from(WEDNESDAY)
        server.start()
        app.wait("status-safe", patience=90)  # by itself, nothing is tapped
        app.until_count("out-safe", 4)
        shoot("outbox-safe")
        app.back()
        app.wait(f"order-{number}")
        app.until_text("R-2026-")
        app.until_text(LAST_DAY)
        app.tap("open-settings")
        app.wait("about")
        shoot("about")
        assert "Traceback" not in tablet.said()
        chromium.close()

    with server.city() as city:
        assert city is not None
