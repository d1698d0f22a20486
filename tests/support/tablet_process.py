"""The tablet app in server mode as a process of its own, with a clock that a test sets (a release has none).

``python -m tests.support.tablet_process --clock FILE`` reads the same file as the server's test clock; the rest of
what it needs comes from the environment, as in development (SILTWATCH_TABLET_DATA, SILTWATCH_SERVER, FLET_SERVER_PORT).
"""

from __future__ import annotations

import argparse
import secrets
import time
from functools import partial
from pathlib import Path

import flet as ft

from field_app.main import main
from tests.support.server_process import FileClock


class TabletClock(FileClock):
    """The test's wall clock with the machine's own monotonic one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.boot = secrets.token_hex(8)

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


if __name__ == "__main__":
    ask = argparse.ArgumentParser()
    ask.add_argument("--clock", type=Path, required=True)
    asked = ask.parse_args()
    ft.run(partial(main, clock=TabletClock(asked.clock)), no_cdn=True)
