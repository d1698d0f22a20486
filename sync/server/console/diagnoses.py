"""What a tablet reported about itself: its own words for whoever repairs it, the newest first."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import Translate
from sync.records.problems import Problem
from sync.records.wire import decode
from sync.server.casework import queries
from sync.server.casework.diagnoses import KEPT, Diagnosis, diagnoses_of
from sync.server.console.seat import Seat


def show(seat: Seat) -> Response:
    """All reports of one tablet that are kept, each with what matters most in front."""
    city, code = seat.city, seat.path("code")
    if all(one["code"] != code for one in queries.tablet_list(city)):
        raise Problem("not-found", "there is no such tablet", where=code)
    return seat.page(
        "tablet_reports.html",
        "/office/tablets",
        code=code,
        most=KEPT,
        reports=[_row(seat, one) for one in diagnoses_of(city, code)],
    )


def _row(seat: Seat, one: Diagnosis) -> dict[str, Any]:
    return {"id": one.id[:16], "at": seat.moment(one.at), "text": one.text, "lines": summary(one.text, seat._)}


def summary(text: str, _: Translate) -> list[tuple[str, str]]:
    """(label, value) of what is asked first. What a report does not have, or has in another shape, is left out."""
    report = decode(text)

    def at(*path: str) -> Any:
        found: Any = report
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def counts(found: Any) -> str:
        return ", ".join(f"{key} {value}" for key, value in found.items()) if isinstance(found, dict) else ""

    lines = [
        (_("Version"), at("app", "version")),
        (_("Runs as"), at("app", "kind")),
        (_("Made at"), at("made")),
        (_("Records"), counts(at("outbox", "records"))),
        (_("Files"), counts(at("outbox", "files"))),
        (_("Error codes"), counts(at("outbox", "errors"))),
        (_("Connection"), at("link", "code") or (_("connected") if at("link", "up") else "")),
        (_("Clock behind the server"), _in(at("clock", "offset_ms"), 1, "ms")),
        (_("Room left"), _in(at("storage", "free"), 1_000_000, "MB")),
    ]
    return [(label, str(value)) for label, value in lines if value not in (None, "", {})]


def _in(found: Any, unit: int, name: str) -> str:
    """A whole number in its unit, "" for anything else."""
    return f"{found // unit} {name}" if isinstance(found, int) and not isinstance(found, bool) else ""
