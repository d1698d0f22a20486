"""Writes that wait for each other share a transaction: durable before anybody is told, undone alone on failure."""

import sqlite3
import threading
import time

import pytest
from sqlalchemy import event, insert, select
from sqlalchemy.exc import DataError

from sync.records.problems import Problem
from sync.server.casework import audit
from sync.server.casework.receiving import receive_facts
from sync.server.db.engine import add, find, open_database
from sync.server.db.memory import gentle
from sync.server.db.migrate import migrate
from sync.server.db.quick import RAW, part
from sync.server.db.schema import facts, sites
from sync.server.opening import open_city
from tests.support.city import PUBLIC_URL, field_tablet, folder_city, inspection_body
from tests.support.clock import StoppedClock
from tests.support.killed_process import die_at_statement, forked


@pytest.fixture
def place(tmp_path):
    return tmp_path / "x.sqlite"


@pytest.fixture
def database(place):
    found = open_database(place)
    migrate(found)
    yield found
    found.close()


def site(ident):
    return {"city_id": "c", "id": ident, "name": "n", "address": "a", "doc": {"id": ident}}


def on_disk(place):
    base = sqlite3.connect(place)
    found = {ident for (ident,) in base.execute("SELECT id FROM sites")}
    base.close()
    return found


def behind_one_another(database, works):
    """Runs the works in threads of their own while a first write holds them all up, so that they wait together.

    Gives what each returned or raised, and how often the database was made durable meanwhile.
    """
    go, outcomes, commits = threading.Event(), [None] * len(works), []

    def run(number, work):
        try:
            outcomes[number] = database.write(work)
        except BaseException as error:
            outcomes[number] = error

    def first(tx):
        go.wait(60)

    leader = threading.Thread(target=database.write, args=(first,))
    leader.start()
    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    while len(database._waiting) < len(works):
        time.sleep(0.001)

    def count(_):
        commits.append(1)

    event.listen(database.engine, "commit", count)
    go.set()
    for thread in (leader, *threads):
        thread.join(60)
    event.remove(database.engine, "commit", count)
    return outcomes, len(commits) - 1


def test_ten_that_wait_share_one_commit_and_each_is_on_the_disk_when_it_is_told(database, place):
    seen = []

    def adding(ident):
        return lambda tx: add(tx, sites, site(ident)) or ident

    names = [f"s{n}" for n in range(10)]
    outcomes, commits = behind_one_another(database, [adding(ident) for ident in names])
    seen = on_disk(place)
    assert outcomes == names and seen == set(names) and commits == 1


def test_the_moment_of_the_answer_is_after_the_commit(database, place):
    """Each looks with a connection of its own as soon as its write returns."""
    missing = []

    def one(number):
        for step in range(20):
            ident = f"s{number}-{step}"
            database.write(lambda tx, ident=ident: add(tx, sites, site(ident)))
            if ident not in on_disk(place):
                missing.append(ident)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missing == [] and len(on_disk(place)) == 120


def harsh(act):
    return act


KINDS = pytest.mark.parametrize("kind", [harsh, gentle])


@KINDS
def test_one_that_fails_is_undone_alone(database, place, kind):
    def good(ident):
        return lambda tx: add(tx, sites, site(ident))

    def refused(tx):
        add(tx, sites, site("bad"))
        raise Problem("already-decided", "no")

    def twice(tx):
        add(tx, sites, site("b1"))
        add(tx, sites, site("b1"))

    def broken(tx):
        tx.execute(insert(sites).values(**site("b2")))
        raise ValueError("a mistake of ours")

    acts = [good("g1"), refused, good("g2"), broken, good("g3")]
    outcomes, commits = behind_one_another(database, list(map(kind, acts)))
    assert [type(one).__name__ for one in outcomes] == ["NoneType", "Problem", "NoneType", "ValueError", "NoneType"]
    assert on_disk(place) == {"g1", "g2", "g3"} and commits == 1
    outcomes, _ = behind_one_another(database, list(map(kind, [good("g4"), twice, good("g5")])))
    assert [type(one).__name__ for one in outcomes] == ["NoneType", "IntegrityError", "NoneType"]
    assert on_disk(place) == {"g1", "g2", "g3", "g4", "g5"}


