"""Voice notes: what was spoken, kept as evidence.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import inspecting, voice_beside, voice_notes
from field_app.work.desk import Desk
from field_app.work.views import InspectionView


class VoiceFace:
    """Voice notes: what was spoken, kept as evidence."""

    _desk: Desk

    async def add_voice_note(self, draft: str, key: str, data: bytes, ms: int) -> InspectionView:
        """Keep a recording of `ms` milliseconds for an item, or with key "" for the inspection itself: hashed and
        durable before anything else looks at it. Problem "evidence-not-a-recording", "evidence-truncated"."""
        await voice_notes.add(self._desk, draft, key, data, ms)
        return inspecting.view(self._desk, draft)

    async def remove_voice_note(self, draft: str, sha256: str) -> InspectionView:
        """Take it off before signing. The signed record names its hash and when it was taken off."""
        await voice_notes.remove(self._desk, draft, sha256)
        return inspecting.view(self._desk, draft)

    async def add_voice_note_beside(self, ident: str, data: bytes, ms: int) -> None:
        """The same for an order or a report about a site that is not signed yet; a printed placard stays."""
        await voice_beside.add(self._desk, ident, data, ms)

    async def remove_voice_note_beside(self, ident: str, sha256: str) -> None:
        """Take it off before signing, as from an inspection."""
        await voice_beside.remove(self._desk, ident, sha256)

    async def voice_note_sound(self, sha256: str) -> tuple[bytes, str]:
        """(bytes, media type) of a voice note that is on this tablet, to be played."""
        return await voice_notes.sound(self._desk, sha256)
