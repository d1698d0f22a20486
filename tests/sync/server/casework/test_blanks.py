"""Pre-printed placards: numbers set apart once, on one order or void with its reasons, whatever arrives first."""

from dataclasses import replace

import pytest

from sync.records.problems import Problem
from sync.server.casework import audit, blanks, enrolment
from sync.server.casework.copies import LONGEST_LINE, earlier_codes, line_seal, recode_tablet, recognise_line
from sync.server.casework.feed import changes_since
from sync.server.casework.public import public_order
from sync.server.db.blanks import blanks as rows
from sync.server.db.schema import leases, orders, tablets
from sync.server.db.tablets import tablet_lines
from tests.support.city import field_tablet, memory_city, order_body
from tests.support.clock import StoppedClock
from tests.support.disputes import SIGNED, both_ways
from tests.support.powers import grant

OLD = "ab" * 32


def town():
    return memory_city(StoppedClock())


def printed(city, tablet, count=3):
    """A stack of the tablet's, as LeasedNumber-like blanks."""
    sheet = blanks.print_blanks(city, "carol", tablet.tablet.code, count)
    return blanks.stack(city, tablet.tablet.code, sheet)


def on(blank, **changes):
    return {"number": blank.number, "token": blank.token, "blank": True, **changes}


def voiding(tablet, blank, reasons="It fell into the mud.", *, blanked=True, **more):
    body = {"number": blank.number, "token": blank.token, "voided_on": "2026-08-27", "reasons": reasons,
            "blank": blanked, "signed": {**SIGNED, "name": "Ada Lindqvist"}, **more}
    return tablet.fact("number_voided", body)


def test_who_administers_accounts_for_a_number_without_the_power_to_inspect():
    city = town()
    tablet = field_tablet(city, "dora")
    body = {"number": tablet.enrolled.lease[0].number, "token": tablet.enrolled.lease[0].token, "blank": False,
            "voided_on": "2026-08-27", "reasons": "Its person was removed.", "signed": SIGNED}
    [receipt] = tablet.push(tablet.fact("number_voided", body, user="dora"))
    assert (receipt.answer, receipt.reason) == ("quarantined", "no-authority")
    grant(city, "dora", "administer")
    [receipt] = tablet.push(tablet.fact("number_voided", body, user="dora"))
    assert receipt.answer == "applied"


def test_numbers_on_paper_are_in_no_lease_and_asking_again_burns_none():
    city = town()
    tablet = field_tablet(city)
    first = tablet.enrolled.lease
    paper = printed(city, tablet)
    assert not {one.number for one in paper} & {one.number for one in first}
    assert [one.number for one in blanks.stack(city, tablet.tablet.code, paper[0].sheet)] == [b.number for b in paper]
    for _again in range(2):
        more, _seal = enrolment.lease_numbers(city, tablet.tablet, enrolment.LEASE_SIZE)
        assert len(more) == enrolment.LEASE_SIZE
        assert not {one.number for one in paper} & {one.number for one in more}
        assert enrolment.lease_numbers(city, tablet.tablet, 0)[0] == first, "a lease asked for again is the same"
    later = printed(city, tablet)
    everything = [*first, *more, *paper, *later]
    assert len({one.number for one in everything}) == len(everything), "and no stack repeats another"
    other = field_tablet(city, seed=8)
    assert printed(city, other)[0].number.split("-")[2] == other.tablet.code


def test_who_may_print_how_many_and_for_whom():
    city = town()
    tablet = field_tablet(city)
    code = tablet.tablet.code
    for actor, given, count, why in (("ada", code, 3, "no-authority"), ("carol", code, 0, "body-malformed"),
                                     ("carol", code, 51, "body-malformed"), ("carol", "T99", 3, "not-found")):
        with pytest.raises(Problem) as refused:
            blanks.print_blanks(city, actor, given, count)
        assert refused.value.code == why
    enrolment.withdraw_tablet(city, "carol", code, "lost")
    with pytest.raises(Problem) as refused:
        blanks.print_blanks(city, "carol", code, 1)
    assert refused.value.code == "tablet-revoked" and blanks.blanks_of(city, code) == []


