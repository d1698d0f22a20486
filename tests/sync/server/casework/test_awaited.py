"""Acts that go against somebody wait for the photos of their order, in whatever order records and files come."""

from dataclasses import replace

import pytest

from sync.records.problems import Problem
from sync.server.casework import deciding, permitting
from sync.server.casework.evidence import hold_bytes
from tests.support.disputes import both_ways, dispute, turn
from tests.support.photographed import PLACARD, SEEN, an_order_with_photos, shas
from tests.support.pictures import picture


@pytest.mark.parametrize("last", [SEEN, PLACARD], ids=["of the inspection", "of the placard"])
def test_a_permit_is_revoked_only_once_the_last_photo_is_here(last):
    def scenario(world, turned):
        inspection, order, placard = an_order_with_photos(world)
        world.push(world.one, inspection, order)
        [first] = {SEEN, PLACARD} - {last}
        turn(turned, lambda: world.push(world.one, placard),
             lambda: hold_bytes(world.city, world.one.tablet, *shas(first), "photo", first))
        world.clock.set("2026-09-09T10:00:00-05:00")
        assert world.missing(order, "revoke_permit") == ("photos complete",)
        assert world.order(order.id)["dates"], "its clocks do not wait"
        hold_bytes(world.city, world.one.tablet, *shas(last), "photo", last)
        assert world.missing(order, "revoke_permit") == ()
        permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
        assert world.order(order.id)["status"] == "in_force"

    both_ways(scenario)


def test_for_an_original_that_is_too_large_its_smaller_copy_does():
    world = dispute()
    world.city = replace(world.city, evidence_bytes=2_000)
    inspection, order, _ = an_order_with_photos(world)
    small = picture(1_000, 3)
    [seen, copy] = shas(SEEN, small)
    world.push(world.one, inspection, order)
    world.clock.set("2026-09-09T10:00:00-05:00")
    world.push(world.one, world.one.fact("smaller_copy_added", {
        "about": {"fact": inspection.id}, "original": {"sha256": seen, "size": len(SEEN), "media": "image/jpeg"},
        "copy": {"sha256": copy, "size": len(small), "width": 64, "height": 48}, "made": "JPEG", "limit": 2_000},
        needs=(inspection.id,), evidence=[(copy, "photo")], wall="2026-08-27T14:05:00-05:00"))
    assert world.missing(order, "revoke_permit") == ("photos complete",)
    hold_bytes(world.city, world.one.tablet, copy, "photo", small)
    assert world.missing(order, "revoke_permit") == ()


def test_what_a_lost_tablet_took_with_it_is_given_up_by_a_named_person():
    def scenario(world, turned):
        inspection, order, placard = an_order_with_photos(world)
        world.push(world.one, inspection, order)
        world.clock.set("2026-09-09T10:00:00-05:00")
        deciding.give_up_photos(world.city, "carol", order.id, "The tablet fell into the river.")
        assert world.missing(order, "revoke_permit") == ()
        world.push(world.one, placard)
        assert world.missing(order, "revoke_permit") == ("photos complete",), "nobody has said this of a further one"
        with pytest.raises(Problem, match="reasons"):
            deciding.give_up_photos(world.city, "carol", order.id, " ")
        deciding.give_up_photos(world.city, "carol", order.id, "The tablet fell into the river.")
        with pytest.raises(Problem, match="act-not-open"):
            deciding.give_up_photos(world.city, "carol", order.id, "Once more.")
        hold_bytes(world.city, world.one.tablet, *shas(SEEN), "photo", SEEN)
        permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")

    both_ways(scenario)
