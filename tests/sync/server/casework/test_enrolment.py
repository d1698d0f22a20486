"""Tablets enrol once per code and get the same answer again; keys come from one secret, also after a restore."""

import re

import pytest
from sqlalchemy import delete, select

from sync.records.numbers import parse_number
from sync.records.problems import Problem
from sync.records.receipts import open_receipt
from sync.server.casework import enrolment, lives
from sync.server.casework.codes import ALPHABET
from sync.server.casework.receiving import receive_facts
from sync.server.db.schema import counters, credentials, leases, tablets
from sync.server.db.signing_in import codes
from tests.support.city import field_tablet, inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock

SECRET, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


def refused(code, act, *args):
    with pytest.raises(Problem) as caught:
        act(*args)
    assert caught.value.code == code
    return caught.value


def test_the_same_code_and_secret_get_the_same_answer_for_good(city, clock):
    code = enrolment.create_enrolment_code(city, "carol")
    first = enrolment.enrol_tablet(city, code, SECRET)
    clock.advance(days=40)
    assert enrolment.enrol_tablet(city, code.lower().replace("-", " "), SECRET) == first
    assert first.tablet.code == "T01"
    assert [n.counter for n in first.lease] == list(range(1, enrolment.LEASE_SIZE + 1))
    assert all(str(parse_number(n.number)) == n.number and len(n.token) == 32 for n in first.lease)


def test_a_code_serves_one_tablet(city):
    code = enrolment.create_enrolment_code(city, "carol")
    enrolment.enrol_tablet(city, code, SECRET)
    refused("code-used", enrolment.enrol_tablet, city, code, OTHER)
    with city.db.read() as tx:
        assert tx.execute(select(counters.c.tablet_no)).scalar_one() == 1, "a refused try burns no tablet code"


def test_an_expired_or_made_up_code_is_unknown(city, clock):
    code = enrolment.create_enrolment_code(city, "carol")
    clock.advance(days=3)
    refused("code-unknown", enrolment.enrol_tablet, city, code, SECRET)
    for text in ("", "AAAA-BBBB-CCCC", "x" * 200, "\ud800"):
        refused("code-unknown", enrolment.enrol_tablet, city, text, SECRET)


def test_a_code_of_one_purpose_does_not_serve_another(city):
    tablet = field_tablet(city)
    personal = enrolment.create_personal_code(city, "carol", "ben")
    refused("code-unknown", enrolment.enrol_tablet, city, personal, SECRET)
    enrol = enrolment.create_enrolment_code(city, "carol")
    refused("code-unknown", enrolment.sign_in, city, tablet.tablet, enrol)


def test_only_the_administrator_makes_codes_for_others(city):
    refused("no-authority", enrolment.create_enrolment_code, city, "ada")
    refused("no-authority", enrolment.create_personal_code, city, "ada", "ben")
    refused("person-unknown", enrolment.create_personal_code, city, "carol", "nobody")
    assert enrolment.create_personal_code(city, "ada", "ada")


def test_codes_are_readable_and_kept_only_as_keyed_hashes(city):
    code = enrolment.create_enrolment_code(city, "carol")
    assert re.fullmatch(f"([{ALPHABET}]{{4}}-){{2}}[{ALPHABET}]{{4}}", code)
    with city.db.read() as tx:
        [row] = tx.execute(select(codes))
        token = [*tx.execute(select(tablets.c.token_hash))]
    assert code.replace("-", "") not in repr(row)
    assert token == []


def test_signing_in_again_with_the_same_code_on_the_same_tablet_gives_the_same_credential(city):
    one, two = field_tablet(city, seed=7), field_tablet(city, seed=8)
    code = enrolment.create_personal_code(city, "carol", "ben")
    first = enrolment.sign_in(city, one.tablet, code)
    assert enrolment.sign_in(city, one.tablet, code) == first
    assert first.person["powers"] == [{"power": "inspect", "from": "2026-01-01", "until": None}]
    refused("code-used", enrolment.sign_in, city, two.tablet, code)
    second = enrolment.sign_in(city, two.tablet, enrolment.create_personal_code(city, "carol", "ben"))
    assert second.credential_key != first.credential_key


