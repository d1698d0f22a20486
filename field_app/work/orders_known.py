"""The orders that this tablet knows of: those that came down, and its own signed ones that have not come back yet.

One order appears once, under the id of the fact that made it. What the office says of it wins over what the tablet
signed; only a placard put up from here is added to an order that the office still believes to be in the drawer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.work import order_index
from field_app.work.views import ClockView, OrderRow
from field_app.work.words import ORDER_STATUS, said
from sync.documents.order_since import former_words, since_lines
from sync.documents.order_words import step_label
from sync.ordinance.calendar import CalendarMissing
from sync.ordinance.dates import Derived, order_dates
from sync.ordinance.repeats import repeats
from sync.records.problems import Problem
from sync.records.protocol import public_order_url

if TYPE_CHECKING:
    from field_app.work.desk import Desk

OPEN = ("issued", "posted", "in_force", "stayed", "quarantined")
ENDED = ("voided", "released", "refused")
STANDING = ("issued", "posted", "in_force", "stayed")
# What may be done in the field with an order that stands, and the power that it takes.
ACT_POWERS = {"repost": "inspect", "release": "release", "void": "void_and_supersede"}


@dataclass(frozen=True, slots=True)
class KnownOrder:
    """`body` is the body of the order's fact; `posted_on`, `issued_on` ISO or None; `mine`: signed on this tablet.

    `ended`: {on, by, reasons, replaced_by} of its release or voiding, also one signed here that the office has not
    heard of; `told`: its document, as the office says it."""

    fact: str
    number: str
    site: str
    status: str
    body: dict[str, Any]
    posted_on: str | None
    issued_on: str | None
    issued_by: str | None
    register: str | None
    confirmed: dict[str, Any] | None
    declined: dict[str, Any] | None
    public_url: str
    dates: tuple[dict[str, Any], ...]
    mine: bool
    ended: dict[str, Any] | None = None
    told: dict[str, Any] = field(default_factory=dict)


def all_orders(desk: Desk) -> list[KnownOrder]:
    """Every order known here, the newest number last. Not to be changed: it is kept."""
    return order_index.of(desk).kept("orders", desk.language, lambda: _all_orders(desk))


def outcome_now(desk: Desk, outcome: str, *records: str) -> str:
    """The outcome of an inspection with what was done since: an order was posted that rests on it. `records`: its
    fact, and those that it corrects."""
    stopped = order_index.of(desk).kept("rested upon", desk.language, lambda: {
        found["fact"] for order in all_orders(desk) if order.posted_on for found in order.body.get("findings") or ()})
    return "stop-work posted" if stopped.intersection(records) else outcome


def _all_orders(desk: Desk) -> list[KnownOrder]:
    index = order_index.of(desk)
    found: dict[str, KnownOrder] = {}
    affixed: dict[str, dict[str, Any]] = {}
    mine = set()
    for row in index.rows("order_affixed"):
        body = desk.fact(row).body
        affixed[body["order"]] = body
    for row in index.rows("order_posted", "order_recommended"):
        mine.add(row["id"])
        found[row["id"]] = _signed_here(desk, row)
    for doc in desk.store.table("orders").all():
        found[doc["id"]] = KnownOrder(
            fact=doc["id"],
            number=doc["number"],
            site=doc["site"],
            status=doc["status"],
            body=doc["body"],
            posted_on=doc.get("posted_on"),
            issued_on=doc.get("issued_on"),
            issued_by=doc.get("issued_by"),
            register=doc.get("register"),
            confirmed=doc.get("confirmed"),
            declined=doc.get("declined") or doc.get("issue_refused"),
            public_url=doc.get("public_url") or "",
            dates=tuple(doc.get("dates") or ()),
            mine=doc["id"] in mine,
            ended=doc.get("void") or doc.get("reversed") or doc.get("released"),
            told=doc,
        )
    for fact, body in affixed.items():
        order = found.get(fact)
        if order is not None and order.status == "issued" and not order.posted_on:
            found[fact] = _put_up_here(desk, order, body["posted_on"])
    for fact, (status, ended) in _ended_here(desk).items():
        order = found.get(fact)
        if order is not None and order.status in STANDING:
            changed = {"status": status, "ended": ended, "dates": ()}
            found[fact] = KnownOrder(**{**{name: getattr(order, name) for name in KnownOrder.__slots__}, **changed})
    return sorted(found.values(), key=lambda order: order.number)


def _ended_here(desk: Desk) -> dict[str, tuple[str, dict[str, Any]]]:
    """Orders that were released or voided by a record signed here, unless the office set that record aside."""
    found = {}
    for row in order_index.of(desk).rows("order_released", "order_voided"):
        if row["sync"]["answer"] == "quarantined":
            continue
        body = desk.fact(row).body
        if row["kind"] == "order_voided":
            ended = {"on": body["voided_on"], "by": row["user"], "reasons": body["reasons"],
                     "replaced_by": body["replaced_by"]}
            found[body["order"]] = ("voided", ended)
        elif body["scope"] == "whole":
            ended = {"on": body["released_on"], "by": row["user"], "reasons": body["reasons"]}
            found.setdefault(body["order"], ("released", ended))
    return found


def order_by_number(desk: Desk, number: str) -> KnownOrder | None:
    return _by(desk, "number").get(number)


def order_by_fact(desk: Desk, fact: str) -> KnownOrder | None:
    return _by(desk, "fact").get(fact)


def _by(desk: Desk, name: str) -> dict[str, KnownOrder]:
    """The orders by their number or their fact; of two under one number the first."""
    return order_index.of(desk).kept(f"by {name}", desk.language, lambda: {
        getattr(order, name): order for order in reversed(all_orders(desk))})


def _signed_here(desk: Desk, row: dict[str, Any]) -> KnownOrder:
    fact = desk.fact(row)
    body = fact.body
    posted = fact.kind == "order_posted"
    return KnownOrder(
        fact=fact.id,
        number=body["number"],
        site=body["site"],
        status="posted" if posted else "recommended",
        body=body,
        posted_on=body["posted_on"],
        issued_on=body["posted_on"],
        issued_by=None,
        register=None,
        confirmed=None,
        declined=None,
        public_url=public_link(desk, body["number"], body["token"], None if body.get("blank") else body["posted_on"]),
        dates=computed_dates(desk, fact.pack, body["posted_on"], None, body["permit"]) if posted else (),
        mine=True,
    )


def _put_up_here(desk: Desk, order: KnownOrder, posted_on: str) -> KnownOrder:
    changed = {
        "status": "posted",
        "posted_on": posted_on,
        "dates": computed_dates(desk, None, posted_on, order.issued_on, order.body["permit"]),
    }
    return KnownOrder(**{**{name: getattr(order, name) for name in KnownOrder.__slots__}, **changed})


def computed_dates(
    desk: Desk, pack_ref: str | None, posted_on: str, issued_on: str | None, permit: str | None
) -> tuple[dict[str, Any], ...]:
    """The order's legal dates as the tablet computes them, in the form in which the server sends them."""
    derived = derived_dates(desk, pack_ref, posted_on, issued_on, permit)
    return tuple(item.to_wire(desk.law_language) for item in derived)


