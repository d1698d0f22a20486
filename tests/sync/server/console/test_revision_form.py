"""A revision of a plan that the office begins: the form keeps what was typed, orders, prints, tells the tablets."""

import pytest

from sync.server.casework import feed
from tests.support.papers import flat
from tests.support.powers import grant

FORM = "/office/sites/site-01/revision"
FILLED = {"found_on": "2026-09-01", "permit": "permit-01", "conditions": "4.1 inches of rain in 24 hours.",
          "inadequate": "Water runs around both ends of the silt fence.", "device.1": "A sediment trap",
          "on.1": "2026-09-04", "at.1": "17:00", "device.3": "Fence ends turned uphill", "on.3": "2026-09-03"}


@pytest.fixture
def carol(carol, office):
    grant(office.city, "carol", "revise")
    return carol


def test_it_is_ordered_shown_printed_told_and_withdrawn(office, carol, read):
    assert FORM in [one["attrs"]["href"] for one in read(carol.get("/office/sites/site-01")).all("a")]
    done = carol.send_form(FORM, **FILLED)
    assert done.status_code == 303
    home = done.headers["location"].partition("?")[0]
    again = carol.send_form(FORM, **FILLED).headers["location"]
    assert again.startswith(home), "a form that is sent twice orders once"
    page = read(carol.get(done.headers["location"]))
    for said in ("The revision is ordered.", "Revision order RV-2026-", "ordered", "EC-2026-014",
                 "Wed Sep 2, 2026, Carol Brandt", "Fri Sep 4, 2026 by 5:00 PM", "Thu Sep 3, 2026 by 12:00 noon"):
        assert said in page.text, said
    assert not any(one["attrs"].get("href", "").startswith("/office/records/") for one in page.all("a"))
    paper = flat(carol.get(f"{home}/paper.pdf").content)
    assert "Order to revise the erosion control plan" in paper and "Carol Brandt, Building Inspector" in paper
    assert paper.count("Lo que escribió el inspector figura aquí solo en inglés.") == 3, "with each typed text"
    told = feed.changes_since(office.city, office.tablet.tablet.id, "", "", 0, 500).items
    [doc] = [one.doc for one in told if one.kind == "site_act"]
    assert (doc["act"], doc["status"], doc["ordered_by"]) == ("revision", "ordered", "carol")
    assert home in carol.get("/office/sites/site-01").text
    audit = carol.get("/office/audit").text
    assert "Revision of a plan ordered" in audit and "ordered in the field" not in audit
    assert carol.send_form(f"{home}/withdraw", reasons="Measured wrong").status_code == 303
    assert "NOT VALID: withdrawn" in flat(carol.get(f"{home}/paper.pdf").content)
    assert not carol.send_form(FORM, **FILLED).headers["location"].startswith(home)


@pytest.mark.parametrize(("changes", "said", "wrong"), [
    ({"conditions": " "}, "This must be written.", "conditions"),
    ({"found_on": "2026-09-03"}, "The conditions were found today or before.", "found_on"),
    ({"found_on": "soon"}, "Choose a day.", "found_on"),
    ({"on.3": ""}, "Choose the day by which it must be installed: Fence ends turned uphill.", "on.3"),
    ({"on.3": "2026-09-01"}, "The day by which it must be installed is over already.", "device.3"),
    ({"at.3": "25:00"}, "Choose a time.", "at.3"),
    ({"conditions": "rain " * 2000}, "This is longer than 8,000 characters: say it shorter.", "conditions"),
    ({"device.3": "fence " * 2000}, "This is longer than 8,000 characters: say it shorter.", "device.3"),
    ({"device.1": "", "device.3": ""}, "Name what must be installed, and by when.", "device.1"),
])
def test_a_mistake_is_said_and_what_was_typed_is_kept(carol, read, changes, said, wrong):
    answer = carol.send_form(FORM, **FILLED | changes)
    assert answer.status_code == 422
    page = read(answer)
    assert f"{said} Nothing was ordered yet." in page.text
    fields = {one["attrs"]["name"]: one for tag in ("input", "textarea") for one in page.all(tag) if
              "name" in one["attrs"]}
    assert fields[wrong]["attrs"].get("aria-invalid") == "true"
    assert fields["inadequate"]["text"] == FILLED["inadequate"] and fields["at.1"]["attrs"]["value"] == "17:00"


def test_it_takes_the_power_and_a_site_and_its_own_permit(carol, dora):
    assert "It takes the power to order a revision of the plan." in dora.get(FORM).text
    assert dora.send_form(FORM, **FILLED).status_code == 403
    assert carol.get("/office/sites/nowhere/revision").status_code == 404
    assert carol.send_form("/office/sites/nowhere/revision", **FILLED).status_code == 404
    assert carol.send_form("/office/sites/site-02/revision", **FILLED).status_code == 404
