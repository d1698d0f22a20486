"""What all lines of one server have in common: whether one is alone, the date, and rooms for what comes in.

A room is memory for the body of a file, a slot the part of it that the file takes. Memory that is new has to be mapped
and emptied by the system, page by page, in the one thread that serves everybody, so a few rooms are kept and used
again. Who takes one reads nothing of it that was not received into it.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any, Protocol

ROOMS = 16
"""So many are kept."""
MOST = 1024 * 1024
"""Bytes of a room; a larger body goes to uvicorn."""


class Slot(Protocol):
    """A place that a file is received into: ``room``, as many bytes as it has."""

    room: memoryview

    def free(self) -> None:
        """Nobody reads it or writes to it any more."""


class _Own:
    """A slot in memory of this process."""

    __slots__ = ("_memory", "_rooms", "room")

    def __init__(self, rooms: list[bytearray], size: int) -> None:
        self._rooms, self._memory = rooms, rooms.pop() if rooms else bytearray(MOST)
        self.room = memoryview(self._memory)[:size]

    def free(self) -> None:
        if len(self._rooms) < ROOMS:
            self._rooms.append(self._memory)


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

    def slot(self, size: int) -> Slot:
        """A place for so many bytes, at most `MOST`, with anything in it."""
        return _Own(self._rooms, size)
