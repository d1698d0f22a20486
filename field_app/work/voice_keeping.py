"""A voice note by itself: kept under its hash, shown, signed and covered by the statement, whatever it is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from field_app.work import room
from field_app.work.photo_records import FINGERPRINT_SHOWN
from field_app.work.views.photos import VoiceNoteView
from sync.documents.language import Translate, size_words
from sync.documents.spoken import length_words, seconds_words
from sync.records.evidence_files import media_type
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LARGEST = 20_000_000


async def keep(desk: Desk, data: bytes, ms: int) -> dict[str, Any]:
    """The recording, durable under its hash; what is written down of it. Raises Problem "evidence-..."."""
    if len(data) > LARGEST:
        raise Problem("evidence-too-large", f"the recording has {len(data)} bytes, {LARGEST} are kept")
    sha = await desk.box.keep(data, kind="voice_note")
    room.look_soon(desk)
    return {"sha256": sha, "recorded": desk.at().to_wire(), "ms": max(0, int(ms)), "size": len(data),
            "media": media_type(data)}  # fmt: skip


def view(desk: Desk, note: Any) -> VoiceNoteView:
    return VoiceNoteView(
        sha256=note["sha256"],
        recorded=desk.moment_words(note["recorded"]["wall"]),
        length=length_words(note["ms"]),
        size=size_words(note["size"]),
    )


def evidence(notes: Iterable[Any]) -> list[Evidence]:
    """The voice notes as evidence of the record that is signed."""
    return [Evidence(n["sha256"], "voice_note", n["size"], n["media"]) for n in notes]


def covered(notes: Iterable[Any], _: Translate) -> str:
    """The sentence of the statement that covers each of them; "" for none."""
    listed = "; ".join(
        _("voice note, {length}, SHA-256 {fingerprint}").format(
            length=seconds_words(note["ms"], _), fingerprint=note["sha256"][:FINGERPRINT_SHOWN])
        for note in notes
    )
    return _("I spoke what is recorded in this record ({listed}).").format(listed=listed) if listed else ""
