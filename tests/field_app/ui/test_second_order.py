"""A second order on a site, and ground (a) where a permit is in force: said first, taken only with a reason."""

import asyncio
from pathlib import Path

from sync.server.casework.conflicts import open_conflicts
from tests.support.field_desk import PIN, bench, ready, refused, settle, sign_in, signed_facts
from tests.support.field_steps import failing_inspection, posted_order, recommended_order, written_order
from tests.support.tablet_window import window


def test_the_order_that_stands_is_said_and_a_second_one_needs_a_choice_with_a_reason(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.set_up()
            signed = await failing_inspection(w.work)
            w.shell.go("signed", fact=signed.fact)
            await w.appears("begin-order")
            first = (await posted_order(w.work, signed)).number
            await w.appears("ordered")
            assert "begin-order" not in w.screen.ids() and w.screen.shows(f"Order {first} rests on this inspection.")
            await w.press("see-order")
            assert f"order-from-{signed.fact}" not in w.screen.ids()
            await w.press("begin-site-order")
            await w.appears(f"second-order-{first}")
            assert {f"second-repost-{first}", f"second-photo-{first}", "second-inspect"} <= set(w.screen.ids())
            assert not w.screen.enabled("second-write")
            await w.press("second-beside")
            assert w.screen.shows("Both orders stand") and not w.screen.enabled("second-write")
            await w.type("second-reason", "The north lot has an owner of its own.")
            await w.until(lambda: w.screen.enabled("second-write"), "a choice and a reason")
            await w.press("second-write")
            await w.appears("ground-b")
            await w.press("step-review")
            assert w.screen.shows(f"Beside {first}: The north lot has an owner of its own.")
            draft = w.shell.place["draft"]
            w.shell.go("site", site="site-01")
            await w.press("begin-site-order")
            await w.appears("step-review")
            assert w.shell.place["draft"] == draft, "the one begun is gone on with, unasked"

    asyncio.run(go())


def test_the_reason_is_in_the_record_and_the_office_reads_it(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work)
            signed = await failing_inspection(work)
            await posted_order(work, signed)
            (first,) = work.site("site-01").orders
            assert work.must_ask_first("site-01") and not work.must_ask_first("site-02")
            assert await refused(work.begin_order("site-01")) == "order-stands"
            assert await refused(work.begin_order("site-01", how="beside", reason="  ")) == "reasons-missing"
            assert await refused(work.begin_order("site-01", how="0" * 32, reason="So.")) == "choice-unknown"
            await posted_order(work, signed, how=first.fact, reason="It names the wrong lot.")
            body = next(one.body for one in signed_facts(work, "order_posted") if one.id != first.fact)
            reason = "It names the wrong lot."
            assert body["beside"] == {"orders": [first.fact], "replaces": first.fact, "reason": reason}
            await settle(work, lambda: {one.status for one in work.site("site-01").orders} == {"in_force"})
            (listed,) = [row for row in work.sites().rows if row.id == "site-01"]
            assert listed.order == f"2 stop-work orders: {first.number}, {body['number']}"
            (conflict,) = await desk.office(open_conflicts)
            assert conflict.detail["why"] == [[body["number"], "It names the wrong lot."]]

    asyncio.run(go())


def test_ground_a_beside_a_permit_in_force_says_which_work_it_does_not_cover(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            order = await written_order(w.work, await failing_inspection(w.work))
            w.shell.go("order", draft=order)
            await w.press("step-grounds")
            assert "permit-covers" not in w.screen.ids()
            await w.press("ground-a")
            await w.appears("permit-covers")
            assert w.screen.shows("ground (a) does not hold for work that it covers")
            assert [one.field for one in w.work.order(order).missing] == ["grounds"]
            assert await refused(w.work.make_placard(order)) == "order-incomplete"
            await w.type("order-outside", "The pit behind lot 4.")
            await w.until(lambda: w.work.order(order).missing == (), "it says which work")
            await w.work.make_placard(order)
            await w.work.placard_is_up(order)
            await w.work.post_order(order, PIN)
            body = signed_facts(w.work, "order_posted")[0].body
            assert body["outside"] == "The pit behind lot 4." and body["observed"].endswith("The pit behind lot 4.")

    asyncio.run(go())


def test_an_order_that_somebody_else_recommended_is_said_first_too(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with desk.work() as work:
            await ready(desk, work, "ben")
            await recommended_order(work, await failing_inspection(work))
            await settle(work)
            (asked,) = work.site("site-01").orders
            await sign_in(desk, work, "ada")
            await settle(work)
            view = work.second_order("site-01")
            assert work.must_ask_first("site-01") and view.title == "An order is recommended here already"
            assert [one.number for one in view.orders] == [asked.number]
            assert "The office decides on the recommendation" in view.says["beside"]
            assert await refused(work.begin_order("site-01")) == "order-stands"
            draft = await work.begin_order("site-01", how=asked.fact, reason="It cannot wait.")
            assert draft.beside == (f"In place of {asked.number}: It cannot wait.",)

    asyncio.run(go())
