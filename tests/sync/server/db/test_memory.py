"""What a transaction remembers stands until somebody else writes, and what is undone was never learned nor counted."""

from datetime import timedelta

import pytest
from sqlalchemy import event, select

from sync.records.problems import Problem
from sync.records.receipts import open_receipt
from sync.server.casework import audit, standings
from sync.server.casework.feed import publish
from sync.server.casework.people import end_power
from sync.server.casework.receiving import taking
from sync.server.db.memory import gentle, remembered
from sync.server.db.schema import counters, credentials, feed, people, tablets
from sync.server.opening import open_city
from tests.support.city import PUBLIC_URL, field_tablet, folder_city, inspection_body, memory_city
from tests.support.clock import StoppedClock


@pytest.fixture(params=["in a folder", "in memory"])
def city(request, tmp_path):
    found = folder_city(tmp_path / "city", StoppedClock()) if request.param == "in a folder" else memory_city(
        StoppedClock())
    yield found
    found.db.close()


def push(city, tablet, **more):
    return taking(city, tablet.tablet, [tablet.item(tablet.fact("inspection_signed", inspection_body(), **more))])


def answers(told, tablet):
    return [open_receipt(one, tablet.tablet.receipt_key) for result, error in told for one in (result or ())]


def standing(city):
    """Where the counters stand, after the whole audit record was checked and the places in the feed were counted."""
    audit.verify(city)
    with city.db.read() as tx:
        found = tx.execute(select(counters)).one()
        places = sorted(tx.execute(select(feed.c.seq)).scalars())
    assert len(set(places)) == len(places) and places[-1] == found.seq
    return found


def test_a_second_batch_asks_about_its_person_no_more(tmp_path):
    city = folder_city(tmp_path / "city", StoppedClock())
    tablet = field_tablet(city, "ada")
    city.db.write(push(city, tablet))
    seen = []
    event.listen(city.db.engine, "before_cursor_execute", lambda *call: seen.append(call[2]))
    city.db.write(push(city, tablet))
    assert any("INSERT INTO facts" in one for one in seen)
    assert not [one for one in seen if any(f"FROM {table.name}" in one for table in (people, credentials, tablets))]
    standing(city)
    city.db.close()


def withdraw(city, tablet):
    return lambda tx: tx.execute(tablets.update().where(tablets.c.id == tablet.tablet.id).values(status="revoked"))


def sign_out(city, tablet):
    return lambda tx: tx.execute(credentials.update().values(revoked_at=city.now()))


@pytest.mark.parametrize("act, reason", [(withdraw, "tablet-revoked"), (sign_out, "credential-ended")])
@pytest.mark.parametrize("together", [True, False])
def test_what_the_office_does_counts_for_the_very_next_record(city, act, reason, together):
    tablet = field_tablet(city, "ada")
    works = [push(city, tablet), act(city, tablet), push(city, tablet)]
    told = city.db.write_all(works) if together else [one for work in works for one in city.db.write_all([work])]
    before, after = answers([told[0], told[2]], tablet)
    assert (before.answer, after.answer, after.reason) == ("applied", "quarantined", reason)
    standing(city)


def test_and_so_does_what_another_process_does(tmp_path):
    city = folder_city(tmp_path / "city", StoppedClock())
    other = open_city(tmp_path / "city", city.clock, PUBLIC_URL)
    tablet = field_tablet(city, "ada")
    for _ in range(2):
        assert answers(city.db.write_all([push(city, tablet)]), tablet)[0].answer == "applied"
    before = standing(city)
    end_power(other, "carol", "ada", "inspect", city.today() - timedelta(days=400))
    between = standing(city)
    assert between.audit_seq > before.audit_seq and between.seq > before.seq
    late, = answers(city.db.write_all([push(city, tablet)]), tablet)
    assert (late.answer, late.reason) == ("quarantined", "no-authority")
    assert standing(city).audit_seq == between.audit_seq + 1
    standings.end_credential(other, "carol", tablet.tablet.code, "ada", "left")
    late, = answers(city.db.write_all([push(city, tablet)]), tablet)
    assert late.reason == "credential-ended"
    standing(city)
    city.db.close(), other.db.close()


def test_an_act_that_is_undone_moves_no_counter_and_teaches_nothing(city):
    tablet = field_tablet(city, "ada")
    city.db.write(push(city, tablet))
    before = standing(city)

    @gentle
    def fails(tx):
        publish(tx, city, "note", "n1", {"id": "n1"})
        audit.record(tx, city, "ada", "noted", "note:n1")
        remembered(tx)["learned"] = "from what is undone"
        raise Problem("already-decided")

    @gentle
    def learns(tx):
        return remembered(tx).get("learned")

    told = city.db.write_all([push(city, tablet), fails, learns, push(city, tablet)])
    assert isinstance(told[1][1], Problem) and told[2] == (None, None)
    assert [one.answer for one in answers([told[0], told[3]], tablet)] == ["applied", "applied"]
    after = standing(city)
    assert after.audit_seq == before.audit_seq + 2
    with pytest.raises(Problem):
        city.db.write(fails)
    assert standing(city) == after
    assert city.db.write(learns) is None


def test_in_a_batch_what_is_refused_moves_none_either(city):
    tablet = field_tablet(city, "ada")
    items = [tablet.item(tablet.fact("inspection_signed", inspection_body(site=site)))
             for site in ("site-01", "nowhere", "site-01")]
    told = answers(city.db.write_all([taking(city, tablet.tablet, items)]), tablet)
    assert [one.answer for one in told] == ["applied", "quarantined", "applied"]
    standing(city)
