"""Acts done keep their dates and words; open clocks show how an edited calendar moves them; revision orders."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from sync.ordinance.acts import ActRefused, decide
from sync.ordinance.events import Event, EventError, in_order
from sync.ordinance.matter import fold
from sync.ordinance.pack import load_pack
from sync.ordinance.records import calendar_changes, record_act
from sync.ordinance.revisions import Cause, OrderedDevice, RevisionOrder, revision_findings, revision_problems
from sync.where import pack_files

ROWS = [
    Event("order_issued", date(2026, 8, 27)),
    Event("order_posted", date(2026, 8, 27)),
    Event("landowner_served", date(2026, 8, 28)),
    Event("permit_issued", date(2026, 8, 1)),
]


@pytest.fixture(scope="module")
def edited():
    """The demo pack of a later version, with a holiday added on Tue Sep 8 2026."""
    files = pack_files("demo")
    files["pack.toml"] = files["pack.toml"].replace('version = "2026.1"', 'version = "2026.2"')
    files["calendars.toml"] = files["calendars.toml"].replace(
        "{ on = 2026-09-07, holiday", '{ on = 2026-09-08, holiday = "labor" },\n  { on = 2026-09-07, holiday'
    )
    return load_pack(files)


def test_an_act_done_keeps_the_dates_and_words_it_was_done_under(pack, edited):
    matter = fold(pack, ROWS, date(2026, 9, 9))
    record = record_act(decide(matter, "revoke_permit"), by="A. Berg", has_power=True)
    assert (record.pack, record.last_day, record.eligible_from) == ("demo@2026.1", date(2026, 9, 8), date(2026, 9, 9))
    assert record.words["en"].startswith("issued Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day")
    assert record.words["es"].startswith("emitida el jueves 27 de agosto; el día 10 es el domingo 6 de septiembre")
    # Under the edited table the same act would not be open on that day; the record is not touched by that.
    assert not decide(fold(edited, ROWS, date(2026, 9, 9)), "revoke_permit").open
    assert record.last_day == date(2026, 9, 8)


def test_an_act_that_is_refused_leaves_no_record(pack):
    with pytest.raises(ActRefused):
        record_act(decide(fold(pack, ROWS, date(2026, 9, 8)), "revoke_permit"), by="A. Berg", has_power=True)


def test_open_clocks_show_what_an_edited_table_moves_and_acts_done_do_not(pack, edited):
    changes = calendar_changes(pack, edited, ROWS, date(2026, 9, 1))
    moved = {change.act: (change.before.last_day, change.after.last_day) for change in changes}
    assert moved == {
        act: (date(2026, 9, 8), date(2026, 9, 9))
        for act in ("revoke_permit", "request_cease_and_desist", "issue_notice_of_intent")
    }
    assert "last day Tue Sep 8" in changes[0].words() and "demo@2026.2" in changes[0].words()
    done = [
        *ROWS,
        Event("notice_of_intent_issued", date(2026, 9, 9)),
        Event("permit_revoked", date(2026, 9, 9)),
        Event("cease_and_desist_requested", date(2026, 9, 9)),
    ]
    assert calendar_changes(pack, edited, done, date(2026, 9, 10)) == ()
    assert calendar_changes(pack, pack, ROWS, date(2026, 9, 1)) == ()


def test_events_are_taken_by_day_and_then_by_the_list():
    rows = [
        Event("order_released", date(2026, 8, 27)),
        Event("order_posted", date(2026, 8, 27)),
        Event("permit_issued", date(2026, 8, 28)),
        Event("order_issued", date(2026, 8, 27)),
    ]
    assert [event.what for event in in_order(rows)] == [
        "order_issued",
        "order_posted",
        "order_released",
        "permit_issued",
    ]
    with pytest.raises(EventError, match="order_eaten"):
        Event("order_eaten", date(2026, 8, 27))


RAIN = Cause("measured rain", date(2026, 8, 20), rain_in=Decimal("2.4"), hours=6, source="gauge on site")
ORDER = RevisionOrder(
    date(2026, 8, 21),
    RAIN,
    (
        OrderedDevice("r1", "sediment_trap", "below the east slope", date(2026, 8, 24)),
        OrderedDevice("r2", "straw_bales", "ditch", date(2026, 8, 22), installed_on=date(2026, 8, 22)),
    ),
)


def test_a_revision_order_holds_its_cause_and_a_date_for_each_device(pack):
    assert revision_problems(pack, ORDER) == ()
    other = Cause("other condition", date(2026, 8, 20), condition="the dam upstream was opened")
    assert revision_problems(pack, replace(ORDER, cause=other)) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"cause": replace(RAIN, rain_in=None)},
        {"cause": replace(RAIN, source="")},
        {"cause": Cause("other condition", date(2026, 8, 20))},
        {"cause": Cause("bad luck", date(2026, 8, 20))},
        {"cause": replace(RAIN, on=date(2026, 8, 22))},
        {"devices": ()},
        {"devices": (replace(ORDER.devices[0], kind="hedge"),)},
        {"devices": (replace(ORDER.devices[0], place=" "),)},
        {"devices": (replace(ORDER.devices[0], due=date(2026, 8, 20)),)},
        {"devices": (ORDER.devices[0],) * 2},
    ],
)
def test_a_revision_order_that_lacks_something_says_so_once(pack, change):
    assert len(revision_problems(pack, replace(ORDER, **change))) == 1


def test_each_ordered_device_becomes_a_finding_of_its_own(pack):
    on_time = revision_findings(pack, ORDER, date(2026, 8, 24))
    assert [(one.device, one.status, one.due) for one in on_time] == [
        ("r1", "open", date(2026, 8, 24)),
        ("r2", "verified", date(2026, 8, 22)),
    ]
    first = on_time[0]
    assert (first.item, first.clause, first.grounds, first.correction) == (
        "ECD-14",
        "E2",
        ("c",),
        "Sediment trap: below the east slope",
    )
    assert revision_findings(pack, ORDER, date(2026, 8, 25))[0].status == "overdue"
