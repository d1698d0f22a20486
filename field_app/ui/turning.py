"""When the window was last turned or changed its size.

With a screen reader's tree switched on, a browser loses the text of the field that is being typed into when the window
changes its size, and says that it was erased. A field asks here before it believes that.
"""

from __future__ import annotations

import asyncio
import time

WITHIN_S = 1.5
_LATE_S, _STEP_S = 0.4, 0.1
_last = float("-inf")


def turned() -> None:
    """The window has another size now."""
    global _last
    _last = time.monotonic()


async def just_turned() -> bool:
    """Whether that was a moment ago. The two messages overtake one another, so one that is still on its way is waited
    for."""
    waited = 0.0
    while time.monotonic() - _last > WITHIN_S:
        if waited >= _LATE_S:
            return False
        await asyncio.sleep(_STEP_S)
        waited += _STEP_S
    return True
