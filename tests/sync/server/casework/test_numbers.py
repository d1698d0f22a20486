"""Order numbers of tablets that work far apart: five with fifty orders each, in any order of arrival, and replayed."""

import random
from collections import Counter

import pytest
from sqlalchemy import select

from sync.records.numbers import register_number
from sync.server.casework import audit, enrolment, queries
from sync.server.casework.public import public_order
from sync.server.db.schema import counters, leases, orders
from tests.support.city import field_tablet, memory_city, order_body
from tests.support.clock import StoppedClock

TABLETS, ORDERS = 5, 50


@pytest.mark.parametrize("seed", [1, 2])
def test_five_tablets_with_fifty_orders_each_have_250_numbers_and_250_entries_in_any_order(seed):
    """B33: all were offline with the lease they had; what was printed on a placard is never renumbered."""
    city, shuffle = memory_city(StoppedClock()), random.Random(seed)
    tablets = [field_tablet(city, seed=number) for number in range(TABLETS)]
    signed = [(tablet, tablet.fact("order_posted", order_body(tablet, index)))
              for tablet in tablets for index in range(ORDERS)]
    printed = [fact.body["number"] for _, fact in signed]
    assert len(set(printed)) == TABLETS * ORDERS
    queue = [*signed, *shuffle.sample(signed, 60)]  # and some of them twice
    shuffle.shuffle(queue)
    while queue:
        tablet = queue[0][0]
        batch = [item for item in queue if item[0] is tablet][: shuffle.randint(1, 20)]
        queue = [item for item in queue if item not in batch]
        assert {receipt.answer for receipt in tablet.push(*(fact for _, fact in batch))} == {"applied"}
    with city.db.read() as tx:
        rows = {row.id: row for row in tx.execute(select(orders))}
        assert tx.execute(select(counters.c.register_no)).scalar_one() == TABLETS * ORDERS, "replays burn none"
    assert sorted(row.number for row in rows.values()) == sorted(printed)
    registers = sorted(row.register_no for row in rows.values())
    assert registers == list(range(1, TABLETS * ORDERS + 1)), "no gap, and none twice"
    for tablet, fact in shuffle.sample(signed, 20):
        assert rows[fact.id].number == fact.body["number"], "the number on the placard is final"
        [receipt] = tablet.push(fact)
        assert receipt.register == register_number(2026, rows[fact.id].register_no)
        shown = public_order(city, fact.body["number"], fact.body["token"])
        assert shown.number == fact.body["number"]
    assert Counter(row["status"] for row in queries.order_list(city, limit=500)) == {"in_force": TABLETS * ORDERS}
    audit.verify(city)


def test_a_lease_is_enough_for_fifty_orders_and_asking_again_burns_none():
    city = memory_city(StoppedClock())
    tablet = field_tablet(city)
    assert enrolment.LEASE_SIZE >= ORDERS
    for _ in range(3):
        again, _ = enrolment.lease_numbers(city, tablet.tablet, 0)
        assert again == tablet.enrolled.lease
    more, _ = enrolment.lease_numbers(city, tablet.tablet, enrolment.LEASE_SIZE)
    with city.db.read() as tx:
        numbers = list(tx.execute(select(leases.c.number)).scalars())
    assert sorted(numbers) == sorted(n.number for n in (*tablet.enrolled.lease, *more))
