"""What happens to a site while an order stands on it: its land is sold, a permit is granted. Both arrival orders."""

from datetime import date

import pytest

from sync.records.problems import Problem
from sync.server.casework import deciding, founding, ownership, permitting
from sync.server.casework.public import public_order
from sync.server.casework.site_records import change_site
from sync.server.db.engine import find
from sync.server.db.schema import sites
from tests.support.city import finding, inspection_body
from tests.support.disputes import arrive, both_ways, clocks, dispute, turn

NEW = {"name": "Vera Holt", "address": "7 Bridge Road", "phone": ""}
THIRD = {"name": "Hill Street Homes LLC", "address": "", "phone": ""}


def sell(world, on="2026-09-04", to=NEW):
    ownership.record_sale(world.city, "carol", "site-01", to, "Register of deeds.", on=date.fromisoformat(on))


# --- a permit granted while the order stands ------------------------------------------------------------------------
def without_permit(world, tablet, on="2026-09-03", **changes):
    """An order of ground (a) on a site whose permit ended on Sep 1."""
    from tests.sync.server.casework.test_conflicts_of_permits import permit_until_sep_1

    permit_until_sep_1(world)
    return world.posted(tablet, on=on, permit=None, permit_number=None, grounds=["a"], **changes)


def test_a_permit_granted_on_day_8_ends_one_clock_and_never_the_order():
    def scenario(world, turned):
        order = without_permit(world, world.one)
        world.clock.set("2026-09-11T10:00:00-05:00")
        turn(turned, lambda: world.push(world.one, order), lambda: permitting.grant_permit(
            world.city, "carol", "site-01", "EC-2026-031", "The plan is in order.", conditions=("Keep the exit.",)))
        doc = world.order(order.id)
        assert (doc["status"], list(clocks(doc))) == ("in_force", ["K6", "K7"]), "the notice of intent runs on"
        assert (doc["granted"]["number"], doc["granted"]["on"]) == ("EC-2026-031", "2026-09-11")
        permit = world.down(world.one, "permit")[doc["granted"]["permit"]]
        assert (permit["state"], permit["issued_on"], permit["last_valid_day"]) == (
            "in_force", "2026-09-11", "2027-03-10")
        assert [one["text"] for one in permit["conditions"]] == ["Keep the exit."]
        world.clock.set("2026-09-20T10:00:00-05:00")
        assert "no permit granted since" in world.missing(order, "request_cease_and_desist")
        assert "permit older than the order" in world.missing(order, "revoke_permit")
        assert public_order(world.city, doc["number"], order.body["token"]).state == "in_force"
        assert world.conflict("permit_other").detail["change"] == "granted"
        world.decide("permit_other", "release")
        assert world.order(order.id)["status"] == "released", "by a written release alone"
        world.readable(order)

    assert both_ways(scenario).conflicts() == []


def test_a_permit_granted_since_may_leave_the_order_standing():
    def scenario(world, turned):
        order = without_permit(world, world.one)
        again = world.reposted(world.two, order, "2026-09-04")
        world.clock.set("2026-09-11T10:00:00-05:00")
        permitting.grant_permit(world.city, "carol", "site-01", "EC-2026-031", "The plan is in order.")
        arrive(world, turned, (world.one, order), (world.two, again))
        world.decide("permit_other", "note_permit")
        assert world.order(order.id)["status"] == "in_force"
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_on_one_day_the_person_says_that_the_permit_came_after_the_order():
    def scenario(world, turned):
        order = without_permit(world, world.one)
        again = world.reposted(world.two, order, "2026-09-04")
        world.clock.set("2026-09-04T10:00:00-05:00")
        world.push(world.one, order)
        turn(turned, lambda: permitting.grant_permit(world.city, "carol", "site-01", "EC-2026-031", "In order.",
                                                     on=date(2026, 9, 3), after=order.id),
             lambda: world.push(world.two, again))
        doc = world.order(order.id)
        assert (list(clocks(doc)), doc["permit_in_force"]) == (["K6", "K7"], False)
        world.decide("permit_other", "note_permit")

    assert both_ways(scenario).conflicts() == []


