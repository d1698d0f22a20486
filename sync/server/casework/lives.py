"""The lives of a city's records. A restore begins one, with a mark that every number given out from then on bears.

A backup cannot know what was given out after it was made, nor that it was restored before. So no count is trusted to be
ahead of a lost one: what keeps numbers apart is the mark, drawn anew each time. The counts go on without a gap, and the
register says where which life began. What tablets and placards show of lost lives is kept beside it, and never taken
for a number of this one.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update

from sync.records.numbers import TABLET_CODE, mark_of, parse_number, register_number
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.scope import hide_the_rest
from sync.server.db.engine import Tx, ask, find, find_all, insert_if_absent
from sync.server.db.lives import lives, lost
from sync.server.db.schema import cities, counters, orders, sites, tablets
from sync.server.place import is_elsewhere

_MARK = select(lives.c.mark).where(
    lives.c.city_id == bindparam("city"), cities.c.city_id == lives.c.city_id, cities.c.epoch == lives.c.epoch)
NUMBER, REGISTER = "number", "register"
RECORD, PLACARD, RECEIPT = "record", "placard", "receipt"
MOST_BEFORE = 30
"""So many lives before the present one are told of, the latest."""


def mark_now(tx: Tx, city: City) -> str:
    """The mark of the present life; "" when the records were never restored."""
    found = ask(tx, _MARK, city=city.id)
    return found[0].mark if found else ""


def begin_life(city: City, *, noticed: str | None = None) -> str:
    """Begins another life of the records: a new epoch, so that tablets offer again all they still hold, and a new mark.
    Returns the epoch. Whatever was restored before, from whichever backup, on whichever machine: the mark is new.
    ``noticed``: by what we noticed ourselves that the records were set back ("folder", "tablet")."""
    return city.db.write(lambda tx: begin(tx, city, noticed=noticed))


def begin(tx: Tx, city: City, *, noticed: str | None = None) -> str:
    """The same in the caller's transaction."""
    epoch = city.random_bytes(16).hex()
    row = city.row(tx)
    counts = tx.execute(select(counters).where(counters.c.city_id == city.id)).one()
    mark = _draw(tx, city, epoch)
    tx.execute(insert(lives).values(
        city_id=city.id, epoch=epoch, mark=mark, at=city.now(), backup_at=row.backup_at,
        place=1 + len(find_all(tx, lives, city_id=city.id)), before=row.epoch, noticed=noticed,
        registers=counts.register_no, tablets=counts.tablet_no))
    tx.execute(update(cities).where(cities.c.city_id == city.id).values(
        epoch=epoch, backup_at=None, place=city.place or None))
    hide_the_rest(tx, city)
    record(tx, city, "keeper" if noticed is None else "server", "restored", "city", epoch=epoch, mark=mark,
           last_register=last_register(tx, city), last_tablet=counts.tablet_no,
           backup_at=row.backup_at.isoformat(timespec="seconds") if row.backup_at else None,
           **({"noticed": noticed} if noticed else {}))
    return epoch


def begin_life_of_copy(city: City) -> str | None:
    """The same, when the database says of itself that it is a backup and nobody has marked it, or when its files do not
    lie where they lay (see `sync.server.place`): whoever copied them may have gone on with the others. Else None."""
    with city.db.read() as tx:
        row = city.row(tx)
    if row.backup_at is not None:
        return begin_life(city)
    return begin_life(city, noticed="folder") if is_elsewhere(row.place, city.place) else None


def note_place(city: City) -> None:
    """Notes where the files lie, of a city that was never asked for it."""
    with city.db.read() as tx:
        noted = city.row(tx).place
    if city.place and not noted:
        city.db.write(lambda tx: tx.execute(update(cities).where(
            cities.c.city_id == city.id, cities.c.place.is_(None)).values(place=city.place)))


def lives_before(tx: Tx, city: City) -> list[str]:
    """The epochs of the lives that led to the present one, oldest first; without those that began before it was noted
    which one they ended."""
    rows = sorted(find_all(tx, lives, city_id=city.id), key=lambda life: life.place)
    return [life.before for life in rows if life.before][-MOST_BEFORE:]


def _draw(tx: Tx, city: City, epoch: str) -> str:
    """A mark that nothing that we have ever heard of bears. A machine that was copied together with its source of
    chance has at least another time."""
    heard = {row.mark for row in find_all(tx, lives, city_id=city.id)}
    for code in tx.execute(select(tablets.c.code).where(tablets.c.city_id == city.id)).scalars():
        heard.add(TABLET_CODE.fullmatch(code)[2])
    for said in tx.execute(select(lost.c.said).where(lost.c.city_id == city.id)).scalars():
        heard |= set(said.split("-"))
    attempt = 0
    while True:
        seed = f"{epoch}/{city.random_bytes(16).hex()}/{city.now().isoformat()}/{attempt}"
        mark = mark_of(hashlib.sha256(seed.encode()).digest()[:8])
        if mark and mark not in heard:
            return mark
        attempt += 1


