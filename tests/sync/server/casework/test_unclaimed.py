"""Files that no record names: seen by their tablet alone, kept for very long, and never cleared from under a tablet."""

import hashlib

import pytest

from sync.records.problems import Problem
from sync.server.casework import audit, evidence, unclaimed
from sync.server.casework.enrolment import seen, withdraw_tablet
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.pictures import picture


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada")


def sent(city, tablet, seed, kind="photo", of=""):
    data = picture(3_000, seed)
    sha = hashlib.sha256(data).hexdigest()
    evidence.hold_bytes(city, tablet.tablet, sha, kind, data, of)
    return sha


def test_what_an_enrolled_tablet_sent_is_never_cleared(city, clock, tablet):
    sha = sent(city, tablet, 1)
    clock.advance(days=3_650)
    found = unclaimed.unclaimed(city)
    assert (found.files, found.size, found.clearable) == (1, 3_000, ())
    assert unclaimed.clear_unclaimed(city) == 0 and city.blobs.has(sha)
    tablet.push(tablet.fact("inspection_signed", inspection_body(), evidence=[(sha, "photo")]))
    assert unclaimed.unclaimed(city).files == 0


def test_a_withdrawn_tablet_has_a_year_to_hand_over_what_names_it(city, clock, tablet):
    sha, small = sent(city, tablet, 1), sent(city, tablet, 2, "preview", "ab" * 32)
    withdraw_tablet(city, "carol", "T01", "It was stolen.")
    clock.advance(days=300)
    seen(city, tablet.tablet)  # heard of once more: the year begins anew
    clock.advance(days=364)
    assert unclaimed.clear_unclaimed(city) == 0
    clock.advance(days=2)
    assert unclaimed.unclaimed(city).clearable == (sha,)
    assert unclaimed.clear_unclaimed(city) == 2
    assert list(city.blobs.names()) == [] and unclaimed.unclaimed(city).files == 0
    assert list(evidence.missing_evidence(city)) == [] and not city.blobs.has(small)
    audit.verify(city)
    again = sent(city, tablet, 1)
    assert city.blobs.has(again), "what was cleared away may come again"


def test_a_second_tablet_that_was_told_it_is_held_counts_too(city, clock, tablet):
    other = field_tablet(city, "ada", seed=8)
    sha = sent(city, tablet, 1)
    assert sent(city, other, 1) == sha
    assert evidence.evidence_for_tablet(city, other.tablet, sha).sha256 == sha
    assert evidence.already_held(city, other.tablet, sha) is not None
    withdraw_tablet(city, "carol", "T01", "It was stolen.")
    clock.advance(days=800)
    assert unclaimed.clear_unclaimed(city) == 0
    other.push(other.fact("inspection_signed", inspection_body(), evidence=[(sha, "photo")]))
    assert city.blobs.has(sha)


def test_what_a_record_in_doubt_names_is_claimed(city, clock, tablet):
    sha = sent(city, tablet, 1)
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[(sha, "photo")])
    item = tablet.item(fact)
    from sync.server.casework.receiving import Item, receive_facts

    receive_facts(city, tablet.tablet, [Item(item.text, "0" * 64, item.credential)])
    withdraw_tablet(city, "carol", "T01", "It was stolen.")
    clock.advance(days=800)
    assert unclaimed.unclaimed(city).files == 0 and unclaimed.clear_unclaimed(city) == 0


def test_a_file_that_is_cleared_while_it_comes_again_is_not_receipted(city, tablet, monkeypatch):
    """The file is cleared between its being laid on the disk and its being noted: no receipt may vouch for it."""
    sent(city, tablet, 1)
    has = type(city.blobs).has
    monkeypatch.setattr(type(city.blobs), "has", lambda self, sha: False)
    with pytest.raises(Problem) as caught:
        sent(city, tablet, 1)
    assert caught.value.code == "server-busy"
    monkeypatch.setattr(type(city.blobs), "has", has)
    assert sent(city, tablet, 1)
