"""The real server as a process of its own, with the one thing a release has not: a clock that a test sets.

``python -m tests.support.server_process --data D --port N [--clock FILE] [--web DIR]`` opens (or sets up) the demo
city and serves it. The clock reads FILE each time it is asked (see ``FileClock``); without one it is the machine's.
"""

from __future__ import annotations

import argparse
import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sync.server.app import compose
from sync.server.clock import SystemClock
from sync.server.demo import open_demo
from sync.server.serving import listen, only_server, run
from sync.server.settings import Settings


class FileClock:
    """Reads the time from a file: ``{"at": ISO time}`` stands still, ``{"ahead_s": n}`` runs ahead of the machine.

    Without the file it is the machine's clock.
    """

    def __init__(self, path: Path):
        self._path = path

    def now(self) -> datetime:
        try:
            said = json.loads(self._path.read_text())
        except FileNotFoundError:
            said = {}
        if "at" in said:
            return datetime.fromisoformat(said["at"]).astimezone(UTC)
        return datetime.now(UTC) + timedelta(seconds=said.get("ahead_s", 0))


def main() -> None:
    ask = argparse.ArgumentParser()
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--port", type=int, required=True)
    ask.add_argument("--clock", type=Path)
    ask.add_argument("--web", type=Path)
    asked = ask.parse_args()
    logging.basicConfig(level=logging.WARNING)
    settings = Settings(data=asked.data, port=asked.port, web=asked.web)
    taken = listen(settings)
    only_server(settings.data)
    clock = FileClock(asked.clock) if asked.clock else SystemClock()
    city, _ = open_demo(settings.data, clock, settings.address, serving=True)
    only_server(settings.data)
    run(compose(city, settings), settings, taken, lambda: print("ready", flush=True))


if __name__ == "__main__":
    main()
