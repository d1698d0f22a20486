"""Emergencies and revisions of a plan: what they rest on, who decides, and the same end in both orders of arrival."""

import pytest

from sync.ordinance import duties
from sync.ordinance.acts import decide
from sync.ordinance.matter import fold
from sync.records.facts import freeze
from sync.records.problems import Problem
from sync.server.casework import site_acts
from sync.server.casework.matters import matter_of
from sync.server.casework.orders import issue_recommended_order
from tests.support.city import field_tablet, memory_city, order_body, recommended_body
from tests.support.clock import StoppedClock
from tests.support.disputes import both_ways
from tests.support.powers import grant
from tests.support.site_acts import approval, emergency_body, revision_body


def town(*carols):
    city = memory_city(StoppedClock("2026-08-27T15:00:00-05:00"))
    grant(city, "carol", *(carols or ("revise", "approve_entry")))
    return city, field_tablet(city, "ada", "carol")


def matter(city, site="site-01"):
    with city.db.read() as tx:
        return fold(city.pack(tx), site_acts.events_of(tx, city, site), city.today())


def test_an_emergency_opens_entry_without_an_order_and_says_who_approved():
    city, tablet = town()
    fact = tablet.fact("emergency_reported", emergency_body(entered_at=None))
    for _twice in range(2):
        assert tablet.push(fact)[0].answer == "applied"
    [one] = site_acts.site_acts(city, "site-01")
    assert (one.status, one.reference, one.approver_known) == ("recorded", f"EM-2026-{fact.id[:8].upper()}", True)
    assert decide(matter(city), "enter_land_emergency").open
    entered = tablet.fact("emergency_reported", emergency_body())
    assert tablet.push(entered)[0].answer == "applied"
    assert not decide(matter(city), "enter_land_emergency").open, "one entry uses up what was open"
    order = tablet.fact("order_posted", order_body(tablet))
    tablet.push(order)
    assert len(matter_of(city, order.id).emergencies) == 2


@pytest.mark.parametrize(("changes", "opens", "known"), [
    ({"threatens": ["public way", "storm sewer"]}, False, True),
    ({"approval": None, "no_approval": "Nobody could be reached."}, False, None),
    ({"approval": approval(person="ada", name="Ada Lindqvist")}, True, False),
    ({"approval": approval(person=None)}, True, False),
])  # fmt: skip
def test_what_an_emergency_does_not_rest_on(changes, opens, known):
    """A street is protected and never a ground; without approval nothing opens; who approved is looked up."""
    city, tablet = town()
    fact = tablet.fact("emergency_reported", emergency_body(entered_at=None, **changes))
    assert tablet.push(fact)[0].answer == "applied"
    assert decide(matter(city), "enter_land_emergency").open is opens
    assert site_acts.site_acts(city)[0].approver_known is known


@pytest.mark.parametrize(("changes", "where"), [
    ({"threatens": []}, "body.threatens"), ({"threatens": ["the moon"]}, "body.threatens"),
    ({"approval": None}, "body.approval"), ({"no_approval": "but who"}, "body.approval"),
    ({"approval": None, "no_approval": "nobody"}, "body.entered_at"), ({"condition": " "}, "body.condition"),
    ({"found_on": "2026-08-26"}, "body.found_on"), ({"approval": approval(how="by dream")}, "body.approval"),
])  # fmt: skip
def test_a_malformed_emergency_names_what_is_wrong(changes, where):
    _city, tablet = town()
    with pytest.raises(Problem) as refused:
        freeze(tablet.fact("emergency_reported", emergency_body(**changes)))
    assert refused.value.where.startswith(where)


