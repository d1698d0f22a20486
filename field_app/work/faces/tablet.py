"""The tablet itself: what its clock, its numbers and the office say about it.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import this_tablet
from field_app.work.desk import Desk
from field_app.work.views.tablet import WarningView, WithdrawnView


class TabletFace:
    """The tablet itself: what its clock, its numbers and the office say about it."""

    _desk: Desk

    def warnings(self) -> tuple[WarningView, ...]:
        """What the person must know about this tablet, the most serious first. None of it stops work."""
        return this_tablet.warnings(self._desk)

    def withdrawn(self) -> WithdrawnView | None:
        """The screen of a tablet that the office has withdrawn; None while it is in use."""
        return this_tablet.withdrawn(self._desk)
