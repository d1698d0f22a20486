"""The short way to SQLite for the few statements that every record runs.

SQLAlchemy compiles a statement once; after that the text goes straight to the driver's connection, in the very same
transaction, values converted by the column types and errors raised as SQLAlchemy's own. What a statement means is
never written here: other engines run the same objects the ordinary way.
"""

from __future__ import annotations

import logging
import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, DBAPIError

from sync.server.db.memory import Memory, remembered

log = logging.getLogger(__name__)
T, A = TypeVar("T"), TypeVar("A")
RAW = "siltwatch_raw"
"""Under this name the pool's record of a connection holds the driver's own, where the short way can be taken."""


class Ready:
    """A statement as the driver wants it: its text, how each value goes in, how each column comes out."""

    __slots__ = ("_fixed", "_get", "_into", "_names", "_outs", "_row", "statement", "text")

    def __init__(self, statement: Any, dialect: Any, names: tuple[str, ...] | None = None) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=list(names) if names is not None else None)
        self.statement = statement  # kept, so that nothing else ever gets its identity
        self.text = str(compiled)
        self._names = tuple(compiled.positiontup or ())
        self._fixed = {name: compiled.params[name] for name in self._names if compiled.params.get(name) is not None}
        self._get = itemgetter(*self._names) if len(self._names) > 1 else self._few
        intos = (compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect) for name in self._names)
        self._into = [(at, into) for at, into in enumerate(intos) if into]
        named = [(column.name, column.type) for column in statement.exported_columns]
        row = namedtuple("Row", [name for name, _ in named]) if named else None
        self._row = partial(tuple.__new__, row)
        outs = (type_.dialect_impl(dialect).result_processor(dialect, None) for _, type_ in named)
        self._outs = [(at, out) for at, out in enumerate(outs) if out]

    def _few(self, given: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(given[name] for name in self._names)

    def values(self, given: Mapping[str, Any]) -> Sequence[Any]:
        """What is bound, in order. A name that is not given takes the value that stands in the statement."""
        if self._fixed:
            given = {**self._fixed, **given}
        values = self._get(given)
        if self._into:
            values = list(values)
            for at, into in self._into:
                values[at] = into(values[at])
        return values

    def row(self, values: Sequence[Any]) -> Any:
        """A row with its columns as attributes."""
        if self._outs:
            values = list(values)
            for at, out in self._outs:
                values[at] = out(values[at])
        return self._row(values)


def raw_of(tx: Connection) -> sqlite3.Connection | None:
    """The driver's connection, None where statements take the ordinary way."""
    try:
        return tx.siltwatch_raw
    except AttributeError:  # looked up once: a connection keeps its driver's as long as it is open
        tx.siltwatch_raw = found = tx.info.get(RAW)
        return found


def run(tx: Connection, raw: sqlite3.Connection, ready: Ready, given: Mapping[str, Any]) -> sqlite3.Cursor:
    """Runs the statement in the transaction. Raises what SQLAlchemy would raise."""
    return execute(tx, raw, ready.text, ready.values(given))


def execute(tx: Connection, raw: sqlite3.Connection, text: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
    """Runs the text in the transaction. Raises what SQLAlchemy would raise."""
    if watched := tx.dispatch.before_cursor_execute:  # tests watch statements, and break off at them
        for listener in watched:
            listener(tx, None, text, values, None, False)
    try:
        return raw.execute(text, values)
    except sqlite3.Error as err:
        raise _as_sqlalchemy(tx, text, err) from err


def _as_sqlalchemy(tx: Connection, text: str, err: sqlite3.Error) -> DBAPIError:
    return DBAPIError.instance(text, [], err, sqlite3.Error, dialect=tx.dialect)


def _forget(memory: Memory, counts: dict[str, Any] | None) -> None:
    """What a part learned that was undone may not be so, and its counters never moved."""
    memory.clear()
    memory.counts = counts


class Undone(BaseException):
    """A part of a bold transaction raised after it had written: all of it is to be undone, and done again with care."""


@contextmanager
def part(tx: Connection) -> Iterator[None]:
    """A part of the transaction that is undone alone when it raises.

    In a bold transaction (see `Database.write_all`) nothing is prepared for that, because nearly no part raises: one
    that does, and has written something, raises ``Undone``.
    """
    raw, memory = raw_of(tx), remembered(tx)
    counts = dict(memory.counts) if memory.counts is not None else None
    if raw is not None and getattr(tx, "siltwatch_bold", False):
        before = raw.total_changes
        try:
            yield
        except BaseException as error:
            _forget(memory, counts)
            # On a full disk SQLite undoes the whole transaction by itself.
            wrote = raw.total_changes != before or not raw.in_transaction
            ends_all = isinstance(error, DBAPIError) and not isinstance(error, DataError)
            if isinstance(error, Exception) and not ends_all and wrote:
                raise Undone from error
            raise
        return
    if raw is None:
        try:
            with tx.begin_nested():
                yield
        except BaseException:
            _forget(memory, counts)
            raise
        return
    execute(tx, raw, "SAVEPOINT part")
    try:
        yield
    except BaseException as error:
        _forget(memory, counts)
        if raw.in_transaction:
            raw.execute("ROLLBACK TO part")
            raw.execute("RELEASE part")
        elif isinstance(error, Exception) and not isinstance(error, DBAPIError):
            # On a full disk SQLite undoes the whole transaction by itself. Whoever went on now would write without one.
            gone = sqlite3.OperationalError("the whole transaction was undone")
            raise _as_sqlalchemy(tx, "ROLLBACK TO part", gone) from error
        raise
    execute(tx, raw, "RELEASE part")


def one_by_one(tx: Connection, items: Sequence[T], take: Callable[[T], A], otherwise: Callable[[T], A]) -> list[A]:
    """What ``take`` gives for each; ``otherwise`` for one that says what the database cannot keep, of which nothing
    else stays. SQLite keeps whatever it is given."""
    if raw_of(tx) is not None:
        return [take(item) for item in items]
    with suppress(DataError), part(tx):
        return [take(item) for item in items]
    found = []
    for item in items:
        try:
            with part(tx):
                found.append(take(item))
        except DataError as error:
            log.error("the database cannot keep a record", exc_info=error)
            found.append(otherwise(item))
    return found
