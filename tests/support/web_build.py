"""The web app as the browser tests use it: the release's own build with a clock that can be set, made once per run."""

import fcntl
import os
from pathlib import Path

from field_app.packaging import web

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "build" / "web-test"
SOURCES = ("field_app", "sync", "assets", "tests/support/set_clock.py", "tests/support/set_clock.js")


def _newest_source() -> float:
    places = [ROOT / name for name in SOURCES]
    found = [path for place in places for path in ([place] if place.is_file() else place.rglob("*"))]
    return max(path.stat().st_mtime for path in found if path.is_file() and "__pycache__" not in path.parts)


def test_build() -> Path:
    """The folder with the build; made anew when a source is newer. Processes that ask at once wait for one another."""
    PLACE.parent.mkdir(exist_ok=True)
    with open(PLACE.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = PLACE / "index.html"
        if not made.exists() or made.stat().st_mtime < _newest_source():
            web.build(PLACE, cache=ROOT / "build" / "cache" / "wheels", test_clock=True)
            os.utime(made)
    return PLACE


test_build.__test__ = False
