"""The acts beside what the case files show: sentences, the person and the basis, the request itself, the clocks."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from sync.ordinance.acts import ACTS, PRECONDITIONS, ActRefused, check_record, decide, decide_all
from sync.ordinance.events import Event
from sync.ordinance.matter import fold
from sync.ordinance.orders import Service
from sync.ordinance.powers import holds

POSTED = date(2026, 8, 27)


def events(*rows):
    """(what, day of 2026 as month*100+day, data)"""
    return [Event(row[0], date(2026, row[1] // 100, row[1] % 100), "A", row[2] if len(row) > 2 else {}) for row in rows]


ORDER = (("order_issued", 827), ("order_posted", 827), ("landowner_served", 828))


def test_the_table_covers_every_act_and_every_precondition_is_used(pack):
    assert tuple(pack.acts) == ACTS
    used = {need for act in pack.acts.values() for need in act.needs}
    assert used == set(PRECONDITIONS) | {"clock"}


def test_every_missing_precondition_has_its_sentence(pack):
    matter = fold(pack, events(*ORDER, ("permit_issued", 801)), date(2026, 9, 1))
    decision = decide(matter, "revoke_permit")
    assert decision.missing == ("clock",)
    assert decision.sentences() == ("Open from Wed Sep 9 at the earliest.",)
    assert decision.sentences("es") == ("Posible no antes del miércoles 9 de septiembre.",)
    assert decision.explain().startswith(
        "Revoke the permit: not open. Open from Wed Sep 9 at the earliest. - issued Thu Aug 27; day 10 is Sun Sep 6")


@pytest.mark.parametrize("rows, sentence", [
    ((), "No stop-work order was posted."),
    ((("order_issued", 827),), "The order is issued but not posted yet."),
    ((("posted_without_authority", 827),),
     "The order is set aside: it was posted without authority and nobody ratified it."),
    ((*ORDER, ("order_released", 829)), "The order is released."),
    ((*ORDER, ("order_voided", 829)), "The order is voided."),
])
def test_an_order_that_does_not_stand_says_why(pack, rows, sentence):
    assert sentence in decide(fold(pack, events(*rows), date(2026, 9, 9)), "issue_notice_of_intent").sentences()


def test_the_request_is_closed_once_it_is_made(pack):
    open_ = decide(fold(pack, events(*ORDER), date(2026, 9, 9)), "request_cease_and_desist")
    assert open_.open
    made = fold(pack, events(*ORDER, ("cease_and_desist_requested", 909)), date(2026, 9, 9))
    assert decide(made, "request_cease_and_desist").missing == ("not requested yet",)


def test_a_part_release_keeps_the_clocks_and_a_supersession_closes_them(pack):
    partly = fold(pack, events(*ORDER, ("order_partly_released", 901)), date(2026, 9, 9))
    assert decide(partly, "issue_notice_of_intent").open
    assert partly.orders["A"].status() == "in_force" and partly.orders["A"].partly_released_on == date(2026, 9, 1)
    replaced = fold(pack, events(*ORDER, ("order_superseded", 901)), date(2026, 9, 9))
    assert replaced.orders["A"].status() == "voided" and replaced.orders["A"].voided_by == "order_superseded"
    assert not decide(replaced, "issue_notice_of_intent").open


def test_a_person_without_the_power_records_nothing(pack):
    decision = decide(fold(pack, events(*ORDER), date(2026, 9, 9)), "issue_notice_of_intent")
    check_record(decision, has_power=True)
    with pytest.raises(ActRefused, match="power") as caught:
        check_record(decision, has_power=False)
    assert caught.value.missing == ("power",)


@pytest.mark.parametrize("act, basis, fine", [
    ("enter_land", "consent", True), ("enter_land", "warrant", True), ("enter_land", "emergency", False),
    ("enter_land", None, False), ("enter_land_emergency", "emergency", True), ("enter_land_emergency", None, False),
    ("enter_land_emergency", "consent", False)])
def test_an_entry_asks_for_its_basis(pack, act, basis, fine):
    rows = events(*ORDER, ("notice_of_intent_issued", 909),
                  ("emergency_found", 924, {"approved_by": "A. Berg", "threatens": "surface water"}))
    decision = decide(fold(pack, rows, date(2026, 9, 24)), act)
    assert decision.open
    if fine:
        check_record(decision, has_power=True, basis=basis)
    else:
        with pytest.raises(ActRefused, match="basis of entry"):
            check_record(decision, has_power=True, basis=basis)


def test_an_act_that_is_not_open_is_not_recorded_whoever_asks(pack):
    decision = decide(fold(pack, events(*ORDER), date(2026, 9, 1)), "issue_notice_of_intent")
    with pytest.raises(ActRefused, match="Open from Wed Sep 9"):
        check_record(decision, has_power=True)


def test_powers_are_dated_on_both_ends():
    grants = [{"power": "post", "from": "2026-03-01", "until": "2026-08-31"},
              {"power": "inspect", "from": POSTED, "until": None}]
    days = [date(2026, 2, 28), date(2026, 3, 1), date(2026, 8, 31), date(2026, 9, 1)]
    assert [holds(grants, "post", day) for day in days] == [False, True, True, False]
    assert holds(grants, "inspect", POSTED) and not holds(grants, "inspect", POSTED - timedelta(days=1))
    assert not holds(grants, "revoke", POSTED)


def test_every_role_grants_known_powers_and_affixing_needs_only_inspect(pack):
    assert pack.powers.roles["inspector"] == ("inspect", "notice_corrections")
    assert set(pack.powers.roles) == {"inspector", "building_inspector", "clerk_treasurer", "city_attorney",
                                      "administrator", "reader"}
    for act in pack.acts.values():
        assert act.power in pack.powers.labels


def test_every_open_act_follows_the_day_its_own_derivation_names(pack):
    """Day by day through a whole matter: a clocked act is open exactly from its ``eligible_from`` on."""
    rows = events(("permit_issued", 801), *ORDER, ("notice_of_intent_issued", 910))
    for number in range(40):
        at = date(2026, 8, 27) + timedelta(days=number)
        matter = fold(pack, rows, at)
        for act in ("revoke_permit", "enter_land"):
            decision = decide(matter, act)
            derived = decision.derived()
            assert decision.open == (derived is not None and at >= derived.eligible_from)


def test_emergency_and_roll_have_their_derivation_too(pack):
    rows = events(("emergency_found", 829, {"approved_by": "A. Berg", "threatens": "surface water"}),
                  ("work_done", 830, {"cost": Decimal(10)}), ("billed", 901, {"due": date(2026, 10, 3)}))
    matter = fold(pack, rows, date(2026, 10, 5))
    assert decide(matter, "enter_land_emergency").explain().endswith(
        "- found Sat Aug 29; may follow from Sat Aug 29 (E(5); pack demo@2026.1)")
    roll = decide(matter, "certify_to_tax_roll")
    assert roll.missing == ("delinquent bill", "landowner served")
    assert roll.sentences()[0] == "Open from Tue Oct 6 at the earliest."
    assert roll.derived().last_day == date(2026, 10, 5)


def test_two_orders_are_decided_apart(pack):
    rows = [*events(*ORDER), Event("order_posted", date(2026, 9, 1), "B")]
    matter = fold(pack, rows, date(2026, 9, 9))
    assert decide_all(matter, "A")["request_cease_and_desist"].open
    assert not decide_all(matter, "B")["request_cease_and_desist"].open


def test_service_is_recorded_per_party(pack):
    matter = fold(pack, events(*ORDER, ("permittee_served", 829), ("mail_returned", 902), ("landowner_served", 903,
                                 {"method": "certified mail", "name": "J. Núñez"})), date(2026, 9, 9))
    order = matter.orders["A"]
    assert order.served("landowner") == date(2026, 8, 28) and order.served("permittee") == date(2026, 8, 29)
    assert order.served("land_user") is None
    assert order.service == (Service(date(2026, 8, 28), "landowner"), Service(date(2026, 8, 29), "permittee"),
                             Service(date(2026, 9, 3), "landowner", "certified mail", "J. Núñez"))
    assert order.returned == (date(2026, 9, 2),)
