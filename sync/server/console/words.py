"""What stands on the office's pages, made from casework's documents: rows, tags, dates, photos, acts in words.

Every function takes the documents of `sync.server.casework.queries` and gives plain values for a template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from sync.documents import inspection_words
from sync.documents.evidence import caption_words, far_words, position_words, source_words, taken_words
from sync.documents.language import (
    Translate,
    capital,
    counted,
    date_words,
    moment_words,
    parse_date,
    parse_wall,
    size_words,
)
from sync.documents.order_since import former_words
from sync.documents.order_words import date_lines, due_words, first_words
from sync.records.problems import Problem
from sync.server.casework.people import said_power

if TYPE_CHECKING:
    from sync.server.console.seat import Seat

Doc = dict[str, Any]

# The colour of a tag, by what it means: red must be acted on, amber waits, green is settled, grey is over.
ORDER_TONES = {
    "recommended": "stop",
    "issued": "wait",
    "in_force": "stop",
    "stayed": "stop",
    "released": "good",
    "voided": "mute",
    "refused": "mute",
    "quarantined": "wait",
}
OUTCOME_TONES = {
    "compliant": "good",
    "corrected on site": "good",
    "stop-work posted": "stop",
    "stop-work recommended": "stop",
    "emergency action requested": "stop",
}
SEVERITY_TONES = {"critical": "stop", "major": "wait", "minor": "", "observation": "mute"}


def standing_words(order: Mapping[str, Any], _: Translate) -> str:
    """An order's standing in a few words, for a tag."""
    if order["status"] == "in_force":
        if order["needs_decision"]:
            return _("in force, to be confirmed")
        return _("in force, confirmed") if order["confirmed"] else _("in force")
    if order["status"] == "voided" and not order["declined"]:
        how = (order["doc"].get("void") or {}).get("how", "")
        return {
            "supersede": _("replaced, void"),
            "count_as_repost": _("counts as a re-post of another order"),
            "void": _("void"),
        }.get(how, _("reversed on appeal, void"))
    return {
        "recommended": _("recommended, to be decided"),
        "issued": _("issued, not put up yet"),
        "stayed": _("in force, appeal under way"),
        "released": _("released"),
        "voided": _("declined, void"),
        "refused": _("not issued"),
        "quarantined": _("set aside: number used twice"),
    }.get(order["status"], order["status"])


def order_row(order: Mapping[str, Any], seat: Seat) -> Doc:
    """An order in a list."""
    _ = seat._
    if order["posted_on"]:
        when = _("posted {date}").format(date=seat.day(order["posted_on"]))
    elif order["issued_on"]:
        when = _("issued {date}").format(date=seat.day(order["issued_on"]))
    else:
        when = _("recommended, received {date}").format(date=seat.day(seat.local(order["received_at"]).date()))
    return {
        "id": order["id"],
        "address": order["address"],
        "number": order["number"],
        "when": when,
        "by": order["by_name"],
        "standing": standing_words(order, _),
        "tone": ORDER_TONES.get(order["status"], ""),
    }


def inspection_row(inspection: Mapping[str, Any], seat: Seat) -> Doc:
    """An inspection in a list."""
    _ = seat._
    count = inspection["findings"]
    said = counted(count, "1 finding", "{count} findings", _) if count else _("no findings")
    missing = inspection["files"] - inspection["files_held"]
    if missing:
        here = _("{n} of {all} photos here") if inspection["files"] > 1 else _("its photo is not here yet")
        said += " · " + here.format(n=inspection["files_held"], all=inspection["files"])
    return {
        "id": inspection["id"],
        "address": inspection["address"],
        "when": seat.day(inspection["inspected_on"]),
        "by": inspection["person_name"],
        "superseded": bool(inspection["superseded_by"]),
        "counted": said,
        "outcome": inspection_words.outcome_words(inspection["outcome"], _),
        "tone": OUTCOME_TONES.get(inspection["outcome"], "wait"),
    }


