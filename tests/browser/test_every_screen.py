"""Every screen of the tablet with plenty on it, in both languages and at the three sizes: nothing fails, nothing sticks
out, everything has a name and a role and is large enough. ``SILTWATCH_SCREENS=folder`` keeps a picture of each.

In every run each screen is seen once, the sizes, languages, looks and sizes of text in turn; all sizes and languages in
`make test-long`.
"""

import os
from itertools import combinations, cycle
from pathlib import Path

import pytest
from playwright.sync_api import Request

from field_app.ui.theme import APART
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.casework.orders import issue_recommended_order
from sync.server.casework.recovery import make_recovery_key
from tests.support.chromium import browser
from tests.support.city import field_tablet, order_body
from tests.support.led_tablet import Led
from tests.support.server import Server
from tests.support.tablet import PARTS, SIZES, TabletApp

pytestmark = pytest.mark.browser

FOCUS = Path(__file__).resolve().parents[2] / "assets" / "pwa" / "focus.js"
TABBED = ("today", "site", "inspection-failing", "settings")
SITE, OTHER = "site-01", "site-02"
LANGUAGES = ("en", "es")
LOOKS = (("normal", "standard"), ("sun", "largest"), ("dark", "larger"), ("dark", "largest"), ("sun", "large"))
# What scrolls sideways under its own edge, or lies outside the screen on purpose.
SIDEWAYS = ("section-", "step-", "pin-site-", "map-")

# The map itself can be tapped and has no role, its keys and pins have; a text that can be selected is read as it is.
ALL_THE_SAME = (("map", "no role: ?"), ("diagnosis", "no name: diagnosis-text"))
# What may lie near other things: the status bar from edge to edge, pins where the sites are.
NEAR = ("status-", "pin-site-", "heap-")
# The keys of the map lie over it, and its pins where the sites are; the key that closes a hint lies on the hint.
ANYWHERE = ("map", "install-hint")
# Fields that are typed into: their frame is drawn some pixels within what can be tapped.
FIELDS = """nodes => nodes.map(n => n.closest('[flt-semantics-identifier]'))
  .map(n => n && n.getAttribute('flt-semantics-identifier'))"""

OUTSIDE = """nodes => nodes.map(n => [n.getAttribute('flt-semantics-identifier'), n.getBoundingClientRect()])
  .filter(([id, r]) => r.width > 0 && (r.left < -1 || r.right > innerWidth + 1))
  .map(([id, r]) => id + ' ' + Math.round(r.left) + '..' + Math.round(r.right))"""


# What the page tells to those who listen.
LISTEN = """() => { window.announced = ''; new MutationObserver(all => { for (const one of all)
    for (const node of one.addedNodes) window.announced += node.textContent; })
  .observe(document.querySelector('flt-announcement-host'), {subtree: true, childList: true}); }"""


class Eyes:
    """Looks at the screen that is shown; with `all_of_them` in every language and size, else in one of them."""

    def __init__(self, app: TabletApp, led: Led, all_of_them: bool) -> None:
        self.app, self.led, self.folder = app, led, os.environ.get("SILTWATCH_SCREENS")
        pairs = [(language, size) for language in LANGUAGES for size in SIZES]
        self.looks = cycle(LOOKS)
        self.ways = cycle([pairs] if all_of_them or self.folder else [[pair] for pair in pairs])
        self.faults: list[str] = []
        app.page.on("request", self.asked)
        self.seen: list[str] = []
        self.narrow = False  # seven days of a week do not fit beside one another as everything else does

    def asked(self, request: Request) -> None:
        """A character that the app's own font lacks is asked for from a font that is nowhere."""
        if "notosans" in request.url:
            self.faults.append(f"after {self.seen[-1:]}: a character needs {request.url}")

    def see(self, name: str, part: str) -> None:
        """The screen on which this part is."""
        self.seen.append(name)
        if not self.folder and len(self.seen) % len(LANGUAGES + SIZES) == 1:  # long enough to be seen in each size
            look, text = next(self.looks)
            self.led.do("look", look=look, text=text)
        for language, size in next(self.ways):
            self.led.do("language", language=language)
            self.app.page.set_viewport_size({"width": size[0], "height": size[1]})
            title, self.narrow = self.led.do("size", width=size[0])["title"], size[0] < 480
            self.app.page.wait_for_function("title => document.title === title", arg=title)  # all before it is drawn
            self.app.wait(part)
            where = f"{name}-{language}-{size[0]}x{size[1]}"
            self.app.quiet(600 if self.folder else 300)
            if self.folder:
                Path(self.folder).mkdir(parents=True, exist_ok=True)
                self.app.page.screenshot(path=str(Path(self.folder) / f"{where}.png"))
            if self.app.there("failed-part"):
                self.faults.append(f"{where}: {self.app.text('failed-part')}")
            found = self.measured(name)
            if found:  # a slow machine may still be moving its parts
                self.app.quiet(1500)
                again = self.measured(name)
                found = [one for one in found if one in again]
            self.faults += [f"{where}: {one}" for one in found]
            if name in TABBED:
                self.faults += self.tabbed(where)
            out = self.app.page.eval_on_selector_all("[flt-semantics-identifier]", OUTSIDE)
            self.faults += [f"{where}: sticks out: {one}" for one in out if not one.startswith(SIDEWAYS)]

    def measured(self, name: str) -> list[str]:
        """What a screen reader or a gloved hand would miss on this screen."""
        return [one for one in (*self.app.faults(), *self.too_near(), *self.out_of_order(name))
                if (name, one) not in ALL_THE_SAME and not (name == "calendar" and self.narrow)]

    def out_of_order(self, name: str) -> list[str]:
        """What a screen reader, or the tab key, meets before something that stands before it."""
        try:
            self.app.reading_order()
        except AssertionError as wrong:
            return [] if name in ANYWHERE else [str(wrong)]
        return []

    def too_near(self) -> list[str]:
        """Two buttons beside or below one another that a glove might hit at once."""
        fields = set(self.app.page.eval_on_selector_all(
            "flt-semantics-host input, flt-semantics-host textarea", FIELDS))
        parts = [part for part in self.app.page.evaluate(PARTS)
                 if part[5] and part[0] not in fields and not part[0].startswith(NEAR)]
        found = []
        for (one, left, top, right, bottom, _s), (other, left2, top2, right2, bottom2, _s2) in combinations(parts, 2):
            across, down = max(left, left2) - min(right, right2), max(top, top2) - min(bottom, bottom2)
            if (0 <= across < APART - 0.5 and down < 0) or (0 <= down < APART - 0.5 and across < 0):
                found.append(f"too near: {one} and {other}, {max(across, down):.0f}")
        return found

    def tabbed(self, where: str) -> list[str]:
        """The focus follows the order of reading, and that goes down the screen."""
        order: list[str] = []
        while order != (order := self.app.reading_order()):  # the screen may still be drawn for its new size
            self.app.page.wait_for_timeout(700)
        self.app.tab_around(order[0], order[-1])
        met = self.app.tab_order(order[0], min(12, len(order)))  # it has the focus now
        return [] if met == order[: len(met)] else [f"{where}: the focus goes {met}, reading goes {order[: len(met)]}"]