@KINDS
def test_when_the_whole_was_undone_each_is_done_again_for_itself(database, place, kind):
    """As SQLite does by itself when the disk is full."""

    def adding(ident):
        return lambda tx: add(tx, sites, site(ident))

    def undoes_all(tx):
        tx.info[RAW].execute("ROLLBACK")
        raise ValueError("the disk is full")

    outcomes, _ = behind_one_another(database, list(map(kind, [adding("s1"), undoes_all, adding("s2")])))
    assert outcomes[0] is None and outcomes[2] is None and isinstance(outcomes[1], ValueError)
    assert on_disk(place) == {"s1", "s2"}


@pytest.mark.parametrize("writes", [True, False])
def test_records_go_boldly_and_once_more_with_care_where_one_fails_that_had_written(database, place, writes):
    """Nothing is prepared for undoing one of them, unless one has to be undone."""
    seen, runs = [], []

    def adding(ident):
        return gentle(lambda tx: runs.append(ident) or add(tx, sites, site(ident)))

    @gentle
    def fails(tx):
        if writes:
            add(tx, sites, site("bad"))
        raise Problem("already-decided", "no")

    event.listen(database.engine, "before_cursor_execute", lambda *call: seen.append(call[2]))
    outcomes, commits = behind_one_another(database, [adding("s1"), fails, adding("s2")])
    assert [type(one).__name__ for one in outcomes] == ["NoneType", "Problem", "NoneType"] and commits == 1
    assert on_disk(place) == {"s1", "s2"} and runs == (["s1", "s1", "s2"] if writes else ["s1", "s2"])
    assert ("SAVEPOINT part" in seen) == writes


def test_of_a_part_that_says_what_cannot_be_kept_nothing_stays(database, place):
    """Also where it had written something and the others go on: in a bold transaction that undoes all, once."""
    runs = []

    @gentle
    def has_an_odd_part(tx):
        runs.append(1)
        add(tx, sites, site("s1"))
        tx.info[RAW].setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 5_000)
        with pytest.raises(DataError), part(tx):
            add(tx, sites, site("half"))
            add(tx, sites, {**site("bad"), "name": "n" * 6_000})
        return "set aside"

    outcomes, _ = behind_one_another(database, [has_an_odd_part, gentle(lambda tx: add(tx, sites, site("s2")))])
    assert outcomes == ["set aside", None] and len(runs) == 2
    assert on_disk(place) == {"s1", "s2"}


def test_what_one_wrote_the_next_in_the_same_transaction_sees(database):
    def counting(tx):
        row = find(tx, sites, city_id="c", id="s1")
        if row is None:
            add(tx, sites, site("s1"))
        return row is None

    outcomes, _ = behind_one_another(database, [counting] * 8)
    assert sorted(outcomes) == [False] * 7 + [True]


def test_a_server_killed_among_many_writers_has_all_that_it_acknowledged(tmp_path):
    """Eight senders, killed at some statement: whatever was acknowledged is there, and the audit record is whole."""
    folder = tmp_path / "data"
    city = folder_city(folder, StoppedClock())
    tablet = field_tablet(city, "ada")
    items = [tablet.item(tablet.fact("inspection_signed", inspection_body())) for _ in range(48)]
    city.db.close()
    for statement in (40, 150, 260, 370):

        def receive(acknowledge, statement=statement):
            found = open_city(folder, StoppedClock(), PUBLIC_URL)
            die_at_statement(found.db.engine, statement)

            def send(mine):
                for number in mine:
                    receive_facts(found, tablet.tablet, [items[number]])
                    acknowledge(number)

            threads = [threading.Thread(target=send, args=(range(n, len(items), 8),)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        _, acknowledged = forked(receive)
        city = open_city(folder, StoppedClock(), PUBLIC_URL)
        with city.db.read() as tx:
            held = set(tx.execute(select(facts.c.text)).scalars())
        audit.verify(city)
        city.db.close()
        assert {items[number].text for number in acknowledged} <= held
    assert held, "something was acknowledged in the end"
