"""Writers of several processes stand in line, readers see one moment, and a database that goes away loses nothing."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import func, insert, select, text
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sync.records.problems import Problem
from sync.records.protocol import CHANGES, FACTS, HEADER_PROTOCOL
from sync.records.receipts import open_receipt
from sync.server.api.service import guarded_api
from sync.server.casework import audit, queries
from sync.server.casework.blanks import print_blanks, stack
from sync.server.casework.orders import decline_order
from sync.server.casework.receiving import receive_facts
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console.routes import console_routes
from sync.server.db.schema import counters, facts, feed, orders, sites
from tests.support.city import PUBLIC_URL, field_tablet, inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def beside(city, postgresql):
    """The same city as another process has it: the same database, and nothing else in common."""
    database = postgresql.open_again(city.db)
    yield replace(city, db=database, witnessed={})
    database.close()


def ask(city, query):
    with city.db.read() as tx:
        return tx.execute(query).scalar_one()


def at_once(works):
    """Each in a thread of its own, begun together; what they return."""
    gate = threading.Barrier(len(works))

    def run(work):
        gate.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def test_thirty_two_at_once_in_two_processes_are_one(city, beside):
    tablet = field_tablet(city)
    item = tablet.item(tablet.fact("order_posted", order_body(tablet)))
    answers = at_once([lambda where=where: receive_facts(where, tablet.tablet, [item])[0]
                       for where in (city, beside) for _ in range(16)])
    assert sum(answer.get("already_held", False) for answer in answers) == 31
    assert len({answer["text"] for answer in answers}) == 1
    assert (ask(city, select(func.count()).select_from(facts)), ask(city, select(counters.c.register_no))) == (1, 1)
    assert audit.verify(city) > 0


def test_two_processes_give_no_number_twice_and_leave_no_gap(city, beside):
    """Registers, places in the feed and in the audit record, lives of placards: each taken while another one waits."""
    tablets = [field_tablet(city, seed=number) for number in range(4)]

    def day(where, tablet):
        for index in range(4):
            [answer] = receive_facts(where, tablet.tablet, [tablet.item(tablet.fact("order_posted",
                                                                                    order_body(tablet, index)))])
            assert open_receipt(answer, tablet.tablet.receipt_key).answer == "applied"
        return [blank.number for blank in stack(where, tablet.tablet.code, print_blanks(
            where, "carol", tablet.tablet.code, 3))]

    printed = at_once([lambda n=n: day((city, beside)[n % 2], tablets[n]) for n in range(4)])
    with city.db.read() as tx:
        registers = sorted(tx.execute(select(orders.c.register_no)).scalars())
        places = sorted(tx.execute(select(feed.c.seq)).scalars())
        assert tx.execute(select(counters.c.seq)).scalar_one() == places[-1]
    assert registers == list(range(1, 17)) and len(places) == len(set(places))
    numbers = [order["number"] for order in queries.order_list(city)]
    numbers += [number for sheet in printed for number in sheet]
    assert len(numbers) == len(set(numbers)) == 28
    assert audit.verify(city) == ask(city, select(counters.c.audit_seq))


def test_of_two_orders_under_one_number_that_come_at_once_neither_wins(city, beside):
    tablet = field_tablet(city)
    twins = [tablet.item(tablet.fact("order_posted", order_body(tablet))) for _ in range(2)]
    at_once([lambda where=where, item=item: receive_facts(where, tablet.tablet, [item])
             for where, item in zip((city, beside), twins, strict=True)])
    assert len(queries.order_list(city)) == 2
    assert {row["status"] for row in queries.order_list(city)} == {"quarantined"}
    audit.verify(city)


def test_a_reader_sees_one_moment_and_a_writer_all_that_came_before(city, beside):
    field_tablet(city)
    with city.db.read() as tx:
        before = tx.execute(select(counters.c.audit_seq)).scalar_one()
        field_tablet(beside, seed=9)
        assert tx.execute(select(counters.c.audit_seq)).scalar_one() == before
        with pytest.raises(Exception, match="read-only"):
            tx.execute(insert(sites).values(city_id="demo", id="x", name="n", address="a", doc={}))
    inside, go, seen = threading.Event(), threading.Event(), []

    def first(tx):
        inside.set()
        go.wait(60)
        tx.execute(insert(sites).values(city_id="demo", id="late", name="n", address="a", doc={}))

    leader = threading.Thread(target=beside.db.write, args=(first,))
    leader.start()
    inside.wait(60)
    waiting = threading.Thread(target=lambda: seen.append(city.db.write(
        lambda tx: tx.execute(select(sites.c.id).where(sites.c.id == "late")).scalar())))
    waiting.start()
    assert seen == [], "it stands in line"
    go.set()
    leader.join(60)
    waiting.join(60)
    assert seen == ["late"]


def test_an_act_that_fails_in_the_middle_leaves_the_others_of_its_transaction(city):
    """Beside a record that cannot be worked in, those that came with it are kept; in the database, too."""
    tablet = field_tablet(city)
    good, waits = tablet.fact("inspection_signed", inspection_body()), tablet.fact(
        "inspection_signed", inspection_body(), needs=("e" * 32,))
    bad = tablet.fact("inspection_signed", inspection_body(site="nowhere"))
    assert [(one.answer, one.reason) for one in tablet.push(good, bad, waits)] == [
        ("applied", None), ("quarantined", "subject-unknown"), ("waiting", "need-missing")]
    with pytest.raises(Problem) as caught:
        decline_order(city, "carol", "x", "a\x00b")
    assert caught.value.code == "not-found"
    assert queries.order_page(city, "a\x00b") is None
    audit.verify(city)


def _gone(postgresql, city):
    """The database's server ends every connection of the city, as when it is started again."""
    postgresql.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                   city.db.engine.url.database)