def test_an_order_that_says_no_permit_where_one_was_in_force_is_shown():
    def scenario(world, turned):
        order = without_permit(world, world.one)
        world.clock.set("2026-09-04T10:00:00-05:00")
        turn(turned, lambda: world.push(world.one, order), lambda: permitting.grant_permit(
            world.city, "carol", "site-01", "EC-2026-031", "The plan is in order.", on=date(2026, 9, 2)))
        assert list(clocks(world.order(order.id))) == ["K4", "K6", "K7"], "a permit was in force when it was posted"
        assert world.conflict("permit_other").detail["change"] == "in force"
        world.decide("permit_other", "void")
        world.readable(order)

    assert both_ways(scenario).conflicts() == []


def test_what_is_no_grant_is_refused():
    world = dispute()
    grant = permitting.grant_permit

    def refused(*args, who="carol", **more):
        with pytest.raises(Problem) as caught:
            grant(world.city, who, *args, **more)
        return caught.value.code

    assert refused("site-01", "EC-1", "Because.", who="ada") == "no-authority"
    assert refused("site-01", "EC-1", " ") == "reasons-missing"
    assert refused("site-01", " ", "Because.") == "body-malformed"
    assert refused("site-01", "EC-1", "Because.", on=date(2026, 8, 28)) == "body-malformed"
    assert refused("site-01", "EC-1", "Because.", until=date(9999, 12, 31)) == "body-malformed"
    assert refused("site-99", "EC-1", "Because.") == "not-found"
    assert refused("site-01", "EC-1", "Because.", after="0" * 32) == "not-found"
    assert refused("site-01", "EC-2026-014", "Because.") == "already-decided"
    grant(world.city, "carol", "site-01", "EC-1", "Because.")
    assert refused("site-01", "EC-1", "Because.") == "already-decided"


def test_a_permit_that_was_applied_for_is_granted_under_its_number():
    world = dispute()
    world.city.db.write(lambda tx: founding.keep_permit(tx, world.city, {
        "id": "permit-07", "site": "site-01", "number": "EC-7", "state": "applied", "issued_on": None,
        "last_valid_day": None, "conditions": []}))
    assert permitting.grant_permit(world.city, "carol", "site-01", "EC-7", "In order.",
                                   until=date(2027, 6, 30)) == "permit-07"
    permit = world.down(world.one, "permit")["permit-07"]
    assert (permit["state"], permit["last_valid_day"], permit["authorization_until"]) == (
        "in_force", "2027-06-30", "2027-06-30")
    permitting.extend_permit(world.city, "carol", "permit-07", date(2027, 9, 1), "A long winter.")
    told = world.down(world.one, "permit")
    assert told["permit-07"]["last_valid_day"] == "2027-09-01"
    assert told["permit-01"]["last_valid_day"] != "2027-09-01", "the other permit of the site is left alone"


# --- the land is sold while the order stands ------------------------------------------------------------------------
def test_the_land_is_sold_while_an_order_stands_and_the_new_owner_is_served():
    def scenario(world, turned):
        order = world.posted(world.one)
        world.clock.set("2026-09-05T10:00:00-05:00")
        turn(turned, lambda: world.push(world.one, order), lambda: sell(world))
        doc = world.order(order.id)
        assert (doc["status"], doc["sold"]) == ("in_force", {"on": "2026-09-04", "served": None})
        assert world.down(world.one, "site")["site-01"]["landowner"]["name"] == "Vera Holt"
        assert public_order(world.city, doc["number"], order.body["token"]).state == "in_force"
        world.clock.set("2026-09-10T10:00:00-05:00")
        assert world.missing(order, "issue_notice_of_intent") == ("landowner served",)
        world.decide("new_owner", "new_owner_served")
        doc = world.order(order.id)
        assert doc["sold"]["served"] == "2026-09-10" and world.missing(order, "issue_notice_of_intent") == ()
        assert clocks(doc)["K6"]["last_day"] == "2026-09-08", "the notice of intent still runs from posting"
        assert clocks(doc)["K7"]["words"].startswith("if the notice is issued Thu Sep 10")
        world.readable(order)

    assert both_ways(scenario).conflicts() == []


