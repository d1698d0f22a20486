"""Starts the tablet app: picks the hardware of the place it runs in, wires store, work and screens, nothing else.

`python -m field_app.main` runs it in server mode for development: the app in a browser, the data in a folder
(SILTWATCH_TABLET_DATA), the central server at SILTWATCH_SERVER. On a tablet the staged main.py calls `main`.
"""

from __future__ import annotations

from typing import Any

import flet as ft

from field_app.hardware import this_hardware
from field_app.ui.root import open_window
from field_app.work.app import Work


async def main(page: ft.Page, clock: Any = None) -> None:
    """One window of the app. `clock` replaces the real clock; only test builds give one."""
    hardware = await this_hardware(page, clock=clock)

    def make_work(store: Any, box: Any) -> Work:
        return Work(store, box, hardware, server=hardware.server)

    open_window(page, hardware, make_work)


def run() -> None:
    """Server mode for development."""
    import os

    os.environ.setdefault("FLET_FORCE_WEB_SERVER", "1")
    os.environ.setdefault("FLET_SERVER_IP", "127.0.0.1")
    os.environ.setdefault("FLET_SERVER_PORT", "8550")
    ft.run(main, no_cdn=True)


if __name__ == "__main__":
    run()
