"""What a lost tablet is known to have held that never arrived, and nothing beyond what is known."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sync.server.casework import lost
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.casework.evidence import hold_bytes
from sync.server.casework.lost import gaps, missing_from
from tests.support.city import inspection_body
from tests.support.disputes import dispute
from tests.support.office import picture, sha


def photographed(world, *shas):
    photos = [{"sha256": one, "taken": {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": 1,
                                        "boot": "b", "offset_ms": None}, "source": "camera", "position": None,
               "no_position": "no fix", "item": None, "finding": None, "view": "wide", "name": None} for one in shas]
    return world.one.fact("inspection_signed", inspection_body(photos=photos),
                          evidence=[(one, "photo") for one in shas])


def test_gaps_needs_and_files_are_listed_and_vanish_when_they_arrive():
    world = dispute()
    code = world.one.tablet.code
    assert missing_from(world.city, code).nothing
    data = picture(1)
    first, second, third = (world.one.fact("inspection_signed", inspection_body()) for _ in range(3))
    last = photographed(world, sha(data))
    correction = world.one.fact("inspection_signed", inspection_body(), revises=second.id)
    world.push(world.one, first, last, correction)
    withdrawn = missing_from(world.city, code)
    assert (withdrawn.counters, withdrawn.highest, withdrawn.records) == (((2, 3),), 5, 2)
    assert withdrawn.needed == (second.id,)
    assert withdrawn.files == ((sha(data), "photo", last.id),)
    withdraw_tablet(world.city, "carol", code, "It fell into the creek.")
    assert missing_from(world.city, code).status == "revoked"
    # It was found after all: what it still sends is kept, and is not missing any more.
    assert [one.answer for one in world.push(world.one, second, third)] == ["quarantined"] * 2
    assert missing_from(world.city, code).counters == () and missing_from(world.city, code).needed == ()
    hold_bytes(world.city, world.one.tablet, sha(data), "photo", data)
    assert missing_from(world.city, code).nothing


def test_of_years_of_records_none_is_read_again(monkeypatch):
    """The page of the tablets asks this of each of them."""
    world = dispute()
    first = world.one.fact("inspection_signed", inspection_body())
    world.push(world.one, first, world.one.fact("inspection_signed", inspection_body(), revises=first.id))

    def reads(text):
        raise AssertionError(f"a record that has done its work is read again: {text[:80]}")

    monkeypatch.setattr(lost, "parse", reads)
    assert missing_from(world.city, world.one.tablet.code).nothing
    monkeypatch.undo()
    late = world.one.fact("inspection_signed", inspection_body(), revises="e" * 32)
    assert [one.answer for one in world.push(world.one, late)] == ["waiting"]
    assert missing_from(world.city, world.one.tablet.code).needed == ("e" * 32,)


def test_files_of_a_record_that_lies_apart_are_missed_too():
    """A copied tablet's second record is no record yet, and its photos were on a tablet all the same."""
    world = dispute()
    first, data = world.one.fact("inspection_signed", inspection_body()), picture(4)
    second = photographed(world, sha(data))
    twin = replace(second, counter=first.counter)
    assert [one.answer for one in world.push(world.one, first, twin)] == ["applied", "quarantined"]
    code = world.one.tablet.code
    assert missing_from(world.city, code).files == ((sha(data), "photo", twin.id),)
    hold_bytes(world.city, world.one.tablet, sha(data), "photo", data)
    assert missing_from(world.city, code).nothing


def test_a_tablet_that_was_never_enrolled_has_no_report():
    assert missing_from(dispute().city, "T99") is None


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.sets(st.integers(1, 60)))
def test_gaps_are_exactly_what_is_not_there(counts):
    found = [n for first, last in gaps(counts) for n in range(first, last + 1)]
    assert found == [n for n in range(1, max(counts, default=0) + 1) if n not in counts]
