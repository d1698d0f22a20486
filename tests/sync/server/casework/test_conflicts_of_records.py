"""Records with one id or one place in the count, from withdrawn tablets, or forged: a person decides."""

from dataclasses import replace

import pytest

from sync.records.facts import freeze, parse
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.server.casework import founding, judging
from sync.server.casework.enrolment import withdraw_tablet
from sync.server.casework.queries import site_page
from sync.server.casework.receiving import Item, receive_facts
from tests.support.city import finding, inspection_body
from tests.support.disputes import arrive, both_ways, dispute, turn


def versions(world, turned):
    """The same record twice, with other content: a tablet restored from a copy."""
    one = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32, note="a")]))
    two = replace(one, body=inspection_body(findings=[finding("2" * 32, note="b"), finding("3" * 32, note="c")]))
    arrive(world, turned, (world.one, one), (world.one, two))
    assert world.conflicts() == ["fork"]
    return one, two


@pytest.mark.parametrize("chosen", [0, 1])
def test_a_person_chooses_which_of_two_versions_counts(chosen):
    def scenario(world, turned):
        made = versions(world, turned)
        sha = fingerprint(freeze(made[chosen]))
        world.decide("fork", "take_version", other=sha)
        notes = sorted(one["note"] for one in site_page(world.city, "site-01")["findings"])
        assert notes == (["a"] if chosen == 0 else ["b", "c"])
        there = {ident for ident, doc in world.down(world.one, "finding").items() if doc is not None}
        assert there == ({"1" * 32} if chosen == 0 else {"2" * 32, "3" * 32})
        world.readable(*made)
        # Sent again, each gets the answer that now holds.
        assert [world.push(world.one, one)[0].answer for one in made] == (
            ["applied", "quarantined"] if chosen == 0 else ["quarantined", "applied"])

    assert both_ways(scenario).conflicts() == []


@pytest.mark.parametrize("chosen", [0, 1])
def test_two_versions_of_one_order_keep_its_number_and_register(chosen):
    def scenario(world, turned):
        one = world.posted(world.one)
        two = replace(one, body={**one.body, "observed": "Soil in two inlets.", "grounds": ["b", "c"]})
        world.clock.set("2026-08-28T10:00:00-05:00")
        arrive(world, turned, (world.one, one), (world.one, two))
        world.decide("fork", "take_version", other=fingerprint(freeze((one, two)[chosen])))
        doc = world.order(one.id)
        assert doc["body"] == (one, two)[chosen].body
        assert (doc["number"], doc["register"]) == (one.body["number"], "R-2026-00001")
        world.readable(one, two)

    assert both_ways(scenario).conflicts() == []


def test_a_version_that_nobody_signed_can_never_be_chosen():
    world = dispute()
    genuine = world.posted(world.one)
    world.push(world.one, genuine)
    forged = world.one.item(replace(genuine, body={**genuine.body, "observed": "Nothing."}))
    receive_facts(world.city, world.one.tablet, [Item(forged.text, "0" * 64, forged.credential)])
    fork = world.conflict("fork")
    other = fork.detail["sha256"]
    with pytest.raises(Problem) as refused:
        world.decide("fork", "take_version", other=other)
    assert refused.value.code == "fact-mac-mismatch"
    assert world.order(genuine.id)["body"] == genuine.body
    world.decide("fork", "take_version", other=next(c.other for c in fork.choices if c.other != other))
    assert world.conflicts() == []


def copied(world, turned):
    """Two records under one place of the count: two tablets that think they are the same one."""
    one = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    world.one.counter -= 1
    two = world.one.fact("inspection_signed", inspection_body(findings=[finding("2" * 32)]))
    assert one.counter == two.counter and one.id != two.id
    arrive(world, turned, (world.one, one), (world.one, two))
    assert world.conflicts() == ["copied_tablet"]
    return one, two


def test_both_records_of_a_copied_tablet_may_count():
    def scenario(world, turned):
        made = copied(world, turned)
        world.decide("copied_tablet", "take_beside")
        assert len(site_page(world.city, "site-01")["findings"]) == 2
        assert [world.push(world.one, one)[0].answer for one in made] == ["applied", "applied"]
        world.readable(*made)

    assert both_ways(scenario).conflicts() == []


def test_the_second_record_of_a_copied_tablet_may_be_left_out_and_stays_readable():
    for turned in (False, True):
        world = dispute()
        made = copied(world, turned)
        world.decide("copied_tablet", "leave_apart")
        assert world.conflicts() == []
        world.readable(*made)
        assert len(site_page(world.city, "site-01")["findings"]) == 1, "the one that the person did not leave out"


