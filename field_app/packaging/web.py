"""Builds the installable web app from the flet-web package: no CDN, no Flutter SDK, the network only for wheels.

`python -m field_app.packaging.web --out build/web [--base-href /app/] [--test-clock]`

Invariants: the same inputs give the same bytes; every file of the result stands in `sw.js` with its SHA-256, so a
tablet takes all of a version or none of it; nothing in the result asks a foreign host for anything.
"""

import argparse
import gzip
import hashlib
import io
import json
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import flet_web

from field_app.packaging import wheels
from field_app.packaging.patches import patch
from field_app.packaging.stage import ROOT, stage
from sync.where import assets

NAME = "Siltwatch"
DESCRIPTION = "Erosion-control inspections and stop-work orders, with or without a network"
THEME = "#0b5d52"
BACKGROUND = "#f6f4ef"
ARCHIVE = "app.tar.gz"

# Of the client that flet-web ships, what a tablet never asks for: the other renderer, debug symbols, Pyodide's
# command line and installer (nothing is installed at start), fonts and scripts of extensions that we do not use.
UNUSED = (
    "*.symbols",
    "*.map",
    "*.d.ts",
    "main.dart.wasm",
    "main.dart.mjs",
    "skwasm*",
    "wimp*",
    "experimental_webparagraph",
    "flutter_service_worker.js",
    "flutter.js",
    "index.html",
    "manifest.json",
    "icons",
    "favicon.png",
    "python.exe",
    "python.bat",
    "python",
    "python_cli_entry.mjs",
    "pyodide.js",
    "micropip-*",
    "packaging-*",
    "flutter_math_fork",
    "cupertino_icons",
    "flutter_map",
    "media_kit",
)
FONTS = [
    {"family": "MaterialIcons", "fonts": [{"asset": "fonts/MaterialIcons-Regular.otf"}]},
    {"family": "Roboto", "fonts": [{"asset": "fonts/roboto.woff2"}]},
]
SPARE = Path("assets/fonts/spare")  # for signs that Roboto lacks
# Served, but not kept on the tablet: read by people, not by the app.
ONLINE_ONLY = ("assets/NOTICES", "assets/fonts/spare/LICENSES.txt")


