"""Correcting a signed inspection: a draft made from the signed record, to be signed as a new one that names it.

Only who signed it corrects it, and only the newest of a chain. Nothing of the first record changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.capture import stored
from field_app.capture.correcting import draft_of
from field_app.work import found_places, inspecting, marking
from field_app.work.desk import SESSION
from field_app.work.order_findings import corrected_by
from field_app.work.sites import current_permit, grouped, permit_line, site_doc
from field_app.work.views import InspectionView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


async def begin_correction(desk: Desk, fact: str) -> InspectionView:
    """Begin, or go on with, the correction. Problem "draft-unknown", "order-not-open", "no-authority"."""
    row = desk.store.table("facts").get(fact)
    if row is None or row["kind"] != "inspection_signed":
        raise Problem("draft-unknown", "there is no signed inspection of this id here", where=fact)
    signed = desk.fact(row)
    user = desk.user()
    if signed.user != user:
        raise Problem("order-not-open", "another person signed this inspection", where=fact)
    if fact in corrected_by(desk):
        raise Problem("order-not-open", "a later record corrects this inspection already", where=fact)
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=fact)
    body, site = signed.body, signed.body["site"]
    place = site_doc(desk, site)
    permits = grouped(desk, "permits").get(site, [])
    permit = next((p for p in permits if p["id"] == body["permit"]), None)
    layers = await marking.layers_of(desk, body)
    draft = draft_of(
        body,
        desk.pack(signed.pack),
        ident=desk.new_id(),
        user=user,
        revises=fact,
        files={one.sha256: {"sha256": one.sha256, "size": one.size, "media": one.media} for one in signed.evidence},
        layers=layers,
        subjects=(
            *inspecting.subjects_of(desk, site, permit or current_permit(desk, permits, desk.today())),
            *found_places.gone_in(desk, body),
        ),
        earlier=inspecting.earlier_of(desk, site),
        end_of_work_day=place.get("end_of_work_day"),
        permit_words=permit_line(desk, permit),
    )
    async with desk.store.change() as tx:
        # Looked for inside the change, so that two quick taps begin one correction.
        begun = next((doc["id"] for doc in desk.store.table("drafts").all() if doc.get("revises") == fact), None)
        if begun is None:
            tx.put("drafts", draft.id, stored.to_doc(draft))
        tx.put("meta", SESSION, {**desk.session(), "draft": begun or draft.id})
    return inspecting.view(desk, begun or draft.id)
