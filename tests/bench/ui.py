"""What the inspector waits for, in the real web app: the tap on an answer, the list of sites, opening an inspection.

``tap_vs_bare``: a tap on an answer until it is durable and repainted, over the same tap in a bare Flet page (``bare/``,
the same build, nothing stored) with as many controls that tells Flet which two of them changed; figure
``tap_vs_plain``: over a bare page that leaves that to Flet. ``tap_growth``: the tap with 1,000 inspections on the
tablet over the tap with 10. ``list_growth``: first paint of the list of sites at 10,000 sites over 100.
``open_growth``: opening an inspection of a site with 150 open findings over one with 10. ``heap_growth``: memory of the
interpreter (it never shrinks) after 30 photos over after 3, the worse of shots of the app's own camera and of chosen
files of 12 megapixels. ``shutter_vs_bare``: from the press of the shutter until it is counted on the screen, over the
tap in the bare page; figures ``shutter_ms``, ``burst_ms`` for presses while earlier photos are still being kept, and
``shutter_work_ms``: the app's own work in them, from the tap's message coming in until the answer leaves.
Figures ``search_ms``: work of a search at 10,000 sites, the middle one of five runs of each query and of eight queries;
``search_worst_ms``: the worst query; ``search_first_ms``: first runs.

Every app has a browser and a server of its own. What is compared is measured in turn, a tap here and a tap there, and a
ratio is the median of the ratios of neighbours, so that a busy machine hurts both alike. ``python -m tests.bench ui
search photos`` measures these parts alone; a part that fails is told on stderr and left out, the others stand.
"""

import io
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from statistics import median

from PIL import Image
from playwright.sync_api import Playwright, sync_playwright

from field_app.packaging import web
from tests.bench._parts import measured
from tests.bench._parts import say as tell
from tests.bench._ui_page import BenchPage
from tests.support import tablet_day as day
from tests.support.server import Server
from tests.support.static_server import Served, free_port
from tests.support.web_build import test_build

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "cache" / "wheels"
BARE = ROOT / "build" / "bench" / "bare"
SITE, OTHER = "site-01", "site-02"
TAPS, LISTS, OPENINGS, SHOTS, BURST, PHOTOS = 16, 5, 5, 6, 6, 30
PLAIN, QUICKEST = (0, 2), (1, 3)  # items of the bare page
FEW, MANY = 10, 1_000
FEW_SITES, MANY_SITES = 100, 10_000
FEW_FINDINGS, MANY_FINDINGS = 10, 150
WINDOW = 20  # rows of the list that are made at first
QUERIES = ("mill", "lot 98", "orchard 4", "ec-2026-09", "quarry terrace", "2710", "nowhere at all", "lake 77")
ROUNDS = 5
say = partial(tell, "ui")


class Tablet(BenchPage):
    """The app on a tablet of its own, enrolled, signed in, everything come down, and its server stopped."""

    def __init__(self, playwright: Playwright, home: Path, name: str, stack: ExitStack) -> None:
        self.server = Server(home / f"{name}-office", web=test_build(), at=None).start()
        stack.callback(self.server.stop)  # also when what follows fails
        super().__init__(playwright, home / f"{name}-profile", self.server.address + "/app/")
        day.set_up(self.app, self.server.enrol_code(), self.server.personal_code("ada"))
        self.app.wait("status-safe")
        self.python(Path(__file__).with_name("_ui_data.py").read_text() + "\nNone")
        self.python(f"json.dumps(await more_sites({FEW_SITES}))")
        for kept in ("offline", "quick"):  # what the app does for later starts is done before anything is measured
            self.page.locator(f"html[data-{kept}]").wait_for(state="attached", timeout=self.app.patience * 1000)
        self.server.stop()
        self.fact = self.python(f"json.dumps(await signed_inspection({OTHER!r}, {day.PIN!r}))")
        self.draft: str | None = None
        say(f"tablet {name} is ready")

    def begin(self) -> None:
        """A new inspection of SITE on the screen, at its first checklist."""
        self.give_up()
        self.draft = self.python(f"json.dumps(await begun({SITE!r}))")
        self.app.wait("card-tracking")
        self.app.quiet()

    def give_up(self) -> None:
        """The inspection that is under way is thrown away."""
        if self.draft:
            self.python(f"window().go('today')\nawait window().work.discard_draft({self.draft!r})\nNone")
        self.draft = None

    def answers(self) -> list[tuple[str, str]]:
        """(not applicable, not observed) of the items that are on the screen."""
        ids = [one for one in self.app.ids("answer-") if one.endswith("-na")]
        return [(one, one.removesuffix("-na") + "-not_observed") for one in ids]


Way = Callable[[int], float]


def in_turn(count: int, what: str, **ways: Way) -> dict[str, list[float]]:
    """Milliseconds by way, measured one right after the other; which goes first changes."""
    names, taken = list(ways), {name: [] for name in ways}
    for n in range(count):
        for name in names[n % len(names) :] + names[: n % len(names)]:
            taken[name].append(ways[name](n))
    said = "; ".join(f"{name} {median(ms):.0f} ({' '.join(f'{one:.0f}' for one in ms)})" for name, ms in taken.items())
    say(f"{what}: {said} ms")
    return taken


