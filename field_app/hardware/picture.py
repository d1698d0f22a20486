"""The pixel limit, decided from a picture's header before any decoder sees it: a small file can claim a huge one."""

from sync.records.pictures import look
from sync.records.problems import Problem

MAX_PIXELS = 100_000_000
"""100 megapixels are taken; one pixel more is refused."""


def size_of(data: bytes) -> tuple[str, int, int]:
    """(media type, width, height) as stored, before EXIF orientation.

    Raises Problem "evidence-not-an-image" or "evidence-too-many-pixels".
    """
    picture = look(data)
    if picture is None or picture.width < 1 or picture.height < 1:
        raise Problem("evidence-not-an-image", "The file is no picture that this app can read.")
    if picture.width * picture.height > MAX_PIXELS:
        raise Problem(
            "evidence-too-many-pixels",
            f"The picture has {picture.width} x {picture.height} pixels; "
            f"{MAX_PIXELS // 1_000_000} megapixels are the limit.",
        )
    return picture.media, picture.width, picture.height