def clock_rows(
    dates: Iterable[Mapping[str, Any]], pack: Any, today: date, _: Translate, language: str = "en"
) -> list[Doc]:
    """Possible steps after an order, each with its first day and whether that day has come."""
    rows = []
    for line in date_lines(dates, pack, _, language):
        opens = line.eligible_from
        rows.append(
            {
                "clock": line.clock,
                "label": line.label,
                "day": opens,
                "date": date_words(opens, _) if opens else "",
                "first": first_words(line, _),
                "last_day": date_words(line.last_day, _) if line.last_day else "",
                "open": opens is not None and opens <= today,
                "cite": line.cite,
                "words": line.words,
            }
        )
    return rows


def with_former(rows: list[Doc], doc: Mapping[str, Any], _: Translate) -> list[Doc]:
    """The steps, each with its former day where the calendar was corrected since."""
    return [{**row, "first": row["first"] + former_words(doc, row["clock"], _)} for row in rows]


def waits_words(order: Mapping[str, Any], _: Translate) -> str:
    """Why no step may be taken although its day has come; empty when nothing holds it back."""
    if order["doc"].get("late"):
        return _("waits: service to be confirmed")
    if order["status"] == "issued":
        return _("waits: to be put up on the site")
    if order["files_held"] < order["files"]:
        return _("waits for photos")
    return ""


def photo_views(
    photos: Iterable[Mapping[str, Any]],
    captions: Mapping[str, str],
    _: Translate,
    *,
    site: Mapping[str, Any],
    pack: Any,
) -> list[Doc]:
    """Photos as the list of pictures needs them."""
    views = []
    for place, photo in enumerate(photos, start=1):
        about = captions.get(photo["sha256"]) or photo.get("name") or _("Photo {n}").format(n=place)
        caption = caption_words(about, photo, _)
        views.append(
            {
                "sha256": photo["sha256"],
                "held": photo["held"],
                "preview": bool(photo.get("preview")),
                "layer": photo.get("layer") if photo["held"] or photo.get("preview") else None,
                "smaller": smaller_view(photo.get("smaller"), _),
                "alt": _("Photo: {caption}").format(caption=caption),
                "caption": caption,
                "taken": taken_words(photo, _),
                "position": position_words(photo, _),
                "source": source_words(photo.get("source", ""), _),
                "far": far_words(photo, site, pack, _),
                "statement": photo.get("statement") or "",
            }
        )
    return views


def signed_rows(body: dict[str, Any], signed: Mapping[str, Any], seat: Seat) -> list[tuple[str, str]]:
    """What was signed in words, where it was, and what was taken off before."""
    said = signed.get("statement")
    return [*([(seat._("Statement"), said)] if said else []), *taken_off_rows(body, seat)]


def taken_off_rows(body: dict[str, Any], seat: Seat) -> list[tuple[str, str]]:
    """What was taken or spoken and taken off again before signing, by the beginning of the fingerprints."""
    _, rows = seat._, []
    for name, label in (("removed_photos", _("Photos taken off before signing")),
                        ("removed_voice_notes", _("Voice notes taken off before signing"))):
        gone = body.get(name) or []
        shown = "; ".join(f"{one['sha256'][:12]}, {moment_words(parse_wall(one['removed_at']), _)}" for one in gone)
        rows += [(label, shown)] if gone else []
    return rows


def smaller_view(smaller: Mapping[str, Any] | None, _: Translate) -> Doc | None:
    """What came instead of an original that is too large, and where that one is; None when nothing did."""
    if smaller is None:
        return None
    said = _("The original ({size}) is too large for the server: it stays on tablet {tablet}. This is a smaller copy.")
    return {"sha256": smaller["sha256"], "fact": smaller["fact"],
            "words": said.format(size=size_words(smaller["size"]), tablet=smaller["tablet"])}


def is_overdue(due: Mapping[str, Any] | None, seat: Seat) -> bool:
    """Whether the minute by which it had to be done (without one: the day) is over; what has no date is never late."""
    now = seat.local(seat.city.now()).strftime("%Y-%m-%dT%H:%M")
    return bool(due) and f"{due['on']}T{due.get('at') or '24:00'}" < now


