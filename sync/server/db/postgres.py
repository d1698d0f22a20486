"""PostgreSQL as the database of a city that has outgrown SQLite: the same statements, the same promises.

Writes stand in line at the city's counters, also those of other processes, as they do for the lock of an SQLite file.
So each sees all that was written before it, and none ever runs again because another one won. Reads see one moment
of the whole. A commit is answered when it is on the disk, whatever the database's own settings say.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError

from sync.records.problems import Problem
from sync.server.db.schema import counters

PLAIN, DRIVEN = "postgresql", "postgresql+psycopg"
_IN_LINE = f"SELECT city_id FROM {counters.name} FOR UPDATE"
_MAKING = "SELECT pg_advisory_xact_lock(7450311)"
# A machine that dies with a transaction open must not hold up the others: the server looks after it, and lets it go.
_SETTINGS = {
    "lock_timeout": "30s", "idle_in_transaction_session_timeout": "5min", "timezone": "UTC",
    "tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3",
}
# And one that does not answer any more must not be waited for as long as the system would.
_CONNECTING = {
    "connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


def address_of(text: str) -> URL:
    """The address of a PostgreSQL database as a person writes it. Raises Problem "body-malformed"."""
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in (PLAIN, "postgres", DRIVEN) or not url.database:
        raise Problem("body-malformed", "a database is named as postgresql://USER@HOST/DATABASE, and of no other kind")
    return url.set(drivername=DRIVEN)


def open_engine(url: URL) -> Engine:
    """The engine. Nothing is connected yet."""
    said = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    engine = create_engine(
        url, isolation_level="READ COMMITTED", pool_size=16, max_overflow=32, pool_timeout=10, pool_pre_ping=True,
        connect_args={**_CONNECTING, "options": said, "application_name": "siltwatch"})
    _prepare(engine)
    return engine


def _prepare(engine: Engine) -> None:
    there: list[bool] = []

    @event.listens_for(engine, "connect")
    def _connected(raw: Any, _record: Any) -> None:
        raw.autocommit = True
        if raw.execute("SHOW synchronous_commit").fetchone()[0] == "off":
            raw.execute("SET synchronous_commit = on")
        raw.autocommit = False

    @event.listens_for(engine, "begin")
    def _begin(tx: Connection) -> None:
        if not tx.get_execution_options().get("siltwatch_write", False):
            return
        if not there and inspect(tx).has_table(counters.name):  # not while the tables are being made
            there.append(True)
        if there:
            tx.exec_driver_sql(_IN_LINE)


    @event.listens_for(engine, "before_cursor_execute", retval=True)
    def _without_nul(_tx: Connection, _cursor: Any, text: str, given: Any, _context: Any, _many: bool) -> Any:
        return text, _clean(given)


def _clean(given: Any) -> Any:
    """The values as PostgreSQL can keep them: the character NUL as the sign for one that cannot be shown. The text of a
    record and all documents are JSON, in which it is written otherwise: they stay as they are."""
    if isinstance(given, str):
        return given.replace("\0", "\ufffd")
    if isinstance(given, dict):
        if any(isinstance(value, str) and "\0" in value for value in given.values()):
            return {name: _clean(value) for name, value in given.items()}
    elif isinstance(given, list | tuple):
        return type(given)(map(_clean, given))
    return given


def reading(engine: Engine) -> Engine:
    """The same engine for transactions that see one moment of the whole, and write nothing."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def glancing(engine: Engine) -> Engine:
    """The same engine for single questions, each on its own."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def is_empty(engine: Engine) -> bool:
    """Whether nothing was ever made in the database."""
    return not inspect(engine).get_table_names()


def is_empty_still(tx: Connection) -> bool:
    """The same inside a transaction that is about to make something: it waits for another one that does. Whether a file
    is empty, its folder says."""
    if tx.dialect.name != PLAIN:
        return True
    tx.exec_driver_sql(_MAKING)
    return not inspect(tx).get_table_names()


def born_as(engine: Engine) -> str:
    """What tells this database from every copy of it that was restored elsewhere: the group of databases it was born
    in, and its number there. "-" where the server does not say."""
    try:
        with glancing(engine).connect() as asking:
            group, number = asking.exec_driver_sql(
                "SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database())"
                " FROM pg_control_system()").one()
    except DBAPIError:
        return "-"
    return f"{group}.{number}"
