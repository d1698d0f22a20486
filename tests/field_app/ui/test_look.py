"""Look and size of text: they hold at once on every screen, before sign-in too, are each person's, and lose nothing."""

import asyncio
from pathlib import Path

import flet as ft
import pytest

from field_app.ui import palettes
from field_app.ui.components import frame
from sync.records.problems import Problem
from tests.support.field_desk import bench
from tests.support.flet_harness import walk
from tests.support.tablet_window import Window, window


def grounds(w: Window) -> set[str]:
    """The ground of the view, and of the bar at its top."""
    (view,) = (c for c in w.screen.controls() if isinstance(c, ft.View))
    title = next(c for c in walk(view) if isinstance(c, ft.Container) and c.bgcolor in (
        palettes.NORMAL.bar, palettes.SUN.bar, palettes.DARK.bar))
    return {view.bgcolor, title.bgcolor}


def test_before_sign_in_and_nothing_typed_is_lost(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.type("enrol-code", "AB12")
            await w.press("open-look")
            await w.press("look-dark")
            await w.press("text-largest")
            await w.press("language-es")
            await w.until(lambda: w.screen.texts("screen-title") == ["Idioma y aspecto"], "Spanish")
            assert grounds(w) == {palettes.DARK.ground, palettes.DARK.bar}
            assert w.screen.page.theme_mode == ft.ThemeMode.DARK
            await w.press("back")
            await w.appears("enrol-code")
            assert w.screen.value("enrol-code") == "AB12"
            assert w.screen.inside("screen-title", "Text").size == frame.BAR_TITLE
        async with window(w.bench) as again:  # the app was killed and started anew
            await again.appears("enrol-code")
            assert again.screen.texts("screen-title") == ["Preparar esta tableta"]
            assert grounds(again) == {palettes.DARK.ground, palettes.DARK.bar}

    asyncio.run(go())


def test_each_person_finds_the_own_look_again(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            await w.press("open-settings")
            await w.press("look-sun")
            await w.press("text-larger")
            await w.press("back")
            await w.press("open-people")
            await w.type("sign-in-code", desk.personal_code("ben"))
            await w.press("sign-in")
            await w.appears("pin-pad")
            assert grounds(w) == {palettes.NORMAL.ground, palettes.NORMAL.bar}, "a look is nobody else's"
            await w.pin()
            await w.until(lambda: w.screen.shows("once more"))
            await w.pin()
            assert (w.work.look().look, w.work.look().text) == ("normal", "standard")
            await w.press("open-settings")
            await w.press("look-dark")
            await w.press("language-es")
            await w.press("back")
            await w.press("open-people")
            await w.press("person-ada")
            await w.appears("pin-pad")
            assert grounds(w) == {palettes.DARK.ground, palettes.DARK.bar}, "locked: as the tablet was left"
            assert w.screen.texts("screen-title") == ["Esta tableta está bloqueada"]
            await w.pin()
            await w.until(lambda: w.shell.phase == "work", "Ada has it")
            assert grounds(w) == {palettes.SUN.ground, palettes.SUN.bar}
            assert (w.work.look().text, w.work.look().language) == ("larger", "en")
            w.shell.go("people")
            await w.press("lock-tablet")
            await w.until(lambda: w.screen.texts("screen-title") == ["This tablet is locked"], "in Ada's language")
            assert grounds(w) == {palettes.SUN.ground, palettes.SUN.bar}, "and in her look, not in Ben's"
            await w.press("open-look")
            await w.press("language-es")
            await w.press("back")
            await w.pin()
            await w.until(lambda: w.shell.phase == "work", "Ada chose Spanish just before")
            assert (w.work.look().look, w.work.look().language) == ("sun", "es")
            await w.press("turn-sun")
            assert w.work.look().look == "normal"

    asyncio.run(go())


def test_one_tap_to_the_sun_and_back_in_the_middle_of_an_item(tmp_path: Path):
    """Cards that are remembered from one drawing to the next are drawn anew, and what was typed stays."""

    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            await w.press("open-settings")
            await w.press("look-dark")
            await w.press("back")
            await w.press("site-site-01")
            await w.press("begin-inspection")
            await w.press("section-tracking")
            await w.press("answer-TRK-07-yes")
            await w.type("note-TRK-07", "Dry clumps by the gate")
            before = w.work._desk.store.table("drafts").get(w.shell.place["draft"])

            def ink() -> str:
                return next(c.color for c in walk(w.screen.part("item-TRK-07")) if isinstance(c, ft.Text))

            assert ink() in (palettes.DARK.ink, palettes.DARK.ink_soft)
            await w.press("turn-sun")
            assert ink() in (palettes.SUN.ink, palettes.SUN.ink_soft)
            assert w.screen.value("note-TRK-07") == "Dry clumps by the gate"
            await w.press("turn-sun")
            assert ink() in (palettes.DARK.ink, palettes.DARK.ink_soft)
            assert w.work._desk.store.table("drafts").get(w.shell.place["draft"]) == before

    asyncio.run(go())


def test_what_is_not_offered_is_refused_and_what_is_not_known_does_not_count(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            for name in ("language", "look", "text"):
                with pytest.raises(Problem, match="choice-unknown"):
                    await w.work.set_look(**{name: "neon"})
            async with w.work._desk.store.change() as tx:
                tx.put("settings", "look", {"value": "neon"})
            assert w.work.look().look == "normal"

    asyncio.run(go())


def test_what_may_be_used_is_set_in_the_settings(tmp_path: Path):
    async def go():
        async with window(bench(tmp_path)) as w:
            await w.set_up()
            await w.press("open-settings")
            await w.press("space-50")
            assert w.work.file_space().budget_mb == 50
            assert w.screen.part("space-50").selected is True
            await w.press("photos-wifi")
            assert w.work.outbox(1).photos.wifi_only is True
            await w.press("advanced")
            await w.press("tries-10")
            assert (w.work.tries().value, w.work._desk.driver._engine.policy.tries) == ("10", 10)
            await w.press("tries-0")
            assert w.work._desk.driver._engine.policy.tries == 5
            with pytest.raises(Problem, match="choice-unknown"):
                await w.work.set_tries(7)

    asyncio.run(go())


def test_a_report_is_read_sent_and_saved(tmp_path: Path):
    async def go():
        from sync.server.casework.diagnoses import diagnoses_of

        async with window(bench(tmp_path)) as w:
            await w.set_up()
            await w.press("open-settings")
            await w.press("open-diagnosis")
            await w.appears("diagnosis-text")
            (read,) = w.screen.texts("diagnosis-text")
            assert '"tablet": "T01"' in read and "Lindqvist" not in read
            await w.until(lambda: w.screen.enabled("diagnosis-send"), "connected")
            await w.press("diagnosis-send")
            await w.until(lambda: w.screen.shows("The report is with the office."), "sent")
            (kept,) = await w.bench.office(diagnoses_of, "T01")
            assert kept.text == read, "what was read is what was sent"
            await w.press("diagnosis-save")
            await w.until(lambda: w.bench.saved, "saved")
            assert list(w.bench.saved.values()) == [read.encode()]

    asyncio.run(go())