def test_a_blank_goes_on_one_order_out_of_turn_and_its_tablet_alone_is_told():
    city = town()
    tablet, other = field_tablet(city), field_tablet(city, seed=8)
    paper = printed(city, tablet)
    last = paper[-1]
    posted = tablet.fact("order_posted", order_body(tablet, **on(last)))
    for _twice in range(2):
        assert tablet.push(posted)[0].answer == "applied"
    own = tablet.fact("order_posted", order_body(tablet, 0, site="site-02"))
    assert tablet.push(own)[0].answer == "applied", "the ordinary numbers go on beside them"
    states = {one.number: one.state for one in blanks.blanks_of(city, tablet.tablet.code)}
    assert states == {paper[0].number: "free", paper[1].number: "free", last.number: "used"}
    told = _told(city, tablet)
    assert {doc["number"]: doc["state"] for doc in told.values()} == states
    assert told[last.number]["token"] == last.token and _told(city, other) == {}
    assert public_order(city, last.number, last.token).state == "in_force"
    assert public_order(city, paper[0].number, paper[0].token).state == "not_registered"


def _told(city, tablet):
    page = changes_since(city, tablet.tablet.id, "", "", 0, 500)
    return {item.id: item.doc for item in page.items if item.kind == "blank"}


def test_another_tablet_s_blank_is_set_aside():
    city = town()
    tablet, other = field_tablet(city), field_tablet(city, seed=8)
    paper = printed(city, tablet)[0]
    [receipt] = other.push(other.fact("order_posted", order_body(other, **on(paper))))
    assert (receipt.answer, receipt.reason) == ("quarantined", "number-not-leased")
    [receipt] = other.push(voiding(other, paper))
    assert (receipt.answer, receipt.reason) == ("quarantined", "number-not-leased")
    [receipt] = tablet.push(voiding(tablet, paper, token="0" * 32))
    assert receipt.reason == "number-not-leased", "a made-up token proves nothing"
    assert blanks.blanks_of(city, tablet.tablet.code)[0].state == "free"


def test_a_spoiled_or_lost_one_is_void_with_its_reasons_from_the_field_and_from_the_office():
    city = town()
    tablet = field_tablet(city)
    one, two, three = printed(city, tablet)
    void = voiding(tablet, one)
    for _twice in range(2):
        assert tablet.push(void)[0].answer == "applied"
    with pytest.raises(Problem) as refused:
        blanks.void_blank(city, "carol", two.number, " ")
    assert refused.value.code == "reasons-missing"
    blanks.void_blank(city, "carol", two.number, "Lost with the inspector's case.")
    for number in (one.number, two.number):
        with pytest.raises(Problem) as refused:
            blanks.void_blank(city, "carol", number, "again")
        assert refused.value.code == "already-decided"
    told = {blank.number: (blank.state, blank.reasons, blank.person)
            for blank in blanks.blanks_of(city, tablet.tablet.code)}
    assert told == {one.number: ("void", "It fell into the mud.", "ada"),
                    two.number: ("void", "Lost with the inspector's case.", "carol"), three.number: ("free", "", "")}
    assert _told(city, tablet)[two.number]["reasons"] == "Lost with the inspector's case."
    assert public_order(city, one.number, one.token).state == "not_to_be_used"
    # An order that was given up leaves no unexplained gap either.
    given_up = tablet.enrolled.lease[4]
    assert tablet.push(voiding(tablet, given_up, "The work had stopped.", blanked=False))[0].answer == "applied"
    assert [(number, reasons) for number, _on, _who, reasons in blanks.voided_numbers(city, tablet.tablet.code)] == [
        (given_up.number, "The work had stopped."), (one.number, "It fell into the mud."),
        (two.number, "Lost with the inspector's case.")]
    assert given_up.number not in {blank.number for blank in blanks.blanks_of(city, tablet.tablet.code)}
    audit.verify(city)


