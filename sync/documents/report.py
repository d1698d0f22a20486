"""The inspection report: what was looked at, what was found, who signed, and every photo with its fingerprint.

Made by the office from the signed fact; it prints the record as signed and corrects nothing. Questions that
nobody answered are not filled in, and "not observed" prints as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sync.documents.evidence import photo_grid
from sync.documents.language import Translate, date_words, moment_words, parse_date, parse_wall, translator
from sync.documents.order_words import due_words, name_words


def inspection_report_pdf(
    inspection: Mapping[str, Any],
    pack: Any,
    *,
    city: Mapping[str, Any],
    fact_id: str,
    sha256: str,
    created: datetime,
    site: Mapping[str, Any] | None = None,
    received_at: datetime | None = None,
    subjects: Mapping[str, str] | None = None,
    previews: Mapping[str, bytes] | None = None,
    language: str = "en",
) -> bytes:
    """The report of one signed inspection (the body of its fact) as PDF bytes.

    `fact_id` and `sha256` name the signed record; `subjects` maps ids of inlets and devices to their labels;
    `previews` are small JPEGs by SHA-256 and need Pillow. A photo without a preview keeps its place.
    """
    from sync.documents.paper import LOUD, Paper

    _ = translator(language)
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
        paper_name=_("Office copy"),
    )
    paper.add_page()
    paper.paragraph(city["name"], 12, style="B", after=0.2, family=LOUD)
    office = [city.get("department"), city.get("address"), city.get("phone")]
    paper.paragraph(" · ".join(part for part in office if part), 9.5, after=3)
    paper.paragraph(_("Inspection report"), 22, style="B", family=LOUD, after=0)
    paper.paragraph(place.get("address") or inspection["site"], 14, style="B", family=LOUD)
    paper.paragraph(outcome_words(inspection["outcome"], _), 12, style="B")

    rows = [
        (_("Inspected on"), date_words(parse_date(inspection["inspected_on"]), _)),
        (
            _("From, to"),
            _("{began} to {ended}").format(
                began=moment_words(parse_wall(inspection["began"]), _),
                ended=moment_words(parse_wall(inspection["ended"]), _),
            ),
        ),
        (_("Kind"), type_words(inspection["type"], _)),
        (_("Basis of entry"), inspection.get("basis_of_entry") or _("not recorded")),
        (_("Weather"), weather_words(inspection.get("weather"), _)),
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
    paper.pairs(rows, size=10)

    findings = inspection["findings"]
    paper.heading(_("Findings"), keep=24)
    if findings:
        paper.table(
            (_("No."), _("What and where"), _("How serious"), _("Correction and due")),
            [
                (
                    str(at),
                    "\n".join(
                        part for part in (title_words(finding, pack, names, language), finding.get("note")) if part
                    ),
                    severity_words(finding, _),
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
        )
    else:
        paper.paragraph(_("No findings."), 10.5)

    paper.heading(_("Answers"), keep=24)
    paper.table(
        (_("Question"), _("Answer"), _("Note")),
        [
            (
                question_words(answer, pack, names, language),
                answer_words(answer["answer"], _),
                answer.get("note") or "",
            )
            for answer in inspection["answers"]
        ],
        (0.52, 0.2, 0.28),
        size=9.5,
    )

    paper.heading(_("Signed"), keep=20)
    paper.paragraph(signed.get("statement") or "", 10.5)
    paper.paragraph(_("Signed record {record}, SHA-256 {sha}").format(record=fact_id, sha=sha256), 8.5)
    photos = inspection["photos"]
    if photos:
        paper.heading(_("Photos"), keep=90)
        captions = photo_captions(inspection, pack, names, language)
        photo_grid(paper, photos, previews or {}, captions, _)
    return paper.finished()


def _lines(*parts: str | None) -> str:
    return "\n".join(part for part in parts if part)


def outcome_words(outcome: str, _: Translate) -> str:
    """The outcome of an inspection as a person says it."""
    return {
        "compliant": _("Compliant"),
        "corrected_on_site": _("Corrected on site"),
        "correction_notice": _("Correction notice"),
        "revision_order": _("Revision of the plan ordered"),
        "stop_work_recommended": _("Stop-work order recommended"),
        "stop_work_posted": _("Stop-work order posted"),
        "emergency_action_requested": _("Emergency action requested"),
        "incomplete": _("Incomplete: something was not observed"),
    }.get(outcome.replace(" ", "_").replace("-", "_"), outcome)


def type_words(kind: str, _: Translate) -> str:
    return {
        "weekly": _("weekly"),
        "rain": _("after rain"),
        "complaint": _("after a complaint"),
        "re-inspection": _("re-inspection"),
        "permit": _("for a permit"),
        "final": _("final"),
        "other": _("other"),
    }.get(kind, kind)


def weather_words(weather: Mapping[str, Any] | None, _: Translate) -> str:
    if not weather or weather.get("rain_24h_in") in (None, ""):
        return _("not recorded")
    return _("{inches} in of rain in the last 24 hours ({source})").format(
        inches=weather["rain_24h_in"], source=weather.get("source") or _("source not recorded")
    )


def severity_words(finding: Mapping[str, Any], _: Translate) -> str:
    """The severity, and when a person changed the computed one, from what and why."""
    named = {
        "critical": _("critical"),
        "major": _("major"),
        "minor": _("minor"),
        "observation": _("observation"),
    }
    severity = named.get(finding["severity"], finding["severity"])
    computed = finding.get("computed")
    if computed and computed != finding["severity"]:
        why = finding.get("severity_reason") or _("no reason given")
        return _("{severity} (computed: {computed}; {why})").format(
            severity=severity, computed=named.get(computed, computed), why=why
        )
    return severity


def answer_words(answer: Mapping[str, Any], _: Translate) -> str:
    """An answer as text: one part plainly, several parts as "part: value" lines."""
    plain = {
        "yes": _("yes"),
        "no": _("no"),
        "na": _("does not apply"),
        "not_observed": _("not observed"),
    }

    def one(value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(one(part) for part in value) or _("none")
        text = str(value)
        return plain.get(text, text.replace("_", " "))

    first = [one(answer["answer"])] if "answer" in answer else []
    rest = [f"{part.replace('_', ' ')}: {one(value)}" for part, value in sorted(answer.items()) if part != "answer"]
    return "\n".join(first + rest)


def item_words(item: str, pack: Any, language: str) -> str:
    """The question of a checklist item in the given language, or its id when this pack has no such item."""
    for checklist in pack.checklists.values():
        for candidate in checklist.items:
            if candidate.id == item:
                question = candidate.question
                return question.get(language) or question.get("en") or item
    return item


def subject_words(subject: Mapping[str, Any] | None, names: Mapping[str, str]) -> str:
    return names.get(subject["id"], subject["id"]) if subject else ""


def question_words(answer: Mapping[str, Any], pack: Any, names: Mapping[str, str], language: str) -> str:
    about = subject_words(answer.get("subject"), names)
    question = item_words(answer["item"], pack, language)
    return f"{question} ({about})" if about else question


def title_words(finding: Mapping[str, Any], pack: Any, names: Mapping[str, str], language: str) -> str:
    about = subject_words(finding.get("subject"), names)
    title = finding.get("title") or item_words(finding["item"], pack, language)
    return f"{title} ({about})" if about else title


def photo_captions(inspection: Mapping[str, Any], pack: Any, names: Mapping[str, str], language: str) -> dict[str, str]:
    """What each photo shows: the finding it belongs to, else the question, by SHA-256."""
    titles = {finding["id"]: title_words(finding, pack, names, language) for finding in inspection["findings"]}
    captions = {}
    for photo in inspection["photos"]:
        about: Iterable[str] = (
            titles.get(photo.get("finding") or "", ""),
            item_words(photo["item"], pack, language) if photo.get("item") else "",
            photo.get("name") or "",
        )
        captions[photo["sha256"]] = next((text for text in about if text), "")
    return captions
