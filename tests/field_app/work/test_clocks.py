"""Clocks that are wrong, dead or set back in the middle: said in plain words, kept apart, and they break nothing."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from field_app.hardware.ports import Fix
from field_app.work import clocks
from field_app.work.order_view import order_doc
from field_app.work.placards import dates_of
from sync.records.facts import parse
from sync.records.problems import Problem
from sync.records.times import At
from sync.server.casework import queries
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console.routes import console_routes
from tests.support.field_desk import PIN, StoppedClock, bench, jpeg, moment, ready, settle, until
from tests.support.field_steps import failing_inspection, nothing_else, soil_on_the_road, written_order
from tests.support.papers import flat

NOON = "2026-08-27T12:00:00-05:00"
# A dead battery, a clock set back by a hand, and one that is years ahead.
SET_TO = ("2000-01-01T00:00:07+00:00", "2026-08-27T08:00:00-05:00", "2031-05-05T05:05:05-05:00")


class OwnClock(StoppedClock):
    """A tablet's wall clock that can be set by itself; the monotonic one goes with the office's."""

    def __init__(self, office, boot="b0"):
        super().__init__(office.now().isoformat())
        self.office, self.boot, self._start = office, boot, office.now()

    def monotonic_ms(self):
        return round((self.office.now() - self._start).total_seconds() * 1000)

    def off(self, **by):
        """Set the wall clock so far ahead of the office's (negative: behind)."""
        self._now = self.office.now() + timedelta(**by)

    def passes(self, **by):
        """Time goes by for everybody."""
        self.office.advance(**by)
        self._now += timedelta(**by)


def own(desk):
    clock = OwnClock(desk.clock)
    return clock, replace(desk, clock=clock)


def said(work):
    found = [one for one in work.warnings() if one.kind == "clock"]
    return (found[0].level, found[0].sentence) if found else None


async def hears(work, clock):
    """The tablet hears from the office once more."""
    clock.passes(minutes=2)
    work._desk.contact_noted = None
    work.start_sync()
    work.send_now()
    before = clocks.contact(work._desk).get("at")
    await until(lambda: clocks.contact(work._desk).get("at") != before)
    await work.stop_sync()


@pytest.mark.parametrize(("by", "level", "words"), [
    ({"seconds": 100}, None, None),
    ({"minutes": 7}, "warn", "This tablet's clock is 7 minutes ahead."),
    ({"minutes": -7}, "warn", "This tablet's clock is 7 minutes behind."),
    ({"minutes": 20}, "bad", "This tablet's clock is 20 minutes ahead."),
    ({"hours": -5}, "bad", "This tablet's clock is 5 hours behind."),
    ({"hours": 13}, "bad", "This tablet's clock is 13 hours ahead. It shows Fri Aug 28, 2026: that day goes on every "
                           "record and placard."),
    ({"days": -3}, "bad", "This tablet's clock is 3 days behind. It shows Mon Aug 24, 2026: that day goes on every "
                          "record and placard."),
])
def test_a_clock_that_is_off_is_said_in_plain_words(tmp_path, by, level, words):
    async def job():
        clock, desk = own(bench(tmp_path, at=NOON))
        async with desk.work() as work:
            await ready(desk, work)
            assert said(work) is None
            clock.off(**by)
            await hears(work, clock)
            assert said(work) == (None if level is None else (level, words))
            clock.off(seconds=0)
            await hears(work, clock)
            assert said(work) is None, "it was set right"

    asyncio.run(job())


def test_each_clock_stands_in_the_record_by_itself(tmp_path):
    async def job():
        clock, desk = own(bench(tmp_path, at=NOON))

        async def fix(wait=15.0):
            return Fix(43_073_100, -89_401_200, 500, fixed_at=clock.now(), gps_at=desk.clock.office.now())

        desk.position.fix = fix
        async with desk.work() as work:
            await ready(desk, work)
            clock.off(minutes=7)
            await hears(work, clock)
            await work.start()
            draft = (await work.begin_inspection("site-01")).id
            await work.add_photo(draft, "", jpeg(3), source="camera", view="wide")
            clock.passes(minutes=1)
            clock.off(hours=-2)
            at = work._desk.at()
        assert at.offset_ms == -420_000, "the server's, at the last contact"
        assert at.set_back_ms == 127 * 60_000, "seven minutes ahead then, two hours behind now"
        assert at.gps_offset_ms == 2 * 3_600_000
        assert at.off == timedelta(hours=2) and At.from_wire(at.to_wire()) == at
        assert (at.mono_ms, at.boot) == (clock.monotonic_ms(), "b0")

    asyncio.run(job())


