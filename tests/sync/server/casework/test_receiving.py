"""Facts from tablets: the four answers, sent twice, out of order, forged, forked, cloned, malformed."""

import pytest
from sqlalchemy import func, select

from sync.records.facts import freeze
from sync.records.macs import fingerprint, sign
from sync.records.receipts import open_receipt
from sync.server.casework import applying, audit, queries, receiving
from sync.server.casework.copies import recode_tablet
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.casework.people import end_power
from sync.server.casework.receiving import Item, receipts_for, receive_facts
from sync.server.db.schema import facts, feed, inspections, orders, strays
from tests.support.city import (
    field_tablet,
    finding,
    inspection_body,
    memory_city,
    order_body,
    recommended_body,
)
from tests.support.clock import StoppedClock


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def city(clock):
    return memory_city(clock)


@pytest.fixture
def tablet(city):
    return field_tablet(city, "ada", "ben")


def count(city, table, *where):
    with city.db.read() as tx:
        return tx.execute(select(func.count()).select_from(table).where(*where)).scalar_one()


def newest(city):
    """The place of the last change that tablets are told of."""
    with city.db.read() as tx:
        return tx.execute(select(func.max(feed.c.seq))).scalar_one()


def test_an_inspection_is_applied_and_its_receipt_names_bytes_and_files(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body(), evidence=[("a" * 64, "photo")])
    [receipt] = tablet.push(fact)
    assert (receipt.answer, receipt.fact, receipt.reason) == ("applied", fact.id, None)
    assert receipt.sha256 == fingerprint(freeze(fact))
    assert receipt.evidence == {"a" * 64: False}
    assert not receipt.whole


def test_the_same_bytes_again_get_the_same_receipt_and_change_nothing(city, clock, tablet):
    fact = tablet.fact("order_posted", order_body(tablet))
    item = tablet.item(fact)
    first = receive_facts(city, tablet.tablet, [item, item])
    before = count(city, queries.audit)
    clock.advance(days=3)
    again = receive_facts(city, tablet.tablet, [item])
    assert {**first[0], "already_held": True} == first[1] == again[0]
    assert count(city, orders) == 1
    assert count(city, queries.audit) == before


def test_what_is_applied_is_never_worked_in_again_by_whichever_way_it_comes(city, tablet, monkeypatch):
    """Two guards, and each alone holds: one before a record is decided about, one where that is done."""
    order, inspection = tablet.fact("order_posted", order_body(tablet)), tablet.fact("inspection_signed",
                                                                                     inspection_body())
    items = [tablet.item(order), tablet.item(inspection)]
    receive_facts(city, tablet.tablet, items)
    before = count(city, queries.audit), newest(city)

    def works_in(tx, _city, ident, *_):
        raise AssertionError(f"{ident} was decided about twice")

    monkeypatch.setattr(receiving, "work_in", works_in)
    assert all(one["already_held"] for one in receive_facts(city, tablet.tablet, items))
    monkeypatch.undo()

    def applies(tx, _city, fact, *_):
        raise AssertionError(f"{fact.kind} was applied twice")

    monkeypatch.setattr(applying, "_apply", applies)
    for fact in (order, inspection):
        assert city.db.write(lambda tx, ident=fact.id: applying.work_in(tx, city, ident)) == ("applied", None)
    monkeypatch.undo()
    assert applying.retry_parked(city) == 0
    assert (count(city, queries.audit), newest(city)) == before


def test_a_record_that_needs_another_waits_and_is_applied_when_it_comes(city, tablet):
    inspection = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")]))
    order = tablet.fact("order_posted", order_body(tablet), needs=(inspection.id,))
    photo = tablet.fact("photo_added", {"about": {"fact": inspection.id}, "photo": photo_doc()}, needs=(order.id,),
                        evidence=[("b" * 64, "photo")])
    assert [(r.answer, r.reason) for r in tablet.push(photo, order)] == [("waiting", "need-missing")] * 2
    assert count(city, orders) == 0
    [done] = tablet.push(inspection)
    assert done.answer == "applied"
    answers = [open_receipt(r, tablet.tablet.receipt_key) for r in
               receipts_for(city, tablet.tablet, [photo.id, order.id])]
    assert [r.answer for r in answers] == ["applied", "applied"]
    assert answers[1].register == "R-2026-00001"