# --- the register ----------------------------------------------------------------------------------------------------
def register_of(city: City, row: Any) -> str | None:
    """The register number of an order's row (register_no, register_life, registered_at); None before it has one."""
    if row.registered_at is None:
        return None
    return register_number(row.registered_at.astimezone(city.zone).year, row.register_no, row.register_life or "")


def last_register(tx: Tx, city: City) -> str | None:
    """The latest register number given out, as it is written."""
    latest = select(func.max(orders.c.register_no)).where(orders.c.city_id == city.id).scalar_subquery()
    row = tx.execute(select(orders.c.register_no, orders.c.register_life, orders.c.registered_at).where(
        orders.c.city_id == city.id, orders.c.register_no == latest)).first()
    return register_of(city, row) if row else None


def register_lines(city: City) -> list[dict[str, Any]]:
    """The register, oldest first: a line {register, order, number, address, at, former} for each order in it, and one
    {restored, mark, at, backup_at, noticed, after} where a life began, ``after``: the number before it (None: none)."""
    with city.db.read() as tx:
        rows = tx.execute(select(
            orders.c.id, orders.c.number, orders.c.register_no, orders.c.register_life, orders.c.registered_at,
            sites.c.address,
        ).outerjoin_from(orders, sites, (sites.c.city_id == orders.c.city_id) & (sites.c.id == orders.c.site)).where(
            orders.c.city_id == city.id, orders.c.register_no.is_not(None)).order_by(orders.c.register_no)).all()
        former = former_registers(tx, city)
        breaks = sorted(find_all(tx, lives, city_id=city.id), key=lambda life: life.place)
    found: list[dict[str, Any]] = []
    before: str | None = None
    for row in rows:
        while breaks and breaks[0].registers < row.register_no:
            found.append(_break(breaks.pop(0), before))
        before = register_of(city, row)
        found.append({"restored": False, "register": before, "order": row.id, "number": row.number,
                      "address": row.address or "", "at": row.registered_at, "former": former.get(row.id, ())})
    return found + [_break(life, before) for life in breaks]


def _break(life: Any, before: str | None) -> dict[str, Any]:
    return {"restored": True, "mark": life.mark, "at": life.at, "backup_at": life.backup_at, "after": before,
            "noticed": life.noticed}


# --- what is heard of lost lives --------------------------------------------------------------------------------------
def hear_of_number(tx: Tx, city: City, number: str, how: str) -> None:
    """A genuine order number that this life has not given out."""
    plain = parse_number(number)
    if insert_if_absent(tx, lost, {
        "city_id": city.id, "what": NUMBER, "said": number, "about": "", "how": how, "tablet_code": plain.tablet,
        "counter": plain.counter, "at": city.now(),
    }):
        record(tx, city, "server", "lost_number_heard_of", f"number:{number}", how=how)


def is_lost(tx: Tx, city: City, number: str) -> bool:
    """Whether we have heard of the order number as one of a lost life."""
    return find(tx, lost, city_id=city.id, what=NUMBER, said=number) is not None


def hear_of_register(tx: Tx, city: City, register: str, order: str) -> None:
    """An order bore this register number in a life that is lost: a receipt of ours says so."""
    if insert_if_absent(tx, lost, {
        "city_id": city.id, "what": REGISTER, "said": register, "about": order, "how": RECEIPT, "tablet_code": "",
        "counter": 0, "at": city.now(),
    }):
        record(tx, city, "server", "lost_register_heard_of", f"order:{order}", register=register)


def former_registers(tx: Tx, city: City, order: str | None = None) -> dict[str, tuple[str, ...]]:
    """By order (all, or the one named): the register numbers that it bore in lives that are lost."""
    where = [lost.c.city_id == city.id, lost.c.what == REGISTER, *([lost.c.about == order] if order else [])]
    found: dict[str, tuple[str, ...]] = {}
    for row in tx.execute(select(lost.c.about, lost.c.said).where(*where).order_by(lost.c.at, lost.c.said)):
        found[row.about] = (*found.get(row.about, ()), row.said)
    return found


def lost_numbers(city: City) -> list[Any]:
    """Order numbers that another life gave out, as far as we have heard of them: rows (said, how, at, tablet_code)."""
    with city.db.read() as tx:
        return list(tx.execute(select(lost).where(lost.c.city_id == city.id, lost.c.what == NUMBER)
                               .order_by(lost.c.said)))


def highest_lost(tx: Tx, city: City, code: str) -> int:
    """The highest place in the tablet's count of which we heard that another life gave it out; 0: none."""
    return tx.execute(select(func.max(lost.c.counter)).where(
        lost.c.city_id == city.id, lost.c.what == NUMBER, lost.c.tablet_code == code)).scalar_one() or 0
