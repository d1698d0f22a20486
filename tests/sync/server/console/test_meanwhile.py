"""Two people have the same form open: who saves later takes nothing back that the other one changed."""

import pytest

from sync.server.casework import ownership, queries
from sync.server.casework.scope import sight_of
from tests.support.powers import grant


def form_of(page):
    """What a browser would send of the page's fields as they stand."""
    found = {}
    for one in page.all("input"):
        said = one["attrs"]
        if said.get("name") and (said.get("type") not in ("checkbox", "radio") or "checked" in said):
            found[said["name"]] = said.get("value", "on")
    return found


@pytest.fixture
def other(signed_in, office):
    grant(office.city, "carol", "decide_applications")
    return signed_in("carol")


def site(office):
    return queries.site_page(office.city, "site-01")["site"]


def test_a_site_is_not_taken_back_to_what_an_earlier_page_showed(office, carol, other, read):
    path = "/office/sites/site-01/edit"
    early, late = (form_of(read(who.get(path))) for who in (carol, other))
    saved = other.send_form(path, **late | {"contacts": "foreman; Joe Brown; 555-1", "area": "North"})
    assert saved.headers["location"].endswith("done=site-changed")
    ownership.record_sale(office.city, "carol", "site-01", {"name": "Vera Holt"}, "Deed.")
    before = site(office)
    refused = carol.send_form(path, **early | {"area": "South"})
    assert refused.status_code == 409 and "Somebody else changed this meanwhile" in read(refused).text
    assert "Open the page anew" in read(refused).text and site(office) == before
    anew = form_of(read(carol.get(path)))
    assert carol.send_form(path, **anew | {"area": "South", "contacts": "foreman; Joe Brown; 555-1"}).status_code == 303
    after = site(office)
    assert (after["area"], after["landowner"]["name"]) == ("South", "Vera Holt")
    assert after["contacts"] == before["contacts"]


def test_a_form_that_was_refused_still_says_what_it_was_made_from(office, carol, other, read):
    path = "/office/sites/site-01/edit"
    early = form_of(read(carol.get(path)))
    wrong = carol.send_form(path, **early | {"end_of_work_day": "late"})
    assert wrong.status_code == 422 and form_of(read(wrong))["seen"] == early["seen"]
    other.send_form(path, **form_of(read(other.get(path))) | {"area": "North"})
    assert carol.send_form(path, **form_of(read(wrong)) | {"end_of_work_day": "16:00"}).status_code == 409


def test_nor_are_the_conditions_of_a_permit(office, carol, other, read):
    path = "/office/permits/permit-01"
    [early, late] = ({"seen": form_of(read(who.get(path)))["seen"], "reasons": "Wet season."} for who in (carol, other))
    assert other.send_form(f"{path}/conditions", **late, conditions="No work in rain.").status_code == 303
    refused = carol.send_form(f"{path}/conditions", **early, conditions="Wash the wheels.")
    assert refused.status_code == 409, refused.text
    [permit] = queries.site_page(office.city, "site-01")["permits"]
    assert [one["text"] for one in permit["conditions"]] == ["No work in rain."]


def test_nor_is_the_choice_of_what_a_tablet_sees(office, carol, other, read):
    path = f"/office/tablets/{office.tablet.tablet.code}/sees"
    [early, late] = ({"seen": form_of(read(who.get(path)))["seen"], "sees": "assigned"} for who in (carol, other))
    assert other.send_form(path, **late, **{"site.site-01": "on"}).status_code == 303
    refused = carol.send_form(path, **early, **{"site.site-02": "on"})
    assert refused.status_code == 409, refused.text
    found = sight_of(office.city, office.tablet.tablet.code)["sites"]
    assert [one["id"] for one in found if one["chosen"]] == ["site-01"]
