"""Inspections: the list, and one as signed, with photos, answers, findings and the orders that rest on it."""

from __future__ import annotations

from datetime import date
from typing import Any

from starlette.responses import Response

from sync.documents import inspection_words as say
from sync.documents.language import date_words, moment_words, parse_date, parse_wall
from sync.documents.site_papers import approval_words
from sync.documents.spoken import spoken
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.inspections import finding_ids
from sync.server.casework.office import pack_of
from sync.server.casework.people import CONFIRM
from sync.server.casework.site_acts import approver_known
from sync.server.console import words
from sync.server.console.evidence import subjects_of, with_held
from sync.server.console.seat import Seat
from sync.server.console.times import doubt_rows, is_open, time_remark
from sync.server.console.visits import visit

PAGE = 50


def inspection_list(seat: Seat) -> Response:
    _ = seat._
    before = _cursor(seat.asked("before"))
    rows = queries.inspection_list(seat.city, before=before, limit=PAGE + 1)
    more, rows = len(rows) > PAGE, rows[:PAGE]
    older = f"/office/inspections?before={rows[-1]['inspected_on']}.{rows[-1]['id']}" if more else ""
    return seat.page(
        "inspections.html",
        "/office/inspections",
        counted=_("Newest first."),
        inspections=[words.inspection_row(row, seat) for row in rows],
        older=older,
    )


def _cursor(text: str | None) -> tuple[date, str] | None:
    """Where a list goes on: "2026-08-27.<id>". Raises Problem "body-malformed"."""
    if text is None:
        return None
    day, _, ident = text.partition(".")
    try:
        return date.fromisoformat(day), ident
    except ValueError as err:
        raise Problem("body-malformed", "this is no place in the list", where="before") from err


def inspection_page(seat: Seat) -> Response:
    _, city = seat._, seat.city
    found = queries.inspection_page(city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such inspection")
    row, body, fact = found["row"], found["body"], found["fact"]
    pack = pack_of(city, fact["pack"])
    names = subjects_of(found)
    undone = {one["id"] for one in found["findings"] if one["status"] == "open"}
    captions = say.photo_captions(body, pack, names, seat.language)
    photos = words.photo_views(found["photos"] + found["added"], captions, _, site=found["site"], pack=pack)
    return seat.page(
        "inspection.html",
        "/office/inspections",
        id=row["id"],
        site=found["site"],
        when=date_words(parse_date(body["inspected_on"]), _),
        signed=body["signed"],
        superseded_by=row["superseded_by"],
        revises=_revised(fact),
        absent=words.absent_words(row["files"], row["files_held"], _, words.too_large(city, fact, found["photos"])),
        findings=[words.finding_view(one, pack, names, seat, inspection=body, still_open=ident in undone)
                  for one, ident in zip(body["findings"], finding_ids(row["root"], body["findings"]), strict=True)],
        photos=photos,
        spoken=with_held(seat, spoken(body, pack, names, seat.language, seat._)),
        visit=visit(body, pack, names, seat.language, _),
        groups=[
            {
                "title": title,
                "answers": [
                    {
                        "question": say.question_words(answer, pack, names, seat.language),
                        "answer": say.answer_words(answer["answer"], pack, answer["item"], seat.language, _),
                        "note": answer["note"],
                    }
                    for answer in answers
                ],
            }
            for title, answers in say.topic_groups(body["answers"], pack, seat.language, _)
        ],
        outcome=say.outcome_words(row["outcome"], _),
        tone=words.OUTCOME_TONES.get(row["outcome"], "wait"),
        sha256=fact["sha256"],
        rows=[
            (_("From"), moment_words(parse_wall(body["began"]), _)),
            (_("To"), moment_words(parse_wall(body["ended"]), _)),
            (_("Kind"), say.type_words(body["type"], _)),
            (_("Basis of entry"), say.entry_words(body["basis_of_entry"], _, body.get("entry_note") or "")),
            *_approval(body, seat),
            (_("Weather"), say.weather_words(body["weather"], _, body.get("sky") or "")),
            (_("Permit"), _permit(body["permit"], found["permits"]) or _("none")),
            (_("Credential"), body["signed"]["credential_no"] or _("none recorded")),
            (_("Statement"), body["signed"]["statement"]),
            *words.taken_off_rows(body, seat),
            (_("Tablet"), _("{code}, record {n}").format(code=fact["tablet_code"], n=fact["counter"])),
            (_("Received"), seat.moment(row["received_at"])),
            *doubt_rows(seat, row["id"]),
        ],
        clock_says=time_remark(seat, row["id"]),
        clock_open=seat.may(CONFIRM) and is_open(seat, row["id"]),
        orders=[words.order_row(order, seat) for order in found["orders"]],
    )


def _revised(fact: dict[str, Any]) -> str | None:
    from sync.records.facts import parse

    return parse(fact["text"]).revises


def _permit(ident: str | None, permits: list[dict[str, Any]]) -> str:
    return next((permit["number"] for permit in permits if permit["id"] == ident), "")


def _approval(body: dict[str, Any], seat: Seat) -> list[tuple[str, str]]:
    """Who approved an entry in an emergency, and whether that person held the power to."""
    approval = body.get("entry_approval")
    if approval is None:
        return []
    said = approval_words(approval, seat._)
    if not approver_known(seat.city, approval):
        said += "\n" + seat._("Who approved the entry is not known to have held the power to on that day.")
    return [(seat._("Entry approved"), said)]
