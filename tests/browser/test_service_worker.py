"""The service worker and the page's own script in a real Chromium, against a server that is really stopped.

A tiny page stands in for the app (one start of the app costs seconds of CPU): the real page, `start.js` and `sw.js`
as the build makes them, and in the place of Flet's scripts one that plays Python's end of the port.
"""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from field_app.packaging import web
from tests.support.chromium import Browser
from tests.support.static_server import Served, free_port

pytestmark = pytest.mark.browser

# Python's end of the port: asks by id, remembers what the page says by itself.
PYTHON = """
(function () {
  const waiting = new Map(); let count = 0;
  window.said = [];
  flet.pagePort.onmessage = (event) => {
    if (event.data.kind === "answer") { waiting.get(event.data.id)(event.data); } else { window.said.push(event.data); }
  };
  window.ask = (kind, more) => new Promise((resolve) => {
    count += 1; waiting.set(count, resolve); flet.pagePort.postMessage({ kind, id: count, ...more });
  });
})();
"""
BOOTSTRAP = """
fetch("words.txt").then((answer) => answer.text()).then((text) => {
  if (text === "does not start") return;
  document.getElementById("loading").remove();
  document.body.append(Object.assign(document.createElement("main"), { textContent: text }));
});
"""


def make_site(folder, words: str) -> str:
    """A site of one version; returns its version."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "canvaskit" / "chromium").mkdir(parents=True)
    (folder / "python.js").write_text(PYTHON)
    (folder / "flutter_bootstrap.js").write_text(BOOTSTRAP)
    (folder / "words.txt").write_text(words)
    (folder / "large.bin").write_bytes(bytes(range(256)) * 4000)
    (folder / "canvaskit" / "full.wasm").write_bytes(b"the engine of other browsers")
    (folder / "canvaskit" / "chromium" / "own.wasm").write_bytes(b"the engine of this browser")
    return web.finish(folder, "/app/", False)["version"]


@pytest.fixture(scope="module")
def driver():
    """What leads the browsers of all tests here: it takes as long to start as one of them."""
    with sync_playwright() as one:
        yield one


@pytest.fixture
def site(tmp_path, driver):
    """Version one of the site, its server (running) and a browser (open, on an empty page)."""
    one = Browser(driver, tmp_path / "profile")
    site = None
    try:
        site = Site(tmp_path, one)
        yield site
    finally:
        if site is not None:
            site.server.stop()
        one.close()


class Site:
    """What the tests do to the site, and what they see of it."""

    def __init__(self, home, one: Browser):
        self.folder, self.log, self.browser = home / "site", home / "log.txt", one
        self.version = make_site(self.folder, "version one")
        self.server = Served(self.folder, free_port(), log=self.log).start()
        self.page = one.open()

    def visit(self):
        self.page.goto(self.server.address)

    def words(self) -> str:
        return self.page.locator("main").text_content(timeout=60_000)

    def ask(self, kind: str, **more) -> dict:
        return self.page.evaluate("([kind, more]) => window.ask(kind, more)", [kind, more])

    def until(self, name: str, value: str):
        self.page.locator(f'html[data-{name}="{value}"]').wait_for(state="attached", timeout=60_000)

    def make_offline_copy(self):
        self.visit()
        assert self.words() == "version one"
        self.ask("ready")
        self.until("offline", "ready")

    def deploy(self, words: str) -> str:
        """Put another version on the server and let the browser look for it."""
        version = make_site(self.folder, words)
        self.page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
        return version

    def caches(self) -> set[str]:
        """The versions whose cache is on the tablet."""
        names = self.page.evaluate("caches.keys()")
        return {name.split(":")[2] for name in names} - {"state"}

    def held(self) -> set[str]:
        """The paths in all caches of the app."""
        script = """async () => {
          const found = [];
          for (const name of await caches.keys())
            for (const request of await (await caches.open(name)).keys()) found.push(new URL(request.url).pathname);
          return found;
        }"""
        return set(self.page.evaluate(script))

    def answers(self) -> list[str]:
        """What the server answered so far, and forget it."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


def test_after_one_visit_the_app_starts_with_the_server_stopped_even_in_a_new_browser(site):
    site.make_offline_copy()
    site.server.stop()
    site.page.reload()
    assert site.words() == "version one"
    site.browser.close()
    site.page = site.browser.open()
    site.visit()
    assert site.words() == "version one"
    assert "failed to fetch" in site.page.evaluate("fetch('/outside').catch((error) => String(error).toLowerCase())")


