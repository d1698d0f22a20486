"""Conflicts between orders, each end to end through the tablets' interface and in both orders of arrival.

What is asserted each time: the same final state, both originals readable, no number changed, no clock from arrival.
"""

import pytest

from sync.records.problems import Problem
from sync.records.times import At, parse_wall
from sync.server.casework import deciding
from sync.server.casework.public import public_order
from tests.support.conflict_scenes import put_up_twice
from tests.support.disputes import arrive, both_ways, clocks, day, dispute


# --- two orders on one site -----------------------------------------------------------------------------------------
def two_orders(world, turned):
    first, second = world.posted(world.one, on="2026-08-27"), world.posted(world.two, on="2026-08-28")
    world.clock.set("2026-08-29T08:00:00-05:00")
    arrive(world, turned, (world.one, first), (world.two, second))
    assert world.conflicts() == ["two_orders"]
    # Meanwhile each has its own clocks.
    assert clocks(world.order(first.id))["K6"]["last_day"] == "2026-09-08"
    assert clocks(world.order(second.id))["K6"]["last_day"] == "2026-09-08"
    return first, second


def test_two_orders_on_one_site_stay_two_when_the_office_keeps_both():
    def scenario(world, turned):
        first, second = two_orders(world, turned)
        world.decide("two_orders", "keep_both")
        assert world.conflicts() == []
        assert {world.order(one.id)["status"] for one in (first, second)} == {"in_force"}
        assert world.order(first.id)["number"] != world.order(second.id)["number"]
        world.readable(first, second)

    both_ways(scenario)


def test_when_one_order_takes_the_place_of_another_the_clocks_are_those_of_the_later_one():
    def scenario(world, turned):
        first, second = two_orders(world, turned)
        world.decide("two_orders", "supersede", subject=first.id, other=second.id)
        gone, stands = world.order(first.id), world.order(second.id)
        assert (gone["status"], gone["dates"], gone["void"]["replaced_by"]) == ("voided", [], second.id)
        assert (stands["status"], stands["posted_on"]) == ("in_force", "2026-08-28")
        assert clocks(stands)["K6"]["words"].startswith("posted Fri Aug 28")
        assert gone["number"] == first.body["number"]
        assert public_order(world.city, gone["number"], first.body["token"]).ended_how == "supersede"
        world.readable(first, second)

    both_ways(scenario)


def test_a_second_placard_counts_as_a_repost_and_moves_no_clock():
    def scenario(world, turned):
        first, second = two_orders(world, turned)
        before = world.order(first.id)["dates"]
        world.decide("two_orders", "count_as_repost", subject=second.id, other=first.id)
        kept = world.order(first.id)
        assert (kept["status"], kept["dates"]) == ("in_force", before)
        assert [up["on"] for up in kept["reposted"]] == ["2026-08-28"]
        assert world.order(second.id)["status"] == "voided"
        world.readable(first, second)

    both_ways(scenario)


def test_only_who_may_void_decides_about_two_orders_and_only_once():
    world = dispute()
    two_orders(world, False)
    with pytest.raises(Problem) as refused:
        world.decide("two_orders", "keep_both", who="ada")
    assert refused.value.code == "no-authority"
    choice = world.conflict("two_orders").choices[0]
    world.decide("two_orders", "keep_both")
    with pytest.raises(Problem) as again:
        deciding.keep_both_orders(world.city, "carol", choice.subject, choice.other, "Once more.")
    assert again.value.code == "already-decided"


