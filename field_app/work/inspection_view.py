"""The inspection on the screen: sections, cards, items, what misses, made from the stored draft alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.capture import voice
from field_app.capture.draft import NONE, SPECIALS, Draft, Entry, entry_of
from field_app.capture.findings import Judged, Missing, missing, missing_of, outcome_of
from field_app.capture.form import CORE_TOPICS, PERMIT, TIMETABLE
from field_app.capture.head import DETAILS
from field_app.capture.last_time import by_key, carried, first_found, is_about
from field_app.capture.places import ADDED, RETIRED
from field_app.work import approving, inspecting, placing, rain, voice_notes
from field_app.work.lacking import counted_words
from field_app.work.last_time_view import last_time_views, title_of
from field_app.work.photo_records import far_view, photo_view
from field_app.work.site_list import permit_line
from field_app.work.sites import citys_words, due_line, due_problem
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
from field_app.work.views.inspection import GonePlaceView
from field_app.work.words import (
    ENTRY_ASKED,
    ENTRY_BASIS,
    INSPECTION_TYPE,
    MISSING,
    OUTCOME,
    RAIN_SOURCE,
    SEVERITY,
    SKY,
    SPECIAL,
    STATE,
    TOPIC,
    YES_NO,
    photos_said,
    said,
)
from sync.ordinance.checklists import answer_in_order
from sync.ordinance.items import Part
from sync.records.bodies import ENTRY_BASES, INSPECTION_TYPES, SEVERITIES

if TYPE_CHECKING:
    from field_app.work.desk import Desk

About = Mapping[str, list[Mapping[str, Any]]]
"""The earlier findings by the question that each is about."""


def inspection_view(desk: Desk, draft: Draft) -> InspectionView:
    _ = desk.words
    site = desk.store.table("sites").get(draft.site) or {}
    judged = inspecting.judge_all(desk, draft)
    sections: dict[str, dict[str, list[Judged]]] = {}
    for one in judged.values():
        sections.setdefault(one.question.section, {}).setdefault(one.question.card, []).append(one)
    about = by_key(draft)
    section_views = tuple(_section(desk, draft, site, name, cards, about) for name, cards in sections.items())
    # What the end still lacks is asked at the review, where it is said.
    lacking = tuple(m for m in missing(draft, judged) if m.section != "closing")
    outcome = outcome_of(draft, judged)
    last = last_time_views(desk, draft, judged, site)
    topics = [t for t in desk.pack(draft.pack).checklists if t not in draft.topics and t not in CORE_TOPICS]
    at_section, at_key = draft.at
    known = at_section in sections or at_section == "details" or (at_section == "last" and bool(last))
    first = "last" if last else next(iter(sections), "")
    return InspectionView(
        id=draft.id,
        site=draft.site,
        site_name=site.get("name", draft.site),
        address=site.get("address", ""),
        began=desk.moment_words(draft.began),
        details=_details(desk, draft, lacking),
        sections=section_views,
        more_topics=tuple(Choice(t, topic_title(desk, draft, t)) for t in topics),
        missing=tuple(missing_view(desk, draft, m, judged) for m in lacking),
        done=sum(s.done for s in section_views),
        total=len(judged),
        failing=sum(s.failing for s in section_views),
        outcome=outcome,
        outcome_words=said(OUTCOME, outcome, _),
        at_section=at_section if known else first,
        at_key=at_key if known and (at_key in judged or any(one.id == at_key for one in last)) else "",
        saved=_("Every answer is saved on this tablet."),
        can_review=not lacking,
        undo=inspecting.can_undo(desk, draft.id),
        last_time=last,
        last_done=sum(1 for one in last if one.effective and not one.missing),
        revises=_("This corrects the inspection that was signed.") if draft.revises else "",
        voice_notes=voice_notes.views(desk, draft, ""),
        missing_kinds=counted_words(lacking, _),
    )


def topic_title(desk: Desk, draft: Draft, topic: str) -> str:
    """The checklist's own title; the sections of permit and timetable have none in the pack."""
    if topic in (PERMIT, TIMETABLE):
        return said(TOPIC, topic, desk.words)
    return desk.pack(draft.pack).checklists[topic].title(desk.law_language)


