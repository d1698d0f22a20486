"""Sites: the list with a search, and one site with permits, open findings, inspections and orders."""

from __future__ import annotations

import unicodedata
from datetime import date
from typing import Any

from starlette.responses import Response

from sync.documents.inspection_words import severity_word
from sync.documents.language import Translate, counted
from sync.documents.order_words import due_words
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.people import REVISE
from sync.server.console import finds, plans, site_acts, site_changes, site_edit, words
from sync.server.console.seat import Seat

Doc = dict[str, Any]


def fold(text: str) -> str:
    """Text as it is compared in a search: no accents, no case."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()


def _matches(site: Doc, wanted: str) -> bool:
    roles = ("permittee", "landowner", "land_user", "contractor")
    parties = [(site.get(role) or {}).get("name") or "" for role in roles]
    permits = [permit["number"] for permit in site["permits"]]
    return fold(wanted) in fold(" ".join([site["name"], site["address"], site["parcel"], *parties, *permits]))


def site_list(seat: Seat) -> Response:
    _ = seat._
    asked = (seat.asked("q") or "").strip()
    sites = [site for site in queries.site_list(seat.city) if _matches(site, asked)]
    return seat.page(
        "sites.html",
        "/office/sites",
        asked=asked,
        waiting=finds.waiting(seat),
        revisions=site_acts.rows_of(seat, waiting=True),
        counted=counted(len(sites), "1 site", "{count} sites", _),
        sites=[
            {
                "id": site["id"],
                "address": site["address"],
                "name": site["name"],
                "permits": ", ".join(_permit(permit, seat)["said"] for permit in site["permits"]) or _("no permit"),
                "open": site["open_findings"],
                "found": (site.get("reported") or {}).get("state") == "reported",
                "moved": bool(site.get("same_as")),
                "orders": site["orders_in_force"],
            }
            for site in sites
        ],
    )


def permit_state(permit: Doc, today: date) -> str:
    """As of that day: one whose last valid day has passed has expired."""
    last = date.fromisoformat(permit["last_valid_day"]) if permit.get("last_valid_day") else None
    return "expired" if permit["state"] == "in_force" and last is not None and last < today else permit["state"]


def state_words(state: str, _: Translate) -> str:
    """The state of a permit in words."""
    return {"applied": _("applied for"), "in_force": _("in force"), "expired": _("expired"), "revoked": _("revoked"),
            "denied": _("denied")}.get(state, state)


def _permit(permit: Doc, seat: Seat) -> Doc:
    """A permit in words, as of today: one whose last valid day has passed is said to have expired."""
    _ = seat._
    state = permit_state(permit, seat.city.today())
    tone = {"applied": "wait", "in_force": "good", "revoked": "stop"}.get(state, "mute")
    said = state_words(state, _)
    return {
        "id": permit["id"],
        "number": permit["number"],
        "state": said,
        "tone": tone,
        "said": f"{permit['number']} {said}",
        "issued": words.wire_day(permit.get("issued_on"), _),
        "last": words.wire_day(permit.get("last_valid_day"), _),
        "conditions": [condition["text"] for condition in permit["conditions"]],
    }


def site_page(seat: Seat, *, wrong: Problem | None = None) -> Response:
    _ = seat._
    found = queries.site_page(seat.city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such site")
    site = found["site"]
    places = {one["id"]: ", ".join(part for part in (one["label"], one.get("place")) if part)
              for one in found["inlets"] + found["devices"]}
    return seat.page(
        "site.html",
        "/office/sites",
        status=wrong.status if wrong else 200,
        changes=site_changes.view(seat, found, wrong),
        site=site,
        permits=[_permit(permit, seat) for permit in found["permits"]],
        findings=[
            {
                "title": one["title"],
                "where": places.get((one.get("subject") or {}).get("id", ""), ""),
                "note": one["note"],
                "severity": severity_word(one["severity"], _),
                "tone": words.SEVERITY_TONES.get(one["severity"], ""),
                "found": words.wire_day(one["found_on"], _),
                "due": due_words(one["due"], _),
                "overdue": words.is_overdue(one["due"], seat),
                "inspection": one["inspection"],
            }
            for one in found["findings"]
            if one["status"] == "open"
        ],
        places=[(one["label"], one.get("place") or "") for one in found["inlets"] + found["devices"]],
        inspections=[words.inspection_row(row, seat) for row in found["inspections"]],
        orders=[words.order_row(row, seat) for row in found["orders"]],
        found=finds.of_site(seat, site),
        acts=site_acts.rows_of(seat, site["id"]),
        plans=plans.plan_rows(seat, site["id"]),
        plan_kinds=plans.kinds(_),
        permit_choices=[(permit["id"], permit["number"]) for permit in found["permits"]],
        may_keep=plans.may_keep(seat),
        more=site_edit.summary(seat, site),
        may_change=site_edit.may_change(seat),
        may_revise=seat.may(REVISE),
        stopped=any(row["status"] in ("in_force", "stayed") for row in found["orders"]),
    )
