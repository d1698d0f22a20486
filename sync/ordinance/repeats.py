"""A breach again after a release: a new order with clocks of its own, linked to the one that was released. Pure.

The text carries nothing over from the earlier order, so the link moves no clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

Ended = tuple[str, date]
"""An order of the site by its key, and the day on which it was released as a whole."""


def repeats(begun: date | None, released: Iterable[Ended]) -> tuple[str, ...]:
    """The orders that had been released when this one began (on that day at the latest), the last first."""
    if begun is None:
        return ()
    return tuple(key for key, on in sorted(released, key=lambda one: (one[1], one[0]), reverse=True) if on <= begun)
