"""Permits that change while an order runs: ended, extended, revoked, a revocation that meets an earlier release."""

from datetime import date

import pytest
from sqlalchemy import insert

from sync.records.problems import Problem
from sync.server.casework import founding, permitting
from sync.server.casework.deciding import record_outcome, record_repost
from sync.server.db.acts import acts
from tests.support.disputes import arrive, both_ways, clocks, dispute, turn


def permit_until_sep_1(world):
    """180 days from Mar 5 end on Tue Sep 1, day 5 of an order of Aug 27."""
    world.city.db.write(lambda tx: founding.keep_permit(tx, world.city, {
        "id": "permit-01", "site": "site-01", "number": "EC-2026-014", "state": "in_force",
        "issued_on": "2026-03-05", "last_valid_day": "2026-09-01", "conditions": []}))


def test_an_order_posted_after_the_permit_ended_runs_the_clock_of_those_without_a_permit():
    def scenario(world, turned):
        permit_until_sep_1(world)
        order = world.posted(world.one, on="2026-09-03")
        again = world.reposted(world.two, order, "2026-09-04")
        world.clock.set("2026-09-04T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        doc = world.order(order.id)
        assert list(clocks(doc)) == ["K5", "K6", "K7"] and clocks(doc)["K5"]["words"].startswith("posted Thu Sep 3")
        assert world.conflict("permit_other").detail["change"] == "not in force"
        world.decide("permit_other", "note_permit")
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_a_permit_that_ends_during_an_order_turns_its_clock_from_the_day_after():
    def scenario(world, turned):
        permit_until_sep_1(world)
        order = world.posted(world.one)
        again = world.reposted(world.two, order, "2026-08-28")
        world.clock.set("2026-09-03T10:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, again))
        doc = world.order(order.id)
        assert list(clocks(doc)) == ["K5", "K6", "K7"]
        assert clocks(doc)["K5"]["last_day"] == "2026-09-12", "day 0 is Sep 2, the day after the last valid day"
        assert clocks(doc)["K6"]["last_day"] == "2026-09-08", "the notice of intent still runs from posting"
        assert world.conflict("permit_other").detail["change"] == "ended"
        world.decide("permit_other", "note_permit")

    assert both_ways(scenario).conflicts() == []


def test_an_extension_recorded_before_or_after_the_order_arrives_comes_to_the_same():
    def scenario(world, turned):
        permit_until_sep_1(world)
        order = world.posted(world.one)
        world.clock.set("2026-08-29T10:00:00-05:00")
        steps = [lambda: world.push(world.one, order),
                 lambda: permitting.extend_permit(world.city, "carol", "permit-01", date(2026, 12, 1), "Asked in time.",
                                                  ("A second basin.",))]
        turn(turned, *steps)
        doc = world.order(order.id)
        assert list(clocks(doc)) == ["K4", "K6", "K7"], "the permit lives on, and so does its branch"
        permit = world.down(world.one, "permit")["permit-01"]
        assert (permit["last_valid_day"], permit["conditions"][-1]["text"]) == ("2026-12-01", "A second basin.")
        world.decide("permit_other", "note_permit")

    assert both_ways(scenario).conflicts() == []


def test_an_extension_is_what_the_law_allows_and_nothing_else():
    world = dispute()
    permit_until_sep_1(world)
    for until, said in ((date(2027, 9, 2), "end of all extensions"), (date(2026, 8, 1), "valid that long already")):
        with pytest.raises(Problem) as refused:
            permitting.extend_permit(world.city, "carol", "permit-01", until, "Please.")
        assert refused.value.code == "permit-not-extended" and said in refused.value.detail
        assert "earlier" not in refused.value.advice, "one of the two days has to be later"
    world.clock.set("2026-09-02T10:00:00-05:00")
    with pytest.raises(Problem) as late:
        permitting.extend_permit(world.city, "carol", "permit-01", date(2026, 12, 1), "Please.")
    assert "new application" in late.value.detail
    with pytest.raises(Problem) as power:
        permitting.extend_permit(world.city, "ada", "permit-01", date(2026, 12, 1), "Please.")
    assert power.value.code == "no-authority"


def test_an_extension_that_a_later_pack_does_not_allow_moves_nothing_and_shifts_nothing():
    """What each change moved stands beside that change, also where one before it counts no more."""
    world = dispute()
    permit_until_sep_1(world)
    refused, allowed = date(2030, 1, 1), date(2026, 12, 1)
    world.city.db.write(lambda tx: tx.execute(insert(acts).values(
        city_id=world.city.id, about="permit-01", step=f"extend:{refused}", act="extend", person="carol",
        at=world.city.now(), on_day=world.city.today(), reasons="The pack of then allowed it.", fact=None,
        doc={"until": refused.isoformat(), "practices": ["A third basin."]})))
    world.clock.advance(days=1)
    permitting.extend_permit(world.city, "carol", "permit-01", allowed, "Asked in time.", ("A second basin.",))
    doc = world.down(world.one, "permit")["permit-01"]
    assert doc["last_valid_day"] == "2026-12-01"
    assert [one["text"] for one in doc["conditions"]] == ["A second basin."]
    assert [(one["until"], one.get("was"), one.get("now")) for one in doc["changes"]] == [
        ("2030-01-01", None, None), ("2026-12-01", "2026-09-01", "2026-12-01")]


def test_the_authorization_changes_the_last_day_and_conditions_come_down():
    world = dispute()
    permitting.change_authorization(world.city, "carol", "permit-01", date(2027, 3, 1), "The building permit runs on.")
    assert world.down(world.one, "permit")["permit-01"]["last_valid_day"] == "2027-03-01"
    permitting.change_conditions(world.city, "carol", "permit-01",
                                 [{"id": "c9", "text": "No work in rain.", "clause": "D"}], "Revision.")
    permit = world.down(world.one, "permit")["permit-01"]
    assert [one["id"] for one in permit["conditions"]] == ["c9"]
    assert [one["what"] for one in permit["changes"]] == ["authorization", "conditions"]


def test_a_permit_is_revoked_only_when_the_law_has_it_open():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-09-08T10:00:00-05:00")
    with pytest.raises(Problem) as early:
        permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
    assert early.value.code == "act-not-open" and "Sep 9" in early.value.detail
    world.clock.set("2026-09-09T10:00:00-05:00")
    permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
    assert world.down(world.one, "permit")["permit-01"]["state"] == "revoked"
    doc = world.order(order.id)
    assert list(clocks(doc)) == ["K6", "K7"], "cease and desist opens only under a new order"
    assert world.conflicts() == []
    with pytest.raises(Problem):
        permitting.revoke_permit(world.city, "carol", order.id, "Once more.")


def test_what_ceased_closes_the_revocation():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-09-09T10:00:00-05:00")
    record_outcome(world.city, "ada", order.id, "ceased", "Nobody works there.")
    with pytest.raises(Problem) as closed:
        permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
    assert "ceased" in closed.value.detail
    assert world.order(order.id)["status"] == "in_force", "ceasing is no release"


def test_a_release_that_was_signed_before_the_revocation_and_arrives_after_it_is_reviewed():
    """Arrived in time, the release would have closed the revocation: that is where the review leads to as well."""

    def scenario(world, turned):
        order = world.posted(world.one)
        release = world.released(world.two, order, "2026-09-08")
        world.push(world.one, order)
        world.clock.set("2026-09-09T10:00:00-05:00")
        if turned:
            world.push(world.two, release)
            with pytest.raises(Problem) as closed:
                permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
            assert "released" in closed.value.detail
        else:
            permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
            world.push(world.two, release)
            assert world.order(order.id)["status"] == "released"
            assert world.down(world.one, "permit")["permit-01"]["state"] == "revoked", "nothing is undone by itself"
            assert world.conflicts() == ["release_before_revocation"]
            with pytest.raises(Problem):
                world.decide("release_before_revocation", "take_back", who="ada")
            world.decide("release_before_revocation", "take_back")
        assert world.down(world.one, "permit")["permit-01"]["state"] == "in_force"
        world.readable(order, release)

    assert both_ways(scenario).conflicts() == []


def test_the_office_may_let_the_revocation_stand():
    def scenario(world, turned):
        order = world.posted(world.one)
        again = world.reposted(world.two, order, "2026-09-01")
        world.push(world.one, order)
        world.clock.set("2026-09-09T10:00:00-05:00")
        permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
        arrive(world, turned, (world.two, world.released(world.two, order, "2026-09-08")), (world.two, again))
        world.decide("release_before_revocation", "note_revocation")
        assert world.down(world.one, "permit")["permit-01"]["state"] == "revoked"
        assert world.order(order.id)["status"] == "released"

    assert both_ways(scenario).conflicts() == []


def test_a_permit_revoked_under_another_order_is_shown_with_the_order_that_still_names_it():
    """Revoked before the second order came in, or after: the same doubt about the same order."""

    def scenario(world, turned):
        first, second = world.posted(world.one), world.posted(world.two, on="2026-08-28")
        world.push(world.one, first)
        world.clock.set("2026-09-09T10:00:00-05:00")
        steps = [lambda: world.push(world.two, second),
                 lambda: permitting.revoke_permit(world.city, "carol", first.id, "Nothing was done.")]
        turn(turned, *steps)
        world.decide("two_orders", "keep_both")
        assert world.conflict("permit_other").subject == second.id
        assert world.conflict("permit_other").detail["change"] == "revoked"
        world.decide("permit_other", "note_permit")
        world.decide("late", "service_confirmed", subject=second.id)
        world.readable(first, second)

    assert both_ways(scenario).conflicts() == []


def test_the_same_placard_put_up_again_is_recorded_by_the_office_and_moves_no_clock():
    """Seen by the office before or after the tablet's own record of another day."""

    def scenario(world, turned):
        order = world.posted(world.one)
        world.push(world.one, order)
        before = world.order(order.id)["dates"]
        world.clock.set("2026-08-31T10:00:00-05:00")
        steps = [lambda: record_repost(world.city, "ada", order.id, "north gate", "It was torn down.",
                                       on=date(2026, 8, 30)),
                 lambda: world.push(world.two, world.reposted(world.two, order, "2026-08-29"))]
        turn(turned, *steps)
        doc = world.order(order.id)
        assert (doc["status"], doc["dates"], doc["posted_on"]) == ("in_force", before, "2026-08-27")
        assert [up["on"] for up in doc["reposted"]] == ["2026-08-29", "2026-08-30"]
        with pytest.raises(Problem) as to_come:
            record_repost(world.city, "ada", order.id, "north gate", "Again.", on=date(2026, 9, 1))
        assert to_come.value.code == "body-malformed"
        with pytest.raises(Problem) as twice:
            record_repost(world.city, "ada", order.id, "north gate", "Again.", on=date(2026, 8, 30))
        assert twice.value.code == "already-decided"

    assert both_ways(scenario).conflicts() == []
