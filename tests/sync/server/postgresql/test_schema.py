"""The tables in a real PostgreSQL: from nothing to the newest revision, exactly as declared, or not at all."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import select, text

from sync.records.problems import Problem
from sync.server.db.copying import copy_rows
from sync.server.db.engine import open_database
from sync.server.db.migrate import migrate, newest, revision
from sync.server.db.postgres import is_empty
from sync.server.db.schema import metadata
from tests.support.city import field_tablet, finding, inspection_body, order_body
from tests.support.clock import StoppedClock

# What Alembic does not compare: keys, unique keys, checks, and what indexes are made of.
MADE = text("""
    SELECT conrelid::regclass::text AS of, conname AS name, pg_get_constraintdef(oid) AS said FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'alembic_version'
    UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY 1, 2, 3""")


@pytest.fixture
def empty(postgresql):
    return postgresql.open(postgresql.fresh())


def test_migrations_make_exactly_the_schema(empty, postgresql):
    migrate(empty)
    migrate(empty)
    declared = postgresql.open(postgresql.fresh())
    with declared.engine.begin() as tx:
        metadata.create_all(tx)
    with empty.read() as tx, declared.read() as as_said:
        assert revision(tx) == newest()
        context = MigrationContext.configure(tx, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        made = tx.execute(MADE).all()
        assert made == as_said.execute(MADE).all() and len(made) > len(metadata.tables)


def test_a_step_that_fails_undoes_the_whole_migration(empty, monkeypatch):
    real = command.upgrade

    def fails(*args):
        real(*args)
        raise OSError("the machine stops")

    with monkeypatch.context() as patched:
        patched.setattr(command, "upgrade", fails)
        with pytest.raises(OSError):
            migrate(empty)
    assert is_empty(empty.engine)
    migrate(empty)
    assert not is_empty(empty.engine)


def test_a_database_of_a_newer_program_is_refused_and_not_touched(empty):
    migrate(empty)
    empty.write(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(Problem) as caught:
        migrate(empty)
    assert caught.value.code == "database-newer"
    with empty.read() as tx:
        assert revision(tx) == "9999"


def test_every_row_goes_over_to_sqlite_and_back_as_it_was(postgresql, empty, tmp_path):
    city = postgresql.city(StoppedClock())
    tablet = field_tablet(city, "ada")
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[finding("f1", note="µ \x00 日本 'x' \\")])),
                tablet.fact("order_posted", order_body(tablet)))
    file = open_database(tmp_path / "x.sqlite")
    for database in (file, empty):
        migrate(database)
    assert copy_rows(city.db, file) == copy_rows(file, empty) > 30

    def rows(database):
        with database.read() as tx:
            return {table.name: sorted(map(repr, tx.execute(select(table)))) for table in metadata.sorted_tables}

    assert rows(city.db) == rows(file) == rows(empty)
    with pytest.raises(Problem) as caught:
        copy_rows(city.db, empty)
    assert caught.value.code == "database-in-the-way"
    assert rows(empty) == rows(city.db)
    file.close()
