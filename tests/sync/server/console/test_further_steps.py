"""Further steps on the page of an order: offered by its standing, refused in the law's words, taken with reasons."""

from dataclasses import replace

import pytest

from sync.server.casework.orders import issue_recommended_order
from sync.server.casework.site_records import change_site
from tests.support.papers import flat
from tests.support.photographed import an_order_with_photos


@pytest.fixture
def order(world):
    made = world.posted(world.one)
    world.push(world.one, made)
    return made.id


def forms(page):
    actions = [one["attrs"]["action"] for one in page.all("form")]
    return {action.rsplit("/", 1)[1] for action in actions if "/orders/" in action} - {"confirm", "decline"}


def test_the_office_releases_a_part_and_then_the_whole(world, order, person, read):
    world.clock.set("2026-08-30T10:00:00-05:00")
    carol = person("carol")
    address = f"/office/orders/{order}"
    assert carol.send_form(f"{address}/release", part="The north lot.", reasons="Done there.").status_code == 303
    assert world.order(order)["status"] == "in_force"
    assert carol.send_form(f"{address}/release", on="2026-08-29", reasons="All is done.").status_code == 303
    doc = world.order(order)
    assert (doc["status"], doc["released"]["on"], doc["dates"]) == ("released", "2026-08-29", [])
    page = read(carol.get(address))
    assert "The north lot." in page.text and "Released Sat Aug 29, 2026" in page.text
    assert forms(page) == set(), "nothing further follows"
    again = carol.send_form(f"{address}/release", reasons="Once more.")
    assert again.status_code == 409 and "is released" in read(again).text


def test_a_revocation_that_is_not_open_says_what_is_missing_and_one_that_is_is_taken(world, order, person, read):
    carol = person("carol")
    address = f"/office/orders/{order}"
    page = read(carol.get(address))
    assert "Open from Wed Sep 9 at the earliest." in page.text and "revoke" not in forms(page)
    early = carol.send_form(f"{address}/revoke", reasons="Nothing was done.")
    assert early.status_code == 409
    world.clock.set("2026-09-09T10:00:00-05:00")
    carol = person("carol")
    assert "revoke" in forms(read(carol.get(address)))
    assert carol.send_form(f"{address}/revoke", reasons="Nothing was done.").status_code == 303
    assert world.down(world.one, "permit")["permit-01"]["state"] == "revoked"


def test_an_appeal_changes_what_is_offered(world, order, person, read):
    carol = person("carol")
    address = f"/office/orders/{order}"
    assert {"appeal", "release", "void"} <= forms(read(carol.get(address)))
    assert carol.send_form(f"{address}/appeal", reasons="The permittee appeals.").status_code == 303
    offered = forms(read(carol.get(address)))
    assert {"upheld", "modified", "reversed", "peril"} <= offered and "appeal" not in offered
    assert carol.send_form(f"{address}/peril", reasons="Rain is due.").status_code == 303
    assert world.order(order)["status"] == "in_force"


def test_who_lacks_the_power_is_offered_no_form_and_refused(world, order, person, read):
    ada = person("ada")
    page = read(ada.get(f"/office/orders/{order}"))
    assert forms(page) == {"ceased", "complied", "repost", "worked-on", "served"}
    assert "It takes the power to release an order." in page.text
    assert ada.send_form(f"/office/orders/{order}/release", reasons="I think so.").status_code == 403
    seen = ada.send_form(f"/office/orders/{order}/ceased", on="2026-08-27", reasons="Nobody is there.")
    assert seen.status_code == 303


def test_a_placard_put_up_again_and_a_served_landowner_are_recorded(world, order, person, read):
    before = world.order(order)["dates"]
    world.clock.set("2026-08-30T10:00:00-05:00")
    ada, address = person("ada"), f"/office/orders/{order}"
    again = ada.send_form(f"{address}/repost", place="north gate", on="2026-08-29", reasons="It was torn down.")
    assert again.status_code == 303
    served = {"reasons": "Handed to the landowner at his house."}
    unknown = ada.send_form(f"{address}/served", **served)
    assert unknown.status_code == 409 and "does not know who owns the land" in unknown.text
    change_site(world.city, "carol", "site-01", {"landowner": {"name": "Eva Larsen"}})
    assert ada.send_form(f"{address}/served", **served).status_code == 303
    assert ada.send_form(f"{address}/worked-on", on="2026-08-29", reasons="An excavator ran.").status_code == 303
    assert ada.send_form(f"{address}/worked-on", on="2026-08-29", reasons="It ran again.").status_code == 409
    doc = world.order(order)
    assert [(up["on"], up["place"]) for up in doc["reposted"]] == [("2026-08-29", "north gate")]
    assert [one for one in doc["dates"] if one["clock"] != "K7"] == [one for one in before if one["clock"] != "K7"]
    page = read(ada.get(address))
    assert "north gate" in page.text
    assert "Landowner Eva Larsen, Sun Aug 30, 2026" in page.text
    assert "Work went on Sat Aug 29, 2026 Ada Lindqvist An excavator ran." in page.text
    twice = ada.send_form(f"{address}/repost", place="north gate", on="2026-08-29", reasons="It was torn down.")
    assert twice.status_code == 409


