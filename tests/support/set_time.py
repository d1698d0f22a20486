"""A clock for server mode and unit tests that runs on from any moment a test sets."""

import secrets
import time
from datetime import UTC, datetime, timedelta


class SetTime:
    """`set("2026-08-27T14:03:00-05:00")`: from then on it is that moment, and time goes on from there."""

    def __init__(self, moment: str | None = None):
        self.boot = secrets.token_hex(8)
        self._offset = timedelta()
        if moment:
            self.set(moment)

    def set(self, moment: str) -> None:
        chosen = datetime.fromisoformat(moment)
        if chosen.tzinfo is None:
            raise ValueError(f"{moment}: a moment needs its offset, as in 2026-08-27T14:03:00-05:00")
        self._offset = chosen - datetime.now(UTC)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000
