"""Waits until nobody holds the room any more, then ends the PostgreSQL of the tests and removes its folder.

``python postgresql_end.py ROOM PLACE``. Of the standard library alone: it waits as long as the run takes.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import sys
import time
from pathlib import Path


def main(room: Path, place: Path) -> None:
    with room.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        about = place / "data" / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError):
            os.kill(int(about.read_text().split()[0]), signal.SIGQUIT)
        until = time.monotonic() + 60
        while about.exists() and time.monotonic() < until:
            time.sleep(0.02)
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
