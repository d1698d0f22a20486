"""The tablet itself: what its clock, its numbers and the office say about it.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import syncing, this_tablet
from field_app.work.desk import Desk
from field_app.work.views.tablet import TriesView, WarningView, WithdrawnView


class TabletFace:
    """The tablet itself: what its clock, its numbers and the office say about it."""

    _desk: Desk

    def warnings(self) -> tuple[WarningView, ...]:
        """What the person must know about this tablet, the most serious first. None of it stops work."""
        return this_tablet.warnings(self._desk)

    def withdrawn(self) -> WithdrawnView | None:
        """The screen of a tablet that the office has withdrawn; None while it is in use."""
        return this_tablet.withdrawn(self._desk)

    def tries(self) -> TriesView:
        """After how many failed tries an item is set aside."""
        return syncing.tries_view(self._desk)

    async def set_tries(self, wanted: int) -> TriesView:
        """One of the choices; 0: as the office says. Holds from the next failure on."""
        await syncing.set_tries(self._desk, wanted)
        return syncing.tries_view(self._desk)
