"""Release, re-post and void on the tablet, with no network, and what the office makes of them."""

import asyncio
from datetime import date

import pytest

from sync.records.problems import Problem
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.deciding import void_order
from sync.server.casework.orders import issue_recommended_order
from sync.server.casework.people import end_power
from tests.support.field_desk import PIN, bench, ready, settle, until
from tests.support.field_steps import failing_inspection, posted_order, recommended_order
from tests.support.powers import grant


def test_a_release_signed_with_no_network_ends_the_order_here_and_later_there(tmp_path):
    async def job():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "release")
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            await posted_order(work, await failing_inspection(work))
            (order,) = work.site("site-01").orders
            with pytest.raises(Problem) as empty:
                await work.release_order(order.fact, " ", PIN)
            assert empty.value.code == "reasons-missing"
            row = await work.release_order(order.fact, "The street is clean.", PIN)
            assert (row.status, row.clocks, row.number) == ("released", (), order.number)
            assert "The street is clean." in row.words
            [down] = work.today().take_down
            assert down.number == order.number and "The street is clean." in down.words
            assert down.words.endswith("Take the placard down.")
            with pytest.raises(Problem) as twice:
                await work.release_order(order.fact, "Once more.", PIN)
            assert twice.value.code == "order-not-open"
            desk.network.up = True
            await settle(work)
            (row,) = work.site("site-01").orders
            assert row.status == "released" and "The street is clean." in row.words
            assert [one.state for one in work.outbox().rows] == ["safe"] * 3
            desk.clock.advance(days=8)
            assert work.today().take_down == (), "said for a week: nobody records that it came down"
        assert open_conflicts(desk.city) == []

    asyncio.run(job())


def test_a_placard_put_up_again_keeps_number_and_clocks(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await posted_order(work, await failing_inspection(work))
            (order,) = work.site("site-01").orders
            desk.clock.set("2026-08-30T09:00:00-05:00")
            row = await work.repost_placard(order.fact, "Main gate", "The wind took it.", PIN)
            await work.repost_placard(order.fact, "Main gate", "The wind took it.", PIN)
            assert (row.number, row.clocks) == (order.number, order.clocks)
            await settle(work, lambda: work.site("site-01").orders[0].status == "in_force")
            assert work.site("site-01").orders[0].clocks == order.clocks
            [doc] = [doc for doc in work._desk.store.table("orders").all() if doc["id"] == order.fact]
            assert [(up["on"], up["place"]) for up in doc["reposted"]] == [("2026-08-30", "Main gate")]

    asyncio.run(job())


def test_who_may_not_release_or_void_is_told_so_on_the_tablet(tmp_path):
    async def job():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            await posted_order(work, await failing_inspection(work))
            (order,) = work.site("site-01").orders
            for act in (work.release_order, work.void_order):
                with pytest.raises(Problem) as refused:
                    await act(order.fact, "I think so.", PIN)
                assert refused.value.code == "no-authority"
            assert len(work.outbox().rows) == 2

    asyncio.run(job())


def test_a_voided_order_is_replaced_by_another_and_both_numbers_stay_used(tmp_path):
    async def job():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "void_and_supersede")
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            await posted_order(work, signed)
            (wrong,) = work.site("site-01").orders
            await posted_order(work, signed, how=wrong.fact, reason="The first one names the wrong parcel.")
            right = next(one for one in work.site("site-01").orders if one.fact != wrong.fact)
            row = await work.void_order(wrong.fact, "It names the wrong parcel.", PIN, replaced_by=right.fact)
            assert row.status == "voided" and row.number != right.number
            await settle(work, lambda: {one.status for one in work.site("site-01").orders} == {"voided", "in_force"})
            told = {one.fact: one.status for one in work.site("site-01").orders}
            assert told == {wrong.fact: "voided", right.fact: "in_force"}
        assert open_conflicts(desk.city) == []

    asyncio.run(job())


def test_a_release_that_the_office_sets_aside_does_not_end_the_order_here(tmp_path):
    """The power ended while the tablet was offline: it believed in it, the office does not."""

    async def job():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "release")
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            await posted_order(work, await failing_inspection(work))
            (order,) = work.site("site-01").orders
            await desk.office(end_power, "carol", "ada", "release", date(2026, 8, 26))
            await work.release_order(order.fact, "The street is clean.", PIN)
            desk.network.up = True
            work.start_sync()
            work.send_now()
            await until(lambda: work.site("site-01").orders[0].status == "in_force")
            assert [one.state for one in work.outbox().rows].count("held") == 1
        assert [one.kind for one in open_conflicts(desk.city)] == ["unauthorised_record"]

    asyncio.run(job())


def test_an_issued_order_that_was_voided_meanwhile_is_not_put_up(tmp_path):
    async def job():
        desk = bench(tmp_path)
        grant(desk.city, "carol", "void_and_supersede")
        async with desk.work() as work:
            await ready(desk, work, "ben")
            await recommended_order(work, await failing_inspection(work))
            await settle(work)
            (row,) = work.site("site-01").orders
            await desk.office(issue_recommended_order, "carol", row.fact)
            await settle(work, lambda: work.site("site-01").orders[0].status == "issued")
            placard = await work.begin_affixing(row.number)
            await desk.office(void_order, "carol", row.fact, "Issued for the wrong lot.")
            await settle(work, lambda: work.site("site-01").orders[0].status == "voided")
            view = work.placard(placard.id)
            assert "Issued for the wrong lot." in view.ended and not view.valid
            assert not work.site("site-01").orders[0].take_down
            for act in (work.placard_is_up, work.make_placard, work.save_placard):
                with pytest.raises(Problem) as caught:
                    await act(placard.id)
                assert caught.value.code == "order-not-open"

    asyncio.run(job())
