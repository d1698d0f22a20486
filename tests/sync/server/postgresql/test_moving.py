"""A city founded in PostgreSQL, one moved there from its file, and the backup of one: nothing is lost on the way."""

import os
import stat

import pytest
from sqlalchemy import event, select, update

from sync.records.problems import Problem
from sync.records.times import At, parse_wall
from sync.server import cli, opening
from sync.server.blobs.local import LocalBlobs
from sync.server.casework import audit, feed, queries, sessions
from sync.server.casework.evidence import missing_evidence
from sync.server.casework.lives import register_lines
from sync.server.db.engine import open_database
from sync.server.db.finds import rains, site_reports
from sync.server.db.postgres import address_of, is_empty
from sync.server.db.schema import cities, facts
from sync.server.db.tablets import clock_marks
from sync.server.opening import ADDRESS, DATABASE, back_up, open_city
from sync.where import assets
from tests.support.city import PUBLIC_URL, field_tablet, folder_city, inspection_body, order_body
from tests.support.clock import StoppedClock
from tests.support.finds import rain_body, report_body
from tests.support.killed_process import die, die_at_statement, forked
from tests.sync.server.test_backup import hold


@pytest.fixture
def data(tmp_path):
    return tmp_path / "city"


@pytest.fixture
def clock():
    return StoppedClock()


def opened(data, clock):
    """As the server opens it."""
    return open_city(data, clock, PUBLIC_URL, serving=True)


def run(*words):
    return cli.main([str(word) for word in words])


def url(postgresql):
    return postgresql.address(postgresql.fresh()).render_as_string(hide_password=False)


@pytest.fixture
def in_a_file(data, clock, postgresql):
    """A city in a file, with an order and its photo."""
    from tests.support import city as cities

    makers, cities._MAKERS[:] = cities._MAKERS[:], []
    try:
        city = folder_city(data, clock)
    finally:
        cities._MAKERS[:] = makers
    tablet = field_tablet(city)
    sha = hold(city, tablet, 7)
    fact = tablet.fact("order_posted", order_body(tablet), evidence=[(sha, "photo")])
    assert tablet.push(fact)[0].whole
    yield city, tablet, fact
    city.db.close()


def told(city, tablet):
    page = feed.changes_since(city, tablet.tablet.id, "", "", 0, 500)
    return [(one.seq, one.kind, one.id, one.doc) for one in page.items], page.epoch


def test_a_city_is_founded_and_kept_by_the_same_commands(data, postgresql, clock, capsys):
    address = url(postgresql)
    assert founds(data, address) == 0
    assert not (data / DATABASE).exists() and (data / ADDRESS).read_text().strip() == address.replace(
        "postgresql://", "postgresql+psycopg://")
    assert stat.S_IMODE(os.stat(data / ADDRESS).st_mode) == 0o600
    for words in (["city", "person", "ada", "--name", "Ada", "--title", "Inspector", "--power", "post"],
                  ["enrol-code"], ["personal-code", "ada"], ["audit", "verify"], ["unclaimed"]):
        assert run(*words, "--data", data) == 0, words
    capsys.readouterr()
    assert founds(data.with_name("other"), address) == 2
    assert "[database-in-the-way]" in capsys.readouterr().err
    city = opened(data, clock)
    assert {person["id"] for person in queries.people_list(city)} == {"carol", "ada"}
    assert register_lines(city) == [], "no new life began"
    city.db.close()


def founds(data, address):
    return run("city", "new", "--data", data, "--name", "Demo", "--pack", assets() / "ordinance" / "demo", "--admin",
               "Carol Brandt", "--database", address)


def nothing_is_in(address):
    database = open_database(address_of(address))
    try:
        return is_empty(database.engine)
    finally:
        database.close()


def test_of_a_founding_that_fails_nothing_stays_and_the_next_one_may_go_there(data, postgresql, capsys, monkeypatch):
    address = url(postgresql)

    def full(*_):
        raise Problem("server-full")

    with monkeypatch.context() as broken:
        broken.setattr(sessions, "create_sign_in_link", full)
        assert founds(data, address) != 0 and "[server-full]" in capsys.readouterr().err
    assert nothing_is_in(address) and not data.exists()
    assert founds(data, address) == 0 and "founded" in capsys.readouterr().out


