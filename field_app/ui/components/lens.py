"""Where a picture stands in the viewer that moves and enlarges it, so that its keys enlarge what is in the middle.

The client's viewer scales from the corner of the picture and does not tell where it stands. So it is reckoned here from
what it tells of fingers and wheel: the point that was under them stays under them. That holds exactly for a viewer
without edges and without a run-out (`NO_EDGE`, `AT_ONCE`).
"""

from __future__ import annotations

from dataclasses import dataclass

SMALLEST, LARGEST = 0.5, 12.0
NO_EDGE = float("inf")
AT_ONCE = 1e-300
"""So little friction that a picture let go of stands still."""


@dataclass(slots=True)
class Lens:
    """A point p of the picture is seen at (x + scale * px, y + scale * py)."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    _held: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def begin(self, x: float, y: float) -> None:
        """Fingers touch there, or the wheel begins to turn: what they hold."""
        self._held = ((x - self.x) / self.scale, (y - self.y) / self.scale, self.scale)

    def go_on(self, x: float, y: float, scale: float) -> None:
        """They are there now, and so much wider apart than at the beginning."""
        at_x, at_y, before = self._held
        self.scale = min(LARGEST, max(SMALLEST, before * scale))
        self.x, self.y = x - self.scale * at_x, y - self.scale * at_y

    def enlarge(self, factor: float, width: float, height: float) -> tuple[float, float, float]:
        """The factor, and how far the picture must then be moved in its own units, for what is in the middle of a
        viewer of that size to stay there."""
        scale = min(LARGEST, max(SMALLEST, self.scale * factor))
        factor = scale / self.scale
        x = width / 2 - factor * (width / 2 - self.x)
        y = height / 2 - factor * (height / 2 - self.y)
        moved = ((x - self.x) / scale, (y - self.y) / scale)
        self.x, self.y, self.scale = x, y, scale
        return factor, *moved

    def back_in(self, width: float, height: float) -> tuple[float, float]:
        """How far it must be moved, in its own units, for a part of it to lie in the middle of the viewer again."""
        x = min(max(self.x, width / 2 - self.scale * width), width / 2)
        y = min(max(self.y, height / 2 - self.scale * height), height / 2)
        moved = ((x - self.x) / self.scale, (y - self.y) / self.scale)
        self.x, self.y = x, y
        return moved

    def whole(self) -> None:
        """The whole picture is shown again."""
        self.x, self.y, self.scale = 0.0, 0.0, 1.0
