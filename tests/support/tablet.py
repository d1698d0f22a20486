"""Drives the tablet app in Chromium as a person does: find a part by its identifier, scroll to it, tap it, type.

The same for server mode and for the web app. Flutter draws on a canvas; what can be found here is what a screen
reader finds: the semantics tree, whose nodes carry our stable identifiers.
"""

from __future__ import annotations

import re
import tempfile
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as TooLate

PIN = "274915"
SIZES = ((1280, 800), (800, 1280), (412, 915))
# Functions for the page: what can be tapped or typed into, with its identifier.
_FOUND = """const found = [...document.querySelectorAll('flt-semantics-host [role=button],'
  + ' flt-semantics-host [flt-tappable], flt-semantics-host input, flt-semantics-host textarea')];
  const name = n => n.closest('[flt-semantics-identifier]')?.getAttribute('flt-semantics-identifier') || '?';
  const said = n => (n.getAttribute('aria-label') || n.textContent || '').trim();
  const bare = n => !['INPUT', 'TEXTAREA', 'BUTTON', 'A'].includes(n.tagName) && !n.getAttribute('role');"""
FAULTS = "() => {" + _FOUND + """
  const cut = (n, r) => { for (let a = n.parentElement; a && a.tagName !== 'FLT-SEMANTICS-HOST'; a = a.parentElement) {
      const b = a.getBoundingClientRect();
      if (b.width && (Math.abs(r.bottom - b.bottom) < 2 || Math.abs(r.top - b.top) < 2 || Math.abs(r.left - b.left) < 2
          || Math.abs(r.right - b.right) < 2) && a.getAttribute('role') === 'group') return true; }
    return r.left < 2 || r.top < 2 || r.right > innerWidth - 2 || r.bottom > innerHeight - 2; };
  const faults = [];
  for (const n of found) { const r = n.getBoundingClientRect();
    if (!said(n)) faults.push('no name: ' + name(n));
    if (bare(n)) faults.push('no role: ' + name(n));
    const typed = n.tagName === 'INPUT' || n.tagName === 'TEXTAREA'; // the line of text within a field
    if (!typed && (r.height < 55.5 || r.width < 55.5) && r.width > 0 && !cut(n, r))
      faults.push('small: ' + name(n) + ' ' + Math.round(r.width) + 'x' + Math.round(r.height)); }
  return faults; }"""
# The tab key goes on from where it was, also once nothing has the focus.
TOP = "document.querySelector('flutter-view').focus()"
FOCUSED = "() => { const n = document.activeElement; " + _FOUND + " return n && found.includes(n) ? name(n) : null; }"
PARTS = "() => {" + _FOUND + """ return found.filter(n => n.getAttribute('aria-disabled') !== 'true').map(n => {
  const r = n.getBoundingClientRect(); let seen = r.bottom <= innerHeight && r.top >= 0;
  for (let a = n.parentElement; a && a.tagName !== 'FLT-SEMANTICS-HOST'; a = a.parentElement) {
    const b = a.getBoundingClientRect();
    if (a.getAttribute('role') === 'group' && (r.bottom > b.bottom + 2 || r.top < b.top - 2)) seen = false; }
  return [name(n), r.left, r.top, r.right, r.bottom, seen]; }); }"""
BUTTON = "xpath=descendant-or-self::*[@role='button' or @flt-tappable]"
FIELD = "input, textarea"
STARTED = '[flt-semantics-identifier]:not([flt-semantics-identifier="starting"])'
# Resolves once the parts have been where they are for so long, or at last after so long: [still ms, most ms].
STILL = """([still, most]) => new Promise((done) => {
  const parts = () => JSON.stringify([...document.querySelectorAll('[flt-semantics-identifier]')].map((n) => {
    const r = n.getBoundingClientRect(); return [n.getAttribute('flt-semantics-identifier'), r.x, r.y, r.width]; }));
  let seen = parts(), since = performance.now();
  const began = since, look = setInterval(() => {
    const now = performance.now(), found = parts();
    if (found !== seen) { seen = found; since = now; }
    if (now - since < still && now - began < most) return;
    clearInterval(look); done(now - since >= still);
  }, 150);
})"""
# Flutter hears the keys only some pictures after a field got the focus; then it sets this attribute of it anew.
LISTEN = """(field) => { window.listens = new Promise((heard) => {
  const watch = new MutationObserver((all) => {
    if (all.some(({target}) => target === document.activeElement)) done(); });
  const done = () => { watch.disconnect(); heard(); };
  watch.observe(document.documentElement,
    { subtree: true, attributes: true, attributeFilter: ['autocorrect', 'enterkeyhint'] });
  setTimeout(done, document.activeElement === field ? 500 : 5000);
}); }"""


