"""A process killed at any statement of a batch leaves all of the batch or none, and a sound audit chain."""


import pytest
from sqlalchemy import func, select

from sync.server.casework import audit
from sync.server.casework.receiving import receive_facts
from sync.server.db.schema import facts
from sync.server.opening import open_city
from tests.support.city import PUBLIC_URL, field_tablet, finding, folder_city, inspection_body, order_body
from tests.support.clock import StoppedClock
from tests.support.killed_process import die_at_statement, forked


def count(city):
    with city.db.read() as tx:
        return tx.execute(select(func.count()).select_from(facts)).scalar_one()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A city on disk and a batch of three signed items that refer to one another."""
    folder = tmp_path_factory.mktemp("crash") / "data"
    city = folder_city(folder, StoppedClock())
    tablet = field_tablet(city, "ada")
    inspection = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]))
    order = tablet.fact("order_posted", order_body(tablet), needs=(inspection.id,))
    items = [tablet.item(order), tablet.item(inspection), tablet.item(tablet.fact("later_kind", {}))]
    city.db.close()
    return folder, tablet.tablet, items


def dies_at(folder, tablet, items, statement):
    """Receives the batch in a process that kills itself before its n-th statement; whether it came that far."""

    def receive(_):
        city = open_city(folder, StoppedClock(), PUBLIC_URL)
        die_at_statement(city.db.engine, statement)
        receive_facts(city, tablet, items)

    return forked(receive)[0]


def test_all_or_nothing_at_every_point_of_a_batch(made):
    folder, tablet, items = made
    killed = 0
    for statement in (*range(1, 60, 4), 60, 75, 90, 105, 120, 10_000):
        died = dies_at(folder, tablet, items, statement)
        killed += died
        city = open_city(folder, StoppedClock(), PUBLIC_URL)
        audit.verify(city)
        held = count(city)
        city.db.close()
        assert held == (0 if died else 3), f"killed at statement {statement}"
        if not died:
            break
    assert killed >= 10