def test_a_step_without_reasons_opens_its_form_again(order, person, read):
    answer = person("carol").send_form(f"/office/orders/{order}/void", reasons=" ")
    assert answer.status_code == 422
    marked = [one["attrs"]["id"] for one in read(answer).all("textarea") if one["attrs"].get("aria-invalid")]
    assert marked == ["why-void"]


@pytest.mark.parametrize("on", ["2026-09-01", "tomorrow", "27.8.2026"])
def test_a_day_to_come_or_no_day_is_refused_on_the_page(world, order, person, on):
    answer = person("carol").send_form(f"/office/orders/{order}/release", on=on, reasons="Done.")
    assert answer.status_code == 422
    assert world.order(order)["status"] == "in_force"


def test_the_paper_of_an_order_voided_by_record_says_so_first_and_why(order, person):
    carol = person("carol")
    address = f"/office/orders/{order}"
    assert carol.send_form(f"{address}/confirm").status_code == 303
    why = "Another order replaces it."
    assert carol.send_form(f"{address}/void", reasons=why).status_code == 303
    text = flat(carol.get(f"{address}/order.pdf").content)
    assert text.index("VOID") < text.index(why) < text.index("Register number")
    assert "Void: this order has no force." in text and "Declined" not in text and "must stop" not in text.lower()


def test_the_page_says_where_a_placard_went_up_or_why_nobody_knows(world, person, read):
    place = {"lat_udeg": 43_073_100, "lon_udeg": -89_401_200, "accuracy_cm": 500,
             "fixed_at": "2026-08-27T14:00:00-05:00"}
    made = world.posted(world.one, position=place, no_position=None)
    again = world.reposted(world.one, made, "2026-08-28")
    world.push(world.one, made, replace(again, body={**again.body, "position": None, "no_position": "it rained"}))
    page = read(person("carol").get(f"/office/orders/{made.id}"))
    assert "43.073100, -89.401200 (within 17 ft)" in page.text and "no position: it rained" in page.text


def test_of_two_putting_ups_the_page_says_where_the_one_was_that_counts(world, person, read):
    made = world.recommended(world.one)
    world.push(world.one, made)
    issue_recommended_order(world.city, "carol", made.id)
    ups = [replace(up, body={**up.body, "position": None, "no_position": why}) for up, why in (
        (world.affixed(world.one, made, "2026-08-28"), "it rained"),
        (world.affixed(world.two, made, "2026-08-29"), "it was dark"))]
    world.clock.set("2026-08-31T08:00:00-05:00")
    for tablet, up in zip((world.one, world.two), ups, strict=True):
        world.push(tablet, up)
    carol = person("carol")
    assert "no position: it rained" in read(carol.get(f"/office/orders/{made.id}")).text
    world.decide("put_up_twice", "count_posting", other=ups[1].id)
    text = read(carol.get(f"/office/orders/{made.id}")).text
    assert "no position: it was dark" in text and "it rained" not in text


def test_photos_that_will_not_come_are_given_up_on_the_page(world, person, read):
    inspection, made, _ = an_order_with_photos(world)
    world.push(world.one, inspection, made)
    world.clock.set("2026-09-09T10:00:00-05:00")
    carol, address = person("carol"), f"/office/orders/{made.id}"
    page = read(carol.get(address))
    assert "Missing: 1." in page.text and {"no-photos"} <= forms(page) and "revoke" not in forms(page)
    assert carol.send_form(f"{address}/no-photos", reasons="The tablet is lost.").status_code == 303
    page = read(carol.get(address))
    assert "no-photos" not in forms(page) and "revoke" in forms(page)
    assert "Said that missing photos will not come" in page.text
