"""Reads one TOML table key by key, and says which file and which key is wrong.

Every reader of a pack goes through ``Section``: a key that is missing, of the wrong type, or that nobody
asked for is a ``PackError`` naming file and key. A pack is therefore either understood whole or refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

_MISSING = object()
_MAGNITUDE = 60
"""Powers of ten beyond which a number is a slip of the pen; exact arithmetic with it would only burn time."""
_MOST = 100_000
"""Days, hours, metres: a longer count is a slip of the pen and would run past every calendar."""


class PackError(ValueError):
    """A pack that cannot be used: ``file`` and ``key`` name the place, ``why`` says what is wrong there."""

    def __init__(self, file: str, key: str, why: str):
        self.file, self.key, self.why = file, key, why
        super().__init__(f"{file}: {key}: {why}" if key else f"{file}: {why}")


def _exact(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text} is not a decimal number") from None
    if not number.is_finite():
        raise ValueError(f"{text} is not a finite number")
    if not -_MAGNITUDE <= number.adjusted() <= _MAGNITUDE:
        raise ValueError(f"{text[:40]} is no size that anything has")
    return number


def parse_toml(text: str) -> dict:
    """TOML with exact decimals instead of floats; ValueError (line and column in it) when it cannot be read.

    A byte order mark, which some editors put first, is no part of the text.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=_exact)
    except RecursionError:
        raise ValueError("lists and tables stand too deep in each other") from None


class Said(dict):
    """One text per language of the pack. A language that the pack lacks gets the English text, never an error."""

    def __missing__(self, language: str) -> str:
        return self["en"]


