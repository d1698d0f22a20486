"""A program update that is killed in the middle, at any statement: the database is the old one or the new one.

Every kept database, and every revision between it and the newest, is brought up to date by a process that is killed
(SIGKILL) at one point after the other, over and over, until one gets through; then it says what it always said.
"""

import shutil
import sqlite3

import pytest
from alembic import command

from sync.server.casework import audit
from sync.server.db.engine import open_database
from sync.server.db.migrate import _config, migrate, newest, revision
from tests.support.killed_process import die_at_statement, forked
from tests.sync.server.db.test_migrate import KEPT, SHA256, number_of, opened

REVISIONS = [f"{number:04d}" for number in range(1, int(newest()) + 1)]
# What a migration does not touch.
SAID = ("SELECT id, sha256, text FROM facts ORDER BY id", "SELECT id, number, register_no FROM orders ORDER BY id",
        "SELECT seq, hash FROM audit ORDER BY seq", "SELECT city_id, epoch FROM cities")  # fmt: skip


def said(place):
    file = sqlite3.connect(place)
    try:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [file.execute(query).fetchall() for query in SAID]
    finally:
        file.close()


def at(place):
    database = open_database(place)
    with database.read() as tx:
        found = revision(tx)
    database.close()
    return found


def left_by(folder, name, wanted):
    """The kept database as a program of the revision ``wanted`` would have left it."""
    place = folder / f"{name}-{wanted}"
    shutil.copy(KEPT / name, place)
    database = open_database(place)
    database.write(lambda tx: command.upgrade(_config(tx), wanted))
    database.close()
    return place


def dies_at(place, statement):
    """Migrates in a process that kills itself before its n-th statement; whether it came that far."""

    def update(_):
        database = open_database(place)
        die_at_statement(database.engine, statement)
        migrate(database)

    return forked(update)[0]


@pytest.mark.parametrize("name", [name for name in SHA256 if number_of(name) < int(newest())])
def test_killed_at_one_statement_after_the_other(tmp_path, name):
    place = left_by(tmp_path, name, at(shutil.copy(KEPT / name, tmp_path / "x")))
    before, old = said(place), at(place)
    statement, kills = 1, 0
    while dies_at(place, statement):
        kills += 1
        assert at(place) in (old, newest()), "half a migration"
        assert said(place) == before
        statement += 1 + statement // 4
    assert at(place) == newest() and said(place) == before
    assert kills >= 3, "it was never in the middle of anything"
    assert not dies_at(place, 10_000), "coming up to date twice is coming up to date once"


@pytest.mark.parametrize("wanted", REVISIONS)
def test_every_revision_comes_up_to_date_after_a_kill(tmp_path, wanted):
    place = left_by(tmp_path, "server-1.sqlite" if wanted == "0001" else "server-2.sqlite", wanted)
    before = said(place)
    dies_at(place, 4 + 3 * int(wanted))
    assert at(place) in (wanted, newest()) and said(place) == before
    assert not dies_at(place, 10_000)
    assert at(place) == newest() and said(place) == before


def test_what_was_killed_and_repeated_reads_as_what_was_not(tmp_path):
    (tmp_path / "killed").mkdir()
    (tmp_path / "quiet").mkdir()
    place = tmp_path / "killed" / "server-2.sqlite"
    shutil.copy(KEPT / "server-2.sqlite", place)
    for statement in (5, 25):
        dies_at(place, statement)
    assert not dies_at(place, 10_000)
    quiet = opened(tmp_path / "quiet", "server-2.sqlite")
    assert audit.verify(quiet) == 30
    quiet.db.close()
    dumps = []
    for file in (sqlite3.connect(place), sqlite3.connect(tmp_path / "quiet" / "server-2.sqlite")):
        dumps.append(sorted(file.iterdump()))
        file.close()
    assert dumps[0] == dumps[1]
