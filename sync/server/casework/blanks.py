"""Pre-printed placards of a tablet: numbers set apart on paper, and numbers that were used up without an order.

A blank is a leased number like any other (its token proves it), only that no lease hands it out: it is bound on the
tablet, to the one order it goes on. What became of it is read from the orders and acts under its number, so the order
in which they came cannot matter. Nothing is given out twice, also when a page is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import delete, func, insert, select

from sync.records.facts import Fact
from sync.records.numbers import order_number, parse_number
from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.enrolment import LAST_COUNTER, order_token
from sync.server.casework.feed import publish
from sync.server.casework.lives import highest_lost, mark_now
from sync.server.casework.people import ADMINISTER, needs_reasons, require
from sync.server.db.acts import acts
from sync.server.db.blanks import blanks
from sync.server.db.engine import Tx, find, find_all, insert_if_absent
from sync.server.db.schema import leases, orders, tablets
from sync.server.db.tablets import tablet_lines

MOST_AT_ONCE = 50
FREE, USED, VOID = "free", "used", "void"
NUMBER_VOID = "number_void"


@dataclass(frozen=True, slots=True)
class Blank:
    """One of them. ``state``: free, used (an order bears its number: ``order`` is its id) or void (``reasons``, said by
    ``person`` on the day ``on``). Void and used at once is used: the paper hangs."""

    number: str
    token: str
    sheet: str
    at: datetime
    state: str
    order: str = ""
    reasons: str = ""
    person: str = ""
    on: date | None = None


def print_blanks(city: City, actor: str, code: str, count: int) -> str:
    """Sets ``count`` numbers of the tablet ``code`` apart for a stack of pre-printed placards; gives the name of the
    stack. Each call is a new stack with new numbers. Needs the power to administer.

    Raises Problem "body-malformed", "not-found", "tablet-revoked".
    """
    if not 1 <= count <= MOST_AT_ONCE:
        raise Problem("body-malformed", f"1 to {MOST_AT_ONCE} pre-printed placards are made at once", where="count")

    def work(tx: Tx) -> str:
        require(tx, city, actor, ADMINISTER, city.today())
        tablet = _tablet(tx, city, code)
        if tablet.status != "active":
            raise Problem("tablet-revoked", f"tablet {code} has been withdrawn")
        highest = tx.execute(select(func.max(leases.c.counter)).where(
            leases.c.city_id == city.id, leases.c.tablet_code == code)).scalar_one() or 0
        highest, life = max(highest, highest_lost(tx, city, code)), mark_now(tx, city)
        if highest + count > LAST_COUNTER:
            raise Problem("body-malformed", f"tablet {code} has no numbers left", where="count")
        sheet, now, year = city.random_bytes(8).hex(), city.now(), city.today().year
        made = [(counter, order_number(year, code, counter, life))
                for counter in range(highest + 1, highest + 1 + count)]
        for counter, number in made:
            # Also a row of the lease, so that no other way of giving numbers out takes the same place.
            tx.execute(insert(leases).values(city_id=city.id, tablet_code=code, counter=counter, number=number,
                                             leased_at=now))
            tx.execute(insert(blanks).values(city_id=city.id, tablet_code=code, counter=counter, number=number,
                                             sheet=sheet, at=now, person=actor))
            tell(tx, city, number)
        record(tx, city, actor, "blanks_printed", f"tablet:{code}", first=made[0][1], last=made[-1][1], sheet=sheet)
        return sheet

    return city.db.write(work)


def blanks_of(city: City, code: str) -> list[Blank]:
    """All pre-printed placards of the tablet, the newest stack first."""
    with city.db.read() as tx:
        rows = tx.execute(select(blanks).where(blanks.c.city_id == city.id, blanks.c.tablet_code == code)
                          .order_by(blanks.c.at.desc(), blanks.c.counter)).all()
        return _read(tx, city, rows)


def stack(city: City, code: str, sheet: str) -> list[Blank]:
    """The placards of one stack in their order. Raises Problem "not-found"."""
    found = [one for one in blanks_of(city, code) if sheet and one.sheet == sheet]
    if not found:
        raise Problem("not-found", "there is no such stack of placards")
    return found


def void_blank(city: City, actor: str, number: str, reasons: str) -> None:
    """A blank was spoiled or lost: its number is used up, and the reasons explain the gap. Needs to administer.

    Raises Problem "not-found", "reasons-missing", "already-decided" (it is on an order, or void).
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, ADMINISTER, city.today())
        needs_reasons(reasons)
        row = find(tx, blanks, city_id=city.id, number=number)
        if row is None:
            raise Problem("not-found", "there is no such pre-printed placard", where=number)
        [blank] = _read(tx, city, [row])
        if blank.state != FREE:
            said = "is on an order" if blank.state == USED else "was recorded as void before"
            raise Problem("already-decided", f"{number} {said}")
        _add_void(tx, city, actor, number, NUMBER_VOID, city.now(), city.today(), reasons.strip(), None)

    city.db.write(work)


