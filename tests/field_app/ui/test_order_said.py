"""An order in two languages: sentences to tap that the paper says in each, own words given in a second field."""

import asyncio
from pathlib import Path

import flet as ft

from sync.documents.language import translator
from sync.documents.order_texts import ALL_WORK, MAY_GO_ON, MUST_STOP
from tests.support.field_desk import PIN, bench, refused, signed_facts
from tests.support.field_steps import failing_inspection, written_order
from tests.support.papers import flat
from tests.support.tablet_window import window

GRADING, DIGGING, SWEEPING = MUST_STOP["grading"], MUST_STOP["digging"], MAY_GO_ON["sweeping"]


def test_what_is_tapped_stands_in_both_and_what_is_written_where_it_was_given(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.set_up()
            order = await written_order(w.work, await failing_inspection(w.work))

            def now():
                return w.work.order(order)

            w.shell.go("order", draft=order)
            await w.press("step-scope")
            await w.appears("ready-stop-all")
            assert now().must_stop == ALL_WORK and now().ready_chosen["must_stop"] == ("all",)
            assert "order-must-stop-es" not in w.screen.ids(), "a ready-made sentence needs no second field"
            await w.press("ready-stop-grading")
            await w.until(lambda: now().must_stop == GRADING, "a kind of work takes the place of all work")
            await w.press("ready-stop-digging")
            await w.press("ready-go-sweeping")
            await w.until(lambda: now().may_continue == SWEEPING, "it is kept")
            await w.type("order-must-stop", f"{GRADING}\n{DIGGING}\nBlasting behind lot 4.")
            await w.appears("order-must-stop-es")
            await w.type("order-must-stop-es", "Voladuras detrás del lote 4.")
            await w.until(lambda: now().others["must_stop"][0].text == "Voladuras detrás del lote 4.", "it is kept")
            await w.press("ready-stop-digging")
            await w.until(lambda: now().must_stop == f"{GRADING}\nBlasting behind lot 4.", "tapped out again")
            await w.press("step-review")
            await w.appears("languages")
            assert w.screen.shows("Not in Spanish on the paper: what was seen.")
            assert w.screen.shows("The same in Spanish: Voladuras detrás del lote 4."), "what is typed is read in both"
            await w.press("write-both")
            await w.appears("order-observed-es")
            await w.type("order-observed-es", "Lodo en Mill Street, sumidero sin barrera.")
            await w.until(lambda: now().lacking == (), "all of it in both")
            await w.press("step-review")
            await w.appears("make-placard")
            assert "languages" not in w.screen.ids()
            number = now().number
            assert w.screen.shows("comes with the placard") and not w.screen.shows(number)
            await w.press("make-placard")
            await w.appears("placard-sheet")
            assert w.screen.shows(number) and w.screen.shows("What is essential stands there in both languages.")
            text, es = flat(await w.work.placard_pdf(order)), translator("es")
            for said in (f"{GRADING} Blasting behind lot 4.", f"{es(GRADING)} Voladuras detrás del lote 4.",
                         SWEEPING, es(SWEEPING), "Lodo en Mill Street, sumidero sin barrera."):
                assert said in text, said
            assert "figura aquí solo" not in text
            await w.work.placard_is_up(order)
            await w.work.post_order(order, PIN)
            body = signed_facts(w.work, "order_posted")[0].body
            assert body["written_in"] == "en" and body["said"] == {"es": {
                "must_stop": "Voladuras detrás del lote 4.", "observed": "Lodo en Mill Street, sumidero sin barrera."}}

    asyncio.run(go())


def test_a_step_with_nothing_chosen_is_not_ticked_and_the_law_says_its_language(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            order = (await w.work.begin_order("site-01")).id
            await w.work.set_grounds(order, ["a"])
            w.shell.go("order", draft=order)
            await w.appears("step-findings")
            signs = {c.icon for c in w.screen.controls() if isinstance(c, ft.Icon)}
            assert w.work.order(order).missing[0].field != "findings"
            assert ft.Icons.RADIO_BUTTON_UNCHECKED in signs
            assert "law-said" not in w.screen.ids()
            await w.work.set_language("es")
            w.shell.redraw()
            await w.appears("law-said")
            assert w.screen.shows("La frase bajo cada motivo es el texto propio de la ordenanza, en inglés.")

    asyncio.run(go())


def test_a_correction_of_ones_own_has_a_second_field_and_one_of_the_pack_has_none(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            order = await written_order(w.work, await failing_inspection(w.work))
            w.shell.go("order", draft=order)
            await w.press("step-corrections")
            await w.appears("order-correction-0")
            assert "order-correction-0-es" not in w.screen.ids()
            await w.type("order-correction-0", "Sweep the whole street.")
            await w.appears("order-correction-0-es")
            await w.type("order-correction-0-es", "Barra toda la calle.")
            await w.until(lambda: w.work.order(order).corrections[0].others[0].text == "Barra toda la calle.", "kept")
            await w.work.make_placard(order)
            text = flat(await w.work.placard_pdf(order))
            assert "Sweep the whole street. Barra toda la calle." in text
            w.shell.go("placard", draft=order)
            await w.appears("placard-both")
            assert w.screen.shows("what the inspector wrote, as it was given.")
            assert not w.screen.shows("What is essential stands there in both languages.")
            assert await refused(w.work.set_order_correction_in(order, 0, "fr", "Balayez.")) == "choice-unknown"
            assert await refused(w.work.set_order_ready(order, "must_stop", "dancing", True)) == "choice-unknown"

    asyncio.run(go())