def test_what_an_older_tablet_tells_of_its_clocks_is_enough():
    old = {"wall": "2026-08-27T14:03:22-05:00", "zone": "America/Chicago", "mono_ms": 1, "boot": "b", "offset_ms": None}
    at = At.from_wire(old)
    assert (at.gps_offset_ms, at.set_back_ms, at.off) == (None, None, None) and at.to_wire() == old
    for key in ("offset_ms", "gps_offset_ms", "set_back_ms"):
        for bad in (1.5, "1", True, 2**60):
            with pytest.raises(Problem):
                At.from_wire({**old, key: bad})


@pytest.mark.parametrize("set_to", SET_TO)
def test_a_clock_set_in_the_middle_breaks_no_draft_and_no_order_of_events(tmp_path, set_to):
    async def job():
        clock, desk = own(bench(tmp_path, at=NOON))
        async with desk.work() as work:
            await ready(desk, work)
            draft = (await work.begin_inspection("site-01", "rain", "consent")).id
            await work.set_details(draft, rain="0.75", rain_source="estimate")
            await soil_on_the_road(work, draft)
            clock.set(set_to)
            await work.add_photo(draft, "", jpeg(9), source="camera", view="wide")
        clock.boot = "b1"
        async with desk.work() as work:
            assert (await work.start()).draft == draft
            await nothing_else(work, draft)
            first = await work.sign_inspection(draft, PIN)
            clock.off(seconds=0)
            second = await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
            rows = {row.id: row for row in work._desk.outbox.view().facts}
            assert [rows[one.fact].state for one in (first, second)] == ["safe", "safe"]
            assert [rows[one.fact].counter for one in (first, second)] == [1, 2]
            wall = parse(rows[first.fact].text).at
            assert wall.wall == moment(set_to), "the record says what the clock showed"
            behind = wall.set_back_ms
            assert (behind is not None) == (moment(set_to) < moment(NOON))
        with desk.city.db.read() as tx:
            kept = [queries.fact_document(tx, desk.city, one.fact)["text"] for one in (first, second)]
        assert [parse(text).counter for text in kept] == [1, 2]

    asyncio.run(job())


def test_a_clock_set_back_still_lets_an_inspector_post_and_the_office_decides(tmp_path):
    async def job():
        clock, desk = own(bench(tmp_path, at=NOON))
        async with desk.work() as work:
            await ready(desk, work)
            fact = await failing_inspection(work)
            # A dead battery shows a year without a law: no placard can say anything true.
            clock.set("2000-01-01T09:00:00-06:00")
            order = await written_order(work, fact)
            with pytest.raises(Problem) as refused:
                await work.make_placard(order)
            assert refused.value.code == "clock-wrong"
            clock.set("2026-08-21T09:00:00-05:00")
            await work.make_placard(order)
            await work.placard_is_up(order)
            await work.post_order(order, PIN)
            assert said(work)[0] == "bad" and "Fri Aug 21, 2026" in said(work)[1]
            await settle(work)
            await work.stop_sync()
        [doubt] = [one for one in open_conflicts(desk.city) if one.kind == "clock_doubt"]
        assert doubt.detail["why"] == "other day" and doubt.detail["posted_on"] == "2026-08-21"

    asyncio.run(job())


@pytest.mark.parametrize("set_to", SET_TO)
@pytest.mark.parametrize("restarted", [False, True])
def test_a_wrong_pin_waits_its_time_whatever_the_clock_is_set_to(tmp_path, set_to, restarted):
    async def job():
        clock, desk = own(bench(tmp_path, at=NOON))
        async with desk.work() as work:
            await ready(desk, work)
            draft = await written(work)
            for _ in range(5):
                clock.passes(minutes=6)
                with pytest.raises(Problem):
                    await work.sign_inspection(draft, "000001")
            clock.set(set_to)
            if not restarted:
                await waits(lambda: work.sign_inspection(draft, PIN), clock)
        if restarted and moment(set_to) < moment(NOON):
            clock.boot, clock._start = "b1", clock.office.now()
            async with desk.work(unlock=False) as work:
                await waits(lambda: work.unlock("ada", PIN), clock)
                assert (await work.sign_inspection(draft, PIN)).fact

    asyncio.run(job())


