"""The few statements that every record runs, by table and columns: find, add, change, put. Never check-then-insert.

On SQLite they take the short way (see `quick`), on any other engine the ordinary one; what they mean is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection as Tx
from sqlalchemy import Select, Table, Update, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from sync.server.db.quick import Ready, raw_of, run

# Statements are made and compiled once for each shape and then kept: that takes longer than running them.
_READY: dict[int, Ready] = {}


def ready(statement: Any, dialect: Any, names: tuple[str, ...] | None = None) -> Ready:
    """The statement, which is kept for the life of the program, as the driver wants it."""
    found = _READY.get(id(statement))
    if found is None:
        found = _READY[id(statement)] = Ready(statement, dialect, names)
    return found


def ask(tx: Tx, query: Select, **values: Any) -> list[Any]:
    """All rows of ``query``, which is kept for the life of the program; ``values`` are those of its parameters."""
    raw = raw_of(tx)
    if raw is None:
        return list(tx.execute(query, values))
    known = ready(query, tx.dialect)
    return [known.row(row) for row in run(tx, raw, known, values)]


@cache
def _adding(dialect: str, table: Table, names: tuple[str, ...], absent: bool) -> Any:
    statement = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    return statement.on_conflict_do_nothing() if absent else statement


def _add(tx: Tx, table: Table, row: Mapping[str, Any], absent: bool) -> int:
    names = tuple(row)
    statement = _adding(tx.dialect.name, table, names, absent)
    raw = raw_of(tx)
    if raw is None:
        # Without being asked for it, SQLAlchemy does not say of an insertion how many rows it made.
        return tx.execute(statement, dict(row), execution_options={"preserve_rowcount": True}).rowcount
    return run(tx, raw, ready(statement, tx.dialect, names), row).rowcount


def insert_if_absent(tx: Tx, table: Table, row: Mapping[str, Any]) -> bool:
    """Inserts ``row`` unless a unique key already has one; says whether it did. Never check-then-insert."""
    return _add(tx, table, row, True) == 1


def add(tx: Tx, table: Table, row: Mapping[str, Any]) -> None:
    """Inserts ``row``. Raises IntegrityError where a unique key already has one."""
    _add(tx, table, row, False)


@cache
def _keyed(table: Table, names: tuple[str, ...]) -> Select:
    return select(table).where(*(table.c[name] == bindparam(name) for name in names))


def find(tx: Tx, table: Table, **keys: Any) -> Any | None:
    """The first row with these values in these columns, None when there is none. For what every record asks."""
    query, raw = _keyed(table, tuple(keys)), raw_of(tx)
    if raw is None:
        return tx.execute(query, keys).first()
    known = ready(query, tx.dialect)
    row = run(tx, raw, known, keys).fetchone()
    return None if row is None else known.row(row)


def find_all(tx: Tx, table: Table, **keys: Any) -> list[Any]:
    """All rows with these values in these columns, in no order."""
    return ask(tx, _keyed(table, tuple(keys)), **keys)


@cache
def _changing(table: Table, keys: tuple[str, ...], names: tuple[str, ...]) -> Update:
    where = (table.c[name] == bindparam(f"key_{name}") for name in keys)
    return update(table).where(*where).values({name: bindparam(f"new_{name}") for name in names})


def change(tx: Tx, table: Table, keys: Mapping[str, Any], values: Mapping[str, Any]) -> int:
    """Sets ``values`` in the rows with these ``keys``; says how many there were."""
    given = {f"key_{name}": value for name, value in keys.items()}
    given |= {f"new_{name}": value for name, value in values.items()}
    statement = _changing(table, tuple(keys), tuple(values))
    raw = raw_of(tx)
    if raw is None:
        return tx.execute(statement, given).rowcount
    return run(tx, raw, ready(statement, tx.dialect), given).rowcount


@cache
def _putting(dialect: str, table: Table, names: tuple[str, ...], keys: tuple[str, ...]) -> Any:
    statement = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    rest = [name for name in names if name not in keys]
    if not rest:
        return statement.on_conflict_do_nothing()
    return statement.on_conflict_do_update(index_elements=keys, set_={name: statement.excluded[name] for name in rest})


def put(tx: Tx, table: Table, row: Mapping[str, Any], keys: Sequence[str] | None = None) -> None:
    """Inserts ``row``, or replaces the other columns of the row with the same primary key."""
    by = tuple(keys or [column.name for column in table.primary_key.columns])
    statement = _putting(tx.dialect.name, table, tuple(row), by)
    raw = raw_of(tx)
    if raw is None:
        tx.execute(statement, dict(row))
    else:
        run(tx, raw, ready(statement, tx.dialect, tuple(row)), row)
