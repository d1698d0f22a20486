"""A stop-work order on a site on which one stands, or is recommended: what is said first, what the choice must name.

An order that stands is not added to: its placard can be put up again, findings and photos are filed beside it, and
whatever changes its words is a replacing order. A second order is written only by a choice with a reason, which goes
into its record: the office sees both orders and decides (docs/conflicts.md, "Two orders on one site").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work.orders_known import ACT_POWERS, STANDING, KnownOrder, all_orders, order_row
from field_app.work.sites import site_doc
from field_app.work.views import Choice, SecondOrderView
from sync.records.problems import Problem

if TYPE_CHECKING:
    from field_app.work.desk import Desk

BESIDE = "beside"
RECOMMENDED = "recommended"
LONGEST = 4_000


def standing(desk: Desk, site: str) -> list[KnownOrder]:
    """The orders that stand on the site, as far as this tablet knows; the newest number last."""
    return [order for order in all_orders(desk) if order.site == site and order.status in STANDING]


def there(desk: Desk, site: str) -> list[KnownOrder]:
    """Those that stand, and those that somebody recommended and the office has not decided on."""
    return [order for order in all_orders(desk) if order.site == site and order.status in (*STANDING, RECOMMENDED)]


def rested_on(desk: Desk, site: str) -> dict[str, str]:
    """The inspections of the site on which an order that stands rests, each with the number of that order."""
    return {found["fact"]: order.number for order in standing(desk, site) for found in order.body.get("findings") or ()}


def view(desk: Desk, site: str) -> SecondOrderView:
    """The screen before a second order. Problem "site-unknown"."""
    _, orders = desk.words, there(desk, site)
    place = site_doc(desk, site)
    stands = any(order.status != RECOMMENDED for order in orders)
    new = _("The new order has a number and time limits of its own, from the day it goes up. The earlier one stands "
            "until it is voided.")
    asked = _("It is only recommended and becomes an order when the office issues it. The office reads on your order "
              "that it is to take its place.")
    voids = (_("You can void it once the new one is signed.") if desk.may(ACT_POWERS["void"])
             else _("Only a person with the power to void orders can do that; the office is told."))
    return SecondOrderView(
        site=site,
        site_name=place["name"],
        address=place["address"],
        orders=tuple(order_row(desk, order) for order in orders),
        choices=(Choice(BESIDE, _("Other grounds, or another part of the site")),
                 *(Choice(order.fact, _("In place of {number}").format(number=order.number)) for order in orders)),
        says={BESIDE: _("Both orders stand, each under its number and with time limits of its own. The office is asked "
                        "whether both stay.") if stands else
              _("The office decides on the recommendation. If it issues that order, both stand, each under its "
                "number."),
              **{order.fact: asked if order.status == RECOMMENDED else f"{new} {voids}" for order in orders}},
        may_post=desk.may("post"),
        title=_("An order stands here already") if stands or not orders else _("An order is recommended here already"),
    )


def choice(desk: Desk, site: str, how: str, reason: str) -> dict[str, Any] | None:
    """What goes into the record of an order on this site; None where there is no other one.

    Problem "order-stands" without a choice, "choice-unknown", "reasons-missing", "text-too-long"."""
    orders = there(desk, site)
    if not orders:
        return None
    if not how:
        raise Problem("order-stands", where=orders[-1].number)
    if how != BESIDE and how not in {order.fact for order in orders}:
        raise Problem("choice-unknown", "this order does not stand on the site", where="replaces")
    if not reason.strip():
        raise Problem("reasons-missing", "say why a second order is needed", where="reason")
    if len(reason) > LONGEST:
        raise Problem("text-too-long", f"at most {LONGEST} characters fit here", where="reason")
    return {"orders": [order.fact for order in orders], "replaces": None if how == BESIDE else how,
            "reason": reason.strip()}


def lines(desk: Desk, doc: dict[str, Any]) -> tuple[str, ...]:
    """What an order being written says of the others on its site: why it is beside them, and those that it does not
    know of because they came meanwhile."""
    _, beside = desk.words, doc.get("beside") or {}
    numbers = {order.fact: order.number for order in all_orders(desk)}
    found = []
    if replaced := numbers.get(beside.get("replaces") or ""):
        found.append(_("In place of {number}: {reason}").format(number=replaced, reason=beside["reason"]))
    elif beside:
        both = ", ".join(numbers[fact] for fact in beside["orders"] if fact in numbers)
        found.append(_("Beside {number}: {reason}").format(number=both, reason=beside["reason"]))
    known = {*beside.get("orders", ()), doc["fact"]}
    found += [_("{number} stands on this site as well; this order does not name it.").format(number=order.number)
              for order in standing(desk, doc["site"]) if order.fact not in known and doc["stage"] != "done"]
    return tuple(found)
