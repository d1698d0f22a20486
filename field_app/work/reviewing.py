"""The review: everything that will be signed, read once more, and how the inspection is closed with those on site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.capture.body import days_of, followups, photo_uses
from field_app.capture.body import findings as findings_of
from field_app.capture.draft import Draft
from field_app.capture.findings import Judged, missing, outcome_of, suggested
from field_app.capture.last_time import asked_again, found_anew
from field_app.work import inspecting, pins
from field_app.work.inspection_view import missing_view, missing_words
from field_app.work.lacking import counted_words
from field_app.work.last_time_view import found_anew_words, title_of, where_of
from field_app.work.photo_records import FINGERPRINT_SHOWN, photo_view
from field_app.work.sealing import signer
from field_app.work.signing import statement
from field_app.work.sites import due_line
from field_app.work.views import Choice, FindingView, ReviewView
from field_app.work.views.inspection import ClosingView, StepView
from field_app.work.words import FOLLOWED, IN_CHARGE, OUTCOME, SEVERITY, said
from sync.documents.inspection_words import no_photo_words, since_words
from sync.records.bodies import IN_CHARGE as HOWS
from sync.records.bodies import SEVERITIES

if TYPE_CHECKING:
    from field_app.work.desk import Desk

def review(desk: Desk, draft: str) -> ReviewView:
    _ = desk.words
    d = inspecting.load(desk, draft)
    judged = inspecting.judge_all(desk, d)
    site = desk.store.table("sites").get(d.site) or {}
    outcome = outcome_of(d, judged)
    found = missing(d, judged)
    lacking = tuple(missing_view(desk, d, m, judged) for m in found)
    wait = pins.seconds_left(desk)
    mine = d.user == desk.user()
    return ReviewView(
        id=draft,
        site=d.site,
        site_name=site.get("name", d.site),
        address=site.get("address", ""),
        outcome=outcome,
        outcome_words=said(OUTCOME, outcome, _),
        findings=(shown := _findings(desk, d, judged, site)),
        not_observed=tuple(_named(desk, one) for one in judged.values() if one.state == "not_observed"),
        photos=tuple(photo_view(desk, d.photos[sha], site) for sha in photo_uses(d, judged)),
        missing=lacking,
        signer=", ".join(part for part in (signer(desk)["name"], signer(desk)["title"]) if part),
        statement=statement(desk, d, judged),
        pin_wait=wait,
        can_sign=mine and not lacking and desk.may("inspect"),
        counts=_counts(desk, shown),
        last_time=_last_time(desk, d, judged),
        places=_places(desk, d),
        steps=_steps(desk, d, judged),
        closing=_closing(desk, d, judged, [m.code for m in found if m.section == "closing"]),
        revises=_("This corrects the signed record {record}.").format(record=d.revises[:FINGERPRINT_SHOWN])
        if d.revises
        else "",
        revise_reason=d.revise_reason,
        missing_kinds=counted_words(found, _),
    )


def _counts(desk: Desk, findings: tuple[FindingView, ...]) -> tuple[tuple[str, str, int], ...]:
    """(severity, in words, how many) of those there are, the gravest first."""
    told = []
    for severity in SEVERITIES:
        count = sum(1 for one in findings if one.severity == severity)
        if count:
            told.append((severity, said(SEVERITY, severity, desk.words), count))
    return tuple(told)


def _last_time(desk: Desk, draft: Draft, judged: dict[str, Judged]) -> tuple[tuple[str, str], ...]:
    """(state, sentence) of each open finding of last time."""
    _ = desk.words
    known = {one["id"]: one for one in draft.earlier}
    told = []
    for one in followups(draft, judged):
        earlier = known[one["finding"]]
        name = title_of(desk, draft, earlier)
        where = where_of(draft, earlier)
        sentence = f"{said(FOLLOWED, one['state'], _)}: {where + ': ' if where else ''}{name}"
        anew = found_anew_words(desk) if found_anew(draft, earlier, asked_again(earlier, judged)) else ""
        told.append((one["state"], " ".join(filter(None, (sentence, one["note"], anew)))))
    return tuple(told)


def _places(desk: Desk, draft: Draft) -> tuple[str, ...]:
    _ = desk.words
    told = []
    for one in draft.placed:
        if one.act == "add":
            told.append(_("Added to the site: {label}").format(label=one.label))
        else:
            words = _("No longer there: {label}").format(label=one.label)
            told.append(f"{words} ({one.why})" if one.why else words)
    return tuple(told)


def _steps(desk: Desk, draft: Draft, judged: dict[str, Judged]) -> tuple[StepView, ...]:
    """What may have to follow; a step that nothing suggests can still be chosen where something fails."""
    _ = desk.words
    wanted = suggested(judged)
    failing = any(one.fails and not one.entry.corrected for one in judged.values())
    grounds = any(one.fails and not one.entry.corrected and one.judgement.grounds for one in judged.values())
    bound = "revision" in wanted
    steps = []
    if grounds:
        steps.append(StepView(
            "order", _("Stop-work order"),
            _("You write it after signing; it rests on these findings."),
            "order" in draft.follows, "order" in wanted, False))  # fmt: skip
    if failing or bound:
        steps.append(StepView(
            "revision", _("Revision of the plan"),
            _("The controls do not hold in this weather: the ordinance says that the plan must be revised.")
            if bound else _("The office orders it in writing."),
            bound or "revision" in draft.follows, bound, bound))  # fmt: skip
    if failing:
        steps.append(StepView(
            "emergency", _("Emergency action"),
            _("Soil or water endangers a neighbor or the water: ask the office at once, by phone as well."),
            "emergency" in draft.follows, "emergency" in wanted, False))  # fmt: skip
    return tuple(steps)


def _closing(desk: Desk, draft: Draft, judged: dict[str, Judged], codes: list[str]) -> ClosingView:
    _ = desk.words
    said_of = draft.closing
    return ClosingView(
        how=said_of.how,
        hows=tuple(Choice(how, said(IN_CHARGE, how, _)) for how in HOWS),
        name=said_of.name,
        role=said_of.role,
        reason=said_of.reason,
        witness=said_of.witness,
        signed=tuple(said_of.signatures),
        needed=any(one.fails and not one.entry.corrected and one.severity != "observation" for one in judged.values()),
        missing=tuple(missing_words(desk, code) for code in codes),
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
                photos=tuple(photo_view(desk, draft.photos[sha], site) for sha in one.photos),
                corrected=one.entry.corrected,
                carried=since_words(finding, {"inspected_on": days_of(draft, desk.wall())[1]}, _),
                no_photo=no_photo_words(finding, _),
            )
        )
    return tuple(views)