# The first field tells once more of what stands in it; gives that, and whether it has the cursor; null: there is none.
TELL_AGAIN = """(fields) => { const field = fields[0]; if (!field) return null;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  return [field.value, field === document.activeElement]; }"""


class TabletApp:
    """One page with the app in it. Times are patience, never a measure: everything waits for what it needs."""

    def __init__(self, page: Page, *, patience: float = 60.0) -> None:
        self.page, self.patience = page, patience
        page.set_default_timeout(patience * 1000)

    # --- start -----------------------------------------------------------------------------------------------------

    def open(self, address: str, *, wait: float = 90.0) -> TabletApp:
        """Load the app and switch its semantics on."""
        self.page.goto(address, timeout=wait * 1000)
        return self.started(wait=wait)

    def started(self, *, wait: float = 90.0, unlock: bool = True) -> TabletApp:
        """Wait until the app draws and its semantics are on (our own page switches them on by itself); a tablet that is
        locked is unlocked."""
        self.page.wait_for_selector("flt-semantics-placeholder, flt-semantics-host flt-semantics", state="attached",
                                    timeout=wait * 1000)
        self.page.evaluate("document.querySelector('flt-semantics-placeholder')?.click()")
        self.page.wait_for_selector("[flt-semantics-identifier]", state="attached", timeout=wait * 1000)
        if unlock:
            self.page.wait_for_selector(STARTED, state="attached", timeout=wait * 1000)
            if self.there("lock-panel"):
                self.pin(PIN)
                self.gone("lock-panel")
        return self

    # --- finding ---------------------------------------------------------------------------------------------------

    def part(self, identifier: str) -> Locator:
        """The part with that identifier; with a trailing * the first whose identifier begins so."""
        if identifier.endswith("*"):
            return self.page.locator(f'[flt-semantics-identifier^="{identifier[:-1]}"]').first
        return self.page.locator(f'[flt-semantics-identifier="{identifier}"]').first

    def ids(self, start: str = "") -> list[str]:
        """The identifiers on the screen that begin so, in order."""
        found = self.page.eval_on_selector_all(
            "[flt-semantics-identifier]", "nodes => nodes.map(n => n.getAttribute('flt-semantics-identifier'))")
        return [one for one in found if one.startswith(start)]

    def wait(self, identifier: str, *, patience: float | None = None) -> Locator:
        """Wait until the part is there."""
        part = self.part(identifier)
        try:
            part.wait_for(state="attached", timeout=(patience or self.patience) * 1000)
        except TooLate:
            raise AssertionError(f"{identifier!r} did not appear; on the screen: {self.ids()}\n"
                                 f"{self.text()[:2000]}") from None
        return part

    def gone(self, identifier: str, *, patience: float | None = None) -> None:
        """Wait until the part is no longer there."""
        self.part(identifier).wait_for(state="detached", timeout=(patience or self.patience) * 1000)

    def there(self, identifier: str) -> bool:
        """Whether the part is there now."""
        return self.part(identifier).count() > 0

    def text(self, identifier: str | None = None) -> str:
        """What a screen reader finds, on the page or in a part."""
        where = self.wait(identifier) if identifier else self.page.locator("flt-semantics-host")
        return where.evaluate(
            """node => { const words = [];
                const visit = n => { if (n.getAttribute && n.getAttribute('aria-label'))
                    words.push(n.getAttribute('aria-label'));
                  if (n.value && n.tagName !== 'LI') words.push(n.value);
                  for (const c of n.childNodes) c.nodeType === 3 ? words.push(c.textContent) : visit(c); };
                visit(node); return words.join('\\n'); }""")

    def until_count(self, start: str, count: int) -> None:
        """Wait until so many parts whose identifiers begin so are on the screen; the screen draws card by card."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            if len(self.ids(start)) == count:
                return
            self.page.wait_for_timeout(250)
        raise AssertionError(f"{count} parts {start!r} did not come together; on the screen: {self.ids()}")

    def until_text(self, words: str, *, patience: float | None = None) -> None:
        """Wait until the words stand on the screen."""
        end = time.monotonic() + (patience or self.patience)
        while words not in self.text():
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} did not appear; on the screen: {self.ids()}\n{self.text()[:3000]}")
            self.page.wait_for_timeout(100)

    def nameless(self) -> list[str]:
        """What can be tapped or typed into and has no name for a screen reader; it should be nothing."""
        return self.page.eval_on_selector_all(
            "flt-semantics-host [role=button], flt-semantics-host [flt-tappable], flt-semantics-host input,"
            " flt-semantics-host textarea",
            """nodes => nodes.filter(n => !(n.getAttribute('aria-label') || n.textContent || '').trim())
                .map(n => n.outerHTML.slice(0, 200))""")

    def faults(self) -> list[str]:
        """What a screen reader or a gloved hand would miss: a part that can be tapped or typed into without a name or
        a role, or that is smaller than 56 either way. Parts that an edge cuts off are not measured."""
        return self.page.evaluate(FAULTS)

    def tab_order(self, first: str, count: int) -> list[str]:
        """The parts that get the focus one after the other with the tab key, from the first, which has it."""
        found = [first]
        while len(found) < count:
            self.page.keyboard.press("Tab")
            found.append(self._focus_after(found[-1]))
        return found

    def _focus_after(self, before: str | None) -> str | None:
        """The part that has the focus once it has left the one before: it moves with the next picture."""
        for _look in range(40):
            now = self.page.evaluate(FOCUSED)
            if now and now != before:
                break
            self.page.wait_for_timeout(25)
        return now

    def tab_around(self, first: str, last: str) -> None:
        """Out of the page by the tab key and in again, both ways: one comes to its last part and to its first."""
        self.page.evaluate(TOP)
        self._tab("Tab", None, first)
        for key, before, comes_to in (("Shift+Tab", first, last), ("Tab", last, first)):
            if self._tab(key, before, comes_to, None) is None:  # it is in the browser's own bar
                self._tab(key, None, comes_to)

    def _tab(self, key: str, before: str | None, *comes_to: str | None) -> str | None:
        """Press the key and wait until the focus, which is at `before`, has come to one of these."""
        self.page.keyboard.press(key)
        end = time.monotonic() + self.patience
        while (now := self.page.evaluate(FOCUSED)) == before or now not in comes_to:
            assert time.monotonic() < end, f"{key} leads from {before} to {now}, not to {comes_to}"
            self.page.wait_for_timeout(50)
        return now

    def tab_to(self, identifier: str) -> None:
        """From the top of the page on with the tab key until the part has the focus."""
        self.page.evaluate(TOP)
        before = None
        for _press in range(60):
            self.page.keyboard.press("Tab")
            if (before := self._focus_after(before)) == identifier:
                return
        raise AssertionError(f"the tab key never comes to {identifier!r}")

    def reading_order(self) -> list[str]:
        """The parts that can be tapped or typed into, in the order in which a screen reader meets them. Fails where
        that is not the order of reading: from left to right, from top to bottom."""
        parts = self.page.evaluate(PARTS)
        seen = [part for part in parts if part[5]]  # what lies below the edge of a list has no place on the screen yet
        for (one, _l1, _t1, right, bottom, _s1), (other, left, top, _r2, _b2, _s2) in pairwise(seen):
            assert left >= right - 6 or top >= bottom - 6, f"{other} is read after {one} and stands before it"
        return [part[0] for part in parts]

    # --- doing -----------------------------------------------------------------------------------------------------

    def tap(self, identifier: str, *, patience: float | None = None) -> None:
        """Scroll to the part and tap it with the pointer, once it can be tapped."""
        self.wait(identifier, patience=patience)
        end = time.monotonic() + (patience or self.patience)
        while True:
            button, clicking = self.part(identifier).locator(BUTTON).first, False
            try:
                if button.get_attribute("aria-disabled", timeout=2000) != "true":
                    self._bring_into_view(button)
                    clicking = True
                    button.click(timeout=15_000)
                    return
            except TooLate:
                if clicking and not self.there(identifier):
                    return  # it was tapped: a slow machine answered late, and the screen has already changed
            if time.monotonic() > end:
                picture = Path(tempfile.gettempdir()) / "siltwatch-not-tapped.png"
                self.page.screenshot(path=str(picture))
                raise AssertionError(f"{identifier!r} cannot be tapped; on the screen: {self.ids()}; see {picture}")
            self.page.wait_for_timeout(100)

    def back(self) -> None:
        """Leave this screen by its way back, and wait until another one stands there: both have a way back, and a
        second tap that comes too early would meet the first screen's."""
        left = self.text("screen-title")
        self.tap("back")
        end = time.monotonic() + self.patience
        while not self.there("screen-title") or self.text("screen-title") == left:
            if time.monotonic() > end:
                raise AssertionError(f"{left!r} still stands there; on the screen: {self.ids()}")
            self.page.wait_for_timeout(100)

    def say_yes(self) -> None:
        """Answer the question that stands there, and wait until it is gone: what lies below it is not to be found as
        long as it stands, and so may look as if it had gone itself."""
        self.tap("dialog-yes")
        self.gone("dialog-yes")

    def focus(self, identifier: str) -> Locator:
        """Put the cursor into a field, and wait until the app listens to the keys. What is drawn meanwhile may take the
        cursor out again, and what is then typed stands in the browser alone: so the screen stands still first."""
        self.wait(identifier)
        self.quiet(300)
        field = self.part(identifier).locator(FIELD).first
        self._bring_into_view(field)
        field.evaluate(LISTEN)
        field.click()
        self.page.evaluate("window.listens")
        return self.part(identifier).locator(FIELD).first

    def type(self, identifier: str, text: str) -> None:
        """Put the text into a field, replacing what is there. Where Flutter did not listen yet, the text stands in the
        browser alone: so the browser tells of it once more. Where it has stopped listening, the field has lost the
        cursor, and gets it and the text again."""
        end, tries = time.monotonic() + self.patience, 0
        while True:
            self.focus(identifier).fill(text)
            tries += 1
            held = []
            for _look in range(2):  # the app may still write what it knew before
                self.page.wait_for_timeout(250)
                found = self.part(identifier).locator(FIELD).evaluate_all(TELL_AGAIN)
                held.append(found in ([text, True], [text, tries >= 3]))
            if all(held):
                return
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} could not be typed into {identifier!r}")

    def pin(self, digits: str) -> None:
        """Type a PIN on the pad and confirm it."""
        self.wait("pin-pad")
        for digit in digits:
            self.tap(f"pin-{digit}")
        self.tap("pin-ok")

    def tap_named(self, name: str) -> None:
        """Tap a button that is not ours and has no identifier (the clock's), by its name, until its dialog is gone:
        dialogs fade in, and a tap before that is lost."""
        button, end = self.page.get_by_role("button", name=name).first, time.monotonic() + self.patience
        button.wait_for(state="attached", timeout=self.patience * 1000)
        while True:
            self.page.wait_for_timeout(400)
            with suppress(TooLate):
                button.click(timeout=2000)
            with suppress(TooLate):
                button.wait_for(state="detached", timeout=3000)
                return
            assert time.monotonic() < end, f"{name!r} stays on the screen"

    def choose_file(self, identifier: str, file: Path | list[Path]) -> None:
        """Tap a button that opens the system's file chooser and choose."""
        button = self.wait(identifier).locator(BUTTON).first
        self._bring_into_view(button)
        with self.page.expect_file_chooser() as chooser:
            button.click()
        chooser.value.set_files(file)

    def _bring_into_view(self, node: Locator) -> None:
        """Scroll until the node's middle lies inside what can be seen, as a finger would."""
        before = None
        for _try in range(40):
            box = node.bounding_box()
            if box is None or box == before:
                return  # it stands in a bar, or the screen is scrolled as far as it goes
            before = box
            size = self.page.viewport_size
            middle = box["y"] + box["height"] / 2
            low, high = self._open_strip()
            if low <= middle <= high and box["x"] + box["width"] / 2 <= size["width"]:
                return
            x = min(max(box["x"] + box["width"] / 2, 20), size["width"] - 20)
            self.page.mouse.move(x, (low + high) / 2)
            if not low <= middle <= high:
                self.page.mouse.wheel(0, max(-600, min(600, middle - (low + high) / 2)))
            else:
                self.page.mouse.move(size["width"] / 2, middle)
                self.page.mouse.wheel(box["x"] + box["width"] - size["width"] + 40, 0)
            self.page.wait_for_timeout(250)  # longer than two pictures are apart: a list that moves is seen to move

    def _open_strip(self) -> tuple[float, float]:
        """The heights between the bars above (title, status, tabs) and the buttons below."""
        height = self.page.viewport_size["height"]
        return 200.0, height - 96.0

    # --- seeing ----------------------------------------------------------------------------------------------------

    def draw(self, identifier: str) -> None:
        """A stroke with the mouse over the part, as a signature is drawn."""
        self.wait(identifier)
        self.quiet()
        box = self.page.locator(f'[flt-semantics-identifier="{identifier}"]').bounding_box()
        assert box is not None
        self.page.mouse.move(box["x"] + box["width"] * 0.15, box["y"] + box["height"] * 0.7)
        self.page.mouse.down()
        for step in range(1, 15):
            up = 0.3 if step % 2 else 0.65
            self.page.mouse.move(box["x"] + box["width"] * (0.15 + 0.05 * step), box["y"] + box["height"] * up)
            self.page.wait_for_timeout(20)
        self.page.mouse.up()

    def shoot(self, folder: Path, name: str, sizes: tuple[tuple[int, int], ...] = SIZES) -> None:
        """Write a picture of the screen at each size, then go back to the first size."""
        folder.mkdir(parents=True, exist_ok=True)
        before = self.page.viewport_size
        for width, height in sizes:
            self.page.set_viewport_size({"width": width, "height": height})
            self.quiet()
            self.page.screenshot(path=str(folder / f"{re.sub(r'[^a-z0-9-]', '-', name)}-{width}x{height}.png"))
        self.page.set_viewport_size(before)
        self.quiet()

    def quiet(self, still: int = 600) -> None:
        """Wait until the parts of the screen have been where they are for so many milliseconds."""
        self.page.evaluate(STILL, [still, 15_000])
