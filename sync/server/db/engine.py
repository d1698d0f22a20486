"""How transactions run: one writer at a time, each write begun as one, retried whole, durable when it returns.

SQLite is the embedded default (WAL, synchronous=FULL, BEGIN IMMEDIATE). A deferred BEGIN that later writes fails at
once with SQLITE_BUSY_SNAPSHOT, whatever ``busy_timeout`` says, so a write says from its first statement that it
is one. This file and no other may hold SQL or settings that belong to one engine.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Select, Table, Update, bindparam, create_engine, event, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import StaticPool

from sync.records.problems import Problem

T = TypeVar("T")
Tx = Connection

ATTEMPTS = 8
BUSY_MS = 5_000
_RETRIED_STATES = ("40001", "40P01")


def _retryable(error: DBAPIError) -> bool:
    """Whether the whole transaction may simply run again: another writer won, nothing of ours was kept."""
    if getattr(error.orig, "sqlstate", None) in _RETRIED_STATES:
        return True
    name = getattr(error.orig, "sqlite_errorname", "")
    return isinstance(error, OperationalError) and name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


class Database:
    """One database and its single writer. ``write`` takes a function that is one whole transaction."""

    def __init__(self, engine: Engine, *, shared: bool = False):
        """``shared``: the engine has one connection for all threads (a database in memory), so reads queue too."""
        self.engine = engine
        # Within this process writers queue here instead of polling SQLite's lock; BEGIN IMMEDIATE with its
        # timeout serves writers of other processes (the command line beside a running server).
        self._writer = threading.Lock()
        self._reader = self._writer if shared else nullcontext()
        self._inside = threading.local()
        self._glances: dict[int, tuple[Select, str, list[str]]] = {}
        self._window: Any = None
        self._looking = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A consistent view of the database; nothing can be written through it by accident on purpose."""
        with self._reader, self.engine.connect() as tx:
            yield tx

    def write(self, work: Callable[[Tx], T]) -> T:
        """Runs ``work`` as one transaction and returns its result once it is durable.

        ``work`` may run several times, so it has no effect outside the transaction; whatever it raises undoes
        everything. Raises Problem "server-busy" when another process held the database all the time, "server-full"
        when there is no room.
        """
        if getattr(self._inside, "writing", False):
            raise RuntimeError("a write inside a write: one act is one transaction")
        for attempt in range(ATTEMPTS):
            try:
                with self._writer:
                    self._inside.writing = True
                    try:
                        with self.engine.connect().execution_options(siltwatch_write=True) as tx, tx.begin():
                            return work(tx)
                    finally:
                        self._inside.writing = False
            except DBAPIError as error:
                if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_FULL":
                    raise Problem("server-full", "there is no room for the database") from error
                if not _retryable(error):
                    raise
                time.sleep(random.uniform(0.005, 0.02) * (attempt + 1))
        raise Problem("server-busy", "another program keeps the database busy")

    def glance(self, query: Select, **values: str) -> tuple[Any, ...] | None:
        """The first row of a small query by a key, text columns only, as it is committed now.

        Quick enough (some 20 us) to be asked in the event loop with every request. ``query`` is one that is kept for
        the life of the program: what it compiles to is remembered.
        """
        if getattr(self._inside, "writing", False):
            raise RuntimeError("a glance inside a write: ask the transaction itself")
        if self.engine.dialect.name != "sqlite" or isinstance(self.engine.pool, StaticPool):
            with self.read() as tx:
                found = tx.execute(query, values).first()
            return None if found is None else tuple(found)
        if id(query) not in self._glances:
            compiled = query.compile(dialect=self.engine.dialect)
            self._glances[id(query)] = (query, str(compiled), list(compiled.positiontup or ()))
        _, text, names = self._glances[id(query)]
        with self._looking:
            if self._window is None:
                self._window = self.engine.raw_connection()  # kept for good, used by one thread after the other
            rows = self._window.driver_connection.execute(text, [values[name] for name in names]).fetchall()
        return rows[0] if rows else None

    def copy_to(self, place: Path) -> None:
        """A consistent copy of the whole database in the new file ``place``, while others go on writing."""
        handle = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        os.close(handle)
        copy = sqlite3.connect(place)
        raw = self.engine.raw_connection()
        try:
            raw.driver_connection.backup(copy)
        finally:
            raw.close()
            copy.close()
        handle = os.open(place, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)

    def close(self) -> None:
        """Lets go of every connection."""
        with self._looking:
            if self._window is not None:
                self._window.close()
                self._window = None
        self.engine.dispose()


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _connected(raw: Any, _record: Any) -> None:
        raw.isolation_level = None  # the driver begins nothing by itself: _begin does
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")  # first, because the next line may have to wait
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(tx: Connection) -> None:
        writes = tx.get_execution_options().get("siltwatch_write", False)
        tx.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def open_database(where: Path | None) -> Database:
    """The SQLite database in the file ``where`` (made when absent), or one in memory when it is None."""
    if where is None:
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        engine = create_engine(f"sqlite:///{where}", pool_size=16, max_overflow=32)
    _prepare_sqlite(engine)
    return Database(engine, shared=where is None)


