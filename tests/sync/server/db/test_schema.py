"""The schema stays within what distributed PostgreSQL engines share, and migrations make exactly it."""

import re
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Integer, UniqueConstraint, event, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

import sync.server.db as db
from sync.server.db.engine import open_database
from sync.server.db.migrate import migrate, newest, revision
from sync.server.db.schema import metadata
from tests.support.city import field_tablet, finding, inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock

SERVER = Path(db.__file__).resolve().parents[1]
# What CockroachDB, YugabyteDB or Citus lack, or count in their own way.
FOREIGN = re.compile(
    r"\b(SERIAL|BIGSERIAL|IDENTITY|SEQUENCE|AUTOINCREMENT|TRIGGER|LISTEN|NOTIFY|ADVISORY|LOCK TABLE|DEFERRABLE|EXCLUDE"
    r"|CITEXT|JSONB|XML|ENUM|GENERATED ALWAYS|INHERITS|RECURSIVE|OFFSET|FOR SHARE|ROWID|PRAGMA)\b", re.I)


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda t: t.name)
def test_the_city_comes_first_in_every_key_and_nothing_counts_by_itself(table):
    assert next(iter(table.primary_key.columns)).name == "city_id"
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            assert next(iter(constraint.columns)).name == "city_id", constraint
    for index in table.indexes:
        assert next(iter(index.columns)).name == "city_id", index.name
    for column in table.columns:
        assert not column.foreign_keys and column.server_default is None and column.identity is None
        if isinstance(column.type, Integer) and column.primary_key:
            assert len(table.primary_key.columns) > 1, "a lone integer key would count by itself"


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda t: t.name)
def test_the_tables_are_plain_postgresql_too(table):
    dialect = postgresql.dialect()
    statements = [CreateTable(table), *map(CreateIndex, table.indexes)]
    for statement in statements:
        assert not FOREIGN.search(str(statement.compile(dialect=dialect)))


def test_no_statement_of_a_day_s_work_is_foreign():
    city = memory_city(StoppedClock())
    seen = []

    @event.listens_for(city.db.engine, "before_cursor_execute")
    def note(_conn, _cursor, statement, *_):
        seen.append(statement)

    tablet = field_tablet(city, "ada")
    inspection = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]))
    tablet.push(inspection, tablet.fact("order_posted", order_body(tablet), needs=(inspection.id,)))
    from sync.server.casework import audit, feed, queries

    queries.desk(city), queries.site_list(city), queries.inspection_page(city, inspection.id)
    feed.changes_since(city, tablet.tablet.id, "", "", 0)
    audit.verify(city)
    assert len(seen) > 100
    # SQLAlchemy writes LIMIT for SQLite with an OFFSET of 0; that no page is fetched by OFFSET is seen in the source.
    assert [s for s in seen if FOREIGN.search(s.replace("LIMIT ? OFFSET ?", "LIMIT ?"))] == []
    assert [path.name for path in SERVER.rglob("*.py") if ".offset(" in path.read_text()] == []


def test_what_belongs_to_sqlite_stands_in_two_files():
    files = [path for path in SERVER.rglob("*.py") if re.search(r"pragma|sqlite_master|begin immediate|dialects",
                                                              path.read_text(), re.I)]
    assert {path.relative_to(SERVER).as_posix() for path in files} == {"db/engine.py", "db/statements.py"}


def test_migrations_make_exactly_the_schema():
    database = open_database(None)
    migrate(database)
    with database.read() as tx:
        assert revision(tx) == newest()
        context = MigrationContext.configure(tx, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def test_checks_are_migrated_too():
    """Alembic compares no CHECK constraint, so the texts of the tables are compared."""
    def checks(database):
        with database.read() as tx:
            made = tx.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
        return {name: sorted(re.findall(r"CONSTRAINT (\w+) CHECK \((.*?)\)\s*[,)]", sql)) for name, sql in made
                if name != "alembic_version"}

    migrated, declared = open_database(None), open_database(None)
    migrate(migrated)
    declared.write(metadata.create_all)
    assert checks(migrated) == checks(declared)
    assert sum(map(len, checks(declared).values())) == 2


def test_migrating_twice_is_migrating_once():
    database = open_database(None)
    migrate(database)
    migrate(database)
    with database.read() as tx:
        assert [tx.execute(select(table)).all() for table in metadata.sorted_tables] == [[]] * len(metadata.tables)
