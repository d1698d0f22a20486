"""Stop-work orders: the list by what they wait for, one order with dates and evidence, and the decisions on it.

A decision is an act of a named person with the power; casework checks the power and whether it was decided before.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents import order_words
from sync.documents.evidence import position_words
from sync.documents.language import capital, counted, date_words, moment_words, parse_date, parse_wall
from sync.documents.order_since import since_lines
from sync.documents.order_texts import TEXTS, correction_in, in_language, said_in
from sync.documents.order_words import due_words, may_continue_words, met_words, permit_words
from sync.documents.spoken import spoken_beside
from sync.records.problems import Problem
from sync.server.casework import orders as acts
from sync.server.casework import queries
from sync.server.casework.naming import person_names
from sync.server.casework.office import pack_of
from sync.server.casework.people import CONFIRM, ISSUE
from sync.server.console import deeds, earlier, further, service, words
from sync.server.console.evidence import evidence_of_order, with_held
from sync.server.console.seat import Seat
from sync.server.console.sites import permit_state, state_words
from sync.server.console.times import doubt_rows, time_remark

PUBLISHED = ("issued", "in_force", "stayed", "released", "voided")


def order_list(seat: Seat) -> Response:
    _ = seat._
    rows = queries.order_list(seat.city, limit=500)
    waiting = [row for row in rows if row["needs_decision"]]
    running = [row for row in rows if row["status"] in ("in_force", "issued", "stayed") and not row["needs_decision"]]
    other = [row for row in rows if row not in waiting and row not in running]
    groups = [
        {"title": title, "urgent": urgent, "orders": [words.order_row(row, seat) for row in part]}
        for title, urgent, part in (
            (_("Waiting for a decision"), True, waiting),
            (_("Issued or in force, nothing to decide"), False, running),
            (_("Ended, not issued, or set aside"), False, other),
        )
    ]
    return seat.page(
        "orders.html",
        "/office/orders",
        counted=counted(len(rows), "1 order.", "{count} orders, newest first in each list.", _) if rows
        else _("No order has been written yet."),
        groups=groups,
    )


def order_page(seat: Seat, *, wrong: Problem | None = None) -> Response:
    _, city = seat._, seat.city
    found = queries.order_page(city, seat.path("id"))
    if found is None:
        raise Problem("not-found", "there is no such order")
    row, doc, body = found["row"], found["doc"], found["body"]
    pack = pack_of(city, found["pack_ref"])
    rests = evidence_of_order(city, found, seat.language)
    return seat.page(
        "order.html",
        "/office/orders",
        status=wrong.status if wrong else 200,
        id=row["id"],
        number=row["number"],
        address=body["address"],
        standing=words.standing_words(row, _),
        tone=words.ORDER_TONES.get(row["status"], ""),
        # What was never issued has no public page of its own and no paper.
        public_link=_local_path(doc["public_url"], city.public_url) if row["status"] in PUBLISHED else "",
        paper=row["status"] in PUBLISHED,
        placard=row["status"] == "issued",
        wrong=words.refusal(wrong),
        reasons=seat.form.get("reasons", ""),
        reasons_wrong=bool(wrong and wrong.code == "reasons-missing"),
        warnings=_warnings(found, seat),
        decide=_decision(row, seat),
        steps=further.steps(row, seat),
        service=service.view(seat, row),
        earlier=earlier.view(seat, found),
        tried=tried if (tried := seat.request.path_params.get("act", "")) in further.TAKE else "",
        tried_index=seat.form.get("index", ""),
        body=body,
        must_stop=said_in(body, "must_stop", pack, seat.language).text,
        observed=said_in(body, "observed", pack, seat.language).text,
        may_continue=may_continue_words(body, pack, seat.language, _),
        said={field: given for field in TEXTS if (given := _given_too(body, field, seat))},
        grounds=_grounds(body, pack, seat),
        corrections=[(correction_in(body, one, pack, seat.language).text, due_words(one["due"], _))
                     for one in body["corrections"]],
        photos=words.photo_views(rests.photos, {one["sha256"]: one["caption"] for one in rests.photos}, _,
                                 site=found["site"], pack=pack),
        spoken=with_held(seat, spoken_beside(body, _)),
        findings=[words.finding_view(one, pack, rests.subjects, seat) for one in rests.findings],
        trail=[
            {
                "what": deeds.act_words(entry["what"], _),
                "who": words.person_words(entry["who"], entry["who_name"], _),
                "at": seat.moment(entry["at"]),
            }
            for entry in found["audit"]
        ],
        clocks=words.with_former(words.clock_rows(doc["dates"], pack, city.today(), _), doc, _),
        no_clocks=_no_clocks(row, pack, _),
        unposted=order_words.unposted_words(pack, _) if row["status"] == "issued" and doc["dates"] else "",
        rows=_rows(found, seat),
        site=found["site"],
        others=[words.order_row(one, seat) for one in found["others"]],
        inspections=[one["id"] for one in found["inspections"]],
    )


def _given_too(body: dict[str, Any], field: str, seat: Seat) -> list[tuple[str, str]]:
    """(language, words) of what the inspector gave in another language than the reader's."""
    return [(capital(in_language(language, seat._)), text) for language, texts in (body.get("said") or {}).items()
            if language != seat.language and (text := texts.get(field))]


