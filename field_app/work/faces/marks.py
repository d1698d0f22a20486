"""Marks over photos: arrows, circles and words on a copy.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from field_app.work import marking
from field_app.work.desk import Desk
from field_app.work.views.photos import LayerView, MarkingView


class MarksFace:
    """Marks over photos of an inspection that is not signed yet."""

    _desk: Desk

    async def marking(self, draft: str, sha256: str) -> MarkingView:
        """The photo to draw on. Problem "evidence-not-an-image" where nothing here can show it."""
        return await marking.view(self._desk, draft, sha256)

    async def signed_layer(self, sha256: str) -> LayerView | None:
        """What is drawn over a signed photo (`PhotoView.layer_sha`); None when that is no longer on this tablet."""
        return await marking.signed_view(self._desk, sha256)

    async def add_mark(
        self, draft: str, sha256: str, size: tuple[int, int], kind: str, stroke: Sequence[Sequence[int]], colour: str,
        text: str = "",
    ) -> LayerView | None:
        """What a finger drew, in the photo's upright pixels (`size` as `marking` gave it), fitted to an arrow or a
        circle; for "text" where it was tapped. Durable when it returns; the photo is not touched."""
        return await marking.add(self._desk, draft, sha256, size, kind, stroke, colour, text)

    async def take_mark_back(self, draft: str, sha256: str) -> LayerView | None:
        """Without the last mark."""
        return await marking.take_back(self._desk, draft, sha256)
