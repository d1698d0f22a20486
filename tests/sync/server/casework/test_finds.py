"""Sites found in the field and rain: worked in whatever came first, confirmed, filed under the right site."""

from itertools import permutations

import pytest
from sqlalchemy import select

from sync.records.problems import Problem
from sync.server.casework import finds, queries
from sync.server.db.schema import facts, feed
from tests.support.city import field_tablet, finding, inspection_body, memory_city, order_body
from tests.support.clock import StoppedClock
from tests.support.finds import NEW, rain_body, report_body


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city)


def told(city, kind):
    """What tablets are told: documents by id, None for what is gone."""
    with city.db.read() as tx:
        return {row.id: row.doc for row in tx.execute(select(feed.c.id, feed.c.doc).where(feed.c.kind == kind))}


def states(city):
    with city.db.read() as tx:
        return {row.id: (row.state, row.reason) for row in tx.execute(select(facts))}


def a_find(tablet):
    """A report, an inspection of the new site and an order on it, which name what they rest on."""
    report = tablet.fact("site_reported", report_body())
    seen = tablet.fact("inspection_signed", inspection_body(
        site=NEW, permit=None, findings=[finding("1" * 32)]), needs=(report.id,))
    order = tablet.fact("order_posted", order_body(
        tablet, site=NEW, address="40 Oak Street", parcel="", permit=None, permit_number=None, grounds=["a"]),
        needs=(report.id, seen.id))
    return report, seen, order


def test_a_find_becomes_a_site_that_the_tablets_are_told_of(city, tablet):
    (receipt,) = tablet.push(tablet.fact("site_reported", report_body()))
    assert receipt.answer == "applied"
    doc = told(city, "site")[NEW]
    assert (doc["address"], doc["lat_udeg"], doc["contractor"]["name"]) == ("40 Oak Street", 43_000_100, "Digwell")
    assert doc["contacts"] == [{"role": "other", "name": "Kim", "phone": ""}]
    assert doc["reported"] == {"fact": receipt.fact, "by": "ada", "on": "2026-08-27", "state": "reported"}
    assert doc["need"]["result"] == "required" and doc["need"]["clauses"] == ["C3"]
    assert NEW in [site["id"] for site in queries.site_list(city)]


def test_whatever_order_they_arrive_in_the_order_stands_on_the_new_site(city):
    for arrival in permutations(range(3)):
        here = memory_city(StoppedClock(), over=city)
        tablet = field_tablet(here)
        three = a_find(tablet)
        for at in arrival:
            tablet.push(three[at])
        assert {state for state, _reason in states(here).values()} == {"applied"}, arrival
        page = queries.site_page(here, NEW)
        assert [row["status"] for row in page["orders"]] == ["in_force"]
        assert len(page["inspections"]) == len(page["findings"]) == 1


def test_an_inspection_of_a_site_that_nobody_reported_is_set_aside(city, tablet):
    (receipt,) = tablet.push(tablet.fact("inspection_signed", inspection_body(site="6" * 32, permit=None)))
    assert (receipt.answer, receipt.reason) == ("quarantined", "subject-unknown")


def test_a_known_site_found_without_permit_keeps_its_name_and_gets_the_answer(city, tablet):
    before = told(city, "site")["site-02"]
    tablet.push(tablet.fact("site_reported", report_body(site="site-02", new=False, name="x", address="y")))
    after = told(city, "site")["site-02"]
    assert {key: value for key, value in after.items() if key != "need"} == before
    assert after["need"]["result"] == "required"


def answered(tablet, result, at):
    body = report_body(site="site-02", new=False, need={"result": result, "clauses": []}, reported_at=at)
    return tablet.fact("site_reported", body)


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_answers_of_one_tablet_its_later_one_stands_whatever_its_clock_said(city, tablet, turned):
    """Its clock was set back by an hour between the two."""
    made = [answered(tablet, "required", "2026-08-27T16:00:00-05:00"),
            answered(tablet, "not_required", "2026-08-27T15:00:00-05:00")]
    for one in made[::-1] if turned else made:
        tablet.push(one)
    assert told(city, "site")["site-02"]["need"]["fact"] == made[1].id


@pytest.mark.parametrize("turned", [False, True])
def test_of_the_answers_of_two_tablets_the_stricter_stands(city, tablet, turned):
    """Nobody can say by two clocks which was given later."""
    other = field_tablet(city, seed=9)
    made = [(tablet, answered(tablet, "required", "2026-08-27T14:00:00-05:00")),
            (other, answered(other, "exempt", "2026-08-27T16:00:00-05:00"))]
    for who, one in made[::-1] if turned else made:
        who.push(one)
    need = told(city, "site")["site-02"]["need"]
    assert (need["fact"], need["result"]) == (made[0][1].id, "required")


