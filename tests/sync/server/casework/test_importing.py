"""A tablet's file is taken in like its calls: same checks, same receipts, again is the same."""

import io

import pytest
from sqlalchemy import delete, select

from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.records.receipts import open_receipt
from sync.server.casework import audit
from sync.server.casework.importing import look_into, take_in
from sync.server.casework.receiving import receipts_for
from sync.server.db.schema import facts, strays, tablets
from tests.support.city import field_tablet, inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock
from tests.support.exported import exported
from tests.support.office import picture

PHOTO = picture(3, (40, 30))


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada", "ben")


def taken(city, data):
    return take_in(city, "keeper", io.BytesIO(data))


def test_a_file_and_a_call_give_the_same_receipts(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(fingerprint(PHOTO), "photo")])
    order = tablet.fact("order_posted", order_body(tablet))
    data = exported(tablet, fact, order, files={PHOTO: "photo"})
    found = taken(city, data)
    assert found.records == {"applied": 2} and found.files == 1
    told = {open_receipt(one, tablet.tablet.receipt_key).fact: one for one in found.receipts.facts}
    asked = receipts_for(city, tablet.tablet, list(told))
    assert [one["text"] for one in told.values()] == [one["text"] for one in asked]
    assert [receipt.whole for receipt in tablet.push(fact, order)] == [True, True]
    again = taken(city, data)
    assert (again.records, again.files, again.receipts.facts) == (found.records, 1, found.receipts.facts)
    with city.db.read() as tx:
        assert len(tx.execute(select(facts)).all()) == 2
    audit.verify(city)


def test_each_record_is_judged_by_itself(city, tablet):
    good = tablet.fact("inspection_signed", inspection_body())
    unauthorised = tablet.fact("order_posted", order_body(tablet), user="ben")
    waits = tablet.fact("photo_added", {"about": {"fact": "9" * 32}, "photo": {
        "sha256": fingerprint(PHOTO), "taken": good.at.to_wire(), "source": "camera", "position": None,
        "no_position": "denied", "item": None, "finding": None, "view": "wide", "name": None}},
        needs=("9" * 32,), evidence=[(fingerprint(PHOTO), "photo")])
    found = taken(city, exported(tablet, good, unauthorised, waits, files={PHOTO: "photo", b"no picture": "photo"}))
    assert found.records == {"applied": 1, "quarantined": 1, "waiting": 1}
    assert found.files == 1 and found.refused_files == ((fingerprint(b"no picture"), "evidence-not-an-image"),)


def test_a_record_with_a_wrong_signature_or_of_nobody_is_set_aside_or_refused_as_in_a_call(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body())
    ident, key = tablet.credentials["ada"]
    tablet.credentials["ada"] = (ident, b"another key, thirty-two bytes lo")
    assert taken(city, exported(tablet, fact)).records == {"quarantined": 1}
    tablet.credentials["ada"] = (ident, key)
    with city.db.read() as tx:
        assert [row.reason for row in tx.execute(select(strays))] == ["fact-mac-mismatch"]
    assert taken(city, exported(tablet, fact)).records == {"applied": 1}


def test_a_restored_server_recognises_a_tablet_that_it_has_forgotten(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body())
    data = exported(tablet, fact)
    city.db.write(lambda tx: tx.execute(delete(tablets)))
    assert look_into(city, io.BytesIO(data)).records[0].here is False
    assert taken(city, data).records == {"applied": 1}
    assert [receipt.answer for receipt in tablet.push(fact)] == ["applied"]


def test_a_file_of_another_server_with_the_same_city_name_is_refused(city):
    stranger = field_tablet(memory_city(StoppedClock(), seed=2), "ada")
    with pytest.raises(Problem) as caught:
        taken(city, exported(stranger, stranger.fact("inspection_signed", inspection_body())))
    assert caught.value.code == "export-forged"


def test_a_full_disk_says_so_and_leaves_no_record_without_its_turn(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(fingerprint(PHOTO), "photo")])
    data = exported(tablet, fact, files={PHOTO: "photo"})

    class Full:
        size = 0

        def write(self, piece):
            raise OSError(28, "No space left on device")

        def drop(self):
            pass

    true, city.blobs.incoming = city.blobs.incoming, Full
    with pytest.raises(Problem) as caught:
        taken(city, data)
    assert caught.value.code == "server-full"
    with city.db.read() as tx:
        assert not tx.execute(select(facts)).all()
    city.blobs.incoming = true
    assert taken(city, data).records == {"applied": 1}


def test_cut_at_any_byte_it_is_refused_plainly_and_nothing_is_taken(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(fingerprint(PHOTO), "photo")])
    data = exported(tablet, fact, files={PHOTO: "photo"})
    before = audit.verify(city)
    codes = set()
    for length in range(len(data)):
        with pytest.raises(Problem) as caught:
            taken(city, data[:length])
        assert caught.value.advice
        codes.add(caught.value.code)
    assert codes <= {"export-malformed", "export-damaged"}
    with city.db.read() as tx:
        assert not tx.execute(select(facts)).all()
    assert not list(city.blobs.names()) and audit.verify(city) == before
    found = taken(city, data)
    assert (found.records, found.files) == ({"applied": 1}, 1)
