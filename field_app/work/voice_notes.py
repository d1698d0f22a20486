"""Voice notes: hashed and kept as they came from the recorder, then attached; taken off with a trace.

What was spoken is evidence like a photo: named by its SHA-256 in the signed record and receipted by the server. Nothing
is turned into text: whoever wants text uses the keyboard's own dictation, which types into the note's field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.capture import voice
from field_app.capture.draft import Draft
from field_app.work import inspecting, taken_off, voice_keeping
from field_app.work.views.photos import VoiceNoteView
from sync.records.evidence_files import media_type

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LONGEST_S = 300
"""The recorder stops by itself after so many seconds."""


async def add(desk: Desk, draft: str, key: str, data: bytes, ms: int) -> None:
    """Keep a recording and attach it. Raises Problem "evidence-..." with nothing kept."""
    inspecting.load(desk, draft)
    note = await voice_keeping.keep(desk, data, ms)
    await inspecting.tap(desk, draft, lambda d, form: voice.attach(d, form, key, note))


async def remove(desk: Desk, draft: str, sha256: str) -> None:
    def told(tx: Any, before: Draft, after: Draft) -> None:
        if sha256 in before.voice_notes and sha256 not in after.voice_notes:
            taken_off.note(desk, tx, draft, before.voice_notes[sha256], "voice_note")

    await inspecting.tap(desk, draft, lambda d, form: voice.remove(d, sha256), "voice-off", told)


async def sound(desk: Desk, sha256: str) -> tuple[bytes, str]:
    """The bytes to play, checked against their hash, and their media type. Raises Problem "evidence-..."."""
    data = await desk.box.read(sha256)
    return data, media_type(data)


def views(desk: Desk, draft: Draft, key: str) -> tuple[VoiceNoteView, ...]:
    return tuple(voice_keeping.view(desk, note) for note in voice.of(draft, key))
