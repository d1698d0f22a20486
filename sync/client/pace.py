"""How fast files go out, as measured: a figure for the person who waits. Nothing in here decides anything."""

from collections import deque

_REMEMBERED_MS = 120_000
_ENOUGH_BYTES = 256 * 1024
_ENOUGH_MS = 1_000


class Pace:
    """Bytes of files that went out, over the time that it took, in the last two minutes of sending."""

    def __init__(self) -> None:
        self._went: deque[tuple[int, int, int]] = deque(maxlen=200)

    def went(self, size: int, ms: int, now: int) -> None:
        """``size`` bytes went out in ``ms``, just now."""
        self._went.append((now, size, max(ms, 1)))

    def anew(self) -> None:
        """Another network: what was measured says nothing any more."""
        self._went.clear()

    def bytes_per_second(self, now: int) -> int | None:
        """None as long as too little was sent to say anything honest."""
        recent = [(size, ms) for at, size, ms in self._went if now - at <= _REMEMBERED_MS]
        size, ms = sum(size for size, _ in recent), sum(ms for _, ms in recent)
        if size < _ENOUGH_BYTES or ms < _ENOUGH_MS:
            return None
        return size * 1000 // ms