def test_of_a_founding_that_is_killed_there_is_nothing_or_the_whole(data, postgresql, capsys, clock):
    """Whatever was killed before the one commit never was; after it, the next run says that the city is founded."""
    address = url(postgresql)

    def killed_where(dies):
        def work(_):
            real = opening.open_database

            def dying(where):
                database = real(where)
                dies(database.engine)
                return database

            opening.open_database = dying
            founds(data, address)

        return forked(work)[0]

    for dies in (lambda engine: die_at_statement(engine, 40), lambda engine: die_at_statement(engine, 160),
                 lambda engine: event.listen(engine, "commit", lambda _: die())):
        assert killed_where(dies) and nothing_is_in(address) and not data.exists()
    assert killed_where(lambda _: setattr(opening, "_name", lambda *_: die()))
    assert not nothing_is_in(address) and not data.exists()
    capsys.readouterr()
    assert founds(data, address) == 2
    said = capsys.readouterr().err
    assert "[already-decided]" in said and f"it is in {data} now" in said
    assert run("sign-in-link", "carol", "--data", data) == run("recovery-key", "--another", "--data", data) == 0
    city = opened(data, clock)
    assert [person["id"] for person in queries.people_list(city)] == ["carol"] and register_lines(city) == []
    city.db.close()


def test_whether_a_founding_came_to_its_end_is_not_guessed(data, postgresql, capsys):
    """While the database is away nobody can tell; where it holds somebody else's tables, what is beside the folder is
    no city, and makes room."""
    address, other = url(postgresql), url(postgresql)

    def killed(there):
        def work(_):
            opening._name = lambda *_: die()
            founds(data, there)

        return forked(work)[0]

    assert killed(address)
    name = address_of(address).database
    postgresql.ask(f"ALTER DATABASE {name} RENAME TO {name}_away")
    assert founds(data, other) == 75 and "Start that database" in capsys.readouterr().err
    assert data.with_name("city.setting-up").exists()
    postgresql.ask(f"ALTER DATABASE {name}_away RENAME TO {name}")
    database = open_database(address_of(address))
    database.write(lambda tx: tx.execute(update(cities).values(place="elsewhere/1")))
    database.close()
    assert founds(data, address) == 2 and "[database-in-the-way]" in capsys.readouterr().err
    assert founds(data, other) == 0


def test_a_city_moves_with_everything_and_its_tablets_notice_nothing(in_a_file, data, clock, postgresql, capsys):
    city, tablet, fact = in_a_file
    before = told(city, tablet), queries.order_list(city), audit.verify(city)
    city.db.close()
    assert run("move-database", "--data", data, "--to", url(postgresql)) == 0
    assert "rows were moved" in capsys.readouterr().out
    assert (data / f"{DATABASE}.moved").exists() and not (data / DATABASE).exists()
    moved = opened(data, clock)
    assert moved.db.engine.dialect.name == "postgresql"
    assert (told(moved, tablet), queries.order_list(moved), audit.verify(moved)) == before
    assert list(missing_evidence(moved)) == []
    tablet.city = moved
    assert tablet.push(fact)[0].whole, "asked again, it is the same answer"
    assert tablet.push(tablet.fact("order_posted", order_body(tablet, 1)))[0].register == "R-2026-00002"
    moved.db.close()
    assert run("move-database", "--data", data, "--to", url(postgresql)) == 2
    assert "[already-decided]" in capsys.readouterr().err


@pytest.mark.parametrize("where, code, status", [
    ("postgresql://postgres@/nowhere?host={place}", "database-unreachable", 75),
    ("mysql://root@localhost/x", "body-malformed", 2),
    ("", "body-malformed", 2),
])
def test_a_move_that_cannot_be_leaves_the_city_where_it_was(in_a_file, data, postgresql, capsys, where, code, status):
    _, tablet, fact = in_a_file
    assert run("move-database", "--data", data, "--to", where.format(place=postgresql.place)) == status
    assert f"[{code}]" in capsys.readouterr().err
    assert not (data / ADDRESS).exists()
    assert tablet.push(fact)[0].whole


