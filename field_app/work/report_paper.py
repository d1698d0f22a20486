"""The inspection report with its photos, made on the tablet with no network: natively only.

Made from the signed record, like the office's, by the same code. A picture on it is a small copy, and only of an
original whose bytes were just found to be the ones that were signed; one picture is in memory at a time, apart from
the small copies on the paper. In a browser papers hold no pictures: there the report is the office's.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from field_app.work import photographing
from field_app.work.handing_out import HandedOut, hand_out
from field_app.work.marking import read_layers
from field_app.work.noticing import drawn_signatures, signed_inspection
from field_app.work.order_findings import corrected_by
from field_app.work.progress import is_safe
from field_app.work.sites import place_labels
from sync.documents.language import LANGUAGES, translator
from sync.documents.report import inspection_report_pdf
from sync.records.macs import fingerprint
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

PAPER_LONGEST = 640
"""Pixels of a picture on paper, which is 9 cm wide there."""
MOST_PICTURES = 60


def can_make(desk: Desk) -> bool:
    """Whether this device can put photos on paper."""
    return desk.hardware.kind == "native"


async def pdf(desk: Desk, fact: str, language: str) -> bytes:
    """The report as PDF bytes. Problem "draft-unknown", "choice-unknown", "paper-elsewhere"."""
    if language not in LANGUAGES:
        raise Problem("choice-unknown", f"{language!r} is not a language of the papers", where="language")
    if not can_make(desk):
        raise Problem("paper-elsewhere")
    row, signed = signed_inspection(desk, fact)
    body, pack = signed.body, desk.pack(signed.pack)
    language = language if language in pack.languages else "en"
    there = is_safe(desk, row)
    _ = translator(language)
    copy = _("Made on tablet {code}; in the office too") if there else _("Made on tablet {code}; not in the office yet")
    pictures, absent = await _pictures(desk, body["photos"], language)
    # Placing thirty photos takes a second or two: taps and calls go on meanwhile.
    return await asyncio.to_thread(
        inspection_report_pdf,
        body,
        pack,
        fact_id=fact,
        sha256=fingerprint(row["text"].encode()),
        created=signed.at.wall,
        site=desk.store.table("sites").get(body["site"]),
        received_at=desk.local(datetime.fromisoformat(row["sync"]["at"])) if there else None,
        subjects={ident: label for (_kind, ident), label in place_labels(desk, body["site"]).items()},
        previews=pictures,
        absent=absent,
        revises=signed.revises,
        superseded_by=corrected_by(desk).get(fact),
        signatures=await drawn_signatures(desk, body),
        layers=await read_layers(desk, body["photos"]),
        copy=copy.format(code=signed.tablet),
        language=language,
    )


async def save(desk: Desk, fact: str, language: str) -> HandedOut:
    """Hands the report to the person."""
    return await hand_out(desk, f"inspection-report-{fact[:8]}-{language}.pdf", await pdf(desk, fact, language))


async def _pictures(desk: Desk, photos: list[Any], language: str) -> tuple[dict[str, bytes], dict[str, str]]:
    """Small copies by SHA-256, and in words why there is none of the others."""
    _ = translator(language)
    previews = {doc["of"]: doc["sha256"] for doc in desk.store.table("evidence").all() if doc.get("of")}
    waiting = {row.sha256 for row in desk.outbox.view().files if not row.held}
    pictures, absent = {}, {}
    for photo in photos:
        sha = photo["sha256"]
        small = None
        if len(pictures) >= MOST_PICTURES:
            absent[sha] = _("This photo is on the tablet; it is not shown on this paper.")
        elif not await desk.box.has(sha):
            absent[sha] = (_("This photo cannot be read on the tablet any more.") if sha in waiting else
                           _("This photo is not on the tablet any more; the office holds it."))
        elif not await desk.box.check(sha):
            absent[sha] = _("This photo cannot be read on the tablet any more.")
        elif (small := await _small(desk, sha, previews.get(sha))) is None:
            absent[sha] = _("The tablet cannot show this photo; the original is kept and goes to the office.")
        if small is not None:
            pictures[sha] = small
    return pictures, absent


async def _small(desk: Desk, sha: str, preview: str | None) -> bytes | None:
    """From the preview that is there already, else from the original; None where nothing here can decode it."""
    if preview is not None and await desk.box.has(preview):
        return await desk.hardware.images.thumbnail(await desk.box.read(preview), PAPER_LONGEST)
    return await photographing.thumbnail(desk, sha, PAPER_LONGEST)
