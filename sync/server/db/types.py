"""Column types that keep two promises on every engine: instants are aware and in UTC; documents are canonical JSON.

A naive datetime or a float never reaches the database: both are programming errors and raise ``ValueError``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Text
from sqlalchemy.types import TypeDecorator

from sync.records.wire import decode, encode


class Instant(TypeDecorator[datetime]):
    """An aware instant. SQLite keeps no zone, so what is written is UTC and what is read says so."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"naive time {value!r}: every instant carries its zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Doc(TypeDecorator[Any]):
    """A JSON document kept as its canonical text (JSONB would not keep the bytes)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return None if value is None else encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        return None if value is None else decode(value)
