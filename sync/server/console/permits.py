"""One permit in the office: its validity, conditions and history; extended, counted anew, given other conditions.

The law says what may be; its own sentence is shown where it refuses. Casework checks the power again when the form
comes.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from starlette.responses import Response

from sync.records.problems import Problem
from sync.server.casework import permitting, queries
from sync.server.casework.matters import folded_permit
from sync.server.casework.meanwhile import seen_as
from sync.server.casework.naming import person_names
from sync.server.casework.people import DECIDE_APPLICATIONS, EXTEND, REVOKE
from sync.server.console import words
from sync.server.console.seat import Seat
from sync.server.console.sites import permit_state, state_words
from sync.server.db.schema import permits

POWERS = {"extend": EXTEND, "authorization": DECIDE_APPLICATIONS, "conditions": DECIDE_APPLICATIONS,
          "take-back": REVOKE}
"""What may be done with a permit, each with the power that it takes."""
REFUSED = ("permit-not-extended", "reasons-missing", "already-decided", "act-not-open", "body-malformed")


def _found(seat: Seat) -> Any:
    with seat.city.db.read() as tx:
        row = tx.execute(select(permits).where(
            permits.c.city_id == seat.city.id, permits.c.id == seat.path("id"))).first()
    if row is None:
        raise Problem("not-found", "there is no such permit")
    return row


def show(seat: Seat, *, wrong: Problem | None = None) -> Response:
    _, row = seat._, _found(seat)
    doc, form = row.doc, seat.form
    names = person_names(seat.city)
    found = queries.site_page(seat.city, row.site)
    pack = seat.pack
    tried = seat.request.path_params.get("act", "")
    state = permit_state(doc, seat.city.today())
    return seat.page(
        "permit.html",
        "/office/sites",
        status=wrong.status if wrong else 200,
        wrong=words.refusal(wrong),
        tried=tried,
        form={name: form.get(name, "") for name in ("until", "reasons", "practices", "conditions")},
        id=row.id,
        number=row.number,
        site=row.site,
        address=found["site"]["address"] if found else "",
        rows=[
            (_("State"), state_words(state, _)),
            (_("Issued"), words.wire_day(doc.get("issued_on"), _) or _("not issued")),
            (_("Last valid day"), words.wire_day(doc.get("last_valid_day"), _) or _("none")),
        ],
        conditions=[(one["text"], _cite(pack, one.get("clause") or "")) for one in doc.get("conditions", ())],
        as_text="\n".join(one["text"] for one in doc.get("conditions", ())),
        seen=form.get("seen") or seen_as(doc.get("conditions", [])),
        changes=[
            {"what": change_words(one, seat), "days": _days(one, seat),
             "who": f"{seat.day(one['on'])}, {names.get(one['by'], one['by'])}",
             "why": one["reasons"]}
            for one in reversed(doc.get("changes", ()))
        ],
        may={act: seat.may(power) for act, power in POWERS.items()},
        power={act: words.power_words(power, seat) for act, power in POWERS.items()},
        revoked=state == "revoked" and bool(doc.get("changes")),
        closed=closed_words(state, _),
        extend_says=_cap_words(seat, row),
    )  # fmt: skip


def _cap_words(seat: Seat, row: Any) -> str:
    """How far the permit may be extended by the law, all extensions together."""
    with seat.city.db.read() as tx:
        permit = folded_permit(tx, seat.city, row, seat.city.pack(tx))
    if permit is None:
        return ""
    return seat._("All extensions together end at the latest on {date}.").format(date=seat.day(permit.cap().last_day))


def _cite(pack: Any, slug: str) -> str:
    return pack.clauses[slug].cite if slug in pack.clauses else slug


def _days(one: dict[str, Any], seat: Seat) -> str:
    """The last valid day before the change and after it; "" where it moved none."""
    if not one.get("was") or one["was"] == one["now"]:
        return ""
    return seat._("Last valid day {now}, before that {was}").format(now=seat.day(one["now"]), was=seat.day(one["was"]))


def closed_words(state: str, _: Any) -> dict[str, str]:
    """By what could be done with a permit, why it cannot while it stands like that; what is not in it can."""
    if state in ("applied", "denied"):
        said = _("This permit was never issued.")
        return {"extend": said, "authorization": said, "conditions": said}
    if state == "expired":
        return {"extend": _("It has expired: what has ended is not extended. It takes a new application."),
                "conditions": _("It has expired.")}
    return {"extend": _("It is revoked."), "authorization": _("It is revoked.")} if state == "revoked" else {}


def change_words(one: dict[str, Any], seat: Seat) -> str:
    """What was done with the permit."""
    _ = seat._
    said = {
        "grant": _("Granted"),
        "extend": _("Extended to {until}"),
        "authorization": _("Last day worked out again: the other authorization ends on {until}"),
        "conditions": _("Given other conditions"),
        "revoke": _("Revoked"),
        "take_back": _("Revocation taken back"),
    }.get(one["what"], one["what"])
    return said.format(until=seat.day(one["until"]) if one.get("until") else "")


def _conditions(seat: Seat) -> list[dict[str, str]]:
    """The conditions as lines: one that stands as it stood keeps its id and clause, a new one rests on the clause for
    conditions of a permit."""
    doc = _found(seat).doc
    before = {one["text"]: one for one in doc.get("conditions", ())}
    taken = {one["id"] for one in doc.get("conditions", ())}
    made = []
    for text in dict.fromkeys(seat.lines("conditions")):
        if text in before:
            made.append(before[text])
            continue
        ident = next(name for n in range(1, 1000) if (name := f"c{n}") not in taken)
        taken.add(ident)
        made.append({"id": ident, "text": text, "clause": _clause(seat)})
    return made


def _clause(seat: Seat) -> str:
    """The clause under which a permit is granted with conditions: that of the duty to decide applications."""
    return seat.pack.duties["decide_application"].clause


def decide(seat: Seat) -> Response:
    """POST of one change; a refusal shows the page again with the law's sentence and what was typed."""
    city, ident, act, why = seat.city, seat.path("id"), seat.path("act"), seat.form.get("reasons", "")
    try:
        if act == "extend":
            practices = seat.lines("practices")
            permitting.extend_permit(city, seat.who, ident, seat.day_needed("until"), why, practices)
        elif act == "authorization":
            permitting.change_authorization(city, seat.who, ident, seat.day_needed("until"), why)
        elif act == "conditions":
            permitting.change_conditions(city, seat.who, ident, _conditions(seat), why,
                                         seen=seat.form.get("seen", ""))
        elif act == "take-back":
            permitting.take_back_revocation(city, seat.who, ident, why)
        else:
            raise Problem("not-found", "there is no such decision")
    except Problem as problem:
        if problem.code in REFUSED:
            return show(seat, wrong=problem)
        raise
    return seat.go(f"/office/permits/{ident}?done=permit")
