"""What is signed and where it is: the outbox, and the status bar's one question.

Green means one thing: a receipt that the server signed for this tablet, applied, naming every file. Everything else
says what is still missing, and where something is tried again by itself, when.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from field_app.work import handing_in, photos_owed, syncing
from field_app.work.progress import sync_clock
from field_app.work.views import FileRow, OutboxRow, OutboxView, PhotosPausedView, StatusView
from field_app.work.words import FILE_KIND, KIND, files_said, said, signed_items
from sync.client.outbox import send_again as engine_send_again
from sync.client.reasons import explain_link
from sync.client.rows import PARKED, RECEIVED, SAFE, WAITING
from sync.client.states import HELD, SENDING, FileState, ItemState, Summary, item_states, summary
from sync.documents.language import clock_words, counted, size_words
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

WINDOW = 25
# Nothing is sent until a person did something about it.
STUCK = ("tablet-not-accepted", "app-too-old", "server-too-old")
# What passes by itself: the time of the next try says all.
PASSING = ("offline", "time-out", "connection-cut", "server-busy", "server-failed")
STRANGERS = ("wifi-login", "wrong-server", "insecure")


def counts(desk: Desk) -> Summary:
    """The counts, made once for each state of the outbox: every screen asks for them with every drawing."""
    view, sending = desk.outbox.view(), desk.sending()
    key = (view, frozenset(sending))
    if desk.tally is None or desk.tally[0][0] is not view or desk.tally[0][1] != key[1]:
        desk.tally = (key, summary(view, sending))
    return desk.tally[1]


def view(desk: Desk, limit: int = WINDOW) -> OutboxView:
    _ = desk.words
    box, found = desk.outbox.view(), counts(desk)
    states = item_states(box, desk.sending(), desk.words, limit=limit)
    drafts = handing_in.draft_lines(desk)
    waiting = Waiting(desk)
    empty = None if states else _("Nothing has been signed on this tablet yet.")
    return OutboxView(
        status=(now := status(desk)),
        answer=answer(desk, now.level, bool(drafts)),
        connection=connection(desk),
        counts=count_words(desk, found),
        left=left_words(desk, found),
        estimate=estimate(desk, waiting),
        hand_in=handing_in.hand_in(desk, found, drafts),
        photos=photos(desk, waiting),
        drafts=drafts,
        way_out=handing_in.way_out(desk),
        rows=tuple(row(desk, state, waiting) for state in states),
        total=found.total,
        empty=empty,
        nags=photos_owed.placard_nags(desk),
    )


class Waiting:
    """What waits by itself just now: until when, and which photos for another network."""

    def __init__(self, desk: Desk) -> None:
        driver = desk.driver
        self._desk = desk
        self.retries: dict[str, int] = driver.retries() if driver else {}
        self.held_back: frozenset[str] = driver.held_back() if driver else frozenset()

    def until(self, id: str, sentence: str) -> str:
        """`sentence` with its {time} when the item waits by itself, else ""."""
        at = self.retries.get(id)
        if at is None or at <= self._desk.hardware.clock.monotonic_ms():
            return ""
        return sentence.format(time=self._desk.soon_words(at))


def row(desk: Desk, state: ItemState, waiting: Waiting) -> OutboxRow:
    _ = desk.words
    doc = desk.store.table("facts").get(state.fact) or {}
    words = {
        WAITING: _("On this tablet, not sent yet"),
        SENDING: _("Being sent: {percent} %").format(percent=state.percent),
        RECEIVED: _("The server has it; not everything is there yet"),
        HELD: _("On the server; the office looks at it"),
        SAFE: _("Safe on the server"),
        PARKED: _("Set aside"),
    }[state.state]
    if state.register:
        words = _("{words}; register number {number}").format(words=words, number=state.register)
    reason = f"{state.reason.words} {state.reason.advice}" if state.reason else ""
    left = [file.sha256 for file in state.files if file.state != SAFE]
    if state.state == RECEIVED and left and waiting.held_back.issuperset(left):
        reason = _("The server holds the record; its photos wait for Wi-Fi.")
    return OutboxRow(
        fact=state.fact,
        title=title(desk, doc),
        signed=desk.moment_words(doc.get("signed_at")),
        state=state.state,
        words=words,
        reason=" ".join(part for part in (reason, _again(desk, state, waiting)) if part),
        percent=state.percent,
        can_send_again=state.can_send_again,
        files=tuple(file_row(desk, file, waiting) for file in state.files),
    )


def _again(desk: Desk, state: ItemState, waiting: Waiting) -> str:
    """When something happens with the item by itself, as far as that is known."""
    _ = desk.words
    if state.state in (HELD, RECEIVED):
        return waiting.until(state.fact, _("The server is asked again at {time}."))
    tried_again = state.state == WAITING or (state.reason is not None and state.reason.code == "server-failed")
    return waiting.until(state.fact, _("Next try at {time}.")) if tried_again else ""


def file_row(desk: Desk, file: FileState, waiting: Waiting) -> FileRow:
    _ = desk.words
    state, advice = file.state, ""
    words = {
        WAITING: _("on this tablet, not sent yet"),
        SENDING: _("being sent: {percent} %").format(percent=file.percent) if file.sent else _("being sent"),
        SAFE: _("safe on the server"),
        PARKED: _("set aside"),
    }[state]
    if state == WAITING and file.sha256 in waiting.held_back:
        state, words = "paused", _("waits for Wi-Fi")
    elif state == WAITING:
        advice = waiting.until(file.sha256, _("Next try at {time}."))
    if file.reason:
        words = f"{words}: {file.reason.words}"
        again = waiting.until(file.sha256, _("Next try at {time}.")) if file.reason.code == "server-failed" else ""
        advice = " ".join(part for part in (file.reason.advice, again) if part)
    kind, size = said(FILE_KIND, file.kind, _), size_words(file.size)
    return FileRow(file.sha256, kind, size, state, words, advice, file.percent)


def title(desk: Desk, doc: dict[str, Any]) -> str:
    """What the item is and which site or order it is about."""
    _ = desk.words
    kind = said(KIND, doc.get("kind", ""), _)
    fact = desk.fact(doc)
    if not fact.known:
        return kind
    body = fact.body
    about, site = body.get("about"), body.get("site")
    number = body.get("number") or (about.get("order") if isinstance(about, dict) else None) or ""
    # What a record says of a place need not be a site that is here: rain was read at a gauge, a site was just found.
    known = desk.store.table("sites").get(site) if isinstance(site, str) and site else None
    place = (known or {}).get("name") or next(
        (body[key] for key in ("name", "gauge", "address") if isinstance(body.get(key), str) and body[key]), "")
    return " · ".join(part for part in (kind, number, place) if part)


def answer(desk: Desk, level: str, begun: bool) -> str:
    """"Is everything safe on the server?" in few words; the status bar says the rest. `begun`: something unfinished is
    here, which is never sent."""
    _ = desk.words
    if level == "safe" and begun:
        return _("All that is signed. What is begun and not signed is on this tablet alone.")
    return {
        "safe": _("Yes, all of it"),
        "received": _("It is there; the office is not done with all of it"),
        "sending": _("Not yet: it is being sent"),
        "waiting": _("Not yet: it waits on this tablet"),
    }.get(level, _("Not yet: something needs a look"))


def count_words(desk: Desk, found: Summary) -> tuple[tuple[str, str], ...]:
    """How many items are where, the states that occur."""
    _ = desk.words
    lines = (
        (PARKED, found.parked, _("{count} to look at").format(count=found.parked)),
        (WAITING, found.waiting, _("{count} on this tablet, not sent yet").format(count=found.waiting)),
        (SENDING, found.sending, _("{count} being sent").format(count=found.sending)),
        (RECEIVED, found.received, _("{count} on the server, not finished").format(count=found.received)),
        (HELD, found.held, counted(found.held, "1 on the server, the office looks at it",
                                   "{count} on the server, the office looks at them", _)),
        (SAFE, found.done, counted(found.done, "1 safe on the server", "{count} safe on the server", _)),
    )
    return tuple((state, words) for state, count, words in lines if count)


def left_words(desk: Desk, found: Summary) -> str:
    _ = desk.words
    if not found.bytes_left:
        return ""
    if not found.files_left:
        return _("Still to send: {size}").format(size=size_words(found.bytes_left))
    files = files_said(found.files_left, _)
    return _("Still to send: {size}, with {files}").format(size=size_words(found.bytes_left), files=files)


def estimate(desk: Desk, waiting: Waiting) -> str:
    """How long it takes at the present speed; "" while that is not known, nothing goes out, or photos wait anyway."""
    _ = desk.words
    link, pace = desk.link(), desk.driver.bytes_per_second() if desk.driver else None
    if pace is None or link is None or not link.up:
        return ""
    left = sum(f.size for f in desk.outbox.view().files
               if not f.held and f.park is None and f.sha256 not in waiting.held_back)  # fmt: skip
    if not left:
        return ""
    seconds = left // pace
    if seconds < 60:
        return _("less than a minute at the present speed")
    minutes = round(seconds / 60)
    if minutes < 90:
        return _("about {count} min at the present speed").format(count=minutes)
    return _("about {count} h at the present speed").format(count=round(minutes / 60))


def photos(desk: Desk, waiting: Waiting) -> PhotosPausedView:
    _ = desk.words
    paused, chosen, costs = syncing.photos_wait(desk), syncing.wifi_only(desk), syncing.metered(desk)
    held = [row for row in desk.outbox.view().files if row.sha256 in waiting.held_back]
    on = chosen if chosen is not None else costs is not None
    if costs is None and on:
        words = _("This tablet cannot tell Wi-Fi from mobile data: photos wait until you send them.")
    elif costs is None:
        words = _("This tablet cannot tell Wi-Fi from mobile data, so photos go over any network.")
    elif not on:
        words = _("Photos go over any network. Mobile data may cost money.")
    elif paused:
        words = _("This network costs money: photos wait for Wi-Fi. Records and previews go at once.")
    else:
        words = _("Photos go now: this network costs nothing. On mobile data they wait; records go at once.")
    size = size_words(sum(row.size for row in held)) if held else ""
    return PhotosPausedView(paused, len(held), size, on, words)


# --- the status bar ---


def status(desk: Desk) -> StatusView:
    _ = desk.words
    tablet = desk.store.table("secrets").get("tablet") or {}
    user = desk.session().get("user")
    person = desk.store.table("people").get(user) if user else None
    found = counts(desk)
    link = desk.link()
    online = bool(link and link.up)
    next_try = next_try_words(desk)
    level, sentence = _answer(desk, found, online, link.code if link else "", next_try)
    lost = lost_words(desk)
    if lost and level in ("safe", "received"):
        sentence = f"{sentence} {lost}"
    try:
        demo = desk.pack().demo
    except Problem:
        demo = False
    return StatusView(
        level=level,
        sentence=sentence,
        waiting=found.total - found.done - found.parked - found.held,
        parked=found.parked,
        held=found.held,
        online=online,
        lost=bool(lost),
        next_try=next_try,
        last_contact=desk.moment_words(sync_clock(desk)) or _("never"),
        user=person["name"] if person else None,
        tablet=tablet.get("tablet_code"),
        city_name=tablet.get("city_name"),
        demo=demo,
    )


def lost_words(desk: Desk) -> str:
    """Since when the server has not been reached, once a try has failed; "" while it is there or was not tried."""
    _, link = desk.words, desk.link()
    if link is None or link.up or not link.code:
        return ""
    now = desk.now()
    if link.last_contact is not None:
        then = now - timedelta(milliseconds=desk.hardware.clock.monotonic_ms() - link.last_contact)
    elif before := sync_clock(desk):  # of a run before this one
        then = desk.local(datetime.fromisoformat(before))
    else:
        return _("No connection yet.")
    words = clock_words(then, _) if then.date() == now.date() else desk.moment_words(then)
    return _("No connection since {time}.").format(time=words)


def next_try_words(desk: Desk) -> str:
    """When the server is tried next, while it is not there; "" while it is, or no driver runs."""
    _ = desk.words
    if desk.driver is None:
        return ""
    now = desk.driver.status
    if now.link.up or now.link.next_try is None:
        return ""
    if now.calling or now.link.next_try <= desk.hardware.clock.monotonic_ms():
        return _("Trying now.")
    return _("Next try at {time}.").format(time=desk.soon_words(now.link.next_try))


def connection(desk: Desk) -> str:
    """How things are with the server, in a sentence or two."""
    _ = desk.words
    link = desk.link()
    if link is None:
        return _("Sending is switched off in this window.")
    if link.up:
        reason = explain_link(link.notice, _) if link.notice else None
        return f"{reason.words} {reason.advice}" if reason else _("Connected to the server.")
    if not link.code:
        return next_try_words(desk)
    reason = explain_link(link.code, _)
    said = (reason.words, "" if link.code in PASSING else reason.advice, next_try_words(desk))
    return " ".join(part for part in said if part)


def _answer(desk: Desk, found: Summary, online: bool, code: str, next_try: str) -> tuple[str, str]:
    _ = desk.words
    trouble = desk.driver.status.trouble if desk.driver else ""
    if trouble and not found.safe:
        return "attention", desk.problem_view(Problem(trouble)).sentence
    if code in STUCK:
        reason = explain_link(code, _)
        return "attention", f"{reason.words} {reason.advice}"
    what = signed_items(found.only_here, _)
    if code in STRANGERS and found.only_here:
        reason = explain_link(code, _)
        return "attention", " ".join((_("Not sent: {what}.").format(what=what), reason.words, reason.advice, next_try))
    if found.parked:
        aside = signed_items(found.parked, _)
        return "attention", _("To look at: {what}. Everything is kept on this tablet.").format(what=aside)
    if found.safe:
        if found.total:
            return "safe", _("Everything signed is safe on the server.")
        if len(desk.store.table("drafts")):
            return "safe", _("Nothing signed is waiting to be sent.")
        return "safe", _("Nothing is waiting to be sent.")
    if not found.only_here:
        return "received", _there(desk, found)
    if found.files_left:
        files = files_said(found.files_left, _)
        what = _("{items} with {files}").format(items=what, files=files)
    if online and syncing.photos_wait(desk) and Waiting(desk).held_back and not desk.sending():
        return "waiting", _("Photos wait for Wi-Fi: {what} not yet on the server.").format(what=what)
    if online:
        return "sending", _("Sending to the office: {what}.").format(what=what)
    kept = _("Kept on this tablet: {what}.").format(what=what)
    return "waiting", f"{kept} {next_try or _('Sent by itself when there is a connection.')}"


def _there(desk: Desk, found: Summary) -> str:
    """Nothing is here alone, and yet not all is done."""
    _ = desk.words
    if found.held:
        what = signed_items(found.held, _)
        return _("Everything is on the server. The office looks at {what}.").format(what=what)
    if found.total - found.done == 1:  # by its name: another one that is safe may be told of on the same screen
        row = next((row for row in desk.outbox.view().facts if row.state != SAFE), None)
        if row is not None and (doc := desk.store.table("facts").get(row.id)):
            return _("Everything is on the server, which is not done yet with this: {what}.").format(
                what=title(desk, doc))
    what = signed_items(found.total - found.done, _)
    return _("Everything is on the server, which is not done yet with {what}.").format(what=what)


async def send_again(desk: Desk, fact: str) -> OutboxView:
    if desk.driver is not None:
        await desk.driver.send_again([fact])
    else:
        await engine_send_again(desk.outbox, [fact])
    return view(desk)
