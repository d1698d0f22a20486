"""The real clock and the real randomness, the same on both kinds."""

import secrets
import time
from datetime import UTC, datetime


class SystemClock:
    """The system's clocks."""

    def __init__(self) -> None:
        self.boot = secrets.token_hex(8)

    def now(self) -> datetime:
        """The wall clock, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic_ms(self) -> int:
        """Milliseconds since some moment of this boot."""
        return time.monotonic_ns() // 1_000_000


class SystemIds:
    """The system's secure randomness (in the browser: crypto.getRandomValues behind os.urandom)."""

    def random_bytes(self, count: int) -> bytes:
        """`count` random bytes."""
        return secrets.token_bytes(count)