# --- one order put up twice -------------------------------------------------------------------------------------------
def test_an_issued_order_that_two_tablets_put_up_runs_from_the_earlier_day():
    def scenario(world, turned):
        order, first, second = put_up_twice(world, turned)
        doc = world.order(order.id)
        assert (doc["status"], doc["posted_on"], doc["number"]) == ("in_force", "2026-08-28", order.body["number"])
        assert clocks(doc)["K6"]["words"].startswith("posted Fri Aug 28")
        assert [up["on"] for up in doc["reposted"]] == ["2026-08-29"]
        world.decide("put_up_twice", "note_put_up_twice")
        assert world.order(order.id) == doc and world.conflicts() == []
        # Whoever comes later still opens the question anew.
        third = world.affixed(world.two, order, "2026-08-27")
        world.push(world.two, third)
        assert world.order(order.id)["posted_on"] == "2026-08-27"
        world.decide("put_up_twice", "note_put_up_twice")
        world.readable(order, first, second, third)

    assert both_ways(scenario).conflicts() == []


def test_or_from_the_later_day_where_the_building_inspector_says_so():
    def scenario(world, turned):
        order, first, second = put_up_twice(world, turned)
        with pytest.raises(Problem, match="no-authority"):
            world.decide("put_up_twice", "count_posting", who="ada")
        world.decide("put_up_twice", "count_posting", other=second.id)
        doc = world.order(order.id)
        assert (doc["status"], doc["posted_on"], doc["reposted"]) == ("in_force", "2026-08-29", [])
        assert clocks(doc)["K6"]["words"].startswith("posted Sat Aug 29")
        assert clocks(doc)["K4"]["words"].startswith("issued Thu Aug 27"), "that one runs from issuance"
        assert public_order(world.city, doc["number"], order.body["token"]).posted_on == "2026-08-29"
        with pytest.raises(Problem, match="not-found"):
            deciding.count_posting(world.city, "carol", order.id, order.id, "No putting-up.")
        with pytest.raises(Problem, match="already-decided"):
            deciding.count_posting(world.city, "carol", order.id, second.id, "Once more.")
        # Of one that comes later still nobody has said that it binds nobody, also where it is earlier.
        third = world.affixed(world.two, order, "2026-08-27")
        world.push(world.two, third)
        assert world.order(order.id)["posted_on"] == "2026-08-27"
        world.decide("put_up_twice", "count_posting", other=second.id)
        assert world.order(order.id) == doc
        world.readable(order, first, second, third)

    assert both_ways(scenario).conflicts() == []


# --- release --------------------------------------------------------------------------------------------------------
def test_the_office_does_nothing_with_an_order_on_a_day_before_it_was_put_up():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    before, acts = day("2026-08-26"), (
        lambda on: deciding.release_order(world.city, "carol", order.id, "All is put right.", on=on),
        lambda on: deciding.record_repost(world.city, "carol", order.id, "The gate.", "It was gone.", on=on),
        lambda on: deciding.record_outcome(world.city, "carol", order.id, "ceased", "Nobody works.", on=on),
        lambda on: deciding.file_appeal(world.city, "carol", order.id, "They object.", on=on))
    for act in acts:
        with pytest.raises(Problem, match="is of Thu Aug 27: Wed Aug 26 is before it") as refused:
            act(before)
        assert refused.value.code == "body-malformed" and refused.value.where == "on"
    assert world.order(order.id)["status"] == "in_force"
    acts[0](day("2026-08-27"))
    assert world.order(order.id)["released"]["on"] == "2026-08-27"


def test_a_release_may_arrive_before_its_order():
    def scenario(world, turned):
        order = world.posted(world.one)
        release = world.released(world.two, order, "2026-08-29")
        world.clock.set("2026-08-30T08:00:00-05:00")
        if turned:
            [receipt] = world.push(world.two, release)
            assert (receipt.answer, receipt.reason) == ("waiting", "need-missing")
            assert world.conflicts() == ["waiting_act"]
            world.push(world.one, order)
        else:
            arrive(world, False, (world.one, order), (world.two, release))
        doc = world.order(order.id)
        assert (doc["status"], doc["dates"]) == ("released", [])
        assert doc["released"]["on"] == "2026-08-29"
        assert doc["released"]["number"].startswith(f"{doc['number']}/R-")
        assert public_order(world.city, doc["number"], order.body["token"]).released_on == "2026-08-29"
        world.readable(order, release)

    assert both_ways(scenario).conflicts() == []