def issued(server: Server) -> str:
    """The number of an order that Ben recommended on another tablet, and the office has issued."""
    with server.city() as city:
        tablet, now = field_tablet(city, "ben"), city.now().astimezone(city.zone)
        fact = tablet.fact("order_recommended", order_body(
            tablet, site="site-03", address="4 Depot Street", permit=None, permit_number=None, posted_on=None,
            posted_at=None, printed_on=now.date().isoformat()), user="ben", wall=now.isoformat(timespec="seconds"))
        tablet.push(fact)
        issue_recommended_order(city, "carol", fact.id)
    return fact.body["number"]


def walk(tmp_path: Path, all_of_them: bool) -> None:
    server = Server(tmp_path / "office", at=None)
    led = Led(tmp_path / "tablet", server.address, tmp_path / "office.clock")
    with server, led, browser(tmp_path / "profile") as chromium:
        page = chromium.open()
        page.add_init_script(path=FOCUS)  # the web app's own page has it; server mode has Flet's
        app = TabletApp(page).open(led.address)
        led.do("ready")
        eyes = Eyes(app, led, all_of_them)
        see, do = eyes.see, led.do

        def go(name: str, part: str, **given: str) -> None:
            do("go", name=name, **given)
            see(name.replace("_", "-"), part)

        def tap(identifier: str, name: str, part: str) -> None:
            app.tap(identifier)
            see(name, part)

        def ask(identifier: str, name: str) -> None:
            """The question that comes before something is done; it is answered with no."""
            tap(identifier, name, "dialog-yes")
            app.tap("dialog-no")
            app.gone("dialog-no")

        def choose(identifier: str, name: str) -> None:
            """A day or a time is chosen, and then left as it was."""
            tap(identifier, name, f"{identifier}-cancel")
            app.tap(f"{identifier}-cancel")
            app.gone(f"{identifier}-cancel")

        with server.city() as city:
            make_recovery_key(city)
        do("install", way="ios")
        see("enrol", "install-part")
        do("install", way="")
        do("enrol", code=server.enrol_code())
        see("sign-in", "sign-in-code")
        do("sign_in", code=server.personal_code("ada"))
        see("pin", "pin-pad")
        do("set_pin")
        do("install", way="android")
        go("today", "warning-install")
        tap("warning-install", "install-hint", "read-install")
        app.tap("read-install")
        app.gone("warning-install")
        go("settings", "install")
        do("install", way="")
        do("go", name="today")
        app.wait("nav-sites")
        app.tab_to("nav-sites")
        app.page.keyboard.press("Enter")
        app.wait("site-search")
        see("sites", "site-search")
        tap("filters", "sites-filters", "filter-due")
        go("map", "map-in")
        go("rain", "rain-keep")
        choose("rain-from-day", "calendar")
        choose("rain-from-time", "clock")
        go("site_rain", "rain-keep", site=SITE)
        go("site", "begin-inspection", site=SITE)
        app.page.mouse.move(640, 500)
        app.page.mouse.wheel(0, 5000)  # at the end of a long screen too
        app.page.evaluate(LISTEN)
        do("refuse", code="clock-wrong", words="its clock is years behind")
        see("refused", "problem-said")
        app.page.wait_for_function("words => window.announced.includes(words)", arg="Its clock is years behind")
        box, shown = app.part("problem-said").bounding_box(), app.page.viewport_size
        assert box["y"] >= 0 and box["y"] + box["height"] <= shown["height"], box
        go("plan", "screen-title", plan=do("plan", site=SITE)["plan"])
        go("find", "step-where", report=do("report")["report"])
        for step in ("what", "who", "need"):
            tap(f"step-{step}", f"find-{step}", f"step-{step}")

        made = do("draft", site=SITE)
        draft, photo = made["draft"], made["photo"]
        for section, part in (("last", "card-last"), ("details", "type-weekly"), ("tracking", "item-TRK-01"),
                              ("waste", "item-WST-01"), ("permit", "section-permit")):
            do("at", draft=draft, section=section)
            see(f"inspection-{section}", part)
        do("at", draft=draft, section="tracking", key="TRK-06")
        see("inspection-failing", "severity-change-TRK-06")
        ask("rest-na", "question")
        do("at", draft=draft, section="inlets")
        see("inspection-inlets", "card-*")
        go("camera", "shutter", draft=draft, item="TRK-06")
        go("marks", "screen-title", draft=draft, photo=photo)
        go("review", "missing", draft=draft)
        tap("sign-inspector", "signature-pad", "pad-done")
        app.tap("pad-done")
        app.gone("pad-done")
        fact = do("sign", draft=draft)["fact"]
        go("signed", "begin-order", fact=fact)
        go("notice", "notice-line-1", fact=fact)
        correction = do("correction", fact=fact)["draft"]
        do("at", draft=correction, section="details")
        see("correction", "revises")
        go("review", "revise-reason", draft=correction)
        do("discard", draft=correction)
        do("language", language="en")  # what is written into an order is in the language of that moment
        order = do("order", site=SITE, fact=fact)["order"]
        go("order", "step-grounds", draft=order)
        for step in ("findings", "scope", "corrections", "met", "review"):
            tap(f"step-{step}", f"order-{step}", f"step-{step}")
        go("blank", "screen-title", draft=order)
        number = do("placard", order=order)["number"]
        go("placard", "placard-is-up", draft=order)
        ask("placard-is-up", "placard-question")
        do("up", order=order)
        see("placard-up", "pin-pad")
        order_fact = do("post", order=order)["order_fact"]
        see("placard-done", "placard-done")
        go("order_photos", "shutter", number=number)
        do("go", name="site", site=SITE)
        do("photos_wait", number=number)
        do("go", name="order_photos", number=number)
        see("order-photos-sign", "placard-waiting")
        for act in ("release", "repost", "void"):
            do("go", name="order_act", fact=order_fact, act=act)
            see(f"order-act-{act}", "screen-title")
        go("site", f"order-{number}", site=SITE)
        go("second_order", "second-write", site=SITE, fact="-")
        go("affix", "placard-is-up", **do("affix", site="site-03", number=issued(server)))
        emergency = do("emergency", site="site-03")["act"]
        go("site_act", "act-condition", draft=emergency)
        tap("step-approval", "emergency-approval", "act-entered")
        tap("step-photos", "emergency-photos", "far-panel")
        tap("step-sign", "emergency-sign", "missing")
        do("sign_act", act=emergency)
        see("emergency-signed", "act-signed")
        revision = do("revision", site=SITE)["act"]
        do("go", name="site_act", draft=revision)
        see("revision-why", "act-inadequate")
        for step, part in (("devices", "device-0"), ("met", "nobody-present"), ("sign", "statement")):
            tap(f"step-{step}", f"revision-{step}", part)
        do("sign_act", act=revision)
        see("revision-signed", "act-signed")
        go("outbox", "send-now")
        go("people_here", "here-ada")
        go("change_pin", "pin-pad")
        go("people", "person-ada")
        go("diagnosis", "diagnosis-send")
        do("phase", name="another_tab")
        see("another-tab", "take-over")
        do("phase", name="work")
        do("lock")
        see("locked", "forgot-pin")
        tap("forgot-pin", "forgotten", "pin-pad")
        do("forget", person="ada")
        see("forgotten-asked", "forgotten-code")
        do("unlock", person="ada")
        with server.city() as city:
            withdraw_tablet(city, "carol", "T07", "Its screen is broken.")
        do("withdrawn")
        see("withdrawn", "withdrawn-held")
        assert not eyes.faults, "\n".join(eyes.faults)


@pytest.mark.timeout(600)
def test_every_screen_once(tmp_path: Path):
    walk(tmp_path, all_of_them=False)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_every_screen_in_every_size_and_language(tmp_path: Path):
    walk(tmp_path, all_of_them=True)
