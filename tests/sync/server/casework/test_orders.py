"""Stop-work orders: registered without moving a date, decided once by a person with the power, put up after issue."""

from datetime import date

import pytest

from sync.records.problems import Problem
from sync.server.casework import audit, queries
from sync.server.casework.feed import changes_since
from sync.server.casework.orders import (
    confirm_order,
    decline_order,
    issue_recommended_order,
    refuse_recommended_order,
)
from tests.support.city import (
    field_tablet,
    finding,
    inspection_body,
    memory_city,
    order_body,
    recommended_body,
)
from tests.support.clock import StoppedClock

# An order posted on Thu 2026-08-27: Sun Sep 6 and Labor Day are skipped.
WORDS = "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day; last day Tue Sep 8"


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada", "ben")


def down(city, tablet, ident):
    """The order as tablets are told of it."""
    return {c.id: c.doc for c in changes_since(city, tablet.tablet.id, "", "", 0, 500).items}[ident]


def test_registering_late_gives_a_number_and_moves_no_date(city, clock, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    clock.set("2026-09-02T10:00:00-05:00")
    [receipt] = tablet.push(fact)
    assert receipt.register == "R-2026-00001"
    doc = down(city, tablet, fact.id)
    assert (doc["status"], doc["posted_on"], doc["issued_on"]) == ("in_force", "2026-08-27", "2026-08-27")
    clocks = {one["clock"]: one for one in doc["dates"]}
    assert clocks["K4"]["last_day"] == clocks["K6"]["last_day"] == "2026-09-08"
    assert clocks["K4"]["words"] == clocks["K6"]["words"] == WORDS
    assert "K5" not in clocks, "a permit was in force that day"
    row = queries.order_page(city, fact.id)["row"]
    assert row["registered_at"].date() == date(2026, 9, 2)


def test_without_a_permit_the_cease_and_desist_clock_runs(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet, site="site-02", permit=None, permit_number=None))
    tablet.push(fact)
    assert [one["clock"] for one in down(city, tablet, fact.id)["dates"]] == ["K5", "K6", "K7"]


def test_register_numbers_follow_one_another_and_a_replay_burns_none(city, tablet):
    posted = [tablet.fact("order_posted", order_body(tablet, index)) for index in range(3)]
    first = [receipt.register for receipt in tablet.push(*posted)]
    assert tablet.push(*reversed(posted))[0].register == first[-1]
    late = tablet.fact("order_posted", order_body(tablet, 3))
    assert [*first, tablet.push(late)[0].register] == [f"R-2026-{n:05d}" for n in (1, 2, 3, 4)]


