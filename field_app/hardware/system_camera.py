"""The tablet's own camera app, through the page's file input with `capture`; the picture comes by reference.

Invariant: a picture counts as taken just now only when its file is no older than the tap, by the browser's one clock.
A system that shows its gallery all the same gives older files, and those are marked as chosen.
"""

from field_app.hardware.page_port import PagePort
from field_app.hardware.ports import Picked
from field_app.photos.outside import outside

WAIT_S = 3600.0


async def take_with_system_camera(port: PagePort) -> tuple[Picked, bool] | None:
    """The picture and whether it was taken just now; None when the person came back without one."""
    try:
        answer = await port.ask("system-camera", wait=WAIT_S)
    except (TimeoutError, RuntimeError):
        return None
    file = answer.get("file")
    if not answer.get("name") or file is None:
        return None
    return Picked(answer["name"], await outside(file)), bool(answer["fresh"])
