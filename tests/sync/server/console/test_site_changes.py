"""A permit granted and land sold, on the page of the site; what order page, conflict and public page then say."""

import pytest

from tests.support.calendars import corrected
from tests.support.city import PUBLIC_URL
from tests.support.powers import grant


@pytest.fixture
def home(office):
    grant(office.city, "carol", "decide_applications")
    return "/office/sites/site-01"


def order_of(office):
    from sync.server.casework import queries

    return next(row for row in queries.order_list(office.city) if row["id"] == office.orders["posted"])


def test_land_is_sold_and_everybody_is_told(office, carol, dora, read, home):
    row = order_of(office)
    home = f"/office/sites/{row['site']}"
    assert "Record the sale" in read(carol.get(home)).text
    assert dora.send_form(f"{home}/changes/sale", name="Vera Holt", reasons="Deed.").status_code == 403
    without = carol.send_form(f"{home}/changes/sale", name="Vera Holt", reasons=" ")
    assert without.status_code == 422 and 'value="Vera Holt"' in without.text and "Reasons are needed" in without.text
    assert carol.send_form(f"{home}/changes/sale", name="V", reasons="x", on="soon").status_code == 422
    done = carol.send_form(f"{home}/changes/sale", name="Vera Holt", address="7 Bridge Road", reasons="Deed of today.")
    assert done.headers["location"] == f"{home}?done=owner"
    page = read(carol.get(done.headers["location"])).text
    assert "It is in the record. Orders on this site" in page and "to Vera Holt" in page and "Deed of today." in page
    said = "The order stands; the new landowner is still to be served."
    assert said in read(carol.get(f"/office/orders/{row['id']}")).text
    aside = read(carol.get("/office/set-aside")).text
    assert "The land was sold while the order stands" in aside
    assert "The new landowner was served today" in aside, aside
    url = row["doc"]["public_url"].removeprefix(PUBLIC_URL)
    shown = read(carol.get(url)).text
    assert said in shown and "Vera Holt" not in shown, "who owns the land is nobody's business here"
    assert "La orden sigue en pie; falta notificar al nuevo propietario" in read(carol.get(f"{url}&lang=es")).text
    assert carol.send_form(f"{home}/changes/sale-back", reasons="Another lot.").status_code == 303
    assert said not in read(carol.get(url)).text
    assert carol.send_form(f"{home}/changes/sale-back", reasons="x").status_code == 409
    assert carol.send_form(f"{home}/changes/dance", reasons="x").status_code == 404


def test_a_permit_is_granted_and_the_order_stands(office, carol, dora, read, home):
    row = order_of(office)
    home = f"/office/sites/{row['site']}"
    assert dora.send_form(f"{home}/changes/permit", number="EC-9", reasons="x").status_code == 403
    again = carol.send_form(f"{home}/changes/permit", number=" ", reasons="The plan is in order.", conditions="Mats")
    assert again.status_code == 422 and "The plan is in order." in again.text and "Mats" in again.text
    done = carol.send_form(f"{home}/changes/permit", number="EC-9", reasons="In order.", conditions="Mats\n\nA gate.",
                           after=row["id"])
    assert done.status_code == 303
    page = read(carol.get(home))
    assert "EC-9" in page.text and "A gate." in page.text
    permit = next(one["attrs"]["href"] for one in page.all("a") if one["text"] == "EC-9")
    assert "Granted" in read(carol.get(permit)).text
    said = "Permit EC-9 was granted on"
    assert said in read(carol.get(f"/office/orders/{row['id']}")).text
    url = row["doc"]["public_url"].removeprefix(PUBLIC_URL)
    assert "The order stands until it is released." in read(carol.get(url)).text
    aside = read(carol.get("/office/set-aside")).text
    assert "Only a release ends the order." in aside and "Release the order" in aside


def test_dates_counted_again_by_a_corrected_calendar_are_said_old_and_new(office, carol, read):
    from sync.server.casework import founding

    row = order_of(office)
    founding.update_pack(office.city, corrected())
    page = read(carol.get(f"/office/orders/{row['id']}")).text
    url = row["doc"]["public_url"].removeprefix(PUBLIC_URL)
    said = "The calendar was corrected (demo@2026.2): its dates were counted again"
    former = "from Thu Sep 10, 2026 on (before the calendar was corrected: from Wed Sep 9, 2026 on)"
    for shown in (page, read(carol.get(url)).text):
        assert said in shown and former in shown
    assert "Dates counted again by another calendar" in page
    spanish = read(carol.get(f"{url}&lang=es")).text
    assert "(antes de corregirse el calendario: desde el miércoles 9 de septiembre de 2026)" in spanish


def test_an_order_after_a_release_is_linked_with_what_it_repeats(office, carol, read):
    from sync.server.casework import deciding, queries
    from tests.support.city import order_body

    row = order_of(office)
    grant(office.city, "carol", "release")
    deciding.release_order(office.city, "carol", row["id"], "All is put right.")
    again = office.tablet.fact("order_posted", order_body(
        office.tablet, 30, site=row["site"], posted_on="2026-09-02", posted_at="2026-09-02T09:00:00-05:00"),
        wall="2026-09-02T09:01:00-05:00")
    office.tablet.push(again)
    assert queries.order_page(office.city, again.id)["row"]["status"] == "in_force"
    page = read(carol.get(f"/office/orders/{again.id}"))
    assert "Earlier orders on this site" in page.text
    assert f"Repeat: {row['number']} was released on Wed Sep 2, 2026." in page.text
    assert f"/office/orders/{row['id']}" in {one["attrs"].get("href") for one in page.all("a")}
    assert "Repeat:" not in read(carol.get(f"/office/orders/{row['id']}")).text


def test_the_parcels_of_a_site_are_written_on_its_form(office, carol, read, home):
    page = read(carol.get(f"{home}/edit"))
    assert [one["attrs"]["value"] for one in page.all("input") if one["attrs"].get("name") == "parcel"] == ["251-01"]
    assert "Several with commas between them" in page.text


def test_who_got_a_copy_is_shown_and_corrected_on_the_orders_page(world, person, read, served_order):
    ada, home = person("ada"), f"/office/orders/{served_order.id}"
    page = read(ada.get(home)).text
    assert "Landowner Eva Larsen, Thu Aug 27, 2026, by hand, on the site" in page
    assert "A neighbor got a copy on the site. What this person is to the site: Somebody else. "\
        "This counts as no service." in page
    empty = ada.send_form(f"{home}/met", index="1", party="other", reasons=" ")
    assert empty.status_code == 422
    forms = [one for one in read(empty).all("details") if "section" in one["inside"] and "Correct it" in one["text"]]
    assert ["open" in one["attrs"] for one in forms] == [False, True], "only the one that was refused"
    assert ada.send_form(f"{home}/met", index="x", party="other", reasons="y").status_code == 422
    assert ada.send_form(f"{home}/met", index="0", party="other", reasons="She rents next door.").status_code == 303
    page = read(ada.get(home)).text
    assert "Nobody whose service counts." in page and "So it was corrected by the office." in page
    assert "Corrected who was served" in page
    assert "Served:" not in read(ada.get(world.order(served_order.id)["public_url"].removeprefix(PUBLIC_URL))).text


@pytest.fixture
def served_order(world):
    people = [{"name": "Eva Larsen", "role": "", "served": True, "party": "landowner"},
              {"name": "A neighbor", "role": "", "served": True, "party": "other"}]
    order = world.posted(world.one, met=people, nobody_present=False)
    world.push(world.one, order)
    return order