async def written(work):
    draft = (await work.begin_inspection("site-01", "rain", "consent")).id
    await work.set_details(draft, rain="0.75", rain_source="estimate")
    await soil_on_the_road(work, draft)
    await nothing_else(work, draft)
    return draft


async def waits(try_it, clock):
    clock.passes(seconds=15)
    with pytest.raises(Problem) as refused:
        await try_it()
    assert refused.value.code == "pin-wait"
    clock.passes(seconds=10)
    await try_it()


def test_nothing_is_cleared_away_because_a_clock_is_years_ahead(tmp_path):
    async def job():
        clock, desk = own(bench(tmp_path, at=NOON))
        async with desk.work() as work:
            await ready(desk, work)
            await failing_inspection(work)
            await settle(work)
            await work.stop_sync()
            clock.set("2031-05-05T05:05:05-05:00")
            await work.start()
            assert len(work._desk.outbox.view().facts) == 1
            clock.off(seconds=0)
            clock.passes(days=15)
            await settle(work)
            await work.stop_sync()
            await work.start()
            assert len(work._desk.outbox.view().facts) == 0

    asyncio.run(job())


@pytest.mark.parametrize(("at", "day", "words"), [
    ("2026-10-31T23:30:00-05:00", "2026-10-31", "Sat Oct 31, 2026"),
    ("2026-11-01T00:30:00-05:00", "2026-11-01", "Sun Nov 1, 2026"),
    # Half past one comes twice in that night.
    ("2026-11-01T01:30:00-05:00", "2026-11-01", "Sun Nov 1, 2026"),
    ("2026-11-01T01:30:00-06:00", "2026-11-01", "Sun Nov 1, 2026"),
    ("2027-03-13T23:30:00-06:00", "2027-03-13", "Sat Mar 13, 2027"),
])
def test_in_the_night_when_the_clock_changes_tablet_server_and_papers_name_one_day(tmp_path, at, day, words):
    """B27: no date is ever read off an instant in Greenwich or off a fixed offset."""

    async def job():
        desk = bench(tmp_path, at=at)
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            order = await written_order(work, signed)
            placard = await work.make_placard(order)
            await work.placard_is_up(order)
            await work.post_order(order, PIN)
            assert words in flat(await work.placard_pdf(order))
            here = dates_of(work._desk, order_doc(work._desk, order), day)
            await settle(work)
            await work.stop_sync()
            rows = [parse(row.text) for row in work._desk.outbox.view().facts]
        by_kind = {fact.kind: fact for fact in rows}
        assert by_kind["inspection_signed"].body["inspected_on"] == day
        assert by_kind["order_posted"].body["posted_on"] == by_kind["order_posted"].body["printed_on"] == day
        assert {fact.at.wall.isoformat()[-6:] for fact in rows} == {at[-6:]} and placard.id == order
        city = desk.city
        office = office_of(city)
        inspection, issued = by_kind["inspection_signed"].id, by_kind["order_posted"].id
        assert queries.inspection_page(city, inspection)["row"]["inspected_on"].isoformat() == day
        page = queries.order_page(city, issued)
        assert page["row"]["posted_on"].isoformat() == day
        # The dates that the law counts are the same lines of the same pack on both sides.
        told = [(one["clock"], one["last_day"], one["eligible_from"]) for one in page["doc"]["dates"]]
        assert [(one["clock"], one["last_day"], one["eligible_from"]) for one in here] == told and told
        for paper in (f"/office/inspections/{inspection}/report.pdf", f"/office/orders/{issued}/order.pdf"):
            assert words in flat(office.get(paper).content), paper
        for html in (f"/office/inspections/{inspection}", f"/office/orders/{issued}"):
            assert words in office.get(html).text, html
        assert not [one for one in open_conflicts(city) if "clock" in one.kind]

    asyncio.run(job())


def office_of(city):
    """The office's pages, with the building inspector signed in."""
    app = Starlette(routes=console_routes(city))
    client = TestClient(app, base_url=city.public_url)
    link = create_sign_in_link(city, "keeper", "carol")
    client.post("/office/sign-in", data={"link": link}, headers={"Sec-Fetch-Site": "same-origin"})
    return client
