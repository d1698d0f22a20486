"""The placard: printing it, the tap that posts the order, and signing that posting or a recommendation.

The PDF is kept in the evidence box and its SHA-256 goes into the order's fact: what hung on the site can be shown for
ever. It bears its posting date, so it is good for the day it was printed on; on another day the tap is refused until
it is printed anew. The tap is durable by itself, with its time; the PIN then signs it.
"""

from __future__ import annotations

import asyncio
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from field_app.store.sealed import ENDED
from field_app.work import clocks, order_said, orders_known, photos_owed, pins, voice_beside
from field_app.work.handing_out import PDF, HandedOut, hand_out
from field_app.work.order_findings import finding_of
from field_app.work.order_record import order_body
from field_app.work.order_view import correction_views, missing, order_doc
from field_app.work.ordering import close_session, open_order
from field_app.work.photo_keeping import NOT_IN_TIME
from field_app.work.photo_records import where_words
from field_app.work.progress import is_safe, journey
from field_app.work.sealing import seal
from field_app.work.sites import place_labels, site_doc
from field_app.work.views import PlacardView
from sync.documents.both import both_of
from sync.documents.language import N_
from sync.documents.order_texts import known_correction
from sync.documents.placard import placard_pdf
from sync.ordinance.calendar import CalendarMissing
from sync.ordinance.dates import Derived
from sync.records.facts import Evidence
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

SECONDS_TO_PAINT = 0.05


def dates_of(desk: Desk, doc: dict[str, Any], posted_on: str | None) -> tuple[dict[str, Any], ...]:
    """The legal dates of the order as put up on that day; none for a recommendation."""
    return tuple(one.to_wire(desk.law_language) for one in _derived(desk, doc, posted_on))


def _derived(desk: Desk, doc: dict[str, Any], posted_on: str | None) -> tuple[Derived, ...]:
    if not posted_on:
        return ()
    issued = doc["issued"]["on"] if doc["kind"] == "affix" else None
    try:
        return orders_known.derived_dates(desk, doc["pack"], posted_on, issued, doc["permit"])
    except CalendarMissing as missing:
        # A year without a calendar is nearly always a clock whose battery was dead.
        code = "clock-wrong" if clocks.set_back_ms(desk) else "calendar-year-missing"
        raise Problem(code, str(missing), where=posted_on) from missing


async def make(desk: Desk, order: str) -> PlacardView:
    doc = order_doc(desk, order)
    if doc["kind"] == "order":
        open_order(desk, doc)
        if doc.get("blank"):
            raise Problem("order-not-open", "the order is on a pre-printed placard; leave that one first",
                          where=doc["number"])
        lacking = missing(desk, doc)
        if lacking:
            raise Problem("order-incomplete", lacking[0].sentence, where=lacking[0].field)
        valid = desk.may("post")
    elif doc["stage"] in ("draft", "printed") and not must_not_hang(desk, doc):
        valid = True
    else:
        raise Problem("order-not-open", where=doc["number"])
    today = desk.today().isoformat()
    posted_on = today if valid else None
    if doc["kind"] == "order":
        body = {**order_body(desk, doc, posted_on=posted_on, posted_at=None), "printed_on": today}
        issued = None
    else:
        body = {**doc["body"], "posted_on": today, "posted_at": None, "printed_on": today}
        issued = _issued(doc)
    data = await _paper(desk, doc, body, posted_on, issued, valid)
    sha = await desk.box.keep(data)
    placard = {"sha256": sha, "size": len(data), "printed_on": today, "valid": valid}
    async with desk.store.change() as tx:
        # An edit made while the paper was being printed counts: then this paper is not the order's any more.
        if tx.get("order_drafts", order) != doc:
            raise Problem("placard-missing", "the order was changed while it was printed; print it again")
        tx.put("order_drafts", order, {**doc, "stage": "printed", "printed": True, "placard": placard, "blank": None})
    return view(desk, order)


async def _paper(
    desk: Desk,
    doc: dict[str, Any],
    body: dict[str, Any],
    posted_on: str | None,
    issued: dict[str, Any] | None,
    valid: bool,
) -> bytes:
    """The order as PDF."""
    found = [finding_of(desk, doc["site"], f["fact"], f["finding"]) for f in body["findings"]]
    pack = desk.pack(doc["pack"])
    # In the browser there is no thread and printing takes seconds: the screen must first have shown "printing".
    await asyncio.sleep(SECONDS_TO_PAINT)
    return await asyncio.to_thread(
        placard_pdf,
        body,
        pack,
        dates=_derived(desk, doc, posted_on),
        public_url=orders_known.public_base(desk),
        created=desk.now(),
        site=site_doc(desk, doc["site"]),
        findings=[f.for_paper() for f in found if f],
        subjects={ident: label for (kind, ident), label in place_labels(desk, doc["site"]).items()},
        issued=issued,
        valid=valid,
    )


