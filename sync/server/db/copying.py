"""Carries every row of a city's database over into another one, of the same kind or the other, at the same schema.

One moment of the whole is read and one transaction is written, so there is all of it or nothing. Values go through the
columns' own types: what is read over there is what was read here.
"""

from __future__ import annotations

from sqlalchemy import Table, func, insert, select
from sqlalchemy.exc import DataError, IntegrityError

import sync.server.db.migrate  # noqa: F401  (which knows every table)
from sync.records.problems import Problem
from sync.server.db.engine import Database, Tx
from sync.server.db.narrow import fitting
from sync.server.db.schema import metadata

AT_ONCE = 500
"""So many rows are in memory at a time."""


def copy_rows(source: Database, target: Database) -> int:
    """Copies all rows into the tables of ``target``, which are there and empty; returns how many there are. Raises
    Problem "database-in-the-way" when one is not empty, "data-damaged" when another number of rows came out,
    "row-not-moved" when one cannot be kept there."""
    return target.write(lambda there: copy_rows_into(source, there))


def copy_rows_into(source: Database, there: Tx) -> int:
    """The same in a transaction that does more."""
    with source.read() as here:
        return sum(_copy(here, there, table) for table in metadata.sorted_tables)


def _copy(here: Tx, there: Tx, table: Table) -> int:
    if there.execute(select(func.count()).select_from(table)).scalar_one():
        raise Problem("database-in-the-way", f"its table {table.name} is not empty")
    found = here.execute(select(table), execution_options={"yield_per": AT_ONCE})
    count = 0
    for rows in found.mappings().partitions():
        try:
            there.execute(insert(table), [fitting(table.name, dict(row)) for row in rows])
        except (DataError, IntegrityError) as error:
            told = str(error.orig).partition("\n")[0]
            raise Problem("row-not-moved", f"a row of the table {table.name} cannot be kept there: {told}") from error
        count += len(rows)
    if there.execute(select(func.count()).select_from(table)).scalar_one() != count:
        raise Problem("data-damaged", f"the table {table.name} did not come over whole")
    return count
