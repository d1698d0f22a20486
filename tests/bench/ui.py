"""What the inspector waits for, in the real web app: the tap on an answer, the list of sites, opening an inspection.

``tap_vs_bare``: a tap on an answer until it is durable and repainted, over the same tap in a bare Flet page (``bare/``,
the same build, nothing stored) with as many controls that tells Flet which two of them changed; figure
``tap_vs_plain``: over a bare page that leaves that to Flet. ``tap_growth``: the tap with 1,000 inspections on the
tablet over the tap with 10. ``list_growth``: first paint of the list of sites at 10,000 sites over 100.
``open_growth``: opening an inspection of a site with 150 open findings over one with 10. ``heap_growth``: memory of the
interpreter (it never shrinks) after 30 photos of 12 megapixels over after 3. Figures: ``search_ms`` of work at 10,000
sites; ``shutter_ms`` from the press of the shutter until it is counted on the screen.

Every app has a browser and a server of its own. What is compared is measured in turn, a tap here and a tap there, and a
ratio is the median of the ratios of neighbours, so that a busy machine hurts both alike.
"""

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from PIL import Image
from playwright.sync_api import Playwright, sync_playwright

from field_app.packaging import web
from tests.bench._ui_page import BenchPage
from tests.support import tablet_day as day
from tests.support.server import Server
from tests.support.static_server import Served, free_port

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "cache" / "wheels"
SITE, OTHER = "site-01", "site-02"
TAPS, LISTS, OPENINGS, SHOTS = 24, 7, 7, 6
PLAIN, QUICKEST = (0, 2), (1, 3)  # items of the bare page
FEW, MANY = 10, 1_000
FEW_SITES, MANY_SITES = 100, 10_000
FEW_FINDINGS, MANY_FINDINGS = 10, 150
QUERIES = ("mill", "lot 98", "orchard 4", "ec-2026-09", "quarry terrace", "2710", "nowhere at all", "lake 77")


def say(words: str) -> None:
    print(f"ui: {words}", file=sys.stderr, flush=True)


class Tablet(BenchPage):
    """The app on a tablet of its own, enrolled, signed in, everything come down, and its server stopped."""

    def __init__(self, playwright: Playwright, home: Path, name: str, build: Path) -> None:
        self.server = Server(home / f"{name}-office", web=build, at=None).start()
        super().__init__(playwright, home / f"{name}-profile", self.server.address + "/app/")
        day.set_up(self.app, self.server.enrol_code(), self.server.personal_code("ada"))
        self.app.wait("status-safe")
        self.page.locator('html[data-offline="ready"]').wait_for(state="attached", timeout=120_000)
        self.server.stop()
        self.python(Path(__file__).with_name("_ui_data.py").read_text() + "\nNone")
        self.fact = self.python(f"json.dumps(await signed_inspection({OTHER!r}, {day.PIN!r}))")

    def close(self) -> None:
        super().close()
        self.server.stop()

    def begin(self) -> None:
        """A new inspection of SITE on the screen, at its first checklist."""
        self.draft = self.python(f"json.dumps(await begun({SITE!r}))")
        self.app.wait("card-tracking")
        self.app.quiet()

    def answers(self) -> list[tuple[str, str]]:
        """(not applicable, not observed) of the items that are on the screen."""
        ids = [one for one in self.app.ids("answer-") if one.endswith("-na")]
        return [(one, one.removesuffix("-na") + "-not_observed") for one in ids]


def in_turn(count: int, first: Callable[[int], float], second: Callable[[int], float], what: str) -> list[tuple]:
    """(first, second) milliseconds, measured one right after the other; which goes first changes."""
    pairs = []
    for n in range(count):
        ways = (first, second) if n % 2 else (second, first)
        taken = {way: way(n) for way in ways}
        pairs.append((taken[first], taken[second]))
    say(f"{what}: {median(a for a, _ in pairs):.0f} ms against {median(b for _, b in pairs):.0f} ms "
        f"({', '.join(f'{a:.0f}/{b:.0f}' for a, b in pairs)})")
    return pairs


def ratio(pairs: list[tuple]) -> float:
    return round(median(a / b for a, b in pairs), 3)


