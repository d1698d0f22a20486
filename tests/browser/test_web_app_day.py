"""The main job in the installable web app: real Chromium, the real server, really stopped and started again.

From the office's enrolment link to a registered order with the same dates on tablet, placard, console and PDF; and on
the same tablet a browser that the system kills in the middle of an inspection. What the browser itself has no part in
(another inlet, the rest of the checklists, an order's words) is entered by the use cases here, by taps in
test_server_mode_day.py.
"""

import io
import json
import os
import random
import re
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from pypdf import PdfReader

from sync.records.protocol import CHANGES, PUBLIC_ORDER, public_order_url
from sync.server.casework.blanks import print_blanks, stack
from sync.server.casework.diagnoses import diagnoses_of
from sync.server.casework.importing import take_in
from tests.support import tablet_day as day
from tests.support.arrived import applied, held
from tests.support.chromium import browser
from tests.support.codes import jpeg_of, seen
from tests.support.film import SIZE, moving, standing
from tests.support.flips import NETWORK, flips, workers
from tests.support.inside_app import InsideApp
from tests.support.killed_browser import ITEMS, Inspector
from tests.support.office import picture
from tests.support.server import Server
from tests.support.tablet import TabletApp
from tests.support.web_build import test_build

pytestmark = pytest.mark.browser

THURSDAY, WEDNESDAY = "2026-08-27T13:00:00-05:00", "2026-09-02T08:00:00-05:00"
DERIVED = "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"


def words(text: str) -> str:
    """The text with every run of blanks and line ends as one blank."""
    return re.sub(r"\s+", " ", text)


def pdf_words(data: bytes) -> str:
    return words(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages))


@contextmanager
def served(home: Path):
    """The office's server, on the Thursday, with the web app."""
    server = Server(home / "office", web=test_build())
    server.run_from(THURSDAY)
    with server:
        yield server


def at_home_on(page, server, day_and_time: str) -> None:
    """The tablet's clock shows this, before the app has ever been opened there."""
    page.goto(server.address + "/app/manifest.json")
    page.evaluate("localStorage.setItem('siltwatch-test-clock-offset-ms', "
                  f"String(new Date('{day_and_time}').getTime() - Date.now()))")


def open_app(page, server, path: str = "/app/") -> TabletApp:
    return TabletApp(page, patience=60).open(server.address + path, wait=180)


def order_written(app: TabletApp) -> str:
    """From "signed" to the placard of an order on that inspection; its number."""
    fact = InsideApp(app.page).run("json.dumps(dict(window().place.given)['fact'])")
    app.tap("begin-order")
    app.wait("ground-a")
    InsideApp(app.page).do(f"await led_steps.written(window().work, dict(window().place.given)['draft'], {fact!r})")
    app.tap("step-review")
    app.wait("review-number")
    app.tap("make-placard")
    app.wait("placard-number")
    return app.text("placard-number").strip()


def asked_for_changes(chromium) -> int:
    """How often the tablet has asked what is new."""
    return sum(CHANGES in url for url in chromium.requested)


def by_file(app: TabletApp, server: Server, tmp_path: Path) -> None:
    """Everything that is still here, as a file, to the office and back; then a network that costs money, and one that
    does not."""
    with app.page.expect_download() as download:
        app.tap("export-all")
    file = io.BytesIO(Path(download.value.path()).read_bytes())
    with zipfile.ZipFile(file) as opened:
        assert opened.testzip() is None
    with server.city() as city:
        taken = take_in(city, "keeper", file)
    assert taken.records == {"applied": 4} and taken.files >= 5 and not taken.refused_files
    (tmp_path / "receipts.json").write_bytes(taken.receipts.to_bytes())
    app.choose_file("take-receipts", tmp_path / "receipts.json")
    app.until_text("Taken in: receipts for 0 records")  # they are safe already
    for kind, said in (("cellular", "This network costs money"), ("wifi", "this network costs nothing")):
        app.page.evaluate(f"setNetwork('{kind}')")
        app.until_text(said)


def speak(app: TabletApp, shoot) -> None:
    """A voice note for the item that fails, in Chromium's own microphone; the tablet says how long it is."""
    app.tap(f"voice-{day.TRACK}-record")
    app.until_text("Recording:")
    app.page.wait_for_timeout(1200)
    app.tap(f"voice-{day.TRACK}-stop")
    app.wait(f"voice-{day.TRACK}-play-1")
    app.until_text("Voice note 1:")
    shoot("voice-note")


