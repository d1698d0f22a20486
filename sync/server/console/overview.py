"""The first page: what waits for a person, which clocks run, what came in, which tablets are heard from."""

from __future__ import annotations

from datetime import date

from starlette.responses import Response

from sync.server.casework import queries
from sync.server.casework.office import pack_of
from sync.server.console import deeds, finds, site_acts, words
from sync.server.console.seat import Seat
from sync.server.console.words import ago_words

SHOWN = 6


def overview(seat: Seat) -> Response:
    _, city = seat._, seat.city
    desk = queries.desk(city)
    clocks = []
    for order in desk["in_force"] + desk["issued"]:
        pack = pack_of(city, order["doc"]["pack"])
        for clock in words.clock_rows(order["dates"], pack, desk["today"], _):
            clocks.append(
                clock
                | {
                    "order": order["id"],
                    "address": order["address"],
                    "number": order["number"],
                    "waits": words.waits_words(order, _),
                }
            )
    clocks.sort(key=lambda clock: (clock["day"] or date.max, clock["number"], clock["clock"]))
    found = queries.set_aside(city)
    aside = [aside_row(one, seat) for one in (found["quarantined"] + found["waiting"])[:SHOWN]]
    tablets = [
        {
            "code": tablet["code"],
            "note": ", ".join(tablet["people"]),
            "seen": _("last contact: {when}").format(when=ago_words(tablet["seen_at"], city.now(), _)),
            "withdrawn": tablet["status"] != "active",
        }
        for tablet in queries.tablet_list(city)
    ]
    return seat.page(
        "overview.html",
        "/office/",
        today=seat.day(desk["today"]),
        waiting=[words.order_row(order, seat) for order in desk["to_decide"]],
        clocks=clocks,
        inspections=[words.inspection_row(one, seat) for one in queries.inspection_list(city, limit=SHOWN)],
        aside=aside,
        found=finds.waiting(seat),
        revisions=site_acts.rows_of(seat, waiting=True),
        tablets=tablets,
    )


def aside_row(one: dict, seat: Seat) -> dict:
    """A record that could not be placed, as a row."""
    _ = seat._
    name = words.person_words(one["person"], one["person_name"], _)
    return {
        "what": deeds.kind_words(one["kind"], _),
        "id": one["fact"],
        "link": f"/office/orders/{one['fact']}" if one["kind"] == "order" else f"/office/records/{one['fact']}",
        "why": one["reason_words"],
        "detail": one["detail"] or "",
        "who": _("{name}, tablet {tablet}").format(name=name or _("unknown person"), tablet=one["tablet_code"]),
        "when": seat.moment(one["received_at"]),
    }
