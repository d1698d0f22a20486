"""Drawn signatures: kept under their hash as they were drawn, stroke by stroke, and named by the inspection.

Points are whole numbers in a frame of fixed size, whatever the screen; so a signature looks the same after the tablet
was turned. Each stroke is kept as it ends: a killed app has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from field_app.capture import closing
from field_app.work import inspecting
from sync.records.problems import Problem
from sync.records.strokes import SIGNATURE_MEDIA
from sync.records.wire import decode, encode

if TYPE_CHECKING:
    from field_app.work.desk import Desk

WIDTH, HEIGHT = 900, 360
Strokes = Sequence[Sequence[Sequence[int]]]


async def set_signature(desk: Desk, draft: str, whose: str, strokes: Strokes | None) -> None:
    """Keep what was drawn so far; none of it: the signature is taken back. Problem "evidence-not-a-signature"."""
    if whose not in closing.WHOSE:
        raise Problem("choice-unknown", f"{whose!r} does not sign an inspection", where="signature")
    inspecting.load(desk, draft)
    file = None
    if strokes:
        drawn = [[[int(n) for n in point] for point in stroke] for stroke in strokes]
        data = encode({"signature": 1, "width": WIDTH, "height": HEIGHT, "strokes": drawn})
        sha = await desk.box.keep(data, kind="signature")
        file = {"sha256": sha, "size": len(data), "media": SIGNATURE_MEDIA}
    await inspecting.tap(desk, draft, lambda d, form: closing.set_signature(d, whose, file), "signature")


async def strokes_of(desk: Desk, draft: str, whose: str) -> list[list[list[int]]]:
    """What was drawn; empty where nothing is kept."""
    file = inspecting.load(desk, draft).closing.signatures.get(whose)
    if file is None:
        return []
    return decode(await desk.box.read(file["sha256"]))["strokes"]
