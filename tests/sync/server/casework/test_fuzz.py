"""Well-signed nonsense: whatever a tablet may sign, the server answers with one of the four answers and stays whole."""

import copy
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import String, select

from sync.records.macs import sign
from sync.records.wire import encode
from sync.server.casework import audit, queries
from sync.server.casework.feed import changes_since
from sync.server.casework.receiving import Item, receipts_for, receive_facts
from sync.server.db.schema import metadata
from tests.support.city import (
    FieldTablet,
    field_tablet,
    finding,
    inspection_body,
    memory_city,
    order_body,
    recommended_body,
)
from tests.support.clock import StoppedClock

PHOTO = {"sha256": "a" * 64, "taken": {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": 1,
                                       "boot": "b", "offset_ms": None},
         "source": "camera", "position": None, "no_position": "no fix", "item": None, "finding": None, "view": "wide",
         "name": None}
FILES = [("a" * 64, "photo")]
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.text(max_size=90), st.just("x" * 8_001),
    st.just("x" * 7_000), st.sampled_from(["", " ", "0" * 32, "f" * 64, "2026-02-30", "0001-01-01", "9999-12-31",
                                           "2026-08-27T14:03:22.123456-05:00", "9999-12-31T23:59:59+14:00", "site-02",
                                           "SW-2026-T01-0001-1", "\ud800", "\x00", "ben", "T02", "corrected"]),
    st.lists(st.none(), max_size=2), st.dictionaries(st.text(max_size=4), st.none(), max_size=2))


DATES = ["0001-01-01", "1999-12-31", "2026-08-27", "2026-12-31", "2032-12-30", "2051-01-01", "9999-12-31"]
WALLS = [f"{day}T{at}" for day in DATES for at in ("00:00:00+00:00", "23:59:59.999999-11:59", "12:00:00+14:00")]
WORDS = ["x", "x" * 7_000, "é" * 65, "\x00", "ben", "carol", "nobody", "site-02", "site-99", "T01", "T02", "open",
         "corrected", "critical", "minor", "weekly", "final", "compliant", "0" * 32, "f" * 32, "1" * 32, "a" * 64]


def kin(value):
    """Something else of the same sort, so that the change is not found out by the first look at its type."""
    if isinstance(value, bool):
        return st.just(not value)
    if isinstance(value, int):
        return st.sampled_from([0, 1, 2, 999, 10**9, 10**15])
    if isinstance(value, list):
        return st.sampled_from([[], value + value, value[:1] * 3])
    if isinstance(value, str) and len(value) == 10 and value[4] == "-":
        return st.sampled_from(DATES)
    if isinstance(value, str) and "T" in value and ":" in value:
        return st.sampled_from(WALLS)
    return st.sampled_from(WORDS) if isinstance(value, str) else JUNK


@cache
def worn():
    return memory_city(StoppedClock())


def places(value, path=()):
    """Every place in a document that can be changed."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield (*path, index)
            yield from places(inner, (*path, index))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def set_at(document, path, value):
    changed = copy.deepcopy(document)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed


def samples(tablet: FieldTablet):
    """One well-formed fact of each kind."""
    inspection = tablet.fact("inspection_signed", inspection_body(
        findings=[finding("1" * 32, photos=["a" * 64])], photos=[PHOTO], closes=["2" * 32]), evidence=FILES)
    posted = tablet.fact("order_posted", order_body(tablet, 0, findings=[
        {"fact": inspection.id, "finding": "1" * 32}]), needs=(inspection.id,))
    recommended = tablet.fact("order_recommended", recommended_body(tablet, 1))
    affixed = tablet.fact("order_affixed", {
        "number": recommended.body["number"], "order": recommended.id, "posted_on": "2026-08-28",
        "posted_at": "2026-08-28T10:00:00-05:00", "place": "fence"})
    added = tablet.fact("photo_added", {"about": {"order": posted.body["number"]}, "photo": PHOTO}, evidence=FILES)
    return [inspection, posted, recommended, affixed, added]


def signed(tablet, document):
    """The document as its tablet would send it, signed with the real key whatever it says."""
    ident, key = tablet.credentials["ada"]
    try:
        data = encode(document)
    except Exception:
        return None
    return Item(data.decode(), sign(key, data), ident)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_changed_anywhere_it_is_answered_and_everything_can_still_be_looked_at(data):
    city = memory_city(StoppedClock(), over=worn())
    tablet = field_tablet(city, "ada")
    items = []
    changed = data.draw(st.sets(st.integers(0, 4), max_size=2))
    for number, fact in enumerate(samples(tablet)):
        document = fact.to_wire()
        if number in changed:
            everywhere = list(places(document))
            inside = [path for path in everywhere if path[0] == "body" and len(path) > 1]
            path = data.draw(st.one_of(st.sampled_from(inside), st.sampled_from(everywhere)))
            value = at(document, path)
            document = set_at(document, path, data.draw(st.one_of(kin(value), kin(value), kin(value), JUNK)))
        item = signed(tablet, document)
        if item is not None:
            items.append(item)
    answers = receive_facts(city, tablet.tablet, data.draw(st.permutations(items)))
    for answer in answers:
        assert "refused" in answer or '"apply-failed"' not in answer["text"]
    assert audit.verify(city) > 0
    aside = queries.set_aside(city)
    assert not [one for one in aside["waiting"] if one["reason"] == "apply-failed"]
    queries.desk(city), queries.site_list(city), queries.site_page(city, "site-01"), queries.tablet_list(city)
    for row in queries.inspection_list(city):
        assert queries.inspection_page(city, row["id"])
    for row in queries.order_list(city):
        assert queries.order_page(city, row["id"])
    receipts_for(city, tablet.tablet, [fact["fact"] for fact in aside["quarantined"]])
    page = changes_since(city, tablet.tablet.id, "", "", 0, 500)
    for item in page.items:
        encode(item.doc)
    fits_its_columns(city)


def fits_its_columns(city):
    """SQLite lets a text be longer than its column says; PostgreSQL would undo the whole batch."""
    with city.db.read() as tx:
        for table in metadata.sorted_tables:
            limits = {c.name: c.type.length for c in table.columns if isinstance(c.type, String) and c.type.length}
            for row in tx.execute(select(table)).mappings():
                for name, limit in limits.items():
                    assert row[name] is None or len(row[name]) <= limit, (table.name, name, row[name])
