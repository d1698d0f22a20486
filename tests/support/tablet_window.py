"""One window of the tablet app, drawn headless over the real use cases: screens, shell, work, store, city.

Only what a machine without hands lacks is small: a camera that gives real JPEGs, a chooser that a test answers, eyes
that a test opens and closes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import flet as ft

from field_app.hardware.native import NoUpdates, ProcessTabs
from field_app.hardware.ports import Picked, Stop, Taken
from field_app.ui import root
from field_app.ui.root import open_window
from field_app.work.app import Work
from sync.records.problems import Problem
from tests.support.evidence_files import webm
from tests.support.field_desk import PIN, ROUNDS, SERVER, Bench, jpeg, sign_in
from tests.support.flet_harness import Screen, draw


class StillCamera:
    """Gives another small real JPEG with each shot."""

    def __init__(self, available: bool = True) -> None:
        self.available, self.shots, self.running = available, 0, False
        self._control: ft.Container | None = None

    def control(self) -> ft.Container:
        if self._control is None:
            self._control = ft.Container()
        return self._control

    async def start(self, *, facing: str = "back") -> None:
        self.running = True

    async def take(self) -> bytes:
        self.shots += 1
        return jpeg(self.shots)

    async def snap(self) -> Taken:
        return Taken(await self.take())

    async def stop(self) -> None:
        self.running, self._control = False, None


class Microphone:
    """Gives another small recording each time, as a browser's recorder makes it."""

    def __init__(self, available: bool = True) -> None:
        self.available, self.taken, self.running, self.refusal = available, 0, False, ""
        self.playing: tuple[bytes, str] | None = None

    async def start(self) -> None:
        if self.refusal:
            raise Problem("microphone-unavailable", self.refusal)
        self.running = True

    async def stop(self) -> bytes:
        self.running, self.taken = False, self.taken + 1
        return webm(bytes([self.taken]) * 900)

    async def cancel(self) -> None:
        self.running = False

    async def play(self, data: bytes, media: str) -> None:
        self.playing = (data, media)


class Chooser:
    """The picture chooser; `choose` is the person who picks."""

    def __init__(self) -> None:
        self.service = ft.FilePicker()
        self._heard: list[Callable[[list[Picked]], Awaitable[None]]] = []

    def action(self, *, multiple: bool = False) -> ft.PickFiles:
        return ft.PickFiles(self.service, allow_multiple=multiple)

    def listen(self, heard: Callable[[list[Picked]], Awaitable[None]]) -> Stop:
        self._heard.append(heard)
        return lambda: self._heard.remove(heard) if heard in self._heard else None

    async def choose(self, *files: Picked) -> None:
        for heard in list(self._heard):
            await heard(list(files))


class Eyes:
    """Whether somebody looks at the app."""

    def __init__(self) -> None:
        self._heard: list[Callable[[bool], None]] = []

    def listen(self, heard: Callable[[bool], None]) -> Stop:
        self._heard.append(heard)
        return lambda: self._heard.remove(heard) if heard in self._heard else None

    def look(self, visible: bool = True) -> None:
        for heard in list(self._heard):
            heard(visible)


