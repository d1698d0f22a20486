"""Which sites one tablet sees, and who may sign on it."""

from __future__ import annotations

from starlette.responses import Response

from sync.records.problems import Problem
from sync.server.casework import scope, standings
from sync.server.casework.feed import ASSIGNED
from sync.server.casework.meanwhile import seen_as
from sync.server.console.seat import Seat


def show(seat: Seat) -> Response:
    """GET: the choice as it stands."""
    found = scope.sight_of(seat.city, seat.path("code"))
    if found is None:
        raise Problem("not-found", "there is no such tablet")
    now = scope.choice_of(found["sees"], [one["id"] for one in found["sites"] if one["chosen"]])
    return seat.page("tablet_sees.html", "/office/tablets", code=seat.path("code"), seen=seen_as(now), **found)


def save(seat: Seat) -> Response:
    """POST: the tablet sees all sites, or the chosen ones and those of its people."""
    chosen = [name.removeprefix("site.") for name in seat.form if name.startswith("site.")]
    sees = seat.form.get("sees", "")
    scope.set_sites(seat.city, seat.who, seat.path("code"), sees, chosen if sees == ASSIGNED else (),
                    seen=seat.form.get("seen", ""))
    return seat.go(f"/office/tablets/{seat.path('code')}/sees?done=sees")


def end_sign_in(seat: Seat) -> Response:
    """POST: the person signs nothing more on this tablet."""
    standings.end_credential(seat.city, seat.who, seat.path("code"), seat.path("person"), seat.form.get("reasons", ""))
    return seat.go(f"/office/tablets/{seat.path('code')}/sees?done=signed-out-there")
