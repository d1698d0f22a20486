"""Everything that may happen to a site's orders in one heap, in any order of arrival and any repetition: one end.

Not only two records: releases, re-posts, voidings, doubles of a number, unauthorised postings and what waits for them.
"""

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.disputes import dispute

WHEN = "2026-09-14T10:00:00-05:00"


def heap(world):
    """The records of two tablets about one site; some can never count."""
    one, two = world.one, world.two
    first, second = world.posted(one, 0), world.posted(two, 0, on="2026-08-28")
    twins = [world.posted(one, 1, on=day) for day in ("2026-08-27", "2026-08-29")]
    outsider = world.posted(two, 1, user="ben")
    gone = world.posted(one, 2, parcel="251-99")
    theirs = [second, outsider, world.released(two, first, "2026-09-02", part="The north lot."),
              world.reposted(two, first, "2026-09-03"), world.voided(two, gone, "2026-08-30", by=second),
              world.released(two, outsider, "2026-09-01"), world.released(two, twins[0], "2026-09-05")]
    mine = [first, *twins, gone, world.released(one, second, "2026-09-04"), world.reposted(one, second, "2026-09-06"),
            world.released(one, second, "2026-09-07"), world.voided(one, twins[1], "2026-09-02")]
    return [(one, fact) for fact in mine] + [(two, fact) for fact in theirs]


@cache
def as_written():
    return came(range(15))


def came(order):
    """The end when the records of the heap come in that order, each in a message of its own."""
    world = dispute()
    sent = heap(world)
    assert len(sent) == 15
    world.clock.set(WHEN)
    for index in order:
        world.push(*sent[index])
    return world.state()


def test_the_heap_has_an_end_of_each_kind():
    state = as_written()
    assert {doc["status"] for doc in state["orders"].values()} == {"in_force", "released", "voided"}
    assert {one for one in state["open"]} == {"late", "repost_after_end", "unauthorised_posting", "waiting_act"}


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.permutations(range(15)), st.lists(st.integers(0, 14), max_size=5))
def test_any_order_of_arrival_and_any_repetition_comes_to_the_same(order, again):
    assert came([*order, *again]) == as_written()
