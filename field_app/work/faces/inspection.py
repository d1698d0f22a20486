"""An inspection from its first tap to its signature.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from field_app.work import (
    approving,
    correcting,
    enrolling,
    inspecting,
    noticing,
    placing,
    report_paper,
    reviewing,
    signatures,
    signing,
)
from field_app.work.desk import Desk
from field_app.work.handing_out import HandedOut
from field_app.work.views import InspectionView, ReviewView, SignedView
from field_app.work.views.inspection import NoticeView


class InspectionFace:
    """An inspection from its first tap to its signature."""

    _desk: Desk

    # --- inspection ---

    async def begin_inspection(
        self, site: str, type: str = "weekly", entry: str = "permit condition"
    ) -> InspectionView:
        """Begin, or go on with, this person's unfinished inspection of the site."""
        return await inspecting.begin(self._desk, site, type, entry)

    def inspection(self, draft: str) -> InspectionView:
        """The inspection being made. Problem "draft-unknown" when it was signed or thrown away."""
        return inspecting.view(self._desk, draft)

    async def set_details(self, draft: str, **fields: str) -> InspectionView:
        """Any of type, entry, rain, rain_source (values of `DetailsView`)."""
        return await inspecting.set_details(self._desk, draft, fields)

    async def set_entry_approval(self, draft: str, **fields: str) -> InspectionView:
        """Who approved an entry in an emergency: any of how (phone, in person, own power), person, name, role, on, at.
        Problem "no-authority"."""
        kept = approving.filled(self._desk, fields)
        return await inspecting.set_details(self._desk, draft, {f"approval_{name}": kept[name] for name in kept})

    async def entry_approved_now(self, draft: str) -> InspectionView:
        """It was approved at this moment."""
        return await self.set_entry_approval(draft, **approving.now_fields(self._desk))

    async def go_to(self, draft: str, section: str, key: str = "") -> InspectionView:
        """Remember where the inspector is, so that a killed app opens there."""
        return await inspecting.go_to(self._desk, draft, section, key)

    async def add_topic(self, draft: str, topic: str) -> InspectionView:
        """Add a checklist of `more_topics` (control devices, dewatering)."""
        return await inspecting.add_topic(self._desk, draft, topic)

    async def answer(self, draft: str, key: str, part: str, value: str | list[str]) -> InspectionView:
        """One field of one item. `value` is what was tapped or typed; "" or [] takes it back."""
        return await inspecting.answer(self._desk, draft, key, part, value)

    async def answer_special(self, draft: str, key: str, value: str) -> InspectionView:
        """ "not_observed" or "na" for the whole item; "" takes it back."""
        return await inspecting.answer_special(self._desk, draft, key, value)

    async def answer_rest(self, draft: str, card: str, value: str) -> InspectionView:
        """Every item of one card (`CardView.key`) that has no answer yet: "not_observed" or "na"."""
        return await inspecting.answer_rest(self._desk, draft, card, value)

    async def undo(self, draft: str) -> InspectionView:
        """Take back the last tap (`InspectionView.undo` says which); nothing where there is none."""
        return await inspecting.undo(self._desk, draft)

    async def answer_in_order(self, draft: str, section: str) -> InspectionView:
        """Everything in the section that has no answer yet and that only one answer passes gets that answer."""
        return await inspecting.answer_in_order(self._desk, draft, section)

    async def count_inlets(self, draft: str) -> InspectionView:
        """Answer how many inlets there are by the cards of this inspection."""
        return await placing.count_inlets(self._desk, draft)

    async def drop_topic(self, draft: str, topic: str) -> InspectionView:
        """Leave a checklist out again (`SectionView.droppable`)."""
        return await inspecting.drop_topic(self._desk, draft, topic)

    async def add_place(self, draft: str, kind: str, label: str, place: str = "", device: str = "") -> InspectionView:
        """An inlet or control device (`kind`) that is not on the list; signed with the inspection."""
        return await placing.add_place(self._desk, draft, kind, label, place, device)

    async def retire_place(self, draft: str, kind: str, ident: str, why: str = "") -> InspectionView:
        """An inlet or control device is no longer there; one added in this inspection is taken back."""
        return await placing.retire_place(self._desk, draft, kind, ident, why)

    async def keep_place(self, draft: str, kind: str, ident: str) -> InspectionView:
        """It is there after all."""
        return await placing.keep_place(self._desk, draft, kind, ident)

    # --- open findings of last time ---

    async def follow_up(self, draft: str, finding: str, state: str) -> InspectionView:
        """What became of an open finding: fixed | still_open | worse | not_observed, "" takes it back."""
        return await inspecting.follow_up(self._desk, draft, finding, state)

    async def follow_up_note(self, draft: str, finding: str, note: str) -> InspectionView:
        """The inspector's words about it. Photos: `add_photo` with `LastTimeView.photo_key`."""
        return await inspecting.follow_up_note(self._desk, draft, finding, note)

    async def note(self, draft: str, key: str, text: str) -> InspectionView:
        """The inspector's own words about an item."""
        return await inspecting.note(self._desk, draft, key, text)

    async def set_severity(self, draft: str, key: str, severity: str, reason: str = "") -> InspectionView:
        """Raise freely; lower only with a reason (Problem "reasons-missing"). "" returns to the
        computed."""
        return await inspecting.set_severity(self._desk, draft, key, severity, reason)

    async def set_correction(self, draft: str, key: str, text: str) -> InspectionView:
        """What must be done; empty text goes back to the pack's proposal."""
        return await inspecting.set_correction(self._desk, draft, key, text)

    async def set_due(self, draft: str, key: str, on: str, at: str = "") -> InspectionView:
        """ISO date and "HH:MM" ("" = none). Both "" returns to the default of the pack's due rule."""
        return await inspecting.set_due(self._desk, draft, key, on, at)

    async def set_corrected(self, draft: str, key: str, corrected: bool) -> InspectionView:
        """Corrected on site, before leaving."""
        return await inspecting.set_corrected(self._desk, draft, key, corrected)

    async def set_no_photo(self, draft: str, key: str, reason: str) -> InspectionView:
        """Why no photo could be taken, where one is wanted. It is part of what is signed; "" takes it back."""
        return await inspecting.set_no_photo(self._desk, draft, key, reason)

    async def close_draft(self) -> None:
        """The inspector leaves a draft's screen for the sites: a restarted app then opens on the sites. The
        draft itself stays."""
        await enrolling.close_draft(self._desk)

    async def discard_draft(self, draft: str) -> None:
        """Throw an unsigned inspection away. Its photos stay in the evidence box until they are cleaned up."""
        await inspecting.discard(self._desk, draft)

    # --- closing and signing ---

    async def set_closing(self, draft: str, **fields: str) -> ReviewView:
        """Any of how (signed | refused | nobody present), name, role, reason, witness."""
        await inspecting.set_closing(self._desk, draft, fields)
        return reviewing.review(self._desk, draft)

    async def set_follows(self, draft: str, step: str, wanted: bool) -> ReviewView:
        """What must follow (`ReviewView.steps`): order | revision | emergency."""
        await inspecting.set_follows(self._desk, draft, step, wanted)
        return reviewing.review(self._desk, draft)

    async def set_signature(
        self, draft: str, whose: str, strokes: Sequence[Sequence[Sequence[int]]] | None
    ) -> ReviewView:
        """What inspector | in_charge | witness drew so far: strokes of [x, y, ms] points in a frame of
        `signatures.WIDTH` x `HEIGHT`; None takes it back. Problem "evidence-not-a-signature"."""
        await signatures.set_signature(self._desk, draft, whose, strokes)
        return reviewing.review(self._desk, draft)

    async def signature_strokes(self, draft: str, whose: str) -> list[list[list[int]]]:
        """What was drawn; empty where nothing is kept."""
        return await signatures.strokes_of(self._desk, draft, whose)

    async def begin_correction(self, fact: str) -> InspectionView:
        """A draft that corrects a signed inspection (`SignedView.can_correct`): signed as a new record that names the
        first, with a reason (`set_details(revise_reason=...)`)."""
        return await correcting.begin_correction(self._desk, fact)

    def notice(self, fact: str) -> NoticeView:
        """The correction notice of a signed inspection, to be shown to the person in charge."""
        return noticing.notice(self._desk, fact)

    async def notice_pdf(self, fact: str, language: str) -> bytes:
        """The notice as a paper, in "en" or "es"."""
        return await noticing.notice_pdf(self._desk, fact, language)

    async def save_notice(self, fact: str, language: str) -> HandedOut:
        """Hand the paper over (shared or saved, as the device can)."""
        return await noticing.save_notice(self._desk, fact, language)

    async def inspection_report_pdf(self, fact: str, language: str) -> bytes:
        """The report of a signed inspection with its photos, in "en" or "es". Problem "paper-elsewhere" in a browser
        (`SignedView.report`)."""
        return await report_paper.pdf(self._desk, fact, language)

    async def save_inspection_report(self, fact: str, language: str) -> HandedOut:
        """Hand the report over (shared or saved, as the device can)."""
        return await report_paper.save(self._desk, fact, language)

    def review(self, draft: str) -> ReviewView:
        """What would be signed now, with all that still misses."""
        return reviewing.review(self._desk, draft)

    async def sign_inspection(self, draft: str, pin: str) -> SignedView:
        """Freeze, sign and queue the inspection in one change. Problem "pin-wrong" (with the wait),
        "pin-wait", "inspection-incomplete"."""
        return await signing.sign_inspection(self._desk, draft, pin)

    def signed(self, fact: str) -> SignedView:
        """A signed inspection and what may follow from it. Problem "draft-unknown"."""
        return signing.signed(self._desk, fact)
