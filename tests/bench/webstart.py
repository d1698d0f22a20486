"""How long the web app takes from its address to the first tap answered, over the same in a spike app.

The spike is the smallest Flet app that touches the same services, built by the same build. "Cold" is a first visit
with an empty browser profile; "offline" is a reload with the server process stopped, as on every day after the first
(both apps then start from their image, quick.js). The tap: in the spike a button that changes a text; in Siltwatch the
first thing its first screen takes, a letter in the code field, which Python answers by enabling the button.

The two apps run in turn, and a ratio is the median of the ratios of neighbours, so that a busy machine hurts both
alike. The CPU seconds of all processes of the browser are given as well: they depend less on what else runs.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import sync_playwright

from field_app.packaging import web
from tests.support.chromium import Browser, by_id
from tests.support.static_server import Served, free_port

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "cache" / "wheels"
COLD, OFFLINE = 3, 7
PATIENCE = 120_000


def tap_spike(page) -> None:
    button = by_id(page, "first-tap").locator("xpath=descendant-or-self::*[@role='button']").first
    button.click(timeout=PATIENCE)
    page.get_by_text("answered").first.wait_for(state="attached", timeout=PATIENCE)


def tap_siltwatch(page) -> None:
    field = by_id(page, "enrol-code").locator("xpath=descendant-or-self::input").first
    button = by_id(page, "enrol").locator("xpath=descendant-or-self::*[@role='button' and not(@aria-disabled='true')]")
    field.wait_for(state="attached", timeout=PATIENCE)
    for _try in range(PATIENCE // 500):  # a field that has only just been drawn may not have the keyboard yet
        field.click(timeout=PATIENCE)
        page.keyboard.type("A")
        try:
            button.first.wait_for(state="attached", timeout=500)
            return
        except TooLate:
            continue
    raise TooLate("the enrol button was never ready")


TAPS = {"spike": tap_spike, "siltwatch": tap_siltwatch}


class Visit:
    """One app in a browser of its own on an empty profile, with a server of its own."""

    def __init__(self, playwright, home: Path, name: str, turn: int):
        self.name, self.profile = name, home / f"profile-{name}-{turn}"
        self.served = Served(home / name, free_port()).start()
        self.browser = Browser(playwright, self.profile, every_picture=True)
        self.page = self.browser.open()

    def first(self) -> tuple[float, float]:
        """(seconds, CPU seconds) from the address to the first tap answered."""
        return self._timed(lambda: self.page.goto(self.served.address, wait_until="commit"))

    def again(self) -> tuple[float, float]:
        """The same of a reload."""
        return self._timed(lambda: self.page.reload(wait_until="commit"))

    def go_offline(self) -> None:
        """Wait until everything is kept that later starts use, then stop the server."""
        for mark in ("offline", "quick"):
            self.page.locator(f"html[data-{mark}=ready]").wait_for(state="attached", timeout=PATIENCE)
        self.served.stop()

    def close(self) -> None:
        self.browser.close()
        self.served.stop()

    def _timed(self, go) -> tuple[float, float]:
        cpu, start = self._cpu(), time.perf_counter()
        go()
        TAPS[self.name](self.page)
        return time.perf_counter() - start, self._cpu() - cpu

    def _cpu(self) -> float:
        """CPU seconds used so far by all processes that name this profile (Linux; elsewhere 0)."""
        total = 0
        for place in Path("/proc").glob("[0-9]*") if os.path.isdir("/proc") else ():
            try:
                if str(self.profile).encode() in (place / "cmdline").read_bytes():
                    total += sum(map(int, (place / "stat").read_text().rsplit(")", 1)[1].split()[11:15]))
            except OSError:
                continue  # it ended in between
        return total / os.sysconf("SC_CLK_TCK")


def run() -> dict:
    """Build both, measure both; {"ratios", "figures"}."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        return _run(Path(home), playwright)


def _run(home: Path, playwright) -> dict:
    print("building both apps", flush=True)
    made = {
        "spike": web.build(home / "spike", cache=CACHE, app=Path(__file__).parent / "spike"),
        "siltwatch": web.build(home / "siltwatch", cache=CACHE),
    }
    taken: dict[str, list[dict[str, tuple[float, float]]]] = {"cold": [], "offline": []}
    for turn in range(COLD):
        visits = {name: Visit(playwright, home, name, turn) for name in TAPS}
        _keep(taken, "cold", {name: visit.first() for name, visit in visits.items()})
        if turn == COLD - 1:
            for visit in visits.values():
                visit.go_offline()
            for visit in visits.values():
                visit.again()  # the first start from the cache compiles what later ones find compiled
            for _ in range(OFFLINE):
                _keep(taken, "offline", {name: visit.again() for name, visit in visits.items()})
        for visit in visits.values():
            visit.close()
    figures = {
        "first_load_mb_gzip": made["siltwatch"]["gzip_mb"],
        "first_load_mb_gzip_spike": made["spike"]["gzip_mb"],
    }
    for kind, pairs in taken.items():
        for name in TAPS:
            figures[f"{kind}_{name}_s"] = round(statistics.median(pair[name][0] for pair in pairs), 2)
            figures[f"{kind}_{name}_cpu_s"] = round(statistics.median(pair[name][1] for pair in pairs), 2)
        figures[f"{kind}_cpu_vs_spike"] = _ratio(pairs, 1)
    return {"ratios": {f"{kind}_vs_spike": _ratio(pairs, 0) for kind, pairs in taken.items()}, "figures": figures}


def _keep(taken: dict, kind: str, pair: dict[str, tuple[float, float]]) -> None:
    taken[kind].append(pair)
    print(kind, *(f"{name} {wall:.2f} s (CPU {cpu:.2f} s)" for name, (wall, cpu) in pair.items()), flush=True)


def _ratio(pairs: list[dict[str, tuple[float, float]]], at: int) -> float:
    """The median of the ratios of pairs that were measured one right after the other."""
    return round(statistics.median(pair["siltwatch"][at] / max(pair["spike"][at], 0.01) for pair in pairs), 2)
