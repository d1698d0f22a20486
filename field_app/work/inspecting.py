"""The inspection draft: every tap one durable change, and the screen's view-model made from what is stored.

`tap` is the only way a draft changes: it reads the stored draft, applies one pure function of `capture`, and stores the
result in one change. What the screen shows after a tap is therefore what a restarted app shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from field_app.capture import draft as taps
from field_app.capture import form as forms
from field_app.capture.draft import Draft, Subject
from field_app.capture.findings import Judged, judged_all, judged_item, views_missing
from field_app.work.desk import SESSION
from field_app.work.order_findings import available
from field_app.work.sites import current_permit, devices_of, grouped, inlets_of, permit_line, site_doc
from field_app.work.views import InspectionView, ItemView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Tap = Callable[[Draft, forms.Form], Draft]


def load(desk: Desk, draft: str) -> Draft:
    """The stored draft. Raises Problem "draft-unknown"."""
    doc = desk.store.table("drafts").get(draft)
    if doc is None:
        raise Problem("draft-unknown", where=draft)
    return taps.from_doc(doc)


def form_of(desk: Desk, draft: str) -> forms.Form:
    return form_for(desk, load(desk, draft))


def form_for(desk: Desk, draft: Draft) -> forms.Form:
    return forms.build(desk.pack(draft.pack), draft)


def judge_all(desk: Desk, draft: Draft) -> dict[str, Judged]:
    return judged_all(draft, form_for(desk, draft), desk.law_language)


async def tap(desk: Desk, draft: str, change: Tap) -> Draft:
    """Apply one tap to the stored draft and make it durable. A tap that changes nothing writes nothing."""
    desk.in_use()
    async with desk.store.change() as tx:
        doc = tx.get("drafts", draft)
        if doc is None:
            raise Problem("draft-unknown", where=draft)
        before = taps.from_doc(doc)
        after = change(before, form_for(desk, before))
        if after != before:
            tx.put("drafts", draft, taps.to_doc(after))
        session = tx.get("meta", SESSION) or {}
        if session.get("draft") != draft:
            tx.put("meta", SESSION, {**session, "draft": draft})
    return after


async def _tapped(desk: Desk, draft: str, change: Tap) -> InspectionView:
    await tap(desk, draft, change)
    return view(desk, draft)


async def begin(desk: Desk, site: str, type: str, entry: str) -> InspectionView:
    user = desk.user()
    if _unfinished(desk, site, user) is None and not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=site)
    place = site_doc(desk, site)
    pack = desk.pack()
    permit = current_permit(desk, grouped(desk, "permits").get(site, []), desk.today())
    draft = Draft(
        id=desk.new_id(),
        site=site,
        user=user,
        pack=pack.ref,
        began=desk.wall(),
        permit=permit["id"] if permit else None,
        permit_words=permit_line(desk, permit),
        end_of_work_day=place.get("end_of_work_day"),
        topics=forms.CORE_TOPICS,
        subjects=_subjects(desk, site, permit),
        earlier=_earlier(desk, site),
    )
    draft = taps.set_details(draft, {"type": type, "entry": entry})
    async with desk.store.change() as tx:
        # Looked for inside the change, so that two quick taps begin one inspection.
        begun = _unfinished(desk, site, user)
        if begun is None:
            tx.put("drafts", draft.id, taps.to_doc(draft))
        tx.put("meta", SESSION, {**desk.session(), "draft": begun or draft.id})
    return view(desk, begun or draft.id)


def _unfinished(desk: Desk, site: str, user: str) -> str | None:
    """The inspection of this site that the person has not finished."""
    drafts = desk.store.table("drafts").all()
    return next((doc["id"] for doc in drafts if (doc["site"], doc["user"]) == (site, user)), None)


def _subjects(desk: Desk, site: str, permit: dict[str, Any] | None) -> tuple[Subject, ...]:
    """What is inspected one by one: inlets, control devices, the conditions of the permit that counts."""
    found = [Subject("inlet", i["id"], i["label"], i.get("place", "")) for i in inlets_of(desk, site)]
    found += [Subject("device", d["id"], d["label"], d.get("place", "")) for d in devices_of(desk, site)]
    known = desk.pack().clauses
    for condition in (permit or {}).get("conditions", []):
        clause = condition.get("clause") or ""
        found.append(Subject("condition", condition["id"], condition["text"], "", clause if clause in known else ""))
    return tuple(found)


def _earlier(desk: Desk, site: str) -> tuple[dict[str, Any], ...]:
    """Earlier findings of the site, open or corrected: those that came down, and those signed here meanwhile."""
    wanted = ("id", "item", "subject", "title", "severity", "found_on", "status")
    found = {d["id"]: {name: d.get(name) for name in wanted} for d in grouped(desk, "findings").get(site, [])}
    for own in available(desk, site):
        found.setdefault(own.finding, own.as_earlier())
    return tuple(found[key] for key in sorted(found))


async def set_details(desk: Desk, draft: str, fields: Mapping[str, str]) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.set_details(d, fields))


async def go_to(desk: Desk, draft: str, section: str, key: str) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.go_to(d, section, key))


async def add_topic(desk: Desk, draft: str, topic: str) -> InspectionView:
    def change(d: Draft, form: forms.Form) -> Draft:
        return taps.add_topic(d, topic, tuple(desk.pack(d.pack).checklists))

    return await _tapped(desk, draft, change)


async def answer(desk: Desk, draft: str, key: str, part: str, value: str | list[str]) -> InspectionView:
    at = desk.wall()
    return await _tapped(desk, draft, lambda d, form: taps.answer(d, form, key, part, value, at))


async def answer_special(desk: Desk, draft: str, key: str, value: str) -> InspectionView:
    at = desk.wall()
    return await _tapped(desk, draft, lambda d, form: taps.answer_special(d, form, key, value, at))


async def answer_rest(desk: Desk, draft: str, card: str, value: str) -> InspectionView:
    at = desk.wall()
    return await _tapped(desk, draft, lambda d, form: taps.answer_rest(d, form, card, value, at))


async def note(desk: Desk, draft: str, key: str, text: str) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.set_note(d, form, key, text))


async def set_severity(desk: Desk, draft: str, key: str, severity: str, reason: str) -> InspectionView:
    def change(d: Draft, form: forms.Form) -> Draft:
        computed = judged_item(d, form.question(key)).judgement.severity or ""
        return taps.set_severity(d, form, key, severity, reason, computed)

    return await _tapped(desk, draft, change)


async def set_correction(desk: Desk, draft: str, key: str, text: str) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.set_correction(d, form, key, text))


async def set_due(desk: Desk, draft: str, key: str, on: str, at: str) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.set_due(d, form, key, on, at))


async def set_corrected(desk: Desk, draft: str, key: str, corrected: bool) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.set_corrected(d, form, key, corrected))


async def set_no_photo(desk: Desk, draft: str, key: str, reason: str) -> InspectionView:
    return await _tapped(desk, draft, lambda d, form: taps.set_no_photo(d, form, key, reason))


async def discard(desk: Desk, draft: str) -> None:
    load(desk, draft)
    async with desk.store.change() as tx:
        tx.delete("drafts", draft)
        session = tx.get("meta", SESSION) or {}
        if session.get("draft") == draft:
            tx.put("meta", SESSION, {**session, "draft": None})


def view(desk: Desk, draft: str) -> InspectionView:
    """The screen of a draft. A tap asks for it twice (its own answer and the drawing), so the last one is kept as
    long as what it was made of is the same: stored documents never change, they are replaced."""
    from field_app.work.inspection_view import inspection_view

    doc = desk.store.table("drafts").get(draft)
    if doc is None:
        raise Problem("draft-unknown", where=draft)
    made_of = (doc, desk.store.table("sites").get(doc["site"]), desk.pack(doc["pack"]), desk.pack(), desk.language)
    if desk.shown is None or any(a is not b for a, b in zip(desk.shown[0], made_of, strict=True)):
        desk.shown = (made_of, inspection_view(desk, taps.from_doc(doc)))
    return desk.shown[1]


def item_view(desk: Desk, draft: Draft, key: str) -> ItemView:
    from field_app.work.inspection_view import view_of_item

    one = judged_item(draft, form_for(desk, draft).question(key), desk.law_language)
    return view_of_item(desk, draft, one, desk.store.table("sites").get(draft.site) or {})


def views_wanted(desk: Desk, draft: Draft, key: str) -> tuple[str, ...]:
    """The photo views that the item still lacks, "any" meant as "wide"."""
    one = judged_item(draft, form_for(desk, draft).question(key), desk.law_language)
    return tuple("wide" if view == "any" else view for view in views_missing(draft, one))


def progress_words(desk: Desk, doc: dict[str, Any]) -> str:
    """ "12 of 64 answered", for a list of drafts."""
    judged = judge_all(desk, taps.from_doc(doc))
    done = sum(1 for one in judged.values() if one.state not in ("empty", "incomplete"))
    _ = desk.words
    return _("{done} of {total} answered").format(done=done, total=len(judged))
