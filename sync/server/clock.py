"""The one place where the server reads the time. Everything else is handed a clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time as an aware datetime in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's own clock; the only one that a release can be started with."""

    def now(self) -> datetime:
        """The current instant, in UTC."""
        return datetime.now(UTC)