def _details(desk: Desk, draft: Draft, lacking: tuple[Missing, ...]) -> DetailsView:
    _ = desk.words
    sources, skies = DETAILS["rain_source"] or (), DETAILS["sky"] or ()
    return DetailsView(
        type=draft.type,
        types=tuple(Choice(t, said(INSPECTION_TYPE, t, _)) for t in INSPECTION_TYPES),
        entry=draft.entry,
        entries=tuple(Choice(b, said(ENTRY_BASIS, b, _)) for b in ENTRY_BASES),
        rain=draft.rain,
        rain_source=draft.rain_source,
        rain_sources=tuple(Choice(s, said(RAIN_SOURCE, s, _)) for s in sources),
        entry_label=_(ENTRY_ASKED[draft.entry]) if draft.entry in ENTRY_ASKED else "",
        entry_note=draft.entry_note,
        rain_since=draft.rain_since,
        sky=draft.sky,
        skies=tuple(Choice(s, said(SKY, s, _)) for s in skies),
        missing=tuple(missing_words(desk, m.code) for m in lacking if m.section == "details"),
        far=far_view(desk, draft.photos.values(), draft.far_reason),
        approval=approving.view(desk, draft.approval) if draft.entry == "emergency" else None,
        rain_offers=rain.offers(desk, {"site": draft.site, "rain": draft.rain, "revises": draft.revises}),
    )


def _section(
    desk: Desk, draft: Draft, site: dict[str, Any], name: str, cards: dict[str, list[Judged]], about: About
) -> SectionView:
    _ = desk.words
    views = tuple(_card(desk, draft, site, key, ones, about) for key, ones in cards.items())
    unsaid = [one for ones in cards.values() for one in ones if one.state == "empty"]
    known = _in_order(desk, draft)
    kind = {"inlets": "inlet", "devices": "device"}.get(name, "")
    count = next((one for ones in cards.values() for one in ones if one.question.item.part("on_plan")), None)
    pack = desk.pack(draft.pack)
    return SectionView(
        id=name,
        title=topic_title(desk, draft, name),
        cards=views,
        done=sum(c.done for c in views),
        total=sum(c.total for c in views),
        failing=sum(c.failing for c in views),
        in_order=sum(1 for one in unsaid if one.question.item.id in known),
        to_look_at=sum(1 for one in unsaid if one.question.item.id not in known),
        adds=kind,
        device_kinds=tuple(
            Choice(d.id, d.name(desk.law_language)) for d in pack.devices.values() if d.at == "site"
        ) if kind == "device" else (),
        gone=tuple(
            GonePlaceView(p.kind, p.id, p.label, p.why) for p in draft.placed if p.act == RETIRED and p.kind == kind
        ),
        counted=_counted(desk, draft) if kind == "inlet" else "",
        count_key=count.question.key if count is not None and kind == "inlet" else "",
        droppable=name not in CORE_TOPICS
        and name in draft.topics
        and all(entry_of(draft, one.question.key) == Entry() for ones in cards.values() for one in ones),
    )


def _in_order(desk: Desk, draft: Draft) -> frozenset[str]:
    """The items that can only be in order in one way. The text of a pack's version never changes: looked for once."""
    found = desk.items.get(("in order", draft.pack))
    if found is None:
        lists = desk.pack(draft.pack).checklists.values()
        found = frozenset(item.id for one in lists for item in one.items if answer_in_order(item) is not None)
        desk.items[("in order", draft.pack)] = found
    return found


def _counted(desk: Desk, draft: Draft) -> str:
    """The inlets of this inspection against the list of the office."""
    _ = desk.words
    planned, now = placing.inlet_counts(draft)
    return _("On the list: {planned}. By what you found: {now}.").format(planned=planned, now=now)


