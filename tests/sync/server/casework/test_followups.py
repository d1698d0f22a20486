"""What a later inspection says of earlier findings and of places, and how a correction takes it back."""

from itertools import permutations

import pytest

from sync.records.facts import Fact
from sync.server.casework import queries
from sync.server.casework.feed import changes_since
from tests.support.city import field_tablet, finding, inspection_body, memory_city
from tests.support.clock import StoppedClock

FIRST, SECOND, THIRD = "1" * 32, "2" * 32, "3" * 32


def city_and_tablet():
    city = memory_city(StoppedClock("2026-09-01T12:00:00-05:00"))
    return city, field_tablet(city, "ada")


def inspection(tablet, day: str, findings=(), **changes) -> Fact:
    revises = changes.pop("revises", None)
    body = inspection_body(inspected_on=day, findings=list(findings), **changes)
    return tablet.fact("inspection_signed", body, revises=revises)


def statuses(city) -> dict[str, str]:
    return {one["id"]: one["status"] for one in queries.site_page(city, "site-01")["findings"]}


def doc(city, ident: str) -> dict:
    return next(one for one in queries.site_page(city, "site-01")["findings"] if one["id"] == ident)


def place(city, kind: str, ident: str) -> dict | None:
    return next((one for one in queries.site_page(city, "site-01")[f"{kind}s"] if one["id"] == ident), None)


def told(city, tablet, kind: str) -> dict:
    """What tablets are told now of a kind, by id."""
    page = changes_since(city, tablet.tablet.id, "", "", 0, 500)
    return {one.id: one.doc for one in page.items if one.kind == kind}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_finding_carried_on_ages_from_its_first_day_whatever_arrives_first(order):
    city, tablet = city_and_tablet()
    facts = [
        inspection(tablet, "2026-08-13", [finding(FIRST)]),
        inspection(tablet, "2026-08-20", [finding(SECOND, continues=[FIRST], first_found_on="2026-08-13")],
                   closes=[FIRST],
                   followups=[{"finding": FIRST, "state": "still_open", "note": "It grew.", "photos": []}]),
        inspection(tablet, "2026-08-27", [finding(THIRD, continues=[SECOND], first_found_on="2026-08-13")],
                   closes=[SECOND],
                   followups=[{"finding": SECOND, "state": "worse", "note": "", "photos": []}]),
    ]
    assert {one.answer for one in tablet.push(*(facts[at] for at in order))} == {"applied"}
    assert statuses(city) == {FIRST: "continued", SECOND: "continued", THIRD: "open"}
    assert doc(city, THIRD)["first_found_on"] == "2026-08-13"
    assert told(city, tablet, "finding")[FIRST]["status"] == "continued"


def test_fixed_closes_and_a_correction_that_takes_it_back_opens_again():
    city, tablet = city_and_tablet()
    first = inspection(tablet, "2026-08-20", [finding(FIRST)])
    fixed = [{"finding": FIRST, "state": "fixed", "note": "", "photos": []}]
    second = inspection(tablet, "2026-08-27", closes=[FIRST], followups=fixed)
    tablet.push(first, second)
    assert statuses(city) == {FIRST: "corrected"}
    seen = [{"finding": FIRST, "state": "still_open", "note": "I looked at the other inlet.", "photos": []}]
    third = inspection(tablet, "2026-08-27", [finding(SECOND, continues=[FIRST], first_found_on="2026-08-20")],
                       closes=[FIRST], followups=seen, revises=second.id, revise_reason="The wrong inlet.")
    tablet.push(third)
    assert statuses(city) == {FIRST: "continued", SECOND: "open"}
    tablet.push(inspection(tablet, "2026-08-27", revises=third.id, revise_reason="Not looked at after all."))
    assert statuses(city) == {FIRST: "open"}
    page = queries.inspection_page(city, second.id)
    assert page["row"]["superseded_by"] and page["body"]["closes"] == [FIRST]  # both stay readable


def test_an_inlet_that_an_inspector_adds_is_on_the_list_of_every_tablet():
    city, tablet = city_and_tablet()
    added = {"act": "add", "kind": "inlet", "id": "a" * 32, "label": "CB-9", "place": "At the gate"}
    fence = {"act": "add", "kind": "device", "id": "b" * 32, "label": "Fence B", "place": "", "device": "silt_fence"}
    tablet.push(inspection(tablet, "2026-08-27", places=[added, fence]))
    inlet, device = told(city, tablet, "inlet")["a" * 32], told(city, tablet, "device")["b" * 32]
    assert (inlet["label"], inlet["site"], inlet["on_plan"], inlet["retired"]) == ("CB-9", "site-01", False, False)
    assert (device["label"], device["kind"]) == ("Fence B", "silt_fence")


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_gone_is_gone_whatever_arrives_first(order):
    city, tablet = city_and_tablet()
    added = {"act": "add", "kind": "inlet", "id": "a" * 32, "label": "CB-9", "place": ""}
    facts = [
        inspection(tablet, "2026-08-13", places=[added]),
        inspection(tablet, "2026-08-20", places=[{**added, "act": "retire", "why": "paved over"}]),
        inspection(tablet, "2026-08-20", places=[{"act": "retire", "kind": "inlet", "id": "inlet-01", "label": "CB-1",
                                                  "place": "", "why": "never there"}]),
    ]
    tablet.push(*(facts[at] for at in order))
    assert place(city, "inlet", "a" * 32)["retired"] and place(city, "inlet", "a" * 32)["retired_why"] == "paved over"
    office = told(city, tablet, "inlet")["inlet-01"]
    assert office["retired"] and office["planned_barrier"] == "filter fabric"


def test_a_correction_gives_the_office_its_own_entry_back():
    city, tablet = city_and_tablet()
    before = place(city, "inlet", "inlet-01")
    first = inspection(tablet, "2026-08-20", places=[
        {"act": "retire", "kind": "inlet", "id": "inlet-01", "label": "CB-1", "place": "", "why": ""},
        {"act": "add", "kind": "inlet", "id": "a" * 32, "label": "CB-9", "place": ""}])
    tablet.push(first)
    assert place(city, "inlet", "inlet-01")["retired"] and place(city, "inlet", "a" * 32)
    tablet.push(inspection(tablet, "2026-08-20", revises=first.id, revise_reason="The other street."))
    assert place(city, "inlet", "inlet-01") == before
    assert place(city, "inlet", "a" * 32) is None
    assert told(city, tablet, "inlet")["a" * 32] is None