def derived_dates(
    desk: Desk, pack_ref: str | None, posted_on: str, issued_on: str | None, permit: str | None
) -> tuple[Derived, ...]:
    """The same, which explain themselves in each language. `issued_on` None: posted in the field, which is issuance
    too."""
    return order_dates(
        desk.pack(pack_ref),
        posted_on=date.fromisoformat(posted_on),
        issued_on=date.fromisoformat(issued_on) if issued_on else None,
        permit_in_force=permit_in_force(desk, permit, date.fromisoformat(posted_on)),
    )


def permit_in_force(desk: Desk, permit: str | None, on: date) -> bool:
    """Whether the permit was in force on that day, as far as this tablet knows."""
    doc = desk.store.table("permits").get(permit) if permit else None
    if doc is None or doc["state"] != "in_force":
        return False
    issued, last = doc.get("issued_on"), doc.get("last_valid_day")
    return (not issued or issued <= on.isoformat()) and (not last or on.isoformat() <= last)


def public_link(desk: Desk, number: str, token: str, posted_on: str | None) -> str:
    """What the QR code on the placard holds."""
    return public_order_url(public_base(desk), number, token, posted_on)


def public_base(desk: Desk) -> str:
    """The address under which the city shows its orders to everybody."""
    return (desk.store.table("secrets").get("tablet") or {}).get("public_url") or desk.server


