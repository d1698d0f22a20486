"""The cost ledger of a matter: work done, bills made from it, payments, what is delinquent, which roll it goes on.

A bill is the sum of the work not yet billed, never more. Payments settle the oldest bill first. All amounts are
exact decimals in dollars.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from .calendar import Calendar
from .schema import Section

_DAY = timedelta(days=1)
_NOTHING = Decimal(0)


class Bill:
    """One bill: when, how much, and the due date as given (``payable_until`` moves it off closed days)."""

    __slots__ = ("amount", "certified_on", "due", "on")

    def __init__(self, on: date, due: date, amount: Decimal):
        self.on, self.due, self.amount = on, due, amount
        self.certified_on: date | None = None


class Ledger:
    """What one order cost, what was billed of it and what was paid."""

    __slots__ = ("bills", "paid", "unbilled", "worked_on")

    def __init__(self) -> None:
        self.unbilled = _NOTHING
        self.worked_on: date | None = None
        self.bills: list[Bill] = []
        self.paid = _NOTHING

    def work(self, on: date, cost: Decimal) -> None:
        if self.unbilled == 0 and cost:
            self.worked_on = on
        self.unbilled += cost

    def bill(self, on: date, due: date) -> None:
        """Bills all work not yet billed; with none there is no bill."""
        if self.unbilled:
            self.bills.append(Bill(on, due, self.unbilled))
            self.unbilled, self.worked_on = _NOTHING, None

    def pay(self, amount: Decimal) -> None:
        self.paid += amount

    def unpaid(self) -> list[tuple[Bill, Decimal]]:
        """Each bill that is not settled, with what is open of it."""
        left, found = self.paid, []
        for bill in self.bills:
            open_amount = bill.amount - left
            if open_amount > 0:
                found.append((bill, open_amount))
                left = _NOTHING
            else:
                left = -open_amount
        return found

    def delinquent(self, calendar: Calendar, at: date) -> list[tuple[Bill, Decimal, date]]:
        """Unpaid, not certified, past its due date at the end of ``at``: bill, open amount, delinquent since."""
        found = []
        for bill, amount in self.unpaid():
            if bill.certified_on is None and at > bill.due:
                since = calendar.payment_day(bill.due) + _DAY
                if at >= since:
                    found.append((bill, amount, since))
        return found

    def certify(self, on: date, calendar: Calendar) -> None:
        """Certifies what is delinquent on that day, or, recorded too early, all that is unpaid."""
        rows = [bill for bill, _, _ in self.delinquent(calendar, on)] or [bill for bill, _ in self.unpaid()]
        for bill in rows:
            bill.certified_on = on


LINE_KINDS = ("labour", "equipment", "materials", "contractor", "mailing")


@dataclass(frozen=True, slots=True)
class CostLine:
    """One line of the ledger: quantity x rate in dollars, the work entry it belongs to, who approved it."""

    on: date
    kind: str
    text: str
    quantity: Decimal
    rate: Decimal
    work: str
    approved_by: str
    photos: tuple[str, ...] = ()

    @property
    def amount(self) -> Decimal:
        """Quantity times rate, to the cent, half a cent up."""
        return (self.quantity * self.rate).quantize(Decimal("0.01"), ROUND_HALF_UP)


def line_problems(line: CostLine, entered_on: date | None) -> tuple[str, ...]:
    """Why a line cannot be billed: only work performed after entry counts, and every line names who approved it."""
    found = []
    if line.kind not in LINE_KINDS:
        found.append(f"{line.kind!r} is no kind of cost; there are: {', '.join(LINE_KINDS)}")
    if entered_on is None or line.on < entered_on:
        found.append("time spent before the land was entered is no work performed")
    if line.quantity < 0 or line.rate < 0:
        found.append("a cost is not negative")
    if not line.work.strip():
        found.append("the line belongs to no work entry")
    if not line.approved_by.strip():
        found.append("nobody approved the line")
    return tuple(found)


def roll_year(cut_off: tuple[int, int], certified_on: date) -> int:
    """The year of the tax roll an amount goes on (K11): this year's up to the cut-off day, else the next."""
    month, day = cut_off
    return certified_on.year if certified_on <= date(certified_on.year, month, day) else certified_on.year + 1


_ROLL = {
    "en": {"this": "goes on the {year} tax roll (cut-off {month}-{day:02d})",
           "next": "after the cut-off {month}-{day:02d}: waits for the next roll, {year}"},
    "es": {"this": "va a la lista de impuestos de {year} (cierre {month}-{day:02d})",
           "next": "después del cierre {month}-{day:02d}: espera la lista siguiente, {year}"},
}


def say_roll(cut_off: tuple[int, int], certified_on: date, language: str = "en") -> str:
    """Which roll an amount certified on that day goes on, in words."""
    year = roll_year(cut_off, certified_on)
    form = _ROLL[language]["this" if year == certified_on.year else "next"]
    return form.format(year=year, month=cut_off[0], day=cut_off[1])


def read_cut_off(section: Section) -> tuple[int, int]:
    """``roll_cut_off = "11-15"``: month and day, of every year."""
    text = section.text("roll_cut_off")
    try:
        month, day = (int(part) for part in text.split("-"))
        date(2025, month, day)
    except ValueError:
        raise section.fail("roll_cut_off", f"must be month-day such as 11-15, not {text!r}") from None
    return month, day
