"""An inspector at work in the web app whose browser the system kills: taps and keystrokes, and what must be kept.

Each step is made only once the one before has been kept, so at a kill exactly one is in progress: it may be lost, and
nothing else.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support import tablet_day as day
from tests.support.again import Lost
from tests.support.chromium import Browser
from tests.support.inside_app import InsideApp
from tests.support.tablet import BUTTON, TabletApp

ITEMS = ("TRK-01", "TRK-02", "TRK-03", "TRK-04")
NOTED = "TRK-02"
WORDS = "mud tracked out at the north gate, "
STATE = """
view = window().work.inspection({draft!r})
items = [item for section in view.sections for card in section.cards for item in card.items]
found = {{item.key: [item.special_value, item.note] for item in items if item.key in {items!r}}}
json.dumps({{"items": found, "at": view.at_key}})
"""
CHOSEN = """n => [n, ...n.querySelectorAll('*')].some(e => e.getAttribute('aria-current') === 'true'
  || e.getAttribute('aria-selected') === 'true')"""


def process_tree(profile: Path) -> list[int]:
    """Every process of the browser on this profile: those that name it, and their descendants."""
    parents, named = {}, set()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            pid = int(place.name)
            parents[pid] = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if f"--user-data-dir={profile}".encode() in (place / "cmdline").read_bytes().split(b"\0"):
                named.add(pid)
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in named} - named
        named |= more
        grown = bool(more)
    return sorted(named)


def kill(browser: Browser) -> int:
    """SIGKILL to the whole tree at once; how many processes there were."""
    pids = process_tree(browser.profile)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(Exception):
        browser.context.close()
    browser.context = None
    end = time.monotonic() + 20
    while process_tree(browser.profile) and time.monotonic() < end:
        time.sleep(0.02)
    return len(pids)


class Inspector:
    """`draft`: an inspection that is open at its first checklist. `kept`: what the tablet has said is kept."""

    def __init__(self, browser: Browser, address: str, seed: int) -> None:
        self.browser, self.address, self.random = browser, address, random.Random(seed)
        self.typed = 0
        self.start()

    def start(self) -> None:
        self.app = TabletApp(self.browser.open(), patience=60).open(self.address, wait=180)
        self.inside: InsideApp | None = None

    def begin(self, site: str) -> None:
        """An inspection of the site, with every item of ITEMS answered once."""
        day.to_sites(self.app)
        self.app.tap(f"site-{site}")
        self.app.tap("begin-inspection")
        self.app.tap("section-tracking")
        self.app.wait("card-tracking")
        self.inside = InsideApp(self.app.page)
        self.draft = self.inside.run("json.dumps(dict(window().place.given)['draft'])")
        self.kept = self.state()
        for item in ITEMS:
            self.do(self.tap(item, "na"))

    def state(self) -> dict[str, Any]:
        """What the app has kept: answer and note of each item, and the item that it is at."""
        return self.inside.run(STATE.format(draft=self.draft, items=ITEMS))

    # --- steps: each gives what must be kept once it is done -------------------------------------------------------
    def tap(self, item: str, value: str) -> dict[str, Any]:
        part = f"answer-{item}-{value}"
        self.drawn()
        button = self.app.wait(part).locator(BUTTON).first
        self.app._bring_into_view(button)
        self.app.quiet(300)  # a list that still moves swallows the tap that stops it
        box = button.bounding_box()
        self.app.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        before, note = self.kept["items"][item]
        return self._with(item, ["" if before == value else value, note])

    def key(self) -> dict[str, Any]:
        """One keystroke at the end of the note."""
        special, note = self.kept["items"][NOTED]
        letter = WORDS[self.typed % len(WORDS)]
        self.typed += 1
        self.app.page.keyboard.press("Control+End")
        self.app.page.keyboard.type(letter)
        return self._with(NOTED, [special, note + letter])

    def _with(self, item: str, value: list[str]) -> dict[str, Any]:
        return {"items": {**self.kept["items"], item: value}, "at": item}

    def into_the_note(self) -> None:
        """The cursor into the note of NOTED, which is opened first where it has to be."""
        if self.kept["items"][NOTED][0] == "":
            self.do(self.tap(NOTED, "na"))  # an item without an answer has no note
        if not self.app.there(f"note-{NOTED}"):
            self.app.tap(f"open-{NOTED}")
        self.app.focus(f"note-{NOTED}")

    def do(self, wanted: dict[str, Any]) -> None:
        """Waits until the step just made is kept."""
        end = time.monotonic() + 60
        while (now := self.state()) != wanted:
            assert time.monotonic() < end, f"not kept: {json.dumps(wanted)}; kept is {json.dumps(now)}"
            time.sleep(0.01)
        self.kept = wanted

    def some_steps(self, typing: bool) -> None:
        """A few steps, each of them kept."""
        if typing:
            self.into_the_note()
        for _ in range(self.random.randint(2, 4)):
            self.do(self.key() if typing else self.another_tap())

    def another_tap(self) -> dict[str, Any]:
        return self.tap(self.random.choice(ITEMS), self.random.choice(("na", "not_observed")))

    def killed(self, typing: bool) -> None:
        """One step more, and the browser is killed while it is in progress; then the app is started again and shows
        what was kept, at the same item."""
        wanted = self.key() if typing else self.another_tap()
        time.sleep(self.random.choice((0.0, 0.01, 0.03, 0.08)))
        assert kill(self.browser) >= 3
        self.start()
        self.app.wait(f"item-{self.kept['at']}")
        self.inside = InsideApp(self.app.page)
        found = self.state()
        if found not in (self.kept, wanted):
            raise Lost(f"kept {found}, not {self.kept}, nor with the step in progress {wanted}")
        for item, (special, note) in found["items"].items():
            for value in ("na", "not_observed"):
                self.chosen(f"answer-{item}-{value}", value == special)
            if note:
                self.shows(f"note-{item}", note)
        self.kept = found

    def drawn(self) -> None:
        """Waits until the screen shows what was kept last: an answer moves what stands below it, and what is kept is
        drawn some time later."""
        special, _note = self.kept["items"].get(last := self.kept["at"], (None, ""))
        for value in ("na", "not_observed") if special is not None else ():
            self.chosen(f"answer-{last}-{value}", value == special)

    def chosen(self, part: str, wanted: bool) -> None:
        """Waits until the answer is marked as chosen, or is not."""
        self.app.wait(part)
        end = time.monotonic() + 30
        while self.app.part(part).evaluate(CHOSEN) != wanted:
            assert time.monotonic() < end, f"{part} is {'not ' if wanted else ''}chosen"
            time.sleep(0.1)

    def shows(self, part: str, words: str) -> None:
        """Waits until the field holds these words: Flutter tells them once the field has the keyboard."""
        self.app.focus(part)
        end = time.monotonic() + 30
        while (held := self.app.part(part).locator("textarea").first.input_value()) != words:
            assert time.monotonic() < end, f"{part} holds {held!r}, not {words!r}: {self.app.text(part)!r}"
            time.sleep(0.1)