def said_here(desk: Desk, order: KnownOrder) -> tuple[dict[str, Any], ...]:
    """The order's legal dates as the office gave them, worded in the language of the tablet.

    The office words them in English. A date that the tablet computes alike takes the tablet's own words; one that it
    computes otherwise (a stay, a notice it has not heard of) keeps the words of the office: they say why.
    """
    # Issued and not put up yet, one clock runs: it counts from issuing.
    posted = order.posted_on or order.issued_on
    if desk.language == "en" or not posted:
        return order.dates
    try:
        # Posted in the field, which is issuing too, the law's words begin with "posted".
        issued = None if order.body.get("posted_on") else order.issued_on
        computed = computed_dates(desk, None, posted, issued, order.body["permit"])
    except (Problem, CalendarMissing):
        return order.dates
    own = {d["clock"]: d for d in computed}
    days = ("last_day", "eligible_from")
    return tuple(
        own[d["clock"]] if d["clock"] in own and all(own[d["clock"]].get(x) == d.get(x) for x in days) else d
        for d in order.dates
    )


def clock_views(desk: Desk, dates: tuple[dict[str, Any], ...] | list[dict[str, Any]],
                told: dict[str, Any] | None = None) -> tuple[ClockView, ...]:
    """The time limits as they are shown: what may follow, from when on, and how that was counted. `told`: the order's
    document, with the former days where the calendar was corrected."""
    _ = desk.words
    views = []
    for one in dates:
        opens, label = one.get("eligible_from"), step_label(one["clock"], _) or one.get("label") or one["clock"]
        first = _("from {date} on").format(date=desk.date_words(opens)) if opens else ""
        first += former_words(told or {}, one["clock"], _)
        views.append(ClockView(label, one.get("last_day"), opens, one.get("words") or "", first))
    return tuple(views)


def status_words(desk: Desk, order: KnownOrder) -> str:
    """The order's state in one line, with who confirmed or declined it and why."""
    _ = desk.words
    # As the office names it: one that was posted in the field is in force, and the building inspector confirms it yet.
    waits = order.status == "in_force" and not order.confirmed and not (order.told or {}).get("recommended_by")
    parts = [said(ORDER_STATUS, "to_confirm" if waits else order.status, _)]
    if order.register:
        parts.append(_("register number {number}").format(number=order.register))
    if order.posted_on:
        parts.append(_("posted {date}").format(date=desk.date_words(order.posted_on)))
    elif order.issued_on:
        parts.append(_("issued {date}").format(date=desk.date_words(order.issued_on)))
    if order.declined:
        parts.append(
            _("declined by {name}: {reasons}").format(
                name=desk.name_of(order.declined.get("by")), reasons=order.declined.get("reasons", "")
            )
        )
    elif order.ended:
        parts.append(
            _("{date}, {name}: {reasons}").format(
                date=desk.date_words(order.ended.get("on")),
                name=desk.name_of(order.ended.get("by")),
                reasons=order.ended.get("reasons", ""),
            )
        )
        if other := order_by_fact(desk, order.ended.get("replaced_by") or ""):
            parts.append(_("in its place: {number}").format(number=other.number))
    elif order.confirmed:
        parts.append(_("confirmed by {name}").format(name=desk.name_of(order.confirmed.get("by"))))
    since = since_lines(order.told, _, service=True) if order.status in STANDING else []
    return ". ".join(("; ".join(parts), *(line.rstrip(".") for line in since)))


