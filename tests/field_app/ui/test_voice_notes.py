"""Voice notes on the screen: recorded for an item, counted, played, thrown away or kept when the screen is left."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.field_app.ui.test_inspection_parts import inspecting, now
from tests.support.evidence_files import webm
from tests.support.field_desk import bench
from tests.support.field_steps import failing_inspection, item
from tests.support.tablet_window import window

TRACK = "TRK-07"


async def failing(w) -> None:
    await w.press("section-tracking")
    await w.press(f"answer-{TRACK}-yes")
    await w.appears(f"voice-{TRACK}-record")


def notes(w):
    return item(now(w), TRACK).voice_notes


def test_a_note_is_recorded_shown_with_its_length_played_and_taken_off(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await failing(w)
            await w.press(f"voice-{TRACK}-record")
            await w.appears(f"voice-{TRACK}-stop")
            assert w.shell.hardware.recorder.running and w.screen.shows("It stops by itself at 5:00")
            w.bench.clock.advance(seconds=42)
            await w.until(lambda: w.screen.shows("Recording: 0:42"))
            await w.press(f"voice-{TRACK}-stop")
            await w.until(lambda: notes(w), "the note kept")
            await w.appears(f"voice-{TRACK}-play-1")
            assert w.screen.shows("Voice note 1: 0:42") and not w.shell.hardware.recorder.running
            await w.press(f"voice-{TRACK}-play-1")
            kept = webm(b"\1" * 900)
            await w.until(lambda: w.shell.hardware.recorder.playing == (kept, "audio/webm"), "the sound as it was kept")
            await w.press(f"voice-{TRACK}-remove-1")
            await w.until(lambda: not notes(w), "the note taken off")
            await w.press("undo")
            await w.until(lambda: len(notes(w)) == 1, "the note back")
    asyncio.run(go())


def test_what_is_thrown_away_is_not_kept_and_what_runs_when_the_screen_is_left_is(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path, width=412, height=915) as w:
            await failing(w)
            await w.press(f"voice-{TRACK}-record")
            await w.press(f"voice-{TRACK}-discard")
            await w.appears(f"voice-{TRACK}-record")
            assert notes(w) == () and w.shell.hardware.recorder.taken == 0
            await w.press(f"voice-{TRACK}-record")
            await w.appears(f"voice-{TRACK}-stop")
            w.shell.go("today")
            await w.until(lambda: len(notes(w)) == 1, "the recording that ran is kept")
    asyncio.run(go())


def test_it_stops_by_itself_after_five_minutes(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await failing(w)
            await w.press(f"voice-{TRACK}-record")
            await w.appears(f"voice-{TRACK}-stop")
            w.bench.clock.advance(seconds=300)
            await w.until(lambda: len(notes(w)) == 1, "the note kept")
            assert notes(w)[0].length == "5:00"
    asyncio.run(go())


def test_a_microphone_that_is_refused_says_so_and_typing_goes_on(tmp_path: Path):
    async def go():
        async with inspecting(tmp_path) as w:
            await failing(w)
            w.shell.hardware.recorder.refusal = "The tablet does not let the app use the microphone."
            await w.type(f"note-{TRACK}", "spoken into the keyboard,  exactly so ")
            await w.press(f"voice-{TRACK}-record")
            await w.until(lambda: w.screen.shows("does not let the app use the microphone"))
            await w.until(lambda: item(now(w), TRACK).note == "spoken into the keyboard,  exactly so ")
            assert f"voice-{TRACK}-record" in w.screen.ids()
            w.shell.hardware = replace(w.shell.hardware, recorder=None)
            w.shell.redraw()
            await w.screen.settle()
    asyncio.run(go())


@pytest.mark.parametrize(("act", "kept_by"), [("find", "report"), ("site_act", "site_act"), ("order", "order")])
def test_an_order_and_a_report_can_be_spoken_about_where_they_are_described(tmp_path: Path, act: str, kept_by: str):
    async def go():
        async with window(bench(tmp_path), width=412, height=915) as w:
            await w.set_up("ada")
            w.bench.network.up = False
            if act == "find":
                ident = (await w.work.begin_report()).id
                w.shell.go("find", report=ident)
                await w.press("step-what")
            elif act == "site_act":
                ident = (await w.work.begin_site_act("site-01", "revision")).id
                w.shell.go("site_act", draft=ident)
            else:
                ident = (await w.work.begin_order("site-01", (await failing_inspection(w.work)).fact)).id
                w.shell.go("order", draft=ident)
                await w.press("step-scope")
            await w.press("voice-record")
            await w.appears("voice-stop")
            w.bench.clock.advance(seconds=5)
            await w.press("voice-stop")
            await w.appears("voice-remove-1")
            assert len(getattr(w.work, kept_by)(ident).voice_notes) == 1 and w.screen.shows("Voice note 1: 0:05")
            w.shell.hardware = replace(w.shell.hardware, play_sound=None)
            w.shell.redraw()
            await w.until(lambda: w.screen.shows("this app plays no sound on this device"), "said where it is heard")
            await w.press("voice-remove-1")
            await w.until(lambda: not getattr(w.work, kept_by)(ident).voice_notes, "taken off")
    asyncio.run(go())
