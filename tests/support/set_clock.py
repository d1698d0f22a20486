"""The clock of a web app built with --test-clock: the page (set_clock.js) says by how much it is off.

This module is copied into such a build and into no other; a release has no way to set its date.
"""

import secrets
import time
from datetime import UTC, datetime, timedelta

import js
from pyodide.ffi import create_proxy


class SetClock:
    """The system's clock plus an offset that a test chose. It keeps running, and a change applies at once."""

    def __init__(self):
        self.boot = secrets.token_hex(8)
        self._offset = timedelta(milliseconds=int(js.pageFacts.clockOffsetMs or 0))
        self._channel = js.BroadcastChannel.new("siltwatch-test-clock")
        self._channel.onmessage = create_proxy(self._set)

    def now(self):
        return datetime.now(UTC) + self._offset

    def monotonic_ms(self):
        return time.monotonic_ns() // 1_000_000

    def _set(self, event):
        self._offset = timedelta(milliseconds=int(event.data))
