"""Emergencies and revisions of a plan, from the first tap to the paper.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import approving, report_photos, site_acts
from field_app.work.desk import Desk
from field_app.work.handing_out import HandedOut
from field_app.work.views.site_act import SiteActRow, SiteActView


class SiteActsFace:
    """Emergencies and revisions of a plan, from the first tap to the paper."""

    _desk: Desk

    async def begin_site_act(self, site: str, act: str) -> SiteActView:
        """`act` "emergency" | "revision". An unfinished one of this person is gone on with. Problem "no-authority"."""
        return await site_acts.begin(self._desk, site, act)

    def site_act(self, ident: str) -> SiteActView:
        """One being written, or signed here. Problem "draft-unknown"."""
        return site_acts.view(self._desk, ident)

    def site_acts(self, site: str) -> tuple[SiteActRow, ...]:
        """Those of a site, the newest first."""
        return site_acts.rows_of(self._desk, site)

    async def set_act_text(self, ident: str, field: str, text: str) -> SiteActView:
        """`field` condition | actions | no_approval, or conditions | inadequate."""
        return await site_acts.set_text(self._desk, ident, field, text)

    async def set_threat(self, ident: str, what: str) -> SiteActView:
        """What is likely to be damaged or reached; a second tap takes it back."""
        return await site_acts.set_threat(self._desk, ident, what)

    async def set_act_approval(self, ident: str, **fields: str) -> SiteActView:
        """Who approved the entry: any of how (phone, in person, own power), person, name, role, on, at."""
        return await site_acts.set_approval(self._desk, ident, fields)

    async def act_approved_now(self, ident: str) -> SiteActView:
        """It was approved at this moment."""
        return await site_acts.set_approval(self._desk, ident, approving.now_fields(self._desk))

    async def set_entered(self, ident: str, entered: bool) -> SiteActView:
        """Somebody enters at this moment."""
        return await site_acts.set_entered(self._desk, ident, entered)

    async def set_entered_at(self, ident: str, on: str, at: str) -> SiteActView:
        """Somebody entered at another time than that of the tap."""
        return await site_acts.set_entered_at(self._desk, ident, on, at)

    async def set_revision_device(self, ident: str, index: int, text: str, on: str = "", at: str = "") -> SiteActView:
        """What must be installed and by when; `index` = how many there are adds one, an empty text removes it."""
        return await site_acts.set_device(self._desk, ident, index, text, on, at)

    async def set_act_met(self, ident: str, index: int, name: str, role: str, served: bool) -> SiteActView:
        """A person met on the site, as for an order."""
        return await site_acts.set_met(self._desk, ident, index, name, role, served)

    async def set_act_nobody(self, ident: str, nobody: bool) -> SiteActView:
        """Nobody was met."""
        return await site_acts.set_nobody(self._desk, ident, nobody)

    async def add_act_photo(
        self, ident: str, data: bytes, *, source: str = "camera", view: str = "wide", name: str | None = None
    ) -> SiteActView:
        """A photo of it."""
        await report_photos.attach_photo(self._desk, ident, data, source, view, name, wait=True)
        return site_acts.view(self._desk, ident)

    async def remove_act_photo(self, ident: str, sha256: str, *, retake: bool = False) -> SiteActView:
        """Take a photo off, for good or to take it again; the signed record says so. `put_report_photo_back` and the
        rest are those of reports (`finds.py`)."""
        await report_photos.remove_photo(self._desk, ident, sha256, retake=retake)
        return site_acts.view(self._desk, ident)

    async def discard_site_act(self, ident: str) -> None:
        """Throw an unfinished one away."""
        await site_acts.discard(self._desk, ident)

    async def sign_site_act(self, ident: str, pin: str) -> SiteActView:
        """Sign it with the PIN. Problem "report-incomplete", "no-authority"."""
        return await site_acts.sign(self._desk, ident, pin)

    async def save_site_act(self, ident: str) -> HandedOut:
        """Hand its paper over (shared or saved, as the device can)."""
        return await site_acts.save_paper(self._desk, ident)
