"""Pages of the ``ui`` benchmark: one app in one Chromium, taps timed inside the page itself.

A tap is timed from the finger's lifting (the page's own pointer event) until the part of the screen that answers it has
changed and the browser has painted: Flutter tells its semantics in the frame in which it draws. What the apps' Python
is asked is run in their own worker, between two events.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Playwright

from tests.support.chromium import Browser
from tests.support.inside_app import InsideApp
from tests.support.tablet import BUTTON, TabletApp

PATIENCE = 180

WATCH = """
window.siltwatchBench = (() => {
  const find = (id) => document.querySelector(`[flt-semantics-identifier${id.endsWith("*") ? "^" : ""}="${
    CSS.escape(id.replace(/\\*$/, ""))}"]`);
  const told = (node) => node === null ? null : [node, ...node.querySelectorAll("*")].map((one) =>
    [...one.attributes].filter((a) => a.name.startsWith("aria")).map((a) => a.name + "=" + a.value).join()
    + (one.childElementCount ? "" : one.textContent)).join("|");
  const painted = () => new Promise((yes) => requestAnimationFrame(() => setTimeout(yes, 0)));
  let result = null;
  return {
    // Waits for the next tap, then until the part `id` says something else than now ("changes") or is there ("comes").
    watch(id, how) {
      const before = told(find(id));
      if (how === "comes" && before !== null) throw new Error(id + " is there already");
      result = new Promise((yes, no) => {
        const late = setTimeout(() => no(new Error(id + " never " + how)), 120000);
        addEventListener("pointerup", (event) => {
          const begun = event.timeStamp;
          const met = () => { const now = told(find(id)); return now !== null && now !== before; };
          const look = new MutationObserver(async () => {
            if (!met()) return;
            look.disconnect();
            clearTimeout(late);
            await painted();
            yes(performance.now() - begun);
          });
          look.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
        }, {capture: true, once: true});
      });
      result.catch(() => 0);
    },
    result: () => result,
  };
})();
"""


class BenchPage:
    """``address`` in a browser on an empty profile. Closed by `close`."""

    def __init__(self, playwright: Playwright, profile: Path, address: str) -> None:
        self.address = address
        self.browser = Browser(playwright, profile, every_picture=True)
        self.page = self.browser.open()
        self.page.add_init_script(WATCH)
        self._inside: InsideApp | None = None
        self.app = TabletApp(self.page, patience=PATIENCE).open(address, wait=PATIENCE)

    def close(self) -> None:
        self.browser.close()

    # --- taps ------------------------------------------------------------------------------------------------------
    def timed_tap(self, identifier: str, until: str | None = None) -> float:
        """Milliseconds from the tap on the part until it looks otherwise, or until the part ``until`` has come."""
        button = self.app.wait(identifier).locator(BUTTON).first
        self.app._bring_into_view(button)
        box = button.bounding_box()
        self.page.evaluate("([id, how]) => siltwatchBench.watch(id, how)",
                           [until or identifier, "comes" if until else "changes"])
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return self.page.evaluate("() => siltwatchBench.result()")

    # --- Python in the worker --------------------------------------------------------------------------------------
    def python(self, code: str) -> Any:
        """Runs Python in the app's own interpreter; see `InsideApp.run`."""
        if self._inside is None:
            self._inside = InsideApp(self.page)
        return self._inside.run(code)

    @property
    def heap(self) -> int:
        """Bytes of the interpreter's memory; it never shrinks."""
        self.python("None")
        return self._inside.heap