def _local_path(url: str, public_url: str) -> str:
    """The public page on this very server, whatever address it is known by outside."""
    return url.removeprefix(public_url) or "/"


def _grounds(body: dict[str, Any], pack: Any, seat: Seat) -> tuple[order_words.GroundLine, ...]:
    """Grounds for the office's eyes: one that may not print yet is shown, and marked."""
    lines = []
    for letter in body["grounds"]:
        try:
            lines += order_words.grounds_lines({"grounds": [letter]}, pack, seat.language)
        except Problem as problem:
            lines.append(order_words.GroundLine(letter, problem.detail, ""))
    return tuple(lines)


def _no_clocks(row: dict[str, Any], pack: Any, _: Any) -> str:
    return {
        "recommended": _("No time limit runs: the order is not issued."),
        "issued": order_words.unposted_words(pack, _),
        "voided": _("No time limit runs: the order is void. Its time limits are closed."),
        "released": _("No time limit runs: the order is released. Its time limits are closed."),
        "stayed": _("An appeal is under way: no further step may follow before it is decided. "
                    "The work must still stop."),
        "refused": _("No time limit runs: the order was not issued."),
        "quarantined": _("No time limit runs while the order is set aside."),
    }.get(row["status"], _("No time limit runs."))


def _warnings(found: dict[str, Any], seat: Seat) -> list[str]:
    _, row = seat._, found["row"]
    said = []
    if found["twins"]:
        said.append(
            _("Another order bears the number {number}. Both are kept and held back until it is settled.").format(
                number=row["number"]
            )
        )
    if found["doc"].get("late"):
        said.append(
            _(
                "It reached the office late after its posting. No date moves, but every further step waits "
                "until somebody confirms that it was served."
            )
        )
    said += since_lines(found["doc"], _)
    if beside := found["body"].get("beside"):
        numbers = {one["id"]: one["number"] for one in found["others"]}
        if replaced := numbers.get(beside["replaces"] or ""):
            said.append(_("Written to take the place of {number}: {reason}").format(
                number=replaced, reason=beside["reason"]))
        elif named := ", ".join(numbers[one] for one in beside["orders"] if one in numbers):
            said.append(_("Written beside {numbers}: {reason}").format(numbers=named, reason=beside["reason"]))
    if clock_says := time_remark(seat, row["id"]):
        said.append(clock_says)
    if found["doc"].get("no_dates"):
        said.append(_("Its dates could not be counted: {why}").format(why=found["doc"]["no_dates"]))
    absent = words.absent_words(row["files"], row["files_held"], _, words.too_large(seat.city, found["fact"], []))
    if absent:
        said.append(absent)
    return said


def _permit_now(found: dict[str, Any], seat: Seat) -> str:
    """What the order says of its permit, and how that one stands now: one that is only applied for is none."""
    said = permit_words(found["body"], seat._)
    now = next((one for one in found["permits"] if one["id"] == found["body"]["permit"]), None)
    return said if now is None else f"{said}: {state_words(permit_state(now, seat.city.today()), seat._)}"


def _rows(found: dict[str, Any], seat: Seat) -> list[tuple[str, str]]:
    _, row, doc, body = seat._, found["row"], found["doc"], found["body"]
    by = {act["act"]: act for act in found["acts"]}
    rows = [(_("Register number"), doc["register"] or _("not registered"))]
    if doc.get("former_registers"):
        rows.append((_("In records that were lost"), ", ".join(doc["former_registers"])))
    if row["registered_at"]:
        rows.append((_("Registered"), seat.moment(row["registered_at"])))
    if "issue" in by:
        rows.append((_("Issued"), _by(by["issue"], seat)))
    elif row["posted_on"] and not row["recommended"]:
        rows.append((_("Issued"), _("by posting it in the field")))
    posted = moment_words(parse_wall(doc["posted_at"]), _) if doc["posted_at"] else _("not yet")
    up = body if "position" in body else found["put_up"]
    rows.append((_("Posted"), "\n".join(part for part in (posted, doc["place"], _put_up_at(up, _)) if part)))
    rows += doubt_rows(seat, row["id"])
    rows += _later_acts(doc, seat)
    for act, label in (("confirm", _("Confirmed")), ("decline", _("Declined")), ("refuse", _("Not issued"))):
        if act in by:
            rows.append((label, _by(by[act], seat)))
    rows += [
        (_("Inspector"), f"{body['inspector']['name']}, {body['inspector']['title']}"),
        (_("Parcel"), body["parcel"] or _("unknown")),
        (_("Permit"), _permit_now(found, seat)),
        (_("On the site"), met_words(body, _)),
        (_("Ordinance pack"), found["pack_ref"]),
        *words.taken_off_rows(body, seat),
    ]
    return rows