class Window:
    """The screen of one window and what lies behind it."""

    def __init__(self, bench: Bench, screen: Screen, shell: Any) -> None:
        self.bench, self.screen, self.shell = bench, screen, shell
        self.camera: StillCamera = shell.hardware.camera
        self.chooser: Chooser = shell.hardware.picker
        self.eyes: Eyes = shell.hardware.visibility

    @property
    def work(self) -> Work:
        return self.shell.work

    async def until(self, come: Callable[[], Any], what: str = "") -> None:
        """Let the app work until it is so; the network answers from threads, so this takes real moments."""
        for turn in range(600):
            if come():
                return
            await asyncio.sleep(0.002 if turn < 20 else 0.03)
        raise AssertionError(f"it never came to be: {what}; on the screen: {self.screen.ids()} {self.screen.texts()}")

    async def appears(self, identifier: str) -> None:
        """Wait for a part."""
        await self.until(lambda: identifier in self.screen.ids(), identifier)
        await self.screen.settle()

    async def press(self, identifier: str) -> None:
        """Wait for the part, then tap it."""
        await self.appears(identifier)
        await self.screen.press(identifier)

    async def type(self, identifier: str, text: str) -> None:
        await self.appears(identifier)
        await self.screen.type(identifier, text)

    async def pin(self, digits: str = PIN) -> None:
        """Type the PIN on the pad and confirm it."""
        for digit in digits:
            await self.press(f"pin-{digit}")
        await self.press("pin-ok")

    async def sign_in_new(self, person: str, pin: str = PIN) -> None:
        """Sign in for the first time on this tablet and choose a PIN."""
        await self.type("sign-in-code", self.bench.personal_code(person))
        await self.press("sign-in")
        await self.appears("pin-pad")
        await self.pin(pin)
        await self.until(lambda: self.screen.shows("once more"), "the PIN is asked for again")
        await self.pin(pin)

    async def set_up(self, person: str = "ada") -> None:
        """Enrolled, signed in, with a PIN, as by the screens for it (`set_up_by_tapping`), which are not drawn; ends on
        the list of sites with what came down."""
        await self.work.enrol(self.bench.enrolment_code())
        self.shell.enter("sign_in")
        await sign_in(self.bench, self.work, person)
        self.shell.enter("work")
        await self._to_the_sites()

    async def set_up_by_tapping(self, person: str = "ada") -> None:
        """Enrol, sign in and choose a PIN, all by tapping; ends on the list of sites with what came down."""
        await self.type("enrol-code", self.bench.enrolment_code())
        await self.press("enrol")
        await self.sign_in_new(person)
        await self._to_the_sites()

    async def _to_the_sites(self) -> None:
        await self.press("nav-sites")
        await self.appears("site-site-01")

    async def set_up_inspecting(self, section: str) -> None:
        """Set up, then begin an inspection of the first site; ends in that section of it."""
        await self.set_up()
        await self.press("site-site-01")
        await self.press("begin-inspection")
        await self.press(f"section-{section}")

    async def draw(self, identifier: str, points: list[tuple[float, float]]) -> None:
        """One stroke of a finger over the part, from point to point in its own pixels."""
        await self.appears(identifier)
        pad = self.screen.inside(identifier, "GestureDetector")
        names = ["pan_start", *["pan_update"] * (len(points) - 1)]
        for name, (x, y) in zip(names, points, strict=True):
            at = {"l": {"x": x, "y": y}, "g": {"x": x, "y": y}, "k": "touch"}
            await self.screen.session.dispatch_event(pad._i, name, at)
        end = {"l": {"x": 0, "y": 0}, "g": {"x": 0, "y": 0}, "v": {"x": 0, "y": 0}}
        await self.screen.session.dispatch_event(pad._i, "pan_end", end)
        await self.screen.settle()

    async def resize(self, width: int, height: int) -> None:
        """The tablet is turned, or the window made another size."""
        self.screen.session.apply_page_patch({"width": width, "height": height})
        self.shell.redraw()
        await self.screen.settle()

    async def rest(self, card: str, value: str = "na") -> None:
        """Answer all the rest of the card that is shown."""
        await self.appears(f"card-{card}")
        await self.press(f"rest-{value}")
        await self.press("dialog-yes")
        await self.until(lambda: f"rest-{value}" not in self.screen.ids(), "the rest answered")


@asynccontextmanager
async def window(bench: Bench, *, width: int = 1280, height: int = 800, route: str = "/", camera: bool = True,
                 unlock: bool = True, **ports: Any):
    """Open the app in a page of that size on the bench's storage, and unlock it where it is locked; closed at the end.
    `ports` replace others of the
    bench's hardware."""
    opened: dict[str, Any] = {}
    microphone = Microphone()
    root.IDLE_LOOK_S = 3600.0  # tests move the clock by days; those of the lock look themselves

    def main(page: ft.Page) -> None:
        hardware = replace(
            bench.hardware(), camera=StillCamera(camera), picker=Chooser(), files=Chooser(), visibility=Eyes(),
            updates=NoUpdates(), another_tab=ProcessTabs(bench.box_folder),
            **{"recorder": microphone, "play_sound": microphone.play, **ports},
        )

        def make_work(store: Any, box: Any) -> Work:
            return Work(store, box, hardware, server=SERVER, pin_rounds=ROUNDS)

        opened["shell"] = open_window(page, hardware, make_work)

    screen = await draw(main, width=width, height=height, route=route)
    one = Window(bench, screen, opened["shell"])
    try:
        await one.until(lambda: one.shell.phase != "starting", "the app started")
        await screen.settle()
        if unlock and one.shell.phase == "locked":
            await one.pin()
            await one.until(lambda: one.shell.phase != "locked", "the tablet unlocked")
            await screen.settle()
        yield one
    finally:
        await one.shell.let_go()
        for task in list(one.shell._tasks):
            task.cancel()
        screen.close()
        await asyncio.sleep(0)