def test_what_was_served_on_the_former_owner_never_counts_for_the_new_one():
    """Recorded before the office heard of the sale, for a day after it; two sales come in either order."""

    def scenario(world, turned):
        order = world.posted(world.one)
        world.push(world.one, order)
        world.clock.set("2026-09-08T10:00:00-05:00")
        change_site(world.city, "carol", "site-01", {"landowner": {"name": "Eva Larsen"}})
        deciding.record_outcome(world.city, "ada", order.id, "landowner_served", "By hand.", on=date(2026, 9, 7))
        turn(turned, lambda: sell(world), lambda: sell(world, "2026-09-06", THIRD))
        doc = world.order(order.id)
        assert doc["sold"] == {"on": "2026-09-06", "served": None}
        assert world.down(world.one, "site")["site-01"]["landowner"]["name"] == THIRD["name"]
        world.decide("new_owner", "note_owner")

    assert both_ways(scenario).conflicts() == []


def test_the_new_owner_is_served_also_when_their_name_was_corrected_on_the_form_of_the_site():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-09-08T10:00:00-05:00")
    change_site(world.city, "carol", "site-01", {"landowner": {"name": "Eva Larsen"}})
    sell(world)
    change_site(world.city, "carol", "site-01", {"landowner": {**NEW, "name": "Vera M. Holt"}})
    deciding.record_outcome(world.city, "ada", order.id, "landowner_served", "Before.", on=date(2026, 9, 3))
    assert world.order(order.id)["sold"]["served"] is None
    world.decide("new_owner", "new_owner_served")
    doc = world.order(order.id)
    assert doc["sold"]["served"] == "2026-09-08"
    assert [one["name"] for one in doc["service"]] == ["Eva Larsen", "Vera Holt"], "each as the owner of their day"


def test_who_was_served_as_the_owner_by_a_sale_that_was_taken_back_is_nobody():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    world.clock.set("2026-09-08T10:00:00-05:00")
    sell(world)
    world.decide("new_owner", "new_owner_served")
    assert "landowner served" not in world.missing(order, "issue_notice_of_intent")
    ownership.take_back_sale(world.city, "carol", "site-01", "Another lot.")
    assert "landowner served" in world.missing(order, "issue_notice_of_intent")
    sell(world, to=THIRD)  # of the same day
    world.decide("new_owner", "new_owner_served")
    assert [one["name"] for one in world.order(order.id)["service"]] == [THIRD["name"]]


def test_a_sale_before_the_order_or_after_its_end_asks_for_nothing():
    def scenario(world, turned):
        order = world.posted(world.one)
        release = world.released(world.two, order, "2026-09-02")
        world.clock.set("2026-09-06T10:00:00-05:00")
        sell(world, "2026-08-20")
        world.push(world.one, order)
        turn(turned, lambda: sell(world, to=THIRD), lambda: world.push(world.two, release))
        assert "sold" not in world.order(order.id)

    assert both_ways(scenario).conflicts() == []


