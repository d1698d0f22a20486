"""What goes into a column that is narrower than what a record may say. The record itself is kept as it was signed."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from sync.records.problems import Problem
from sync.records.times import parse_wall

MOST_SECONDS = 2**31 - 1
_LONG_NUMBER, _LONG_TIME = 16, 40


def seconds(value: int | None) -> int | None:
    """At most 68 years either way."""
    return None if value is None else max(-MOST_SECONDS, min(value, MOST_SECONDS))


def wall(text: str) -> str:
    """The same moment; one that was written too long without the fraction of its second."""
    if len(text) <= _LONG_TIME:
        return text
    try:
        return parse_wall(text, "").isoformat(timespec="seconds")
    except Problem:
        return text[:_LONG_TIME]


def inches(text: str) -> str:
    """The same number; one that was written too long without the zeros that say nothing."""
    if len(text) <= _LONG_NUMBER:
        return text
    try:
        return format(Decimal(text).normalize(), "f")[:_LONG_NUMBER]
    except InvalidOperation:
        return text[:_LONG_NUMBER]


_NARROW = {
    "clock_marks": {"off_s": seconds},
    "rains": {"inches": inches, "began": wall, "ended": wall},
    "site_reports": {"reported_at": wall},
    "affixings": {"posted_at": wall},
}


def fitting(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row that SQLite, to which no column is narrow, took when nobody looked."""
    for name, fit in _NARROW.get(table, {}).items():
        row[name] = fit(row[name])
    return row