def test_a_recommended_revision_is_owed_until_the_office_orders_or_declines_it():
    city, tablet = town()
    fact = tablet.fact("revision_recommended", revision_body(ordered=False))
    assert tablet.push(fact)[0].answer == "applied"
    [owed] = [one for one in duties.owed(matter(city)) if one.id == "order_revision"]
    assert owed.since.isoformat() == "2026-08-26"
    for reasons, who, why in (("", "carol", "reasons-missing"), ("Seen", "ada", "no-authority")):
        with pytest.raises(Problem) as refused:
            site_acts.issue_revision(city, who, fact.id, reasons)
        assert refused.value.code == why
    site_acts.issue_revision(city, "carol", fact.id, "Seen the same.")
    [one] = site_acts.site_acts(city, "site-01")
    assert (one.status, one.ordered_by, one.ordered_on.isoformat()) == ("ordered", "carol", "2026-08-27")
    assert not [one for one in duties.owed(matter(city)) if one.id == "order_revision"]
    with pytest.raises(Problem) as refused:
        site_acts.decline_revision(city, "carol", fact.id, "late")
    assert refused.value.code == "already-decided"
    site_acts.withdraw_revision(city, "carol", fact.id, "The rain was measured wrong.")
    assert site_acts.site_acts(city)[0].status == "withdrawn"
    other = tablet.fact("revision_recommended", revision_body(ordered=False))
    tablet.push(other)
    site_acts.decline_revision(city, "carol", other.id, "That much rain is usual.")
    assert not [one for one in duties.owed(matter(city)) if one.id == "order_revision"]


def test_a_revision_in_the_field_takes_the_power_to_revise():
    city, tablet = town()
    [receipt] = tablet.push(tablet.fact("revision_ordered", revision_body()))
    assert (receipt.answer, receipt.reason) == ("quarantined", "no-authority")
    [receipt] = tablet.push(tablet.fact("revision_ordered", revision_body(), user="carol"))
    assert receipt.answer == "applied"
    assert site_acts.site_acts(city)[0].status == "ordered"


@pytest.mark.parametrize("choice", ["keep_revisions", "withdraw_revision"])
def test_two_revisions_of_one_plan_are_a_question_in_both_orders_of_arrival(choice):
    def scenario(world, turned):
        grant(world.city, "carol", "revise")
        field = world.one.fact("revision_ordered", revision_body(), user="carol")
        other = world.two.fact("revision_recommended", revision_body(ordered=False), user="ben")

        def office():
            assert world.push(world.two, other)[0].answer == "applied"
            site_acts.issue_revision(world.city, "carol", other.id, "Seen the same.")

        def arrives():
            assert world.push(world.one, field)[0].answer == "applied"

        for step in (office, arrives)[:: -1 if turned else 1]:
            step()
        assert "two_revisions" in world.conflicts()
        world.decide("two_revisions", choice, subject=None if choice == "keep_revisions" else other.id)
        assert "two_revisions" not in world.conflicts()
        told = world.down(world.one, "site_act")
        assert {doc["status"] for doc in told.values()} == (
            {"ordered"} if choice == "keep_revisions" else {"ordered", "withdrawn"})
        assert told[field.id]["status"] == "ordered"
        world.readable(field, other)

    both_ways(scenario)


def test_an_issued_order_that_was_voided_and_put_up_all_the_same_must_come_down():
    """Voided on one tablet, put up a day later on another that had not heard of it; either arrives first."""
    def scenario(world, turned):
        order = world.one.fact("order_recommended", recommended_body(world.one), user="ben")
        world.push(world.one, order)
        issue_recommended_order(world.city, "carol", order.id)
        world.clock.advance(hours=48)
        void = world.voided(world.one, order, "2026-08-28")
        up = world.two.fact("order_affixed", {
            "number": order.body["number"], "order": order.id, "posted_on": "2026-08-29",
            "posted_at": "2026-08-29T09:00:00-05:00", "place": "gate"}, user="ben", wall="2026-08-29T09:01:00-05:00",
            needs=(order.id,))
        for tablet, fact in ((world.one, void), (world.two, up))[:: -1 if turned else 1]:
            assert world.push(tablet, fact)[0].answer == "applied"
        assert world.order(order.id)["status"] == "voided"
        assert "repost_after_end" in world.conflicts(), "a placard hangs that has no force"
        world.decide("repost_after_end", "note_repost_after_end")
        assert "repost_after_end" not in world.conflicts()
        world.readable(order, void, up)

    both_ways(scenario)
