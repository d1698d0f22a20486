"""Voice notes of what is no inspection: an order, a site found, an emergency, a revision; until it is signed.

They are kept, signed and receipted like those of an inspection, and taken off with a trace. Of an order they are no
part of what the placard says: a printed placard stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from field_app.work import reports, taken_off, voice_keeping
from field_app.work.views.photos import VoiceNoteView
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]
MOST_NOTES = 50


def of(doc: Doc) -> list[Doc]:
    """The notes of a stored order or report, in the order they were spoken."""
    return doc.get("voice_notes", [])


def files_of(doc: Doc) -> set[str]:
    """Their files, by SHA-256."""
    return {note["sha256"] for note in of(doc)}


async def _edit(desk: Desk, ident: str, change: Callable[[Doc], Doc],
                beside: Callable[[Any], None] | None = None) -> None:
    from field_app.work import ordering

    if desk.store.table("reports").get(ident) is not None:
        await reports.edit_open(desk, ident, lambda doc: doc.get("act") != "placard", change, beside)
    else:
        await ordering.edit_beside(desk, ident, change, beside)


async def add(desk: Desk, ident: str, data: bytes, ms: int) -> None:
    """Keep a recording and attach it. Problem "draft-unknown", "order-not-open", "too-many-notes", "evidence-..."; then
    nothing is attached."""

    def room_left(doc: Doc) -> Doc:
        if len(of(doc)) >= MOST_NOTES:
            raise Problem("too-many-notes", f"at most {MOST_NOTES} voice notes fit here", where=ident)
        return doc

    await _edit(desk, ident, room_left)  # refused before anything is kept
    note = await voice_keeping.keep(desk, data, ms)
    await _edit(desk, ident, lambda doc: doc if note["sha256"] in files_of(doc) else {
        **room_left(doc), "voice_notes": [*of(doc), note]})


async def remove(desk: Desk, ident: str, sha256: str) -> None:
    """Take one off; what is signed names its hash, and when."""
    gone: list[Doc] = []

    def without(doc: Doc) -> Doc:
        gone[:] = [note for note in of(doc) if note["sha256"] == sha256]
        return {**doc, "voice_notes": [note for note in of(doc) if note["sha256"] != sha256]} if gone else doc

    def told(tx: Any) -> None:
        for note in gone:
            taken_off.note(desk, tx, ident, note, "voice_note")

    await _edit(desk, ident, without, told)


def views(desk: Desk, doc: Doc) -> tuple[VoiceNoteView, ...]:
    return tuple(voice_keeping.view(desk, note) for note in of(doc))


def evidence(doc: Doc) -> list[Evidence]:
    return voice_keeping.evidence(of(doc))


def record(doc: Doc) -> Doc:
    """The part of the record that names them; empty where there are none."""
    notes = [{"sha256": note["sha256"], "recorded": note["recorded"], "ms": note["ms"], "item": None, "finding": None}
             for note in of(doc)]
    return {"voice_notes": notes} if notes else {}


def record_of_order(desk: Desk, doc: Doc) -> Doc:
    """The same of an order, with what was taken off."""
    return record(doc) | taken_off.for_record(desk, doc["id"], files_of(doc))