def _issued(doc: dict[str, Any]) -> dict[str, Any] | None:
    """When and by whom the office issued it; None for one that is posted in the field."""
    found = doc.get("issued")
    return {"on": date.fromisoformat(found["on"]), "by": found["by"]} if found else None


async def pdf(desk: Desk, order: str) -> bytes:
    doc = order_doc(desk, order)
    placard = doc["placard"]
    if not placard:
        raise Problem("placard-missing")
    if doc.get("blank"):
        # What hangs was printed in the office; this is the whole order, for the person in charge.
        posted_on = doc["up"]["wall"][:10] if doc["up"] else placard["printed_on"]
        if not posted_on:
            raise Problem("blank-not-dated", where=doc["number"])
        posted_at = doc["up"]["wall"] if doc["up"] else None
        if doc["kind"] == "affix":
            body = {**doc["body"], "posted_on": posted_on, "posted_at": posted_at}
        else:
            body = order_body(desk, doc, posted_on=posted_on, posted_at=posted_at)
        return await _paper(desk, doc, body, posted_on, _issued(doc), True)
    return await desk.box.read(placard["sha256"])


async def save(desk: Desk, order: str) -> HandedOut:
    """Give the paper to the person. Raises Problem "order-not-open" once the order has ended: it must not hang."""
    doc = order_doc(desk, order)
    if must_not_hang(desk, doc):
        raise Problem("order-not-open", "its placard must not hang, so it is not saved", where=order)
    return await hand_out(desk, file_name(doc), await pdf(desk, order))


def ended(desk: Desk, doc: dict[str, Any]) -> str:
    """Why the order has no force any more; "" while it stands. One that was not signed yet is no order yet."""
    return orders_known.ended_words(desk, doc["order"] if doc["kind"] == "affix" else doc["fact"])


def up_elsewhere(desk: Desk, doc: dict[str, Any]) -> str:
    """That somebody else put this order of the office up meanwhile: a paper with the dates of another day must not hang
    beside that one. "" while it is for this person to do, and once it is done."""
    if doc["kind"] != "affix" or doc["stage"] not in ("draft", "printed"):
        return ""
    order, _ = orders_known.order_by_fact(desk, doc["order"]), desk.words
    if order is None or not order.posted_on:
        return ""
    return _("This order has been up since {date}: do not put this placard up. If that one is gone, put it up again "
             "from the order.").format(date=desk.date_words(order.posted_on))


def must_not_hang(desk: Desk, doc: dict[str, Any]) -> str:
    """Why the placard must not go up, or not hang any more; "" while it may."""
    return ended(desk, doc) or up_elsewhere(desk, doc)


def file_name(doc: dict[str, Any]) -> str:
    return f"{doc['number']}.pdf"


def printed(doc: dict[str, Any], *stages: str) -> dict[str, Any]:
    """The order in one of these stages, with its placard. Raises Problem otherwise."""
    if doc["stage"] in ENDED:
        raise Problem("order-not-open", where=doc["number"])
    if not doc["placard"]:
        raise Problem("placard-missing", where=doc["number"])
    if doc["stage"] not in stages:
        raise Problem("placard-up" if doc["stage"] == "up" else "placard-not-up", where=doc["number"])
    return doc


def require_power(desk: Desk, doc: dict[str, Any], on: date) -> None:
    """Raises Problem "no-authority": an order needs the power to post, an issued one only that to inspect."""
    power = "post" if doc["kind"] == "order" else "inspect"
    if not desk.may(power, on):
        raise Problem("no-authority", "you do not hold the power for this today", where=doc["number"])
    if doc["user"] != desk.user():
        raise Problem("order-not-open", "another person began this", where=doc["number"])


def placard_evidence(doc: dict[str, Any]) -> tuple[Evidence, ...]:
    placard = doc["placard"]
    return (Evidence(placard["sha256"], "placard", placard["size"], PDF),) if placard and placard["sha256"] else ()


def referred_facts(doc: dict[str, Any]) -> list[str]:
    """The inspections whose findings the order names."""
    return list(dict.fromkeys(f["fact"] for f in doc["findings"]))


