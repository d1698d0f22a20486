"""The state is a fold over facts: whatever order they arrive in, however often, the tables come out the same."""

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from sync.server.casework import audit
from sync.server.casework.finds import same_site
from sync.server.casework.orders import decline_order, issue_recommended_order
from sync.server.casework.receiving import receive_facts
from sync.server.db.engine import find
from sync.server.db.finds import rains, site_reports
from sync.server.db.schema import affixings, attachments, facts, feed, findings, inspections, orders, sites
from tests.support.city import (
    field_tablet,
    finding,
    inspection_body,
    memory_city,
    order_body,
    recommended_body,
)
from tests.support.clock import StoppedClock
from tests.support.finds import NEW, rain_body, report_body


def photo(sha):
    return {"sha256": sha, "taken": {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": 1,
                                     "boot": "b", "offset_ms": None},
            "source": "camera", "position": None, "no_position": "no fix", "item": None, "finding": None,
            "view": "wide", "name": None}


def a_day(tablet, other):
    """The items of two tablets' day: one of each kind, corrections, two that can never be applied, one unknown."""
    one = tablet.fact("inspection_signed", inspection_body(findings=[finding("1" * 32), finding("2" * 32)]))
    again = tablet.fact("inspection_signed", inspection_body(findings=[finding("2" * 32), finding("3" * 32)]),
                        revises=one.id)
    third = tablet.fact("inspection_signed", inspection_body(findings=[finding("3" * 32)]), revises=one.id)
    closing = other.fact("inspection_signed", inspection_body(type="re-inspection", closes=["3" * 32]))
    unclosing = other.fact("inspection_signed", inspection_body(type="re-inspection", closes=["9" * 32]))
    order = tablet.fact("order_posted", order_body(tablet, 0), needs=(again.id,))
    voided = tablet.fact("order_posted", order_body(tablet, 1))
    recommended = other.fact("order_recommended", recommended_body(other, 0), user="ben", needs=(closing.id,))
    twins = [tablet.fact("order_posted", order_body(tablet, 2)) for _ in range(2)]
    ups = [other.fact("order_affixed", {
        "number": recommended.body["number"], "order": recommended.id, "posted_on": day,
        "posted_at": f"{day}T10:00:00-05:00", "place": "fence"}, user="ben") for day in ("2026-08-29", "2026-08-28")]
    files = [("a" * 64, "photo")], [("b" * 64, "photo")]
    photos = [
        tablet.fact("photo_added", {"about": {"order": order.body["number"]}, "photo": photo("a" * 64)},
                    evidence=files[0]),
        other.fact("photo_added", {"about": {"fact": one.id}, "photo": photo("b" * 64)}, evidence=files[1]),
    ]
    outsider = other.fact("order_posted", order_body(other, 1), user="ben")
    future = other.fact("not_yet_known", {"x": 1})
    lost = tablet.fact("inspection_signed", inspection_body(), needs=("e" * 32,))
    found = tablet.fact("site_reported", report_body())
    seen = tablet.fact("inspection_signed", inspection_body(site=NEW, permit=None, findings=[finding("4" * 32)]),
                       needs=(found.id,))
    asked = other.fact("site_reported", report_body(
        new=False, need={"result": "not_required", "clauses": []}, reported_at="2026-08-27T15:00:00-05:00"),
        needs=(found.id,))
    rain = other.fact("rain_recorded", rain_body(site=NEW), needs=(found.id,))
    better = other.fact("rain_recorded", rain_body(site=NEW, inches="0.40"), revises=rain.id, needs=(found.id,))
    mine = [one, again, third, order, voided, *twins, photos[0], lost, found, seen]
    theirs = [closing, unclosing, recommended, *ups, photos[1], outsider, future, asked, rain, better]
    items = [(tablet, tablet.item(f)) for f in mine] + [(other, other.item(f)) for f in theirs]
    return items, recommended.id, voided.id


def everything(city):
    """What the tables say, without what only counts arrivals (register numbers, places in the sequence)."""
    found = {}
    with city.db.read() as tx:
        for table in (inspections, findings, affixings, attachments, sites, site_reports, rains):
            found[table.name] = sorted(map(repr, tx.execute(select(table))))
        found["facts"] = sorted(tuple(row) for row in tx.execute(select(
            facts.c.id, facts.c.sha256, facts.c.state, facts.c.reason, facts.c.waits_for)).tuples())
        found["orders"] = sorted(repr((row.id, row.status, row.posted_on, row.issued_on, row.permit_in_force,
                                       {**row.doc, "register": None})) for row in tx.execute(select(orders)))
        found["feed"] = sorted(
            repr((row.kind, row.id, {**row.doc, "register": None} if row.kind == "order" else row.doc))
            for row in tx.execute(select(feed)) if row.doc is not None)
    return found


@cache
def worn():
    return memory_city(StoppedClock())


def replay(arrivals):
    """A fresh city; the day's items arrive as ``arrivals`` says; the office acts as soon as it can."""
    city = memory_city(StoppedClock(), over=worn())
    tablet, other = field_tablet(city, "ada", seed=7), field_tablet(city, "ada", "ben", seed=8)
    items, to_issue, to_decline = a_day(tablet, other)
    for index in arrivals(len(items)):
        sender, item = items[index]
        receive_facts(city, sender.tablet, [item])
        with city.db.read() as tx:
            status = dict(tx.execute(select(orders.c.id, orders.c.status)).tuples().all())
        if status.get(to_issue) == "recommended":
            issue_recommended_order(city, "carol", to_issue)
        if status.get(to_decline) == "in_force":
            decline_order(city, "carol", to_decline, "not our site")
        with city.db.read() as tx:
            new = find(tx, sites, city_id=city.id, id=NEW)
        if new is not None and not new.doc.get("same_as"):
            same_site(city, "carol", NEW, "site-02", "the ditch of lot 2")
    audit.verify(city)
    return everything(city)


AS_WRITTEN = replay(range)


def test_the_day_holds_what_it_should():
    states = [state for _, _, state, _, _ in AS_WRITTEN["facts"]]
    assert (states.count("applied"), states.count("waiting"), states.count("quarantined")) == (19, 2, 1)
    assert len(AS_WRITTEN["orders"]) == 5
    assert sum("'voided'" in order for order in AS_WRITTEN["orders"]) == 1
    assert sum("'quarantined'" in order for order in AS_WRITTEN["orders"]) == 2


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.data())
def test_any_order_of_arrival_gives_the_same_state(data):
    def shuffled(count):
        order = data.draw(st.permutations(range(count)))
        repeats = data.draw(st.lists(st.integers(0, count - 1), max_size=6))
        return [*order, *repeats]

    assert replay(shuffled) == AS_WRITTEN


def test_the_reverse_order_gives_the_same_state():
    assert replay(lambda count: reversed(range(count))) == AS_WRITTEN
