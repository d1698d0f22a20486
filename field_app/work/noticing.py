"""The correction notice on the tablet: shown to the person in charge, and handed over as a paper or as a code.

Made from the signed record with no network. The code leads to the public page, which knows of the notice only once
the record has reached the office, and says so until then.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import segno

from field_app.work.handing_out import HandedOut, hand_out
from field_app.work.order_findings import item_title
from field_app.work.progress import is_safe
from field_app.work.sites import place_labels
from field_app.work.views.inspection import NoticeLineView, NoticeView
from field_app.work.words import SEVERITY, said
from sync.documents.inspection_words import correction_words
from sync.documents.language import LANGUAGES
from sync.documents.notice import correction_notice_pdf, notice_link, open_corrections, told_words
from sync.documents.order_words import due_words
from sync.records.bodies import signatures_of
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk
    from sync.records.facts import Fact


def signed_inspection(desk: Desk, fact: str) -> tuple[dict[str, Any], Fact]:
    """The row and the record of a signed inspection. Problem "draft-unknown" when it is not, or no longer, here."""
    row = desk.store.table("facts").get(fact)
    if row is None or row["kind"] != "inspection_signed":
        raise Problem("draft-unknown", "there is no signed inspection of this id here", where=fact)
    return row, desk.fact(row)


def notice(desk: Desk, fact: str) -> NoticeView:
    """Raises Problem "draft-unknown" when the record is not, or no longer, on this tablet."""
    _ = desk.words
    row, signed = signed_inspection(desk, fact)
    body = signed.body
    pack = desk.pack(signed.pack)
    site = desk.store.table("sites").get(body["site"]) or {}
    kept = is_safe(desk, row)
    link = _link(desk, signed)
    if kept:
        words = _("The code leads to this notice on the city's page.")
    else:
        words = _("The code leads to the city's page. It shows the notice once this tablet has reached the office.")
    return NoticeView(
        fact=fact,
        site=body["site"],
        site_name=site.get("name", body["site"]),
        address=site.get("address", ""),
        heading=_("What must be corrected"),
        told=told_words(body, _),
        lines=tuple(
            NoticeLineView(
                number=str(at),
                severity=one["severity"],
                severity_words=said(SEVERITY, one["severity"], _),
                where=(one.get("subject") or {}).get("label", ""),
                what=correction_words(one, pack, desk.law_language) or _("Nothing is ordered: an observation."),
                found=one["note"] or item_title(pack, one["item"], desk.law_language),
                due=due_words(one["due"], _) if one["due"] else _("no date"),
            )
            for at, one in enumerate(open_corrections(body), start=1)
        ),
        link=link,
        code=qr_picture(link) if link else b"",
        link_words=words if link else "",
        kept=kept,
    )


@lru_cache(maxsize=4)
def qr_picture(link: str) -> bytes:
    """The link as a QR code: a black-and-white PNG with its quiet zone."""
    out = BytesIO()
    segno.make(link, error="m", micro=False).save(out, kind="png", scale=8, border=4)
    return out.getvalue()


def _link(desk: Desk, signed: Fact) -> str:
    public = desk.tablet().get("public_url") or ""
    token = signed.body.get("notice_token")
    return notice_link(public, signed.id, token) if public and token else ""


async def drawn_signatures(desk: Desk, body: Any) -> dict[str, bytes]:
    """The drawn signatures of an inspection that are on this tablet, by SHA-256."""
    drawn = {}
    for sha in set(signatures_of(body)) - {None}:
        with suppress(Problem):  # cleared away after the server had it: the paper then bears the name alone
            drawn[sha] = await desk.box.read(sha)
    return drawn


async def notice_pdf(desk: Desk, fact: str, language: str) -> bytes:
    if language not in LANGUAGES:
        raise Problem("choice-unknown", f"{language!r} is not a language of the papers", where="language")
    _row, signed = signed_inspection(desk, fact)
    body = signed.body
    drawn = await drawn_signatures(desk, body)
    pack = desk.pack(signed.pack)
    labels = {ident: label for (_kind, ident), label in place_labels(desk, body["site"]).items()}
    return correction_notice_pdf(
        body,
        pack,
        fact_id=fact,
        created=signed.at.wall,
        site=desk.store.table("sites").get(body["site"]),
        subjects=labels,
        public_url=desk.tablet().get("public_url") or "",
        signatures=drawn,
        language=language if language in pack.languages else "en",
    )


async def save_notice(desk: Desk, fact: str, language: str) -> HandedOut:
    name = f"correction-notice-{fact[:8]}-{language}.pdf"
    return await hand_out(desk, name, await notice_pdf(desk, fact, language))