def apply_number_void(tx: Tx, city: City, fact: Fact) -> None:
    """Works in that a tablet used a number up without an order: a blank spoiled or lost, or an order given up."""
    body = fact.body
    if body.get("blank"):
        recognise(tx, city, body["number"], fact.user)
    _add_void(tx, city, fact.user, body["number"], f"{NUMBER_VOID}:{fact.id}", fact.at.wall,
              date.fromisoformat(body["voided_on"]), body["reasons"], fact.id)


def take_out_number_void(tx: Tx, city: City, fact: Fact) -> None:
    """Undoes it, so that another version of the record can be worked in."""
    tx.execute(delete(acts).where(acts.c.city_id == city.id, acts.c.fact == fact.id))
    tell(tx, city, fact.body["number"])


def _add_void(tx: Tx, city: City, person: str, number: str, step: str, at: datetime, on: date, reasons: str,
              fact: str | None) -> None:
    insert_if_absent(tx, acts, {
        "city_id": city.id, "about": number, "step": step, "act": NUMBER_VOID, "person": person, "at": at, "on_day": on,
        "reasons": reasons, "fact": fact, "doc": {},
    })
    record(tx, city, person, "number_voided", f"number:{number}", reasons=reasons, on=on.isoformat())
    tell(tx, city, number)


def recognise(tx: Tx, city: City, number: str, person: str) -> None:
    """The number is one of a pre-printed placard, also when this server was restored to before it was printed."""
    plain = parse_number(number)
    insert_if_absent(tx, blanks, {"city_id": city.id, "tablet_code": plain.tablet, "counter": plain.counter,
                                  "number": number, "sheet": "", "at": city.now(), "person": person})


def is_void(tx: Tx, city: City, number: str) -> bool:
    """Whether the number was recorded as used up without an order."""
    return tx.execute(select(acts.c.step).where(
        acts.c.city_id == city.id, acts.c.about == number, acts.c.act == NUMBER_VOID)).first() is not None


def voided_numbers(city: City, code: str) -> list[tuple[str, date, str, str]]:
    """The tablet's numbers that were used up without an order: (number, day, person, reasons), by number."""
    with city.db.read() as tx:
        rows = tx.execute(select(acts.c.about, acts.c.on_day, acts.c.person, acts.c.reasons).where(
            acts.c.city_id == city.id, acts.c.act == NUMBER_VOID, acts.c.about.contains(f"-{code}-", autoescape=True))
            .order_by(acts.c.about, acts.c.on_day, acts.c.step))
        return [tuple(row) for row in rows]


def tell(tx: Tx, city: City, number: str) -> None:
    """Tells the tablet of this blank, and those that were that tablet once, how it stands; nothing for no blank."""
    row = find(tx, blanks, city_id=city.id, number=number)
    if row is None:
        return
    [blank] = _read(tx, city, [row])
    for code in _line(tx, city, row.tablet_code):
        for tablet in find_all(tx, tablets, city_id=city.id, code=code):
            own = number if code == row.tablet_code else f"{number}@{code}"
            publish(tx, city, "blank", own, {
                "id": own, "number": number, "counter": row.counter, "token": blank.token, "state": blank.state,
                "reasons": blank.reasons,
            }, audience=tablet.id)


def tell_heir(tx: Tx, city: City, parent: str) -> None:
    """A tablet was given a code of its own: the papers in its case still bear the code it had."""
    for code in _forebears(tx, city, parent):
        for row in find_all(tx, blanks, city_id=city.id, tablet_code=code):
            tell(tx, city, row.number)


def _forebears(tx: Tx, city: City, code: str) -> list[str]:
    from sync.server.casework.copies import earlier_codes

    return [code, *earlier_codes(tx, city, code)]


def _line(tx: Tx, city: City, code: str) -> list[str]:
    """The code, and those that tablets under it were given since."""
    found, todo = [], [code]
    while todo:
        one = todo.pop()
        if one not in found:
            found.append(one)
            todo += [row.code for row in find_all(tx, tablet_lines, city_id=city.id, parent=one)]
    return found


def _tablet(tx: Tx, city: City, code: str) -> Any:
    row = tx.execute(select(tablets).where(tablets.c.city_id == city.id, tablets.c.code == code)).first()
    if row is None:
        raise Problem("not-found", f"there is no tablet {code}", where="code")
    return row


def _read(tx: Tx, city: City, rows: Any) -> list[Blank]:
    numbers = [row.number for row in rows]
    on_order = dict(tx.execute(select(orders.c.number, orders.c.id).where(
        orders.c.city_id == city.id, orders.c.number.in_(numbers))).tuples().all())
    void = {}
    for act in tx.execute(select(acts).where(
            acts.c.city_id == city.id, acts.c.about.in_(numbers), acts.c.act == NUMBER_VOID)
            .order_by(acts.c.on_day.desc(), acts.c.step.desc())):
        void[act.about] = act
    made = []
    for row in rows:
        number, act = row.number, void.get(row.number)
        state = USED if number in on_order else VOID if act else FREE
        made.append(Blank(number, order_token(city, number), row.sheet, row.at, state, on_order.get(number, ""),
                          act.reasons if act else "", act.person if act else "", act.on_day if act else None))
    return made
