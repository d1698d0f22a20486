"""A corrected holiday table reaches every clock that still runs, whatever came first, and no act that was done."""

from sync.server.casework import audit, founding, permitting
from sync.where import pack_files
from tests.support.calendars import corrected
from tests.support.disputes import both_ways, dispute, turn


def last_days(doc):
    return {one["clock"]: one["last_day"] for one in doc["dates"]}


def test_open_clocks_are_counted_anew_and_say_what_they_were():
    def scenario(world, turned):
        order = world.posted(world.one)
        world.clock.set("2026-08-29T10:00:00-05:00")
        steps = [lambda: world.push(world.one, order), lambda: founding.update_pack(world.city, corrected())]
        turn(turned, *steps)
        doc = world.order(order.id)
        assert last_days(doc)["K4"] == last_days(doc)["K6"] == "2026-09-09"
        assert (doc["pack"], doc["recounted"]["pack"]) == ("demo@2026.1", "demo@2026.2"), "its law stays its own"
        assert [(one["clock"], one["was"]["eligible_from"], one["eligible_from"])
                for one in doc["recounted"]["dates"]] == [("K4", "2026-09-09", "2026-09-10"),
                                                          ("K6", "2026-09-09", "2026-09-10"),
                                                          ("K7", "2026-09-24", "2026-09-25")]
        assert "last day Wed Sep 9" in doc["dates"][0]["words"]
        world.readable(order)

    world = both_ways(scenario)
    told = [entry.what for entry in audit.entries(world.city) if entry.what == "order_recounted"]
    assert told == ["order_recounted"]
    founding.update_pack(world.city, pack_files("demo"))
    [doc] = world.down(world.one, "order").values()
    assert "recounted" not in doc and last_days(doc)["K4"] == "2026-09-08", "the former table is in force again"


def test_what_was_done_keeps_its_day_and_what_has_ended_is_left_alone():
    world = dispute()
    order, gone = world.posted(world.one), world.posted(world.one, 1, site="site-02", permit=None, permit_number=None)
    world.push(world.one, order, gone)
    world.clock.set("2026-09-09T10:00:00-05:00")
    world.push(world.two, world.released(world.two, gone, "2026-09-01"))
    permitting.revoke_permit(world.city, "carol", order.id, "Nothing was done.")
    before, permits = world.down(world.one, "order"), world.down(world.one, "permit")
    founding.update_pack(world.city, corrected())
    after = world.down(world.one, "order")
    assert world.down(world.one, "permit") == permits, "revoked on the day on which it was revoked"
    assert after[gone.id] == before[gone.id]
    assert [one["clock"] for one in after[order.id]["recounted"]["dates"]] == ["K6", "K7"]


def test_steps_open_by_the_corrected_calendar():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    founding.update_pack(world.city, corrected())
    for day, missing in (("2026-09-09", ("clock",)), ("2026-09-10", ())):
        world.clock.set(f"{day}T10:00:00-05:00")
        assert world.missing(order, "revoke_permit") == missing


def test_a_calendar_that_lacks_the_year_leaves_that_of_the_orders_own_pack():
    world = dispute()
    order = world.posted(world.one)
    world.push(world.one, order)
    files = corrected("2026.3")
    for head in ("[holidays.2026]", "[office.2026]"):
        start = files["calendars.toml"].index(head)
        end = files["calendars.toml"].index("\n[", start)
        files["calendars.toml"] = files["calendars.toml"][:start] + files["calendars.toml"][end + 1:]
    founding.update_pack(world.city, files)
    assert last_days(world.order(order.id))["K4"] == "2026-09-08"
