"""What is asked of the writer of a database, and what has been done and is not durable yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

Told = tuple[Any, Exception | None]
"""What an act returned, or what it raised."""


class Job:
    """Acts that wait for their turn. ``gate`` opens when they are done, or when they are to lead."""

    __slots__ = ("done", "gate", "told", "works")

    def __init__(self, works: Sequence[Callable[[Connection], Any]]) -> None:
        self.works = works
        self.gate = threading.Lock()
        self.gate.acquire()
        self.done = False
        self.told: list[Told] = []


@dataclass(frozen=True, slots=True)
class Done:
    """Acts that are done and not durable yet. ``told``: what each returned, or raised. ``commit``, which waits for the
    disk and may be called in any thread, must be called once: True, all of it is durable; False, none of it is."""

    told: list[Told]
    commit: Callable[[], bool]