def finding_view(finding: Mapping[str, Any], pack: Any, names: Mapping[str, str], seat: Seat, *,
                 inspection: Mapping[str, Any] | None = None, still_open: bool = False) -> Doc:
    """A finding as signed, as a row of a table. ``inspection``: the body of the inspection, on whose own page it
    stands. ``still_open``: nobody has put it right since."""
    _ = seat._
    clause = pack.clauses.get(finding["clause"])
    corrected = finding["status"] == "corrected"
    return {
        "title": inspection_words.finding_title(finding, pack, names, seat.language),
        "note": finding["note"],
        "no_photo": inspection_words.no_photo_words(finding, _),
        "since": inspection_words.since_words(finding, inspection, _),
        "cite": _("Clause {cite}").format(cite=clause.cite if clause else finding["clause"]),
        "severity": inspection_words.severity_word(finding["severity"], _),
        "tone": SEVERITY_TONES.get(finding["severity"], ""),
        "changed": inspection_words.changed_words(finding, _),
        "correction": finding["correction"],
        "due": _("corrected on site") if corrected else _("due {when}").format(when=due_words(finding["due"], _)),
        "overdue": still_open and is_overdue(finding["due"], seat),
    }


def absent_words(files: int, held: int, _: Translate, large: int = 0) -> str:
    """A sentence when evidence is still on the tablet; empty when all is here. ``large``: how many files are too large
    for the server."""
    if held >= files:
        return ""
    if files == 1:
        return large_words(1, _) if large else _("Its evidence file is not here yet. The tablet sends it when it can.")
    if not large:
        said = _("{n} of {all} evidence files have arrived. The tablet sends the others when it can.")
    else:
        said = _("{n} of {all} evidence files have arrived.") + " " + large_words(large, _)
        if held + large < files:
            said += " " + _("The tablet sends the others when it can.")
    return said.format(n=held, all=files)


def large_words(count: int, _: Translate) -> str:
    """That so many files are too large for the server."""
    return counted(count, "One is too large for the server: it stays on the tablet.",
                   "{count} are too large for the server: they stay on the tablet.", _)


def too_large(city: Any, fact: Mapping[str, Any], photos: Iterable[Mapping[str, Any]]) -> int:
    """How many of the record's files are not here because they are too large for the server."""
    here = {photo["sha256"] for photo in photos if photo["held"]}
    copied = {photo["sha256"] for photo in photos if photo.get("smaller")}
    return sum(1 for file in fact["evidence"] if file["sha256"] not in here
               and (file["sha256"] in copied or file["size"] > city.evidence_bytes))


def refusal(wrong: Problem | None) -> str:
    """Why something was refused and what to do, as sentences; empty for nothing."""
    return f"{capital(wrong.detail).rstrip('.')}. {wrong.advice.rstrip('.')}." if wrong else ""


def power_words(power: str, seat: Seat) -> str:
    """A power as the ordinance in force calls it, so that office and tablet say the same: "post a stop-work order"."""
    return said_power(seat.pack, power, seat.language)


def powers_today(person: Mapping[str, Any], today: date) -> list[str]:
    """The powers that the person holds on that day."""
    belongs = person["valid_from"] <= today and (person["valid_until"] is None or today <= person["valid_until"])
    if not belongs:
        return []
    return [
        grant["power"]
        for grant in person["powers"]
        if grant["from"] <= today and (grant["until"] is None or today <= grant["until"])
    ]


def person_words(who: str, name: str, _: Translate) -> str:
    """Who acted; the server and its keeper are no persons."""
    return {"server": _("the server"), "keeper": _("the keeper of the server")}.get(who, name)


def wire_day(text: str | None, _: Translate) -> str:
    """A date from the wire in words, empty for none."""
    return date_words(parse_date(text), _) if text else ""


def ago_words(then: datetime | None, now: datetime, _: Translate) -> str:
    """How long ago, in the coarsest unit that helps."""
    if then is None:
        return _("never")
    minutes = int((now - then).total_seconds() // 60)
    if minutes < 1:
        return _("just now")
    if minutes < 60:
        return _("{n} min ago").format(n=minutes)
    if minutes < 48 * 60:
        return _("{n} h ago").format(n=minutes // 60)
    return _("{n} days ago").format(n=minutes // (24 * 60))