def test_what_an_older_server_let_into_a_file_is_moved_too(in_a_file, data, clock, postgresql):
    city, tablet, _ = in_a_file
    rain, report = tablet.fact("rain_recorded", rain_body(gauge="a\0b")), tablet.fact("site_reported", report_body())
    late = tablet.fact("inspection_signed", inspection_body(),
                       at=At(parse_wall("2099-08-27T14:03:22-05:00", ""), "America/Chicago", 1, "b", 0))
    assert [one.answer for one in tablet.push(rain, report, late)] == ["applied"] * 3
    long = "2026-08-27T06:00:00." + "1234567890" * 9 + "-05:00"

    def of_old(tx):
        tx.execute(update(rains).values(inches="000000000001.250000000", began=long, ended=long))
        tx.execute(update(site_reports).values(reported_at=long))
        tx.execute(update(clock_marks).values(off_s=2**32))

    city.db.write(of_old)
    city.db.close()
    assert run("move-database", "--data", data, "--to", url(postgresql)) == 0
    moved = opened(data, clock)
    with moved.db.read() as tx:
        (kept,) = tx.execute(select(rains))
        assert (kept.inches, kept.began, kept.gauge) == ("1.25", "2026-08-27T06:00:00-05:00", "a\ufffdb")
        assert tx.execute(select(clock_marks.c.off_s)).scalars().all() == [2**31 - 1]
    audit.verify(moved)
    moved.db.close()


def test_of_a_move_that_fails_nothing_stays_and_the_next_one_may_go_there(in_a_file, data, clock, postgresql, capsys):
    city, tablet, fact = in_a_file
    city.db.write(lambda tx: tx.execute(update(facts).values(tablet_code="T" * 65)))
    there = url(postgresql)
    assert run("move-database", "--data", data, "--to", there) == 2
    told = capsys.readouterr().err
    assert "[row-not-moved]" in told and "the table facts" in told and "Traceback" not in told
    assert not list(data.glob(f"{ADDRESS}*")) and (data / DATABASE).exists()
    city.db.write(lambda tx: tx.execute(update(facts).values(tablet_code=fact.tablet)))
    city.db.close()
    assert run("move-database", "--data", data, "--to", there) == 0
    moved = opened(data, clock)
    tablet.city = moved
    assert tablet.push(fact)[0].whole
    moved.db.close()


def test_a_copy_of_a_folder_that_is_moved_is_still_found_out(in_a_file, data, clock, postgresql):
    import shutil

    city, _, _ = in_a_file
    epoch = city.epoch()
    city.db.close()
    shutil.copytree(data, data.with_name("copy"))
    assert run("move-database", "--data", data.with_name("copy"), "--to", url(postgresql)) == 0
    moved = opened(data.with_name("copy"), clock)
    assert moved.epoch() != epoch
    assert [line["noticed"] for line in register_lines(moved) if line["restored"]] == ["folder"]
    moved.db.close()


def test_a_backup_is_a_folder_that_can_be_served_and_moved_back(data, clock, postgresql, tmp_path):
    city = folder_city(data, clock)
    assert isinstance(city.blobs, LocalBlobs) and city.db.engine.dialect.name == "postgresql"
    tablet = field_tablet(city)
    sha = hold(city, tablet, 7)
    fact = tablet.fact("order_posted", order_body(tablet), evidence=[(sha, "photo")])
    assert tablet.push(fact)[0].whole
    assert back_up(city, data, tmp_path / "copy") == 1
    assert tablet.push(tablet.fact("order_posted", order_body(tablet, 1)))[0].register == "R-2026-00002"
    assert stat.S_IMODE(os.stat(tmp_path / "copy" / DATABASE).st_mode) == 0o600
    assert run("move-database", "--data", tmp_path / "copy", "--to", url(postgresql)) == 0
    copy = opened(tmp_path / "copy", clock)
    assert copy.epoch() != city.epoch(), "it began a life of its own"
    assert [line["register"] for line in register_lines(copy) if not line["restored"]] == ["R-2026-00001"]
    assert audit.verify(copy) and list(missing_evidence(copy)) == []
    copy.db.close()


def test_a_dump_that_was_restored_elsewhere_begins_another_life(data, clock, postgresql):
    city = folder_city(data, clock)
    epoch, name = city.epoch(), city.db.engine.url.database
    city.db.close()
    again = opened(data, clock)
    assert again.epoch() == epoch
    again.db.close()
    address = postgresql.address(postgresql.fresh(name)).render_as_string(hide_password=False)
    (data / ADDRESS).write_text(address + "\n")
    copy = opened(data, clock)
    assert copy.epoch() != epoch
    copy.db.close()


def test_an_address_that_is_none_is_told(data, clock):
    folder_city(data, clock).db.close()
    (data / ADDRESS).write_text("nonsense\n")
    with pytest.raises(Problem) as caught:
        opened(data, clock)
    assert caught.value.code == "data-damaged" and str(data / ADDRESS) in caught.value.detail
    (data / ADDRESS).unlink()
    with pytest.raises(Problem) as caught:
        opened(data, clock)
    assert caught.value.code == "data-damaged"
