"""Records that say odd things and are well formed all the same: each is kept as it was signed, none harms another."""

import json
from datetime import date

import pytest
from sqlalchemy import select, update

from sync.records.facts import freeze
from sync.records.macs import fingerprint
from sync.records.times import At, parse_wall
from sync.server.casework import audit, feed, queries
from sync.server.casework.orders import issue_recommended_order
from sync.server.casework.public_notice import public_notice
from sync.server.casework.receiving import Item, receive_facts
from sync.server.db.finds import rains, site_reports
from sync.server.db.schema import affixings, facts, findings, inspections, tablets
from sync.server.db.tablets import clock_marks
from tests.support.city import field_tablet, finding, inspection_body, memory_city, recommended_body
from tests.support.clock import StoppedClock
from tests.support.finds import NEW, rain_body, report_body

CENTURIES = -73 * 365 * 86_400 * 1_000
FRACTION = "." + "1234567890" * 300


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada", "carol")


def text_of(city, ident):
    with city.db.read() as tx:
        return tx.execute(select(facts.c.text).where(facts.c.id == ident)).scalar_one()


def rows(city, table):
    with city.db.read() as tx:
        return tx.execute(select(table)).all()


@pytest.mark.parametrize("name", ["\ud800", "\0", "a\ud800b", "\U0001f600"])
def test_a_key_that_stands_twice_refuses_its_record_alone(city, tablet, name):
    twice = "{" + ",".join([json.dumps(name) + ":1"] * 2) + "}"
    good = tablet.item(tablet.fact("inspection_signed", inspection_body()))
    answers = receive_facts(city, tablet.tablet, [Item(twice, "0" * 64, "c"), good])
    assert answers[0]["refused"]["code"] == "wire-malformed" and "refused" not in answers[1]
    json.dumps(answers, ensure_ascii=False).encode()


def test_a_clock_that_is_off_by_more_than_a_lifetime_is_marked(city, tablet):
    at = At(parse_wall("2099-08-27T14:03:22-05:00", ""), "America/Chicago", 1, "b", CENTURIES)
    odd, good = tablet.fact("inspection_signed", inspection_body(), at=at), tablet.fact(
        "inspection_signed", inspection_body())
    assert [one.answer for one in tablet.push(odd, good)] == ["applied", "applied"]
    (mark,) = [one for one in rows(city, clock_marks) if one.fact == odd.id]
    assert (mark.off_s, mark.day) == (-2**31 + 1, date(2099, 8, 27))


def test_times_and_numbers_that_are_written_at_length_are_kept_short_beside_the_record(city, tablet):
    rain = tablet.fact("rain_recorded", rain_body(
        **{"from": f"2026-08-27T01:00:00{FRACTION}-05:00", "to": f"2026-08-27T06:00:00{FRACTION}-05:00"},
        inches="000000000001.250000000"))
    report = tablet.fact("site_reported", report_body(reported_at=f"2026-08-27T14:01:00{FRACTION}-05:00"))
    order = tablet.fact("order_recommended", recommended_body(tablet, 1, site="site-02", permit=None,
                                                              permit_number=None))
    assert [one.answer for one in tablet.push(rain, report, order)] == ["applied"] * 3
    issue_recommended_order(city, "carol", order.id)
    up = tablet.fact("order_affixed", {
        "number": order.body["number"], "order": order.id, "posted_on": "2026-08-28",
        "posted_at": f"2026-08-28T09:00:00{FRACTION}-05:00", "place": "gate\0post"})
    assert tablet.push(up)[0].answer == "applied"
    (kept,) = rows(city, rains)
    assert (kept.inches, kept.began, kept.ended) == (
        "1.25", "2026-08-27T01:00:00-05:00", "2026-08-27T06:00:00-05:00")
    assert [one.reported_at for one in rows(city, site_reports)] == ["2026-08-27T14:01:00-05:00"]
    assert [one.posted_at for one in rows(city, affixings)] == ["2026-08-28T09:00:00-05:00"]
    assert text_of(city, rain.id) == freeze(rain).decode()
    audit.verify(city)


def test_a_text_with_the_character_nul_harms_nothing(city, tablet):
    made = [
        tablet.fact("site_reported", report_body(site=NEW, name="a\0b", observed="\0")),
        tablet.fact("rain_recorded", rain_body(gauge="a\0b", note="\0")),
        tablet.fact("inspection_signed", inspection_body(findings=[finding("a\0b", note="x\0")])),
        tablet.fact("inspection_signed", inspection_body(site="q\0q")),
    ]
    forged = Item(tablet.item(tablet.fact("inspection_signed", inspection_body())).text, "0\0", "c\0")
    good = tablet.fact("inspection_signed", inspection_body())
    answers = receive_facts(city, tablet.tablet, [*map(tablet.item, made), forged, tablet.item(good)])
    assert [json.loads(one["text"])["answer"] for one in answers] == [
        "applied", "applied", "applied", "quarantined", "quarantined", "applied"]
    for fact in made:
        assert fingerprint(text_of(city, fact.id).encode()) == fingerprint(freeze(fact)), "the record is as it was"
    audit.verify(city)


def test_a_cursor_that_nobody_made_brings_nothing_more(city, tablet):
    page = feed.changes_since(city, tablet.tablet.id, "", "", 0)
    city.db.write(lambda tx: tx.execute(update(tablets).values(scope=2, scope_base=1)))
    assert feed.changes_since(city, tablet.tablet.id, page.epoch, "1-2.999999999999999", page.seq).items == ()


@pytest.mark.parametrize("ident", ["f" * 32, "f1"])
def test_of_two_findings_under_one_id_none_is_filed_over_the_other(city, tablet, ident):
    """Our tablets draw an id for each; what another program writes is kept, told and put right one by one."""
    twins = [finding(ident, severity="critical", computed="critical", note="first"), finding(ident, note="second")]
    odd = tablet.fact("inspection_signed", inspection_body(findings=[*twins, finding("e" * 32, note="other")],
                                                           outcome="correction notice", notice_token="tok"))
    order = tablet.fact("order_recommended", recommended_body(tablet, findings=[{"fact": odd.id, "finding": ident}]),
                        needs=(odd.id,))
    assert [one.answer for one in tablet.push(odd, order)] == ["applied", "applied"]

    def now():
        filed = {row.doc["note"]: (row.id, row.status) for row in rows(city, findings)}
        page = feed.changes_since(city, tablet.tablet.id, "", "", 0, 500)
        told = {one.doc["note"]: (one.id, one.doc["status"]) for one in page.items if one.kind == "finding" and one.doc}
        assert told == filed
        return filed

    filed = now()
    assert set(filed) == {"first", "second", "other"} and len({one for one, _ in filed.values()}) == 3
    assert [row.findings for row in rows(city, inspections)] == [3]
    assert [one["note"] for one in queries.order_page(city, order.id)["findings"]] == ["first", "second"]
    tablet.push(tablet.fact("inspection_signed", inspection_body(closes=[filed["second"][0]])))
    assert {note: status for note, (_, status) in now().items()} == {
        "first": "open", "second": "corrected", "other": "open"}
    lines = public_notice(city, odd.id, "tok").lines
    assert [(one["note"], status) for one, status in lines] == [
        ("first", "open"), ("second", "corrected"), ("other", "open")]
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[twins[0]]), revises=odd.id))
    assert now() == {"first": filed["first"]}