def test_other_bytes_under_a_known_id_are_kept_apart_and_never_replace_the_first(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body())
    tablet.push(fact)
    other = tablet.fact("inspection_signed", inspection_body(outcome="incomplete"), id=fact.id)
    [receipt] = tablet.push(other)
    assert (receipt.answer, receipt.reason) == ("quarantined", "fact-forked")
    assert receipt.sha256 == fingerprint(freeze(other))
    assert queries.inspection_page(city, fact.id)["body"]["outcome"] == "compliant"
    assert [q["reason"] for q in queries.set_aside(city)["quarantined"]] == ["fact-forked"]


def test_two_records_under_one_counter_show_a_copied_tablet(city, tablet):
    first, second = (tablet.fact("inspection_signed", inspection_body(), counter=9) for _ in range(2))
    assert [(r.answer, r.reason) for r in tablet.push(first, second)] == [
        ("applied", None), ("quarantined", "fact-counter-taken")]
    assert count(city, inspections) == 1


def test_a_signature_that_does_not_match_is_quarantined_and_blocks_nothing(city, tablet):
    fact = tablet.fact("inspection_signed", inspection_body())
    good = tablet.item(fact)
    forged = Item(good.text, "0" * 64, good.credential)
    [answer] = receive_facts(city, tablet.tablet, [forged])
    assert open_receipt(answer, tablet.tablet.receipt_key).reason == "fact-mac-mismatch"
    [answer] = receive_facts(city, tablet.tablet, [good])
    assert open_receipt(answer, tablet.tablet.receipt_key).answer == "applied"


def test_nobody_can_sign_for_another_person_with_his_own_credential(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet), user="ada")
    ident, key = tablet.credentials["ben"]
    data = freeze(fact)
    [answer] = receive_facts(city, tablet.tablet, [Item(data.decode(), sign(key, data), ident)])
    receipt = open_receipt(answer, tablet.tablet.receipt_key)
    assert (receipt.answer, receipt.reason) == ("quarantined", "fact-mac-mismatch")
    assert count(city, orders) == 0


def test_an_order_posted_without_the_power_is_kept_and_shown_and_starts_nothing(city, tablet):
    fact = tablet.fact("order_posted", order_body(tablet), user="ben")
    [receipt] = tablet.push(fact)
    assert (receipt.answer, receipt.reason) == ("quarantined", "no-authority")
    assert count(city, orders) == 0
    [shown] = queries.set_aside(city)["quarantined"]
    assert shown["person_name"] == "Ben Okafor"
    assert "post" in shown["detail"]


def test_the_power_is_that_of_the_day_of_the_act_not_of_arrival(city, clock, tablet):
    posted_in_time = tablet.fact("order_posted", order_body(tablet, 0))
    too_late = tablet.fact("order_posted", order_body(
        tablet, 1, posted_on="2026-08-29", posted_at="2026-08-29T09:00:00-05:00", printed_on="2026-08-29"))
    clock.set("2026-08-30T09:00:00-05:00")
    end_power(city, "carol", "ada", "post", clock.now().date().replace(day=28))
    assert [r.answer for r in tablet.push(posted_in_time, too_late)] == ["applied", "quarantined"]


@pytest.mark.parametrize("change", [{"token": "0" * 32}, {"number": "SW-2026-T99-0001-Q"}])
def test_a_number_that_was_not_leased_to_the_tablet_is_quarantined(city, tablet, change):
    from sync.records.numbers import order_number

    if "number" in change:
        change = {"number": order_number(2026, "T99", 1)}
    [receipt] = tablet.push(tablet.fact("order_posted", order_body(tablet, **change)))
    assert (receipt.answer, receipt.reason) == ("quarantined", "number-not-leased")


