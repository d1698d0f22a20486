"""Databases of every released format open, come up to date, and say what they said; a newer one is left alone."""

import hashlib
import shutil
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from sync.records.problems import Problem
from sync.server.blobs.memory import MemoryBlobs
from sync.server.casework import audit, queries
from sync.server.casework.blanks import blanks_of
from sync.server.casework.city import City
from sync.server.casework.diagnoses import diagnoses_of
from sync.server.casework.enrolment import tablet_by_token
from sync.server.casework.finds import rain_list, site_finds
from sync.server.casework.lives import lost_numbers, register_lines
from sync.server.casework.plans import plans_of
from sync.server.db.engine import open_database
from sync.server.db.migrate import migrate, newest, revision
from sync.server.db.schema import metadata
from tests.support.city import PUBLIC_URL, seeded
from tests.support.clock import StoppedClock
from tests.support.finds import NEW

KEPT = Path(__file__).parents[3] / "store_fixtures"
SHA256 = {
    "server-1.sqlite": "d115b0f29ec96ed4aab88fe914e189796a83e05e9fbfc6a3f2295055134640d7",
    "server-2.sqlite": "651efc52b5b692adbb911f05137a26e885d2528cafba634a0a76becd93062b12",
    "server-10.sqlite": "76f41974837b514eca8ba7b0aa23cf487fe93486a82e28c4937285aa829a7c2b",
    "server-12.sqlite": "df5a62090cb8a47037d1b8e0c6beb8d4fc34cec9333efb4f48ce1a1429952578",
}


def number_of(name):
    """The revision that a kept database is of."""
    return int(name.removeprefix("server-").removesuffix(".sqlite"))


def opened(folder, name):
    place = folder / name
    shutil.copy(KEPT / name, place)
    database = open_database(place)
    migrate(database)
    return City("demo", "Demo City", ZoneInfo("America/Chicago"), seeded(1)(32), database, MemoryBlobs(),
                StoppedClock(), PUBLIC_URL)


@pytest.mark.parametrize("name", SHA256)
def test_the_kept_database_is_the_one_that_was_released(name):
    assert hashlib.sha256((KEPT / name).read_bytes()).hexdigest() == SHA256[name]


@pytest.mark.parametrize("name", SHA256)
def test_an_older_database_comes_up_to_date(tmp_path, name):
    city = opened(tmp_path, name)
    with city.db.read() as tx:
        assert revision(tx) == newest()
        assert compare_metadata(MigrationContext.configure(tx), metadata) == []
    city.db.close()


def test_format_1_says_what_it_said(tmp_path):
    city = opened(tmp_path, "server-1.sqlite")
    assert audit.verify(city) == 16
    orders = {order["status"]: order for order in queries.order_list(city)}
    assert set(orders) == {"in_force", "issued"}
    assert orders["in_force"]["register"] == "R-2026-00001"
    assert orders["in_force"]["dates"][0]["last_day"] == "2026-09-08"
    assert orders["in_force"]["confirmed"]["by"] == "carol"
    aside = queries.set_aside(city)
    assert sorted(one["reason"] for one in aside["waiting"]) == ["kind-unknown", "need-missing"]
    assert [one["reason"] for one in aside["quarantined"]] == ["no-authority"]
    [tablet] = queries.tablet_list(city)
    assert (tablet["code"], tablet["facts"]) == ("T01", 6)
    [finding] = queries.site_page(city, "site-01")["findings"]
    assert finding["status"] == "open"
    page = queries.order_page(city, orders["in_force"]["id"])
    assert page["fact"]["text"].startswith('{"at":{"boot":"b"')
    from sync.server.casework.enrolment import device_token

    assert tablet_by_token(city, device_token(city, tablet["id"], "T01")).code == "T01"
    city.db.close()


