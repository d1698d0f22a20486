"""How long the web app takes from its address to the first tap answered, over the same in a spike app.

The spike is the smallest Flet app that touches the same services, built by the same build. "Cold" is a first visit
with an empty browser profile; "offline" is a reload with the server process stopped, as on every day after the first
(both apps then start from their image, quick.js). The tap: in the spike a button
that changes a text; in Siltwatch the first thing its first screen takes, a letter in the code field, which Python
answers by enabling the button. Each app runs in turn, so that a busy machine hurts both alike; medians are compared.
"""

import shutil
import statistics
import tempfile
import time
from pathlib import Path

from field_app.packaging import web
from tests.support.chromium import browser, by_id
from tests.support.static_server import Served, free_port

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "cache" / "wheels"
COLD, OFFLINE = 3, 5
PATIENCE = 120_000


def tap_spike(page) -> None:
    button = by_id(page, "first-tap").locator("xpath=descendant-or-self::*[@role='button']").first
    button.click(timeout=PATIENCE)
    page.get_by_text("answered").first.wait_for(state="attached", timeout=PATIENCE)


def tap_siltwatch(page) -> None:
    field = by_id(page, "enrol-code").locator("xpath=descendant-or-self::input").first
    field.click(timeout=PATIENCE)
    page.keyboard.type("A")
    button = by_id(page, "enrol").locator("xpath=descendant-or-self::*[@role='button' and not(@aria-disabled='true')]")
    button.first.wait_for(state="attached", timeout=PATIENCE)


TAPS = {"spike": tap_spike, "siltwatch": tap_siltwatch}


def run() -> dict:
    """Build both, measure both; {"ratios", "figures"}."""
    with tempfile.TemporaryDirectory() as home:
        return _run(Path(home))


def _run(home: Path) -> dict:
    print("building both apps", flush=True)
    made = {
        "spike": web.build(home / "spike", cache=CACHE, app=Path(__file__).parent / "spike"),
        "siltwatch": web.build(home / "siltwatch", cache=CACHE),
    }
    cold: dict[str, list[float]] = {name: [] for name in TAPS}
    offline: dict[str, list[float]] = {name: [] for name in TAPS}
    for turn in range(COLD):
        for name in TAPS:
            took = _visit(home, name, reloads=OFFLINE if turn == COLD - 1 else 0)
            cold[name].append(took[0])
            offline[name] += took[1:]
            print(f"{name}: cold {took[0]:.2f} s", *(f"offline {each:.2f} s" for each in took[1:]), flush=True)
    middle = {
        kind: {name: statistics.median(values) for name, values in taken.items()}
        for kind, taken in (("cold", cold), ("offline", offline))
    }
    figures = {
        f"{kind}_{name}_s": round(middle[kind][name], 2) for kind in ("cold", "offline") for name in TAPS
    }
    return {
        "ratios": {
            "cold_vs_spike": round(middle["cold"]["siltwatch"] / middle["cold"]["spike"], 2),
            "offline_vs_spike": round(middle["offline"]["siltwatch"] / middle["offline"]["spike"], 2),
        },
        "figures": {
            "first_load_mb_gzip": made["siltwatch"]["gzip_mb"],
            "first_load_mb_gzip_spike": made["spike"]["gzip_mb"],
            **figures,
        },
    }


def _visit(home: Path, name: str, *, reloads: int) -> list[float]:
    """Seconds of one first visit with an empty profile, then of `reloads` starts with the server stopped."""
    profile = home / f"profile-{name}"
    took = []
    with Served(home / name, free_port()) as served, browser(profile) as one:
        page = one.open()
        took.append(_timed(lambda: page.goto(served.address, wait_until="commit"), TAPS[name], page))
        if reloads:
            page.locator("html[data-offline=ready]").wait_for(state="attached", timeout=PATIENCE)
            page.locator("html[data-quick=ready]").wait_for(state="attached", timeout=PATIENCE)
            served.stop()
            page.reload()  # the first start from the cache compiles what later ones find compiled
            TAPS[name](page)
            for _ in range(reloads):
                page.wait_for_timeout(1500)
                took.append(_timed(lambda: page.reload(wait_until="commit"), TAPS[name], page))
    shutil.rmtree(profile, ignore_errors=True)
    return took


def _timed(go, tap, page) -> float:
    start = time.perf_counter()
    go()
    tap(page)
    return time.perf_counter() - start
