"""What came instead of an original that is too large, and where the office sees that it stays on its tablet."""

import hashlib
from dataclasses import replace

import pytest

from sync.records.facts import Evidence
from sync.records.problems import Problem
from sync.server.casework import evidence, queries
from sync.server.casework.lost import missing_from
from sync.server.console.tablets import missing_words
from tests.support.city import field_tablet, inspection_body, memory_city
from tests.support.clock import StoppedClock
from tests.support.pictures import picture
from tests.support.samples import photo

LARGE, SMALL = picture(30_000, 1), picture(3_000, 2)
OF, SHA = hashlib.sha256(LARGE).hexdigest(), hashlib.sha256(SMALL).hexdigest()


@pytest.fixture
def city():
    return replace(memory_city(StoppedClock()), evidence_bytes=10_000)


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada")


def signed(tablet):
    return tablet.fact("inspection_signed", inspection_body(photos=[photo(OF)]),
                       evidence=[Evidence(OF, "photo", len(LARGE), "image/jpeg")])


def smaller(tablet, about, original=OF, **more):
    body = {"about": {"fact": about}, "original": {"sha256": original, "size": len(LARGE), "media": "image/jpeg"},
            "copy": {"sha256": SHA, "size": len(SMALL), "width": 64, "height": 48},
            "made": "JPEG, at most 640 pixels a side, upright", "limit": 10_000}
    return tablet.fact("smaller_copy_added", body, needs=(about,),
                       evidence=[Evidence(SHA, "photo", len(SMALL), "image/jpeg")], **more)


def test_the_copy_s_record_is_whole_and_the_original_s_never_is(city, tablet):
    record = signed(tablet)
    copy = smaller(tablet, record.id)
    with pytest.raises(Problem) as caught:
        evidence.hold_bytes(city, tablet.tablet, OF, "photo", LARGE)
    assert caught.value.code == "evidence-too-large"
    evidence.hold_bytes(city, tablet.tablet, SHA, "photo", SMALL)
    first, second = tablet.push(record, copy)
    assert second.whole and first.answer == "applied" and first.evidence == {OF: False}
    [shown] = queries.inspection_page(city, record.id)["photos"]
    assert not shown["held"]
    assert shown["smaller"] == {"sha256": SHA, "fact": copy.id, "size": len(LARGE), "limit": 10_000, "tablet": "T01",
                                "made": "JPEG, at most 640 pixels a side, upright"}
    missing = missing_from(city, "T01")
    assert [sha for sha, _, _ in missing.files] == [OF] and missing.large == missing.copied == (OF,)
    assert missing_words(missing, str)[-1] == (
        "One is too large for the server: it stays on the tablet. A smaller copy is here of 1.")


def test_when_the_limit_is_raised_the_original_comes_and_the_copy_steps_back(city, tablet):
    record = signed(tablet)
    evidence.hold_bytes(city, tablet.tablet, SHA, "photo", SMALL)
    tablet.push(record, smaller(tablet, record.id))
    wider = replace(city, evidence_bytes=50_000)
    evidence.hold_bytes(wider, tablet.tablet, OF, "photo", LARGE)
    assert tablet.push(record)[0].whole
    [shown] = queries.inspection_page(wider, record.id)["photos"]
    assert shown["held"] and shown["smaller"] is None and missing_from(wider, "T01").nothing


def test_it_waits_for_the_record_it_is_about(city, tablet):
    record = signed(tablet)
    copy = smaller(tablet, record.id)
    [receipt] = tablet.push(copy)
    assert (receipt.answer, receipt.reason) == ("waiting", "need-missing")
    tablet.push(record)
    assert tablet.push(copy)[0].answer == "applied"


def test_it_must_be_about_an_original_that_the_record_names(city, tablet):
    record = signed(tablet)
    tablet.push(record)
    [receipt] = tablet.push(smaller(tablet, record.id, original="ab" * 32))
    assert (receipt.answer, receipt.reason) == ("quarantined", "subject-unknown")


def test_without_a_copy_the_report_still_says_that_it_is_too_large(city, tablet):
    """A picture that the tablet cannot decode has no smaller copy; the record itself says how large it is."""
    tablet.push(signed(tablet))
    missing = missing_from(city, "T01")
    assert missing.large == (OF,) and missing.copied == ()
