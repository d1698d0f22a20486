"""What changes about a site while an order may stand on it, as forms on its page: a permit granted, the land sold.

Casework checks power, days and names again; a refusal shows the page with the sentence and what was typed.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.records.problems import Problem
from sync.server.casework import ownership, permitting
from sync.server.casework.orders import STANDING
from sync.server.casework.people import DECIDE_APPLICATIONS
from sync.server.console import words
from sync.server.console.seat import Seat

REFUSED = ("reasons-missing", "already-decided", "act-not-open", "body-malformed", "site-malformed")
FIELDS = ("number", "on", "until", "conditions", "after", "reasons", "name", "address", "phone")


def view(seat: Seat, found: dict[str, Any], wrong: Problem | None) -> dict[str, Any]:
    """What the forms need: who may, what is on record, the orders that stand, and what was typed before a refusal."""
    form = {name: seat.form.get(name, "") if wrong else "" for name in FIELDS}
    tried = seat.request.url.path.rpartition("/")[2] if wrong else ""
    return {
        "may_grant": seat.may(DECIDE_APPLICATIONS),
        "may_sell": seat.may(DECIDE_APPLICATIONS) or seat.may_administer,
        "applied": [permit["number"] for permit in found["permits"] if permit["state"] == "applied"],
        "orders": [(row["id"], row["number"]) for row in found["orders"]
                   if row["status"] in STANDING],
        "sales": [{**sale, "on": seat.day(sale["on"])} for sale in ownership.sales(seat.city, found["site"]["id"])],
        "f": form, "blank": dict.fromkeys(FIELDS, ""), "tried": tried,
        "wrong": words.refusal(wrong),
    }


def change(seat: Seat) -> Response:
    """POST /office/sites/{id}/changes/{act}: ``permit``, ``sale`` or ``sale-back``."""
    from sync.server.console.sites import site_page

    site, act, form = seat.path("id"), seat.path("act"), seat.form
    why = form.get("reasons", "")
    try:
        if act == "permit":
            permitting.grant_permit(
                seat.city, seat.who, site, form.get("number", ""), why, on=seat.chosen_day("on"),
                until=seat.chosen_day("until"), conditions=seat.lines("conditions"), after=form.get("after") or None)
        elif act == "sale":
            party = {name: form.get(name, "") for name in ("name", "address", "phone")}
            ownership.record_sale(seat.city, seat.who, site, party, why, on=seat.chosen_day("on"))
        elif act == "sale-back":
            ownership.take_back_sale(seat.city, seat.who, site, why)
        else:
            raise Problem("not-found", "there is no such change")
    except Problem as problem:
        if problem.code in REFUSED:
            return site_page(seat, wrong=problem)
        raise
    return seat.go(f"/office/sites/{site}?done={'permit' if act == 'permit' else 'owner'}")
