"""The frame that the camera's preview shows, taken by the page in the moment it is asked for.

Invariant: the JPEG stays outside the memory of Python, as a Blob until its turn comes, then as an `Outside`.
"""

from field_app.hardware.page_port import PagePort
from field_app.hardware.ports import Shot
from field_app.photos.outside import Outside, outside
from sync.records.problems import Problem

WAIT_S = 10.0


class BlobShot:
    """A JPEG that the page holds."""

    def __init__(self, blob) -> None:
        self._blob = blob

    async def read(self) -> Outside:
        blob, self._blob = self._blob, None
        if blob is None or not blob.size:
            raise Problem("camera-unavailable", "The camera gave an empty picture.")
        return await outside(blob)


def grabber(port: PagePort):
    """`await grab()`: the shot, or None when the page shows no camera."""

    async def grab() -> Shot | None:
        blob = (await port.ask("grab-frame", wait=WAIT_S)).get("blob")
        return BlobShot(blob) if blob is not None else None

    return grab
