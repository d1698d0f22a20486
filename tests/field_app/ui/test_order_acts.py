"""What is done in the field with an order that stands: put up again, released, voided; and photos still wanted."""

import asyncio
from pathlib import Path

from tests.support.field_desk import bench, jpeg
from tests.support.field_steps import failing_inspection, posted_order
from tests.support.powers import grant
from tests.support.tablet_window import window


def test_a_placard_is_put_up_again_and_the_order_released_with_no_network(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "release")
        async with window(desk, width=412, height=915) as w:
            await w.set_up("ada")
            desk.network.up = False
            placard = await posted_order(w.work, await failing_inspection(w.work))
            w.shell.go("site", site="site-01")
            await w.appears(f"order-{placard.number}")
            assert w.screen.shows("Photos of the placard are still to be taken: one from afar, one from near.")
            await w.work.add_order_photo(placard.number, jpeg(4), source="camera", view="wide")
            await w.screen.settle()
            assert w.screen.shows("A photo of the placard from near is still to be taken.")
            await w.work.add_order_photo(placard.number, jpeg(5), source="camera", view="close")
            await w.screen.settle()
            assert not w.screen.shows("still to be taken")
            assert f"placard-photos-{placard.number}-2" in w.screen.ids(), "what was taken is seen at the order"
            assert w.screen.shows("The building inspector may revoke the permit: from Wed Sep 9, 2026 on")
            assert f"order-void-{placard.number}" not in w.screen.ids(), "that takes another power"
            clocks = w.work.site("site-01").orders[0].clocks

            await w.press(f"order-repost-{placard.number}")
            await w.appears("act-says")
            assert w.screen.shows("No date moves.") and w.screen.shows("Write the reasons first.")
            await w.type("act-place", "North gate")
            await w.type("act-reasons", "It was torn down.")
            assert not w.screen.shows("Write the reasons first.")
            await w.pin()
            await w.appears(f"order-{placard.number}")
            (row,) = w.work.site("site-01").orders
            assert (row.number, row.clocks, row.status) == (placard.number, clocks, "posted")

            await w.press(f"order-release-{placard.number}")
            await w.type("act-reasons", "The street is clean.")
            await w.pin()
            await w.appears(f"order-words-{placard.number}")
            (row,) = w.work.site("site-01").orders
            assert (row.status, row.clocks, row.acts) == ("released", (), ())
            assert w.screen.shows("The street is clean.") and w.screen.shows("Take the placard down.")
            w.shell.go("order_act", fact=row.fact, act="release")
            await w.appears("act-refused")
    asyncio.run(go())


def test_an_order_with_a_wrong_address_is_voided_for_the_one_that_replaces_it(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "void_and_supersede")
        async with window(desk, width=800, height=1280) as w:
            await w.set_up("ada")
            desk.network.up = False
            wrong = await posted_order(w.work, await failing_inspection(w.work))
            right = await posted_order(
                w.work, await failing_inspection(w.work), how="beside", reason="The right address.")
            orders = {row.number: row for row in w.work.site("site-01").orders}
            w.shell.go("order_act", fact=orders[wrong.number].fact, act="void")
            await w.appears("act-other-")
            await w.type("act-reasons", "It names the wrong address.")
            await w.press(f"act-other-{orders[right.number].fact}")
            await w.until(lambda: w.screen.texts("statement")[0].endswith(
                f"void. Stop-work order {right.number} takes its place."), "what is signed names the other order")
            await w.pin()
            await w.appears(f"order-{wrong.number}")
            after = {row.number: row for row in w.work.site("site-01").orders}
            assert (after[wrong.number].status, after[wrong.number].clocks) == ("voided", ())
            assert "It names the wrong address." in after[wrong.number].words, "the void explains the gap"
            assert f"in its place: {right.number}" in after[wrong.number].words
            assert after[right.number].status == "posted" and after[right.number].clocks
            assert wrong.number != right.number
    asyncio.run(go())
