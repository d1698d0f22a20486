"""The inspection on the screen: sections, cards, items, what misses, made from the stored draft alone."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.capture.draft import DETAILS, NONE, SPECIALS, Draft
from field_app.capture.findings import Judged, Missing, missing, missing_of, outcome_of
from field_app.capture.form import CORE_TOPICS, PERMIT
from field_app.work import inspecting
from field_app.work.photo_records import photo_view
from field_app.work.sites import due_line
from field_app.work.views import (
    CardView,
    Choice,
    DetailsView,
    InspectionView,
    ItemView,
    MissingView,
    PartView,
    SectionView,
)
from field_app.work.words import (
    ENTRY_BASIS,
    INSPECTION_TYPE,
    OUTCOME,
    RAIN_SOURCE,
    SEVERITY,
    SPECIAL,
    STATE,
    TOPIC,
    YES_NO,
    said,
)
from sync.ordinance.items import Part
from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, SEVERITIES

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def inspection_view(desk: Desk, draft: Draft) -> InspectionView:
    _ = desk.words
    site = desk.store.table("sites").get(draft.site) or {}
    judged = inspecting.judge_all(desk, draft)
    sections: dict[str, dict[str, list[Judged]]] = {}
    for one in judged.values():
        sections.setdefault(one.question.section, {}).setdefault(one.question.card, []).append(one)
    section_views = tuple(_section(desk, draft, site, name, cards) for name, cards in sections.items())
    lacking = missing(draft, judged)
    outcome = outcome_of(judged)
    topics = [t for t in desk.pack(draft.pack).checklists if t not in draft.topics and t not in CORE_TOPICS]
    at_section, at_key = draft.at
    known = at_section in sections or at_section == "details"
    return InspectionView(
        id=draft.id,
        site=draft.site,
        site_name=site.get("name", draft.site),
        address=site.get("address", ""),
        began=desk.moment_words(draft.began),
        details=_details(desk, draft),
        sections=section_views,
        more_topics=tuple(Choice(t, topic_title(desk, draft, t)) for t in topics),
        missing=tuple(missing_view(desk, m, judged) for m in lacking),
        done=sum(s.done for s in section_views),
        total=len(judged),
        failing=sum(s.failing for s in section_views),
        outcome=outcome,
        outcome_words=said(OUTCOME, outcome, _),
        at_section=at_section if known else next(iter(sections), ""),
        at_key=at_key if known and at_key in judged else "",
        saved=_("Every answer is saved on this tablet."),
        can_review=not lacking,
    )


def topic_title(desk: Desk, draft: Draft, topic: str) -> str:
    """The checklist's own title; the permit's section has none in the pack."""
    if topic == PERMIT:
        return said(TOPIC, PERMIT, desk.words)
    return desk.pack(draft.pack).checklists[topic].title(desk.law_language)


def _details(desk: Desk, draft: Draft) -> DetailsView:
    _ = desk.words
    sources = DETAILS["rain_source"] or ()
    return DetailsView(
        type=draft.type,
        types=tuple(Choice(t, said(INSPECTION_TYPE, t, _)) for t in INSPECTION_TYPES),
        entry=draft.entry,
        entries=tuple(Choice(b, said(ENTRY_BASIS, b, _)) for b in ENTRY_BASES),
        rain=draft.rain,
        rain_source=draft.rain_source,
        rain_sources=tuple(Choice(s, said(RAIN_SOURCE, s, _)) for s in sources),
    )


def _section(desk: Desk, draft: Draft, site: dict[str, Any], name: str, cards: dict[str, list[Judged]]) -> SectionView:
    views = tuple(_card(desk, draft, site, key, ones) for key, ones in cards.items())
    return SectionView(
        id=name,
        title=topic_title(desk, draft, name),
        cards=views,
        done=sum(c.done for c in views),
        total=sum(c.total for c in views),
        failing=sum(c.failing for c in views),
    )


def _card(desk: Desk, draft: Draft, site: dict[str, Any], key: str, ones: list[Judged]) -> CardView:
    _ = desk.words
    subject = ones[0].question.subject
    if subject is None:
        title, subtitle = _("The whole site"), ""
    elif subject.kind == "condition":
        title, subtitle = subject.label, draft.permit_words
    else:
        title, subtitle = subject.label, subject.detail
    items = tuple(view_of_item(desk, draft, one, site) for one in ones)
    return CardView(
        key=key,
        title=title,
        subtitle=subtitle,
        items=items,
        done=sum(1 for one in ones if one.state not in ("empty", "incomplete")),
        total=len(ones),
        failing=sum(1 for one in ones if one.fails),
    )


def view_of_item(desk: Desk, draft: Draft, one: Judged, site: dict[str, Any]) -> ItemView:
    _ = desk.words
    question, entry = one.question, one.entry
    pack = desk.pack(draft.pack)
    severities = tuple(Choice(s, said(SEVERITY, s, _)) for s in SEVERITIES) if one.judgement.severity else ()
    item = question.item
    single = len(one.asked) == 1 and one.asked[0].label(desk.law_language) == item.question(desk.law_language)
    return ItemView(
        key=question.key,
        item=item.id,
        question=item.question(desk.law_language),
        help=question.subject.label if question.subject and question.subject.kind == "condition" else "",
        clause=pack.cite(question.clause),
        parts=tuple(_part(desk, draft, one, part, bare=single) for part in one.asked or item.parts),
        special=tuple(Choice(s, said(SPECIAL, s, _)) for s in SPECIALS),
        special_value=entry.special,
        state=one.state,
        state_words=said(STATE, one.state, _),
        note=entry.note,
        photos=tuple(photo_view(desk, draft.photos[sha], site) for sha in entry.photos),
        no_photo=entry.no_photo,
        severity=one.severity if one.judgement.severity else "",
        severity_words=said(SEVERITY, one.severity, _) if one.judgement.severity else "",
        severity_why=one.judgement.why if one.judgement.severity else "",
        computed=one.judgement.severity or "",
        severities=severities,
        severity_reason=entry.severity_reason,
        correction=one.correction,
        due_on=one.due["on"] if one.due else "",
        due_at=one.due["at"] if one.due and not one.due.get("at_once") else "",
        due_words=_due_words(desk, one),
        corrected=entry.corrected,
        missing=tuple(missing_words(desk, code, one) for code in missing_of(draft, one)),
        earlier=_earlier(desk, draft, one),
    )


def _due_words(desk: Desk, one: Judged) -> str:
    """The date that will be signed; with the pack's own words while it is the pack's proposal."""
    _ = desk.words
    if one.entry.corrected:
        return _("corrected on site")
    if one.due is None:
        return _("set a date") if one.fails else ""
    proposal = one.judgement.due
    if one.entry.due is None and proposal is not None and not proposal.at_once:
        return f"{due_line(desk, one.due)} ({proposal.texts[desk.law_language]})"
    return due_line(desk, one.due)


def _part(desk: Desk, draft: Draft, one: Judged, part: Part, *, bare: bool) -> PartView:
    _ = desk.words
    field = one.question.part(part.id)
    own = {c.id: c.text[desk.law_language] for c in part.choices}
    if part.type == "YN":
        own = {v: said(YES_NO, v, _) for v in field.choices}
    elif part.type == "MUL":
        own.setdefault(NONE, _("None of these"))
    typed = one.entry.parts.get(part.id)
    value: str | tuple[str, ...] = typed if typed is not None else (() if part.type == "MUL" else "")
    problem = None
    if part.id in one.wrong:
        problem = _("Type a whole number.") if part.type == "CNT" else _("Type a number, such as 12.5.")
    return PartView(
        id=part.id,
        kind=part.type,
        label="" if bare else part.label(desk.law_language),
        unit=part.unit,
        choices=tuple(Choice(v, own[v]) for v in field.choices),
        value=value,
        problem=problem,
    )


def _earlier(desk: Desk, draft: Draft, one: Judged) -> str:
    """An open finding of an earlier inspection about the same thing, in words."""
    _ = desk.words
    subject = one.question.subject.to_wire() if one.question.subject else None
    for earlier in draft.earlier:
        theirs = earlier.get("subject")
        same = (theirs and {"kind": theirs.get("kind"), "id": theirs.get("id")}) == subject or (
            not theirs and not subject
        )
        if earlier["item"] == one.question.item.id and same and earlier.get("status") == "open":
            return _("Open since {date}: {severity}").format(
                date=desk.date_words(date.fromisoformat(earlier["found_on"])),
                severity=said(SEVERITY, earlier["severity"], _),
            )
    return ""


def missing_words(desk: Desk, code: str, one: Judged | None = None) -> str:
    """What misses, in words; of an item half answered the first field that is still empty."""
    _ = desk.words
    if code == "answer" and one is not None and one.judgement.missing and one.answer:
        part = one.question.item.part(one.judgement.missing[0])
        if part is not None:
            return _("Still to answer: {field}").format(field=part.label(desk.law_language))
    return {
        "answer": _("Not answered yet."),
        "number": _("A number is not written right."),
        "note": _("Say what is wrong."),
        "photo": _("Take a photo, or say why there is none."),
        "photo-wide": _("Take a wide photo, or say why there is none."),
        "photo-close": _("Take a close photo, or say why there is none."),
        "correction": _("Say what must be corrected."),
        "due": _("Set a date and a time."),
        "severity-reason": _("Say why the severity is lower than computed."),
        "rain": _("The rain is not a number of inches."),
        "rain-much": _("More than 40 inches of rain in 24 hours cannot be right: check the number."),
    }[code]


def missing_view(desk: Desk, lacking: Missing, judged: dict[str, Judged]) -> MissingView:
    sentence = missing_words(desk, lacking.code, judged.get(lacking.key))
    if lacking.key:
        question = judged[lacking.key].question
        where = f"{question.item.id} · {question.subject.label}" if question.subject else question.item.id
        sentence = f"{where}: {sentence}"
    return MissingView(sentence, lacking.section, lacking.card, lacking.key)
