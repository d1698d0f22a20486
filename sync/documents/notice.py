"""The correction notice: what must be corrected, where, and by when, for the person in charge of the site.

Made on the tablet from the signed record, with no network, and by the office from the same record: the same lines of
code give the same words. It orders nothing beyond the record, and says so where the office has not received it yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any

from sync.documents.inspection_words import (
    correction_words,
    finding_title,
    gravity,
    severity_word,
    since_words,
    type_words,
)
from sync.documents.language import Translate, date_words, moment_words, parse_date, parse_wall, translator
from sync.documents.office import contact_line, office_of
from sync.documents.order_words import due_words
from sync.records.wire import decode


def open_corrections(inspection: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The findings that were left open, the gravest first."""
    return sorted((f for f in inspection["findings"] if f["status"] == "open"), key=gravity)


def notice_link(public_url: str, fact_id: str, token: str) -> str:
    """The public page of a notice. It is found by the record's id and proved by the token that was signed with it."""
    return f"{public_url.rstrip('/')}/n/{fact_id}?t={token}"


def told_words(inspection: Mapping[str, Any], _: Translate) -> str:
    """Who was told, who refused, or that nobody was there."""
    met = inspection.get("in_charge")
    if not met:
        return _("Nobody is recorded as having been told on the site.")
    who = ", ".join(part for part in (met.get("name"), met.get("role")) if part)
    if met["how"] == "nobody present":
        return _("Nobody in charge was on the site.")
    if met["how"] == "signed":
        return _("{who} was told and signed.").format(who=who or _("The person in charge"))
    said = _("{who} was told and refused to sign.").format(who=who or _("The person in charge"))
    witness = (met.get("witness") or {}).get("name")
    if witness:
        said += " " + _("Witness: {name}.").format(name=witness)
    if met.get("reason"):
        said += " " + _("Remark: {reason}").format(reason=met["reason"])
    return said


def correction_notice_pdf(
    inspection: Mapping[str, Any],
    pack: Any,
    *,
    fact_id: str,
    created: datetime,
    site: Mapping[str, Any] | None = None,
    subjects: Mapping[str, str] | None = None,
    public_url: str = "",
    signatures: Mapping[str, bytes] | None = None,
    city: dict[str, str] | None = None,
    language: str = "en",
) -> bytes:
    """The notice of one signed inspection (the body of its fact) as PDF bytes.

    `subjects` maps ids of inlets and devices to labels; `signatures` are drawn ones by SHA-256 (see
    `sync.records.strokes`); with `public_url` and a token in the record it bears a QR code.
    """
    from sync.documents.paper import INNER, LOUD, MARGIN, Paper

    _ = translator(language)
    city = city or office_of(pack, language)
    names = {**_labels(inspection), **(subjects or {})}
    place = site or {}
    signed = inspection["signed"]
    address = place.get("address") or inspection["site"]
    paper = Paper(
        title=_("Correction notice"),
        running=_("Correction notice, {address}").format(address=address),
        foot=_("Record {record} · {city} · ordinance pack {pack}").format(
            record=fact_id[:12], city=city["name"], pack=pack.ref
        ),
        created=created,
        language=language,
        _=_,
        demo=pack.demo,
        paper_name=_("For the person in charge of the site"),
    )
    paper.add_page()
    top = paper.get_y()
    token = inspection.get("notice_token")
    wide = INNER
    if public_url and token:
        paper.qr(notice_link(public_url, fact_id, token), MARGIN + INNER - 36, top, 36)
        wide = INNER - 40
    paper.paragraph(city["name"], 12, style="B", after=0.2, family=LOUD, width=wide)
    paper.paragraph(contact_line(city), 9.5, after=2.5, width=wide)
    paper.paragraph(_("Correction notice"), 24, style="B", family=LOUD, after=0, width=wide)
    paper.paragraph(address, 15, style="B", family=LOUD, width=wide)
    paper.set_y(max(paper.get_y(), top + 37 if wide < INNER else 0))
    if wide < INNER:
        paper.paragraph(
            _("The code leads to this notice in the city's register. The page shows it once the tablet has reached "
              "the office."), 9, after=2)  # fmt: skip
    paper.pairs(
        [
            (_("Inspected"), _("{date}, {kind}").format(
                date=date_words(parse_date(inspection["inspected_on"]), _), kind=type_words(inspection["type"], _))),
            (_("Finished"), moment_words(parse_wall(inspection["ended"]), _)),
            (_("Inspector"), ", ".join(part for part in (signed["name"], signed["title"]) if part)),
            (_("Told on the site"), told_words(inspection, _)),
        ],
        size=10.5,
    )  # fmt: skip
    lines = open_corrections(inspection)
    if inspection.get("revise_reason"):
        paper.box(_("This notice replaces an earlier one"), inspection["revise_reason"], size=10.5)
    if lines:
        paper.table(
            (_("No."), _("What was found, and where"), _("What must be done"), _("By when")),
            [
                (
                    str(at),
                    "\n".join(_found(one, inspection, pack, names, language, _)),
                    correction_words(one, pack, language) or _("Nothing is ordered: an observation."),
                    due_words(one["due"], _) if one["due"] else _("no date"),
                )
                for at, one in enumerate(lines, start=1)
            ],
            (0.06, 0.4, 0.32, 0.22),
            size=10,
            title=_("What must be corrected"),
        )
    else:
        paper.heading(_("What must be corrected"), keep=20)
        paper.paragraph(_("Nothing is left to correct."), 11)
    paper.heading(_("Questions"), keep=24)
    paper.paragraph(
        _("If something cannot be done in time, call the office before the time is over. Work that is not corrected "
          "in time may be stopped by an order."), 10.5)  # fmt: skip
    paper.paragraph(contact_line(city), 10.5)
    signature_rows(paper, inspection, signatures or {}, _)
    paper.paragraph(_("{name} signed this record with a personal PIN.").format(name=signed["name"]), 10.5)
    return paper.finished()


