"""The server of the sync state machine with its records in a real PostgreSQL.

A backup of it is what `siltwatch backup` makes: the rows in an SQLite database, from which they are moved back.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Connection, event
from sqlalchemy.engine import URL

from sync.server.db.copying import copy_rows, copy_rows_into
from sync.server.db.engine import Database, Tx, open_database
from sync.server.db.migrate import migrate
from sync.server.db.postgres import address_of
from sync.server.db.schema import metadata
from tests.model.office import Backup, Disk, Server
from tests.support.postgresql import Postgresql


class Ground:
    """One database for all runs, a connection to look into it past everything, and the file of a backup."""

    def __init__(self, postgresql: Postgresql):
        address: URL = postgresql.address(name := postgresql.fresh())
        self.database, self.disk = postgresql.open(name), Disk()
        migrate(self.database)
        self.looking = psycopg.connect(
            address_of(str(address)).set(drivername="postgresql").render_as_string(False), autocommit=True)
        self.file = open_database(None)
        migrate(self.file)
        self._empty = self.raw().serialize()

    def raw(self):
        return self.file.engine.raw_connection().driver_connection

    def copied(self) -> bytes:
        """All rows, as a file."""
        self.raw().deserialize(self._empty)
        copy_rows(self.database, self.file)
        return bytes(self.raw().serialize())

    def put_back(self, data: bytes) -> None:
        """All rows of the file, instead of those that are here."""
        self.raw().deserialize(data)

        def work(tx: Tx) -> None:
            tx.exec_driver_sql("TRUNCATE " + ", ".join(metadata.tables))
            copy_rows_into(self.file, tx)

        self.database.write(work)

    def close(self) -> None:
        self.looking.close()
        self.file.close()


class PostgresqlServer(Server):
    """The same server over ``Ground``."""

    ground: Ground

    def _ground(self) -> tuple[Database, Disk]:
        return self.ground.database, self.ground.disk

    def rows(self, query, *values):
        return self.ground.looking.execute(query.replace("?", "%s"), values or None).fetchall()

    def backup(self, now: int = 0) -> Backup:
        return Backup(self.ground.copied(), dict(self.disk._files), now, self.clock.now())

    def _load(self, backup: Backup) -> None:
        self.ground.put_back(backup.database)
        self.disk._files.clear()
        self.disk._files.update(backup.files)
        self.disk.forget_unfinished()
        self.version += 1

    @contextmanager
    def no_room(self, where: str) -> Iterator[None]:
        """No room for the database: it takes no writes, and says so itself."""
        if where == "files":
            self.disk.full = True
        else:
            event.listen(self._database.engine, "begin", _only_reads)
        try:
            yield
        finally:
            self.disk.full = False
            if where != "files":
                event.remove(self._database.engine, "begin", _only_reads)


def _only_reads(tx: Connection) -> None:
    if tx.get_execution_options().get("siltwatch_write", False):
        tx.connection.driver_connection.execute("SET TRANSACTION READ ONLY")
