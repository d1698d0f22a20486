"""The inspection report: what was looked at, what was found, who signed, and every photo with its fingerprint.

Made from the signed fact, by the office or by the tablet that signed it; it prints the record as signed and corrects
nothing. Questions that nobody answered are not filled in, and "not observed" prints as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sync.documents.evidence import photo_grid
from sync.documents.inspection_words import (
    answer_words,
    changed_words,
    entry_words,
    finding_title,
    followup_rows,
    no_photo_words,
    outcome_words,
    photo_captions,
    place_lines,
    question_words,
    severity_word,
    since_words,
    type_words,
    weather_words,
)
from sync.documents.language import date_words, moment_words, parse_date, parse_wall, period_words, translator
from sync.documents.notice import signature_rows, told_words
from sync.documents.office import contact_line, office_of
from sync.documents.order_words import due_words, name_words
from sync.documents.site_papers import approval_words
from sync.documents.spoken import spoken


def inspection_report_pdf(
    inspection: Mapping[str, Any],
    pack: Any,
    *,
    city: dict[str, str] | None = None,
    fact_id: str,
    sha256: str,
    created: datetime,
    site: Mapping[str, Any] | None = None,
    received_at: datetime | None = None,
    subjects: Mapping[str, str] | None = None,
    previews: Mapping[str, bytes] | None = None,
    revises: str | None = None,
    superseded_by: str | None = None,
    signatures: Mapping[str, bytes] | None = None,
    layers: Mapping[str, Any] | None = None,
    absent: Mapping[str, str] | None = None,
    copy: str = "",
    language: str = "en",
) -> bytes:
    """The report of one signed inspection (the body of its fact) as PDF bytes.

    `revises`, `superseded_by`: the records before and after it, where one corrects the other; `signatures`: drawn ones
    by SHA-256; `layers`: what was drawn over photos (`sync.records.layers.Layer`), by the photo's SHA-256.

    `fact_id` and `sha256` name the signed record; `subjects` maps ids of inlets and devices to their labels;
    `previews` are small JPEGs by SHA-256 and need Pillow. A photo without a preview keeps its place; `absent` says why,
    by SHA-256. `copy`: whose paper this is; without it, the office's.
    """
    from sync.documents.paper import LOUD, Paper

    _ = translator(language)
    city = city or office_of(pack, language)
    names = subjects or {}
    place = site or {}
    signed = inspection["signed"]
    paper = Paper(
        title=_("Inspection report"),
        running=_("Inspection report, {address}").format(address=place.get("address") or inspection["site"]),
        foot=_("Record {record} · {city} · ordinance pack {pack}").format(
            record=fact_id[:12], city=city["name"], pack=pack.ref
        ),
        created=created,
        language=language,
        _=_,
        demo=pack.demo,
        paper_name=copy or _("Office copy"),
    )
    paper.add_page()
    paper.paragraph(city["name"], 12, style="B", after=0.2, family=LOUD)
    paper.paragraph(contact_line(city), 9.5, after=3)
    paper.paragraph(_("Inspection report"), 22, style="B", family=LOUD, after=0)
    paper.paragraph(place.get("address") or inspection["site"], 14, style="B", family=LOUD)
    paper.paragraph(outcome_words(inspection["outcome"], _), 12, style="B")

    if superseded_by:
        paper.box(
            _("This record was corrected later"),
            _("Record {record} corrects it. Both are kept.").format(record=superseded_by),
            size=10.5,
        )
    if revises:
        paper.box(
            _("This corrects an earlier record"),
            _("It corrects record {record}. Both are kept. Why: {why}").format(
                record=revises, why=inspection.get("revise_reason") or _("no reason given")
            ),
            size=10.5,
        )
    rows = [
        (_("Inspected on"), date_words(parse_date(inspection["inspected_on"]), _)),
        (_("From, to"), period_words(parse_wall(inspection["began"]), parse_wall(inspection["ended"]), _)),
        (_("Kind"), type_words(inspection["type"], _)),
        (_("Basis of entry"), entry_words(inspection.get("basis_of_entry"), _, inspection.get("entry_note") or "")),
        *([(_("Entry approved"), approval_words(inspection["entry_approval"], _))]
          if inspection.get("entry_approval") else []),
        (_("Weather"), weather_words(inspection.get("weather"), _, inspection.get("sky") or "")),
        (_("Parcel"), place.get("parcel") or _("unknown")),
        (_("Permittee"), name_words(place.get("permittee"), _)),
        (
            _("Inspector"),
            _("{name}, {title}, credential {credential}").format(
                name=signed["name"],
                title=signed["title"],
                credential=signed.get("credential_no") or _("none recorded"),
            ),
        ),
    ]
    if received_at is not None:
        rows.append((_("Received by the office"), moment_words(received_at, _)))
    if inspection.get("in_charge"):
        rows.append((_("Told on the site"), told_words(inspection, _)))
    paper.pairs(rows, size=10)
    earlier = followup_rows(inspection, pack, names, language, _)
    if earlier:
        paper.table(
            (_("What and where"), _("Open since"), _("What became of it"), _("Note")),
            earlier,
            (0.44, 0.16, 0.16, 0.24),
            size=9.5,
            title=_("Open findings of earlier inspections"),
        )

    findings = inspection["findings"]
    if findings:
        paper.table(
            (_("No."), _("What and where"), _("How serious"), _("Correction and due")),
            [
                (
                    str(at),
                    "\n".join(
                        part
                        for part in (
                            finding_title(finding, pack, names, language),
                            finding.get("note"),
                            since_words(finding, inspection, _),
                            no_photo_words(finding, _),
                        )
                        if part
                    ),
                    _lines(severity_word(finding["severity"], _), changed_words(finding, _)),
                    _lines(
                        finding.get("correction"),
                        _("corrected on site")
                        if finding.get("status") == "corrected"
                        else due_words(finding.get("due"), _),
                    ),
                )
                for at, finding in enumerate(findings, start=1)
            ],
            (0.06, 0.42, 0.19, 0.33),
            size=9.5,
            title=_("Findings"),
        )
    else:
        paper.heading(_("Findings"), keep=24)
        paper.paragraph(_("No findings."), 10.5)

    changes = place_lines(inspection, _)
    if changes:
        paper.heading(_("Changes to the site's list"), keep=14)
        for line in changes:
            paper.paragraph(line, 10)
    paper.table(
        (_("Question"), _("Answer"), _("Note")),
        [
            (
                question_words(answer, pack, names, language),
                answer_words(answer["answer"], pack, answer["item"], language, _),
                answer.get("note") or "",
            )
            for answer in inspection["answers"]
        ],
        (0.52, 0.2, 0.28),
        size=9.5,
        title=_("Answers"),
    )

    signature_rows(paper, inspection, signatures or {}, _)
    paper.paragraph(signed.get("statement") or "", 10.5)
    paper.paragraph(_("Signed record {record}, SHA-256 {sha}").format(record=fact_id, sha=sha256), 8.5)
    notes = spoken(inspection, pack, names, language, _)
    if notes:
        paper.heading(_("Voice notes"), keep=24)
        for at, note in enumerate(notes, start=1):
            said = _("{number}. Voice note, {length}, {when}: {about}").format(number=at, **note)
            paper.paragraph(said, 10, after=0.2)
            paper.paragraph(f"SHA-256 {note['sha256']}", 7)
    photos = inspection["photos"]
    if photos:
        paper.heading(_("Photos"), keep=90)
        captions = photo_captions(inspection, pack, names, language)
        photo_grid(paper, photos, previews or {}, captions, _, site=place, pack=pack, layers=layers,
                   absent=absent)
    return paper.finished()


def _lines(*parts: str | None) -> str:
    return "\n".join(part for part in parts if part)
