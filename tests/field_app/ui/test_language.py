"""Another language in the middle of the work: nothing written is lost, and no English sentence stays on a screen."""

import asyncio
import re
from pathlib import Path

from field_app.hardware.ports import Picked
from tests.support import words
from tests.support.field_desk import bench, jpeg
from tests.support.field_steps import failing_inspection, posted_order, written_order
from tests.support.tablet_window import Window, window

ITEM = "TRK-07"
WORDED = ("tooltip", "label", "hint_text", "helper", "help_text", "cancel_text", "confirm_text", "semantics_label")


async def to_spanish(w: Window) -> None:
    await w.press("open-settings")
    await w.press("language-es")
    await w.until(lambda: w.screen.texts("screen-title") == ["Ajustes"], "Spanish")


def on_the_screen(w: Window) -> set[str]:
    """Every text on the page that a person reads or hears."""
    found = set(w.screen.texts())
    for control in w.screen.controls():
        found.update(text for name in WORDED if isinstance(text := getattr(control, name, None), str) and text)
    return found


def english_sentences() -> list[re.Pattern[str]]:
    """What would be English on a Spanish screen: each sentence that reads otherwise in Spanish."""
    patterns = []
    for message in words.read("es"):
        for english, spanish in zip(words.forms(message.id), words.forms(message.string), strict=True):
            # Short words such as "No" and "Final" are the same in both or may be a name.
            if english != spanish and len(re.sub(r"{\w+}|\W", "", english)) > 6:
                parts = re.split(r"{\w+}", english)
                patterns.append(re.compile(".+".join(re.escape(part) for part in parts), re.DOTALL))
    return patterns


ENGLISH = english_sentences()


def assert_spanish(w: Window, where: str, *written: str) -> None:
    """No English sentence is on the screen; what a person wrote stays as it was `written`."""
    left = {text for text in on_the_screen(w) - set(written) for pattern in ENGLISH if pattern.fullmatch(text)}
    assert left == set(), where


def test_the_language_may_change_in_the_middle_of_an_inspection(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.set_up_inspecting("tracking")
            await w.press(f"answer-{ITEM}-yes")
            await w.type(f"note-{ITEM}", "Dry clumps by the gate, 3 m")
            await w.type(f"correction-{ITEM}", "Sweep it before four.")
            await w.press(f"photo-{ITEM}")
            await w.chooser.choose(Picked("gate.jpg", jpeg(7)))
            draft = w.shell.place["draft"]
            stored = w.work._desk.store.table("drafts")
            await w.until(lambda: "photos-kept-1" in w.screen.ids(), "the photo is kept")
            await w.press("camera-done")
            before, place = stored.get(draft), w.shell.place
            assert w.screen.shows("Take another photo")
            await to_spanish(w)
            assert stored.get(draft) == before
            await w.press("back")
            await w.appears(f"item-{ITEM}")
            assert w.shell.place == place
            assert w.screen.value(f"note-{ITEM}") == "Dry clumps by the gate, 3 m"
            assert w.screen.value(f"correction-{ITEM}") == "Sweep it before four."
            assert w.screen.part(f"answer-{ITEM}-yes").selected is True
            assert w.screen.shows("Tomar otra foto")
            assert w.screen.shows("¿Queda en la vía tierra de una jornada anterior?")
            assert_spanish(w, "the item")
            await w.type(f"note-{ITEM}", "Terrones secos junto al portón")
            await w.press("open-settings")
            await w.press("language-en")
            await w.press("back")
            await w.appears(f"item-{ITEM}")
            assert w.screen.value(f"note-{ITEM}") == "Terrones secos junto al portón"
            assert w.screen.shows("Take another photo")
            changed = {key for key, value in stored.get(draft).items() if value != before[key]}
            assert len(changed) == 1, changed  # the items, one of which has another note
    asyncio.run(go())


def test_the_language_may_change_in_the_middle_of_an_order(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            signed = await failing_inspection(w.work)
            order = await written_order(w.work, signed)
            before = w.work._desk.store.table("order_drafts").get(order)
            w.shell.go("order", draft=order)
            await w.appears("step-review")
            await to_spanish(w)
            await w.press("back")
            for step in ("grounds", "findings", "scope", "corrections", "met", "review"):
                await w.press(f"step-{step}")
                assert_spanish(w, step, before["must_stop"])
            assert w.work._desk.store.table("order_drafts").get(order) == before
            await w.press("make-placard")
            await w.appears("placard-sheet")
            assert_spanish(w, "the placard", before["must_stop"])
    asyncio.run(go())


def test_no_screen_speaks_english_to_who_chose_spanish(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            signed = await failing_inspection(w.work)
            await posted_order(w.work, signed)
            await to_spanish(w)
            await w.appears("about")
            assert w.screen.shows("Fijar una orden de detener el trabajo")
            assert_spanish(w, "settings")
            for name, given in (
                ("today", {}), ("map", {}), ("rain", {}), ("sites", {}), ("site", {"site": "site-01"}),
                ("find", {"report": (await w.work.begin_report()).id}), ("signed", {"fact": signed.fact}),
                ("outbox", {}), ("people", {}), ("change_pin", {}),
            ):
                w.shell.go(name, **given)
                await w.screen.settle()
                assert_spanish(w, name)
            orders = w.work._desk.store.table("orders")
            for _minute in range(60):  # the tablet asks the office now and then
                if orders.all():
                    break
                w.bench.clock.advance(minutes=1)
                w.work.send_now()
                await asyncio.sleep(0.1)
            assert orders.all(), "the order came back from the office"
            (row,) = w.work.site("site-01").orders
            assert row.clocks
            assert all(re.search(r"(emitida|se emite|fijada) el ", c.words) for c in row.clocks), row.clocks
            w.shell.go("site", site="site-01")
            await w.press("begin-inspection")
            for section in w.work.inspection(w.shell.place["draft"]).sections:
                await w.press(f"section-{section.id}")
                assert_spanish(w, section.id)
            w.shell.go("review", draft=w.shell.place["draft"])
            await w.screen.settle()
            assert_spanish(w, "review")
    asyncio.run(go())


def test_a_refusal_is_said_in_the_language_of_the_tablet(tmp_path: Path):
    """Where there are no Spanish words for a detail, the title of its kind is shown, never English."""

    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            await w.work.set_language("es")
            w.shell.dress()
            for act, sentence in (
                (lambda: w.work.set_language("fr"), "Esta opción no se ofrece aquí"),
                (lambda: w.work.site("nowhere"), "Este sitio no está en la tableta"),
                (lambda: w.work.begin_order("site-01", "0" * 32), None),
            ):
                await w.shell.attempt(as_async(act))
                await w.appears("problem")
                assert_spanish(w, "the banner")
                if sentence:
                    assert w.screen.shows(sentence)
    asyncio.run(go())


def as_async(act):
    async def run():
        found = act()
        return await found if asyncio.iscoroutine(found) else found
    return run
