"""What the office does: decide about orders, make codes, withdraw tablets; by whom it may be done, and only once."""

import pytest

from sync.server.casework.enrolment import enrol_tablet, sign_in
from sync.server.casework.queries import order_page
from sync.server.casework.sessions import redeem_link
from sync.server.console.orders import _permit_now
from sync.server.console.seat import Seat
from tests.support.city import recommended_body
from tests.support.papers import flat


@pytest.fixture
def act(office):
    def act(client, order: str, what: str, **fields):
        return client.send_form(f"/office/orders/{office.orders[order]}/{what}", **fields)

    return act


@pytest.fixture
def order_text(office, read):
    def order_text(client, order: str) -> str:
        return read(client.get(f"/office/orders/{office.orders[order]}")).text

    return order_text


def test_the_building_inspector_confirms_and_no_date_moves(carol, office, act, order_text):
    before = order_text(carol, "posted")
    answer = act(carol, "posted", "confirm")
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/office/orders/{office.orders['posted']}?done=confirmed"
    after = order_text(carol, "posted")
    assert "in force, confirmed" in after and "Confirm this order?" not in after
    assert "Wed Sep 2, 2026 at 9:27 AM Carol Brandt" in after
    dates = "Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"
    assert dates in before and dates in after
    assert "The order is confirmed." in carol.get(answer.headers["location"]).text


def test_an_order_says_how_its_permit_stands_now(carol, office, order_text):
    assert "EC-2026-014: in force" in order_text(carol, "posted")
    found = order_page(office.city, office.orders["posted"])
    applied = [{**one, "state": "applied", "last_valid_day": None} for one in found["permits"]]
    assert _permit_now({**found, "permits": applied}, Seat(office.city, None, None)) == "EC-2026-014: applied for"


def test_declining_needs_reasons_and_keeps_what_was_typed(carol, act, read):
    for reasons in ("", "   \n "):
        answer = act(carol, "posted", "decline", reasons=reasons)
        assert answer.status_code == 422
        page = read(answer)
        assert "Reasons are needed" in page.text
        assert [box["attrs"].get("aria-invalid") for box in page.all("textarea")
                if box["attrs"]["id"] == "reasons"] == ["true"]


def test_a_declined_order_is_void_and_its_clocks_close(carol, act, order_text):
    assert act(carol, "posted", "decline", reasons="The parcel is wrong.").status_code == 303
    text = order_text(carol, "posted")
    assert "declined, void" in text
    assert "The parcel is wrong." in text
    assert "Its time limits are closed." in text and "may revoke" not in text


def test_an_order_is_decided_once(carol, act, read):
    assert act(carol, "posted", "confirm").status_code == 303
    again = act(carol, "posted", "decline", reasons="I changed my mind, and wrote why.")
    assert again.status_code == 409
    assert "was confirmed by Carol Brandt" in read(again).text and "Reload" not in read(again).text
    assert act(carol, "declined", "confirm").status_code == 409


def test_a_recommended_order_is_issued_under_its_number(carol, office, act, order_text):
    assert act(carol, "recommended", "issue").status_code == 303
    text = order_text(carol, "recommended")
    assert "issued, not put up yet" in text
    assert office.numbers["recommended"].number in text
    assert "count from the day on which the order is put up on the site." in text
    assert carol.get(f"/office/orders/{office.orders['recommended']}/order.pdf").status_code == 200


def test_the_office_prints_the_placard_of_an_issued_order_to_be_dated_by_hand(carol, office, act, read):
    home = f"/office/orders/{office.orders['recommended']}"
    assert carol.get(f"{home}/placard.pdf").status_code == 404, "a recommendation is no order"
    act(carol, "recommended", "issue")
    assert f"{home}/placard.pdf" in [one["attrs"]["href"] for one in read(carol.get(home)).all("a")]
    placard = carol.get(f"{home}/placard.pdf")
    assert placard.content == carol.get(f"{home}/placard.pdf").content
    text = flat(placard.content)
    for said in ("STOP WORK ORDER", "DETENGA EL TRABAJO", office.numbers["recommended"].number,
                 "Posted: ______________ (date) at ______ (time)", "Wednesday, September 2, 2026 by Carol Brandt"):
        assert said in text, said
    assert "NOT VALID" not in text
    posted = f"/office/orders/{office.orders['posted']}"
    assert carol.get(f"{posted}/placard.pdf").status_code == 404, "that one hangs already"


def test_a_recommended_order_is_turned_down_with_reasons(carol, act, order_text):
    assert act(carol, "recommended", "refuse").status_code == 422
    assert act(carol, "recommended", "refuse", reasons="There is a permit after all.").status_code == 303
    text = order_text(carol, "recommended")
    assert "not issued" in text and "There is a permit after all." in text


