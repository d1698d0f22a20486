"""What differs between the two places the tablet app runs in: the browser (Pyodide) and a native process.

`await this_hardware(page)` is the only door. Everything behind it is a port of `ports.py`; no other room imports
`js`, `pyodide`, Pillow, the camera or the position extension.
"""

import sys

from field_app.hardware.ports import Clock, Hardware


async def this_hardware(page, *, clock: Clock | None = None, folder: str | None = None) -> Hardware:
    """The hardware of the place we run in, for one Flet page.

    `clock` replaces the real one (tests only; a release never passes it). `folder` is where a native process keeps
    its data (default: Flet's own data folder); the browser has one store per origin and ignores it.
    """
    if sys.platform == "emscripten":
        from field_app.hardware.browser import browser_hardware

        return await browser_hardware(page, clock=clock)
    from field_app.hardware.native import native_hardware

    return await native_hardware(page, clock=clock, folder=folder)


__all__ = ["Hardware", "this_hardware"]
