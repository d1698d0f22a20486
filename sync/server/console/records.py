"""What could not be placed, and what was done: the page of records set aside, and the audit log with its check."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from sync.documents.language import counted
from sync.records.problems import Problem
from sync.server.casework import audit, queries
from sync.server.casework.naming import called, person_names, plan_titles, site_addresses
from sync.server.casework.office import kept_records
from sync.server.console import deeds, words
from sync.server.console.conflicts import conflict_views
from sync.server.console.overview import aside_row
from sync.server.console.seat import Seat, natural
from sync.server.console.times import clock_rows, time_remark

PAGE = 100
PLACES = {"order": "orders/{}", "site": "sites/{}", "permit": "permits/{}", "tablet": "tablets/{}/held",
          "plan": "plans/{}"}  # fmt: skip
"""Where the page of an audit entry's subject is."""


def set_aside(seat: Seat, *, wrong: Problem | None = None) -> Response:
    """Open conflicts with their decisions, then the records behind them."""
    _ = seat._
    found = queries.set_aside(seat.city)
    refused = [
        {
            "what": _("Unreadable record"),
            "id": "",
            "why": one["reason_words"],
            "detail": one["detail"],
            "who": _("tablet {tablet}").format(tablet=one["tablet_code"]),
            "when": seat.moment(one["at"]),
        }
        for one in found["refused"]
    ]
    groups = [
        {
            "title": _("In doubt"),
            "says": _("Kept whole, with the reason. They count for nothing until a person decides."),
            "urgent": True,
            "entries": [aside_row(one, seat) for one in found["quarantined"]],
        },
        {
            "title": _("Waiting for something"),
            "says": _("They are worked in by themselves as soon as it is here."),
            "urgent": True,
            "entries": [aside_row(one, seat) for one in found["waiting"]],
        },
        {
            "title": _("Left out"),
            "says": _("A person decided that these do not count. They stay readable."),
            "urgent": False,
            "entries": [aside_row(one, seat) for one in found["left_out"]],
        },
        {
            "title": _("Not readable"),
            "says": _("Of these only this line was kept. The tablet still has the record."),
            "urgent": False,
            "entries": refused,
        },
    ]
    conflicts = conflict_views(seat)
    chosen = seat.form.get("choice", "")
    # What is still open after a refusal is shown with the form as it was filled in. The same choice may be open to
    # several: voiding an order settles all that is the matter with it.
    sent = seat.form.get("conflict", "")
    again = next((one["key"] for one in conflicts if one["key"] == sent), "")
    return seat.page(
        "set_aside.html",
        "/office/set-aside",
        status=wrong.status if wrong else 200,
        groups=groups,
        conflicts=conflicts,
        nothing=not conflicts and not any(group["entries"] for group in groups),
        wrong=words.refusal(wrong),
        wrong_key=again if wrong else "",
        chosen=chosen,
        reasons=seat.form.get("reasons", ""),
    )


def record_page(seat: Seat) -> Response:
    """One record as it came in, whether it counts or not, so that a person can judge it."""
    _ = seat._
    found = kept_records(seat.city, seat.path("id"))
    if not found:
        raise Problem("not-found", "there is no such record")
    states = {
        "applied": (_("worked in"), "good"),
        "waiting": (_("waiting"), "wait"),
        "quarantined": (_("in doubt"), "wait"),
    }
    records = []
    for one in found:
        state, tone = states[one["state"]]
        records.append(
            {
                "kind": deeds.kind_words(one["kind"], _),
                "state": state,
                "tone": tone,
                "why": one["reason_words"],
                "detail": one["detail"] or "",
                "rows": [
                    (_("Signed by"), words.person_words(one["person"], one["person_name"], _)),
                    (_("Tablet"), _("{code}, record {n}").format(code=one["tablet_code"], n=one["counter"])),
                    (_("Received"), seat.moment(one["received_at"])),
                    *clock_rows(one["at"], seat),
                ],
                "remark": time_remark(seat, found[0]["id"]) if one["state"] == "applied" else "",
                "sha256": one["sha256"],
                "body": json.dumps(one["body"], indent=2, ensure_ascii=False),
                "files": one["evidence"],
            }
        )
    return seat.page("record.html", "/office/set-aside", id=found[0]["id"], records=records)


def audit_log(seat: Seat, **checked: Any) -> Response:
    _ = seat._
    asked = seat.asked("before")
    before = None if asked is None else natural(asked, 11)
    if asked is not None and before is None:
        raise Problem("body-malformed", "this is no place in the log", where="before")
    rows = queries.audit_list(seat.city, before=before, limit=PAGE + 1)
    more, rows = len(rows) > PAGE, rows[:PAGE]
    known = _known(seat, rows)
    return seat.page(
        "audit.html",
        "/office/audit",
        **(
            {
                "checked": "",
                "checked_tone": "good",
                "entries": [_entry(row, seat, known) for row in rows],
                "older": f"/office/audit?before={rows[-1]['seq']}" if more else "",
            }
            | checked
        ),
    )


def _known(seat: Seat, rows: list[dict[str, Any]]) -> dict[str, str]:
    """What people call the records, sites and persons that the entries are about."""
    about = {row["subject"].partition(":")[0] for row in rows}
    named = called(seat.city, [row["subject"].partition(":")[2] for row in rows if row["subject"].startswith("fact:")])
    said = {f"fact:{ident}": name for ident, name in named.items()}
    if "plan" in about:
        plans = plan_titles(seat.city, [row["subject"].partition(":")[2] for row in rows])
        said |= {f"plan:{ident}": title for ident, title in plans.items()}
    if "site" in about:
        said |= {f"site:{ident}": address for ident, address in site_addresses(seat.city).items()}
    if "person" in about:
        said |= {f"person:{ident}": name for ident, name in person_names(seat.city).items()}
    return said


def _entry(row: dict[str, Any], seat: Seat, known: dict[str, str]) -> dict[str, Any]:
    _ = seat._
    kind, _sep, ident = row["subject"].partition(":")
    details = row["details"]
    named = details.get("number") or known.get(row["subject"]) or (ident[:12] if kind == "fact" else ident)
    link = f"/office/{PLACES[kind].format(ident)}" if kind in PLACES else ""
    if kind == "fact" and details.get("kind") == "inspection_signed" and row["what"] == "fact_applied":
        link = f"/office/inspections/{ident}"
    if kind == "fact" and "kind" in details:
        named = f"{deeds.kind_words(details['kind'], _)} {named}"
    if kind == "fact" and not link:
        link = f"/office/records/{ident}"
    return {
        "seq": row["seq"],
        "at": seat.moment(row["at"]),
        "who": words.person_words(row["who"], row["who_name"], _),
        "what": deeds.act_words(row["what"], _),
        "subject": named,
        "link": link,
        "details": [(name, _plain(value)) for name, value in sorted(details.items())],
        "hash": row["hash"],
    }


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def check_chain(seat: Seat) -> Response:
    """POST: recompute every seal from the first entry on."""
    _ = seat._
    try:
        count = audit.verify(seat.city)
    except Problem as problem:
        return audit_log(
            seat, checked=_("The chain is broken: {detail}.").format(detail=problem.detail), checked_tone="stop"
        )
    return audit_log(seat, checked=counted(
        count, "The chain is whole: 1 entry.", "The chain is whole: {count} entries, each sealed to the one before.",
        _))