def _card(
    desk: Desk, draft: Draft, site: dict[str, Any], key: str, ones: list[Judged], about: About
) -> CardView:
    _ = desk.words
    subject = ones[0].question.subject
    place = None
    if subject is None:
        title, subtitle = _("The whole site"), ""
    elif subject.kind == "condition":
        title, subtitle = subject.label, " · ".join(w for w in (_permit(desk, draft), citys_words(desk)) if w)
    elif subject.kind == "timetable":
        title, subtitle = subject.label, " · ".join(w for w in (subject.detail, citys_words(desk)) if w)
    else:
        title, subtitle = subject.label, subject.detail
        if subject.kind in ("inlet", "device"):
            place = (subject.kind, subject.id)
            device = desk.pack(draft.pack).devices.get(subject.what)
            subtitle = " · ".join(w for w in (device.name(desk.law_language) if device else "", subtitle) if w)
    items = tuple(_remembered(desk, draft, one, site, about) for one in ones)
    return CardView(
        key=key,
        title=title,
        subtitle=subtitle,
        items=items,
        done=sum(1 for one in ones if one.state not in ("empty", "incomplete")),
        total=len(ones),
        failing=sum(1 for one in ones if one.fails),
        place=place,
        added=any(p.act == ADDED and (p.kind, p.id) == place for p in draft.placed),
    )


def _permit(desk: Desk, draft: Draft) -> str:
    """The permit that was looked at when the inspection began, in the words of this tablet."""
    doc = desk.store.table("permits").get(draft.permit) if draft.permit else None
    return permit_line(desk, doc) if doc is not None else draft.permit_words


def _remembered(desk: Desk, draft: Draft, one: Judged, site: dict[str, Any], about: About) -> ItemView:
    """The item as it was shown last, as long as nothing that it is made of has changed."""
    photos = tuple(draft.photos[sha] for sha in one.photos)
    before = about.get(one.question.key, [])
    spoken = voice.of(draft, one.question.key)
    made_of = (one, photos, spoken, before, site, desk.language, draft.pack)
    known = desk.items.get(one.question.key)
    if known is None or known[0] != made_of:
        known = desk.items[one.question.key] = (made_of, view_of_item(desk, draft, one, site))
    return known[1]


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
        with_last_time=_carried(desk, draft, one),
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
        voice_notes=voice_notes.views(desk, draft, question.key),
        due_at_once=bool(one.due and one.due.get("at_once")),
        due_problem=due_problem(desk, one.due) if one.fails else "",
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
        unit=part.unit_in(desk.law_language),
        choices=tuple(Choice(v, own[v]) for v in field.choices),
        value=value,
        problem=problem,
    )


def _earlier(desk: Desk, draft: Draft, one: Judged) -> str:
    """An open finding of an earlier inspection about the same thing, in words."""
    _ = desk.words
    for earlier in draft.earlier:
        if earlier.get("status") == "open" and is_about(earlier, one.question):
            return _("Open since {date}: {severity}").format(
                date=desk.date_words(date.fromisoformat(first_found(earlier))),
                severity=said(SEVERITY, earlier["severity"], _),
            )
    return ""


def _carried(desk: Desk, draft: Draft, one: Judged) -> str:
    """That note and photos of the finding of last time count here too."""
    _ = desk.words
    photos = len({sha for before in carried(draft, one.question) for sha in before.photos})
    if not carried(draft, one.question):
        return ""
    if not photos:
        return _("Carried on from last time.")
    return _("Carried on from last time, with {photos}.").format(photos=photos_said(photos, _))


def missing_words(desk: Desk, code: str, one: Judged | None = None) -> str:
    """What misses, in words; of an item half answered the first field that is still empty."""
    _ = desk.words
    if code == "answer" and one is not None and one.judgement.missing and one.answer:
        part = one.question.item.part(one.judgement.missing[0])
        if part is not None:
            return _("Still to answer: {field}").format(field=part.label(desk.law_language))
    return _(MISSING[code])


def missing_view(desk: Desk, draft: Draft, lacking: Missing, judged: dict[str, Judged]) -> MissingView:
    sentence = missing_words(desk, lacking.code, judged.get(lacking.key))
    if lacking.section == "last":
        earlier = next((one for one in draft.earlier if one["id"] == lacking.key), None)
        about = title_of(desk, draft, earlier) if earlier else lacking.key
        sentence = f"{about}{'' if about.endswith('?') else ':'} {sentence}"
    elif lacking.key:
        question = judged[lacking.key].question
        asked = question.item.question(desk.law_language)
        sentence = f"{asked} {sentence}"
        if question.subject:
            sentence = f"{question.subject.label}: {sentence}"
    return MissingView(sentence, lacking.section, lacking.card, lacking.key)
