"""Records whose clocks do not fit together: seen when they arrive, shown with each clock, settled by a person.

Nothing is ever corrected: a record keeps the day that it names, and the law counts from that day until a named person
has decided otherwise. Clocks order no events; that comes from counters.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import and_, select

from sync.records.facts import Fact
from sync.records.problems import Problem
from sync.records.times import At, parse_wall
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.people import CONFIRM, needs_reasons, require
from sync.server.db.acts import acts
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.narrow import seconds
from sync.server.db.schema import facts, inspections
from sync.server.db.tablets import clock_marks, tablet_clocks

WARN = timedelta(minutes=2)
REVIEW = timedelta(minutes=15)
"""A tablet's clock that was further off than this is looked at by a person."""

# Their doubt is shown with the order, whose clocks hang on it.
OF_ORDERS = ("order_posted", "order_affixed")


@dataclass(frozen=True, slots=True)
class Doubt:
    """``why``: "to come" (signed after it arrived), "other day" (by the other clocks it was another day) or "wrong
    clock"; ``off_s``: seconds by which the tablet's clock was behind (negative: ahead), None: nothing tells; ``day``:
    that of the record, which stays as it is."""

    why: str
    off_s: int | None
    day: date


def doubt(fact: Fact, received_at: datetime, zone: ZoneInfo) -> Doubt | None:
    """Why the time of the record is in doubt; None when it is not."""
    moment = fact.at.wall
    if fact.kind in OF_ORDERS and fact.known and fact.body.get("posted_at"):
        moment = parse_wall(fact.body["posted_at"], "posted_at")
    return doubt_at(moment, fact.at, received_at, zone)


def doubt_at(moment: datetime, at: At, received_at: datetime, zone: ZoneInfo, day: date | None = None) -> Doubt | None:
    """The same for one moment of a record; ``day``: the one that it names, where that is not the moment's own."""
    day, off = day or moment.astimezone(zone).date(), at.off
    off_s = seconds(None if off is None else int(off.total_seconds()))
    if moment > received_at + REVIEW:
        return Doubt("to come", off_s, day)
    if off is None:
        return None
    try:
        other = (moment + off).astimezone(zone).date()
    except OverflowError:
        other = None
    if other != day:
        return Doubt("other day", off_s, day)
    return Doubt("wrong clock", off_s, day) if abs(off) > REVIEW else None


def mark(tx: Tx, city: City, fact: Fact, received_at: datetime) -> None:
    """Marks the record for review when its time is in doubt. Called once, in the transaction that takes it in."""
    found = doubt(fact, received_at, city.zone)
    if found is not None:
        insert_if_absent(tx, clock_marks, {
            "city_id": city.id, "fact": fact.id, "kind": fact.kind, "why": found.why, "off_s": found.off_s,
            "day": found.day, "received_at": received_at})


def open_marks(tx: Tx, city: City) -> list[Any]:
    """The marked records that count and that nobody has looked at yet, orders aside: {fact, kind, why, off_s, day}."""
    looked_at = select(acts.c.about).where(
        acts.c.city_id == city.id, acts.c.about == clock_marks.c.fact, acts.c.act == "note_clock")
    return list(tx.execute(
        select(clock_marks.c.fact, clock_marks.c.kind, clock_marks.c.why, clock_marks.c.off_s, clock_marks.c.day,
               facts.c.tablet_code)
        .join(facts, and_(facts.c.city_id == clock_marks.c.city_id, facts.c.id == clock_marks.c.fact))
        .outerjoin(inspections, and_(inspections.c.city_id == clock_marks.c.city_id,
                                     inspections.c.id == clock_marks.c.fact))
        .where(clock_marks.c.city_id == city.id, clock_marks.c.kind.not_in(OF_ORDERS), facts.c.state == "applied",
               inspections.c.superseded_by.is_(None), ~looked_at.exists())
        .order_by(clock_marks.c.fact)))


def remark(tx: Tx, city: City, fact: str) -> dict[str, Any] | None:
    """What there is to say about the time of a record: {why, off_s, day, noted: {by, at, reasons} or None}."""
    row = find(tx, clock_marks, city_id=city.id, fact=fact)
    if row is None:
        return None
    act = tx.execute(select(acts).where(acts.c.city_id == city.id, acts.c.about == fact,
                                        acts.c.act.in_(("note_clock", "noted")), acts.c.step.startswith("noted:clock"))
                     ).first()
    noted = {"by": act.person, "at": act.at, "reasons": act.reasons or ""} if act else None
    return {"why": row.why, "off_s": row.off_s, "day": row.day, "noted": noted}


def note_clock(city: City, actor: str, fact: str, reasons: str) -> None:
    """The building inspector has looked at a record whose time is in doubt and lets its day stand. Moves nothing.

    Raises Problem "no-authority", "reasons-missing", "not-found", "already-decided".
    """

    def work(tx: Tx) -> None:
        require(tx, city, actor, CONFIRM, city.today())
        row = find(tx, clock_marks, city_id=city.id, fact=fact)
        if row is None or row.kind in OF_ORDERS:
            raise Problem("not-found", "there is no such doubt about a record", where=fact)
        needs_reasons(reasons)
        if not insert_if_absent(tx, acts, {
            "city_id": city.id, "about": fact, "step": "noted:clock:", "act": "note_clock", "person": actor,
            "at": city.now(), "on_day": city.today(), "reasons": reasons.strip(), "fact": None,
            "doc": {"why": row.why, "off_s": row.off_s},
        }):
            raise Problem("already-decided", "this was decided about the record before")
        record(tx, city, actor, "record_clock_noted", f"fact:{fact}", kind=row.kind, why=row.why,
               day=row.day.isoformat(), reasons=reasons.strip())

    city.db.write(work)


def off_of_tablets(tx: Tx, city: City) -> dict[str, int]:
    """Seconds by which each tablet's clock was behind (negative: ahead) when it last said so, by tablet id; only those
    that are more than two minutes off."""
    rows = tx.execute(select(tablet_clocks).where(tablet_clocks.c.city_id == city.id))
    return {row.tablet: row.off_s for row in rows if abs(row.off_s) > WARN.total_seconds()}
