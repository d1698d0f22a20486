"""What tablets can tell of records that were set back: only what we have sealed counts, and one telling is enough."""

import pytest

from sync.records.macs import sign
from sync.server.casework import audit, blanks, enrolment, lives, witness
from sync.server.casework.receiving import receive_facts
from tests.support.city import field_tablet, memory_city, order_body
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


def bytes_of(city):
    return bytes(city.db.engine.raw_connection().driver_connection.serialize())


def set_back(city, data):
    """The disk is as it was that day; the process is a new one."""
    city.db.engine.raw_connection().driver_connection.deserialize(data)
    city.witnessed.clear()


def given_out(city, tablet):
    """Everything that gives something out, one thing after the other: what it is called, and how to do it."""
    yield "an order is registered", lambda: receive_facts(
        city, tablet.tablet, [tablet.item(tablet.fact("order_posted", order_body(tablet)))])
    yield "a tablet enrols", lambda: field_tablet(city, seed=21)
    yield "numbers are leased", lambda: enrolment.lease_numbers(city, tablet.tablet, 60)
    yield "placards are printed", lambda: blanks.print_blanks(city, "carol", tablet.tablet.code, 2)


@pytest.mark.parametrize("what", range(4))
def test_whatever_was_given_out_since_a_tablet_that_was_told_proves_it(city, what):
    tablet = field_tablet(city)
    backup, before = bytes_of(city), witness.witness_now(city)
    name, give = list(given_out(city, tablet))[what]
    give()
    told = witness.witness_now(city)
    set_back(city, backup)
    assert witness.heed(city, before) is None and not lives_of(city)
    begun = witness.heed(city, told)
    assert begun == city.epoch(), name
    [line] = lives.register_lines(city)
    assert line["noticed"] == "tablet" and line["mark"]
    assert audit.entries(city)[0].who == "server"
    # The next one that tells the same tells nothing new; nor does the one to whom the new life spoke.
    assert witness.heed(city, told) is None and witness.heed(city, witness.witness_now(city)) is None
    assert len(lives_of(city)) == 1


def test_records_of_which_a_later_life_is_known_have_ended_long_ago(city):
    """An image is put back from before a restore that was noticed: the count says nothing, the lives do."""
    field_tablet(city)
    backup = bytes_of(city)
    lives.begin_life(city)
    lives.begin_life(city)
    told = witness.witness_now(city)
    set_back(city, backup)
    assert witness.heed(city, told)


def test_a_restore_that_was_marked_is_noticed_no_second_time(city):
    """What tablets tell of the life that is lost is then no news."""
    field_tablet(city)
    backup = bytes_of(city)
    lives.begin_life(city)
    field_tablet(city, seed=22)
    told = witness.witness_now(city)
    set_back(city, backup)
    lives.begin_life(city)
    assert witness.heed(city, told) is None and len(lives_of(city)) == 1


def test_nobody_else_can_make_a_witness(city):
    true = witness.witness_now(city)
    _count, epoch, before, mac = true.split(".")
    said = f"999.{epoch}.{before}"
    for false in (f"{said}.{mac}", f"{said}.{sign(b'x' * 32, said.encode())}", "", "...", "a.b.c.d", "9" * 700,
                  f"-1.{epoch}.{before}.{mac}", "\udcff", *(odd + true[len(_count):] for odd in ("१२", "²"))):
        assert not witness.is_known(city, false)
        assert witness.heed(city, false) is None
    assert witness.is_known(city, true) and lives_of(city) == []


def test_an_app_that_gives_no_witness_back_is_believed_once_in_an_hour(city):
    """It tells its place in the feed, which it could have made up."""
    field_tablet(city)
    epoch, seq = city.epoch(), city.db.glance(witness.SEQ, city=city.id).seq
    assert witness.heed_place(city, epoch, seq) is None and witness.heed_place(city, "e" * 32, seq + 1) is None
    assert witness.heed_place(city, epoch, seq + 1) == city.epoch() != epoch
    assert witness.heed_place(city, city.epoch(), seq + 100) is None
    city.clock.advance(hours=1)
    assert witness.heed_place(city, city.epoch(), seq + 100)


def test_a_tablet_that_these_records_do_not_know_is_proof_enough_by_itself(city):
    """Its token is of our making and bears the mark of the present life, so it was enrolled in it."""
    backup = bytes_of(city)
    lost = field_tablet(city)
    set_back(city, backup)
    found = enrolment.tablet_by_token(city, lost.enrolled.device_token)
    assert found.code == lost.tablet.code and len(lives_of(city)) == 1
    assert field_tablet(city, seed=23).tablet.code != lost.tablet.code
    # In a life that began with a mark it is expected: it comes from the one that was lost.
    set_back(city, backup)
    lives.begin_life(city)
    enrolment.tablet_by_token(city, lost.enrolled.device_token)
    assert len(lives_of(city)) == 1


def lives_of(city):
    return [line for line in lives.register_lines(city) if line["restored"]]