def test_the_office_confirms_it_once(city, tablet):
    tablet.push(tablet.fact("site_reported", report_body()))
    with city.db.read() as tx:
        assert [doc["id"] for doc in finds.open_reports(tx, city)] == [NEW]
    with pytest.raises(Problem, match="does not hold"):
        finds.confirm_site(city, "ben", NEW)
    finds.confirm_site(city, "carol", NEW)
    assert told(city, "site")[NEW]["reported"]["state"] == "confirmed"
    with city.db.read() as tx:
        assert finds.open_reports(tx, city) == []
    with pytest.raises(Problem) as caught:
        finds.confirm_site(city, "carol", NEW)
    assert caught.value.code == "already-decided"
    with pytest.raises(Problem) as caught:
        finds.confirm_site(city, "carol", "site-01")
    assert caught.value.code == "not-found"


@pytest.mark.parametrize("when", ["after everything came", "before the inspection and the order came"])
def test_a_duplicate_is_filed_under_the_site_that_it_is(city, tablet, when):
    report, seen, order = a_find(tablet)
    if when.startswith("after"):
        tablet.push(report, seen, order)
        finds.same_site(city, "carol", NEW, "site-02", "it is the back of lot 2")
    else:
        tablet.push(report)
        finds.same_site(city, "carol", NEW, "site-02", "it is the back of lot 2")
        tablet.push(seen, order)
    page = queries.site_page(city, "site-02")
    assert [row["number"] for row in page["orders"]] == [order.body["number"]]
    assert [row["id"] for row in page["inspections"]] == [seen.id]
    assert told(city, "finding")["1" * 32]["site"] == told(city, "inspection")[seen.id]["site"] == "site-02"
    assert told(city, "order")[order.id]["site"] == "site-02"
    doc = told(city, "site")[NEW]
    assert (doc["same_as"], doc["reported"]["state"]) == ("site-02", "duplicate")
    assert queries.site_page(city, NEW)["orders"] == []


def test_what_cannot_be_filed_elsewhere_says_why(city, tablet):
    tablet.push(tablet.fact("site_reported", report_body()))
    for site, same_as, reasons, code in [
            (NEW, "site-02", " ", "reasons-missing"), (NEW, "site-99", "x", "not-found"),
            (NEW, NEW, "x", "act-not-open"),
            ("site-01", "site-02", "x", "not-found")]:
        with pytest.raises(Problem) as caught:
            finds.same_site(city, "carol", site, same_as, reasons)
        assert caught.value.code == code
    with pytest.raises(Problem, match="does not hold"):
        finds.same_site(city, "ada", NEW, "site-02", "x")
    finds.same_site(city, "carol", NEW, "site-02", "x")
    with pytest.raises(Problem) as caught:
        finds.same_site(city, "carol", NEW, "site-01", "x")
    assert caught.value.code == "already-decided"


def test_rain_comes_down_and_a_better_reading_takes_its_place(city, tablet):
    first = tablet.fact("rain_recorded", rain_body())
    better = tablet.fact("rain_recorded", rain_body(inches="0.40", site="site-01"), revises=first.id)
    for order in ((first, better), (better, first)):
        here = memory_city(StoppedClock(), over=city)
        own = field_tablet(here)
        assert {receipt.fact for receipt in own.push(*order)} == {first.id, better.id}
        rain = told(here, "rain")
        assert rain[first.id] is None
        assert (rain[better.id]["inches"], rain[better.id]["site"], rain[better.id]["by"]) == ("0.40", "site-01", "ada")
        with here.db.read() as tx:
            assert [row.id for row in finds.rain_list(tx, here)] == [better.id]


@pytest.mark.parametrize("body, where", [
    (rain_body(to="2026-08-26T06:00:00-05:00"), "body.to"), (rain_body(inches="41"), "body.inches"),
    (rain_body(inches="-1"), "body.inches"), (report_body(site="short"), "body.site"),
    (report_body(position=None), "body.position"), (report_body(reported_on="2026-08-26"), "body.reported_on"),
    (report_body(need={"result": "perhaps", "clauses": []}), "body.need.result")])
def test_what_is_not_well_formed_names_its_field(tablet, body, where):
    kind = "rain_recorded" if "gauge" in body else "site_reported"
    with pytest.raises(Problem) as caught:
        tablet.item(tablet.fact(kind, body))
    assert (caught.value.code, caught.value.where) == ("fact-malformed", where)