async def post(desk: Desk, order: str, pin: str) -> PlacardView:
    doc = printed(order_doc(desk, order), "up")
    if doc["kind"] != "order":
        raise Problem("order-not-open", where=doc["number"])
    posted_at = doc["up"]["wall"]
    posted_on = datetime.fromisoformat(posted_at).date()
    require_power(desk, doc, posted_on)
    await pins.verify(desk, pin)
    body = order_body(desk, doc, posted_on=posted_on.isoformat(), posted_at=posted_at)
    await _sign(desk, doc, "order_posted", body)
    return view(desk, order)


async def recommend(desk: Desk, order: str, pin: str) -> PlacardView:
    doc = open_order(desk, order_doc(desk, order))
    lacking = missing(desk, doc)
    if lacking:
        raise Problem("order-incomplete", lacking[0].sentence, where=lacking[0].field)
    if doc["placard"] and doc["placard"]["valid"]:
        raise Problem("order-not-open", "a valid placard was printed: post the order, or edit it first")
    if doc.get("blank"):
        raise Problem("order-not-open", "the order is on a pre-printed placard; leave that one first")
    if not desk.may("inspect"):
        raise Problem("no-authority", "you do not hold the power to inspect today", where=doc["number"])
    await pins.verify(desk, pin)
    await _sign(desk, doc, "order_recommended", order_body(desk, doc, posted_on=None, posted_at=None))
    return view(desk, order)


async def _sign(desk: Desk, doc: dict[str, Any], kind: str, body: dict[str, Any]) -> None:
    """Freeze the order and close its draft, in one change."""
    async with desk.store.change() as tx:
        # What is signed is what is stored: the PIN took time, and an edit in between is another order.
        stored = tx.get("order_drafts", doc["id"])
        if stored is None or {**stored, "up_where": None} != {**doc, "up_where": None}:
            raise Problem("order-not-open", "the order changed meanwhile; look at it again", where=doc["number"])
        body = {**body, **voice_beside.record_of_order(desk, stored)}
        if kind == "order_posted":  # where it was put up may have come while the PIN was typed
            body = {**body, **(stored.get("up_where") or {})}
        seal(
            desk,
            tx,
            kind,
            body,
            fact=doc["fact"],
            pack=doc["pack"],
            evidence=(*placard_evidence(doc), *voice_beside.evidence(stored)),
            needs=referred_facts(doc),
        )
        tx.put("order_drafts", doc["id"], {**stored, "stage": "done", "signed_as": kind})
        close_session(tx, doc["id"])


def view(desk: Desk, order: str) -> PlacardView:
    doc = order_doc(desk, order)
    _ = desk.words
    placard, up = doc["placard"], doc["up"]
    ends, elsewhere = ended(desk, doc), up_elsewhere(desk, doc)
    over = ends or elsewhere
    valid = not over and (placard["valid"] if placard else doc["kind"] == "affix" or desk.may("post"))
    posted_on = up["wall"][:10] if up else (placard["printed_on"] if placard and valid else "")
    done = doc["stage"] == "done"
    today = desk.today().isoformat()
    corrections = doc["corrections"] if doc["kind"] == "order" else doc["body"]["corrections"]
    name = desk.person().get("name", "")
    body = doc["body"] if doc["kind"] == "affix" else order_body(desk, doc, posted_on=None, posted_at=None)
    return PlacardView(
        id=order,
        kind=doc["kind"],
        number=doc["number"],
        site=doc["site"],
        site_name=site_doc(desk, doc["site"])["name"],
        address=doc["address"],
        valid=valid,
        heading=_heading(desk, valid or bool(elsewhere), ends),
        printed_on=placard["printed_on"] if placard else "",
        stale=bool(placard and placard["printed_on"]) and not up and not done and placard["printed_on"] != today,
        clocks=orders_known.clock_views(desk, dates_of(desk, doc, posted_on if valid else None)),
        corrections=correction_views(desk, _in_the_readers_words(desk, doc, corrections)),
        public_url=orders_known.public_link(
            desk, doc["number"], doc["token"], None if doc.get("blank") else posted_on or None) if valid else "",
        sha256=(placard["sha256"] or "") if placard else "",
        file_name=file_name(doc),
        up=bool(up),
        posted=desk.moment_words(up["wall"]) if up else "",
        where=where_words(doc.get("up_where"), _) if up and not _is_asked(doc) else "",
        nag=_nag(desk, doc) if done else "",
        posted_on=up["wall"][:10] if up else "",
        place=doc.get("place", ""),
        photos=photos_owed.placard_photos(desk, doc["number"], doc["site"]),
        statement=_statement(desk, doc, valid or doc["kind"] == "affix", name),
        pin_wait=pins.seconds_left(desk),
        done=done,
        sentence=over or _sentence(desk, doc, valid),
        ended=over,
        blank=bool(doc.get("blank")),
        dated=bool(doc.get("blank") and doc["blank"]["dated_on"]),
        today=today,
        both=_both(desk, doc) if valid else "",
        lacking=order_said.lacking(desk, body, doc["pack"]) if valid else (),
        sides=() if over or doc.get("blank") else order_said.sides(
            desk, body, doc["pack"], lambda: _derived(desk, doc, posted_on if valid else None)),
    )