def take_down(order: KnownOrder) -> bool:
    """Whether the placard of this order must come down: it was up, and the order has ended.

    One that counts as a re-post of another order hangs for that order, which stands."""
    up = order.posted_on or order.body.get("posted_on")
    how = (order.ended or {}).get("how")
    return order.status in ENDED and bool(up) and how != "count_as_repost"


def ended_words(desk: Desk, fact: str) -> str:
    """That the order with this fact has no force any more, with who ended it and why, and what to do; "" while it
    stands, as far as this tablet knows."""
    _ = desk.words
    order = order_by_fact(desk, fact)
    if order is None or order.status not in ENDED:
        return ""
    if take_down(order):
        told = _("This order has no force: {words}. Take the placard down.")
    else:
        told = _("This order has no force: {words}.")
    return told.format(words=status_words(desk, order).rstrip("."))


def acts_open(desk: Desk, order: KnownOrder) -> tuple[str, ...]:
    """What this person may do here with the order as this tablet knows it: "repost", "release", "void"."""
    if order.status not in STANDING:
        return ()
    return tuple(act for act, power in ACT_POWERS.items() if desk.may(power) and (act != "repost" or order.posted_on))


def repeat_words(desk: Desk, order: KnownOrder) -> str:
    """Which order of the site had been released when this one began, the last of them; "" when none had."""
    begun = min((day for day in (order.posted_on, order.issued_on) if day), default=None)
    if begun is None or order.status not in STANDING:
        return ""
    released = {one.number: one.ended["on"] for one in all_orders(desk)
                if one.site == order.site and one.status == "released" and one.ended}
    found = repeats(date.fromisoformat(begun), [(number, date.fromisoformat(on)) for number, on in released.items()])
    if not found:
        return ""
    _ = desk.words
    return _("Repeat: {number} was released on {date}. This order has time limits of its own.").format(
        number=found[0], date=desk.date_words(released[found[0]]))


def order_row(desk: Desk, order: KnownOrder) -> OrderRow:
    from field_app.work.order_due import first_due
    from field_app.work.photos_owed import placard_nag, placard_photos

    up = bool(order.posted_on)
    due, due_state = first_due(desk, order)
    return OrderRow(
        number=order.number,
        fact=order.fact,
        status=order.status,
        words=". ".join(part for part in (status_words(desk, order), repeat_words(desk, order).rstrip(".")) if part),
        clocks=clock_views(desk, said_here(desk, order), order.told) if order.status in OPEN else (),
        public_url=order.public_url or public_link(desk, order.number, order.body["token"], order.posted_on),
        can_affix=order.status == "issued" and not up and desk.may("inspect"),
        can_add_photo=up and order.status in OPEN,
        placard=printed_here(desk, order.number),
        take_down=take_down(order),
        acts=acts_open(desk, order),
        nag=placard_nag(desk, order),
        photos=placard_photos(desk, order.number, order.site),
        due=due,
        due_state=due_state,
    )


def printed_here(desk: Desk, number: str) -> str | None:
    """The id of the signed order or putting-up of this number whose placard was printed on this tablet, the newest."""
    def made() -> dict[str, str]:
        docs = [d for d in desk.store.table("order_drafts").all() if d["stage"] == "done" and d["placard"]]
        return {d["number"]: d["id"] for d in sorted(docs, key=lambda d: (d["kind"] == "affix", d["began"]))}

    return order_index.of(desk).kept("printed", desk.session().get("user"), made).get(number)