def test_a_sale_recorded_by_mistake_is_taken_back_and_one_day_has_one_sale():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    before = world.state()
    world.clock.set("2026-09-08T10:00:00-05:00")
    former = world.down(world.one, "site")["site-01"]["landowner"]
    sell(world)
    for who, to, why, on, code in (("ada", NEW, "x", None, "no-authority"),
                                   ("carol", NEW, " ", None, "reasons-missing"),
                                   ("carol", THIRD, "x", date(2026, 9, 4), "already-decided"),
                                   ("carol", NEW, "x", date(2026, 9, 9), "body-malformed"),
                                   ("carol", {"name": " "}, "x", None, "site-malformed")):
        with pytest.raises(Problem) as refused:
            ownership.record_sale(world.city, who, "site-01", to, why, on=on)
        assert refused.value.code == code
    ownership.take_back_sale(world.city, "carol", "site-01", "Another lot.")
    assert world.down(world.one, "site")["site-01"]["landowner"] == former
    assert world.state()["orders"] == before["orders"] and world.conflicts() == []
    sell(world)
    assert world.conflicts() == ["new_owner"]


# --- what moves no clock --------------------------------------------------------------------------------------------
def test_a_reinspection_and_work_that_went_on_move_no_clock_and_end_nothing():
    """A passing one is evidence and no release; a failing one on day 9 neither restarts nor extends."""

    def scenario(world, turned):
        order = world.posted(world.one)
        world.push(world.one, order)
        before = world.order(order.id)["dates"]
        world.clock.set("2026-09-05T10:00:00-05:00")
        seen = {"type": "re-inspection", "inspected_on": "2026-09-05", "began": "2026-09-05T09:00:00-05:00",
                "ended": "2026-09-05T09:30:00-05:00"}
        passed = world.one.fact("inspection_signed", inspection_body(**seen), wall="2026-09-05T09:31:00-05:00")
        failed = world.two.fact("inspection_signed", inspection_body(**seen, findings=[finding("1" * 32)]),
                                wall="2026-09-05T09:31:00-05:00")
        for day in (4, 5):
            deciding.record_outcome(world.city, "ada", order.id, "worked_on", "An excavator ran.",
                                    on=date(2026, 9, day))
        arrive(world, turned, (world.one, passed), (world.two, failed))
        doc = world.order(order.id)
        assert (doc["status"], doc["dates"]) == ("in_force", before)
        assert [one["on"] for one in doc["worked_on"]] == ["2026-09-04", "2026-09-05"]
        world.readable(order, passed, failed)

    assert both_ways(scenario).conflicts() == []


def test_a_changed_authorization_keeps_the_former_last_day_beside_the_new_one():
    world = dispute()
    permitting.change_authorization(world.city, "carol", "permit-01", date(2027, 3, 1), "It runs on.")
    permitting.extend_permit(world.city, "carol", "permit-01", date(2027, 5, 1), "A long winter.")
    with pytest.raises(Problem, match="100 years away"):
        permitting.change_authorization(world.city, "carol", "permit-01", date(9999, 12, 31), "A digit too many.")
    changes = world.down(world.one, "permit")["permit-01"]["changes"]
    assert [(one["was"], one["now"]) for one in changes] == [("2026-11-28", "2027-03-01"), ("2027-03-01", "2027-05-01")]


def test_nobody_is_served_as_the_landowner_while_the_office_does_not_know_who_that_is():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    with pytest.raises(Problem) as unknown:
        deciding.record_outcome(world.city, "ada", order.id, "landowner_served", "By mail.")
    assert unknown.value.code == "act-not-open"
    assert "landowner served" in world.missing(order, "issue_notice_of_intent")


def test_what_was_filed_under_another_site_is_recorded_there():
    world = dispute()

    def file_away(tx):
        doc = find(tx, sites, city_id=world.city.id, id="site-02").doc
        founding.keep_site(tx, world.city, {**doc, "same_as": "site-01"})

    world.city.db.write(file_away)
    for act in (lambda: ownership.record_sale(world.city, "carol", "site-02", NEW, "Deed."),
                lambda: permitting.grant_permit(world.city, "carol", "site-02", "EC-9", "In order.")):
        with pytest.raises(Problem) as moved:
            act()
        assert moved.value.code == "act-not-open"
