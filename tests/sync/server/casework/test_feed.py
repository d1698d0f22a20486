"""The change feed: in order, in pages, told once; another epoch or scope starts again; a tombstone says "gone"."""

import pytest

from sync.records.down import KINDS
from sync.server.casework import feed, founding, lives
from tests.support.city import field_tablet, finding, inspection_body, memory_city
from tests.support.clock import StoppedClock


@pytest.fixture
def city():
    return memory_city(StoppedClock())


@pytest.fixture
def tablet(city):
    return field_tablet(city)


def pull(city, tablet, cursor=("", "", 0), limit=7):
    """Everything after a cursor, page by page; the changes, the last cursor, whether it began anew."""
    items, restarted = [], False
    while True:
        page = feed.changes_since(city, tablet.tablet.id, *cursor, limit)
        restarted = restarted or page.restart
        items += page.items
        cursor = (page.epoch, page.scope, page.seq)
        if not page.more:
            return items, cursor, restarted


def test_a_first_pull_brings_everything_in_pages_and_in_order(city, tablet):
    items, cursor, restarted = pull(city, tablet)
    assert restarted
    assert [i.seq for i in items] == sorted(i.seq for i in items)
    assert {i.kind for i in items} == {"pack", "person", "site", "permit", "inlet", "credential"}
    assert pull(city, tablet, cursor) == ([], cursor, False)
    whole, _, _ = pull(city, tablet, limit=500)
    assert whole == items


def test_every_document_is_what_the_records_say_it_is(city, tablet):
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[finding("f1")])))
    for item in pull(city, tablet)[0]:
        assert KINDS[item.kind].from_wire(item.doc).id == item.id


def test_a_change_comes_down_once_more_and_only_then(city, tablet):
    _, cursor, _ = pull(city, tablet)
    permit = {"id": "permit-01", "site": "site-01", "number": "EC-2026-014", "state": "revoked",
              "issued_on": "2026-06-01", "last_valid_day": "2026-08-27", "conditions": []}
    for _ in range(2):
        city.db.write(lambda tx: founding.keep_permit(tx, city, permit))
    items, cursor, restarted = pull(city, tablet, cursor)
    assert not restarted
    assert [(i.kind, i.id, i.doc["state"]) for i in items] == [("permit", "permit-01", "revoked")]


def test_what_is_gone_comes_down_as_a_tombstone(city, tablet):
    first = tablet.fact("inspection_signed", inspection_body(findings=[finding("1" * 32), finding("2" * 32)]))
    tablet.push(first)
    _, cursor, _ = pull(city, tablet)
    tablet.push(tablet.fact("inspection_signed", inspection_body(findings=[finding("2" * 32)]), revises=first.id))
    items, _, _ = pull(city, tablet, cursor)
    assert ("finding", "1" * 32, None) in [(i.kind, i.id, i.doc) for i in items]


def test_what_is_withdrawn_is_told_as_gone_once_and_what_was_never_told_is_not(city, tablet):
    everything, cursor, _ = pull(city, tablet)
    [inlet, *_] = [item.id for item in everything if item.kind == "inlet"]
    for ident in (inlet, inlet, "never-told"):
        city.db.write(lambda tx, ident=ident: feed.withdraw(tx, city, "inlet", ident))
    items, _, _ = pull(city, tablet, cursor)
    assert [(item.kind, item.id, item.doc) for item in items] == [("inlet", inlet, None)]
    assert [item.doc for item in pull(city, tablet)[0] if item.id == inlet] == [None], "also to who begins at 0"


@pytest.mark.parametrize("wrong", ["epoch", "scope", "seq"])
def test_a_foreign_cursor_starts_again_from_zero(city, tablet, wrong):
    everything, (epoch, scope, seq), _ = pull(city, tablet)
    cursor = {"epoch": epoch, "scope": scope, "seq": seq,
              **{wrong: {"epoch": "0" * 32, "scope": "99", "seq": seq + 1}[wrong]}}
    items, _, restarted = pull(city, tablet, tuple(cursor.values()))
    assert restarted
    assert items == everything


def test_a_restored_server_has_another_epoch(city, tablet):
    everything, cursor, _ = pull(city, tablet)
    epoch = lives.begin_life(city)
    items, after, restarted = pull(city, tablet, cursor)
    assert restarted and items == everything
    assert after[0] == epoch != cursor[0]


def test_a_page_is_bounded_in_bytes_but_never_empty(city, tablet, monkeypatch):
    monkeypatch.setattr(feed, "MAX_PAGE_BYTES", 10)
    items, _, _ = pull(city, tablet, limit=500)
    assert len(items) == 11
