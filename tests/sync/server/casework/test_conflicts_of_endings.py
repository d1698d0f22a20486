"""How an order ends where records of tablets contradict what is known of it: one end, whatever arrives first."""

from dataclasses import replace

import pytest

from sync.records.problems import Problem
from sync.server.casework.deciding import release_order, take_back_release
from sync.server.casework.orders import decline_order, refuse_recommended_order
from tests.support.disputes import arrive, both_ways, clocks, day, dispute, turn


@pytest.mark.parametrize("at, shown", [("16:00", True), ("09:00", False)])
def test_put_up_again_on_the_very_day_of_the_release_is_told_by_the_time_of_day(at, shown):
    """Released at 11:00; the tablet that did not know put the placard up again in the afternoon."""
    def scenario(world, turned):
        order = world.posted(world.one)
        release = world.released(world.two, order, "2026-08-29")
        again = world.reposted(world.one, order, "2026-08-29")
        again = replace(again, body={**again.body, "posted_at": f"2026-08-29T{at}:00-05:00"})
        world.push(world.one, order)
        world.clock.set("2026-08-30T15:00:00-05:00")
        arrive(world, turned, (world.two, release), (world.one, again))
        assert world.order(order.id)["status"] == "released"
        assert world.conflicts() == ["repost_after_end"] * shown
        if shown:
            world.decide("repost_after_end", "note_repost_after_end")

    assert both_ways(scenario).conflicts() == []


def test_a_placard_put_up_again_after_its_order_was_declined_is_shown():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-08-29T15:00:00-05:00")
    decline_order(world.city, "carol", order.id, "It names the wrong parcel.")
    world.clock.set("2026-08-30T15:00:00-05:00")
    world.push(world.two, world.reposted(world.two, order, "2026-08-30"))
    assert world.order(order.id)["status"] == "voided"
    world.decide("repost_after_end", "note_repost_after_end")
    assert world.conflicts() == []


@pytest.mark.parametrize("decision, status", [("take_back_release", "in_force"), ("note_early", "released")])
def test_a_release_that_is_older_than_its_order_is_looked_at_by_a_person(decision, status):
    def scenario(world, turned):
        order = world.posted(world.one)
        release, again = world.released(world.two, order, "2026-08-25"), world.reposted(world.one, order, "2026-08-26")
        world.clock.set("2026-08-30T15:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, release))
        assert world.order(order.id)["status"] == "released" and world.conflicts() == ["before_its_order"]
        world.push(world.one, again)
        with pytest.raises(Problem, match="does not hold the power"):
            world.decide("before_its_order", decision, who="ben")
        world.decide("before_its_order", decision)
        doc = world.order(order.id)
        assert doc["status"] == status and len(doc["dates"]) == (3 if status == "in_force" else 0)
        if status == "in_force":  # the re-post is as old
            assert clocks(doc)["K6"]["words"].startswith("posted Thu Aug 27")
            world.decide("before_its_order", "note_early")
            release_order(world.city, "carol", order.id, "All is put right.", on=day("2026-08-30"))
            assert world.order(order.id)["status"] == "released"
        else:  # and by the days as they are, its placard was put up again afterwards
            world.decide("repost_after_end", "note_repost_after_end")
        with pytest.raises(Problem):
            take_back_release(world.city, "carol", order.id, f"release:{release.id}", "Once more.")
        world.readable(order, release, again)

    assert both_ways(scenario).conflicts() == []


def test_an_order_declined_and_released_is_void_whichever_came_first():
    def scenario(world, turned):
        order = world.posted(world.one)
        world.push(world.one, order)
        release = world.released(world.two, order, "2026-08-29")
        world.clock.set("2026-08-30T15:00:00-05:00")
        turn(turned, lambda: decline_order(world.city, "carol", order.id, "It names the wrong parcel."),
             lambda: world.push(world.two, release))
        doc = world.order(order.id)
        assert (doc["status"], doc["released"]["on"]) == ("voided", "2026-08-29") and doc["declined"]["by"] == "carol"
        world.readable(order, release)

    assert both_ways(scenario).conflicts() == []


def test_a_placard_that_hangs_though_the_office_refused_its_order_must_come_down():
    def scenario(world, turned):
        order = world.recommended(world.one)
        up = world.affixed(world.two, order, "2026-08-28")
        world.push(world.one, order)
        world.clock.set("2026-08-29T08:00:00-05:00")
        turn(turned, lambda: refuse_recommended_order(world.city, "carol", order.id, "The road is clean."),
             lambda: world.push(world.two, up))
        found = world.conflict("up_not_issued")
        assert found.detail["refused"] and [choice.act for choice in found.choices] == ["leave_out"]
        world.decide("up_not_issued", "leave_out")
        assert world.order(order.id)["status"] == "refused"
        world.readable(order, up)

    assert both_ways(scenario).conflicts() == []