def test_the_building_inspector_confirms_and_no_date_moves(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    before = down(city, tablet, fact.id)
    confirm_order(city, "carol", fact.id)
    after = down(city, tablet, fact.id)
    assert after["confirmed"]["by"] == "carol"
    assert {**after, "confirmed": None} == before


def test_declining_voids_the_order_closes_its_clocks_and_keeps_the_reasons(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    decline_order(city, "carol", fact.id, "  The soil came from the neighbour's lot. ")
    doc = down(city, tablet, fact.id)
    assert (doc["status"], doc["dates"]) == ("voided", [])
    assert doc["declined"] == {"by": "carol", "at": "2026-08-27T15:00:00-05:00",
                               "reasons": "The soil came from the neighbour's lot."}
    assert doc["register"] == "R-2026-00001", "a register number is never taken back"
    entry = audit.entries(city, subject=f"order:{fact.id}")[0]
    assert (entry.what, entry.who, entry.details["reasons"]) == (
        "order_declined", "carol", "The soil came from the neighbour's lot.")


@pytest.mark.parametrize("person", ["ada", "ben", "dora", "nobody"])
@pytest.mark.parametrize("act", [confirm_order, lambda c, p, o: decline_order(c, p, o, "because")])
def test_nobody_else_can_confirm_or_decline(city, tablet, person, act):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    with pytest.raises(Problem) as caught:
        act(city, person, fact.id)
    assert caught.value.code == "no-authority"
    assert down(city, tablet, fact.id)["status"] == "in_force"


def test_a_decision_is_made_once(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    confirm_order(city, "carol", fact.id)
    for again in (lambda: decline_order(city, "carol", fact.id, "on second thoughts"),
                  lambda: confirm_order(city, "carol", fact.id)):
        with pytest.raises(Problem) as caught:
            again()
        assert caught.value.code == "already-decided"
        assert "Carol Brandt" in caught.value.detail
    assert down(city, tablet, fact.id)["declined"] is None


@pytest.mark.parametrize("reasons", ["", "   ", "\n"])
def test_declining_needs_reasons(city, tablet, reasons):
    fact = tablet.fact("order_posted", order_body(tablet))
    tablet.push(fact)
    with pytest.raises(Problem) as caught:
        decline_order(city, "carol", fact.id, reasons)
    assert caught.value.code == "reasons-missing"


def test_a_recommended_order_is_issued_comes_down_and_is_put_up_from_the_tablet(city, clock, tablet):
    fact = tablet.fact("order_recommended", recommended_body(tablet), user="ben")
    tablet.push(fact)
    clock.set("2026-08-28T08:00:00-05:00")
    issue_recommended_order(city, "carol", fact.id)
    doc = down(city, tablet, fact.id)
    assert (doc["status"], doc["issued_on"], doc["posted_on"]) == ("issued", "2026-08-28", None)
    before = {language: {one["clock"]: one for one in doc[language]} for language in ("dates", "dates_es")}
    assert list(before["dates"]) == list(before["dates_es"]) == ["K4"], "K5 and K6 wait until it is put up"
    assert before["dates"]["K4"]["words"].startswith("issued Fri Aug 28; day 10 is Mon Sep 7")
    assert (doc["number"], doc["register"]) == (fact.body["number"], "R-2026-00001")
    assert (doc["recommended_by"], doc["issued_by"]) == ("ben", "carol")
    up = tablet.fact("order_affixed", affixed(fact, "2026-08-31"), user="ben")
    assert tablet.push(up)[0].answer == "applied"
    doc = down(city, tablet, fact.id)
    assert (doc["status"], doc["posted_on"], doc["place"]) == ("in_force", "2026-08-31", "site fence")
    words = {one["clock"]: one["words"] for one in doc["dates"]}
    assert words["K4"].startswith("issued Fri Aug 28"), "revocation runs from issuance"
    assert words["K6"].startswith("posted Mon Aug 31"), "the notice of intent runs from posting"
    assert doc["dates"][0] == before["dates"]["K4"], "putting it up does not move the revocation"
    assert doc["public_url"].endswith("&p=2026-08-31")


def affixed(order, day, at="10:00:00"):
    return {"number": order.body["number"], "order": order.id, "posted_on": day, "posted_at": f"{day}T{at}-05:00",
            "place": "site fence"}


def test_putting_up_waits_for_the_issuing_and_the_first_putting_up_counts(city, tablet):
    fact = tablet.fact("order_recommended", recommended_body(tablet), user="ben")
    second = tablet.fact("order_affixed", affixed(fact, "2026-08-30"), user="ben")
    first = tablet.fact("order_affixed", affixed(fact, "2026-08-29"), user="ada")
    assert [(r.answer, r.reason) for r in tablet.push(second, fact, first)] == [
        ("waiting", "need-missing"), ("applied", None), ("waiting", "order-not-issued")]
    issue_recommended_order(city, "carol", fact.id)
    assert [r.answer for r in tablet.push(first, second)] == ["applied", "applied"]
    assert down(city, tablet, fact.id)["posted_on"] == "2026-08-29"


def test_an_order_that_is_not_issued_can_be_refused_with_reasons(city, tablet):
    fact = tablet.fact("order_recommended", recommended_body(tablet), user="ben")
    tablet.push(fact)
    refuse_recommended_order(city, "carol", fact.id, "A correction notice is enough.")
    doc = down(city, tablet, fact.id)
    assert (doc["status"], doc["register"]) == ("refused", None)
    assert doc["issue_refused"]["reasons"] == "A correction notice is enough."
    with pytest.raises(Problem) as caught:
        issue_recommended_order(city, "carol", fact.id)
    assert caught.value.code == "already-decided"


def test_each_decision_fits_its_kind_of_order(city, tablet):
    posted = tablet.fact("order_posted", order_body(tablet, 0))
    recommended = tablet.fact("order_recommended", recommended_body(tablet, 1), user="ben")
    tablet.push(posted, recommended)
    for act in (lambda: issue_recommended_order(city, "carol", posted.id),
                lambda: confirm_order(city, "carol", recommended.id)):
        with pytest.raises(Problem) as caught:
            act()
        assert caught.value.code == "already-decided"
    with pytest.raises(Problem) as caught:
        confirm_order(city, "carol", "f" * 32)
    assert caught.value.code == "not-found"


def test_an_affixing_that_names_a_field_order_is_quarantined(city, tablet):
    posted = tablet.fact("order_posted", order_body(tablet))
    wrong = tablet.fact("order_affixed", affixed(posted, "2026-08-28"))
    assert [(r.answer, r.reason) for r in tablet.push(posted, wrong)] == [
        ("applied", None), ("quarantined", "subject-unknown")]


def test_an_order_stands_even_where_the_calendar_of_its_year_is_missing(city, tablet):
    far = tablet.fact("order_posted", order_body(
        tablet, posted_on="2051-08-27", posted_at="2051-08-27T09:00:00-05:00", printed_on="2051-08-27"))
    assert tablet.push(far)[0].answer == "applied"
    doc = down(city, tablet, far.id)
    assert (doc["status"], doc["dates"]) == ("in_force", [])
    assert "2051" in doc["no_dates"]


@pytest.mark.parametrize("arrives, late", [("2026-09-06T23:00:00-05:00", False), ("2026-09-07T00:30:00-05:00", True)])
def test_an_order_that_is_registered_more_than_ten_days_after_posting_is_flagged(city, clock, tablet, arrives, late):
    fact = tablet.fact("order_posted", order_body(tablet))
    clock.set(arrives)
    tablet.push(fact)
    doc = down(city, tablet, fact.id)
    assert (doc["late"], doc["status"], doc["dates"][0]["last_day"]) == (late, "in_force", "2026-09-08")


def test_two_orders_on_one_site_stay_two_and_each_shows_the_other(city, tablet):
    first, second = (tablet.fact("order_posted", order_body(tablet, index)) for index in range(2))
    tablet.push(first, second)
    assert [o["id"] for o in queries.order_page(city, first.id)["others"]] == [second.id]
    assert {down(city, tablet, f.id)["status"] for f in (first, second)} == {"in_force"}


@pytest.mark.parametrize("ids", [("f1", "f2"), ("1" * 32, "2" * 32)])
def test_an_order_shows_the_findings_that_it_names_as_they_stand_now(city, tablet, ids):
    first = tablet.fact("inspection_signed", inspection_body(findings=[finding(ident) for ident in ids]))
    order = tablet.fact("order_posted", order_body(tablet, findings=[{"fact": first.id, "finding": ids[0]}]),
                        needs=(first.id,))
    fixed = tablet.fact("inspection_signed", inspection_body(
        findings=[finding(ids[0], note="as corrected"), finding(ids[1])]), revises=first.id)
    tablet.push(first, order, fixed)
    [shown] = queries.order_page(city, order.id)["findings"]
    assert (shown["note"], shown["inspection"]) == ("as corrected", fixed.id)


def test_five_tablets_offline_give_orders_that_never_clash_in_whatever_order_they_come(city):
    """What local counters get wrong: the same legal number twice, a gap, a number burnt by a replay."""
    import random

    source = random.Random(5)
    tablets = [field_tablet(city, "ada", seed=20 + n) for n in range(5)]
    sent = [(tablet, tablet.fact("order_posted", order_body(tablet, index)))
            for tablet in tablets for index in range(12)]
    source.shuffle(sent)
    for tablet, fact in [*sent, *source.sample(sent, 15)]:
        assert tablet.push(fact)[0].answer == "applied"
    rows = queries.order_list(city)
    assert len({row["number"] for row in rows}) == len(rows) == 60
    assert sorted(row["register"] for row in rows) == [f"R-2026-{n:05d}" for n in range(1, 61)]


def test_without_a_permit_in_force_nothing_counts_from_issuing(city, tablet):
    fact = tablet.fact("order_recommended", recommended_body(tablet) | {"site": "site-02", "permit": None}, user="ben")
    tablet.push(fact)
    issue_recommended_order(city, "carol", fact.id)
    doc = down(city, tablet, fact.id)
    assert (doc["status"], doc["dates"], doc["permit_in_force"]) == ("issued", [], False)
