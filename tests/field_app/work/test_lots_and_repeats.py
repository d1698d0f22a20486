"""Lots of one development on the tablet: an order binds those chosen; a second one after a release repeats it."""

import asyncio

import pytest

from sync.records.problems import Problem
from sync.server.casework.conflicts import open_conflicts
from sync.server.casework.site_records import change_site
from tests.support.field_desk import PIN, bench, ready, settle
from tests.support.field_steps import failing_inspection, posted_order, written_order
from tests.support.powers import grant


def test_an_order_binds_the_lots_that_were_chosen_and_one_after_a_release_says_what_it_repeats(tmp_path):
    async def job():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "release")
        change_site(desk.city, "carol", "site-01", {"parcel": "251-01, 251-02"})
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            order = await written_order(work, signed)
            view = await work.set_order_parcel(order, "251-01", False)
            assert [one.value for one in view.parcels] == ["251-01", "251-02"]
            assert (view.parcels_chosen, view.parcel) == (("251-02",), "251-02")
            view = await work.set_order_parcel(order, "251-02", False)
            assert view.parcels_chosen == ("251-02",), "one of them stays"
            with pytest.raises(Problem) as unknown:
                await work.set_order_parcel(order, "251-09", True)
            assert unknown.value.code == "choice-unknown"
            await work.make_placard(order)
            await work.placard_is_up(order)
            await work.post_order(order, PIN)
            (first,) = work.site("site-01").orders
            await work.release_order(first.fact, "The street is clean.", PIN)
            desk.clock.set("2026-08-27T16:00:00-05:00")
            await posted_order(work, signed)
            await settle(work, lambda: {one.status for one in work.site("site-01").orders} == {"released", "in_force"})
            second = next(one for one in work.site("site-01").orders if one.fact != first.fact)
            repeats = f"Repeat: {first.number} was released on Thu Aug 27, 2026. This order has time limits of its own"
            assert repeats in second.words
            assert "Repeat" not in next(one for one in work.site("site-01").orders if one.fact == first.fact).words
        assert open_conflicts(desk.city) == []

    asyncio.run(job())