def test_what_makes_later_starts_quick_stays_when_the_worker_begins_and_half_copies_go(site):
    site.visit()
    assert site.words() == "version one"
    # On a slow network the app runs, and keeps its bytecode, long before the worker has fetched everything.
    site.page.evaluate("""async () => {
      for (const name of ["quick", "abc:full"])
        await (await caches.open("siltwatch:/app/:" + name)).put("/app/__bytecode__", new Response("kept"));
    }""")
    site.ask("ready")
    site.until("offline", "ready")
    assert site.caches() == {site.version, "quick"}


def test_a_deep_link_opens_the_page_offline(site):
    site.make_offline_copy()
    site.server.stop()
    site.page.goto(site.server.address + "?from=icon#/sites/12")
    assert site.words() == "version one"


def test_only_the_drawing_engine_of_this_browser_is_kept(site):
    site.make_offline_copy()
    held = site.held()
    assert "/app/canvaskit/chromium/own.wasm" in held
    assert "/app/canvaskit/full.wasm" not in held


def test_fonts_for_rare_signs_come_after_everything_else_and_are_kept_over_versions(site):
    font = "/app/assets/fonts/spare/han.woff2"

    def publish(words: str) -> str:
        make_site(site.folder, words)
        place = site.folder / "assets" / "fonts" / "spare"
        place.mkdir(parents=True)
        (place / "han.woff2").write_bytes(b"ten thousand signs")
        return web.finish(site.folder, "/app/", False)["version"]

    def asked() -> int:
        return sum(font in line for line in site.answers())

    publish("version one")
    site.make_offline_copy()
    assert font not in site.held()  # the app is whole without it
    site.until("spare", "ready")
    assert asked() == 1
    newer = publish("version two")
    site.page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
    site.until("update", "waiting")
    site.ask("drafts", open=0)
    with site.page.expect_navigation():
        assert site.ask("apply-update")["applied"] is True
    assert site.words() == "version two"
    assert site.page.evaluate("flet.pageFacts.version") == newer
    site.ask("ready")
    site.until("spare", "ready")
    site.server.stop()
    assert site.page.evaluate(f"fetch('{font}').then((found) => found.text())") == "ten thousand signs"
    assert asked() == 0


def test_the_first_visit_fetches_what_the_page_had_already_fetched_only_by_asking_whether_it_changed(site):
    site.make_offline_copy()
    answers = site.answers()
    assert answers.count("200 /app/words.txt") == 1
    assert "304 /app/words.txt" in answers


def test_what_is_outside_the_app_is_not_touched(site):
    site.make_offline_copy()
    assert site.page.evaluate("fetch('/api/v1/hello').then((answer) => answer.status)") == 404
    assert site.page.evaluate("fetch('/app/words.txt', {method: 'POST'}).then((answer) => answer.status)") == 501
    assert all(path.startswith("/app/") for path in site.held())


def test_a_file_with_other_bytes_is_refused_and_leaves_no_half_copy(site):
    (site.folder / "large.bin").write_bytes(b"cut off by a proxy")
    site.visit()
    site.ask("ready")
    site.until("offline", "failed")
    assert site.held() == set()
    # Repaired on the server: the next visit makes the copy.
    shutil.copy(site.folder / "large.bin", site.folder / "broken.bin")
    assert make_site(site.folder, "version one") == site.version
    site.page.reload()
    site.words()
    site.ask("ready")
    site.until("offline", "ready")
    assert "/app/large.bin" in site.held()


def test_a_broken_new_version_leaves_the_old_one_in_use(site):
    site.make_offline_copy()
    make_site(site.folder, "version two")
    (site.folder / "words.txt").write_text("not what was built")
    script = """navigator.serviceWorker.getRegistration().then((found) => new Promise((resolve) => {
      found.addEventListener("updatefound", () => found.installing.addEventListener("statechange", (event) => {
        if (event.target.state !== "installing") resolve(event.target.state);
      }));
      found.update();
    }))"""
    assert site.page.evaluate(script) == "redundant"
    assert site.caches() == {site.version}
    site.server.stop()
    site.page.reload()
    assert site.words() == "version one"


