"""The office in a real Chromium: the whole way from a link to a decision, with scripts and without, at every size.

What only a browser can show: that the content policy blocks nothing of ours, that forms carry the right origin, that
the overview renews itself, that no page scrolls sideways.
"""

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from starlette.applications import Starlette

from sync.records.protocol import public_order_url
from sync.server.casework.orders import confirm_order
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console.routes import console_routes
from sync.server.console.signing_in import sign_in_link
from tests.support.chromium import FLAGS, executable
from tests.support.city import folder_city
from tests.support.clock import StoppedClock
from tests.support.office import furnished_office
from tests.support.serve import address_of, free_socket, serving
from tests.support.site_acts import emergency_body

from .screens import SIZES

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=executable(), headless=True, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture
def here(tmp_path):
    """A furnished office behind a real port."""
    listener, clock = free_socket(), StoppedClock()
    office = furnished_office(folder_city(tmp_path / "city", clock, public_url=address_of(listener)), clock)
    with serving(Starlette(routes=console_routes(office.city)), listener):
        yield office


@pytest.fixture
def browse(chromium, here):
    """Open a page, with scripts or without; whatever the browser complains about fails the test."""
    opened, said = [], []

    def browse(*, scripts: bool) -> Page:
        context = chromium.new_context(java_script_enabled=scripts, viewport={"width": 1280, "height": 800})
        opened.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.text} {message.location['url']}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        return page

    yield browse
    for context in opened:
        context.close()
    assert said == []


def come_in(page: Page, office, person: str) -> None:
    page.goto(sign_in_link(office.city.public_url, create_sign_in_link(office.city, "keeper", person)))
    page.get_by_role("button").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


@pytest.mark.parametrize("scripts", [True, False])
def test_from_the_link_to_the_decision(browse, here, scripts):
    page = browse(scripts=scripts)
    come_in(page, here, "carol")
    page.get_by_role("link", name="200 Mill Street").first.click()
    page.get_by_label("Reasons for not issuing").fill("There is a permit after all.")
    page.get_by_role("button", name="Do not issue").click()
    expect(page.get_by_role("status")).to_have_text("The order is not issued. The tablet will say so.")
    page.goto(f"{here.city.public_url}/office/orders/{here.orders['posted']}")
    page.get_by_role("button", name="Confirm the order").click()
    expect(page.locator(".head .tag")).to_have_text("in force, confirmed")
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Genuine and in force")
    page.goto(here.city.public_url + "/office/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")


def test_the_overview_renews_itself_without_reloading(browse, here):
    page = browse(scripts=True)
    come_in(page, here, "carol")
    expect(page.get_by_text("in force, to be confirmed")).to_be_visible()
    page.wait_for_function("window.htmx !== undefined")
    page.evaluate("window.sameDocument = true")
    waited = page.locator("#menu .count").first.text_content()
    confirm_order(here.city, "carol", here.orders["posted"])
    here.tablet.push(here.tablet.fact("emergency_reported", emergency_body(site="site-02")))
    # The timer of 20 seconds is not waited for: its trigger is fired as the timer would.
    with page.expect_response(lambda answer: answer.url.endswith("/office/")):
        page.evaluate(
            "htmx.ajax('GET', '/office/', {source: '#live', target: '#live', select: '#live', swap: 'outerHTML',"
            " selectOOB: document.querySelector('#live').getAttribute('hx-select-oob')})"
        )
    expect(page.get_by_text("in force, to be confirmed")).to_have_count(0)
    expect(page.locator("#calls").get_by_text("Emergency:")).to_be_visible()
    expect(page.locator("#menu .count").first).not_to_have_text(waited)
    assert page.evaluate("window.sameDocument") is True


def test_photos_load_and_open(browse, here):
    page = browse(scripts=False)
    come_in(page, here, "dora")
    page.goto(f"{here.city.public_url}/office/inspections/{here.inspection}")
    for image in page.get_by_role("img", name="Photo:").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("image => image.naturalWidth") > 100
    page.get_by_role("img", name="Photo:").first.click()
    page.wait_for_url("**/office/evidence/*")


def test_no_page_scrolls_sideways_at_any_size(browse, here):
    page = browse(scripts=True)
    come_in(page, here, "carol")
    leased = here.numbers["posted"]
    paths = [
        "/office/",
        "/office/orders",
        "/office/inspections",
        f"/office/inspections/{here.inspection}",
        f"/office/orders/{here.orders['posted']}",
        "/office/set-aside",
        "/office/tablets",
        "/office/people",
        "/office/audit",
        public_order_url("", leased.number, leased.token, "2026-08-27"),
    ]
    for path in paths:
        page.goto(here.city.public_url + path)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