def heard(server: Server) -> None:
    """The voice note is with the office: a sound under the hash that the signed record names."""
    (inspection,) = applied(server, "inspection_signed")
    (note,) = inspection.body["voice_notes"]
    assert note["item"] == day.TRACK
    assert held(server, note["sha256"])[note["sha256"]].startswith("audio/")


def about_the_tablet(app: TabletApp, server: Server) -> None:
    """How much room this browser really gives, and the report about the tablet, read and sent to the office."""
    app.tap("open-settings")
    app.until_text("left for this app. It takes")
    app.wait("install-part")
    app.tap("open-diagnosis")
    app.tap("diagnosis-send")
    app.until_text("The report is with the office.")
    with server.city() as city:
        (sent,) = diagnoses_of(city, "T07")
    report = json.loads(sent.text)
    assert report["app"]["kind"] == "browser" and report["outbox"]["records"] == {"safe": 4}
    assert report["storage"]["free"] > 0 and report["storage"]["used"] > 0
    assert "Lindqvist" not in sent.text
    app.back()
    app.back()


@pytest.mark.timeout(1500)
def test_the_main_job(tmp_path: Path):
    mud = tmp_path / "mud.jpg"
    mud.write_bytes(picture(7, (2400, 1800)))
    screens = os.environ.get("SILTWATCH_SCREENS")

    film = tmp_path / "camera.mjpeg"
    moving(film)
    with served(tmp_path) as server, browser(tmp_path / "profile", film=film) as chromium:
        page = chromium.open()
        at_home_on(page, server, THURSDAY)
        app = open_app(page, server, f"/app/#enrol={server.enrol_code()}")

        def shoot(name: str) -> None:
            if screens:
                app.shoot(Path(screens), name)

        # The link brings the code along; its fragment is gone from the address before anything can keep it.
        app.wait("enrol-code")
        assert "enrol=" not in page.url
        app.tap("enrol")
        app.wait("sign-in-code")
        with server.city() as city:  # the office prints placards for the tablet's case
            sheet = stack(city, "T07", print_blanks(city, "carol", "T07", 2))
        asked = asked_for_changes(chromium)
        app.type("sign-in-code", server.personal_code("ada"))
        app.tap("sign-in")
        app.wait("pin-pad")
        InsideApp(page).do("await led_steps.set_pin(window())")
        day.to_sites(app)
        page.locator('html[data-offline="ready"]').wait_for(state="attached", timeout=60_000)
        app.wait("status-safe")
        while asked_for_changes(chromium) < asked + 2:  # whoever asks again has what the answer before brought
            page.wait_for_timeout(500)

        # From here on there is no server.
        server.stop()
        page.reload()
        app.started(wait=180)
        day.begin(app, shoot=shoot)
        day.fail_tracking(app, mud, shoot)
        speak(app, shoot)

        # A second tab is refused, and may take over; then the first one is the one that is shut out.
        other = TabletApp(chromium.another(), patience=60).open(server.address + "/app/", wait=180)
        other.wait("another-tab")
        other.tap("take-over")
        other.pin(day.PIN)
        other.wait(f"item-{day.TRACK}")  # the draft, where the inspector was
        app.wait("another-tab")
        shoot("another-tab")
        other.page.close()
        app.tap("take-over")
        app.pin(day.PIN)
        app.wait(f"item-{day.TRACK}")

        InsideApp(page).do("await led_steps.rest(window().work, dict(window().place.given)['draft'])")
        app.tap(app.ids("section-")[-1])
        day.sign(app, shoot)
        printed = order_written(app)
        with page.expect_download() as download:
            app.tap("save-placard")
        placard = Path(download.value.path()).read_bytes()

        # No printer here after all: a placard of the case goes up instead, and a record explains the printed number.
        link = public_order_url(server.address, sheet[1].number, sheet[1].token)
        standing(film, jpeg_of(seen(link, size=SIZE, share=0.9, turned=5)))
        number = day.take_blank(app, shoot)
        assert number == sheet[1].number != printed
        day.post(app, shoot)

        chromium.close()
        page = chromium.open()
        page.add_init_script(NETWORK)
        app = open_app(page, server)
        day.to_sites(app)
        app.tap(f"site-{day.SITE}")
        app.wait(f"order-{number}")
        app.until_text(DERIVED)
        app.tap("status-waiting")
        app.until_count("out-waiting", 4)
        shoot("outbox-offline")

        page.evaluate(f"setSiltwatchClock('{WEDNESDAY}')")
        server.run_from(WEDNESDAY)
        server.start()
        flips(page, server)  # and the network comes and goes twenty times
        app.wait("status-safe", patience=90)  # by itself: nothing is tapped
        app.until_count("out-safe", 4)
        assert workers(page) == 1
        heard(server)
        by_file(app, server, tmp_path)
        shoot("outbox-safe")
        app.back()
        app.wait(f"order-{number}")
        app.until_text("R-2026-")
        app.until_text(DERIVED)
        shoot("site-after-sync")
        about_the_tablet(app, server)
        app.wait(f"order-{number}")
        assert chromium.foreign(server.address) == []

        # The office sees the inspection, its photos and the order; the dates are the tablet's own.
        office = chromium.another()
        office.goto(server.office_link("carol"))
        office.get_by_role("button", name="Sign in as").click()
        office.goto(f"{server.address}/office/orders")
        office.locator("li", has_text=number).get_by_role("link").first.click()
        office.get_by_role("link", name="Order (PDF)").wait_for()
        assert DERIVED in words(office.inner_text("body"))
        assert "Wed Sep 2, 2026" in words(office.inner_text("body"))
        address = office.get_by_role("link", name="Order (PDF)").get_attribute("href")
        paper = office.request.get(server.address + address if address.startswith("/") else address)
        for text, its in ((pdf_words(placard), printed), (pdf_words(paper.body()), number)):
            assert "last day Tue Sep 8" in text and "day 10 is Sun Sep 6" in text and "Labor Day" in text
            assert "DEMO" in text and its in text
        link = office.get_by_role("link", name="Public page").get_attribute("href")
        assert PUBLIC_ORDER + number in link
        public = office.request.get(link if link.startswith("http") else server.address + link)
        assert "Genuine and in force" in public.text() and "Tue Sep 8" in words(public.text())

        # Declined: voided by record. Tablet and public page say so, with the reasons; no clock runs any more.
        reasons = "The road had been swept before the posting."
        office.get_by_label("Reasons for declining").fill(reasons)
        office.get_by_role("button", name="Decline and void").click()
        office.get_by_text(reasons).first.wait_for()
        public = office.request.get(link if link.startswith("http") else server.address + link)
        assert "in force" not in public.text() and reasons in public.text()
        app.page.bring_to_front()
        app.until_text(reasons)
        assert DERIVED not in app.text()
        shoot("site-declined")
        chromium.close()


