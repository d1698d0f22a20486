"""Loaded into the web app's own interpreter by `InsideApp`, as the module ``inside_window``."""

import asyncio

from flet.controls.context import _context_page


def window():
    """The open window of the app: its own tasks know it (the collector does not look at what was there first)."""
    for task in asyncio.all_tasks():
        frame = getattr(task.get_coro(), "cr_frame", None)
        found = frame.f_locals.get("self") if frame is not None else None
        if type(found).__name__ == "Window":
            _context_page.set(found.page)
            return found
    raise LookupError("the app has no window")