def test_the_release_of_a_part_keeps_the_clocks():
    def scenario(world, turned):
        order = world.posted(world.one)
        part = world.released(world.two, order, "2026-08-29", part="The north lot.")
        arrive(world, turned, (world.one, order), (world.two, part))
        doc = world.order(order.id)
        assert doc["status"] == "in_force" and "K4" in clocks(doc)
        assert [one["part"] for one in doc["partly_released"]] == ["The north lot."]

    both_ways(scenario)


def test_a_release_without_the_power_is_set_aside_and_the_order_stands():
    def scenario(world, turned):
        order = world.posted(world.one)
        arrive(world, turned, (world.one, order),
               (world.two, release := world.released(world.two, order, "2026-08-29", user="ben")))
        assert world.order(order.id)["status"] == "in_force"
        assert world.conflicts() == ["unauthorised_record"]
        world.decide("unauthorised_record", "leave_out")
        assert world.conflicts() == []
        world.readable(order, release)

    both_ways(scenario)


def test_a_placard_put_up_again_after_the_release_is_shown_and_changes_nothing():
    def scenario(world, turned):
        order = world.posted(world.one)
        release = world.released(world.two, order, "2026-08-29")
        again = world.reposted(world.one, order, "2026-08-30")
        world.push(world.one, order)
        world.clock.set("2026-08-30T15:00:00-05:00")
        arrive(world, turned, (world.two, release), (world.one, again))
        assert world.order(order.id)["status"] == "released"
        assert world.conflicts() == ["repost_after_end"]
        world.decide("repost_after_end", "note_repost_after_end")
        world.readable(order, release, again)

    assert both_ways(scenario).conflicts() == []


