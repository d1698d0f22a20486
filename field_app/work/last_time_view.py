"""The open findings of earlier inspections on the screen: with their photo, their age, and what became of them."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.capture.draft import Draft, FollowUp, last_key
from field_app.capture.findings import Judged
from field_app.capture.last_time import asked_again, differs, first_found, found_anew, open_ones, state_of
from field_app.work.photo_records import photo_view
from field_app.work.sites import due_line, is_past
from field_app.work.views import Choice
from field_app.work.views.inspection import LastTimeView
from field_app.work.words import FOLLOWED, SEVERITY, said
from sync.documents.language import counted
from sync.records.bodies import FOLLOWED as STATES

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def last_time_views(
    desk: Desk, draft: Draft, judged: dict[str, Judged], site: dict[str, Any]
) -> tuple[LastTimeView, ...]:
    """Each is made anew only when something that it is made of has changed: there may be many."""
    minute = desk.now().strftime("%Y-%m-%dT%H:%M")
    return tuple(_remembered(desk, draft, earlier, judged, site, minute) for earlier in open_ones(draft))


def _remembered(
    desk: Desk, draft: Draft, earlier: Any, judged: dict[str, Judged], site: dict[str, Any], minute: str
) -> LastTimeView:
    followed = draft.last_time.get(earlier["id"])
    photos = tuple(draft.photos[sha] for sha in followed.photos) if followed else ()
    made_of = (earlier, followed, photos, asked_again(earlier, judged), site, draft.began, draft.pack, draft.subjects,
               desk.language, minute)
    key = ("last time", earlier["id"])
    known = desk.items.get(key)
    if known is None or known[0] != made_of:
        known = desk.items[key] = (made_of, _one(desk, draft, earlier, judged, site))
    return known[1]


def _one(
    desk: Desk, draft: Draft, earlier: Any, judged: dict[str, Judged], site: dict[str, Any]
) -> LastTimeView:
    _ = desk.words
    again = asked_again(earlier, judged)
    said_of = draft.last_time.get(earlier["id"], FollowUp())
    effective = state_of(draft, earlier, again)
    words = ""
    if effective and not said_of.state:
        words = _("By the answer in this inspection: {state}").format(state=said(FOLLOWED, effective, _))
    elif found_anew(draft, earlier, again):
        words = found_anew_words(desk)
    missing = []
    if not effective:
        missing.append(_("Say what became of it: fixed, still open or worse."))
    elif differs(draft, earlier, again):
        missing.append(_("You said it is still open, but its question says that nothing is wrong."))
    due = earlier.get("due")
    overdue = bool(due) and is_past(desk, due)
    thumbnail = earlier.get("thumbnail") or {}
    return LastTimeView(
        id=earlier["id"],
        photo_key=last_key(earlier["id"]),
        title=title_of(desk, draft, earlier),
        where=where_of(draft, earlier),
        severity=earlier["severity"],
        severity_words=said(SEVERITY, earlier["severity"], _),
        age=age_words(desk, first_found(earlier), desk.today().isoformat()),
        due=due_line(desk, due, overdue=overdue),
        overdue=overdue,
        noted=earlier.get("note") or "",
        must=earlier.get("correction") or "",
        pictures=tuple(sha for sha in (earlier.get("photo"), thumbnail.get("sha256")) if sha),
        states=tuple(Choice(state, said(FOLLOWED, state, _)) for state in STATES),
        state=said_of.state,
        effective=effective,
        effective_words=words,
        note=said_of.note,
        photos=tuple(photo_view(desk, draft.photos[sha], site) for sha in said_of.photos),
        section=again.question.section if again else "",
        card=again.question.card if again else "",
        key=again.question.key if again else "",
        missing=tuple(missing),
    )


def found_anew_words(desk: Desk) -> str:
    _ = desk.words
    return _("Its question finds it again today: if it is the same, say “Still open”; if it is not, both stand.")


def title_of(desk: Desk, draft: Draft, earlier: Any) -> str:
    """The question of its item in the tablet's language, where the draft's pack has it."""
    try:
        return desk.pack(draft.pack).item(earlier["item"]).question(desk.law_language)
    except KeyError:
        return earlier.get("title") or earlier["item"]


def where_of(draft: Draft, earlier: Any) -> str:
    about = earlier.get("subject") or {}
    names = {(one.kind, one.id): one.label for one in draft.subjects}
    return names.get((about.get("kind"), about.get("id")), about.get("label", "")) if about else ""


def age_words(desk: Desk, found_on: str, today: str) -> str:
    """How long it is open: "open for 14 days, since Thu Aug 13, 2026"."""
    _ = desk.words
    days = (date.fromisoformat(today) - date.fromisoformat(found_on)).days
    since = desk.date_words(found_on)
    if days <= 0:
        return _("found today")
    return counted(days, "open for 1 day, since {date}", "open for {count} days, since {date}", _, date=since)
