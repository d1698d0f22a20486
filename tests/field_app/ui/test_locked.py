"""The locked tablet, by tapping: a restart, wrong PINs, another person, a newcomer, no network at all."""

import asyncio
from pathlib import Path

import pytest

from field_app.hardware.ports import Picked
from sync.records.problems import Problem
from sync.server.casework import recovery
from tests.support.field_desk import PIN, bench
from tests.support.tablet_window import window

BENS = "314159"


def test_after_a_restart_the_pin_opens_what_was_on_screen_and_a_wrong_one_nothing(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
        desk.network.up = False
        async with window(desk, unlock=False) as w:
            await w.appears("pin-pad")
            shown = "".join(w.screen.texts())
            assert w.screen.shows("This tablet is locked") and w.screen.shows("Ada Lindqvist")
            assert "site-01" not in shown and "safe" not in shown.lower(), "nothing is known, so nothing is said"
            for _ in range(3):
                await w.pin("111222")
                await w.until(lambda: w.screen.shows("wrong"), "it says so")
            assert w.shell.phase == "locked" and w.screen.shows("Wait")
            desk.clock.advance(seconds=10)
            w.shell.redraw()
            await w.until(lambda: not w.screen.shows("Wait"), "the wait is over")
            await w.pin()
            await w.appears("item-WST-01")

    asyncio.run(go())


def test_the_next_person_sees_none_of_it_and_the_first_finds_all_again(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
            await w.press("answer-WST-01-no")
            draft = w.shell.place["draft"]
            w.shell.go("people")
            await w.press("lock-tablet")
            await w.appears("pin-pad")
            await w.press("lock-other")
            await w.press("lock-newcomer")
            await w.sign_in_new("ben", BENS)
            await w.appears("today-day")
            assert f"go-on-{draft}" not in w.screen.ids()
            for where in (f"/inspection/{draft}", "/people", "/site/site-01"):  # the browser's way back
                await w.screen.session.dispatch_event(1, "route_change", {"route": where})
                await w.appears("today-day")
                assert w.shell.place.name == "today" and "problem" not in w.screen.ids(), where
            w.shell.go("people")
            desk.network.up = False
            await w.press("person-ada")
            await w.appears("pin-pad")
            assert w.screen.shows("Ada Lindqvist")
            await w.pin()
            await w.appears("today-day")
            assert w.shell.place.name == "today"
            w.shell.go("people")
            await w.press("lock-tablet")
            await w.pin()
            await w.appears("today-day")  # and not "who works with this tablet" once more
            await w.press(f"go-on-{draft}")
            await w.appears("section-waste")
        async with window(desk, unlock=False) as w:  # who was last is asked first; another one is one tap away
            await w.appears("pin-pad")
            await w.press("lock-other")
            assert "lock-newcomer" not in w.screen.ids()
            await w.press("lock-person-ben")
            await w.pin(BENS)
            await w.appears("today-day")
            assert f"go-on-{draft}" not in w.screen.ids()

    asyncio.run(go())


def test_a_forgotten_pin_by_file_where_no_network_reaches_the_office(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        passphrase = recovery.make_recovery_key(desk.city)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
        desk.network.up = False
        async with window(desk, unlock=False) as w:
            await w.press("forgot-pin")
            await w.pin("161803")
            await w.until(lambda: w.screen.shows("once more"))
            await w.pin("161803")
            await w.appears("save-question")
            await w.press("save-question")
            name = "siltwatch-pin-T01.json"
            await w.until(lambda: w.screen.shows(f"Saved to {name}"), "the question")
            for wrong in (b"{}", b"x" * 70_000, desk.saved[name].replace(b"question", b"quest1on")):
                with pytest.raises(Problem, match="recovery-file"):
                    recovery.take_question(desk.city, wrong)
            ident = recovery.take_question(desk.city, desk.saved[name])
            assert recovery.take_question(desk.city, desk.saved[name]) == ident, "once, however often"
            (asked,) = recovery.asks(desk.city)
            assert w.screen.shows(asked.code)
            with pytest.raises(Problem, match="recovery-unknown"):
                recovery.answer_file(desk.city, ident)
            await desk.office(recovery.answer, "carol", ident, passphrase)
            code, answer = recovery.answer_file(desk.city, ident)
            assert code == "T01"
            await w.shell.hardware.files.choose(Picked(name, desk.saved[name]))
            await w.until(lambda: w.screen.shows("not the one for this forgotten PIN"), "the wrong file")
            await w.shell.hardware.files.choose(Picked("answer.json", answer))
            await w.until(lambda: w.screen.shows("The office has opened it"), "the answer")
            await w.pin("161803")
            await w.appears("item-WST-01")

    asyncio.run(go())


def test_it_speaks_the_language_of_the_tablet(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        async with window(desk) as w:
            await w.set_up()
            w.shell.go("settings")
            await w.appears("protection")
            assert w.screen.shows("A short PIN") and w.screen.shows("Not encrypted")
            await w.work.set_language("es")
        async with window(desk, unlock=False) as w:
            await w.appears("pin-pad")
            assert w.screen.shows("Esta tableta está bloqueada")
            await w.pin(PIN)
            await w.appears("today-day")

    asyncio.run(go())


def test_a_forgotten_pin_by_tapping(tmp_path: Path):
    async def go():
        desk = bench(tmp_path)
        passphrase = recovery.make_recovery_key(desk.city)
        async with window(desk) as w:
            await w.set_up_inspecting("waste")
        async with window(desk, unlock=False, width=412, height=915) as w:
            await w.pin("111222")
            await w.until(lambda: w.screen.texts("pin-said") == ["That PIN was wrong. Type it again."], "said once")
            assert "problem" not in w.screen.ids()
            await w.press("pin-9")
            await w.press("forgot-pin")
            await w.appears("forgotten-panel")
            assert w.screen.texts("pin-said") == ["Type your PIN"], "nothing typed before stays"
            await w.pin("123456")
            await w.until(lambda: "only counts up" in w.screen.texts("pin-said")[0], "too simple, at the first typing")
            await w.pin("161803")
            await w.until(lambda: w.screen.shows("once more"))
            await w.pin("161803")
            await w.appears("forgotten-code")
            (asked,) = recovery.asks(desk.city)
            assert w.screen.shows(asked.code)
            assert w.screen.shows("Call the office, (608) 555-0142,") and "call-office" in w.screen.ids()
            await desk.office(recovery.answer, "carol", asked.id, passphrase)
        async with window(desk, unlock=False) as w:  # it goes on where it was after a restart
            await w.press("look-for-pin")
            await w.until(lambda: w.screen.shows("The office has opened it"), "the answer")
            await w.press("ask-again")  # that PIN is forgotten as well: nobody is locked out for good
            for _ in range(2):
                await w.appears("forgotten-panel")
                await w.pin("271836")
            await w.appears("forgotten-code")
            (other,) = [one for one in recovery.asks(desk.city) if one.state == recovery.WAITING]
            await desk.office(recovery.answer, "carol", other.id, passphrase)
            await w.press("look-for-pin")
            await w.until(lambda: w.screen.shows("The office has opened it"), "the other answer")
            await w.pin("271836")
            await w.appears("item-WST-01")

    asyncio.run(go())
