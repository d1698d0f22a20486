"""Starts Debian's Chromium for the browser tests, always in the same way.

A persistent profile (so that it can be closed and started again), a fake camera that needs no permission dialog, a
set position, few pictures a second, nothing that talks to the network by itself. One page is resized rather than
several opened: each start of the app costs some seconds of CPU.
"""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

# The last list of them counts, so Playwright's own stands here too. The address bar's list of suggestions, which nobody
# sees here, takes half of the processor time of an empty browser's start.
NOT_WANTED = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay",
    "HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
)
FLAGS = (
    f"--disable-features={','.join(NOT_WANTED)}",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
)
FEW_PICTURES = Path(__file__).with_name("few_pictures.js")
MADISON = {"latitude": 43.0731, "longitude": -89.4012, "accuracy": 5}
NOISE = ("GL Driver Message", "WebGL", "Automatic fallback to software WebGL")


def executable() -> str:
    """Where Chromium is: $SILTWATCH_CHROMIUM, else Debian's. Raises FileNotFoundError with what to do."""
    for place in (os.environ.get("SILTWATCH_CHROMIUM"), "/usr/bin/chromium", shutil.which("chromium")):
        if place and Path(place).exists():
            return place
    raise FileNotFoundError("no Chromium found: install Debian's package 'chromium', or set SILTWATCH_CHROMIUM")


class Browser:
    """One profile folder and the browser that runs on it; `close` and `open` again keep what was stored."""

    def __init__(self, playwright: Playwright, profile: Path, *, position: dict | None = MADISON, size=(1280, 800),
                 film: Path | None = None, every_picture: bool = False):
        """`film`: what the fake camera sees, a file of JPEGs one after the other that ends in .mjpeg. `every_picture`:
        draw as often as a person's browser does, for who measures."""
        self.film, self.every_picture = film, every_picture
        self.playwright, self.profile, self.position, self.size = playwright, profile, position, size
        self.context: BrowserContext | None = None
        self.said: list[str] = []
        self.requested: list[str] = []

    def open(self) -> Page:
        """Start the browser on its profile and return its page; console lines are collected in `said`."""
        permissions = ["camera", "microphone"] + (["geolocation"] if self.position else [])
        self.context = self.playwright.chromium.launch_persistent_context(
            str(self.profile),
            executable_path=executable(),
            headless=True,
            args=[*FLAGS, *([f"--use-file-for-fake-video-capture={self.film}"] if self.film else [])],
            viewport={"width": self.size[0], "height": self.size[1]},
            geolocation=self.position,
            permissions=permissions,
            accept_downloads=True,
            # Somebody who asked the system for little motion: what would fade or ripple for seconds is there at once.
            reduced_motion=None if self.every_picture else "reduce",
        )
        if not self.every_picture:
            self.context.add_init_script(path=FEW_PICTURES)
        self.context.on("request", lambda request: self.requested.append(request.url))
        page = self.context.pages[0] if self.context.pages else self.context.new_page()
        return self.listen(page)

    def another(self) -> Page:
        """A second tab in the same browser."""
        return self.listen(self.context.new_page())

    def listen(self, page: Page) -> Page:
        """Collect what the page says on its console and the errors nobody caught."""
        page.on("console", lambda message: self._hear(message.text))
        page.on("pageerror", lambda error: self._hear(f"PAGE ERROR {error}"))
        return page

    def _hear(self, text: str) -> None:
        if not any(noise in text for noise in NOISE):
            self.said.append(text)

    def close(self) -> None:
        """Close the browser; the profile stays."""
        if self.context:
            self.context.close()
            self.context = None

    def foreign(self, address: str) -> list[str]:
        """What was asked of any other host than the one of `address`."""
        origin = "/".join(address.split("/")[:3])
        return [url for url in self.requested if url.startswith("http") and not url.startswith(origin)]


@contextmanager
def browser(profile: Path, **options):
    """A Browser on `profile`, not opened yet; closed at the end."""
    with sync_playwright() as playwright:
        one = Browser(playwright, profile, **options)
        try:
            yield one
        finally:
            one.close()


def by_id(page: Page, identifier: str):
    """The part of the screen that carries this Semantics identifier."""
    return page.locator(f'[flt-semantics-identifier="{identifier}"]')
