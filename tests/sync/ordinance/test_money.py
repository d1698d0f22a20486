"""The ledger: a bill is what was worked and not yet billed, payments settle the oldest, the roll has its season."""

from datetime import date
from decimal import Decimal

import pytest

from sync.ordinance.dates import bill_due, words
from sync.ordinance.duties import owed
from sync.ordinance.events import Event
from sync.ordinance.matter import fold
from sync.ordinance.money import CostLine, Ledger, line_problems, roll_year, say_roll


def test_a_bill_is_the_work_not_yet_billed_and_never_more():
    ledger = Ledger()
    ledger.work(date(2026, 7, 2), Decimal("4200.00"))
    ledger.work(date(2026, 7, 3), Decimal("0.10"))
    ledger.bill(date(2026, 7, 10), date(2026, 8, 10))
    ledger.bill(date(2026, 7, 11), date(2026, 8, 11))
    assert [bill.amount for bill in ledger.bills] == [Decimal("4200.10")]
    ledger.work(date(2026, 7, 20), Decimal("9.90"))
    ledger.bill(date(2026, 7, 21), date(2026, 8, 21))
    assert [bill.amount for bill in ledger.bills] == [Decimal("4200.10"), Decimal("9.90")]


@pytest.mark.parametrize(
    "paid, unpaid",
    [("0", ["100", "50"]), ("99.99", ["0.01", "50"]), ("100", ["50"]), ("120", ["30"]), ("150", []), ("200", [])],
)
def test_payments_settle_the_oldest_bill_first(paid, unpaid):
    ledger = Ledger()
    for day, cost in ((2, 100), (3, 50)):
        ledger.work(date(2026, 7, day), Decimal(cost))
        ledger.bill(date(2026, 7, day), date(2026, 8, day))
    ledger.pay(Decimal(paid))
    assert [amount for _, amount in ledger.unpaid()] == [Decimal(one) for one in unpaid]


def test_a_bill_says_when_it_is_due_and_why(pack):
    set_by_hand = bill_due(pack, date(2026, 7, 10), date(2026, 8, 8))
    assert words(set_by_hand) == (
        "billed Fri Jul 10; due Sat Aug 8; the office is closed on Sat Aug 8; Sun Aug 9 is a Sunday; "
        "last day Mon Aug 10"
    )
    assert set_by_hand.eligible_from == date(2026, 8, 11)
    counted = bill_due(pack, date(2026, 6, 1))
    assert (counted.raw, counted.last_day) == (date(2026, 7, 1), date(2026, 7, 1))
    assert words(bill_due(pack, date(2026, 6, 4)), "es") == (
        "facturado el jueves 4 de junio; el día 30 es el sábado 4 de julio; el sábado 4 de julio es feriado (Día de la "
        "Independencia); el domingo 5 de julio queda fuera; el último día es el lunes 6 de julio"
    )


def test_what_is_delinquent_is_owed_to_the_roll_with_its_amount(pack):
    rows = [
        Event("work_done", date(2026, 7, 2), data={"cost": Decimal(100)}),
        Event("billed", date(2026, 7, 10), data={"due": date(2026, 8, 8)}),
        Event("paid", date(2026, 8, 1), data={"amount": Decimal("30.50")}),
    ]
    (duty,) = owed(fold(pack, rows, date(2026, 8, 11)))
    assert (duty.id, duty.amount, duty.since) == ("enter_on_roll", Decimal("69.50"), date(2026, 8, 11))
    assert owed(fold(pack, rows, date(2026, 8, 10))) == ()


@pytest.mark.parametrize(
    "certified, year",
    [(date(2026, 1, 2), 2026), (date(2026, 11, 15), 2026), (date(2026, 11, 16), 2027), (date(2026, 12, 31), 2027)],
)
def test_after_the_cut_off_it_is_the_next_roll(pack, certified, year):
    assert roll_year(pack.roll_cut_off, certified) == year
    said = say_roll(pack.roll_cut_off, certified)
    assert str(year) in said and ("next roll" in said) == (year != certified.year)
    assert str(year) in say_roll(pack.roll_cut_off, certified, "es")


LINE = CostLine(
    date(2026, 7, 2), "labour", "two men with a vacuum truck", Decimal("3.5"), Decimal("41.33"), "W-1", "A. Berg"
)


def test_a_line_is_quantity_times_rate_to_the_cent():
    assert LINE.amount == Decimal("144.66")  # 144.655


@pytest.mark.parametrize(
    "change, words",
    [
        ({"kind": "lawyer"}, "no kind of cost"),
        ({"on": date(2026, 6, 29)}, "before the land was entered"),
        ({"rate": Decimal(-1)}, "not negative"),
        ({"work": ""}, "no work entry"),
        ({"approved_by": " "}, "nobody approved"),
    ],
)
def test_a_line_that_is_no_work_performed_cannot_be_billed(change, words):
    from dataclasses import replace

    assert line_problems(LINE, date(2026, 6, 30)) == ()
    (problem,) = line_problems(replace(LINE, **change), date(2026, 6, 30))
    assert words in problem


def test_without_entry_nothing_is_billable():
    assert line_problems(LINE, None) == ("time spent before the land was entered is no work performed",)
