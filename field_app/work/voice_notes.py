"""Voice notes: hashed and kept as they came from the recorder, then attached; taken off with a trace.

What was spoken is evidence like a photo: named by its SHA-256 in the signed record and receipted by the server. Nothing
is turned into text: whoever wants text uses the keyboard's own dictation, which types into the note's field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.capture import voice
from field_app.capture.draft import Draft
from field_app.work import inspecting, room, taken_off
from field_app.work.views.photos import VoiceNoteView
from sync.documents.language import size_words
from sync.documents.spoken import length_words
from sync.records.evidence_files import media_type
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LARGEST = 20_000_000
LONGEST_S = 300
"""The recorder stops by itself after so many seconds."""


async def add(desk: Desk, draft: str, key: str, data: bytes, ms: int) -> None:
    """Keep a recording and attach it. Raises Problem "evidence-..." with nothing kept."""
    inspecting.load(desk, draft)
    if len(data) > LARGEST:
        raise Problem("evidence-too-large", f"the recording has {len(data)} bytes, {LARGEST} are kept")
    sha = await desk.box.keep(data, kind="voice_note")
    room.look_soon(desk)
    note = {"sha256": sha, "recorded": desk.at().to_wire(), "ms": max(0, int(ms)), "size": len(data),
            "media": media_type(data)}  # fmt: skip
    await inspecting.tap(desk, draft, lambda d, form: voice.attach(d, form, key, note))


async def remove(desk: Desk, draft: str, sha256: str) -> None:
    before = inspecting.load(desk, draft).voice_notes.get(sha256)
    after = await inspecting.tap(desk, draft, lambda d, form: voice.remove(d, sha256), "voice-off")
    if before is not None and sha256 not in after.voice_notes:
        await taken_off.note(desk, draft, before, "voice_note")


async def sound(desk: Desk, sha256: str) -> tuple[bytes, str]:
    """The bytes to play, checked against their hash, and their media type. Raises Problem "evidence-..."."""
    data = await desk.box.read(sha256)
    return data, media_type(data)


def views(desk: Desk, draft: Draft, key: str) -> tuple[VoiceNoteView, ...]:
    return tuple(view(desk, note) for note in voice.of(draft, key))


def view(desk: Desk, note: Any) -> VoiceNoteView:
    return VoiceNoteView(
        sha256=note["sha256"],
        recorded=desk.moment_words(note["recorded"]["wall"]),
        length=length_words(note["ms"]),
        size=size_words(note["size"]),
    )


def spoken(draft: Draft) -> list[Evidence]:
    """The voice notes as evidence of the record that is signed."""
    return [Evidence(n["sha256"], "voice_note", n["size"], n["media"]) for n in draft.voice_notes.values()]