def test_one_number_on_two_orders_holds_both_back(city, tablet):
    first, second = (tablet.fact("order_posted", order_body(tablet, 0)) for _ in range(2))
    tablet.push(first)
    tablet.push(second)
    pages = [queries.order_page(city, fact.id) for fact in (first, second)]
    assert [page["row"]["status"] for page in pages] == ["quarantined", "quarantined"]
    assert [page["doc"]["dates"] for page in pages] == [[], []]
    assert {q["reason"] for q in queries.set_aside(city)["quarantined"]} == {"number-taken"}


def test_an_unknown_kind_is_parked_and_a_bad_neighbour_blocks_nobody(city, tablet):
    future = tablet.fact("turbidity_measured", {"anything": ["goes"]})
    good = tablet.fact("inspection_signed", inspection_body())
    bad = tablet.item(good)
    items = [Item("{not json", "0" * 64, "x"), tablet.item(future), Item(bad.text[:-1], bad.mac, bad.credential), bad]
    answers = receive_facts(city, tablet.tablet, items)
    assert answers[0]["refused"]["code"] == "wire-malformed"
    assert open_receipt(answers[1], tablet.tablet.receipt_key).reason == "kind-unknown"
    assert answers[2]["refused"]["code"] == "wire-malformed"
    assert open_receipt(answers[3], tablet.tablet.receipt_key).answer == "applied"
    assert [line["code"] for line in queries.set_aside(city)["refused"]] == ["wire-malformed"] * 2


def test_what_is_refused_leaves_one_line_however_often_it_comes(city, tablet):
    item = Item('{"v":1}', "0" * 64, "x")
    for _ in range(3):
        [answer] = receive_facts(city, tablet.tablet, [item])
        assert answer["refused"]["code"] == "fact-malformed"
    assert len(queries.set_aside(city)["refused"]) == 1
    assert count(city, facts) == count(city, strays) == 0


@pytest.mark.parametrize("text", ["\ud800", '{"v":1.5}', "[]", "null", "", '{"a":1,"a":2}', "[" * 5000])
def test_malformed_bytes_are_refused_without_harm(city, tablet, text):
    [answer] = receive_facts(city, tablet.tablet, [Item(text, "0" * 64, "x")])
    assert answer["refused"]["code"] in ("wire-malformed", "fact-malformed")


def test_fields_that_this_server_does_not_know_survive_byte_for_byte(city, tablet):
    fact = tablet.fact("inspection_signed", {**inspection_body(), "air_quality": "hazy"}, extra={"later": {"x": 1}})
    tablet.push(fact)
    with city.db.read() as tx:
        assert queries.fact_document(tx, city, fact.id)["text"].encode() == freeze(fact)


def test_a_withdrawn_tablet_may_hand_over_but_only_into_quarantine(city, tablet):
    before = tablet.fact("inspection_signed", inspection_body())
    tablet.push(before)
    withdraw_tablet(city, "carol", tablet.tablet.code, "lost on Mill Street")
    [receipt] = tablet.push(tablet.fact("inspection_signed", inspection_body()))
    assert (receipt.answer, receipt.reason) == ("quarantined", "tablet-revoked")
    assert tablet.push(before)[0].answer == "applied"


def test_another_tablet_can_hand_over_what_a_lost_one_signed_but_learns_nothing_of_others(city, tablet):
    other = field_tablet(city, "ada", seed=8)
    fact = tablet.fact("inspection_signed", inspection_body())
    [answer] = receive_facts(city, other.tablet, [tablet.item(fact)])
    assert open_receipt(answer, other.tablet.receipt_key).answer == "applied"
    mine = other.fact("inspection_signed", inspection_body())
    other.push(mine)
    assert receipts_for(city, tablet.tablet, [mine.id]) == [{"unknown": mine.id}]


def test_a_site_or_city_or_person_that_we_do_not_know_is_quarantined(city, tablet):
    elsewhere = tablet.fact("inspection_signed", inspection_body(site="site-99"))
    foreign = tablet.fact("inspection_signed", inspection_body(), city="othertown")
    assert [r.reason for r in tablet.push(elsewhere, foreign)] == ["subject-unknown", "city-other"]