class Section:
    """One table of a file. Ask for its keys by type, then call ``done`` to refuse the rest."""

    __slots__ = ("file", "path", "seen", "table")

    def __init__(self, file: str, table: Mapping, path: str = ""):
        self.file, self.path, self.table = file, path, table
        self.seen: set[str] = set()

    @classmethod
    def of_file(cls, files: Mapping[str, str], name: str) -> Section:
        if name not in files:
            raise PackError(name, "", "this file is missing from the pack")
        try:
            return cls(name, parse_toml(files[name]))
        except ValueError as error:
            raise PackError(name, "", f"cannot be read as TOML: {error}") from error

    def key(self, name: str) -> str:
        if not name:
            return self.path
        return f"{self.path}.{name}" if self.path else name

    def fail(self, name: str, why: str) -> PackError:
        return PackError(self.file, self.key(name), why)

    def has(self, name: str) -> bool:
        return name in self.table

    def _take(self, name: str, kinds: tuple[type, ...], said: str, default: object) -> object:
        self.seen.add(name)
        value = self.table.get(name, _MISSING)
        if value is _MISSING:
            if default is _MISSING:
                raise self.fail(name, "is missing")
            return default
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.fail(name, f"must be {said}, not {value!r}")
        return value

    def text(self, name: str, default: object = _MISSING) -> str:
        value = self._take(name, (str,), "a text", default)
        if isinstance(value, str) and not value.strip() and default is _MISSING:
            raise self.fail(name, "must not be empty")
        return value  # type: ignore[return-value]

    def flag(self, name: str, default: object = _MISSING) -> bool:
        return self._take(name, (bool,), "true or false", default)  # type: ignore[return-value]

    def whole(self, name: str, default: object = _MISSING, *, least: int = 0) -> int:
        value = self._take(name, (int,), "a whole number", default)
        if isinstance(value, int) and value < least:
            raise self.fail(name, f"must be {least} or more, not {value}")
        if isinstance(value, int) and value > _MOST:
            raise self.fail(name, f"must be {_MOST} or less: no count of a law is longer")
        return value  # type: ignore[return-value]

    def number(self, name: str, default: object = _MISSING) -> Decimal:
        value = self._take(name, (int, Decimal), "a number", default)
        if isinstance(value, (int, Decimal)):
            value = Decimal(value)
            if value < 0:
                raise self.fail(name, f"must not be negative, not {value}")
        return value  # type: ignore[return-value]

    def day(self, name: str, default: object = _MISSING) -> date:
        value = self._take(name, (date,), "a date such as 2026-03-01", default)
        if isinstance(value, datetime):
            raise self.fail(name, "must be a date without a time")
        return value  # type: ignore[return-value]

    def choice(self, name: str, allowed: Iterable[str], default: object = _MISSING) -> str:
        value = self.text(name, default)
        choices = tuple(allowed)
        if value not in choices and value is not default:
            raise self.fail(name, f"must be one of {', '.join(choices)}, not {value!r}")
        return value

    def clock_time(self, name: str, default: object = _MISSING) -> str:
        value = self.text(name, default)
        if isinstance(value, str) and not is_clock_time(value):
            raise self.fail(name, f"must be a time such as 17:00, not {value!r}")
        return value

    def texts(self, name: str, default: object = _MISSING) -> tuple[str, ...]:
        value = self._take(name, (list,), "a list of texts", default)
        if value is default:
            return tuple(default)  # type: ignore[arg-type]
        for one in value:  # type: ignore[union-attr]
            if not isinstance(one, str):
                raise self.fail(name, f"must be a list of texts, and {one!r} is none")
        return tuple(value)  # type: ignore[arg-type]

    def days(self, name: str, default: object = _MISSING) -> tuple[date, ...]:
        value = self._take(name, (list,), "a list of dates", default)
        for one in value:  # type: ignore[union-attr]
            if not isinstance(one, date) or isinstance(one, datetime):
                raise self.fail(name, f"must be a list of dates, and {one!r} is none")
        return tuple(value)  # type: ignore[arg-type]

    def said(self, name: str, languages: tuple[str, ...], default: object = _MISSING) -> dict[str, str]:
        """A text in every language of the pack, such as ``{ en = "...", es = "..." }``."""
        value = self._take(name, (dict,), "a table with one text per language", default)
        if value is default:
            return value  # type: ignore[return-value]
        inner = Section(self.file, value, self.key(name))  # type: ignore[arg-type]
        found = Said((language, inner.text(language)) for language in languages)
        inner.done()
        return found

    def section(self, name: str, default: object = _MISSING) -> Section | None:
        value = self._take(name, (dict,), "a table", default)
        return None if value is None else Section(self.file, value, self.key(name))  # type: ignore[arg-type]

    def sections(self, name: str, default: object = _MISSING, *, least: int = 0) -> Iterator[Section]:
        value = self._take(name, (list,), "a list of tables", default)
        if len(value) < least:  # type: ignore[arg-type]
            raise self.fail(name, "must not be empty")
        for place, one in enumerate(value, 1):  # type: ignore[arg-type]
            if not isinstance(one, dict):
                raise self.fail(f"{name}[{place}]", "must be a table")
            label = one.get("id") or one.get("slug") or one.get("letter") or place
            yield Section(self.file, one, self.key(f"{name}[{label}]"))

    def tables(self, name: str, default: object = _MISSING) -> Iterator[tuple[str, Section]]:
        """Each named table under ``name``, with its name."""
        value = self._take(name, (dict,), "a table", default)
        for inner, one in value.items():  # type: ignore[union-attr]
            if not isinstance(one, dict):
                raise self.fail(f"{name}.{inner}", "must be a table")
            yield inner, Section(self.file, one, self.key(f"{name}.{inner}"))

    def done(self) -> None:
        unknown = [name for name in self.table if name not in self.seen]
        if unknown:
            raise self.fail(unknown[0], "is not a key that is known here")


def is_clock_time(text: str) -> bool:
    """Whether ``text`` is HH:MM on a 24-hour clock."""
    if len(text) != 5 or text[2] != ":" or not (text[:2] + text[3:]).isdecimal():
        return False
    return int(text[:2]) <= 23 and int(text[3:]) <= 59
