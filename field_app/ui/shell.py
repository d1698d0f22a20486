"""What one open window of the tablet app knows: where it is, what refuses, and the one way to act.

Every screen gets the shell. It holds no truth about the work: that is in `Work`, asked anew at each drawing, so a
screen can never show something that was not stored. `attempt` is the only way from a tap to a use case: a refusal
becomes a banner, never a crash, and a second tap while the first still runs does nothing twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import flet as ft

from field_app.ui import routes, theme
from field_app.ui.routes import Place, path
from field_app.ui.words import speak
from field_app.work.log_lines import events
from field_app.work.views import ProblemView

LOOK = "look-open"  # in `Shell.memory`: language and look are shown before sign-in

log = logging.getLogger("siltwatch.ui")


@ft.observable
@dataclass
class Pulse:
    """Changes whenever something on the screen may have changed; components that take it draw again."""

    beat: int = 0


class Shell:
    """One window. `work` is None until the store is open; `phase` says which of the first screens is shown:
    "starting", "another_tab", "failed", then "enrol", "sign_in", "pin" and at last "work"."""

    def __init__(self, page: ft.Page) -> None:
        self.page = page
        self.work: Any = None
        self.hardware: Any = None
        self.phase = "starting"
        self.place = Place("today")
        self.problem: ProblemView | None = None
        self.refusals = 0  # so many were shown
        self.said = ""
        self.pulse = Pulse()
        self.pictures: OrderedDict[str, bytes] = OrderedDict()
        self.query = ""
        self.asked: dict[tuple[Place, str], Any] = {}  # the questions that are open at a place; see `use_asking`
        self.memory: dict[str, Any] = {}  # what a screen wants to remember while the window lives
        self.forms: dict[str, dict[str, str]] = {}  # what was typed on screens that a PIN signs
        self.entries: dict[str, str] = {}  # what stands now in fields that only a button takes; see `use_entry`
        self.typed_before: dict[str, str] = {}  # and what stood there when the tablet locked itself
        self.visited: set[Place] = set()  # by the person at work
        self.theirs: set[Place] = set()  # and by those who had the tablet before
        self.touched_ms = 0  # when somebody last did something here, by the monotonic clock
        self._running: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()

    # --- size ------------------------------------------------------------------------------------------------------

    @property
    def width(self) -> float:
        return self.page.width or 1280

    @property
    def height(self) -> float:
        return self.page.height or 800

    @property
    def narrow(self) -> bool:
        """A phone, or a tablet held upright: one column."""
        return self.width < theme.WIDE

    @property
    def tiny(self) -> bool:
        """A phone held upright."""
        return self.width < 600

    @property
    def typing(self) -> bool:
        """The keyboard covers a part of a small screen."""
        media = self.page.media
        covered = media.view_insets.bottom if media is not None and media.view_insets is not None else 0
        return covered > 80 and self.height < 1000

    # --- drawing ---------------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Draw everything again that shows something which changed."""
        self.pulse.beat += 1

    def start_task(self, coroutine: Awaitable[Any]) -> None:
        """Run beside the screen; an exception is logged and shown, never lost."""

        async def guarded() -> None:
            try:
                await coroutine
            except asyncio.CancelledError:
                raise
            except Exception as failure:
                self.refuse(failure)

        task = asyncio.ensure_future(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- acting ----------------------------------------------------------------------------------------------------

    def refuse(self, failure: BaseException) -> None:
        """Show why something was not done."""
        self.refusals += 1
        if self.work is not None:
            self.problem = self.work.problem_view(failure)
        else:
            self.problem = ProblemView(
                code=str(getattr(failure, "code", type(failure).__name__)),
                sentence=str(getattr(failure, "detail", failure)),
                advice=str(getattr(failure, "advice", "")),
            )
        events.info("refused %s", getattr(failure, "code", type(failure).__name__))
        if not hasattr(failure, "code"):
            log.error("unexpected failure", exc_info=failure)
        self.redraw()

    def dismiss(self) -> None:
        """Close the banner."""
        self.problem = None
        self.redraw()

    def say(self, sentence: str) -> None:
        """A short sentence in the status bar and to screen readers; "" takes it back."""
        self.said = sentence
        self.redraw()

    def touch(self) -> None:
        """Somebody is there, or something runs that must not be broken off."""
        if self.hardware is not None:
            self.touched_ms = self.hardware.clock.monotonic_ms()

    def busy(self, name: str) -> bool:
        """True while the named act runs."""
        return name in self._running

    async def attempt(self, act: Callable[[], Awaitable[Any]], *, once: str | None = None) -> Any:
        """Do it; a refusal is shown as a banner and gives None. `once` names an act that must not run twice at a
        time: a second call while it runs gives None and does nothing."""
        if once is not None:
            if once in self._running:
                return None
            self._running.add(once)
            self.redraw()
        before = self.refusals
        try:
            result = await act()
        except Exception as failure:
            self.refuse(failure)
            return None
        else:
            if self.refusals == before:  # the act may have refused something itself
                self.problem = None
            self.redraw()
            return result
        finally:
            if once is not None:
                self._running.discard(once)
                self.redraw()

    def forget(self) -> None:
        """Another person has the tablet: nothing is left of where the one before was, and of what was typed there."""
        for kept in (self.memory, self.forms, self.entries, self.typed_before, self.asked):
            kept.clear()
        self.pictures.clear()
        self.query, self.said = "", ""
        self.theirs |= self.visited
        self.visited = set()

    # --- going -----------------------------------------------------------------------------------------------------

    def go(self, name: str, **given: str) -> None:
        """Show a screen and put it into the browser's history."""
        self._arrive(path(name, **given), push=True)

    def aside(self, name: str, **given: str) -> None:
        """Show a screen that "back" leaves for the one shown now (outbox, settings, a photo on the way)."""
        here = path(self.place.name, **dict(self.place.given))
        self._arrive(path(name, **given), push=True)
        if here != path(name, **given):
            self.memory.setdefault("behind", {})[self.place] = here

    def back(self) -> None:
        """Go to the screen behind this one."""
        if self.memory.pop(LOOK, None):
            self.redraw()
            return
        behind = self.memory.get("behind", {}).get(self.place) or routes.parent(self.place)
        if behind is not None:
            self._arrive(behind, push=True)

    def behind(self, name: str, **given: str) -> None:
        """Say which screen "back" leads to from here, when it is not the fixed one (the site of this inspection)."""
        self.memory.setdefault("behind", {})[self.place] = path(name, **given)

    def arrive(self, route: str) -> None:
        """The browser or the system says where we are (history, typed address)."""
        self._arrive(route, push=False)

    def _arrive(self, route: str, *, push: bool) -> None:
        place = routes.parse(route)
        if place == self.place:
            return
        self.place, self.asked = place, {}
        self.problem = None
        self.said = ""
        self.redraw()
        if push:
            self.start_task(self.page.push_route(path(place.name, **dict(place.given))))

    # --- pictures --------------------------------------------------------------------------------------------------

    async def picture(self, sha256: str) -> bytes | None:
        """A small picture of a photo, from the cache of the last 120 or made now."""
        if sha256 in self.pictures:
            self.pictures.move_to_end(sha256)
            return self.pictures[sha256]
        made = await self.work.thumbnail(sha256)
        if made is not None:
            self.pictures[sha256] = made
            while len(self.pictures) > 120:
                self.pictures.popitem(last=False)
        return made

    # --- language and look -----------------------------------------------------------------------------------------

    def dress(self) -> None:
        """Speak and look as the person signed in chose; every screen drawn from now on does."""
        chosen = self.work.look()
        speak(chosen.language)
        theme.wear(chosen.look, chosen.text)
        theme.dress(self.page)
        self.page.update()
        self.redraw()

    async def turn_sun(self) -> None:
        """Black on white with one tap, and back to what was before with the next."""
        now = self.work.look().look
        if now != "sun":
            self.memory["look-before"] = now
        await self.work.set_look(look="sun" if now != "sun" else self.memory.get("look-before", "normal"))
        self.dress()