def build(out: Path, *, base: str = "/app/", test_clock: bool = False, cache: Path, app: Path | None = None) -> dict:
    """Write the web app to `out` (made anew) and return {"version", "files", "gzip_mb"}.

    `app`: a folder with its own main.py to build instead of Siltwatch (the benchmark's spike app).
    """
    base = "/" + base.strip("/") + "/" if base.strip("/") else "/"
    fetched = wheels.fetch(cache)
    # Made beside its place and moved there whole: a server may be serving the build before.
    place, out = out, out.with_name(out.name + ".new")
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(flet_web.get_package_web_dir(), out, ignore=shutil.ignore_patterns(*UNUSED))
    patch(out)
    (out / "assets" / "FontManifest.json").write_text(json.dumps(FONTS), "utf-8")
    _slim_lock(out / "pyodide" / "pyodide-lock.json")
    (out / "icons").mkdir()
    for icon in sorted((assets() / "icons").glob("*-*.png")):
        shutil.copy(icon, out / "icons" / icon.name)
    shutil.copy(assets() / "icons" / "favicon.png", out / "favicon.png")
    shutil.copytree(assets() / "pwa" / "fonts", out / SPARE)
    (out / "manifest.json").write_text(json.dumps(_manifest(base), indent=2), "utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        staged = Path(scratch) / "app"
        if app is None:
            stage(staged, test_clock=test_clock)
        else:
            shutil.copytree(app, staged, ignore=shutil.ignore_patterns("__pycache__"))
        wheels.unpack(fetched, staged / "__pypackages__")
        (out / ARCHIVE).write_bytes(archive(staged))
    made = finish(out, base, test_clock)
    shutil.rmtree(place, ignore_errors=True)
    out.rename(place)
    return made


def finish(out: Path, base: str, test_clock: bool) -> dict:
    """Write the parts that name the version (page, start script, service worker) around the files in `out`."""
    parts = assets() / "pwa"
    for name in ("start.css", "focus.js", "papers.js", "quick.js", "image.js"):
        shutil.copy(parts / name, out / name)
    if test_clock:
        shutil.copy(ROOT / "tests" / "support" / "set_clock.js", out / "set_clock.js")
    megabytes = round(first_load_mb(out))
    words = {
        "base": base,
        "name": NAME,
        "description": DESCRIPTION,
        "theme": THEME,
        "archive": ARCHIVE,
        "megabytes": str(megabytes),
        "bytes": str(sum(path.stat().st_size for path in _files(out) if _loaded_first(path.relative_to(out)))),
        "extra": '\n  <script src="set_clock.js"></script>' if test_clock else "",
    }
    python = "".join(wheels.sha256(path) for path in sorted((out / "pyodide").glob("*")))
    words["python"] = hashlib.sha256(python.encode()).hexdigest()[:12]
    templates = {name: (parts / name).read_text("utf-8") for name in ("index.html", "start.js", "sw.js")}
    version = hashlib.sha256()
    for path in _files(out):
        version.update(f"{path.relative_to(out).as_posix()} {wheels.sha256(path)}\n".encode())
    for name, text in templates.items():
        version.update(f"{name} {fill(text, {**words, 'version': '', 'files': ''})}\n".encode())
    words["version"] = version.hexdigest()[:12]
    for name in ("index.html", "start.js"):
        (out / name).write_text(fill(templates[name], words), "utf-8")
    table = {
        path.relative_to(out).as_posix(): [wheels.sha256(path), path.stat().st_size, kit(path.relative_to(out))]
        for path in _files(out)
        if path.relative_to(out).as_posix() not in ONLINE_ONLY
    }
    (out / "sw.js").write_text(fill(templates["sw.js"], {**words, "files": json.dumps(table, indent=1)}), "utf-8")
    return {"version": words["version"], "files": len(table), "gzip_mb": first_load_mb(out)}


def fill(template: str, words: dict[str, str]) -> str:
    """The template with each {{word}} replaced. Raises KeyError for a word that is not given."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], template)


def kit(path: Path) -> str:
    """Which drawing engine a file belongs to: "chromium", "full", or "" when every browser needs it; "spare" for fonts
    that are fetched once the app is whole."""
    if path.parts[:3] == SPARE.parts:
        return "spare"
    if path.parts[0] != "canvaskit":
        return ""
    return "chromium" if path.parts[1] == "chromium" else "full"


def _loaded_first(place: Path, engine: str = "chromium") -> bool:
    """Whether a first visit fetches the file."""
    return kit(place) in ("", engine) and place.as_posix() not in ONLINE_ONLY


def first_load_mb(out: Path, engine: str = "chromium") -> float:
    """Megabytes (10^6) that a first visit moves, every file gzipped as a server would send it."""
    total = 0
    for path in _files(out):
        if _loaded_first(path.relative_to(out), engine):
            total += _gzipped(path)
    return round(total / 1e6, 2)


_sizes: dict[str, int] = {}  # SHA-256 -> gzipped size: most files are the same from build to build


def _gzipped(path: Path) -> int:
    digest = wheels.sha256(path)
    if digest not in _sizes:
        data = path.read_bytes()
        _sizes[digest] = min(len(data), len(gzip.compress(data, 6, mtime=0)))
    return _sizes[digest]


def _files(out: Path) -> list[Path]:
    return sorted(path for path in out.rglob("*") if path.is_file() and path.name != "sw.js")


def archive(folder: Path) -> bytes:
    """A gzipped tar of `folder` whose bytes depend on nothing but names and contents."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.size = path.stat().st_size
            entry.mode = 0o644
            with path.open("rb") as file:
                tar.addfile(entry, file)
    return gzip.compress(raw.getvalue(), 9, mtime=0)


def _slim_lock(path: Path) -> None:
    """Pyodide reads its package list at each start; we install none of them, so the list stays empty."""
    lock = json.loads(path.read_text("utf-8"))
    lock["packages"] = {}
    path.write_text(json.dumps(lock), "utf-8")


def _manifest(base: str) -> dict:
    def icon(name: str, size: int, purpose: str) -> dict:
        return {"src": f"icons/{name}-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}

    return {
        "name": NAME,
        "short_name": NAME,
        "description": DESCRIPTION,
        "id": base,
        "start_url": base,
        "scope": base,
        "display": "standalone",
        "orientation": "any",
        "background_color": BACKGROUND,
        "theme_color": THEME,
        "prefer_related_applications": False,
        "icons": [
            icon("icon", 192, "any"),
            icon("icon", 512, "any"),
            icon("icon-maskable", 192, "maskable"),
            icon("icon-maskable", 512, "maskable"),
        ],
    }


def main() -> None:
    """Build the web app of the tablet."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("--out", type=Path, default=Path("build/web"))
    ask.add_argument("--base-href", default="/app/", help="the path it is served under")
    ask.add_argument("--cache", type=Path, default=Path("build/cache/wheels"), help="downloaded packages are kept here")
    ask.add_argument("--test-clock", action="store_true", help="for this project's own tests: a clock that can be set")
    chosen = ask.parse_args()
    try:
        made = build(chosen.out, base=chosen.base_href, test_clock=chosen.test_clock, cache=chosen.cache)
    except wheels.WheelError as error:
        sys.exit(f"The web app was not built. {error}")
    print(f"{chosen.out}: version {made['version']}, {made['files']} files, {made['gzip_mb']} MB for a first visit")


if __name__ == "__main__":
    main()
