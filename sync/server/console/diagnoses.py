"""What a tablet reported about itself: its own words for whoever repairs it, the newest first."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import Translate, parse_wall, size_words
from sync.records.problems import CATALOGUE, Problem
from sync.records.wire import decode
from sync.server.casework import queries
from sync.server.casework.diagnoses import KEPT, Diagnosis, diagnoses_of
from sync.server.console.seat import Seat
from sync.server.console.times import off_words


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
    return {"id": one.id[:16], "at": seat.moment(one.at), "text": one.text, "lines": summary(one.text, seat)}


def summary(text: str, seat: Seat) -> list[tuple[str, str]]:
    """(label, value) of what is asked first, in people's units. What a report does not have, or has in another shape,
    is left out."""
    _, report = seat._, decode(text)

    def at(*path: str) -> Any:
        found: Any = report
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    lines = [
        (_("Version"), at("app", "version")),
        (_("Runs as"), kind_words(at("app", "kind"), _)),
        (_("Made"), _moment(at("made"), seat)),
        (_("Records"), _counts(at("outbox", "records"), _)),
        (_("Files"), _counts(at("outbox", "files"), _)),
        (_("What went wrong"), _errors(at("outbox", "errors"), _)),
        (_("Connection"), _error(at("link", "code"), _) or (_("connected") if at("link", "up") else "")),
        (_("Its clock"), off_words(off, _) if _whole(off := at("clock", "offset_ms")) else ""),
        (_("Room left"), size_words(free) if _whole(free := at("storage", "free")) else ""),
    ]
    return [(label, str(value)) for label, value in lines if value not in (None, "", {})]


def kind_words(kind: Any, _: Translate) -> Any:
    """As what the tablet app runs."""
    return {"browser": _("web app"), "native": _("installed app")}.get(kind, kind) if isinstance(kind, str) else kind


def _whole(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool)


def _moment(found: Any, seat: Seat) -> str:
    """A time of the report in the city's zone; as it stands where it is none."""
    try:
        return seat.moment(parse_wall(found)) if isinstance(found, str) else ""
    except ValueError:
        return str(found)


def _counts(found: Any, _: Translate) -> str:
    """How many of the tablet's items stand how."""
    said = {"safe": _("safe on the server"), "waiting": _("waiting"), "sending": _("being sent"),
            "received": _("received"), "parked": _("set aside"), "held": _("held back")}
    if not isinstance(found, dict):
        return ""
    return ", ".join(f"{value} {said.get(key, key)}" for key, value in found.items())


def _error(code: Any, _: Translate) -> str:
    """A code of ours in words; the tablet's own about its connection are in no catalogue of the server."""
    said = {"offline": _("none"), "wifi-login": _("a Wi-Fi that wants a log-in first"),
            "time-out": _("no answer in time"), "connection-cut": _("cut off"),
            "wrong-server": _("something else answered than this server"),
            "insecure": _("not secure: the certificate does not fit, or the tablet's date is wrong")}.get(code)
    return said or (_(CATALOGUE[code].title) if code in CATALOGUE else str(code or ""))


def _errors(found: Any, _: Translate) -> str:
    """Each error in words with its code, for whoever looks it up, and how often."""
    if not isinstance(found, dict):
        return ""
    return "\n".join(f"{value} × {_error(code, _)}" + (f" ({code})" if code in CATALOGUE else "")
                     for code, value in found.items())
