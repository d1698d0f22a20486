"""Fetches the Python packages that the web app carries, pinned by hash, and unpacks what is used of them.

Invariant: nothing enters a bundle whose SHA-256 is not in `constraints-web.txt`. Downloads are kept in a cache
folder under their own file names, so that a second build needs no network. The list names no package index:
pip asks whichever index the machine is set up with.

Run `python -m field_app.packaging.wheels --lock` to write the list anew after changing `WANTED` or
`constraints.txt` (versions come from there, so that the tablet runs what the tests ran).
"""

import argparse
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

CONSTRAINTS = Path(__file__).with_name("constraints-web.txt")
PLATFORM = "pyemscripten_2026_0_wasm32"  # the ABI of the Pyodide inside flet-web 1.0.5
PYTHON = "3.14"

# What the tablet imports in the browser. No Pillow (the canvas does its work; there is no such wheel), no httpx
# and no oauthlib (excluded there by flet's own markers).
WANTED = (
    "flet",
    "flet-audio-recorder",
    "flet-camera",
    "flet-geolocator",
    "flet-map",
    "msgpack",
    "repath",
    "six",
    "tinydb",
    "requests",
    "urllib3",
    "charset-normalizer",
    "idna",
    "certifi",
    "fpdf2",
    "fonttools",
    "defusedxml",
    "segno",
    "tzdata",
)

# Parts of those wheels that the app cannot reach: test helpers, command lines, type stubs, the Dart sources of
# the camera and position extensions (already compiled into the client), file formats of font editors.
UNUSED = re.compile(
    r"""
      \.pyi$ | /py\.typed$ | ^flutter/ | \.dist-info/(?!METADATA$|licenses/|LICEN[CS]E) | \.data/
    | ^flet/(testing|fastapi)/ | ^flet/(cli|pytest_plugin)\.py$
    | ^tinydb/mypy_plugin\.py$ | ^segno/__main__\.py$
    | ^fontTools/(ufoLib|voltLib|mtiLib|merge)/ | ^fontTools/(ttx|tfmLib|afmLib|__main__)\.py$
    """,
    re.VERBOSE,
)


class WheelError(Exception):
    """A package could not be had, or is not the one that was pinned."""


def pinned(text: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Package name -> (version, SHA-256 hashes) of a hash-pinned requirement list."""
    found = {}
    for line in text.replace("\\\n", " ").splitlines():
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        match = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)", line)
        if not match:
            raise WheelError(f"not a pinned requirement: {line!r}")
        found[match[1].lower()] = (match[2], frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", line)))
    return found


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(cache: Path, constraints: Path = CONSTRAINTS) -> list[Path]:
    """The wheels of the list, in its order; from `cache` when all are there, else by pip.

    Raises WheelError when pip cannot get one or one has other bytes than were pinned.
    """
    wanted = pinned(constraints.read_text("utf-8"))
    cache.mkdir(parents=True, exist_ok=True)
    found = _held(cache, wanted)
    if len(found) < len(wanted):
        _pip_download(cache, ["--require-hashes", "-r", str(constraints)])
        found = _held(cache, wanted)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise WheelError(f"pip fetched no file with the pinned hash for: {', '.join(missing)}")
    return [found[name] for name in wanted]


def _held(cache: Path, wanted: dict[str, tuple[str, frozenset[str]]]) -> dict[str, Path]:
    by_hash = {sha256(path): path for path in cache.glob("*.whl")}
    return {
        name: by_hash[digest] for name, (_, hashes) in wanted.items() for digest in hashes if digest in by_hash
    }


def _pip_download(cache: Path, what: list[str]) -> None:
    tags = ["--platform", PLATFORM, "--python-version", PYTHON, "--implementation", "cp"]
    tags += ["--abi", "cp314", "--abi", "abi3", "--abi", "none"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *tags]
    command += ["--dest", str(cache), *what]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise WheelError(
            f"pip could not fetch the packages of the web app (needs the network once):\n{done.stderr}"
        )


def unpack(wheels: list[Path], target: Path) -> None:
    """Unpack the used parts of the wheels into one folder, as `pip install --target` would lay them out."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for info in archive.infolist():
                if info.is_dir() or UNUSED.search(info.filename):
                    continue
                place = target / info.filename
                if not place.resolve().is_relative_to(target.resolve()):
                    raise WheelError(f"{wheel.name} wants to write outside its folder: {info.filename}")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(info))


def lock(cache: Path, versions: Path, wanted: tuple[str, ...] = WANTED) -> str:
    """The text of a hash-pinned list: `wanted` at the versions of `versions`. Downloads them all anew."""
    known = pinned(versions.read_text("utf-8"))
    requirements = [f"{name}=={known[name][0]}" for name in wanted]
    scratch = cache / "lock"
    scratch.mkdir(parents=True, exist_ok=True)
    for old in scratch.glob("*.whl"):
        old.unlink()
    _pip_download(scratch, requirements)
    by_name = {path.name.split("-")[0].lower().replace("_", "-"): path for path in scratch.glob("*.whl")}
    lines = [f"# For {PLATFORM}, Python {PYTHON}. Written by a --lock command, not by hand."]
    for requirement in requirements:
        path = by_name[requirement.split("==")[0]]
        lines += [f"{requirement} \\", f"    --hash=sha256:{sha256(path)}"]
        path.replace(cache / path.name)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Fetch the wheels into a cache folder, or write the list anew."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("--cache", type=Path, default=Path("build/cache/wheels"))
    ask.add_argument("--lock", action="store_true", help="write constraints-web.txt anew")
    chosen = ask.parse_args()
    if chosen.lock:
        CONSTRAINTS.write_text(lock(chosen.cache, CONSTRAINTS.parents[2] / "constraints.txt"), "utf-8")
    for wheel in fetch(chosen.cache):
        print(wheel.name)


if __name__ == "__main__":
    main()
