"""Signing of an inspection: frozen bytes, the person's MAC, evidence rows and counter in one change.

The PIN is checked before anything is frozen. The statement that is signed names each photo by its number and the
beginning of its SHA-256, so the signature covers every picture. After signing nothing is edited: a correction is a
new record that names the first and says why (`correcting.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from field_app.capture import closing
from field_app.capture.body import days_of, photo_uses, to_fact_body
from field_app.capture.draft import Draft
from field_app.capture.findings import Judged, missing
from field_app.work import found_places, inspecting, marking, pins, report_paper, taken_off, voice_keeping
from field_app.work.order_findings import corrected_by
from field_app.work.ordering import close_session
from field_app.work.orders_known import outcome_now
from field_app.work.photo_records import FINGERPRINT_SHOWN, photo_evidence, photos_covered
from field_app.work.progress import is_safe, journey, order_findings
from field_app.work.sealing import seal, signer
from field_app.work.second_orders import rested_on
from field_app.work.views import SignedView
from field_app.work.words import OUTCOME, evidence_said, said
from sync.documents.language import Translate
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def statement(desk: Desk, draft: Draft, judged: dict[str, Judged]) -> str:
    """What is signed, in the tablet's language: the inspection, and every photo by number and fingerprint."""
    _ = desk.words
    site = desk.store.table("sites").get(draft.site) or {}
    text = _("I, {name}, inspected {site}, {address}. What is recorded here is what I observed.").format(
        name=desk.person()["name"], site=site.get("name", draft.site), address=site.get("address", "")
    )
    if draft.revises:
        text += " " + _("This corrects my record {record}. Why: {why}").format(
            record=draft.revises[:FINGERPRINT_SHOWN], why=draft.revise_reason.strip()
        )
    if days := days_words(desk, draft):
        text += " " + days
    spoken = voice_keeping.covered(draft.voice_notes.values(), _)
    return " ".join([text, *_photos_covered(draft, judged, _), *([spoken] if spoken else [])])


def days_words(desk: Desk, draft: Draft) -> str:
    """Which day the record bears, where the inspection was begun, looked at last or signed on different days."""
    _, on = desk.words, days_of(draft, desk.wall())[1]
    if draft.revises or draft.began[:10] == on == desk.today().isoformat():
        return ""
    return _("Begun {began}; the last answer or photo is of {day}. The record is dated {day}, and each finding bears "
             "the day on which it was found.").format(began=desk.moment_words(draft.began), day=desk.date_words(on))


def _photos_covered(draft: Draft, judged: dict[str, Judged], _: Translate) -> list[str]:
    photos = list(photo_uses(draft, judged))
    if not photos:
        return []
    return [photos_covered(photos, _)]


async def sign_inspection(desk: Desk, draft: str, pin: str) -> SignedView:
    d = inspecting.load(desk, draft)
    if d.user != desk.user():
        raise Problem("order-not-open", "another person began this inspection", where=draft)
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=draft)
    lacking = missing(d, inspecting.judge_all(desk, d))
    if lacking:
        raise Problem("inspection-incomplete", where=lacking[0].key or lacking[0].section)
    await pins.verify(desk, pin)
    layers = await marking.keep_layers(desk, d.photos.values())
    fact = desk.new_id()
    at = desk.at()
    async with desk.store.change() as tx:
        doc = tx.get("drafts", draft)
        if doc is None:
            raise Problem("draft-unknown", where=draft)
        d = inspecting.stored.from_doc(doc)
        judged = inspecting.judge_all(desk, d)
        if missing(d, judged) or not {one.sha256 for one in marking.drawn_over(d.photos.values())} <= layers:
            raise Problem("inspection-incomplete", where=draft)
        ended, inspected_on = days_of(d, at.wall.isoformat(timespec="seconds"))
        body = to_fact_body(
            d,
            judged,
            ended=ended,
            inspected_on=inspected_on,
            signed={**signer(desk), "statement": statement(desk, d, judged)},
            zone=desk.zone or "",
            notice_token=desk.hardware.ids.random_bytes(16).hex(),
        )
        body |= taken_off.for_record(desk, draft, {*d.photos, *d.voice_notes})
        seal(
            desk,
            tx,
            "inspection_signed",
            body,
            fact=fact,
            pack=d.pack,
            evidence=[
                *(photo_evidence(d.photos[sha]) for sha in photo_uses(d, judged)),
                *marking.drawn_over(d.photos.values()),
                *voice_keeping.evidence(d.voice_notes.values()),
                *_drawn(d),
            ],
            at=at,
            revises=d.revises or None,
        )
        revised = desk.fact(tx.get("facts", d.revises)) if d.revises else None
        found_places.take_over(tx, fact, d.site, body["places"], revised)
        tx.delete("drafts", draft)
        close_session(tx, draft)
    return signed(desk, fact)


def _drawn(draft: Draft) -> list[Evidence]:
    """The drawn signatures as evidence; two people cannot have drawn the very same strokes, one file counts once."""
    files = {one["sha256"]: one for one in closing.used(draft.closing).values()}
    return [Evidence(sha, "signature", one["size"], one["media"]) for sha, one in files.items()]


def signed(desk: Desk, fact: str) -> SignedView:
    _ = desk.words
    doc = desk.store.table("facts").get(fact)
    if doc is None or doc["kind"] != "inspection_signed":
        raise Problem("draft-unknown", "there is no signed inspection of this id here", where=fact)
    body = desk.fact(doc).body
    grounds = order_findings(body)
    photos = evidence_said([one.kind for one in desk.fact(doc).evidence], _)
    over = corrected_by(desk)
    ordered = rested_on(desk, body["site"]).get(fact, "")
    if is_safe(desk, doc):
        kept = _("Signed, and safe on the server with {photos}.")
    elif there := journey(desk, doc):
        kept = _("Signed with {photos}.") + " " + there
    else:
        kept = _("Signed and kept on this tablet with {photos}. It goes to the office by itself.")
    return SignedView(
        fact=fact,
        site=body["site"],
        site_name=(desk.store.table("sites").get(body["site"]) or {}).get("name", body["site"]),
        outcome_words=said(OUTCOME, outcome_now(desk, body["outcome"], fact, desk.fact(doc).revises or ""), _),
        kept=kept.format(photos=photos),
        can_order=bool(grounds) and fact not in over and not ordered,
        ordered=ordered,
        suggest_order=any(f["severity"] == "critical" for f in grounds) or body["outcome"] == "stop-work recommended",
        may_post=desk.may("post"),
        notice=any(f["status"] == "open" for f in body["findings"]) and fact not in over,
        corrected_by=over.get(fact, ""),
        corrects=desk.fact(doc).revises or "",
        can_correct=fact not in over and desk.fact(doc).user == desk.session().get("user"),
        report=report_paper.can_make(desk),
    )
