"""The last lines of the app's log, kept in memory for a report: what happened and where, without names.

A line keeps the words of the program and of what was put into them only numbers, fingerprints and codes of the error
catalogue; of an exception its kind and its places in the code. So no line can carry what a person wrote or is called.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections import deque
from collections.abc import Callable
from datetime import datetime
from pathlib import PurePath
from typing import Any

from sync.records.problems import CATALOGUE, Problem

KEPT = 200
FRAMES = 6
NAMES = ("siltwatch", "field_app", "sync")
# What happens often and is no trouble: for the report alone, never on the console.
events = logging.getLogger("siltwatch.events")

_FINGERPRINT = re.compile(r"[0-9a-f]{16,64}")
_PART = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?[a-z]")


class Lines(logging.Handler):
    """Keeps the newest lines. `now` is the tablet's clock."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.now: Callable[[], datetime] | None = None
        self._kept: deque[str] = deque(maxlen=KEPT)

    def emit(self, record: logging.LogRecord) -> None:
        at = self.now().isoformat(timespec="seconds") if self.now else "?"
        self._kept.append(f"{at} {record.levelname} {record.name}: {plain(record)}")

    def lines(self) -> list[str]:
        return list(self._kept)


def plain(record: logging.LogRecord) -> str:
    """The line without anything that a person wrote."""
    given = record.args if isinstance(record.args, tuple) else (record.args,) if record.args else ()
    parts = iter([safe(one) for one in given])
    said = record.msg
    words = _PART.sub(lambda _found: next(parts, "..."), said) if isinstance(said, str) else safe(said)
    if record.exc_info and record.exc_info[1] is not None:
        words += f" | {where(record.exc_info[1])}"
    return words.replace("\n", " ")[:500]


def safe(value: Any) -> str:
    """A number, a fingerprint, a code of ours, the kind of a failure; anything else is left out."""
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return str(value)
    if isinstance(value, Problem):
        return value.code
    if isinstance(value, BaseException):
        return type(value).__name__
    if isinstance(value, str) and (value in CATALOGUE or value in _LINK_CODES or _FINGERPRINT.fullmatch(value)):
        return value
    return "..."


def where(failure: BaseException) -> str:
    """The kind of a failure and its last places in the code, without its words."""
    frames = traceback.extract_tb(failure.__traceback__)[-FRAMES:]
    places = " < ".join(f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return f"{safe(failure)} at {places}" if places else safe(failure)


_LINK_CODES = frozenset({"", "up", "offline", "timeout", "cut", "insecure", "redirect", "local", "wifi-login",
                         "wrong-server", "server-busy"})  # fmt: skip
_lines = Lines()


def begin(now: Callable[[], datetime]) -> None:
    """Keep lines from now on; again changes only the clock."""
    _lines.now = now
    for name in NAMES:
        logger = logging.getLogger(name)
        if _lines not in logger.handlers:
            logger.addHandler(_lines)
    if _lines not in events.handlers:
        events.addHandler(_lines)
    events.setLevel(logging.INFO)
    events.propagate = False


def lines() -> list[str]:
    """The newest lines, the oldest first."""
    return _lines.lines()
