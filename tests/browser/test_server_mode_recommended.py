"""An order by an inspector without the power to post: recommended on the tablet, issued in the office under the number
that the tablet leased, come down again and put up from there. Server mode, the office in the same Chromium. The tablet
is set up and its inspection made by the use cases: the taps for that are shown in test_server_mode_day.py."""

from pathlib import Path

import pytest

from tests.support import tablet_day as day
from tests.support.chromium import browser
from tests.support.led_tablet import Led
from tests.support.server import Server
from tests.support.tablet import TabletApp

pytestmark = pytest.mark.browser


@pytest.mark.timeout(900)
def test_recommended_issued_and_put_up(tmp_path: Path):
    server = Server(tmp_path / "office")
    server.run_from("2026-08-25T09:00:00-05:00")
    tablet = Led(tmp_path / "tablet", server.address, tmp_path / "office.clock")
    with server, tablet, browser(tmp_path / "profile") as chromium:
        app = TabletApp(chromium.open()).open(tablet.address)
        tablet.do("ready")
        tablet.do("enrol", code=server.enrol_code())
        tablet.do("sign_in", code=server.personal_code("ben"))
        tablet.do("set_pin")
        fact = tablet.do("sign", draft=tablet.do("draft", site=day.SITE)["draft"])["fact"]
        tablet.do("go", name="signed", fact=fact)
        app.wait("signed")
        number = day.write_order(app)
        app.until_text("NOT VALID")
        assert not app.there("placard-is-up")
        app.pin(day.PIN)
        app.wait("placard-done")
        app.tap("to-site")
        app.wait("status-safe")

        office = chromium.another()
        office.goto(server.office_link("carol"))
        office.get_by_role("button", name="Sign in as").click()
        office.goto(f"{server.address}/office/orders")
        office.locator("li", has_text=number).get_by_role("link").first.click()
        assert office.get_by_role("link", name="Order (PDF)").count() == 0
        office.get_by_role("button", name="Issue the order").click()
        office.get_by_role("link", name="Order (PDF)").wait_for()
        assert number in office.inner_text("body")
        public = office.get_by_role("link", name="Public page").get_attribute("href")

        # The order comes down by itself; whoever inspects may put it up, and that day starts the clocks.
        server.run_from("2026-08-27T13:00:00-05:00")
        app.page.bring_to_front()
        app.wait("begin-affixing", patience=60)
        app.tap("begin-affixing")
        app.type("affix-place", "Main gate, at eye level")
        app.tap("placard-is-up")
        app.say_yes()
        app.wait("placard-up")
        app.pin(day.PIN)
        app.wait("placard-done")
        app.tap("to-site")
        app.wait(f"order-{number}")
        app.wait("status-safe")
        app.until_text("day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8")

        order = office.url
        office.goto(server.office_link("carol"))  # two days later her session has ended
        office.get_by_role("button", name="Sign in as").click()
        office.goto(order)
        office.get_by_text("Main gate, at eye level").first.wait_for()
        answer = office.request.get(public if public.startswith("http") else server.address + public)
        assert "Genuine and in force" in answer.text() and "Aug 27, 2026" in answer.text()
        assert "Traceback" not in tablet.said()
        chromium.close()