def test_who_does_not_hold_the_power_is_told_so_and_changes_nothing(dora, carol, act, order_text, read):
    shown = order_text(dora, "posted")
    assert "The building inspector decides this." in shown
    answer = act(dora, "posted", "decline", reasons="I do not like it.")
    assert answer.status_code == 403
    assert "Dora Nguyen does not hold the power" in read(answer).text
    assert "in force, to be confirmed" in order_text(carol, "posted")


def test_an_act_that_does_not_exist_does_nothing(carol, act, order_text):
    assert act(carol, "posted", "burn").status_code == 404
    assert "in force, to be confirmed" in order_text(carol, "posted")


def test_get_changes_nothing(carol, office):
    order = office.orders["posted"]
    for what in ("confirm", "decline", "issue"):
        assert carol.get(f"/office/orders/{order}/{what}").status_code == 405
    assert carol.get("/office/tablets/code").status_code == 405
    assert "Confirm this order?" in carol.get(f"/office/orders/{order}").text


def test_an_enrolment_code_is_shown_once_and_enrols_a_tablet(carol, office, read):
    answer = carol.send_form("/office/tablets/code")
    page = read(answer)
    code = next(one["text"] for one in page.all("p") if one["attrs"].get("class") == "code")
    links = [one["attrs"]["href"] for one in page.all("a")]
    assert f"{office.city.public_url}/app/#enrol={code}" in links
    assert page.all("svg"), "the link stands there as a QR code"
    assert answer.headers["cache-control"] == "no-store"
    assert code not in carol.get("/office/tablets").text
    enrolled = enrol_tablet(office.city, code, "ab" * 32)
    assert enrolled.tablet.code in read(carol.get("/office/tablets")).text


def test_a_personal_code_signs_its_person_in_on_a_tablet(carol, office, read):
    page = read(carol.send_form("/office/people/ben/code"))
    code = next(one["text"] for one in page.all("p") if one["attrs"].get("class") == "code")
    assert "Personal code for Ben Okafor" in page.text and page.all("svg"), "to be scanned by the tablet"
    assert sign_in(office.city, office.tablet.tablet, code).person["name"] == "Ben Okafor"


def test_a_link_for_the_office_signs_its_person_in(carol, office, read):
    page = read(carol.send_form("/office/people/dora/link"))
    link = next(one["text"] for one in page.all("p") if one["attrs"].get("class") == "hash")
    assert link.startswith(office.city.public_url + "/office/sign-in?link=")
    redeem_link(office.city, link.partition("link=")[2])


def test_only_an_administrator_makes_codes(dora, read):
    for path in ("/office/tablets/code", "/office/people/ben/code", "/office/people/ben/link"):
        assert dora.send_form(path).status_code == 403
    assert "New enrollment code" not in dora.get("/office/tablets").text
    assert "Code for a tablet" not in dora.get("/office/people").text


def test_a_withdrawn_tablet_is_marked(carol, office, read):
    code = office.tablet.tablet.code
    assert carol.send_form(f"/office/tablets/{code}/withdraw", reasons="").status_code == 422
    assert carol.send_form(f"/office/tablets/{code}/withdraw", reasons="It was stolen.").status_code == 303
    assert "withdrawn" in read(carol.get("/office/tablets")).text


def test_from_issuing_on_every_page_names_the_day_on_which_the_permit_may_be_revoked(carol, office, signed_in, read):
    fact = office.tablet.fact("order_recommended", recommended_body(office.tablet, index=5), user="ben")
    office.tablet.push(fact)
    assert carol.send_form(f"/office/orders/{fact.id}/issue").status_code == 303
    counted = "issued Wed Sep 2; day 10 is Sat Sep 12; last day Sat Sep 12"
    page = read(carol.get(f"/office/orders/{fact.id}")).text
    assert counted in page and "The building inspector may revoke the permit" in page
    assert "count from the day on which the order is put up on the site." in page and "may give notice" not in page
    assert counted in read(carol.get("/office/")).text
    public = carol.get(f"/o/{fact.body['number']}?t={fact.body['token']}")
    assert f"Counted: {counted}" in read(public).text
    assert carol.get(f"/office/orders/{fact.id}/order.pdf").status_code == 200
    office.clock.set("2026-09-20T09:00:00-05:00")
    # It may be revoked under an order that was posted; until then the office is told what is missing.
    assert "waits: to be put up on the site" in read(signed_in("carol").get("/office/")).text
