"""Land that is sold while an order stands: the new owner is served in turn, and the wait for entry begins anew."""

from dataclasses import replace
from datetime import date

import pytest

from sync.ordinance.acts import decide
from sync.ordinance.events import Event
from sync.ordinance.matter import fold

POSTED, NOTICE, SOLD, SERVED = date(2026, 8, 27), date(2026, 9, 9), date(2026, 9, 15), date(2026, 9, 18)
ROWS = [
    Event("order_posted", POSTED), Event("registered", POSTED), Event("landowner_served", date(2026, 8, 28)),
    Event("notice_of_intent_issued", NOTICE),
]
SALE = Event("ownership_changed", SOLD, data={"to": "Vera Holt"})


def entry(pack, at, *more):
    return decide(fold(pack, [*ROWS, *more], at), "enter_land")


def test_without_a_sale_the_wait_runs_from_the_notice(pack):
    assert entry(pack, date(2026, 9, 24)).open and not entry(pack, date(2026, 9, 23)).open


def test_the_new_owner_must_be_served_and_has_the_days_of_the_notice_for_himself(pack):
    closed = entry(pack, date(2026, 10, 30), SALE)
    assert closed.missing == ("landowner served",) and closed.derived() is None
    assert closed.sentences() == ("The land was sold Tue Sep 15, and the new landowner was not served.",)
    assert "martes 15 de septiembre" in closed.sentences("es")[0]
    served = Event("landowner_served", SERVED, data={"name": "Vera Holt"})
    assert entry(pack, date(2026, 10, 2), SALE, served).missing == ("clock",)
    opened = entry(pack, date(2026, 10, 3), SALE, served)
    assert opened.open and opened.derived().eligible_from == date(2026, 10, 3)
    assert "new landowner served Fri Sep 18" in opened.explain()
    assert "nuevo propietario notificado el viernes 18 de septiembre" in opened.explain("es")


def test_what_is_served_on_the_former_owner_by_name_is_no_service(pack):
    late = Event("landowner_served", SERVED, data={"name": "Eva Larsen"})
    assert entry(pack, date(2026, 10, 30), SALE, late).missing == ("landowner served",)


def test_a_pack_may_let_the_days_run_on(pack):
    other = replace(pack, readings=replace(pack.readings, after_sale="runs on"))
    served = Event("landowner_served", SERVED)
    assert entry(other, date(2026, 9, 24), SALE, served).open


@pytest.mark.parametrize(("sold", "end"), [(date(2026, 8, 20), ()), (date(2026, 9, 3), ("order_released",)),
                                           (date(2026, 9, 3), ("order_voided",))])
def test_a_sale_before_the_order_or_after_its_end_changes_nothing(pack, sold, end):
    rows = [Event("order_posted", POSTED), Event("landowner_served", date(2026, 8, 28)),
            *(Event(what, date(2026, 9, 1)) for what in end)]
    matter = fold(pack, [*rows, Event("ownership_changed", sold)], date(2026, 10, 1))
    assert matter.order("A").served("landowner") == date(2026, 8, 28)


def test_a_sale_on_the_day_of_posting_counts_as_after_it_and_service_of_that_day_as_the_new_owners(pack):
    rows = [Event("order_posted", POSTED), Event("ownership_changed", POSTED), Event("landowner_served", POSTED)]
    for given in (rows, rows[::-1]):
        order = fold(pack, given, date(2026, 10, 1)).order("A")
        assert (order.sold_on, order.served("landowner")) == (POSTED, POSTED)


def test_an_entry_before_the_new_owner_was_served_uses_the_notice_up(pack):
    matter = fold(pack, [*ROWS, SALE, Event("entered", date(2026, 9, 25))], date(2026, 9, 25))
    assert matter.order("A").entered_on == date(2026, 9, 25)


def test_of_several_permits_the_one_that_is_named_is_extended_or_revoked(pack):
    rows = [Event("permit_issued", date(2026, 8, 1), data={"permit": name}) for name in "pq"]
    rows += [Event("permit_extended", date(2026, 9, 1), data={"permit": "p", "until": date(2027, 4, 1)}),
             Event("permit_revoked", date(2026, 9, 2), data={"permit": "q"})]
    first, second = fold(pack, rows, date(2026, 10, 1)).permits
    assert (first.last_valid_day, first.revoked_on) == (date(2027, 4, 1), None)
    assert (second.last_valid_day, second.revoked_on) == (date(2027, 1, 28), date(2026, 9, 2))
