"""What came in and calls for somebody: an emergency on every page, a forgotten PIN, and the numbers in the menu."""

import pytest
from sqlalchemy import event

from sync.server.casework import queries
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.orders import confirm_order
from sync.server.casework.waiting import waiting
from sync.server.console.choices import value_of
from tests.support.powers import grant
from tests.support.site_acts import emergency_body, revision_body
from tests.sync.server.console.test_recovery_page import asked, passphrase

__all__ = ["passphrase"]


def menu(page) -> dict[str, str]:
    """The numbers in the menu, by page."""
    links = [one for one in page.all("a") if "nav" in one["inside"]]
    counted = [(one["attrs"]["href"], one["text"].partition("waiting:")[2].strip()) for one in links]
    return {page: number for page, number in counted if number}


@pytest.fixture
def emergency(office):
    site = queries.site_list(office.city)[0]["id"]
    fact = office.tablet.fact("emergency_reported", emergency_body(site=site, approval=None, entered_at=None,
                                                                   no_approval="Nobody could be reached."))
    assert office.tablet.push(fact)[0].answer == "applied"
    return fact.id


def test_an_emergency_calls_on_every_page_until_somebody_has_seen_to_it(office, carol, dora, read, emergency):
    home = f"/office/site-acts/{emergency}"
    for path in ("/office/", "/office/orders", "/office/people"):
        page = read(carol.get(path))
        assert home in [one["attrs"]["href"] for one in page.all("a")], path
        assert "Now: call Ada Lindqvist and say whether the land may be entered" in page.text, path
        assert menu(page)["/office/sites"] == "1", path
    assert page.all("title")[0]["text"].startswith("People")
    assert read(carol.get("/office/")).all("title")[0]["text"].startswith("(")
    page = read(carol.get(home))
    assert "nobody in the office has seen to it" in page.text and "What was arranged, and with whom" in page.text
    assert "It takes the power to approve an entry on land." in read(dora.get(home)).text
    assert dora.send_form(f"{home}/attend", reasons="I looked.").status_code == 403
    refused = carol.send_form(f"{home}/attend", reasons=" ")
    assert refused.status_code == 422 and "Write why" in refused.text
    done = carol.send_form(f"{home}/attend", reasons="Ada may enter; the crew comes at two.")
    assert done.status_code == 303
    page = read(carol.get(done.headers["location"]))
    assert "Carol Brandt Ada may enter; the crew comes at two." in page.text and "/office/sites" not in menu(page)
    assert "The emergency calls for nobody any more." in page.text
    assert carol.send_form(f"{home}/attend", reasons="Twice.").status_code == 409
    audit = read(carol.get("/office/audit")).text
    assert "Emergency seen to: " in audit and f"Emergency report EM-2026-{emergency[:8].upper()}" in audit


@pytest.mark.parametrize(("changes", "todo"), [
    ({}, "who has entered the land"),
    ({"entered_at": None}, "The entry is approved, and nobody has entered."),
])
def test_what_to_do_follows_from_what_was_done(office, carol, read, changes, todo):
    fact = office.tablet.fact("emergency_reported", emergency_body(site="site-01", **changes))
    office.tablet.push(fact)
    assert todo in read(carol.get("/office/")).text


def test_a_holder_of_the_power_to_approve_entries_may_see_to_it(office, signed_in, emergency):
    home = f"/office/site-acts/{emergency}/attend"
    assert signed_in("ben").send_form(home, reasons="I am there.").status_code == 403
    grant(office.city, "ben", "approve_entry")
    assert signed_in("ben").send_form(home, reasons="I am there.").status_code == 303


def test_a_revision_is_no_emergency_to_see_to(office, carol, read):
    fact = office.tablet.fact("revision_recommended", revision_body(ordered=False, site="site-01"))
    office.tablet.push(fact)
    assert carol.send_form(f"/office/site-acts/{fact.id}/attend", reasons="Seen").status_code == 404
    assert menu(read(carol.get("/office/")))["/office/sites"] == "1"
    assert f"/office/site-acts/{fact.id}" in carol.get("/office/sites").text


def test_a_forgotten_pin_is_told_with_what_to_do(office, carol, dora, read, passphrase):
    assert "/office/tablets" not in menu(read(carol.get("/office/")))
    asked(office)
    office.clock.advance(minutes=12)
    for path in ("/office/", "/office/tablets"):
        page = read(carol.get(path))
        assert menu(page)["/office/tablets"] == "1"
        assert "Ada Lindqvist forgot the PIN of tablet T01 Asked 12 min ago." in page.text
        assert "Soon: call Ada Lindqvist, compare the code and open it with the passphrase." in page.text
        assert "/office/forgotten" in [one["attrs"]["href"] for one in page.all("a")]
        page = read(dora.get(path))
        assert "Soon: tell an administrator (Carol Brandt)." in page.text
        assert "/office/forgotten" not in [one["attrs"]["href"] for one in page.all("a")]


def test_the_number_beside_set_aside_counts_what_is_to_be_settled(office, carol, read):
    page = read(carol.get("/office/set-aside"))
    conflicts = [one for one in page.all("article") if one["attrs"].get("class") == "conflict"]
    assert conflicts and menu(page)["/office/set-aside"] == str(len(conflicts))
    assert "could be placed" not in read(carol.get("/office/")).text
    [choice] = next(one for one in open_conflicts(office.city) if one.kind == "unproven").choices
    grant(office.city, "carol", "void_and_supersede")
    done = carol.send_form("/office/conflicts", choice=value_of(choice), reasons="Nobody knows it.")
    assert done.status_code == 303
    counts = menu(read(carol.get("/office/audit")))
    assert counts["/office/set-aside"] == str(len(conflicts) - 1), "the kept count goes along"


def test_what_waits_is_looked_for_once_until_something_is_recorded(office):
    asked = []

    def hear(_connection, _cursor, statement, *_more):
        asked.append(statement)

    first = waiting(office.city)
    event.listen(office.city.db.engine, "before_cursor_execute", hear)
    try:
        assert waiting(office.city) is first and not [one for one in asked if "orders" in one]
        row = next(one for one in queries.desk(office.city)["to_decide"] if one["status"] == "in_force")
        confirm_order(office.city, "carol", row["id"])
        asked.clear()
        assert waiting(office.city).orders == first.orders - 1 and [one for one in asked if "orders" in one]
    finally:
        event.remove(office.city.db.engine, "before_cursor_execute", hear)