def answering(tablet: Tablet) -> Callable[[int], float]:
    """The n-th timed tap on an answer: down the screen item by item; an answer, another one, and that taken back."""
    pairs = tablet.answers()[:4]

    def tap(n: int) -> float:
        na, not_observed = pairs[n % len(pairs)]
        return tablet.timed_tap((na, not_observed, not_observed)[n // len(pairs) % 3])

    return tap


def bare_answering(page: BenchPage, items: tuple[int, int]) -> Callable[[int], float]:
    """The n-th timed tap on one of these items, each time another answer than before."""

    def tap(n: int) -> float:
        return page.timed_tap(f"answer-{items[n % 2]}-{('Not applicable', 'Not observed')[n // 2 % 2]}")

    return tap


def bare_page(playwright: Playwright, home: Path, controls: int, stack: ExitStack) -> BenchPage:
    """The bare page with so many controls, built and served."""
    app = home / "bare"
    shutil.copytree(Path(__file__).with_name("bare"), app)
    (app / "amount.py").write_text(f"CONTROLS = {controls}\n")
    web.build(home / "bare-web", cache=CACHE, app=app)
    served = Served(home / "bare-web", free_port()).start()
    stack.callback(served.stop)
    page = BenchPage(playwright, home / "bare-profile", served.address)
    stack.callback(page.close)
    page.app.wait("answer-0-Yes")
    page.app.quiet()
    return page


def list_opened(tablet: Tablet) -> float:
    """From Today to the first paint of the list."""
    tablet.python("window().go('today')\nNone")
    tablet.app.gone("site-search")
    tablet.app.quiet()
    return tablet.timed_tap("nav-sites", until="site-search")


def inspection_opened(tablet: Tablet) -> float:
    """From the site to the first paint of its inspection."""
    tablet.python(f"window().go('site', site={SITE!r})\nNone")
    tablet.app.wait("begin-inspection")
    tablet.app.quiet()
    return tablet.timed_tap("begin-inspection", until="saved")


def photo(seed: int) -> bytes:
    """A JPEG of 12 megapixels with something to see in it."""
    small = Image.effect_noise((400, 300), 60 + seed % 40).convert("RGB")
    out = io.BytesIO()
    small.resize((4000, 3000)).save(out, "JPEG", quality=88)
    return out.getvalue()


def photographing(tablet: Tablet, home: Path) -> dict[str, float]:
    """Shots with the app's own camera, then photos of 12 megapixels; the heap after 3 and after 30 of these."""
    item = tablet.answers()[0][0].removeprefix("answer-").removesuffix("-na")
    tablet.python(f"window().go('camera', draft={tablet.draft!r}, item={item!r})\nNone")
    tablet.app.wait("photos-kept-0")
    tablet.app.quiet()
    shots = []
    for n in range(SHOTS):
        shots.append(tablet.timed_tap("shutter", until=f"shots-asked-{n + 1}"))
        tablet.app.wait(f"photos-kept-{n + 1}")
    say(f"shutter: {', '.join(f'{one:.0f}' for one in shots)} ms")
    heap = {}
    for n in range(1, 31):
        file = home / f"photo-{n}.jpg"
        file.write_bytes(photo(n))
        tablet.app.choose_file("pick-photo", file)
        tablet.app.wait(f"photos-kept-{SHOTS + n}")
        if n in (3, 30):
            heap[n] = tablet.heap
    say(f"heap: {heap[3] >> 20} MB after 3 photos, {heap[30] >> 20} MB after 30")
    return {"shutter_ms": round(median(shots), 1), "heap_growth": round(heap[30] / heap[3], 3),
            "heap_mb": round(heap[30] / 2**20, 1)}


def measure(home: Path, playwright: Playwright, stack: ExitStack) -> dict:
    build = home / "web"
    web.build(build, cache=CACHE)
    small, large = (Tablet(playwright, home, name, build) for name in ("small", "large"))
    stack.callback(small.close)
    stack.callback(large.close)
    small.python(f"json.dumps(await more_sites({FEW_SITES}))")
    large.python(f"json.dumps(await more_sites({FEW_SITES}))")
    small.python(f"json.dumps(await more_inspections({FEW}, {small.fact!r}))")
    large.python(f"json.dumps(await more_inspections({MANY}, {large.fact!r}))")
    for tablet in (small, large):
        tablet.begin()
    controls = small.python("json.dumps(controls())")
    bare = bare_page(playwright, home, controls, stack)
    say(f"{controls} controls on the screen of the inspection")

    tap = answering(small)
    against_bare = in_turn(TAPS, tap, bare_answering(bare, QUICKEST), "tap, bare page at its quickest")
    against_plain = in_turn(TAPS, tap, bare_answering(bare, PLAIN), "tap, plain bare page")
    growth = in_turn(TAPS, answering(large), answering(small), f"tap at {MANY} inspections, at {FEW}")

    for tablet, count in ((large, MANY_FINDINGS), (small, FEW_FINDINGS)):
        tablet.python(f"await window().work.discard_draft({tablet.draft!r})\n"
                      f"json.dumps(await more_findings({SITE!r}, {count}))")
    opened = in_turn(OPENINGS, lambda n: inspection_opened(large), lambda n: inspection_opened(small),
                     f"opening with {MANY_FINDINGS} findings, with {FEW_FINDINGS}")

    large.python(f"json.dumps(await more_sites({MANY_SITES}))")
    lists = in_turn(LISTS, lambda n: list_opened(large), lambda n: list_opened(small),
                    f"list of {MANY_SITES} sites, of {FEW_SITES}")
    found = large.python(f"json.dumps(searches({QUERIES!r}, 5))")
    say(f"search: median {median(found):.1f} ms, worst {max(found):.1f} ms")

    small.python(f"await window().work.discard_draft((await window().work.begin_inspection({SITE!r})).id)\nNone")
    small.begin()
    pictures = photographing(small, home)
    taps = [a for a, _ in against_bare]
    return {
        "ratios": {"tap_vs_bare": ratio(against_bare), "tap_growth": ratio(growth), "list_growth": ratio(lists),
                   "open_growth": ratio(opened), "heap_growth": pictures["heap_growth"]},
        "figures": {"tap_ms": round(median(taps), 1), "tap_bare_ms": round(median(b for _, b in against_bare), 1),
                    "tap_plain_ms": round(median(b for _, b in against_plain), 1),
                    "tap_vs_plain": ratio(against_plain),
                    "controls": controls, "list_ms": round(median(a for a, _ in lists), 1),
                    "open_ms": round(median(a for a, _ in opened), 1), "search_ms": round(median(found), 1),
                    "search_worst_ms": round(max(found), 1), "shutter_ms": pictures["shutter_ms"],
                    "heap_mb": pictures["heap_mb"]},
    }


def run() -> dict:
    """{"ratios", "figures"}."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright, ExitStack() as stack:
        return measure(Path(home), playwright, stack)