def test_a_new_version_waits_for_the_open_draft_over_reloads_and_restarts(site):
    site.make_offline_copy()
    site.ask("drafts", open=1)
    newer = site.deploy("version two")
    site.until("update", "waiting")
    assert site.caches() == {site.version, newer}
    assert {"kind": "update-waiting"} in site.page.evaluate("window.said")
    assert site.ask("apply-update")["applied"] is False
    site.page.reload()
    assert site.words() == "version one"
    # Closing every tab lets the browser swap its workers; the files that are served must not swap with them.
    site.browser.close()
    site.page = site.browser.open()
    site.visit()
    assert site.words() == "version one"
    site.ask("drafts", open=2)
    site.ask("ready")
    site.until("update", "waiting")
    assert site.ask("apply-update")["applied"] is False
    # The draft is signed: now it may change.
    site.ask("drafts", open=0)
    with site.page.expect_navigation():
        assert site.ask("apply-update")["applied"] is True
    assert site.words() == "version two"
    assert site.page.evaluate("flet.pageFacts.version") == newer


def test_as_long_as_nobody_said_how_many_drafts_are_open_nothing_is_swapped(site):
    site.make_offline_copy()
    site.deploy("version two")
    site.until("update", "waiting")
    assert site.ask("apply-update")["applied"] is False
    # Not even when the worker itself is asked.
    script = """navigator.serviceWorker.getRegistration().then((found) => new Promise((resolve) => {
      const once = new MessageChannel();
      once.port1.onmessage = (event) => resolve(event.data);
      found.waiting.postMessage({ kind: "apply" }, [once.port2]);
    }))"""
    assert site.page.evaluate(script)["applied"] is False
    site.page.reload()
    assert site.words() == "version one"


def test_the_version_before_stays_until_the_new_one_has_opened_the_store(site):
    site.make_offline_copy()
    site.ask("drafts", open=0)
    assert "200 /app/large.bin" in site.answers()
    newer = site.deploy("version two")
    site.until("update", "waiting")
    answers = site.answers()
    assert "200 /app/words.txt" in answers
    assert not [line for line in answers if "large.bin" in line], "unchanged: taken from the version before"
    with site.page.expect_navigation():
        site.ask("apply-update")
    assert site.words() == "version two"
    assert site.caches() == {site.version, newer}
    site.ask("ready")
    site.until("serving", newer)
    assert site.caches() == {site.version, newer}, "running is not enough"
    assert site.ask("store-opened")["kept"] == [newer]
    assert site.caches() == {newer}
    site.server.stop()
    site.page.reload()
    assert site.words() == "version two"


def test_a_new_version_that_cannot_open_the_store_gives_way_to_the_one_before(site):
    site.make_offline_copy()
    site.ask("drafts", open=0)
    newer = site.deploy("version two")
    site.until("update", "waiting")
    with site.page.expect_navigation():
        site.ask("apply-update")
    assert site.words() == "version two"
    script = """navigator.serviceWorker.getRegistration().then((found) => new Promise((resolve) => {
      const once = new MessageChannel();
      once.port1.onmessage = (event) => resolve(event.data);
      found.active.postMessage({ kind: "go-back" }, [once.port2]);
    }))"""
    assert site.page.evaluate(script) == {"serving": site.version}
    site.page.reload()
    assert site.words() == "version one"
    site.ask("store-opened")
    assert newer in site.caches(), "the newer version stays, for another try"


def test_a_start_that_takes_too_long_says_so_and_offers_the_version_before(site):
    site.make_offline_copy()
    site.ask("drafts", open=0)
    site.deploy("does not start")
    site.until("update", "waiting")
    site.page.clock.install()
    with site.page.expect_navigation():
        site.ask("apply-update")
        site.page.clock.fast_forward(100)
    assert "Nothing is lost" not in site.page.locator("#loading").text_content()
    site.page.clock.fast_forward(46_000)
    button = site.page.get_by_role("button", name="Start the version from before")
    button.wait_for(timeout=60_000)
    assert "Nothing is lost" in site.page.locator("#loading").text_content()
    with site.page.expect_navigation():
        button.click()
    assert site.words() == "version one"


def test_the_first_start_says_how_much_it_fetches(site):
    site.page.route("**/flutter_bootstrap.js", lambda route: route.abort())
    site.visit()
    words = site.page.locator("#loading").text_content()
    assert "Siltwatch" in words and "After that no network is needed" in words
    assert "Step 1 of 3: fetching the app" in words and site.page.locator("#loading progress").is_visible()


