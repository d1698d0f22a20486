"""Emergencies and revisions in the office: on the site's page, one of them, its paper, the decision with reasons."""

from sync.server.casework import queries
from tests.support.city import inspection_body
from tests.support.papers import flat
from tests.support.powers import grant
from tests.support.site_acts import approval, emergency_body, revision_body


def test_an_emergency_shows_who_approved_and_has_a_paper(office, carol):
    tablet, site = office.tablet, queries.site_list(office.city)[0]["id"]
    fact = tablet.fact("emergency_reported", emergency_body(site=site))
    assert tablet.push(fact)[0].answer == "applied"
    assert f"/office/site-acts/{fact.id}" in carol.get(f"/office/sites/{site}").text
    page = carol.get(f"/office/site-acts/{fact.id}").text
    assert "Carol Brandt, Building Inspector, by phone" in page and "surface water, storm sewer" in page
    paper = carol.get(f"/office/site-acts/{fact.id}/paper.pdf")
    assert paper.headers["content-type"] == "application/pdf" and "Emergency report EM-2026-" in flat(paper.content)
    assert carol.get("/office/site-acts/" + "0" * 32).status_code == 404
    assert "Emergency reported" in carol.get("/office/audit").text


def test_a_recommended_revision_waits_on_the_overview_and_is_ordered(office, carol, signed_in):
    tablet, site = office.tablet, queries.site_list(office.city)[0]["id"]
    grant(office.city, "carol", "revise")
    fact = tablet.fact("revision_recommended", revision_body(ordered=False, site=site))
    assert tablet.push(fact)[0].answer == "applied"
    home = f"/office/site-acts/{fact.id}"
    assert home in carol.get("/office/").text
    assert "It takes the power" in signed_in("ben").get(home).text
    assert carol.send_form(f"{home}/issue", reasons=" ").status_code == 422
    assert carol.send_form(f"{home}/issue", reasons="Seen").status_code == 303
    assert carol.send_form(f"{home}/decline", reasons="Seen").status_code == 409
    assert carol.send_form(f"{home}/sing", reasons="Seen").status_code == 404
    assert home not in carol.get("/office/").text
    page = carol.get(home).text
    assert "Withdraw this revision" in page and "A sediment trap at the low corner" in page
    assert "NOT VALID" not in flat(carol.get(f"{home}/paper.pdf").content)
    assert carol.send_form(f"{home}/withdraw", reasons="Measured wrong").status_code == 303
    assert "NOT VALID: withdrawn" in flat(carol.get(f"{home}/paper.pdf").content)


def test_an_inspection_on_an_emergency_entry_says_who_approved_on_its_page_and_paper(office, carol):
    tablet, site = office.tablet, queries.site_list(office.city)[0]["id"]
    body = inspection_body(site=site, permit=None, basis_of_entry="emergency", entry_note="The basin overflows.",
                           entry_approval=approval())
    fact = tablet.fact("inspection_signed", body)
    assert tablet.push(fact)[0].answer == "applied"
    page = carol.get(f"/office/inspections/{fact.id}").text
    assert "Carol Brandt, Building Inspector, by phone, Thu Aug 27, 2026 at 1:20 PM" in page
    assert "not known to have held the power" in page, "nobody granted her that power here"
    paper = flat(carol.get(f"/office/inspections/{fact.id}/report.pdf").content)
    assert "Entry approved" in paper and "Carol Brandt, Building Inspector, by phone" in paper