def _insert(tx: Tx, table: Table) -> Any:
    return sqlite.insert(table) if tx.dialect.name == "sqlite" else postgresql.insert(table)


@lru_cache(maxsize=256)
def _insert_if_absent(dialect: str, table: Table) -> Any:
    # One object for each table: making a statement and its cache key anew costs more than running it.
    return (sqlite if dialect == "sqlite" else postgresql).insert(table).on_conflict_do_nothing()


def insert_if_absent(tx: Tx, table: Table, row: Mapping[str, Any]) -> bool:
    """Inserts ``row`` unless a unique key already has one; says whether it did. Never check-then-insert."""
    return tx.execute(_insert_if_absent(tx.dialect.name, table), dict(row)).rowcount == 1


@lru_cache(maxsize=256)
def _keyed(table: Table, names: tuple[str, ...]) -> Select:
    return select(table).where(*(table.c[name] == bindparam(name) for name in names))


def find(tx: Tx, table: Table, **keys: Any) -> Any | None:
    """The first row with these values in these columns, None when there is none. For what every record asks."""
    return tx.execute(_keyed(table, tuple(keys)), keys).first()


def find_all(tx: Tx, table: Table, **keys: Any) -> list[Any]:
    """All rows with these values in these columns, in no order."""
    return list(tx.execute(_keyed(table, tuple(keys)), keys))


@lru_cache(maxsize=256)
def _changing(table: Table, keys: tuple[str, ...], names: tuple[str, ...]) -> Update:
    where = (table.c[name] == bindparam(f"key_{name}") for name in keys)
    return update(table).where(*where).values({name: bindparam(f"new_{name}") for name in names})


def change(tx: Tx, table: Table, keys: Mapping[str, Any], values: Mapping[str, Any]) -> int:
    """Sets ``values`` in the rows with these ``keys``; says how many there were."""
    given = {f"key_{name}": value for name, value in keys.items()}
    given |= {f"new_{name}": value for name, value in values.items()}
    return tx.execute(_changing(table, tuple(keys), tuple(values)), given).rowcount


def put(tx: Tx, table: Table, row: Mapping[str, Any], keys: Sequence[str] | None = None) -> None:
    """Inserts ``row``, or replaces the other columns of the row with the same primary key."""
    names = list(keys or [column.name for column in table.primary_key.columns])
    rest = {name: value for name, value in row.items() if name not in names}
    statement = _insert(tx, table).values(**row)
    if rest:
        tx.execute(statement.on_conflict_do_update(index_elements=names, set_=rest))
    else:
        tx.execute(statement.on_conflict_do_nothing(index_elements=names))
