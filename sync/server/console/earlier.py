"""The earlier orders of a site on the page of an order: which of them it repeats, and that nothing is carried over."""

from __future__ import annotations

from datetime import date
from typing import Any

from sync.ordinance.repeats import repeats
from sync.server.console import words
from sync.server.console.seat import Seat


def view(seat: Seat, found: dict[str, Any]) -> dict[str, Any]:
    """``rows`` of the orders of the site that ended, ``says`` which of them this one repeats."""
    row, ended = found["row"], found["ended"]
    begun = min((day for day in (row["posted_on"], row["issued_on"]) if day), default=None)
    days = {one["id"]: date.fromisoformat(one["doc"]["released"]["on"]) for one in ended
            if one["status"] == "released"}
    numbers = {one["id"]: one["number"] for one in ended}
    says = [seat._("Repeat: {number} was released on {date}. This order has time limits of its own.").format(
        number=numbers[key], date=seat.day(days[key])) for key in repeats(begun, days.items())]
    return {"rows": [words.order_row(one, seat) for one in ended], "says": says}