def _is_asked(doc: dict[str, Any]) -> bool:
    """Whether the position may still come: nothing is signed yet."""
    return doc["stage"] == "up" and (doc.get("up_where") or {}).get("no_position") == NOT_IN_TIME


def _nag(desk: Desk, doc: dict[str, Any]) -> str:
    order = orders_known.order_by_number(desk, doc["number"])
    return photos_owed.placard_nag(desk, order) if order else ""


def _both(desk: Desk, doc: dict[str, Any]) -> str:
    """The head of the paper where it speaks more than one language, else ""."""
    both = both_of(desk.pack(doc.get("pack")))
    return both(N_("STOP WORK ORDER")) if len(both.languages) > 1 else ""


def _in_the_readers_words(desk: Desk, doc: dict[str, Any], corrections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The corrections as the paper says them: sentences of the pack and of the program in the language of this
    tablet, whichever language they were chosen in."""
    pack = desk.pack(doc.get("pack"))
    return [{**one, "text": known_correction(one["text"], pack, desk.law_language) or one["text"]}
            for one in corrections]


def _heading(desk: Desk, valid: bool, over: str) -> str:
    _ = desk.words
    if over:
        return _("NOT VALID: this order has no force")
    return _("STOP WORK ORDER") if valid else _("NOT VALID: a recommendation to the office")


def _statement(desk: Desk, doc: dict[str, Any], valid: bool, name: str) -> str:
    _ = desk.words
    if not valid:
        return _("I, {name}, recommend that stop-work order {number} be issued.").format(
            name=name, number=doc["number"]
        )
    return _("I, {name}, put up stop-work order {number} at {address}.").format(
        name=name, number=doc["number"], address=doc["address"]
    )


def _sentence(desk: Desk, doc: dict[str, Any], valid: bool) -> str:
    """What is to be done next, in one sentence."""
    _ = desk.words
    if doc["stage"] == "done" and doc.get("signed_as") == "order_recommended":
        return _("Signed. The office decides; if it issues the order, it comes back here to be put up.")
    if doc["stage"] == "done" and is_safe(desk, desk.store.table("facts").get(doc["fact"])):
        return _("The posting is signed, and safe on the server.")
    if doc["stage"] == "done" and (there := journey(desk, desk.store.table("facts").get(doc["fact"]))):
        return _("Signed.") + " " + there
    if doc["stage"] == "done":
        return _("Signed and kept on this tablet. It goes to the office by itself.")
    if doc["stage"] == "abandoned":
        return _("This order was given up; its number is not used again.")
    if doc["stage"] == "up":
        return _("The placard has been up since {moment}. Sign with your PIN.").format(
            moment=desk.moment_words(doc["up"]["wall"])
        )
    if not doc["placard"]:
        return _("Print the placard.")
    if doc["kind"] == "affix" and doc.get("blank") and not doc["placard"]["printed_on"]:
        said = _("Write today's date, {date}, and the time on the paper from the office with a marker, and sign it.")
        return said.format(date=desk.date_words(desk.today()))
    if doc.get("blank") and not doc["placard"]["printed_on"]:
        return _("Write today's date, {date}, the time and the address on placard {number} with a marker.").format(
            date=desk.date_words(desk.today()), number=doc["number"])
    if doc.get("blank") and doc["placard"]["printed_on"] != desk.today().isoformat():
        return _("This placard bears the date {date} and must not go up on another day. Take a new one, or print "
                 "one.").format(date=desk.date_words(doc["placard"]["printed_on"]))
    if not valid:
        return _("This paper is NOT VALID and must not be put up. Sign the recommendation with your PIN.")
    if doc["placard"]["printed_on"] != desk.today().isoformat():
        return _("This placard was printed on {date}. Print it again for today.").format(
            date=desk.date_words(doc["placard"]["printed_on"])
        )
    return _("Put the placard up where it is seen from the entrance, then tap “The placard is up”.")
