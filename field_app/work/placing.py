"""Inlets and control devices found on the site during an inspection: added, gone, and counted against the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.capture import draft as taps
from field_app.capture import form as forms
from field_app.capture import places
from field_app.capture.draft import Draft
from field_app.work.inspecting import tapped
from field_app.work.views import InspectionView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def count_inlets(desk: Desk, draft: str) -> InspectionView:
    """The numbers that this tablet knows as the answer to "how many inlets": on the plan, and found now."""
    at = desk.wall()

    def change(d: Draft, form: forms.Form) -> Draft:
        question = next((q for q in form.questions if q.item.part("counted") and q.item.part("on_plan")), None)
        if question is None:
            raise Problem("item-unknown", "this inspection does not count inlets", where="inlets")
        planned, now = inlet_counts(d)
        d = taps.answer(d, form, question.key, "counted", str(now), at)
        return taps.answer(d, form, question.key, "on_plan", str(planned), at)

    return await tapped(desk, draft, change, "count")


def inlet_counts(draft: Draft) -> tuple[int, int]:
    """Inlets on the office's list, and those there now by what was added and found gone."""
    added = {p.id for p in draft.placed if p.act == places.ADDED and p.kind == "inlet"}
    gone = {p.id for p in draft.placed if p.act == places.RETIRED and p.kind == "inlet"}
    known = {s.id for s in draft.subjects if s.kind == "inlet"}
    return len(known - added), len(known - gone)


async def add_place(desk: Desk, draft: str, kind: str, label: str, place: str, device: str) -> InspectionView:
    ident = desk.new_id()
    words = f"place-added:{label.strip()}"
    change = lambda d, form: places.add_place(d, kind, ident, label, place, device)  # noqa: E731
    return await tapped(desk, draft, change, words)


async def retire_place(desk: Desk, draft: str, kind: str, ident: str, why: str) -> InspectionView:
    words = "place-gone"
    return await tapped(desk, draft, lambda d, form: places.retire_place(d, kind, ident, why), words)


async def keep_place(desk: Desk, draft: str, kind: str, ident: str) -> InspectionView:
    words = "place-kept"
    return await tapped(desk, draft, lambda d, form: places.keep_place(d, kind, ident), words)
