"""What all lines of one server have in common: whether one is alone, the date, and rooms for what comes in.

A room is memory for the body of a file. Memory that is new has to be mapped and emptied by the system, page by page, in
the one thread that serves everybody, so a few rooms are kept and used again. Who takes one reads nothing of it that was
not received into it.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

ROOMS = 16
"""So many are kept."""


class Traffic:
    """All lines of one server together."""

    __slots__ = ("_rooms", "busy", "date", "date_until", "last", "last_at")

    def __init__(self) -> None:
        self.busy = 0  # requests of the lane that are coming in or not answered yet
        self.date, self.date_until = b"", 0.0
        self.last: Any = None  # the line that asked last
        self.last_at = 0.0
        self._rooms: list[bytearray] = []

    def now(self) -> bytes:
        """The Date field of an answer."""
        moment = time.time()
        if moment >= self.date_until:
            self.date = b"date: " + formatdate(moment, usegmt=True).encode() + b"\r\n"
            self.date_until = int(moment) + 1
        return self.date

    def take_room(self, size: int) -> bytearray:
        """A room of ``size`` bytes, the same for all, with anything in it."""
        return self._rooms.pop() if self._rooms else bytearray(size)

    def leave_room(self, room: bytearray) -> None:
        """It is free again."""
        if len(self._rooms) < ROOMS:
            self._rooms.append(room)