def test_a_withdrawn_tablet_still_sends_and_the_office_decides():
    def scenario(world, turned):
        order = world.posted(world.two)
        again = world.reposted(world.two, order, "2026-08-28")
        withdraw_tablet(world.city, "carol", world.two.tablet.code, "It was lost on a site.")
        world.clock.set("2026-08-29T10:00:00-05:00")
        arrive(world, turned, (world.two, order), (world.two, again))
        assert world.conflicts() == ["withdrawn_tablet", "withdrawn_tablet"]
        assert world.down(world.one, "order") == {}
        for fact in (order, again):
            world.decide("withdrawn_tablet", "accept", subject=fact.id)
        doc = world.order(order.id)
        assert (doc["status"], doc["posted_on"]) == ("in_force", "2026-08-27"), "under its own dates"
        assert [up["on"] for up in doc["reposted"]] == ["2026-08-28"]
        world.readable(order, again)

    assert both_ways(scenario).conflicts() == []


def test_an_inspection_under_a_dead_clock_counts_where_the_office_says_that_its_clock_was_wrong():
    """Its day is before that of its tablet, whether the clock was put right before signing or not; without a decision
    it counts for nothing, and it is not offered where the power is missing on the day of arrival too."""
    for signed in ("2000-01-01T00:20:00-06:00", "2026-08-27T15:00:00-05:00"):
        def scenario(world, turned, signed=signed):
            order = world.posted(world.one)
            body = inspection_body(findings=[finding("1" * 32)], inspected_on="2000-01-01",
                                   began="2000-01-01T00:03:22-06:00", ended="2000-01-01T00:19:00-06:00")
            dead = world.two.fact("inspection_signed", body, wall=signed)
            arrive(world, turned, (world.one, order), (world.two, dead))
            assert world.conflicts() == ["unauthorised_record"]
            assert site_page(world.city, "site-01")["findings"] == []
            world.decide("unauthorised_record", "accept_day")
            assert len(site_page(world.city, "site-01")["findings"]) == 1
            assert world.receipt(world.two, dead).answer == "applied"
            world.readable(order, dead)

        assert set(both_ways(scenario).conflicts()) <= {"record_clock"}
    world = dispute()
    order = world.posted(world.one)
    release = world.released(world.two, order, "2000-01-01", user="ben")
    arrive(world, False, (world.one, order), (world.two, release))
    with pytest.raises(Problem) as refused:
        judging.accept_day(world.city, "carol", release.id, "The clock was wrong.")
    assert refused.value.code == "act-not-open"


def test_a_record_about_an_unknown_site_is_tried_again_once_the_office_has_it():
    def scenario(world, turned):
        order = world.posted(world.one, site="site-09", permit=None, permit_number=None)
        release = world.released(world.two, order, "2026-08-29")
        world.clock.set("2026-08-30T08:00:00-05:00")
        arrive(world, turned, (world.one, order), (world.two, release))
        assert world.conflict("unplaced").detail["reason"] == "subject-unknown"
        world.decide("unplaced", "try_again")
        assert world.conflicts() == ["unplaced", "waiting_act"]
        world.city.db.write(lambda tx: founding.keep_site(tx, world.city, {
            "id": "site-09", "name": "Lot 9", "address": "900 Mill Street", "parcel": "251-01", "lat_udeg": None,
            "lon_udeg": None, "site_class": "house", "permittee": None, "landowner": None, "land_user": None,
            "end_of_work_day": None}))
        world.decide("unplaced", "try_again")
        doc = world.order(order.id)
        assert (doc["status"], doc["posted_on"], doc["released"]["on"]) == ("released", "2026-08-27", "2026-08-29")
        world.readable(order, release)

    assert both_ways(scenario).conflicts() == []


def test_a_record_that_nobody_signed_counts_for_nothing_before_or_after_the_genuine_ones():
    def scenario(world, turned):
        genuine = world.posted(world.one)
        made_up = world.one.fact("order_released", {
            "number": genuine.body["number"], "order": genuine.id, "scope": "whole", "part": None,
            "released_on": "2026-08-27", "released_at": "2026-08-27T14:30:00-05:00", "reasons": "All is put right.",
            "signed": {"name": "Carol Brandt", "title": "Building Inspector", "credential_no": "BI-0007"},
        }, user="carol", wall="2026-08-27T14:31:00-05:00", needs=(genuine.id,))
        item = world.one.item(made_up)

        def forged():
            receive_facts(world.city, world.one.tablet, [Item(item.text, "0" * 64, item.credential)])

        steps = [lambda: world.push(world.one, genuine), forged]
        turn(turned, *steps)
        assert world.conflicts() == ["unproven"]
        assert world.order(genuine.id)["status"] == "in_force"
        world.decide("unproven", "leave_apart")
        assert world.order(genuine.id)["status"] == "in_force", "leaving it out makes nothing count"
        world.readable(genuine, made_up)

    assert both_ways(scenario).conflicts() == []


