"""A program update meets a full disk: the database stays the old one, the reason is said, later it comes up to date.

The database may grow by more pages each time, from none at all to as many as the update needs.
"""

import shutil

from sqlalchemy import event

from sync.records.problems import Problem
from sync.server.db.engine import open_database
from sync.server.db.migrate import migrate, newest
from tests.sync.server.db.test_killed_migration import at, said
from tests.sync.server.db.test_migrate import KEPT, SHA256, number_of


def migrated(place, room):
    """Brings it up to date where it may grow by ``room`` pages (None: by any); the code with which it is refused."""
    database = open_database(place)

    @event.listens_for(database.engine, "connect")
    def _limit(connection, _):
        if room is not None:
            [pages] = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + room}").fetchone()

    try:
        migrate(database)
    except Problem as problem:
        assert problem.advice
        return problem.code
    finally:
        database.close()
    return None


def test_a_full_disk_leaves_the_old_database_whole(tmp_path):
    refused = 0
    for name in (name for name in SHA256 if number_of(name) < int(newest())):
        place = shutil.copy(KEPT / name, tmp_path / name)
        before, old, room = said(place), at(place), 0
        while (code := migrated(place, room)) is not None:  # a small update needs no page more
            assert code == "server-full"
            assert at(place) == old and said(place) == before, "half an update"
            room, refused = 2 * room + 1, refused + 1
        assert at(place) == newest() and said(place) == before
    assert refused >= 6, "there was always room"