def _labels(inspection: Mapping[str, Any]) -> dict[str, str]:
    """The names of what the findings are about, as the record itself gives them."""
    about = (one.get("subject") or {} for one in inspection["findings"])
    return {one["id"]: one["label"] for one in about if one.get("label")}


def _found(
    one: Mapping[str, Any], inspection: Mapping[str, Any], pack: Any, names: Mapping[str, str], language: str,
    _: Translate,
) -> Iterator[str]:
    yield finding_title(one, pack, names, language)
    if one.get("note"):
        yield one["note"]
    yield _("Severity: {severity}").format(severity=severity_word(one["severity"], _))
    if since := since_words(one, inspection, _):
        yield since


def signature_rows(paper: Any, inspection: Mapping[str, Any], drawn: Mapping[str, bytes], _: Translate) -> None:
    """The heading and who signed by hand, with the drawn signature where it is at hand."""
    from sync.documents.paper import MARGIN

    met = inspection.get("in_charge") or {}
    witness = met.get("witness") or {}
    signed = inspection["signed"]
    rows = [(_("Inspector"), signed["name"], signed.get("signature"))] if signed.get("signature") else []
    if met.get("how") == "signed":
        rows.append((_("Person in charge"), met.get("name") or "", met.get("signature")))
    if witness:
        rows.append((_("Witness"), witness["name"], witness.get("signature")))
    paper.heading(_("Signed"), keep=34 if any(sha in drawn for _role, _name, sha in rows) else 20)
    if inspection.get("revise_reason") and met.get("how") == "signed":
        paper.paragraph(_("The person in charge signed the earlier version."), 9.5)
    for role, name, sha in rows:
        high = 16 if sha in drawn else 5
        paper.room_for(high + 3)
        top = paper.get_y()
        paper.paragraph(f"{role}: {name}", 10.5, width=80, after=0)
        if sha in drawn:
            strokes(paper, drawn[sha], MARGIN + 86, top, 70, high)
        paper.set_y(max(paper.get_y(), top + high) + 2)


def strokes(paper: Any, data: bytes, x: float, y: float, width: float, height: float) -> None:
    """A drawn signature inside the given frame (millimetres), its proportions kept."""
    raw = decode(data)
    scale = min(width / raw["width"], height / raw["height"])
    paper.set_draw_color(17, 17, 17)
    paper.set_line_width(0.45)
    for stroke in raw["strokes"]:
        points = [(x + point[0] * scale, y + point[1] * scale) for point in stroke]
        for one, other in pairwise(points):
            paper.line(*one, *other)
