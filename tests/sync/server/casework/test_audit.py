"""The audit record: sealed from the first entry; any change, removal or insertion is found, and where."""

import pytest
from sqlalchemy import delete, insert, select, update

from sync.records.problems import Problem
from sync.server.casework import audit
from sync.server.db.schema import audit as table
from sync.server.db.schema import counters
from tests.support.city import field_tablet, memory_city, order_body
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    found = memory_city(StoppedClock())
    tablet = field_tablet(found, "ada")
    tablet.push(tablet.fact("order_posted", order_body(tablet)))
    return found


def broken_at(city):
    with pytest.raises(Problem) as caught:
        audit.verify(city)
    assert caught.value.code == "audit-broken"
    return caught.value.where


def test_the_record_is_sealed_from_its_first_entry(city):
    entries = list(reversed(audit.entries(city)))
    assert entries[0].what == "city_founded"
    assert [e.what for e in entries[-2:]] == ["order_registered", "fact_applied"]
    assert audit.verify(city) == len(entries) == entries[-1].seq


@pytest.mark.parametrize("column, value", [
    ("who", "somebody"), ("what", "order_confirmed"), ("at", "2026-01-01T00:00:00.000+00:00"),
    ("subject", "order:x"), ("details", "{}"), ("prev", "0" * 64), ("hash", "f" * 64)])
def test_any_change_to_an_entry_is_found(city, column, value):
    city.db.write(lambda tx: tx.execute(update(table).where(table.c.seq == 2).values({column: value})))
    assert broken_at(city) == "audit[2]"


def test_a_removed_entry_is_found(city):
    city.db.write(lambda tx: tx.execute(delete(table).where(table.c.seq == 3)))
    assert broken_at(city) == "audit[3]"


def test_a_cut_off_end_is_found(city):
    last = audit.verify(city)
    city.db.write(lambda tx: tx.execute(delete(table).where(table.c.seq == last)))
    assert broken_at(city) == f"audit[{last}]"


def test_an_entry_added_past_the_record_is_found(city):
    def forge(tx):
        row = tx.execute(select(table).order_by(table.c.seq.desc()).limit(1)).one()
        tx.execute(insert(table).values({**row._mapping, "seq": row.seq + 1, "prev": row.hash}))

    last = audit.verify(city)
    city.db.write(forge)
    assert broken_at(city) == f"audit[{last + 1}]"


def test_an_undone_transaction_leaves_no_entry_and_no_gap(city):
    before = audit.verify(city)

    def fails(tx):
        audit.record(tx, city, "carol", "test", "city")
        raise RuntimeError("undone")

    with pytest.raises(RuntimeError):
        city.db.write(fails)
    assert audit.verify(city) == before
    city.db.write(lambda tx: audit.record(tx, city, "carol", "test", "city"))
    assert audit.verify(city) == before + 1


def test_a_forged_head_is_found(city):
    city.db.write(lambda tx: tx.execute(update(counters).values(audit_head="0" * 64)))
    broken_at(city)


def test_the_first_entry_that_differs_is_named_even_when_the_rest_was_sealed_again(city):
    """Whoever rewrites the whole chain still cannot make it end in the head that was written down elsewhere."""
    city.db.write(lambda tx: tx.execute(delete(table).where(table.c.seq > 1)))
    assert broken_at(city) == "audit[2]"