def test_while_the_database_is_away_everybody_is_told_and_afterwards_all_goes_on(city, postgresql, caplog):
    tablet = field_tablet(city)
    routes = [Mount("/api/v1", guarded_api(city)), *console_routes(city)]
    client = TestClient(Starlette(routes=routes), PUBLIC_URL, raise_server_exceptions=False,
                        headers={HEADER_PROTOCOL: "1", "Authorization": f"Bearer {tablet.enrolled.device_token}"})
    office = TestClient(client.app, PUBLIC_URL, raise_server_exceptions=False)
    office.post("/office/sign-in", data={"link": create_sign_in_link(city, "keeper", "carol")},
                headers={"Sec-Fetch-Site": "same-origin"})
    assert office.get("/office/orders").status_code == 200
    item = tablet.item(tablet.fact("inspection_signed", inspection_body()))
    batch = {"items": [{"fact": item.text, "mac": item.mac, "credential": item.credential}]}
    name = city.db.engine.url.database
    postgresql.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    _gone(postgresql, city)
    for answer in (client.post(FACTS, json=batch), client.get(CHANGES)):
        assert (answer.status_code, answer.json()["code"]) == (503, "database-unreachable"), answer.text
        assert str(postgresql.place) not in answer.text and name not in answer.text, "where it is, is nobody's business"
    pages = {"/office/orders": "database-unreachable", "/o/SW-2026-T01-0001-1?t=x&lang=es": "No se puede mostrar ahora",
             "/n/x?t=x": "This page cannot be shown right now"}
    for path, says in pages.items():
        page = office.get(path)
        assert page.status_code == 503 and says in page.text and name not in page.text
    assert "cannot be reached" in caplog.text
    postgresql.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    assert "applied" in client.post(FACTS, json=batch).json()["results"][0]["text"]
    _gone(postgresql, city)
    assert office.get("/office/orders").status_code == 200, "and nobody was signed out"
    assert client.get(CHANGES).status_code == 200, "connections that died meanwhile are not taken for live ones"


def test_while_every_connection_is_in_use_calls_and_pages_say_when_to_come_back(city):
    tablet = field_tablet(city)
    routes = [Mount("/api/v1", guarded_api(city)), *console_routes(city)]
    client = TestClient(Starlette(routes=routes), PUBLIC_URL, raise_server_exceptions=False,
                        headers={HEADER_PROTOCOL: "1", "Authorization": f"Bearer {tablet.enrolled.device_token}"})
    item = tablet.item(tablet.fact("inspection_signed", inspection_body()))
    batch = {"items": [{"fact": item.text, "mac": item.mac, "credential": item.credential}]}
    pool = city.db.engine.pool
    patience, pool._timeout = pool._timeout, 0.01
    taken = [city.db.engine.connect() for _ in range(pool.size() + pool._max_overflow)]
    for answer in (client.post(FACTS, json=batch), client.get(CHANGES)):
        assert (answer.status_code, answer.json()["code"]) == (503, "server-busy"), answer.text
        assert answer.headers["Retry-After"]
    page = client.get("/o/SW-2026-T01-0001-1?t=x")
    assert page.status_code == 503 and page.headers["Retry-After"] and "right now" in page.text
    for one in taken:
        one.close()
    pool._timeout = patience
    assert "applied" in client.post(FACTS, json=batch).json()["results"][0]["text"]
    assert client.get(CHANGES).status_code == 200


def test_a_write_whose_connection_dies_before_the_end_never_was(city):
    before = ask(city, select(counters.c.audit_seq))

    def dies(tx):
        audit.record(tx, city, "keeper", "x", "city")
        tx.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    with pytest.raises(Problem) as caught:
        city.db.write(dies)
    assert caught.value.code == "database-unreachable"
    assert ask(city, select(counters.c.audit_seq)) == before == audit.verify(city)


def test_no_commit_is_answered_before_it_is_on_the_disk_and_writers_see_what_others_wrote(postgresql):
    """Whatever the database's own settings say: what was acknowledged is there after a power cut."""
    name = postgresql.fresh()
    postgresql.ask(f"ALTER DATABASE {name} SET synchronous_commit = off")
    postgresql.ask(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    database = postgresql.open(name)
    with database.read() as tx:
        assert tx.execute(text("SHOW synchronous_commit")).scalar() == "on"
        assert tx.execute(text("SHOW transaction_isolation")).scalar() == "repeatable read"
    assert database.write(lambda tx: tx.execute(text("SHOW transaction_isolation")).scalar()) == "read committed"


def test_another_process_that_wins_makes_the_whole_run_again(city):
    """Where constraints or the database's own rules break a transaction off (40001), nothing of it was kept."""
    from sqlalchemy.exc import OperationalError

    tries = []

    class Lost(Exception):
        sqlstate = "40001"

    def work(tx):
        audit.record(tx, city, "keeper", "tried", "city")
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("COMMIT", {}, Lost())
        return "done"

    before = ask(city, select(counters.c.audit_seq))
    assert city.db.write(work) == "done" and len(tries) == 3
    assert audit.verify(city) == before + 1
