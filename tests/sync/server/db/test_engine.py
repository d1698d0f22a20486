"""Transactions: durable, one writer, whole or not at all, retried whole, never begun as a read."""

import sqlite3
import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import bindparam, insert, select, text

from sync.records.problems import Problem
from sync.server.db import engine
from sync.server.db.engine import change, insert_if_absent, open_database, put
from sync.server.db.migrate import migrate
from sync.server.db.schema import cities, refusals, sites


@pytest.fixture
def database(tmp_path):
    found = open_database(tmp_path / "x.sqlite")
    migrate(found)
    yield found
    found.close()


def site(ident, name="n"):
    return {"city_id": "c", "id": ident, "name": name, "address": "a", "doc": {"id": ident}}


def names(database):
    with database.read() as tx:
        return dict(tx.execute(select(sites.c.id, sites.c.name)).tuples().all())


def test_every_connection_is_set_to_be_durable(database):
    with database.read() as tx:
        assert tx.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert tx.execute(text("PRAGMA synchronous")).scalar() == 2, "FULL: a power cut loses no acknowledged act"
        assert tx.execute(text("PRAGMA foreign_keys")).scalar() == 1
        assert tx.execute(text("PRAGMA busy_timeout")).scalar() == engine.BUSY_MS


def test_what_raises_leaves_nothing(database):
    def fails(tx):
        tx.execute(insert(sites).values(**site("s1")))
        raise ValueError("no")

    with pytest.raises(ValueError):
        database.write(fails)
    assert names(database) == {}
    database.write(lambda tx: tx.execute(insert(sites).values(**site("s1"))))
    assert names(database) == {"s1": "n"}


def test_a_write_inside_a_write_is_a_programming_error(database):
    with pytest.raises(RuntimeError):
        database.write(lambda _: database.write(lambda tx: None))
    database.write(lambda tx: tx.execute(insert(sites).values(**site("s1"))))


def test_a_write_begins_as_one_so_that_a_reader_turned_writer_cannot_fail(database):
    """Two that read and then write: with a deferred BEGIN the second one would fail at once, whatever the timeout."""
    database.write(lambda tx: tx.execute(insert(sites).values(**site("s1", "0"))))
    both_started = threading.Barrier(2)
    errors = []

    def add_one(tx):
        value = int(tx.execute(select(sites.c.name).where(sites.c.id == "s1")).scalar_one())
        tx.execute(sites.update().where(sites.c.id == "s1").values(name=str(value + 1)))

    def work():
        both_started.wait()
        try:
            for _ in range(20):
                database.write(add_one)
        except Exception as err:
            errors.append(err)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert names(database) == {"s1": "40"}


def test_a_busy_database_is_tried_again_whole_and_then_told_plainly(tmp_path, database, monkeypatch):
    monkeypatch.setattr(engine, "BUSY_MS", 1)
    monkeypatch.setattr(engine, "ATTEMPTS", 3)
    impatient = open_database(tmp_path / "x.sqlite")
    holder = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(Problem) as caught:
        impatient.write(lambda tx: tx.execute(insert(sites).values(**site("s1"))))
    assert caught.value.code == "server-busy"
    holder.execute("COMMIT")
    holder.close()
    impatient.write(lambda tx: tx.execute(insert(sites).values(**site("s1"))))
    assert names(impatient) == {"s1": "n"}
    impatient.close()


def test_who_finds_every_connection_in_use_is_told_to_come_back_and_all_goes_on_afterwards(tmp_path):
    database = open_database(tmp_path / "x.sqlite")
    migrate(database)
    database.close()  # the writer's own connection too
    pool = database.engine.pool
    pool._timeout = 0.01
    taken = [database.engine.connect() for _ in range(pool.size() + pool._max_overflow)]
    add = [lambda tx, ident=ident: tx.execute(insert(sites).values(**site(ident))) for ident in ("s1", "s2")]
    for refused in (lambda: names(database), lambda: database.write(add[0])):
        with pytest.raises(Problem) as told:
            refused()
        assert (told.value.code, told.value.status) == ("server-busy", 503)
    assert [error.code for _, error in database.write_all(add)] == ["server-busy"] * 2
    for one in taken:
        one.close()
    assert [error for _, error in database.write_all(add)] == [None] * 2 and set(names(database)) == {"s1", "s2"}
    database.close()


def test_a_reader_sees_one_moment_while_a_writer_goes_on(database):
    with database.read() as tx:
        assert tx.execute(select(sites.c.id)).all() == []
        database.write(lambda other: other.execute(insert(sites).values(**site("s1"))))
        assert tx.execute(select(sites.c.id)).all() == []
    assert names(database) == {"s1": "n"}


def test_put_and_insert_if_absent(database):
    assert database.write(lambda tx: insert_if_absent(tx, sites, site("s1", "first")))
    assert not database.write(lambda tx: insert_if_absent(tx, sites, site("s1", "second")))
    assert names(database) == {"s1": "first"}
    database.write(lambda tx: put(tx, sites, site("s1", "third")))
    assert names(database) == {"s1": "third"}


def test_instants_are_aware_and_documents_hold_no_floats(database):
    from datetime import UTC, datetime, timedelta, timezone

    at = datetime(2026, 8, 27, 14, tzinfo=timezone(timedelta(hours=-5)))
    row = {"city_id": "c", "id": "r", "tablet": "T01", "at": at, "code": "x", "detail": "y"}
    database.write(lambda tx: tx.execute(insert(refusals).values(**row)))
    with database.read() as tx:
        found = tx.execute(select(refusals.c.at)).scalar_one()
    assert found == at and found.tzinfo == UTC
    for other in ({"id": "r2", "at": datetime(2026, 8, 27)},):
        with pytest.raises(Exception, match="naive"):
            database.write(lambda tx, other=other: tx.execute(insert(refusals).values(**{**row, **other})))
    with pytest.raises(Exception, match="float"):
        database.write(lambda tx: tx.execute(insert(sites).values(**{**site("s2"), "doc": {"x": 1.5}})))


def test_a_glance_sees_what_is_committed_now_from_any_thread_and_never_from_inside_a_write(tmp_path):
    query = select(cities.c.epoch).where(cities.c.city_id == bindparam("city"))
    for where in (tmp_path / "city.sqlite", None):
        database = open_database(where)
        migrate(database)
        row = {"city_id": "demo", "name": "Demo", "zone": "UTC", "epoch": "e1", "pack": "",
               "created_at": datetime(2026, 8, 27, tzinfo=UTC)}
        assert database.glance(query, city="demo") is None
        database.write(lambda tx, row=row: tx.execute(insert(cities), row))
        seen = []
        thread = threading.Thread(target=lambda: seen.append(database.glance(query, city="demo")))  # noqa: B023
        thread.start()
        thread.join()
        database.write(lambda tx: change(tx, cities, {"city_id": "demo"}, {"epoch": "e2"}))
        assert (seen, database.glance(query, city="demo")) == ([("e1",)], ("e2",))
        with pytest.raises(RuntimeError):
            database.write(lambda tx: database.glance(query, city="demo"))  # noqa: B023
        database.close()
