"""What inspectors found in the field: sites that nobody knew, with the answer whether they need a permit; and rain.

A part of the page of a site, a page of the rain, and the two decisions about a site: it is one of ours now, or it is
one that we had.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import distance_words, parse_wall, period_words
from sync.documents.spoken import spoken_beside
from sync.ordinance.asking import AnswerUnreadable, need_of, questions
from sync.ordinance.need import say_need
from sync.records.problems import Problem
from sync.server.casework.finds import confirm_site, open_reports, rain_rows, same_site, site_finds
from sync.server.casework.naming import person_names, site_addresses
from sync.server.casework.office import pack_of
from sync.server.casework.people import CONFIRM
from sync.server.console import words
from sync.server.console.evidence import with_held
from sync.server.console.seat import Seat

Doc = dict[str, Any]


def of_site(seat: Seat, site: Doc) -> Doc:
    """The part of the site's page: reports with their answers and photos, rain, what may be decided."""
    _ = seat._
    found = site_finds(seat.city, site["id"])
    told = site.get("reported") or {}
    state = {
        "reported": (_("found in the field, not confirmed yet"), "wait"),
        "confirmed": (_("found in the field, confirmed"), "good"),
        "duplicate": (_("the same as another site"), "mute"),
    }.get(told.get("state", ""))
    return {
        "state": state,
        "same_as": site.get("same_as"),
        "reports": [_report(seat, site, one) for one in found["reports"]],
        "rains": [_rain(seat, one) for one in found["rains"]],
        "may": seat.may(CONFIRM) and told.get("state") in ("reported", "confirmed"),
        "may_confirm": seat.may(CONFIRM) and told.get("state") == "reported",
        "others": [(one["id"], _other(seat, one)) for one in found["others"]],
    }


def _other(seat: Seat, one: Doc) -> str:
    away = ""
    if one["metres"] is not None:
        away = seat._(", {distance} away").format(distance=distance_words(one["metres"], seat._))
    return f"{one['address']} ({one['name']}){away}"


def _report(seat: Seat, site: Doc, one: Doc) -> Doc:
    _, body = seat._, one["body"]
    position = body["position"]
    pack, answers, said = None, [], ""
    try:
        pack = pack_of(seat.city, one["pack"])
        if body["need"]:
            made = need_of(pack, body["answers"])
            said = say_need(made, seat.language)
            if made.result != body["need"]["result"]:
                said = f"{said} {_('The tablet came to another answer: look at the record.')}"
        answers = _answers(seat, pack, body["answers"])
    except (Problem, AnswerUnreadable):
        said = (body["need"] or {}).get("result", "").replace("_", " ")
    return {
        "fact": one["fact"],
        "who": _("{name}, {date}").format(name=one["person_name"], date=seat.day(one["on"])),
        "observed": body["observed"],
        "need": said,
        "tone": {"required": "stop", "undetermined": "wait"}.get((body["need"] or {}).get("result", ""), "good"),
        "answers": answers,
        "where": words.position_words({"position": position, "no_position": body["no_position"]}, _)
        if position or body["no_position"] else "",
        "photos": words.photo_views(one["photos"], {}, _, site=site, pack=pack) if pack is not None else [],
        "spoken": with_held(seat, spoken_beside(body, _)),
        "signed": words.signed_rows(body, body.get("signed") or {}, seat),
    }


def _answers(seat: Seat, pack: Any, answers: Doc) -> list[tuple[str, str]]:
    """Question and answer in words, as far as they were answered."""
    found = []
    for one in questions(pack, answers):
        given = answers.get(one.id)
        if one.kind == "areas" and given:
            parts = [f"{row['area_sq_ft'] or '?'} sq ft, {row['slope_percent'] or '?'} %" for row in given]
            found.append((one.text(seat.language), "; ".join(parts)))
        elif one.kind == "choice" and given:
            found.append((one.text(seat.language), one.choice_text(given, seat.language)))
        elif given:
            found.append((one.text(seat.language), f"{given} {one.unit}"))
    return found


def _rain(seat: Seat, one: Doc) -> Doc:
    _ = seat._
    return {
        "inches": _("{n} in").format(n=one["inches"]),
        "when": period_words(parse_wall(one["began"]), parse_wall(one["ended"]), _),
        "gauge": one["gauge"] or _("no gauge named"),
        "note": one["note"],
        "where": _("the whole city") if one["city_wide"] else "",
        "who": one["person_name"] or _("the office"),
        "site": one["site"],
    }


def decide(seat: Seat) -> Response:
    """POST /office/sites/{id}/found/{act}: ``confirm``, or ``same`` with the other site and the reasons."""
    site, act = seat.path("id"), seat.path("act")
    if act == "confirm":
        confirm_site(seat.city, seat.who, site, seat.form.get("reasons", "").strip())
        return seat.go(f"/office/sites/{site}?done=site-confirmed")
    if act == "same":
        other = seat.form.get("same_as", "")
        same_site(seat.city, seat.who, site, other, seat.form.get("reasons", ""))
        return seat.go(f"/office/sites/{other}?done=site-filed")
    raise Problem("not-found", "there is no such decision", where=act)


def waiting(seat: Seat) -> list[Doc]:
    """The sites that were found in the field and wait to be confirmed, for the list of sites."""
    with seat.city.db.read() as tx:
        return [{"id": doc["id"], "address": doc["address"], "name": doc["name"],
                 "when": seat.day(doc["reported"]["on"])} for doc in open_reports(tx, seat.city)]


def rain(seat: Seat) -> Response:
    """GET /office/rain: every reading that counts, the newest first."""
    names = person_names(seat.city)
    places = site_addresses(seat.city)
    with seat.city.db.read() as tx:
        rows = [_rain(seat, one) for one in rain_rows(tx, seat.city, names)]
    for row in rows:
        row["place"] = places.get(row["site"], row["site"]) if row["site"] else row["where"]
    return seat.page("rain.html", "/office/sites", rows=rows)
