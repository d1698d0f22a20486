"""Lots of one development, permits of different lots, and a breach again after a release. Both orders of arrival."""

from datetime import date

from sync.server.casework import founding, permitting
from sync.server.casework.site_records import change_site
from tests.support.disputes import arrive, both_ways, turn


def clocks(doc):
    return [one["clock"] for one in doc["dates"]]


def two_lots(world):
    change_site(world.city, "carol", "site-01", {"parcel": "251-01, 251-02"})


def test_orders_on_different_lots_of_one_development_stand_side_by_side():
    def scenario(world, turned):
        two_lots(world)
        first = world.posted(world.one, parcel="251-01")
        second = world.posted(world.two, on="2026-08-28", parcel="251-02")
        release = world.released(world.two, second, "2026-08-29")
        world.clock.set("2026-08-29T10:00:00-05:00")
        arrive(world, turned, (world.one, first), (world.two, second))
        assert world.conflicts() == [], "each binds its own lot"
        world.push(world.two, release)
        assert (world.order(first.id)["status"], world.order(second.id)["status"]) == ("in_force", "released")
        world.readable(first, second, release)

    both_ways(scenario)


def test_orders_that_share_a_lot_are_a_question_and_one_of_another_place_is_the_wrong_parcel():
    def scenario(world, turned):
        two_lots(world)
        both = world.posted(world.one, parcel="251-02; 251-01")
        one = world.posted(world.two, on="2026-08-28", parcel="251-02")
        other = world.posted(world.two, 1, on="2026-08-28", parcel="251-03")
        world.clock.set("2026-08-29T10:00:00-05:00")
        arrive(world, turned, (world.one, both), (world.two, one), (world.two, other))
        assert world.conflicts() == ["two_orders", "two_orders", "two_orders", "wrong_parcel"]
        assert world.conflict("wrong_parcel").subject == other.id
        world.decide("wrong_parcel", "void")
        world.decide("two_orders", "keep_both")
        world.readable(both, one, other)

    assert both_ways(scenario).conflicts() == []


def permit_of_the_other_lot(world):
    """permit-01 ends on Sep 1; another of the same site lives on, and was there before the order."""
    for ident, until in (("permit-00", "2026-12-31"), ("permit-01", "2026-09-01")):
        world.city.db.write(lambda tx, ident=ident, until=until: founding.keep_permit(tx, world.city, {
            "id": ident, "site": "site-01", "number": f"EC-{ident}", "state": "in_force", "issued_on": "2026-03-05",
            "last_valid_day": until, "conditions": []}))


def test_the_permit_of_another_lot_holds_no_clock_of_the_order():
    def scenario(world, turned):
        order = world.posted(world.one)
        again = world.reposted(world.two, order, "2026-08-28")
        world.clock.set("2026-09-03T10:00:00-05:00")
        permit_of_the_other_lot(world)
        arrive(world, turned, (world.one, order), (world.two, again))
        assert clocks(world.order(order.id)) == ["K5", "K6", "K7"], "the permit that it names ended on Sep 1"
        world.decide("permit_other", "note_permit")
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_the_permit_that_the_order_names_is_the_one_that_is_revoked():
    def scenario(world, turned):
        order = world.posted(world.one)
        again = world.reposted(world.two, order, "2026-08-28")
        world.city.db.write(lambda tx: founding.keep_permit(tx, world.city, {
            "id": "permit-00", "site": "site-01", "number": "EC-0", "state": "in_force", "issued_on": "2026-06-01",
            "last_valid_day": "2026-12-31", "conditions": []}))
        world.push(world.one, order)
        world.clock.set("2026-09-09T10:00:00-05:00")
        steps = [lambda: permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done."),
                 lambda: world.push(world.two, again)]
        turn(turned, *steps)
        told = {ident: doc["state"] for ident, doc in world.down(world.one, "permit").items()}
        assert (told["permit-00"], told["permit-01"]) == ("in_force", "revoked")
        permitting.extend_permit(world.city, "carol", "permit-00", date(2027, 3, 1), "The other lot goes on.")
        assert clocks(world.order(order.id)) == ["K6", "K7"]

    assert both_ways(scenario).conflicts() == []


def test_a_breach_again_after_a_release_is_a_new_order_with_its_own_days():
    def scenario(world, turned):
        first = world.posted(world.one)
        release = world.released(world.one, first, "2026-08-31")
        second = world.posted(world.two, on="2026-09-02")
        world.clock.set("2026-09-02T15:00:00-05:00")
        arrive(world, turned, (world.one, first), (world.one, release), (world.two, second))
        assert world.order(first.id)["status"] == "released"
        doc = world.order(second.id)
        assert doc["dates"][0]["words"].startswith("posted Wed Sep 2"), "nothing is carried over"
        world.readable(first, release, second)

    assert both_ways(scenario).conflicts() == []