def test_decisions_need_the_power_the_reasons_and_are_taken_once():
    world = dispute()
    order = world.posted(world.one, user="ben")
    world.push(world.one, order)
    for who, why, code in (("ada", "Seen.", "no-authority"), ("carol", "  ", "reasons-missing")):
        with pytest.raises(Problem) as refused:
            judging.ratify_order(world.city, who, order.id, why)
        assert refused.value.code == code
    with pytest.raises(Problem) as wrong:
        judging.accept_record(world.city, "carol", order.id, "Seen.")
    assert wrong.value.code == "act-not-open"
    judging.ratify_order(world.city, "carol", order.id, "Seen.")
    with pytest.raises(Problem) as again:
        judging.ratify_order(world.city, "carol", order.id, "Seen.")
    assert again.value.code == "act-not-open"


def test_a_release_of_a_part_must_say_which():
    world = dispute()
    order = world.posted(world.one)
    release = world.released(world.two, order, "2026-08-29")
    for change in ({"scope": "part"}, {"part": "The north lot."}, {"released_on": "2026-08-28"}):
        with pytest.raises(Problem) as refused:
            parse(freeze(replace(release, body={**release.body, **change})))
        assert refused.value.code == "fact-malformed"


def test_a_correction_of_a_correction_that_was_not_counted_opens_the_question_anew():
    def scenario(world, turned):
        first = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
        world.push(world.one, first)
        mine = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]), revises=first.id)
        other = world.two.fact("inspection_signed", inspection_body(findings=[finding("2" * 32)]), revises=first.id)
        arrive(world, turned, (world.one, mine), (world.two, other))
        world.decide("two_corrections", "count_correction", other=other.id)
        assert world.conflicts() == []
        assert {ident: doc["status"] for ident, doc in world.down(world.one, "finding").items() if doc} == {
            "2" * 32: "open"}
        with pytest.raises(Problem, match="stands already"):
            judging.count_correction(world.city, "carol", first.id, other.id, "Again.")
        more = world.one.fact("inspection_signed", inspection_body(findings=[]), revises=mine.id)
        world.push(world.one, more)
        conflict = world.conflict("two_corrections")
        assert set(conflict.facts) == {other.id, more.id}
        world.decide("two_corrections", "count_correction", other=more.id)
        assert not any(world.down(world.one, "finding").values())
        world.readable(first, mine, other, more)

    assert both_ways(scenario).conflicts() == []


def test_a_correction_under_another_code_stands_whatever_the_counts_say():
    world = dispute()
    world.one.counter = 50
    first = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    correction = world.two.fact("inspection_signed", inspection_body(findings=[]), revises=first.id)
    assert correction.counter < first.counter
    world.push(world.one, first)
    world.push(world.two, correction)
    assert next(filter(None, world.down(world.one, "inspection").values()))["id"] == correction.id
    assert not any(world.down(world.one, "finding").values()) and world.conflicts() == []


def test_of_a_correction_that_was_chosen_another_version_can_be_chosen():
    world = dispute()
    first = world.one.fact("inspection_signed", inspection_body(findings=[finding("1" * 32)]))
    world.push(world.one, first)
    mine = world.one.fact("inspection_signed", inspection_body(findings=[]), revises=first.id)
    other = world.two.fact("inspection_signed", inspection_body(findings=[finding("2" * 32)]), revises=first.id)
    arrive(world, False, (world.one, mine), (world.two, other))
    world.decide("two_corrections", "count_correction", other=mine.id)
    version = replace(mine, body=inspection_body(findings=[finding("3" * 32)]))
    world.push(world.one, version)
    world.decide("fork", "take_version", other=fingerprint(freeze(version)))
    assert [ident for ident, doc in world.down(world.one, "finding").items() if doc] == ["3" * 32]
    world.readable(first, mine, other, version)


def test_with_a_correction_that_is_chosen_its_inlets_and_devices_stand():
    world = dispute()
    first = world.one.fact("inspection_signed", inspection_body())
    world.push(world.one, first)
    gone = inspection_body(findings=[finding("1" * 32)], places=[{
        "act": "retire", "kind": "inlet", "id": "inlet-01", "label": "CB-1", "place": "", "why": "Paved over."}])
    stricter = world.one.fact("inspection_signed", gone, revises=first.id)
    milder = world.two.fact("inspection_signed", inspection_body(), revises=first.id)
    before = world.down(world.one, "inlet")
    arrive(world, False, (world.one, stricter), (world.two, milder))
    assert world.down(world.one, "inlet") != before
    world.decide("two_corrections", "count_correction", other=milder.id)
    assert world.down(world.one, "inlet") == before
