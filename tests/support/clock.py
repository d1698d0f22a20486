"""The injected clock of the tests: stands still until it is moved."""

from datetime import UTC, datetime, timedelta


class StoppedClock:
    """Tells the time it was set to, in UTC."""

    def __init__(self, at: str = "2026-08-27T15:00:00-05:00"):
        self.set(at)

    def now(self) -> datetime:
        return self._now

    def set(self, at: str) -> None:
        """``at``: an ISO time with its offset."""
        self._now = datetime.fromisoformat(at).astimezone(UTC)

    def advance(self, **by: float) -> None:
        """By days, hours, minutes or seconds."""
        self._now += timedelta(**by)
