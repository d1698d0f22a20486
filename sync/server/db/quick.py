"""The short way to SQLite for the few statements that every record runs.

SQLAlchemy compiles a statement once; after that the text goes straight to the driver's connection, in the very same
transaction, values converted by the column types and errors raised as SQLAlchemy's own. What a statement means is
never written here: other engines run the same objects the ordinary way.
"""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

RAW = "siltwatch_raw"
"""Under this name the pool's record of a connection holds the driver's own, where the short way can be taken."""


class Ready:
    """A statement as the driver wants it: its text, how each value goes in, how each column comes out."""

    __slots__ = ("_binds", "_outs", "_row", "statement", "text")

    def __init__(self, statement: Any, dialect: Any, names: tuple[str, ...] | None = None) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=list(names) if names is not None else None)
        self.statement = statement  # kept, so that nothing else ever gets its identity
        self.text = str(compiled)
        self._binds: list[tuple[str, Any, Callable[[Any], Any] | None]] = []
        for name in compiled.positiontup or ():
            bind = compiled.binds[name]
            into = bind.type.dialect_impl(dialect).bind_processor(dialect)
            self._binds.append((name, compiled.params.get(name), into))
        named = [(column.name, column.type) for column in statement.exported_columns]
        self._row = namedtuple("Row", [name for name, _ in named]) if named else None
        outs = [type_.dialect_impl(dialect).result_processor(dialect, None) for _, type_ in named]
        self._outs = outs if any(outs) else None

    def values(self, given: Mapping[str, Any]) -> list[Any]:
        """What is bound, in order. A name that is not given takes the value that stands in the statement."""
        return [into(given.get(name, fixed)) if into else given.get(name, fixed) for name, fixed, into in self._binds]

    def row(self, values: tuple[Any, ...]) -> Any:
        """A row with its columns as attributes."""
        if self._outs:
            values = [out(value) if out else value for out, value in zip(self._outs, values, strict=True)]
        return self._row._make(values)


def raw_of(tx: Connection) -> sqlite3.Connection | None:
    """The driver's connection, None where statements take the ordinary way."""
    return tx.info.get(RAW)


def run(tx: Connection, raw: sqlite3.Connection, ready: Ready, given: Mapping[str, Any]) -> sqlite3.Cursor:
    """Runs the statement in the transaction. Raises what SQLAlchemy would raise."""
    values = ready.values(given)
    return _execute(tx, raw, ready.text, values)


def _execute(tx: Connection, raw: sqlite3.Connection, text: str, values: list[Any]) -> sqlite3.Cursor:
    for listener in tx.dispatch.before_cursor_execute:  # tests watch statements, and break off at them
        listener(tx, None, text, values, None, False)
    try:
        return raw.execute(text, values)
    except sqlite3.Error as err:
        raise DBAPIError.instance(text, values, err, sqlite3.Error, dialect=tx.dialect) from err


@contextmanager
def part(tx: Connection) -> Iterator[None]:
    """A part of the transaction that is undone alone when it raises."""
    raw = raw_of(tx)
    if raw is None:
        with tx.begin_nested():
            yield
        return
    _execute(tx, raw, "SAVEPOINT part", [])
    try:
        yield
    except BaseException as error:
        if raw.in_transaction:
            raw.execute("ROLLBACK TO part")
            raw.execute("RELEASE part")
        elif isinstance(error, Exception) and not isinstance(error, DBAPIError):
            # On a full disk SQLite undoes the whole transaction by itself. Whoever went on now would write without one.
            gone = sqlite3.OperationalError("the whole transaction was undone")
            raise DBAPIError.instance("ROLLBACK TO part", [], gone, sqlite3.Error, dialect=tx.dialect) from error
        raise
    _execute(tx, raw, "RELEASE part", [])
