"""What may be done in the field with an order that exists: release it, put its placard up again, void it.

Each is one fact, signed with the PIN in one store change, and may be done with no network: the order need not have
reached the office yet. The order's own number stays as it is; a release has a number of its own in the office.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work import order_index, pins
from field_app.work.orders_known import (
    ACT_POWERS,
    STANDING,
    KnownOrder,
    acts_open,
    all_orders,
    order_by_fact,
    order_row,
    status_words,
)
from field_app.work.photo_keeping import where
from field_app.work.sealing import seal, signer
from field_app.work.views import Choice, OrderActView, OrderRow
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

LONGEST = 4_000
POSITION_S = 3.0
"""So long a signature waits for a position; the screen has asked for one since it was opened."""


def view(desk: Desk, fact: str, act: str, other: str = "", part: str = "") -> OrderActView:
    """The form for one act, as it is filled in: ``other``, the order (id) that takes its place; ``part``, what alone is
    released. What is signed says both. Problem "order-not-open" for an order or an act that there is not."""
    order = order_by_fact(desk, fact)
    if order is None or act not in ACT_POWERS:
        raise Problem("order-not-open", "this tablet does not know this order", where=fact)
    _ = desk.words
    site = desk.store.table("sites").get(order.site) or {}
    title, says, label, fields = {
        "repost": (_("Put up again"), _("The same placard, after it was lost or torn down. No date moves."),
                   _("Why it had to be put up again"), ("place", "reasons")),
        "release": (_("Release the order"), _("A release ends the order. Taking the placard down is not a release."),
                    _("Why the order is released"), ("part", "reasons")),
        "void": (_("Void the order"),
                 _("A void order has no force and its number stays used. A replacing order has a number and time "
                   "limits of its own."), _("Why the order is void"), ("reasons",)),
    }[act]
    others = tuple(Choice(one.fact, one.number) for one in all_orders(desk)
                   if one.fact != fact and one.status in STANDING and one.site == order.site) if act == "void" else ()
    statement = {
        "repost": _("I, {name}, put the placard of stop-work order {number} up again."),
        "release": _("I, {name}, release stop-work order {number}."),
        "void": _("I, {name}, declare stop-work order {number} void."),
    }[act].format(name=signer(desk)["name"], number=order.number)
    numbers = {one.value: one.words for one in others}
    if act == "void" and other in numbers:
        statement += " " + _("Stop-work order {number} takes its place.").format(number=numbers[other])
    elif act == "release" and part.strip():
        statement += " " + _("Only this part of it: {part}.").format(part=part.strip().rstrip("."))
    return OrderActView(
        act=act, fact=fact, number=order.number, site=order.site, site_name=site.get("name", ""),
        words=status_words(desk, order), title=title, says=says, reasons_label=label, fields=fields,
        others=(Choice("", _("No other order")), *others) if others else (), statement=statement,
        pin_wait=pins.seconds_left(desk),
        refused="" if act in acts_open(desk, order) else _("This can no longer be done with this order."),
    )


async def release(desk: Desk, fact: str, reasons: str, pin: str, part: str = "") -> OrderRow:
    """Release the order, or the part of it that is named."""
    order = _order(desk, fact, "release", reasons, part)
    now = desk.wall()
    body = {
        "scope": "part" if part.strip() else "whole",
        "part": part.strip() or None,
        "released_on": now[:10],
        "released_at": now,
        "reasons": reasons.strip(),
        "signed": signer(desk),
    }
    return await _sign(desk, order, "order_released", body, pin)


async def repost(desk: Desk, fact: str, place: str, why: str, pin: str) -> OrderRow:
    """The same placard is up again."""
    order = _order(desk, fact, "repost", why, place)
    if not order.posted_on:
        raise Problem("order-not-open", "the order was never up; put it up as issued", where=order.number)
    now = desk.wall()
    body = {"posted_on": now[:10], "posted_at": now, "place": place.strip(), "why": why.strip(),
            **where(desk, await desk.locating.soon(POSITION_S))}
    return await _sign(desk, order, "placard_reposted", body, pin)


async def void(desk: Desk, fact: str, reasons: str, pin: str, replaced_by: str | None = None) -> OrderRow:
    """Void the order; `replaced_by` is the id of the order that takes its place."""
    order = _order(desk, fact, "void", reasons)
    if replaced_by is not None and (replaced_by == fact or replaced_by not in {one.fact for one in all_orders(desk)}):
        raise Problem("order-not-open", "the replacing order is not known on this tablet", where=replaced_by)
    body = {
        "voided_on": desk.today().isoformat(),
        "reasons": reasons.strip(),
        "replaced_by": replaced_by,
        "signed": signer(desk),
    }
    return await _sign(desk, order, "order_voided", body, pin)


def _order(desk: Desk, fact: str, act: str, *texts: str) -> KnownOrder:
    """The order, once person, reasons and its state as known here allow the act. `texts`: the reasons first."""
    order, power = order_by_fact(desk, fact), ACT_POWERS[act]
    if order is None or order.status not in STANDING:
        raise Problem("order-not-open", "this order does not stand, as far as this tablet knows", where=fact)
    if not desk.may(power):
        raise Problem("no-authority", f'you do not hold the power "{power.replace("_", " ")}" today')
    if not texts[0].strip():
        raise Problem("reasons-missing", where="reasons")
    if any(len(text) > LONGEST for text in texts):
        raise Problem("text-too-long", f"at most {LONGEST} characters fit here")
    return order


async def _sign(desk: Desk, order: KnownOrder, kind: str, body: dict[str, Any], pin: str) -> OrderRow:
    await pins.verify(desk, pin)
    made = desk.new_id()
    async with desk.store.change() as tx:
        # A second tap while the first was being signed finds the order ended.
        standing = order_by_fact(desk, order.fact)
        if standing is None or standing.status not in STANDING:
            raise Problem("order-not-open", where=order.number)
        # Two taps within one second are one re-post.
        if kind == "placard_reposted" and _same(desk, kind, order.fact, body):
            return order_row(desk, standing)
        seal(
            desk,
            tx,
            kind,
            {"number": order.number, "order": order.fact, **body},
            fact=made,
            pack=desk.pack().ref,
            needs=[order.fact],
        )
    return order_row(desk, order_by_fact(desk, order.fact) or order)


def _same(desk: Desk, kind: str, order: str, body: dict[str, Any]) -> bool:
    for row in order_index.of(desk).rows(kind):
        signed = desk.fact(row).body
        if signed["order"] == order and {**signed, **body} == signed:
            return True
    return False
