"""The page behind the QR code: number and token together, or nothing is told."""

import pytest

from sync.server.casework.orders import confirm_order, decline_order, issue_recommended_order
from sync.server.casework.public import public_order
from tests.support.city import field_tablet, memory_city, order_body, recommended_body
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada", "ben")


def test_before_registration_a_leased_number_with_its_token_is_known_and_nothing_more(city, tablet):
    leased = tablet.enrolled.lease[0]
    found = public_order(city, leased.number, leased.token, "2026-08-27")
    assert (found.state, found.printed_on.isoformat(), found.address) == ("not_registered", "2026-08-27", "")


def test_a_registered_order_says_what_the_placard_says(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    confirm_order(city, "carol", fact.id)
    found = public_order(city, fact.body["number"].lower(), fact.body["token"], "2026-08-27")
    assert (found.state, found.register, found.address) == ("in_force", "R-2026-00001", "100 Mill Street")
    assert found.dates[0]["last_day"] == "2026-09-08"
    assert found.confirmed_on == "2026-08-27"


def test_a_declined_order_says_so_with_its_reasons_and_without_dates(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    decline_order(city, "carol", fact.id, "Wrong lot.")
    found = public_order(city, fact.body["number"], fact.body["token"])
    assert (found.state, found.reasons, found.declined_on, found.dates) == ("voided", "Wrong lot.", "2026-08-27", ())


def test_a_recommendation_is_not_told_as_an_order_until_it_is_issued(city, tablet):
    fact = tablet.fact("order_recommended", recommended_body(tablet), user="ben")
    tablet.push(fact)
    assert public_order(city, fact.body["number"], fact.body["token"]).state == "not_registered"
    issue_recommended_order(city, "carol", fact.id)
    assert public_order(city, fact.body["number"], fact.body["token"]).state == "issued"


def test_an_order_without_authority_is_not_called_genuine(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet), user="ben")
    tablet.push(fact)
    assert public_order(city, fact.body["number"], fact.body["token"]).state == "not_registered"


@pytest.mark.parametrize("number, token", [
    ("", None), ("x" * 5000, "y"), ("SW-2026-T01-0001-A", "0" * 32), ("\ud800", "\ud800"), ("../../etc", "")])
def test_a_made_up_number_is_told_nothing(city, number, token):
    assert public_order(city, number, token, "2026-13-99").state == "unknown"


def test_the_right_number_with_a_wrong_token_is_told_nothing(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    for token in (None, "", "0" * 32, tablet.enrolled.lease[1].token, "é" * 32):
        found = public_order(city, fact.body["number"], token, "2026-08-27")
        assert (found.state, found.number, found.printed_on) == ("unknown", "", None)


def test_a_date_that_is_none_is_left_out(city, tablet):
    leased = tablet.enrolled.lease[0]
    for text in (None, "", "yesterday", "2026-02-30", "2026-08-27T00:00"):
        assert public_order(city, leased.number, leased.token, text).printed_on is None
