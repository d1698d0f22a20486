"""What is signed and where it is: the outbox, and the status bar's one question.

Green means one thing: a receipt that the server signed for this tablet, applied, naming every file. Everything else
says what is still missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work.progress import sync_clock
from field_app.work.views import FileRow, OutboxRow, OutboxView, StatusView
from field_app.work.words import FILE_KIND, FILES, ITEMS, KIND, ONE_FILE, ONE_ITEM, counted, said, size_words
from sync.client.outbox import send_again as engine_send_again
from sync.client.reasons import explain_link
from sync.client.states import FileState, ItemState, Summary, item_states, summary
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def view(desk: Desk) -> OutboxView:
    _ = desk.words
    states = item_states(desk.outbox.view(), desk.sending(), desk.words)
    rows = tuple(row(desk, state) for state in states)
    empty = None if rows else _("Nothing has been signed on this tablet yet.")
    return OutboxView(status(desk), rows, empty)


def row(desk: Desk, state: ItemState) -> OutboxRow:
    _ = desk.words
    doc = desk.store.table("facts").get(state.fact) or {}
    words = {
        "waiting": _("On this tablet, not sent yet"),
        "sending": _("Being sent: {percent} %").format(percent=state.percent),
        "received": _("The server has it; not everything is there yet"),
        "safe": _("Safe on the server"),
        "parked": _("Set aside"),
    }[state.state]
    if state.register:
        words = _("{words}; register number {number}").format(words=words, number=state.register)
    return OutboxRow(
        fact=state.fact,
        title=title(desk, doc),
        signed=desk.moment_words(doc.get("signed_at")),
        state=state.state,
        words=words,
        reason=f"{state.reason.words} {state.reason.advice}" if state.reason else "",
        percent=state.percent,
        can_send_again=state.can_send_again,
        files=tuple(file_row(desk, file) for file in state.files),
    )


def file_row(desk: Desk, file: FileState) -> FileRow:
    _ = desk.words
    words = {
        "waiting": _("on this tablet, not sent yet"),
        "sending": _("being sent"),
        "safe": _("safe on the server"),
        "parked": _("set aside"),
    }[file.state]
    if file.reason:
        words = f"{words}: {file.reason.words}"
    return FileRow(file.sha256, said(FILE_KIND, file.kind, _), size_words(file.size), file.state, words)


def title(desk: Desk, doc: dict[str, Any]) -> str:
    """What the item is and which site or order it is about."""
    _ = desk.words
    kind = said(KIND, doc.get("kind", ""), _)
    fact = desk.fact(doc)
    if not fact.known:
        return kind
    about = fact.body.get("number") or fact.body.get("about", {}).get("order") or ""
    site = desk.store.table("sites").get(fact.body.get("site", "")) or {}
    return " · ".join(part for part in (kind, about, site.get("name", "")) if part)


def status(desk: Desk) -> StatusView:
    _ = desk.words
    tablet = desk.store.table("secrets").get("tablet") or {}
    user = desk.session().get("user")
    person = desk.store.table("people").get(user) if user else None
    counts = summary(desk.outbox.view(), desk.sending())
    link = desk.link()
    online = bool(link and link.up)
    level, sentence = _answer(desk, counts, online, link.code if link else "")
    last = sync_clock(desk)
    try:
        demo = desk.pack().demo
    except Problem:
        demo = False
    return StatusView(
        level=level,
        sentence=sentence,
        waiting=counts.total - counts.done - counts.parked,
        parked=counts.parked,
        online=online,
        last_contact=desk.moment_words(last) or _("never"),
        user=person["name"] if person else None,
        tablet=tablet.get("tablet_code"),
        city_name=tablet.get("city_name"),
        demo=demo,
    )


def _answer(desk: Desk, counts: Summary, online: bool, code: str) -> tuple[str, str]:
    _ = desk.words
    left = counts.total - counts.done - counts.parked
    stuck = code in ("tablet-not-accepted", "app-too-old", "server-too-old", "wifi-login", "wrong-server", "insecure")
    if stuck:
        reason = explain_link(code, _)
        return "attention", f"{reason.words} {reason.advice}"
    if counts.parked:
        what = counted(counts.parked, ONE_ITEM, ITEMS, _)
        return "attention", _("To look at: {what}. Everything is kept on this tablet.").format(what=what)
    if counts.safe:
        if counts.total:
            return "safe", _("Everything signed is safe on the server.")
        return "safe", _("Nothing is waiting to be sent.")
    what = counted(left, ONE_ITEM, ITEMS, _)
    if counts.files_left:
        files = counted(counts.files_left, ONE_FILE, FILES, _)
        what = _("{items} with {files}").format(items=what, files=files)
    if online:
        return "sending", _("Sending to the office: {what}.").format(what=what)
    return "waiting", _("Kept on this tablet: {what}. Sent by itself when there is a connection.").format(what=what)


async def send_again(desk: Desk, fact: str) -> OutboxView:
    if desk.driver is not None:
        await desk.driver.send_again([fact])
    else:
        await engine_send_again(desk.outbox, [fact])
    return view(desk)