def test_a_repost_moves_no_clock():
    def scenario(world, turned):
        order = world.posted(world.one)
        again = world.reposted(world.two, order, "2026-09-03", user="ben")
        world.clock.set("2026-09-03T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        doc = world.order(order.id)
        assert clocks(doc)["K6"]["last_day"] == "2026-09-08"
        assert (doc["posted_on"], [up["on"] for up in doc["reposted"]]) == ("2026-08-27", ["2026-09-03"])

    both_ways(scenario)


# --- without authority, late, wrong parcel --------------------------------------------------------------------------
def test_an_order_posted_without_the_power_is_ratified_as_posted_anew():
    def scenario(world, turned):
        order = world.posted(world.one, user="ben")
        again = world.reposted(world.two, order, "2026-08-31")
        world.clock.set("2026-08-31T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        assert world.conflicts() == ["unauthorised_posting", "waiting_act"]
        assert public_order(world.city, order.body["number"], order.body["token"]).state == "not_registered"
        assert world.receipt(world.one, order).answer == "quarantined"
        world.decide("unauthorised_posting", "ratify")
        assert world.receipt(world.one, order).whole, "asked again, the tablet turns green"
        doc = world.order(order.id)
        assert (doc["status"], doc["posted_on"], doc["issued_on"]) == ("in_force", "2026-08-31", "2026-08-31")
        assert clocks(doc)["K6"]["words"].startswith("posted Mon Aug 31")
        assert doc["number"] == order.body["number"] and doc["ratified"]["by"] == "carol"
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_an_order_posted_without_the_power_and_left_out_never_counts():
    def scenario(world, turned):
        order = world.posted(world.one, user="ben")
        release = world.released(world.two, order, "2026-08-29")
        arrive(world, turned, (world.one, order), (world.two, release))
        world.decide("unauthorised_posting", "leave_out")
        world.decide("waiting_act", "leave_out")
        assert world.down(world.one, "order") == {}
        [receipt] = world.push(world.one, order)
        assert (receipt.answer, receipt.reason) == ("quarantined", "left-out")
        world.readable(order, release)

    assert both_ways(scenario).conflicts() == []


def test_an_order_that_arrives_after_day_10_waits_for_its_service_to_be_confirmed():
    def scenario(world, turned):
        order = world.posted(world.one)
        again = world.reposted(world.two, order, "2026-09-01")
        world.clock.set("2026-09-14T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        doc = world.order(order.id)
        assert (doc["status"], doc["late"]) == ("in_force", True)
        assert clocks(doc)["K4"]["eligible_from"] == "2026-09-09", "the clock runs from posting, not from arrival"

        assert world.missing(order, "revoke_permit") == ("service confirmed if late",)
        with pytest.raises(Problem):
            world.decide("late", "service_confirmed", who="ada")
        world.decide("late", "service_confirmed")
        assert world.missing(order, "revoke_permit") == () and world.order(order.id)["late"] is False
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_an_order_on_the_wrong_parcel_is_voided_and_replaced_with_new_clocks():
    def scenario(world, turned):
        wrong = world.posted(world.one, 0, parcel="251-99")
        right = world.posted(world.one, 1, on="2026-08-28")
        void = world.voided(world.two, wrong, "2026-08-28", by=right)
        world.clock.set("2026-08-29T10:00:00-05:00")
        arrive(world, turned, (world.one, wrong), (world.one, right), (world.two, void))
        gone, stands = world.order(wrong.id), world.order(right.id)
        assert (gone["status"], gone["dates"]) == ("voided", [])
        assert clocks(stands)["K6"]["words"].startswith("posted Fri Aug 28")
        assert gone["number"] != stands["number"]
        world.readable(wrong, right, void)

    assert both_ways(scenario).conflicts() == []


# --- clocks of tablets ----------------------------------------------------------------------------------------------
def off(minutes, on="2026-08-27", hour=14):
    wall = parse_wall(f"{on}T{hour:02d}:03:00-05:00", "wall")
    return At(wall, "America/Chicago", 1, "b", minutes * 60_000)


@pytest.mark.parametrize(("minutes", "hour", "why"), [
    (2, 14, None), (15, 14, None), (16, 14, "wrong clock"), (-16, 14, "wrong clock"), (14, 23, "other day"),
])
def test_a_tablet_whose_clock_was_wrong_is_looked_at_and_no_date_moves(minutes, hour, why):
    def scenario(world, turned):
        wall = f"2026-08-27T{hour}:50:00-05:00"
        order = world.posted(world.one, at=off(minutes, hour=hour), posted_at=wall)
        world.clock.set("2026-08-29T08:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, world.reposted(world.two, order, "2026-08-28")))
        assert clocks(world.order(order.id))["K6"]["last_day"] == "2026-09-08"
        if why is None:
            return
        assert world.conflict("clock_doubt").detail["why"] == why
        world.decide("clock_doubt", "note_clock")
        assert world.order(order.id)["posted_on"] == "2026-08-27"
        world.readable(order)

    assert both_ways(scenario).conflicts() == []


def test_a_tablet_with_a_dead_battery_posts_on_a_day_on_which_nobody_could():
    def scenario(world, turned):
        order = world.posted(world.one, on="2000-01-01")
        again = world.reposted(world.two, order, "2026-08-28")
        world.clock.set("2026-08-28T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        assert world.conflicts() == ["unauthorised_posting", "waiting_act"]
        world.decide("unauthorised_posting", "ratify")
        doc = world.order(order.id)
        assert (doc["status"], doc["posted_on"], doc["body"]["posted_on"]) == ("in_force", "2026-08-28", "2000-01-01")
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_an_order_from_tomorrow_is_held_up_to_a_person():
    def scenario(world, turned):
        order = world.posted(world.one, on="2026-08-30")
        other = world.posted(world.two, on="2026-08-27")
        arrive(world, turned, (world.one, order), (world.two, other))
        assert world.conflict("clock_doubt").detail["why"] == "to come"
        world.decide("clock_doubt", "void", subject=order.id)
        assert world.order(order.id)["status"] == "voided"
        assert (world.order(other.id)["status"], world.order(other.id)["posted_on"]) == ("in_force", "2026-08-27")
        world.readable(order, other)

    assert both_ways(scenario).conflicts() == []


# --- a number on two placards ---------------------------------------------------------------------------------------
def one_number_twice(world, turned):
    first = world.posted(world.one, 0, on="2026-08-27")
    second = world.posted(world.one, 0, on="2026-08-28")
    world.clock.set("2026-08-29T08:00:00-05:00")
    arrive(world, turned, (world.one, first), (world.one, second))
    assert world.conflicts() == ["number_taken"]
    for fact in (first, second):
        assert (world.order(fact.id)["status"], world.order(fact.id)["dates"]) == ("quarantined", [])
    assert public_order(world.city, first.body["number"], first.body["token"]).state == "quarantined"
    return first, second


def test_two_orders_with_one_number_are_held_back_and_both_may_stand():
    def scenario(world, turned):
        first, second = one_number_twice(world, turned)
        world.decide("number_taken", "keep_number")
        docs = [world.order(fact.id) for fact in (first, second)]
        assert [doc["number"] for doc in docs] == [first.body["number"]] * 2, "no placard number ever changes"
        assert sorted(doc["alias"] for doc in docs) == [f"{first.body['number']}/{n}" for n in (1, 2)]
        assert [doc["posted_on"] for doc in docs] == ["2026-08-27", "2026-08-28"]
        for fact in (first, second):
            told = public_order(world.city, fact.body["number"], fact.body["token"], fact.body["posted_on"])
            assert (told.state, told.posted_on) == ("in_force", fact.body["posted_on"])
        world.readable(first, second)

    assert both_ways(scenario).conflicts() == []


def test_of_two_orders_with_one_number_one_may_be_voided():
    def scenario(world, turned):
        first, second = one_number_twice(world, turned)
        world.decide("number_taken", "void", subject=second.id)
        assert world.order(first.id)["status"] == "in_force" and clocks(world.order(first.id))["K6"]
        assert world.order(second.id)["status"] == "voided"
        assert world.order(first.id)["register"] and world.order(second.id)["register"]
        world.readable(first, second)

    assert both_ways(scenario).conflicts() == []


# --- appeals --------------------------------------------------------------------------------------------------------
def test_an_appeal_stays_the_order_and_a_reversal_voids_it():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    deciding.file_appeal(world.city, "carol", order.id, "The permittee appeals.")
    doc = world.order(order.id)
    assert (doc["status"], doc["dates"]) == ("stayed", [])
    assert public_order(world.city, doc["number"], order.body["token"]).state == "stayed"
    world.clock.set("2026-09-01T10:00:00-05:00")
    deciding.decide_appeal(world.city, "carol", order.id, "upheld", "The board upholds it.")
    doc = world.order(order.id)
    assert doc["status"] == "in_force" and clocks(doc)["K6"]["last_day"] == "2026-09-11", "fresh days after a stay"
    with pytest.raises(Problem) as same_day:
        deciding.file_appeal(world.city, "carol", order.id, "To the court.")
    assert same_day.value.code == "act-not-open" and world.order(order.id)["status"] == "in_force"
    world.clock.set("2026-09-02T10:00:00-05:00")
    deciding.file_appeal(world.city, "carol", order.id, "To the court.")
    world.clock.set("2026-09-03T10:00:00-05:00")
    deciding.decide_appeal(world.city, "carol", order.id, "reversed", "The court reverses it.")
    assert world.order(order.id)["status"] == "voided"
    assert public_order(world.city, doc["number"], order.body["token"]).ended_how == "appeal_decided"
