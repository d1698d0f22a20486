"""The root of the screen: which screen is shown, the system's back button, and the life of one window.

One view is shown at a time. Its path is pushed to the browser's history; Android's back and the browser's back
both end in `Shell.back` or `Shell.arrive`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import flet as ft

from field_app.ui import routes, theme, turning
from field_app.ui.components.capture import in_burst
from field_app.ui.guard import heed, notice, safe_component, watch
from field_app.ui.routes import Place
from field_app.ui.screens.blank import BlankScreen
from field_app.ui.screens.camera import CameraScreen
from field_app.ui.screens.diagnosis import DiagnosisScreen
from field_app.ui.screens.enrol import EnrolScreen
from field_app.ui.screens.find import FindScreen
from field_app.ui.screens.inspection import InspectionScreen
from field_app.ui.screens.locked import LockScreen
from field_app.ui.screens.look import LookScreen
from field_app.ui.screens.map import MapScreen
from field_app.ui.screens.marks import MarksScreen
from field_app.ui.screens.notice import NoticeScreen
from field_app.ui.screens.order import OrderScreen
from field_app.ui.screens.order_act import OrderActScreen
from field_app.ui.screens.order_photos import OrderPhotosScreen
from field_app.ui.screens.outbox import OutboxScreen
from field_app.ui.screens.people_here import PeopleHereScreen
from field_app.ui.screens.placard import AffixScreen, PlacardScreen
from field_app.ui.screens.plan import PlanScreen
from field_app.ui.screens.rain import RainScreen
from field_app.ui.screens.review import ReviewScreen
from field_app.ui.screens.second_order import SecondOrderScreen
from field_app.ui.screens.settings import SettingsScreen
from field_app.ui.screens.sign_in import ChangePinScreen, PinScreen, SignInScreen
from field_app.ui.screens.signed import SignedScreen
from field_app.ui.screens.site import SiteScreen
from field_app.ui.screens.site_act import SiteActScreen
from field_app.ui.screens.sites import SitesScreen
from field_app.ui.screens.starting import AnotherTabScreen, FailedScreen, StartingScreen
from field_app.ui.screens.today import TodayScreen
from field_app.ui.screens.withdrawn import WithdrawnScreen
from field_app.ui.shell import LOOK, Pulse, Shell
from field_app.work import log_lines
from sync.records.problems import Problem

BEFORE: dict[str, Callable[..., Any]] = {
    "starting": StartingScreen, "another_tab": AnotherTabScreen, "failed": FailedScreen,
}
ENTERING: dict[str, Callable[..., Any]] = {
    "locked": LockScreen, "enrol": EnrolScreen, "sign_in": SignInScreen, "pin": PinScreen, "withdrawn": WithdrawnScreen,
}
SCREENS: dict[str, Callable[..., Any]] = {
    "today": TodayScreen, "map": MapScreen, "rain": RainScreen, "site_rain": RainScreen, "find": FindScreen,
    "plan": PlanScreen,
    "inspection": InspectionScreen, "camera": CameraScreen, "marks": MarksScreen,
    "find_marks": MarksScreen, "act_marks": MarksScreen, "placard_marks": MarksScreen,
    "review": ReviewScreen, "signed": SignedScreen,
    "notice": NoticeScreen,
    "order": OrderScreen, "blank": BlankScreen, "second_order": SecondOrderScreen,
    "placard": PlacardScreen, "order_photos": OrderPhotosScreen, "affix": AffixScreen,
    "order_act": OrderActScreen, "site_act": SiteActScreen,
    "outbox": OutboxScreen, "settings": SettingsScreen,
    "diagnosis": DiagnosisScreen, "change_pin": ChangePinScreen, "people_here": PeopleHereScreen,
}

IDLE_LOOK_S = 5.0
PLACARD_PHOTOS = ("order_photos", "placard_marks")

# The screens of something unfinished.
DRAFTS = ("inspection", "camera", "marks", "review", "order", "blank", "placard", "affix", "find", "find_marks",
          "site_act", "act_marks")


def screen(shell: Shell, beat: int) -> Any:
    """The component of the screen that is due."""
    if shell.phase in BEFORE:
        return BEFORE[shell.phase](shell, key=shell.phase)
    if shell.phase in ENTERING and shell.memory.get(LOOK):
        return LookScreen(shell, beat, key="look")
    if shell.phase in ENTERING:
        return ENTERING[shell.phase](shell, beat, key=shell.phase)
    place, given = shell.place, dict(shell.place.given)
    if place.name == "people":
        return SignInScreen(shell, beat, True, key="people")
    if place.name in SCREENS:
        return SCREENS[place.name](shell, beat, **given, key=f"{place.name}-{given}")
    if place.name == "site" and shell.narrow:
        return SiteScreen(shell, beat, given["site"], key=f"site-{given['site']}")
    return SitesScreen(shell, beat, given.get("site", ""), key="sites")


@safe_component
def Root(shell: Shell, pulse: Pulse) -> ft.View:
    """The one view. It draws again with every beat of the pulse."""

    async def confirm_pop(e: ft.Event) -> None:
        await e.control.confirm_pop(False)
        shell.back()

    first = (shell.phase != "work" or routes.parent(shell.place) is None) and not shell.memory.get(LOOK)
    return ft.View(
        route="/", padding=0, spacing=0, bgcolor=theme.GROUND, can_pop=first,
        on_confirm_pop=confirm_pop,
        controls=[ft.SafeArea(screen(shell, pulse.beat), expand=True)],
    )


def open_window(page: ft.Page, hardware: Any, make_work: Callable[[Any, Any], Any],
                ) -> Shell:
    """Show the app in a page and begin to open the store. Returns at once; the rest happens on the loop.

    `make_work(store, box)` builds the `Work` on an open store.
    """
    page.title = "Siltwatch"
    theme.dress(page)
    log_lines.begin(hardware.clock.now)
    shell = Window(page, hardware, make_work)
    page.on_route_change = lambda e: shell.arrive(e.route)
    def resized(_e: ft.Event) -> None:
        turning.turned()
        shell.redraw()

    page.on_resize = resized
    page.on_media_change = lambda e: shell.redraw()
    page.on_close = lambda e: shell.start_task(shell.let_go())
    page.render_views(Root, shell, shell.pulse)
    heed(page.session)
    notice(page.session, shell.touch)
    shell.start_task(watch(page))
    shell.start_task(shell.open())
    return shell


class Window(Shell):
    """A shell that opens the store, lets go of it for another window, and follows the work."""

    def __init__(self, page: ft.Page, hardware: Any, make_work: Callable[[Any, Any], Any]) -> None:
        super().__init__(page)
        self.hardware = hardware
        self._make_work = make_work
        self._store: Any = None
        self._wakelock = ft.Wakelock()
        self._stops: list[Callable[[], Any]] = []
        self._left_at: Any = None
        self.linked = False  # a link of the office was opened while the tablet was locked

    async def open(self) -> None:
        """Open the store and the work on it, then show the screen it says. Another window holds it: say so."""
        self.phase, self.problem = "starting", None
        self.redraw()
        try:
            self._store = await self.hardware.open_store()
            box = await self.hardware.open_box()
        except Exception as failure:
            self.refuse(failure)
            self.phase = "another_tab" if getattr(failure, "code", "") == "store-busy" else "failed"
            if self.phase == "another_tab":
                self.problem = None
            self.redraw()
            return
        self.work = self._make_work(self._store, box)
        self.hardware.another_tab.hold(self.let_go)
        await self.hardware.updates.store_opened()
        start = await self.work.start()
        self._stops = [
            self.work.listen(self._changed),
            self.hardware.updates.listen(self.redraw),
        ]
        if self.hardware.links is not None:
            self._stops.append(self.hardware.links(lambda: self.start_task(self.attempt(self.follow_link))))
        self._tell_drafts()
        self.touch()
        if self.hardware.visibility is not None:
            self._stops.append(self.hardware.visibility.listen(self._seen))
        self.start_task(self._mind_storage())
        self.start_task(self._mind_idle())
        self.unlocked(start)

    def unlocked(self, start: Any) -> None:
        """Show the screen that `StartView` says: at the beginning, and when somebody has unlocked the tablet."""
        self.dress()
        if start.screen in ("locked", "enrol", "sign_in", "set_pin", "withdrawn"):
            self.enter({"set_pin": "pin"}.get(start.screen, start.screen))
            return
        self.phase, self.problem = "work", None
        if start.fresh:
            self.forget()
        if start.typed:
            self.forms, self.typed_before = start.typed["forms"], start.typed["entries"]
        # After a lock the same person finds the same screen; in a new window what the address says.
        shown = self.place if self.visited else routes.parse(self.page.route or "/")
        asked = Place("today") if start.fresh or shown.name == "people" else shown
        if (self.linked or not self.visited) and self.work.sign_in_view().code:  # the link of somebody who is new here
            asked = Place("people")
        elif start.draft and asked.name == "today":
            asked = Place(start.screen, (("draft", start.draft),))
        self.place, self.linked = asked, False
        self.visited.add(asked)
        if asked.name in DRAFTS:
            self.start_task(self._stay_awake(True))
        if asked != shown:
            self.start_task(self.page.push_route(routes.path(asked.name, **dict(asked.given))))
        self.work.start_sync()
        self.redraw()

    async def follow_link(self) -> None:
        """A link of the office was opened while the app runs: to where its code is used, as from any screen. A tablet
        that is locked goes there once it is open."""
        await self.work.take_link()
        if self.phase == "enrol":
            self.memory["enrol-code"] = self.work.enrol_view().code
        elif self.phase == "work" and self.work.sign_in_view().code:
            self.aside("people")
        self.linked = self.phase == "locked"
        self.redraw()

    def enter(self, phase: str) -> None:
        """Show locked, enrol, sign_in, pin, or the work itself."""
        self.phase = phase
        self.problem = None
        self.memory.pop(LOOK, None)
        self.dress()  # another person may have signed in
        if phase == "work":  # a person's first time here
            self.forget()
            self.place = Place("today")
            self.visited.add(self.place)
            self.start_task(self.page.push_route("/"))
        if phase == "locked":
            self.start_task(self._stay_awake(False))
        if phase != "enrol":
            self.work.start_sync()
        self.redraw()

    def arrive(self, route: str) -> None:
        """As a shell does; but where somebody else was who had the tablet before, the history leads to Today."""
        place = routes.parse(route)
        given = dict(place.given)
        theirs = place in self.theirs - self.visited or (
            place.name in DRAFTS and self.phase == "work"
            and self.work.is_anothers(given.get("draft") or given.get("report", "")))
        if not theirs:
            super().arrive(route)
        elif self.place != Place("today"):
            self.go("today")
        else:
            self.start_task(self.page.push_route("/"))

    def _arrive(self, route: str, *, push: bool) -> None:
        before = self.place
        super()._arrive(route, push=push)
        self.visited.add(self.place)
        if self.place == before or self.work is None:
            return
        if before.name in PLACARD_PHOTOS and self.place.name not in PLACARD_PHOTOS:
            self.start_task(self.work.let_go_order_photos())
        if before.name in DRAFTS and self.place.name in ("today", "sites", "site", "map"):
            self.start_task(self.work.close_draft())  # a restarted app need not open the draft again
        if (self.place.name in DRAFTS) != (before.name in DRAFTS):
            self.start_task(self._stay_awake(self.place.name in DRAFTS))

    async def _mind_storage(self) -> None:
        """Look now and then how much room is left, and ask once for the promise that nothing is cleared."""
        work, asked = self.work, False
        await work.look_at_install()
        await work.look_at_storage()
        while self.work is work:
            if self.phase == "work" and not asked:
                asked = True
                if work.room().kept is False:
                    await work.ask_to_keep_storage()
            await asyncio.sleep(5 if not asked else 60)
            if self.work is work and self.phase == "work":
                self.start_task(work.keep_map())
            if self.work is work and asked:
                await work.look_at_storage()

    async def _mind_idle(self) -> None:
        """Look now and then how long nobody has touched the tablet."""
        work = self.work
        while self.work is work:
            await asyncio.sleep(IDLE_LOOK_S)
            if self.work is work:
                await self.lock_when_idle()

    def _seen(self, visible: bool) -> None:
        """The screen went dark, or is looked at again: a sleeping tablet's monotonic clock may stand still."""
        if not visible:
            self._left_at = self.hardware.clock.now()
        elif self._left_at is not None:
            away, self._left_at = self.hardware.clock.now() - self._left_at, None
            self.start_task(self.lock_when_idle(round(away.total_seconds() * 1000)))

    async def lock_when_idle(self, away_ms: int = 0) -> None:
        """Lock the tablet when nobody was there for longer than its setting says. The screen stays where it is."""
        if self.phase != "work" or self.work is None or self._running:
            return
        limit = self.work.idle_limit_ms()
        idle = max(away_ms, self.hardware.clock.monotonic_ms() - self.touched_ms)
        if limit is not None and idle >= limit:
            await self._keep_typed()
            await self.work.leave()
            self.enter("locked")

    async def _keep_typed(self) -> None:
        """What was typed and not taken by a button is sealed for who typed it, and is not here any more. A disk that is
        full does not keep the tablet open."""
        forms, entries = {name: form for name, form in self.forms.items() if form}, dict(self.entries)
        with suppress(Problem):
            await self.work.keep_typed({"forms": forms, "entries": entries} if forms or entries else {})
        self.forms, self.entries, self.typed_before = {}, {}, {}

    async def _stay_awake(self, wanted: bool) -> None:
        """The screen stays on while an inspection or an order is worked on. Where that cannot be, it is no matter."""
        with suppress(Exception):
            await asyncio.wait_for(self._wakelock.enable() if wanted else self._wakelock.disable(), 5)

    async def take_over_now(self) -> None:
        """Ask the other window to let go, then open here."""
        await self.hardware.another_tab.take_over()
        await self.open()

    async def let_go(self) -> None:
        """Another window takes over (or this one closes): stop sending, close the store, show it."""
        for stop in self._stops:
            stop()
        self._stops = []
        work, self.work = self.work, None
        self.phase = "another_tab"
        self.redraw()
        await asyncio.sleep(0)
        if work is not None:
            await work.stop_sync()
        if self._store is not None:
            store, self._store = self._store, None
            closing: Awaitable[Any] | None = store.close()
            if closing is not None and hasattr(closing, "__await__"):
                await closing

    def _changed(self) -> None:
        self._tell_drafts()
        withdrawn = self.work.withdrawn() is not None
        if withdrawn and self.phase in ("work", "sign_in", "pin"):
            self.enter("withdrawn")
        elif not withdrawn and self.phase == "withdrawn":
            self.enter("sign_in")
        if not in_burst(self):  # the answer to the next press goes first; at its end everything is drawn
            self.redraw()

    def _tell_drafts(self) -> None:
        self.hardware.updates.drafts(1 if self.work.has_open_draft() else 0)
