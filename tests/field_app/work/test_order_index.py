"""What is asked of orders at each keystroke is kept, and is right again after every change."""

import asyncio
from pathlib import Path

from field_app.work import order_index, orders_known, photos_owed
from tests.support.field_desk import PIN, bench, jpeg, ready
from tests.support.field_steps import failing_inspection, posted_order
from tests.support.powers import grant


def test_the_list_of_orders_is_kept_until_something_of_it_changes(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        grant(desk.city, "ada", "release")
        async with desk.work() as work:
            await ready(desk, work)
            desk.network.up = False
            inner = work._desk
            signed = await failing_inspection(work)
            placard = await posted_order(work, signed)
            first = orders_known.all_orders(inner)
            assert [order.number for order in first] == [placard.number]
            assert orders_known.all_orders(inner) is first, "nothing changed: nothing is looked at"
            looked_at = []
            inner.fact, before = (lambda row: (looked_at.append(row["id"]), before(row))[1]), inner.fact
            fact = first[0].fact
            for _keystroke in range(3):
                work.order_act(fact, "release")
                assert "from afar" in photos_owed.placard_nag(inner, first[0])
            assert looked_at.count(fact) <= 2, "each record is read once at most for what is asked"
            # An inspection is no order: of it nothing is read again.
            signed = await failing_inspection(work)
            looked_at.clear()
            work.order_act(fact, "release")
            read = {row["kind"] for row in inner.store.table("facts").all() if row["id"] in looked_at}
            assert read <= order_index.KINDS

            await work.add_order_photo(placard.number, jpeg(4), source="camera", view="wide")
            assert photos_owed.placard_nag(inner, first[0]) == (
                "A photo of the placard from near is still to be taken.")
            second = await posted_order(work, signed)
            assert [order.number for order in orders_known.all_orders(inner)] == [placard.number, second.number]
            assert orders_known.printed_here(inner, second.number) == second.id
            await work.release_order(fact, "The street is clean.", PIN)
            assert orders_known.order_by_fact(inner, fact).status == "released"
            assert orders_known.order_by_number(inner, second.number).status == "posted"
            async with inner.store.change() as tx:
                tx.delete("facts", fact)
            assert orders_known.order_by_fact(inner, fact) is None
    asyncio.run(go())
