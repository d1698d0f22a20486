"""Voice notes on the screen: one large button to record, a running clock while it records, and what is kept.

A recording that runs when the screen is left is kept, not lost. It ends by itself after five minutes. Text fields and
the keyboard's own dictation are not touched by any of this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import flet as ft

from field_app.ui import theme
from field_app.ui.components.buttons import action, icon_action
from field_app.ui.components.layout import heading, panel, text
from field_app.ui.components.marks import marked
from field_app.ui.guard import safe_component
from field_app.ui.words import _
from field_app.work.views.photos import VoiceNoteView
from field_app.work.voice_notes import LONGEST_S
from sync.documents.spoken import length_words


@safe_component
def VoiceNotes(shell: Any, draft: str, key: str, notes: Sequence[VoiceNoteView], beside: bool = False) -> ft.Control:
    """The notes of one question, or with key "" of the inspection, and the button for another one. `beside`: `draft` is
    no inspection, but an order or a report about a site."""
    id = f"voice-{key}" if key else "voice"
    recorder, clock = shell.hardware.recorder, shell.hardware.clock
    seconds, set_seconds = ft.use_state(-1)  # -1: nothing is being recorded
    asking, ask = ft.use_state(False)
    now = ft.use_ref(lambda: {"began": 0, "on": False})

    async def finish() -> None:
        if not now.current["on"]:
            return
        now.current["on"] = False
        ms = clock.monotonic_ms() - now.current["began"]

        async def keep() -> None:
            sound = await recorder.stop()
            if beside:
                await shell.work.add_voice_note_beside(draft, sound, ms)
            else:
                await shell.work.add_voice_note(draft, key, sound, ms)

        await shell.attempt(keep, once="voice")
        set_seconds(-1)

    async def count() -> None:
        while now.current["on"]:
            passed = (clock.monotonic_ms() - now.current["began"]) // 1000
            set_seconds(int(passed))
            shell.touch()
            if passed >= LONGEST_S:
                await finish()
                return
            await asyncio.sleep(0.25)

    async def start(_e: ft.Event) -> None:
        async def begin() -> bool:
            shell.work.check_room()
            await recorder.start()
            return True

        ask(True)
        begun = await shell.attempt(begin, once="voice")
        ask(False)
        if begun:
            now.current.update(began=clock.monotonic_ms(), on=True)
            set_seconds(0)
            shell.start_task(count())

    async def stop(_e: ft.Event) -> None:
        await finish()

    async def discard(_e: ft.Event) -> None:
        now.current["on"] = False
        await recorder.cancel()
        set_seconds(-1)

    ft.use_effect(lambda: None, dependencies=[], cleanup=finish)
    parts: list[ft.Control] = [_row(shell, draft, note, at, id, beside) for at, note in enumerate(notes, start=1)]
    if notes and shell.hardware.play_sound is None:
        parts.append(text(_("It is heard in the office: this app plays no sound on this device."), soft=True,
                          size=theme.SMALL, id=f"{id}-office"))
    if seconds >= 0:
        parts.append(_running(seconds, stop, discard, id, shell.busy("voice")))
    elif recorder is not None and recorder.available:
        words = _("Record a voice note") if not notes else _("Record another voice note")
        parts.append(action(_("Asking for the microphone ...") if asking else words, start, id=f"{id}-record",
                            icon=ft.Icons.MIC, kind="secondary", disabled=asking or shell.busy("voice")))
    return ft.Column(parts, spacing=8, tight=True, horizontal_alignment=ft.CrossAxisAlignment.STRETCH)


def spoken_part(shell: Any, ident: str, notes: Sequence[VoiceNoteView], title: str = "") -> list[ft.Control]:
    """The voice notes of a whole inspection under `title`; without one, of an order or a report about a site. Nothing
    where nothing was spoken and nothing can be."""
    recorder = shell.hardware.recorder
    if not notes and (recorder is None or not recorder.available):
        return []
    return [panel([heading(title or _("What you want to say about it")),
                   VoiceNotes(shell, ident, "", notes, beside=not title, key="voice-notes")], id="spoken")]


def _running(seconds: int, stop: Any, discard: Any, id: str, busy: bool) -> ft.Control:
    told = _("Recording: {length}. It stops by itself at {most}.").format(
        length=length_words(seconds * 1000) if seconds else "0:00", most=length_words(LONGEST_S * 1000))
    return marked(f"{id}-running", container=True, content=ft.Container(
        padding=12, bgcolor=theme.BAD.ground, border=ft.Border.all(2, theme.BAD.solid), border_radius=theme.RADIUS,
        content=ft.Column([
            ft.Row([ft.Icon(ft.Icons.FIBER_MANUAL_RECORD, size=26, color=theme.BAD.solid),
                    ft.Text(told, size=theme.BODY, weight=ft.FontWeight.BOLD, color=theme.INK, expand=True)],
                   spacing=10),
            ft.Row([action(_("Stop and keep"), stop, id=f"{id}-stop", icon=ft.Icons.STOP_CIRCLE, kind="good",
                           expand=True, disabled=busy),
                    action(_("Throw away"), discard, id=f"{id}-discard", icon=ft.Icons.DELETE_OUTLINE, kind="quiet",
                           expand=True, disabled=busy)], spacing=theme.GAP),
        ], spacing=10, tight=True)))


def _row(shell: Any, draft: str, note: VoiceNoteView, at: int, id: str, beside: bool) -> ft.Control:
    async def play(_e: ft.Event) -> None:
        async def sound() -> None:
            data, media = await shell.work.voice_note_sound(note.sha256)
            await shell.hardware.play_sound(data, media)

        await shell.attempt(sound)

    async def remove(_e: ft.Event) -> None:
        take_off = shell.work.remove_voice_note_beside if beside else shell.work.remove_voice_note
        await shell.attempt(lambda: take_off(draft, note.sha256))

    name = _("Voice note {number}: {length}").format(number=at, length=note.length)
    tools: list[ft.Control] = []
    if shell.hardware.play_sound is not None:
        tools.append(icon_action(ft.Icons.PLAY_CIRCLE, _("Play voice note {number}").format(number=at), play,
                                 id=f"{id}-play-{at}", ink=theme.BRAND))
    tools.append(icon_action(ft.Icons.DELETE_OUTLINE, _("Take voice note {number} off").format(number=at), remove,
                             id=f"{id}-remove-{at}", ink=theme.BAD.ink))
    return marked(f"{id}-{at}", container=True, content=ft.Container(
        padding=ft.Padding.only(left=12), bgcolor=theme.GROUND, border=ft.Border.all(1, theme.LINE),
        border_radius=theme.RADIUS,
        content=ft.Row([
            ft.Icon(ft.Icons.GRAPHIC_EQ, size=28, color=theme.BRAND),
            ft.Column([text(name, bold=True), text(f"{note.recorded} · {note.size}", soft=True, size=theme.SMALL)],
                      spacing=0, tight=True, expand=True),
            *tools], spacing=8)))
