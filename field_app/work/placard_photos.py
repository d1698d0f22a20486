"""Photos of a placard that is up: durable at once, each signed as a record of its own when nothing is missing any more.

From the moment it is kept until it is signed a photo stands in a row of this person's: for its position, for the PIN
that signs it, for a word about why it was taken far from the site. Killed, locked or left in between, the row is there
and is said wherever unfinished work is; the next PIN signs it. Out of the row and into a record is one change. While
its screen is open it stays in the row, so that it can be drawn on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from field_app.capture.findings import far_photos
from field_app.work import marking, orders_known, photos_owed, pins
from field_app.work.photo_keeping import NOT_YET, at_fix, entered, keep_photo, located
from field_app.work.photo_records import far_view, listed, photo_evidence, photo_view, wire_photo
from field_app.work.sealing import seal, signer
from field_app.work.views.photos import PlacardPhotosView
from field_app.work.words import photos_said
from sync.documents.language import counted
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]
ACT = "placard"
LONGEST = 4_000

log = logging.getLogger(__name__)


# --- the row --------------------------------------------------------------------------------------------------------
def rows(desk: Desk, number: str = "") -> list[Doc]:
    """The rows of the person at work, of one order or all."""
    user = desk.session().get("user")
    return [doc for doc in desk.store.table("reports").all()
            if doc.get("act") == ACT and doc["user"] == user and number in ("", doc["number"])]


def waiting(desk: Desk, number: str) -> list[Doc]:
    """The records of the photos of this placard that are kept and not signed yet."""
    return [photo for doc in rows(desk, number) for photo in doc["photos"]]


def progress(desk: Desk, doc: Doc) -> str:
    """What the photos of a row wait for, in words."""
    _ = desk.words
    count = len(doc["photos"])
    if far_photos(doc["photos"]) and not doc["far_reason"].strip():
        return counted(count, "1 photo, kept: say why it was taken far from the site.",
                       "{count} photos, kept: say why they were taken far from the site.", _)
    return counted(count, "1 photo, kept and not signed yet", "{count} photos, kept and not signed yet", _)


async def _keep_row(desk: Desk, order: orders_known.KnownOrder, record: Doc) -> None:
    user = desk.user()
    async with desk.store.change() as tx:
        doc = next(iter(rows(desk, order.number)), None)
        doc = tx.get("reports", doc["id"]) if doc else None
        if doc is None:
            ident = desk.new_id()
            doc = {"v": 1, "id": ident, "act": ACT, "new": False, "site": order.site, "number": order.number,
                   "order": order.fact, "address": order.body["address"], "user": user, "stage": "open",
                   "began": desk.wall(), "pack": desk.pack().ref, "photos": [], "far_reason": ""}
        if all(photo["sha256"] != record["sha256"] for photo in doc["photos"]):
            tx.put("reports", doc["id"], {**doc, "photos": [*doc["photos"], record]})


def _order_up(desk: Desk, number: str) -> orders_known.KnownOrder:
    """The order under this number. Problem "order-not-open" for one that is not up."""
    order = orders_known.order_by_number(desk, number)
    if order is None or not order.posted_on:
        raise Problem("order-not-open", "only an order that is up gets photos", where=number)
    return order


# --- taking ---------------------------------------------------------------------------------------------------------
async def add(desk: Desk, number: str, data: bytes, *, source: str, view: str, name: str | None, wait: bool) -> None:
    """Keep a photo of the placard; durable when this returns. With `wait` its position is there too (or why there is
    none), else it comes behind it. It is signed as soon as nothing is missing. Problem "order-not-open"."""
    order = _order_up(desk, number)
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=number)
    desk.user()
    record = await keep_photo(desk, data, source=source, view=view, name=name)
    sha, fresh = record["sha256"], desk.locating.fresh()
    if record["no_position"] == NOT_YET and fresh is not None:
        record = at_fix(desk, record, fresh, order.site)
    asking = record["no_position"] == NOT_YET
    if asking:
        desk.locating.awaited.add(sha)
    try:
        await _keep_row(desk, order, record)
    except BaseException:
        desk.locating.awaited.discard(sha)
        raise

    async def place(fix: Any) -> None:
        desk.locating.awaited.discard(sha)
        await _place(desk, number, at_fix(desk, record, fix, order.site))

    if asking and wait:
        try:
            placed = await located(desk, record, order.site)
        finally:  # also when nobody waits for it any more: then the reason stands
            desk.locating.awaited.discard(sha)
        await _place(desk, number, placed)
        return
    if asking or fresh is None:
        desk.locating.ask(place if asking else None)
    await seal_ready(desk)


async def _edit_rows(desk: Desk, number: str, change: Callable[[Doc], Doc]) -> None:
    for doc in rows(desk, number):
        async with desk.store.change() as tx:
            now = tx.get("reports", doc["id"])
            if now is not None:
                tx.put("reports", doc["id"], change(now))


async def _place(desk: Desk, number: str, placed: Doc) -> None:
    """Enter the position, while the photo is still in its row; then what is whole is signed."""
    await _edit_rows(desk, number, lambda doc: {**doc, "photos": [entered(one, placed) for one in doc["photos"]]})
    await seal_ready(desk)


async def set_far_reason(desk: Desk, number: str, reason: str) -> None:
    """Why photos of this placard were taken far from the site. They are signed when the person is done with it."""
    if len(reason) > LONGEST:
        raise Problem("text-too-long", f"at most {LONGEST} characters fit here", where="far_reason")
    await _edit_rows(desk, number, lambda doc: {**doc, "far_reason": reason})


# --- signing --------------------------------------------------------------------------------------------------------
def hold(desk: Desk, number: str) -> None:
    """Photos of this placard are being taken and drawn on: they are signed when that is done (`sign`, `let_go`)."""
    desk.photos_open = number


async def let_go(desk: Desk) -> None:
    """The person has left the photos of a placard: what lacks nothing is signed."""
    desk.photos_open = ""
    await seal_after_unlocking(desk)


def _is_ready(desk: Desk, doc: Doc, photo: Doc) -> bool:
    if doc["number"] == desk.photos_open:
        return False
    return photo["sha256"] not in desk.locating.awaited and not (far_photos([photo]) and not doc["far_reason"].strip())


async def seal_ready(desk: Desk) -> int:
    """Signs every photo of this person that lacks nothing, while the PIN holds; says how many."""
    signed = 0
    for row in rows(desk):
        for photo in row["photos"]:
            if not desk.is_unlocked():
                return signed
            signed += _is_ready(desk, row, photo) and await _seal(desk, row["id"], photo["sha256"])
    return signed


def statement(desk: Desk, number: str, shas: list[str]) -> str:
    """What is signed with photos of a placard, each by its number and the beginning of its fingerprint."""
    _ = desk.words
    return _("I, {name}, took or chose {photos} of the placard of stop-work order {number} and changed none "
             "({listed}).").format(name=signer(desk)["name"], photos=photos_said(len(shas), _), number=number,
                                   listed=listed(shas, _))


async def sign(desk: Desk, number: str, pin: str | None) -> int:
    """Signs the photos of this placard that lack nothing; the PIN may be left out while the last one holds. Problem
    "pin-needed", "pin-wrong"."""
    if pin is not None:
        await pins.verify(desk, pin)
    elif waiting(desk, number) and not desk.is_unlocked():
        raise Problem("pin-needed")
    if desk.photos_open == number:
        desk.photos_open = ""
    return await seal_ready(desk)


async def seal_after_unlocking(desk: Desk) -> None:
    """The PIN was given to go to work: what waited for it is signed. Whatever keeps it from that, the photos stay."""
    try:
        await seal_ready(desk)
    except Problem as problem:
        log.warning("photos of a placard wait for another PIN: %s", problem)


async def _seal(desk: Desk, ident: str, sha: str) -> bool:
    before = (desk.store.table("reports").get(ident) or {"photos": ()})["photos"]
    layers = await marking.keep_layers(desk, [one for one in before if one["sha256"] == sha])
    async with desk.store.change() as tx:
        doc = tx.get("reports", ident)
        photo = next((one for one in (doc or {"photos": ()})["photos"] if one["sha256"] == sha), None)
        if doc is None or photo is None or not _is_ready(desk, doc, photo):
            return False
        drawn = marking.drawn_over([photo])
        if not {one.sha256 for one in drawn} <= layers:
            return False  # drawn on meanwhile
        if photo.get("site_m") and doc["far_reason"].strip():
            photo = {**photo, "far_reason": doc["far_reason"].strip()}
        body = {"about": {"order": doc["number"]}, "photo": wire_photo(photo, item=None, finding=None),
                "signed": {**signer(desk), "statement": statement(desk, doc["number"], [sha])}}
        seal(desk, tx, "photo_added", body, fact=desk.new_id(), pack=doc["pack"], needs=[doc["order"]],
             evidence=[photo_evidence(photo), *drawn])
        left = [one for one in doc["photos"] if one["sha256"] != sha]
        if left:
            tx.put("reports", ident, {**doc, "photos": left})
        else:
            tx.delete("reports", ident)
    return True


# --- what it says ---------------------------------------------------------------------------------------------------
def view(desk: Desk, number: str) -> PlacardPhotosView:
    """The photos of one placard. Problem "order-not-open" for an order that is not up."""
    _ = desk.words
    order = _order_up(desk, number)
    site = desk.store.table("sites").get(order.site) or {}
    kept = waiting(desk, number)
    doc = next(iter(rows(desk, number)), None)
    missing = photos_owed.views_missing(desk, number)
    return PlacardPhotosView(
        number=number,
        row=doc["id"] if doc is not None else "",
        site=order.site,
        waiting=tuple(photo_view(desk, photo, site) for photo in kept),
        signed=photos_owed.placard_photos(desk, number, order.site),
        needs_pin=bool(kept) and not desk.is_unlocked(),
        far=far_view(desk, kept, doc["far_reason"]) if doc is not None else None,
        suggested_view="wide" if "wide" in missing else "close",
        statement=statement(desk, number, [photo["sha256"] for photo in kept]) if kept else "",
        pin_wait=pins.seconds_left(desk),
    )