def test_format_2_says_what_it_said(tmp_path):
    city = opened(tmp_path, "server-2.sqlite")
    assert audit.verify(city) == 30
    orders = {order["doc"]["register"]: order for order in queries.order_list(city)}
    assert {register: order["status"] for register, order in orders.items()} == {
        "R-2026-00001": "released", "R-2026-00002": "in_force", "R-2026-00003": "in_force"}
    assert orders["R-2026-00001"]["doc"]["released"]["on"] == "2026-08-28"
    assert orders["R-2026-00003"]["doc"]["posted_by"] == "ben"
    assert [one["reason"] for one in queries.set_aside(city)["waiting"]] == ["kind-unknown"]
    assert [tablet["code"] for tablet in queries.tablet_list(city)] == ["T01", "T02"]
    city.db.close()


def test_format_10_says_what_it_said(tmp_path):
    city = opened(tmp_path, "server-10.sqlite")
    assert audit.verify(city) == 41
    orders = {order["doc"]["register"]: order["status"] for order in queries.order_list(city)}
    assert orders == {"R-2026-00001": "released", "R-2026-00002": "in_force", "R-2026-00003": "in_force"}
    assert [(blank.state, blank.reasons) for blank in blanks_of(city, "T01")] == [
        ("void", "The rain took it."), ("free", "")]
    assert [one.text for one in diagnoses_of(city, "T01")] == ['{"app":{"version":"0.1.0"},"report":1}']
    [plan] = plans_of(city, "site-01")
    assert (plan["title"], plan["status"], len(plan["pages"])) == ("Erosion control plan", "current", 1)
    assert [(tablet["code"], tablet["status"]) for tablet in queries.tablet_list(city)] == [
        ("T01", "active"), ("T02", "revoked")]
    [report] = site_finds(city, NEW)["reports"]
    assert report["body"]["name"] == "Ditch at 40 Oak"
    with city.db.read() as tx:
        assert [(row.inches, row.gauge) for row in rain_list(tx, city)] == [("0.70", "yard")]
    city.db.close()


def test_format_12_says_what_it_said(tmp_path):
    city = opened(tmp_path, "server-12.sqlite")
    assert audit.verify(city) == 49
    said = [line["register"] if not line["restored"] else line["mark"] for line in register_lines(city)]
    mark = said[3]
    assert said == ["R-2026-00001", "R-2026-00002", "R-2026-00003", mark, f"R-2026-{mark}-00004"]
    assert [tablet["code"] for tablet in queries.tablet_list(city)] == ["T01", "T02", f"T03{mark}"]
    [heard] = lost_numbers(city)
    assert (heard.said, heard.how, heard.tablet_code) == ("SW-2026-T01-0200-S", "placard", "T01")
    city.db.close()


@pytest.mark.parametrize("name", SHA256)
def test_the_ordinance_under_which_old_acts_were_made_can_still_be_read(tmp_path, name):
    """A pack stays in the database as it was loaded; a later program must read it, or old orders have no law."""
    city = opened(tmp_path, name)
    with city.db.read() as tx:
        refs = {order["doc"]["pack"] for order in queries.order_list(city)}
        assert refs and {city.pack(tx, ref).ref for ref in refs} == refs
    city.db.close()


def test_a_database_of_a_newer_program_is_refused_and_not_touched(tmp_path):
    place = tmp_path / "x.sqlite"
    database = open_database(place)
    migrate(database)
    database.write(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(Problem) as caught:
        migrate(database)
    assert caught.value.code == "database-newer"
    with database.read() as tx:
        assert revision(tx) == "9999"
    database.close()


def test_a_step_that_fails_undoes_the_whole_migration(tmp_path, monkeypatch):
    from alembic import command

    database = open_database(tmp_path / "x.sqlite")
    real = command.upgrade

    def fails(*args):
        real(*args)
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(command, "upgrade", fails)
        with pytest.raises(OSError):
            migrate(database)
    with database.read() as tx:
        assert revision(tx) is None
        assert tx.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one() == 0
    migrate(database)
    database.close()
