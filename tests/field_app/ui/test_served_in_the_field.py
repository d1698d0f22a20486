"""A copy of the order in the landowner's hands: chosen on the tablet, counted in the office, shown on the tablet."""

import asyncio
from pathlib import Path

from tests.support.field_desk import PIN, bench, refused, settle
from tests.support.field_steps import failing_inspection, written_order
from tests.support.tablet_window import window


def test_what_the_person_met_is_to_the_site_is_chosen_and_counts_as_service(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.set_up("ada")
            work = w.work
            order = await written_order(work, await failing_inspection(work))
            await work.set_nobody_present(order, False)
            w.shell.go("order", draft=order)
            await w.appears("step-met")
            await w.press("step-met")
            await w.appears("met-name-new")
            await w.type("met-name-new", "Eva Larsen")
            await w.press("met-add")
            await w.press("met-served-0")
            counts = "Only a copy for the landowner, the permittee, a land user or a contractor counts as service."
            assert w.screen.shows(counts)
            await w.press("step-review")
            await w.appears("unsaid")
            assert w.screen.shows("Say what Eva Larsen is to the site: until then the copy counts as no service.")
            await w.press("unsaid-0")
            await w.appears("met-party-0-other")
            assert w.screen.shows("Other, or not known")
            await w.press("met-party-0-landowner")
            await w.until(lambda: work.order(order).unsaid == (), "it is said")
            assert not w.screen.shows(counts)
            view = await work.set_met(order, 0, "Eva Larsen", "owner of lot 1", True)
            assert (view.met[0].party, view.met[0].party_words) == ("landowner", "Landowner"), "it stays as chosen"
            for index, party, code in ((0, "king", "choice-unknown"), (1, "landowner", "item-unknown")):
                assert await refused(work.set_met_party(order, index, party)) == code
            await work.make_placard(order)
            await work.placard_is_up(order)
            await work.post_order(order, PIN)
            await settle(work, lambda: work.site("site-01").orders[0].status == "in_force")
            (row,) = work.site("site-01").orders
            assert "Served: landowner (Thu Aug 27, 2026)" in row.words

    asyncio.run(go())