def test_a_correction_replaces_what_stood_and_the_first_stays_on_record(city, tablet):
    first = tablet.fact("inspection_signed", inspection_body(findings=[finding("f1"), finding("f2")]))
    fixed = tablet.fact("inspection_signed", inspection_body(findings=[finding("f2", severity="critical")]),
                        revises=first.id)
    assert [r.answer for r in tablet.push(fixed, first)] == ["waiting", "applied"]
    page = queries.site_page(city, "site-01")
    assert [(f["severity"], f["inspection"]) for f in page["findings"]] == [("critical", fixed.id)]
    rows = {row["id"]: row["superseded_by"] for row in page["inspections"]}
    assert rows == {first.id: fixed.id, fixed.id: None}


def test_an_order_is_never_corrected_by_a_later_record(city, tablet):
    order = tablet.fact("order_posted", order_body(tablet, 0))
    change = tablet.fact("order_posted", order_body(tablet, 1), revises=order.id)
    assert [r.answer for r in tablet.push(order, change)] == ["applied", "quarantined"]


def test_a_later_inspection_closes_a_finding(city, tablet):
    first = tablet.fact("inspection_signed", inspection_body(findings=[finding("d" * 32)]))
    second = tablet.fact("inspection_signed", inspection_body(type="re-inspection", closes=["d" * 32]))
    tablet.push(second)
    tablet.push(first)
    assert [f["status"] for f in queries.site_page(city, "site-01")["findings"]] == ["corrected"]


def test_a_mistake_of_ours_in_one_record_parks_that_one_and_is_tried_again(city, tablet, monkeypatch):
    from sync.server.casework import applying

    real = applying.apply_inspection
    broken = tablet.fact("inspection_signed", inspection_body())
    fine = tablet.fact("inspection_signed", inspection_body())

    def fails_once(tx, where, fact, at, **more):
        real(tx, where, fact, at, **more)
        if fact.id == broken.id:
            raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(applying, "apply_inspection", fails_once)
        answers = tablet.push(broken, fine)
    assert [(r.answer, r.reason) for r in answers] == [("waiting", "apply-failed"), ("applied", None)]
    assert count(city, inspections) == 1
    assert applying.retry_parked(city) == 1
    assert count(city, inspections) == 2
    audit.verify(city)


def test_a_recommended_order_is_no_order_yet(city, tablet):
    fact = tablet.fact("order_recommended", recommended_body(tablet), user="ben")
    [receipt] = tablet.push(fact)
    assert (receipt.answer, receipt.register) == ("applied", None)
    assert queries.order_page(city, fact.id)["row"]["status"] == "recommended"


def photo_doc(sha="b" * 64):
    return {"sha256": sha, "taken": {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": 1,
                                     "boot": "b", "offset_ms": None},
            "source": "camera", "position": None, "no_position": "no fix", "item": None, "finding": None,
            "view": "wide", "name": None}


def test_a_tablet_with_a_new_code_is_told_of_what_it_brought_under_the_old_one(city, tablet):
    """Of its own records, of one that was kept apart, and of none of another tablet's."""
    fact = tablet.fact("inspection_signed", inspection_body())
    apart = tablet.fact("inspection_signed", inspection_body(outcome="incomplete"), id=fact.id)
    other = field_tablet(city, "ada", seed=8)
    foreign = other.fact("inspection_signed", inspection_body())
    lost = tablet.fact("inspection_signed", inspection_body(site="site-09", permit=None))
    forged = tablet.fact("inspection_signed", inspection_body())
    tablet.push(fact, lost)
    tablet.push(apart)
    other.push(foreign)
    item = tablet.item(forged)
    receive_facts(city, tablet.tablet, [Item(item.text, "0" * 64, item.credential)])
    new = recode_tablet(city, tablet.tablet, "5" * 64, [], ageing=False).enrolled.tablet
    *mine, unknown = receipts_for(city, new, [fact.id, lost.id, forged.id, foreign.id])
    assert [(one.answer, one.reason) for one in (open_receipt(one, new.receipt_key) for one in mine)] == [
        ("applied", None), ("quarantined", "subject-unknown"), ("quarantined", "fact-mac-mismatch")]
    assert unknown == {"unknown": foreign.id}
