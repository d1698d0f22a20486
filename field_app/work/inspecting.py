"""The inspection draft: every tap one durable change, and the screen's view-model made from what is stored.

`tap` is the only way a draft changes: it reads the stored draft, applies one pure function of `capture`, and stores the
result in one change. What the screen shows after a tap is therefore what a restarted app shows. What one
tap takes back is kept with the draft; taking it back is a change like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from field_app.capture import closing, head, last_time, stored
from field_app.capture import draft as taps
from field_app.capture import form as forms
from field_app.capture.draft import Draft, Subject
from field_app.capture.findings import Judged, judged_item, views_missing
from field_app.capture.undo import changed, undone
from field_app.work.desk import SESSION
from field_app.work.order_findings import available, closed_here
from field_app.work.sites import current_permit, devices_of, grouped, inlets_of, permit_line, site_doc
from field_app.work.views import InspectionView, ItemView
from field_app.work.words import UNDO
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Tap = Callable[[Draft, forms.Form], Draft]


def load(desk: Desk, draft: str) -> Draft:
    """The stored draft. Raises Problem "draft-unknown"."""
    doc = desk.store.table("drafts").get(draft)
    if doc is None:
        raise Problem("draft-unknown", where=draft)
    return stored.from_doc(doc)


def form_of(desk: Desk, draft: str) -> forms.Form:
    return form_for(desk, load(desk, draft))


def form_for(desk: Desk, draft: Draft) -> forms.Form:
    return forms.build(desk.pack(draft.pack), draft)


def judge_all(desk: Desk, draft: Draft) -> dict[str, Judged]:
    """Every item by its key, in the form's order.

    Judging is a pure function of what is compared here, so an item of which nothing changed is not judged again: a tap
    costs the same on a site with 150 findings as on one with ten.
    """
    language = desk.law_language
    form = form_for(desk, draft)
    frame = (draft.id, draft.pack, draft.began, draft.end_of_work_day, draft.earlier, language)
    if desk.judged[0] != frame:
        desk.judged = (frame, {})
    known, found = desk.judged[1], {}
    for question in form.questions:
        made_of = (taps.entry_of(draft, question.key), last_time.carried(draft, question), question.subject)
        one = known.get(question.key)
        if one is None or one[0] != made_of:
            one = (made_of, judged_item(draft, question, language))
        found[question.key] = one
    desk.judged = (frame, found)
    return {key: one[1] for key, one in found.items()}


async def tap(desk: Desk, draft: str, change: Tap, undo: str = "",
              beside: Callable[[Any, Draft, Draft], None] | None = None) -> Draft:
    """Apply one tap to the stored draft and make it durable. A tap that changes nothing writes nothing.

    `undo`: where one tap shall take it back, what was tapped: "kind" or "kind:what" of `words.UNDO`. `beside` (change,
    before, after): what is written down elsewhere in the same change.
    """
    desk.in_use()
    async with desk.store.change() as tx:
        doc = tx.get("drafts", draft)
        if doc is None:
            raise Problem("draft-unknown", where=draft)
        before = stored.from_doc(doc)
        after = change(before, form_for(desk, before))
        if after != before:
            made = stored.to_doc(after)
            # What can be taken back stays with the draft, so that a killed app still offers it.
            last = {"tapped": undo, "what": changed(doc, made)} if undo else doc.get("undo")
            tx.put("drafts", draft, {**made, "undo": last})
            if beside is not None:
                beside(tx, before, after)
        session = tx.get("meta", SESSION) or {}
        if session.get("draft") != draft:
            tx.put("meta", SESSION, {**session, "draft": draft})
    return after


async def undo(desk: Desk, draft: str) -> InspectionView:
    """Take the last tap back; what was changed since elsewhere stays. Nothing to take back: nothing happens."""
    async with desk.store.change() as tx:
        doc = tx.get("drafts", draft)
        if doc is None:
            raise Problem("draft-unknown", where=draft)
        last = doc.get("undo")
        if last:
            back = stored.from_doc(undone(doc, last["what"]))
            tx.put("drafts", draft, {**stored.to_doc(back), "undo": None})
    return view(desk, draft)


def can_undo(desk: Desk, draft: str) -> str:
    """What the last tap was, in words; "" when there is none to take back."""
    doc = desk.store.table("drafts").get(draft) or {}
    kind, _sep, what = (doc.get("undo") or {}).get("tapped", "").partition(":")
    return desk.words(UNDO[kind]).format(what=what) if kind in UNDO else ""


async def tapped(desk: Desk, draft: str, change: Tap, undo: str = "") -> InspectionView:
    await tap(desk, draft, change, undo)
    return view(desk, draft)


async def begin(desk: Desk, site: str, type: str, entry: str) -> InspectionView:
    user = desk.user()
    if _unfinished(desk, site, user) is None and not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=site)
    place = site_doc(desk, site)
    pack = desk.pack()
    permit = current_permit(desk, grouped(desk, "permits").get(site, []), desk.today())
    subjects = subjects_of(desk, site, permit)
    devices = any(s.kind == "device" for s in subjects)
    draft = Draft(
        id=desk.new_id(),
        site=site,
        user=user,
        pack=pack.ref,
        began=desk.wall(),
        permit=permit["id"] if permit else None,
        permit_words=permit_line(desk, permit),
        end_of_work_day=place.get("end_of_work_day"),
        topics=(*forms.CORE_TOPICS, "devices") if devices and "devices" in pack.checklists else forms.CORE_TOPICS,
        subjects=subjects,
        earlier=earlier_of(desk, site),
    )
    draft = head.set_details(draft, {"type": type, "entry": entry})
    async with desk.store.change() as tx:
        # Looked for inside the change, so that two quick taps begin one inspection.
        begun = _unfinished(desk, site, user)
        if begun is None:
            tx.put("drafts", draft.id, stored.to_doc(draft))
        tx.put("meta", SESSION, {**desk.session(), "draft": begun or draft.id})
    return view(desk, begun or draft.id)


def _unfinished(desk: Desk, site: str, user: str) -> str | None:
    """The inspection of this site that the person has not finished; a correction of a signed one is none."""
    drafts = desk.store.table("drafts").all()
    mine = (doc for doc in drafts if (doc["site"], doc["user"]) == (site, user) and not doc.get("revises"))
    return next((doc["id"] for doc in mine), None)


def subjects_of(desk: Desk, site: str, permit: dict[str, Any] | None) -> tuple[Subject, ...]:
    """What is inspected one by one: inlets, control devices, the conditions of the permit that counts, the steps of
    the timetable."""
    found = [Subject("inlet", i["id"], i["label"], i.get("place", "")) for i in inlets_of(desk, site)]
    found += [
        Subject("device", d["id"], d["label"], d.get("place", ""), "", d.get("kind", ""))
        for d in devices_of(desk, site)
    ]
    known = desk.pack().clauses
    for condition in (permit or {}).get("conditions", []):
        clause = condition.get("clause") or ""
        found.append(Subject("condition", condition["id"], condition["text"], "", clause if clause in known else ""))
    for row, step in enumerate(site_doc(desk, site).get("timetable") or (), start=1):
        days = [desk.date_words(step.get(end)) for end in ("start", "end")]
        when = " – ".join(day for day in days if day)
        detail = " · ".join(part for part in (when, step.get("note") or "") if part)
        found.append(Subject("timetable", f"step-{row}", step.get("activity") or f"{row}", detail))
    return tuple(found)


_KEPT = ("id", "item", "subject", "title", "severity", "found_on", "first_found_on", "status", "inspection", "note")
_KEPT += ("photo", "thumbnail", "due", "correction")


def earlier_of(desk: Desk, site: str) -> tuple[dict[str, Any], ...]:
    """Earlier findings of the site, open or corrected: those that came down, and those signed here meanwhile."""
    closed = closed_here(desk, site)
    found = {}
    for doc in grouped(desk, "findings").get(site, []):
        found[doc["id"]] = {name: doc[name] for name in _KEPT if doc.get(name) is not None}
        if doc["id"] in closed:
            found[doc["id"]]["status"] = "corrected"
    for own in available(desk, site):
        found.setdefault(own.finding, own.as_earlier())
    return tuple(found[key] for key in sorted(found))


async def set_details(desk: Desk, draft: str, fields: Mapping[str, str]) -> InspectionView:
    chosen = {"type", "entry", "rain_source", "sky", "approval_how", "approval_person"}
    undo = "details" if fields.keys() & chosen else ""
    return await tapped(desk, draft, lambda d, form: head.set_details(d, fields), undo)


async def go_to(desk: Desk, draft: str, section: str, key: str) -> InspectionView:
    return await tapped(desk, draft, lambda d, form: taps.go_to(d, section, key))


async def add_topic(desk: Desk, draft: str, topic: str) -> InspectionView:
    def change(d: Draft, form: forms.Form) -> Draft:
        return head.add_topic(d, topic, tuple(desk.pack(d.pack).checklists))

    return await tapped(desk, draft, change, "topic")


async def drop_topic(desk: Desk, draft: str, topic: str) -> InspectionView:
    def change(d: Draft, form: forms.Form) -> Draft:
        return head.drop_topic(d, form, topic, forms.CORE_TOPICS)

    return await tapped(desk, draft, change, "topic-out")


async def answer(desk: Desk, draft: str, key: str, part: str, value: str | list[str]) -> InspectionView:
    at = desk.wall()
    spec = form_of(desk, draft).by_key.get(key)
    found = spec.item.part(part) if spec else None
    typed = found is None or found.type in ("TXT", "NUM")
    change = lambda d, form: taps.answer(d, form, key, part, value, at)  # noqa: E731
    return await tapped(desk, draft, _at(key, change), "" if typed else _answer_undo(key))


def _at(key: str, change: Tap) -> Tap:
    """The same, and the inspector is at that item: there a killed app opens."""

    def both(d: Draft, form: forms.Form) -> Draft:
        return taps.go_to(change(d, form), form.question(key).section, key)

    return both


def _answer_undo(key: str) -> str:
    return f"answer:{key.partition('@')[0]}"


async def answer_special(desk: Desk, draft: str, key: str, value: str) -> InspectionView:
    at = desk.wall()
    words = _answer_undo(key)
    return await tapped(desk, draft, _at(key, lambda d, form: taps.answer_special(d, form, key, value, at)), words)


async def answer_rest(desk: Desk, draft: str, card: str, value: str) -> InspectionView:
    at = desk.wall()
    words = "rest"
    return await tapped(desk, draft, lambda d, form: taps.answer_rest(d, form, card, value, at), words)


async def answer_in_order(desk: Desk, draft: str, section: str) -> InspectionView:
    at = desk.wall()
    words = "in-order"
    return await tapped(desk, draft, lambda d, form: taps.answer_in_order(d, form, section, at), words)


async def follow_up(desk: Desk, draft: str, finding: str, state: str) -> InspectionView:
    words, at = "follow-up", desk.wall()
    change = lambda d, form: taps.go_to(last_time.follow_up(d, finding, state, at), "last", finding)  # noqa: E731
    return await tapped(desk, draft, change, words)


async def follow_up_note(desk: Desk, draft: str, finding: str, note: str) -> InspectionView:
    return await tapped(desk, draft, lambda d, form: last_time.follow_up_note(d, finding, note))


async def note(desk: Desk, draft: str, key: str, text: str) -> InspectionView:
    return await tapped(desk, draft, _at(key, lambda d, form: taps.set_note(d, form, key, text)))


async def set_severity(desk: Desk, draft: str, key: str, severity: str, reason: str) -> InspectionView:
    def change(d: Draft, form: forms.Form) -> Draft:
        computed = judged_item(d, form.question(key)).judgement.severity or ""
        return taps.set_severity(d, form, key, severity, reason, computed)

    return await tapped(desk, draft, _at(key, change), "severity")


async def set_correction(desk: Desk, draft: str, key: str, text: str) -> InspectionView:
    return await tapped(desk, draft, _at(key, lambda d, form: taps.set_correction(d, form, key, text)))


async def set_due(desk: Desk, draft: str, key: str, on: str, at: str) -> InspectionView:
    words = "due"
    return await tapped(desk, draft, _at(key, lambda d, form: taps.set_due(d, form, key, on, at)), words)


async def set_corrected(desk: Desk, draft: str, key: str, corrected: bool) -> InspectionView:
    words = "corrected"
    return await tapped(desk, draft, _at(key, lambda d, form: taps.set_corrected(d, form, key, corrected)), words)


async def set_no_photo(desk: Desk, draft: str, key: str, reason: str) -> InspectionView:
    return await tapped(desk, draft, _at(key, lambda d, form: taps.set_no_photo(d, form, key, reason)))


async def set_closing(desk: Desk, draft: str, fields: Mapping[str, str]) -> None:
    words = "closing" if "how" in fields else ""
    await tap(desk, draft, lambda d, form: closing.set_closing(d, fields), words)


async def set_follows(desk: Desk, draft: str, step: str, wanted: bool) -> None:
    await tap(desk, draft, lambda d, form: closing.set_follows(d, step, wanted), "follows")


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
    from field_app.work import rain
    from field_app.work.inspection_view import inspection_view

    doc = desk.store.table("drafts").get(draft)
    if doc is None:
        raise Problem("draft-unknown", where=draft)
    made_of = (doc, desk.store.table("sites").get(doc["site"]), desk.pack(doc["pack"]), desk.pack(), desk.language,
               rain.offers(desk, doc))
    if desk.shown is None or any(a is not b for a, b in zip(desk.shown[0], made_of, strict=True)):
        with desk.speaking():
            desk.shown = (made_of, inspection_view(desk, stored.from_doc(doc)))
    return desk.shown[1]


def item_view(desk: Desk, draft: Draft, key: str) -> ItemView:
    from field_app.work.inspection_view import view_of_item

    one = judged_item(draft, form_for(desk, draft).question(key), desk.law_language)
    return view_of_item(desk, draft, one, desk.store.table("sites").get(draft.site) or {})


def check_photo_fits(desk: Desk, draft: str, key: str) -> None:
    """Raises Problem "item-unknown" for a key under which no photo can be attached (see `capture.attach_photo`), and
    "too-many-photos"."""
    found = load(desk, draft)
    if key.startswith(taps.LAST):
        taps.earlier_of(found, key.removeprefix(taps.LAST))
    elif key:
        form_of(desk, draft).question(key)
    taps.check_room(found)


def last_title(desk: Desk, draft: Draft, key: str) -> str:
    """What the open finding of last time under a photo key is called."""
    from field_app.work.last_time_view import title_of

    return title_of(desk, draft, taps.earlier_of(draft, key.removeprefix(taps.LAST)))


def views_wanted(desk: Desk, draft: Draft, key: str) -> tuple[str, ...]:
    """The photo views that the item still lacks, "any" meant as "wide"."""
    one = judged_item(draft, form_for(desk, draft).question(key), desk.law_language)
    return tuple("wide" if view == "any" else view for view in views_missing(draft, one))
