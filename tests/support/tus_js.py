"""tus-js-client, the client that browsers use, run by Node as a process of its own.

It is installed once from its lock file into build/uploads_js, and again only when that file changes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCE, PLACE = ROOT / "tests" / "uploads_js", ROOT / "build" / "uploads_js"


def install() -> Path:
    """The folder with the client in it. Raises RuntimeError with what is missing."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise RuntimeError(f"the program {program!r} is needed (Debian: apt-get install nodejs npm)")
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may want it at once
        mark, lock_file = PLACE / "installed", SOURCE / "package-lock.json"
        wanted = hashlib.sha256(lock_file.read_bytes()).hexdigest()
        if not mark.exists() or mark.read_text() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(SOURCE / name, PLACE / name)
            done = subprocess.run(
                ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], cwd=PLACE,
                capture_output=True, text=True, timeout=300)
            if done.returncode:
                raise RuntimeError(f"npm could not install tus-js-client:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            mark.write_text(wanted)
        shutil.copy(SOURCE / "upload.mjs", PLACE / "upload.mjs")
    return PLACE


def upload(**ask: Any) -> dict[str, Any]:
    """Runs ``upload.mjs`` with what it is asked; gives what it tells."""
    done = subprocess.run(["node", "upload.mjs", json.dumps(ask)], cwd=PLACE, capture_output=True, text=True,
                          timeout=120)
    if not done.stdout.strip():
        raise RuntimeError(f"it ended without a word: {done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
