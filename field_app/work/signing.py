"""Review and signing of an inspection: frozen bytes, the person's MAC, evidence rows and counter in one change.

The PIN is checked before anything is frozen. The statement that is signed names each photo by its number and the
beginning of its SHA-256, so the signature covers every picture. After signing nothing is edited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.capture.draft import Draft
from field_app.capture.findings import Judged, missing, outcome_of, photo_uses, to_fact_body
from field_app.capture.findings import findings as findings_of
from field_app.work import inspecting, pins
from field_app.work.inspection_view import missing_view
from field_app.work.ordering import close_session
from field_app.work.photo_records import photo_evidence, photo_view
from field_app.work.progress import is_safe, journey, order_findings
from field_app.work.sealing import seal, signer
from field_app.work.sites import due_line
from field_app.work.views import FindingView, ReviewView, SignedView
from field_app.work.words import ONE_PHOTO, OUTCOME, PHOTOS, SEVERITY, counted, said
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

FINGERPRINT_SHOWN = 12


def review(desk: Desk, draft: str) -> ReviewView:
    _ = desk.words
    d = inspecting.load(desk, draft)
    judged = inspecting.judge_all(desk, d)
    site = desk.store.table("sites").get(d.site) or {}
    outcome = outcome_of(judged)
    lacking = tuple(missing_view(desk, m, judged) for m in missing(d, judged))
    wait = pins.seconds_left(desk)
    mine = d.user == desk.user()
    return ReviewView(
        id=draft,
        site=d.site,
        site_name=site.get("name", d.site),
        address=site.get("address", ""),
        outcome=outcome,
        outcome_words=said(OUTCOME, outcome, _),
        findings=_findings(desk, d, judged, site),
        not_observed=tuple(_named(desk, one) for one in judged.values() if one.state == "not_observed"),
        photos=tuple(photo_view(desk, d.photos[sha], site) for sha in photo_uses(d, judged)),
        missing=lacking,
        signer=", ".join(part for part in (signer(desk)["name"], signer(desk)["title"]) if part),
        statement=statement(desk, d, judged),
        pin_wait=wait,
        can_sign=mine and not lacking and desk.may("inspect"),
    )


def _named(desk: Desk, one: Judged) -> str:
    question = one.question
    text = question.item.question(desk.law_language)
    return f"{question.subject.label}: {text}" if question.subject else text


def _findings(desk: Desk, draft: Draft, judged: dict[str, Judged], site: dict[str, Any]) -> tuple[FindingView, ...]:
    _ = desk.words
    pack = desk.pack(draft.pack)
    failing = [(key, one) for key, one in judged.items() if one.fails]
    views = []
    for (key, one), finding in zip(failing, findings_of(draft, judged), strict=True):
        due = due_line(desk, finding["due"])
        views.append(
            FindingView(
                id=finding["id"],
                key=key,
                title=one.question.item.question(desk.law_language),
                subject=one.question.subject.label if one.question.subject else "",
                severity=finding["severity"],
                severity_words=said(SEVERITY, finding["severity"], _),
                clause=pack.cite(finding["clause"]),
                note=finding["note"],
                correction=finding["correction"],
                due_words=_("corrected on site") if one.entry.corrected else due,
                photos=tuple(photo_view(desk, draft.photos[sha], site) for sha in one.entry.photos),
                corrected=one.entry.corrected,
            )
        )
    return tuple(views)


def statement(desk: Desk, draft: Draft, judged: dict[str, Judged]) -> str:
    """What is signed, in the tablet's language: the inspection, and every photo by number and fingerprint."""
    _ = desk.words
    site = desk.store.table("sites").get(draft.site) or {}
    text = _("I, {name}, inspected {site}, {address}. What is recorded here is what I observed.").format(
        name=desk.person()["name"], site=site.get("name", draft.site), address=site.get("address", "")
    )
    photos = list(photo_uses(draft, judged))
    if not photos:
        return text
    listed = "; ".join(
        _("photo {number}: {fingerprint}").format(number=number, fingerprint=sha[:FINGERPRINT_SHOWN])
        for number, sha in enumerate(photos, start=1)
    )
    told = _("I took or chose each photo of this record, {photos} in all, and changed none ({listed}).")
    return f"{text} {told.format(photos=counted(len(photos), ONE_PHOTO, PHOTOS, _), listed=listed)}"


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
    fact = desk.new_id()
    at = desk.at()
    async with desk.store.change() as tx:
        doc = tx.get("drafts", draft)
        if doc is None:
            raise Problem("draft-unknown", where=draft)
        d = inspecting.taps.from_doc(doc)
        judged = inspecting.judge_all(desk, d)
        if missing(d, judged):
            raise Problem("inspection-incomplete", where=draft)
        body = to_fact_body(
            d,
            judged,
            ended=at.wall.isoformat(timespec="seconds"),
            inspected_on=d.began[:10],
            signed={**signer(desk), "statement": statement(desk, d, judged)},
        )
        seal(
            desk,
            tx,
            "inspection_signed",
            body,
            fact=fact,
            pack=d.pack,
            evidence=[photo_evidence(d.photos[sha]) for sha in photo_uses(d, judged)],
            at=at,
        )
        tx.delete("drafts", draft)
        close_session(tx, draft)
    return signed(desk, fact)


def signed(desk: Desk, fact: str) -> SignedView:
    _ = desk.words
    doc = desk.store.table("facts").get(fact)
    if doc is None or doc["kind"] != "inspection_signed":
        raise Problem("draft-unknown", "there is no signed inspection of this id here", where=fact)
    body = desk.fact(doc).body
    grounds = order_findings(body)
    photos = counted(len(doc["evidence"]), ONE_PHOTO, PHOTOS, _)
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
        outcome_words=said(OUTCOME, body["outcome"], _),
        kept=kept.format(photos=photos),
        can_order=bool(grounds),
        suggest_order=any(f["severity"] == "critical" for f in grounds),
        may_post=desk.may("post"),
    )
