"""Who got a copy of an order by hand is served by that, where the ordinance asks for it; the office corrects it."""

import pytest

from sync.records.problems import Problem
from sync.server.casework import deciding
from tests.support.disputes import arrive, both_ways, dispute, turn


def met(*people):
    return [{"name": name, "role": "", "served": served, **({"party": party} if party else {})}
            for name, party, served in people]


def served(world, order):
    return [(one["party"], one["on"], one["name"]) for one in world.order(order.id).get("service", ())]


def handed(world, *people):
    return world.posted(world.one, met=met(*people), nobody_present=False)


def test_a_copy_in_the_hands_of_the_landowner_is_service_whatever_arrives_first():
    def scenario(world, turned):
        order = handed(world, ("Eva Larsen", "landowner", True), ("Joe Brown", "contractor", True),
                       ("Ann Roe", "permittee", False), ("A neighbor", "other", True))
        again = world.reposted(world.two, order, "2026-08-28")
        world.clock.set("2026-08-29T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        assert served(world, order) == [("landowner", "2026-08-27", "Eva Larsen"),
                                        ("land_user", "2026-08-27", "Joe Brown")]
        world.clock.set("2026-09-09T10:00:00-05:00")
        assert world.missing(order, "issue_notice_of_intent") == ()
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


@pytest.mark.parametrize("people", [
    (("Joe Brown", "contractor", True),), (("Eva Larsen", "landowner", False),), (("Eva Larsen", "other", True),),
    (("Eva Larsen", "", True),)])
def test_nothing_else_counts_as_service_of_the_landowner(people):
    world = dispute()
    order = handed(world, *people)
    world.push(world.one, order)
    world.clock.set("2026-09-09T10:00:00-05:00")
    assert world.missing(order, "issue_notice_of_intent") == ("landowner served",)


def test_the_office_corrects_who_was_met_before_or_after_another_record_comes():
    def scenario(world, turned):
        order = handed(world, ("Eva Larsen", "landowner", True), ("Joe Brown", "", True))
        world.push(world.one, order)
        again = world.reposted(world.two, order, "2026-08-28")
        world.clock.set("2026-08-29T10:00:00-05:00")
        steps = [lambda: deciding.correct_service(world.city, "ada", order.id, 0, "other", "She rents next door."),
                 lambda: world.push(world.two, again)]
        turn(turned, *steps)
        assert served(world, order) == []
        deciding.correct_service(world.city, "ada", order.id, 1, "landowner", "He owns the land.")
        assert served(world, order) == [("landowner", "2026-08-27", "Joe Brown")]
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_what_cannot_be_corrected_is_refused():
    world = dispute()
    order = handed(world, ("Eva Larsen", "landowner", True), ("Ann Roe", "permittee", False))
    world.push(world.one, order)
    for who, index, party, why, code in (
            ("dora", 0, "other", "x", "no-authority"), ("ada", 0, "other", " ", "reasons-missing"),
            ("ada", 0, "king", "x", "body-malformed"), ("ada", 1, "other", "x", "body-malformed"),
            ("ada", 7, "other", "x", "body-malformed"), ("ada", 0, "landowner", "x", "already-decided")):
        with pytest.raises(Problem) as refused:
            deciding.correct_service(world.city, who, order.id, index, party, why)
        assert refused.value.code == code


def test_a_copy_of_an_order_without_authority_served_nobody():
    def scenario(world, turned):
        order = world.posted(world.one, user="ben", met=met(("Eva Larsen", "landowner", True)), nobody_present=False)
        again = world.reposted(world.two, order, "2026-08-28")
        world.clock.set("2026-08-29T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        world.decide("unauthorised_posting", "ratify")
        assert served(world, order) == []

    assert both_ways(scenario).conflicts() == []