def test_the_enrolment_code_leaves_the_address_and_outlives_a_reload_until_it_is_used(site):
    site.page.goto(site.server.address + "#enrol=ABCD-2345.x_y")
    assert site.words() == "version one"
    assert site.page.url == site.server.address
    assert site.ask("take-enrol-code")["code"] == "ABCD-2345.x_y"
    assert site.ask("take-enrol-code")["code"] is None
    site.page.reload()
    site.words()
    assert site.page.url == site.server.address
    assert site.ask("take-enrol-code")["code"] == "ABCD-2345.x_y", "this tab had not used it"
    site.ask("enrol-code-used")
    # A link of a person who signs in, opened where the app runs already: Python hears of it, Flet does not, and what
    # is being written goes on.
    site.page.evaluate("""() => {
      window.popped = [];
      addEventListener("popstate", () => window.popped.push(location.hash));
      location.hash = "/sites/12";
    }""")
    site.page.wait_for_function("window.popped.length === 1")
    site.page.evaluate("() => { location.hash = 'signin=WXYZ-2345'; }")
    site.page.wait_for_function("window.said.some((one) => one.kind === 'link')")
    assert site.page.url == site.server.address + "#/sites/12"
    assert site.page.evaluate("window.popped.filter((one) => one.includes('signin'))") == []
    assert site.ask("take-enrol-code")["code"] is None
    assert site.ask("take-signin-code")["code"] == "WXYZ-2345"


def test_pieces_of_the_citys_map_that_were_seen_or_asked_for_ahead_are_there_without_a_network(site, tmp_path):
    for x in range(3):
        (tmp_path / "tiles" / "12" / str(x)).mkdir(parents=True)
        (tmp_path / "tiles" / "12" / str(x) / "7.png").write_bytes(b"piece %d" % x)
    site.make_offline_copy()
    look = "async (path) => { try { return await (await fetch(path)).text(); } catch { return null; } }"
    assert site.page.evaluate(look, "/tiles/12/0/7.png") == "piece 0"
    paths = [f"/tiles/12/{x}/7.png" for x in (0, 1, 9)]
    assert site.ask("keep-tiles", paths=[*paths, "/app/words.txt", "/office/"])["held"] == 2
    asked = [line for line in site.answers() if "/tiles/" in line]
    assert asked == ["200 /tiles/12/0/7.png", "200 /tiles/12/1/7.png", "404 /tiles/12/9/7.png"], "each once"
    # The city draws its map anew: an old piece is shown once more, and fetched behind that.
    age = """async (path) => (await caches.open("siltwatch:/app/:tiles")).put(path, new Response("old piece", {
      headers: { Date: new Date(Date.now() - 31 * 24 * 3600 * 1000).toUTCString() } }))"""
    site.page.evaluate(age, "/tiles/12/0/7.png")
    assert site.page.evaluate(look, "/tiles/12/0/7.png") == "old piece"
    site.page.wait_for_function(f"async () => await ({look})('/tiles/12/0/7.png') === 'piece 0'")
    assert len([line for line in site.answers() if line.endswith("/tiles/12/0/7.png")]) == 1, "once more, not again"
    site.server.stop()
    site.page.reload()
    assert site.words() == "version one"
    assert [site.page.evaluate(look, f"/tiles/12/{x}/7.png") for x in range(3)] == ["piece 0", "piece 1", None]
    assert site.ask("keep-tiles", paths=paths)["held"] == 2, "asked for without a network it loses none"


def test_a_route_in_the_address_is_left_alone(site):
    site.page.goto(site.server.address + "#/sites/12")
    site.words()
    assert site.page.url.endswith("#/sites/12")
    assert site.ask("take-enrol-code")["code"] is None


def test_a_saved_file_arrives_as_it_was(site):
    site.visit()
    site.words()
    with site.page.expect_download() as download:
        four = "new Uint8Array([37, 80, 68, 70])"
        site.page.evaluate(f"() => ask('save-file', {{name: 'order.pdf', media: 'application/pdf', bytes: {four}}})")
    assert download.value.suggested_filename == "order.pdf"
    with open(download.value.path(), "rb") as file:
        assert file.read() == b"%PDF"


def test_an_unknown_request_is_answered_with_an_error(site):
    site.visit()
    site.words()
    assert "unknown request" in site.ask("make-coffee")["error"]
