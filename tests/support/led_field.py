"""A tablet in the field for browser tests: the server, a led tablet in server mode with Ada at work and pre-printed
placards in the case, and Chromium in front of it. Started once, shared by the tests of a file."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from field_app.scan import read_code
from sync.server.casework.blanks import print_blanks
from sync.server.casework.recovery import make_recovery_key
from tests.support.chromium import Browser, browser
from tests.support.evidence_files import TURNED_HEIC
from tests.support.led_tablet import Led
from tests.support.powers import grant
from tests.support.server import Server
from tests.support.tablet import TabletApp

THURSDAY = "2026-08-27T13:00:00-05:00"
PAPERS = 2


@dataclass(slots=True)
class LedField:
    """`papers`: the numbers of the placards in the case. `heic`: a picture as an iPad takes it. `passphrase`: the one
    with which the office opens what a forgotten PIN has closed."""

    server: Server
    led: Led
    chromium: Browser
    app: TabletApp
    papers: list[str]
    heic: Path
    passphrase: str

    def shoot(self, name: str) -> None:
        """Nothing on the screen is without a name; with SILTWATCH_SCREENS a picture of it in each size."""
        assert self.app.nameless() == [], name
        if screens := os.environ.get("SILTWATCH_SCREENS"):
            self.app.shoot(Path(screens), f"acts-{name}")

    def type(self, identifier: str, text: str) -> None:
        """Put the text into a field until the app itself knows of it: on a slow machine the browser may hold it in a
        field that Flutter does not listen to yet. What was entered before may still move what stands below it."""
        end = time.monotonic() + self.app.patience
        while True:
            self.app.focus(identifier).fill(text)
            for _look in range(10):
                if (known := self.led.do("field", identifier=identifier)["value"]) == text:
                    return
                self.app.page.wait_for_timeout(200)
            assert time.monotonic() < end, f"{identifier!r} is {known!r} for the app, not {text!r}"

    def holds(self, identifier: str, text: str) -> None:
        """Wait until the field says that; its text can be found once the cursor is in it, which a screen that is still
        being drawn may take out again."""
        end = time.monotonic() + self.app.patience
        while (found := self.app.focus(identifier).input_value()) != text:
            assert time.monotonic() < end, f"{identifier!r} says {found!r}, not {text!r}"
            self.app.page.wait_for_timeout(500)

    def code_on(self, identifier: str) -> str:
        """What the QR code says that is drawn there."""
        before = self.app.page.viewport_size
        self.app.page.set_viewport_size({"width": 800, "height": 1280})  # where it is seen whole
        self.app.quiet()
        part = self.app.wait(identifier)
        self.app._bring_into_view(part)
        self.app.quiet()
        seen = Image.open(io.BytesIO(self.app.page.screenshot(clip=part.bounding_box()))).convert("L")
        said = read_code(seen.tobytes(), *seen.size)
        assert said, "no code can be read there"
        self.app.page.set_viewport_size(before)
        return said

    @contextmanager
    def without_server(self) -> Iterator[Callable[[], None]]:
        """There is no server, until what is given is called, or at the end."""
        stopped = [True]
        self.server.stop()

        def back() -> None:
            if stopped:
                stopped.clear()
                self.server.start()
                self.led.do("send")

        try:
            yield back
        finally:
            back()


@contextmanager
def led_field(home: Path, *powers: str) -> Iterator[LedField]:
    """`powers`: what Ada holds besides."""
    (home / "still.heic").write_bytes(TURNED_HEIC)
    server = Server(home / "office")
    server.run_from(THURSDAY)
    led = Led(home / "tablet", server.address, home / "office.clock")
    with server, led, browser(home / "profile") as chromium:
        app = TabletApp(chromium.open()).open(led.address)
        with server.city() as city:
            passphrase = make_recovery_key(city)
            grant(city, "ada", *powers)
        led.do("ready")
        led.do("enrol", code=server.enrol_code())
        with server.city() as city:
            print_blanks(city, "carol", "T07", PAPERS)
        led.do("sign_in", code=server.personal_code("ada"))
        led.do("set_pin")
        papers = led.do("papers", count=PAPERS)["numbers"]
        yield LedField(server, led, chromium, app, papers, home / "still.heic", passphrase)
        assert "Traceback" not in led.said()
        chromium.close()