def ratio(upper: list[float], lower: list[float]) -> float:
    return round(median(a / b for a, b in zip(upper, lower, strict=True)), 3)


def answering(tablet: Tablet) -> Way:
    """The n-th timed tap on an answer: down the screen item by item; an answer, another one, and that taken back."""
    pairs = tablet.answers()[:4]

    def tap(n: int) -> float:
        na, not_observed = pairs[n % len(pairs)]
        return tablet.timed_tap((na, not_observed, not_observed)[n // len(pairs) % 3])

    return tap


def bare_answering(page: BenchPage, items: tuple[int, int]) -> Way:
    """The n-th timed tap on one of these items, each time another answer than before."""

    def tap(n: int) -> float:
        return page.timed_tap(f"answer-{items[n % 2]}-{('Not applicable', 'Not observed')[n // 2 % 2]}")

    return tap


def bare_build() -> Path:
    """The bare page, built anew when one of its sources is newer."""
    sources = (Path(__file__).with_name("bare"), ROOT / "field_app" / "packaging", ROOT / "assets")
    newest = max(path.stat().st_mtime for place in sources for path in place.rglob("*") if path.suffix != ".pyc")
    if not BARE.exists() or BARE.stat().st_mtime < newest:
        BARE.parent.mkdir(parents=True, exist_ok=True)
        web.build(BARE, cache=CACHE, app=Path(__file__).with_name("bare"))
    return BARE


def photos(count: int) -> list[bytes]:
    """JPEGs of 12 megapixels with something to see in them, of about 3 MB; each has other bytes."""
    out = io.BytesIO()
    Image.effect_noise((1000, 750), 70).convert("RGB").resize((4000, 3000)).save(out, "JPEG", quality=88)
    plain = out.getvalue()
    return [plain[:2] + b"\xff\xfe\x00\x04" + n.to_bytes(2, "big") + plain[2:] for n in range(count)]


class Bench:
    """Each part measures by itself and gives (ratios, figures); the apps are started when a part first needs them."""

    def __init__(self, home: Path, playwright: Playwright, stack: ExitStack) -> None:
        self._home, self._playwright, self._stack = home, playwright, stack

    def _tablet(self, name: str) -> Tablet:
        tablet = Tablet(self._playwright, self._home, name, self._stack)
        self._stack.callback(tablet.close)
        return tablet

    @cached_property
    def small(self) -> Tablet:
        return self._tablet("small")

    @cached_property
    def large(self) -> Tablet:
        return self._tablet("large")

    @cached_property
    def bare(self) -> BenchPage:
        """The bare page with as many controls as an inspection has."""
        if self.small.draft is None:
            self.small.begin()
        self.controls = self.small.python("json.dumps(controls())")
        served = Served(bare_build(), free_port()).start()
        self._stack.callback(served.stop)
        page = BenchPage(self._playwright, self._home / "bare-profile", f"{served.address}#/{self.controls}")
        self._stack.callback(page.close)
        page.app.wait("answer-0-Yes")
        page.app.quiet()
        return page

    def taps(self) -> tuple[dict, dict]:
        self.small.python(f"json.dumps(await more_inspections({FEW}, {self.small.fact!r}))")
        self.large.python(f"json.dumps(await more_inspections({MANY}, {self.large.fact!r}))")
        for tablet in (self.small, self.large):
            tablet.begin()
        ways = {"few": answering(self.small), "bare": bare_answering(self.bare, QUICKEST),
                "many": answering(self.large), "plain": bare_answering(self.bare, PLAIN)}
        ms = in_turn(TAPS, f"tap with {FEW} inspections, in the bare page, with {MANY}, in a plain bare page", **ways)
        return ({"tap_vs_bare": ratio(ms["few"], ms["bare"]), "tap_growth": ratio(ms["many"], ms["few"])},
                {"tap_ms": round(median(ms["few"]), 1), "tap_bare_ms": round(median(ms["bare"]), 1),
                 "tap_plain_ms": round(median(ms["plain"]), 1), "tap_vs_plain": ratio(ms["few"], ms["plain"]),
                 "tap_many_ms": round(median(ms["many"]), 1), "controls": self.controls})

    def openings(self) -> tuple[dict, dict]:
        for tablet, count in ((self.large, MANY_FINDINGS), (self.small, FEW_FINDINGS)):
            tablet.give_up()
            tablet.python(f"json.dumps(await more_findings({SITE!r}, {count}))")

        def opened(tablet: Tablet) -> float:
            """From the site to the first paint of its inspection."""
            tablet.python(f"window().go('site', site={SITE!r})\nNone")
            tablet.app.wait("begin-inspection")
            tablet.app.quiet()
            return tablet.timed_tap("begin-inspection", until="saved")

        ms = in_turn(OPENINGS, f"opening with {MANY_FINDINGS} findings and with {FEW_FINDINGS}",
                     many=lambda n: opened(self.large), few=lambda n: opened(self.small))
        for tablet in (self.large, self.small):  # it was the same inspection each time: opened, not begun anew
            tablet.python(f"window().go('today')\nawait discard_all({SITE!r})\nNone")
        return {"open_growth": ratio(ms["many"], ms["few"])}, {"open_ms": round(median(ms["many"]), 1)}

    def lists(self) -> tuple[dict, dict]:
        self.large.python(f"json.dumps(await more_sites({MANY_SITES}))")

        def opened(tablet: Tablet) -> float:
            """From Today to the first paint of the list."""
            tablet.python("window().go('today')\nNone")
            tablet.app.gone("site-search")
            tablet.app.quiet()
            return tablet.timed_tap("nav-sites", until="site-search")

        ms = in_turn(LISTS, f"list of {MANY_SITES} sites and of {FEW_SITES}",
                     many=lambda n: opened(self.large), few=lambda n: opened(self.small))
        return {"list_growth": ratio(ms["many"], ms["few"])}, {"list_ms": round(median(ms["many"]), 1)}

    def search(self) -> tuple[dict, dict]:
        self.large.python(f"json.dumps(await more_sites({MANY_SITES}))")
        self.large.python("window().go('today')\nNone")
        self.large.app.quiet()
        found = self.large.python(f"json.dumps(await searches({QUERIES!r}, {ROUNDS}, {WINDOW}))")
        usual, first = [median(taken) for taken in found.values()], [taken[0] for taken in found.values()]
        told = "; ".join(f"{query!r} {' '.join(f'{one:.0f}' for one in taken)}" for query, taken in found.items())
        say(f"search among {MANY_SITES} sites: {told} ms")
        return {}, {"search_ms": round(median(usual), 1), "search_worst_ms": round(max(usual), 1),
                    "search_first_ms": round(median(first), 1)}

    def shutter(self) -> tuple[dict, dict]:
        """Shots with the app's own camera: one by one, and as quickly as they are answered."""
        camera, bare = self._camera(), bare_answering(self.bare, QUICKEST)

        camera.python("answers = Answers()\nNone")
        work: list[float] = []

        def press(n: int) -> float:
            camera.python("answers.wait()\nNone")
            taken = camera.timed_tap("shutter", until=f"shots-asked-{n + 1}")
            work.append(camera.python("json.dumps(answers.ms)"))
            return taken

        def shot(n: int) -> float:
            taken = press(n)
            camera.app.wait(f"photos-kept-{n + 1}")
            camera.app.quiet()
            return taken

        ms = in_turn(SHOTS, "shutter, and tap in the bare page", shutter=shot, bare=bare)
        burst = [press(SHOTS + n) for n in range(BURST)]
        camera.app.wait(f"photos-kept-{SHOTS + BURST}")
        say(f"shutter in a burst: {' '.join(f'{one:.0f}' for one in burst)} ms")
        say(f"of that the app's own work: {' '.join(f'{one:.1f}' for one in work)} ms")
        return ({"shutter_vs_bare": ratio(ms["shutter"], ms["bare"])},
                {"shutter_ms": round(median(ms["shutter"]), 1), "burst_ms": round(median(burst), 1),
                 "shutter_work_ms": round(median(work), 1), "shutter_work_worst_ms": round(max(work), 1)})

    def heap(self) -> tuple[dict, dict]:
        """Shots of the app's own camera, then photos of 12 megapixels that are chosen, one after the other."""
        camera, file = self._camera(), self._home / "photo.jpg"
        chosen = iter(photos(PHOTOS))

        def shoot() -> None:
            camera.app.tap("shutter")

        def choose() -> None:
            file.write_bytes(next(chosen))
            camera.app.choose_file("pick-photo", file)

        growth = {}
        for how in (shoot, choose):
            before, heap = int(camera.app.ids("photos-kept-")[0].removeprefix("photos-kept-")), []
            for n in range(1, PHOTOS + 1):
                how()
                camera.app.wait(f"photos-kept-{before + n}")
                camera.app.quiet()
                heap.append(camera.heap)
            growth[how.__name__] = heap[-1] / heap[2]
            say(f"heap after each photo ({how.__name__}): {' '.join(f'{one / 2**20:.1f}' for one in heap)} MB")
        return {"heap_growth": round(max(growth.values()), 3)}, {"heap_mb": round(camera.heap / 2**20, 1)}

    def _camera(self) -> Tablet:
        """The small tablet with its camera open in an inspection."""
        tablet = self.small
        if not tablet.app.there("pick-photo"):
            tablet.begin()
            item = tablet.answers()[0][0].removeprefix("answer-").removesuffix("-na")
            tablet.python(f"window().go('camera', draft={tablet.draft!r}, item={item!r})\nNone")
            tablet.app.wait("photos-kept-0")
            tablet.app.quiet()
        return tablet


PARTS = ("taps", "openings", "lists", "search", "shutter", "heap")


def run(*only: str) -> dict:
    """{"ratios", "figures"} of all parts, or of those named."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright, ExitStack() as stack:
        ratios, figures = measured("ui", Bench(Path(home), playwright, stack), PARTS, only)
    return {"ratios": ratios, "figures": figures}