def _later_acts(doc: dict[str, Any], seat: Seat) -> list[tuple[str, str]]:
    """What people did with the order after it was made, from its document: who, when, why."""
    _, names = seat._, person_names(seat.city)

    def said(act: dict[str, Any], *more: str) -> str:
        who = names.get(act["by"], act["by"])
        return "\n".join(part for part in (seat.day(act["on"]), who, act["reasons"], *more) if part)

    rows = []
    if doc.get("alias"):
        rows.append((_("Told apart as"), doc["alias"]))
    for key, label in (("ratified", _("Ratified")), ("service_confirmed", _("Service confirmed")),
                       ("appealed", _("Appeal")), ("void", _("Voided")), ("reversed", _("Reversed on appeal"))):
        if doc.get(key):
            rows.append((label, said(doc[key])))
    rows += [(_("Put up again"), "\n".join(part for part in (
        seat.day(up["on"]), names.get(up["by"], up["by"]), up["place"], _put_up_at(up, _)) if part))
        for up in doc.get("reposted", ())]
    rows += [(_("Work went on"), said(act)) for act in doc.get("worked_on", ())]
    rows += [(_("Released in part"), said(act, act["part"])) for act in doc.get("partly_released", ())]
    if doc.get("released"):
        rows.append((_("Released"), said(doc["released"], doc["released"]["number"])))
    return rows


def _put_up_at(up: dict[str, Any], _: Any) -> str:
    """Where the tablet was when the placard went up, or why it did not know; "" of a record that does not say."""
    return position_words(up, _) if up.get("position") or up.get("no_position") else ""


def _by(act: dict[str, Any], seat: Seat) -> str:
    said = f"{seat.moment(act['at'])}\n{act['person_name']}"
    return said + (f"\n{act['reasons']}" if act["reasons"] else "")


def _decision(row: dict[str, Any], seat: Seat) -> dict[str, Any] | None:
    """The form for the decision that the order waits for; None when it waits for none."""
    _ = seat._
    if not row["needs_decision"]:
        return None
    if row["status"] == "recommended":
        return {
            "title": _("Issue this order?"),
            "says": _("{name} recommends it and holds no power to post. It has no force until you issue it.").format(
                name=row["by_name"]
            ),
            "allowed": seat.may(ISSUE),
            "not_allowed": _("The building inspector decides this."),
            "yes_act": "issue",
            "yes": _("Issue the order"),
            "yes_says": _("It keeps its number, comes down to the tablets, and any inspector puts it up."),
            "no_act": "refuse",
            "no": _("Do not issue"),
            "no_label": _("Reasons for not issuing"),
            "no_says": _("They go to the inspector and stay in the record."),
        }
    return {
        "title": _("Confirm this order?"),
        "says": _("{name} posted it on {date}. It is in force; confirming moves no date.").format(
            name=row["by_name"], date=date_words(row["posted_on"], _)
        ),
        "allowed": seat.may(CONFIRM),
        "not_allowed": _("The building inspector decides this."),
        "yes_act": "confirm",
        "yes": _("Confirm the order"),
        "yes_says": _("The order stays in force with the dates shown here."),
        "no_act": "decline",
        "no": _("Decline and void"),
        "no_label": _("Reasons for declining"),
        "no_says": _("The order is voided, its time limits close, and the public page shows these reasons."),
    }


def decide(seat: Seat) -> Response:
    """POST of a decision or a further step; a mistake in the form shows the page again with what was typed."""
    ident, act = seat.path("id"), seat.path("act")
    reasons = seat.form.get("reasons", "")
    try:
        if act == "confirm":
            acts.confirm_order(seat.city, seat.who, ident)
        elif act == "decline":
            acts.decline_order(seat.city, seat.who, ident, reasons)
        elif act == "issue":
            acts.issue_recommended_order(seat.city, seat.who, ident)
        elif act == "refuse":
            acts.refuse_recommended_order(seat.city, seat.who, ident, reasons)
        elif not further.take(seat, ident, act, reasons):
            raise Problem("not-found", "there is no such decision")
    except Problem as problem:
        if problem.code in ("reasons-missing", "already-decided", "act-not-open", "body-malformed"):
            return order_page(seat, wrong=problem)
        raise
    done = {"confirm": "confirmed", "decline": "declined", "issue": "issued", "refuse": "refused"}.get(act, "settled")
    return seat.go(f"/office/orders/{ident}?done={done}")


def posted_words(doc: dict[str, Any], _: Any) -> str:
    """When it was posted, from the order's document."""
    if doc["posted_at"]:
        return moment_words(parse_wall(doc["posted_at"]), _)
    return date_words(parse_date(doc["posted_on"]), _) if doc["posted_on"] else ""