def test_a_void_blank_that_hangs_is_an_order_and_a_question_in_both_orders_of_arrival():
    def scenario(world, turned):
        paper = printed(world.city, world.one)[0]
        order = world.one.fact("order_posted", order_body(world.one, **on(paper)))
        void = voiding(world.one, paper, "Lost on the way.")
        for fact in (order, void)[:: -1 if turned else 1]:
            assert world.push(world.one, fact)[0].answer == "applied"
        assert world.order(order.id)["status"] == "in_force", "the placard hangs: the order is one"
        assert "void_number_up" in world.conflicts()
        assert blanks.blanks_of(world.city, world.one.tablet.code)[0].state == "used"
        world.decide("void_number_up", "note_void_number")
        assert "void_number_up" not in world.conflicts()
        world.readable(order, void)

    both_ways(scenario)


def test_a_copied_tablet_uses_the_papers_that_bear_its_old_code_under_its_new_one():
    city = town()
    tablet = field_tablet(city)
    paper = printed(city, tablet)
    copy = recode_tablet(city, tablet.tablet, OLD, [], ageing=False)
    heir = _as(tablet, copy)
    told = _told(city, heir)
    assert {doc["number"] for doc in told.values()} == {one.number for one in paper}
    assert all(ident == f"{doc['number']}@{heir.tablet.code}" for ident, doc in told.items())
    heir.sign_in("ada")
    assert heir.push(heir.fact("order_posted", order_body(tablet, **on(paper[0]))))[0].answer == "applied"
    for one in (tablet, heir):  # whoever holds the stack: both are told that it is gone
        assert {doc["number"]: doc["state"] for doc in _told(city, one).values()}[paper[0].number] == "used"
    # The other of the two has that paper's number too: one that both used is held back until a person decides.
    tablet.counter = 50
    twin = tablet.fact("order_posted", order_body(tablet, site="site-02", **on(paper[0])))
    assert tablet.push(twin)[0].answer == "applied"
    with city.db.read() as tx:
        assert {row.status for row in tx.execute(orders.select())} == {"quarantined"}


def _as(tablet, copy):
    return replace(tablet, enrolled=copy.enrolled, credentials={}, counter=0)


@pytest.mark.parametrize("shown", [True, False])
def test_restored_to_before_the_copy_had_its_code_the_sealed_line_says_whose_number_it_is(shown):
    """A placard was up under the old code when the tablet got its new one, and is signed after the office went back to
    yesterday's backup, which knows of neither."""
    city = town()
    tablet = field_tablet(city)
    copy = recode_tablet(city, tablet.tablet, OLD, [], ageing=False)
    heir = _as(tablet, copy)
    heir.sign_in("ada")
    paper = printed(city, tablet)[0]

    def forget(tx):
        for table in (tablet_lines, rows):
            tx.execute(table.delete())
        tx.execute(leases.delete().where(leases.c.number == paper.number))
        tx.execute(tablets.delete().where(tablets.c.id == heir.tablet.id))

    city.db.write(forget)
    enrolment.tablet_by_token(city, heir.enrolled.device_token)  # its first call: it is recognised by its token
    line = [{"code": link.code, "was": link.was, "seal": link.seal} for link in copy.line]
    assert line == [{"code": heir.tablet.code, "was": tablet.tablet.code,
                     "seal": line_seal(city, heir.tablet.code, tablet.tablet.code)}]
    if not shown:
        line = [{**line[0], "seal": "0" * 64}]
    [receipt] = heir.push(heir.fact("order_posted", order_body(tablet, line=line, **on(paper))))
    if shown:
        assert receipt.answer == "applied"
        told = {doc["number"]: doc["state"] for doc in _told(city, heir).values()}
        assert told[paper.number] == "used", "the blank is known again too"
        assert blanks.blanks_of(city, tablet.tablet.code)[0].sheet == ""
    else:
        assert (receipt.answer, receipt.reason) == ("quarantined", "number-not-leased")
    audit.verify(city)


def test_a_line_that_goes_in_a_circle_ends():
    city = town()
    circle = [{"code": "T98", "was": "T97", "seal": line_seal(city, "T98", "T97")},
              {"code": "T97", "was": "T98", "seal": line_seal(city, "T97", "T98")}]
    city.db.write(lambda tx: recognise_line(tx, city, "T98", circle))
    with city.db.read() as tx:
        assert len(earlier_codes(tx, city, "T98")) <= LONGEST_LINE
