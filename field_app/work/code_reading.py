"""The text of a QR code in a picture, and the codes of the office that set up a tablet or sign a person in.

Nothing of the picture is kept. The office shows its codes as links (`#enrol=CODE`, `#signin=CODE`); whatever else a
picture holds is no code of the office.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from field_app.scan import read_code
from field_app.work import placards
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

# The longer side of the picture in which a code is looked for, in pixels: quickly first, then with more detail.
LOOKED_AT = (720, 1280)
ENROL, SIGN_IN = "enrol", "signin"
_LINK = re.compile(r"https?://[^#\s]+#(enrol|signin)=([A-Za-z0-9._~-]{1,200})")


async def text_in(desk: Desk, picture: bytes) -> str:
    """What the code in the picture says. Raises Problem "code-not-seen"."""
    await asyncio.sleep(placards.SECONDS_TO_PAINT)
    for longest in LOOKED_AT:
        width, height, grey = await desk.hardware.images.grey(picture, longest)
        found = await asyncio.to_thread(read_code, grey, width, height)
        if found:
            return found
    raise Problem("code-not-seen")


async def office_code(desk: Desk, picture: bytes, wanted: str) -> str:
    """The enrollment code (`ENROL`) or personal code (`SIGN_IN`) in the picture. Problem "code-not-seen",
    "code-not-asked"."""
    found = _LINK.fullmatch((await text_in(desk, picture)).strip())
    if found is None or found[1] != wanted:
        raise Problem("code-not-asked")
    return found[2]
