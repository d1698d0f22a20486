"""A revision of a plan begun in the office: the form on a site, and ordering it. `site_acts` shows what stands."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import capital
from sync.records.problems import Problem
from sync.records.shapes import clock_time
from sync.server.casework import queries
from sync.server.casework.office import pack_of
from sync.server.casework.people import REVISE
from sync.server.casework.revising import order_revision
from sync.server.console import words
from sync.server.console.seat import Seat

ROWS = 6
NOON = "12:00"


def form_page(seat: Seat, *, wrong: Problem | None = None, where: str = "") -> Response:
    """The form; after a refusal with what was typed, the sentence that says what is wrong, and ``where``: its field."""
    _, city = seat._, seat.city
    found = queries.site_page(city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such site")
    pack = pack_of(city)
    clause = pack.clauses[pack.duties["order_revision"].clause]
    fields = seat.form or {"found_on": city.today().isoformat(),
                           "permit": next((one["id"] for one in found["permits"] if one["state"] == "in_force"), "")}
    return seat.page(
        "revision.html",
        "/office/sites",
        status=wrong.status if wrong else 200,
        wrong=f"{capital(wrong.detail).rstrip('.')}." if wrong else "",
        wrong_where=where,
        site=found["site"],
        permits=[(one["id"], one["number"]) for one in found["permits"]],
        f=fields,
        rows=range(1, ROWS + 1),
        clause=clause.cite,
        today=city.today().isoformat(),
        allowed=seat.may(REVISE),
        power=words.power_words(REVISE, seat),
    )


def order(seat: Seat) -> Response:
    """POST: orders it, and shows it; a mistake in the form shows the form again, with its field marked."""
    lines: dict[int, dict[str, Any]] = {}
    try:
        found_on, lines = seat.day_needed("found_on"), _lines(seat)
        ident = order_revision(
            seat.city, seat.who, seat.path("id"), found_on=found_on,
            conditions=seat.form.get("conditions", ""), inadequate=seat.form.get("inadequate", ""),
            permit=seat.form.get("permit") or None, devices=list(lines.values()))  # fmt: skip
    except Problem as problem:
        if problem.code != "body-malformed":
            raise
        name, _dot, n = problem.where.partition(".")
        line = list(lines)[int(n)] if name == "devices" and n else 1
        return form_page(seat, wrong=problem, where=f"device.{line}" if name == "devices" else problem.where)
    return seat.go(f"/office/site-acts/{ident}?done=revision")


def _lines(seat: Seat) -> dict[int, dict[str, Any]]:
    """The lines that were filled in, by their place. Each needs its day; without a time it is due at noon."""
    _, found = seat._, {}
    for n in range(1, ROWS + 1):
        text = seat.form.get(f"device.{n}", "").strip()
        if not text:
            continue
        if not seat.form.get(f"on.{n}", "").strip():
            raise Problem("body-malformed", _("Choose the day by which it must be installed: {what}").format(what=text),
                          where=f"on.{n}")
        found[n] = {"text": text, "due": {"on": seat.day_needed(f"on.{n}").isoformat(), "at": _time(seat, f"at.{n}")}}
    return found


def _time(seat: Seat, name: str) -> str:
    at = seat.form.get(name, "").strip() or NOON
    try:
        clock_time(at, name)
    except Problem:
        raise Problem("body-malformed", seat._("Choose a time."), where=name) from None
    return at