def test_asking_for_numbers_again_burns_none_also_over_new_year(city, clock):
    tablet = field_tablet(city)
    first, seal = enrolment.lease_numbers(city, tablet.tablet, 10)
    size = enrolment.LEASE_SIZE
    assert [n.counter for n in first] == list(range(11, size + 11))
    assert first[:-10] == tablet.enrolled.lease[10:]
    clock.set("2027-01-01T08:00:00-06:00")
    assert enrolment.lease_numbers(city, tablet.tablet, 10) == (first, seal)
    fresh, _ = enrolment.lease_numbers(city, tablet.tablet, size + 10)
    assert {n.number[:7] for n in fresh} == {"SW-2027"}
    assert enrolment.lease_numbers(city, tablet.tablet, 20)[0][:-10] == first[10:]


def test_the_year_of_a_lease_is_that_of_the_city_not_of_greenwich(city, clock):
    clock.set("2026-12-31T23:30:00-06:00")
    assert {n.number[:7] for n in field_tablet(city).enrolled.lease} == {"SW-2026"}


def test_a_tablet_is_known_by_its_token_alone(city):
    tablet = field_tablet(city)
    assert enrolment.tablet_by_token(city, tablet.enrolled.device_token) == tablet.tablet
    good = tablet.enrolled.device_token
    changed = good[:-1] + ("0" if good[-1] != "0" else "1")
    for token in ("", "x", good[:-1], changed, "a.b.c", "\ud800.T01.x", "é.T01.x"):
        refused("token-unknown", enrolment.tablet_by_token, city, token)


def test_a_withdrawn_tablet_gets_nothing_more(city):
    tablet = field_tablet(city)
    refused("reasons-missing", enrolment.withdraw_tablet, city, "carol", "T01", " ")
    refused("no-authority", enrolment.withdraw_tablet, city, "ada", "T01", "lost")
    enrolment.withdraw_tablet(city, "carol", "T01", "lost")
    refused("already-decided", enrolment.withdraw_tablet, city, "carol", "T01", "lost")
    found = enrolment.tablet_by_token(city, tablet.enrolled.device_token)
    assert found.status == "revoked"
    refused("tablet-revoked", enrolment.lease_numbers, city, found, 0)
    refused("tablet-revoked", enrolment.sign_in, city, found, "AAAA-AAAA")


def test_a_server_restored_from_yesterday_recognises_its_own_tablets_people_and_numbers(city):
    """The backup was made before the tablet enrolled; the secret is the same."""
    tablet = field_tablet(city, "ada")

    def forget(tx):
        for table in (tablets, credentials, leases, codes):
            tx.execute(delete(table))
        tx.execute(counters.update().values(tablet_no=0))

    city.db.write(forget)
    epoch = lives.begin_life(city)
    found = enrolment.tablet_by_token(city, tablet.enrolled.device_token)
    assert found == tablet.tablet
    posted = tablet.fact("order_posted", order_body(tablet))
    receipt = open_receipt(receive_facts(city, found, [tablet.item(posted)])[0], found.receipt_key)
    assert (receipt.answer, receipt.epoch) == ("applied", epoch)
    with city.db.read() as tx:
        mark = lives.mark_now(tx, city)
    assert receipt.register == f"R-2026-{mark}-00001", "what was given out after the backup bears no such mark"
    assert field_tablet(city, seed=9).tablet.code == f"T02{mark}"


def test_a_token_whose_code_now_belongs_to_another_tablet_must_enrol_again(city):
    tablet = field_tablet(city, "ada")
    city.db.write(lambda tx: (tx.execute(delete(tablets)), tx.execute(counters.update().values(tablet_no=0))))
    assert field_tablet(city, "ada", seed=9).tablet.code == "T01"
    refused("token-unknown", enrolment.tablet_by_token, city, tablet.enrolled.device_token)


def test_when_a_tablet_was_last_in_touch(city, clock):
    tablet = field_tablet(city)
    enrolment.seen(city, tablet.tablet)
    first = clock.now()
    clock.advance(seconds=20)
    enrolment.seen(city, tablet.tablet)
    with city.db.read() as tx:
        assert tx.execute(select(tablets.c.seen_at)).scalar_one() == first
    clock.advance(seconds=50)
    enrolment.seen(city, tablet.tablet)
    with city.db.read() as tx:
        assert tx.execute(select(tablets.c.seen_at)).scalar_one() == clock.now()


def test_the_secret_is_never_shown(city):
    tablet = field_tablet(city, "ada")
    tablet.push(tablet.fact("inspection_signed", inspection_body()))
    assert city.secret.hex() not in repr(city)
    assert repr(city.secret) not in repr(city)