def killed_at_work(home: Path, times: int, seed: int) -> None:
    """An inspection with no server, while the browser is killed so many times, at every other kill in a note."""
    with served(home) as server, browser(home / "profile") as chromium:
        page = chromium.open()
        at_home_on(page, server, THURSDAY)
        app = open_app(page, server)
        app.wait("enrol-code")
        InsideApp(page).do(f"await led_steps.enrol(window(), {server.enrol_code()!r})")
        app.wait("sign-in-code")
        InsideApp(page).do(f"await led_steps.sign_in(window(), {server.personal_code('ada')!r})\n"
                           "await led_steps.set_pin(window())")
        app.wait("nav-sites")
        page.locator('html[data-offline="ready"]').wait_for(state="attached", timeout=60_000)
        app.wait("status-safe")
        chromium.close()
        server.stop()
        inspector = Inspector(chromium, server.address + "/app/", seed)
        inspector.begin("site-02")
        for turn in range(times):
            inspector.some_steps(typing=turn % 2 == 0)
            inspector.killed(typing=turn % 2 == 0)
        for item in ITEMS:
            inspector.do(inspector.tap(item, "na" if inspector.kept["items"][item][0] != "na" else "not_observed"))
        chromium.close()


@pytest.mark.timeout(900)
def test_five_kills_lose_at_most_the_step_in_progress(tmp_path: Path):
    killed_at_work(tmp_path, 5, seed=20260827)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_fifty_kills(tmp_path: Path):
    killed_at_work(tmp_path, 50, seed=int(os.environ.get("SILTWATCH_SEED") or random.randrange(2**31)))
