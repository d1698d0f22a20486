"""Pre-printed placards of a tablet: print a stack, see what became of each, record one as spoiled or lost."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.blank import blanks_pdf
from sync.documents.language import Translate
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.blanks import (
    FREE,
    MOST_AT_ONCE,
    USED,
    VOID,
    Blank,
    blanks_of,
    print_blanks,
    stack,
    void_blank,
    voided_numbers,
)
from sync.server.casework.naming import person_names
from sync.server.casework.office import pack_of
from sync.server.console import words
from sync.server.console.seat import Seat, natural
from sync.server.console.security import guard

TONES = {FREE: "", USED: "good", VOID: "mute"}


def show(seat: Seat, *, wrong: Problem | None = None) -> Response:
    _, city, code = seat._, seat.city, seat.path("code")
    tablet = next((one for one in queries.tablet_list(city) if one["code"] == code), None)
    if tablet is None:
        raise Problem("not-found", "there is no such tablet", where=code)
    stacks: dict[tuple[Any, str], list[Blank]] = {}
    for blank in blanks_of(city, code):
        # Those recognised after a restore have no stack of their own any more.
        stacks.setdefault((blank.at if blank.sheet else None, blank.sheet), []).append(blank)
    on_paper = {blank.number for group in stacks.values() for blank in group}
    names = person_names(city)
    return seat.page(
        "blanks.html",
        "/office/tablets",
        status=wrong.status if wrong else 200,
        wrong=words.refusal(wrong),
        code=code,
        withdrawn=tablet["status"] != "active",
        most=MOST_AT_ONCE,
        free=sum(blank.state == FREE for group in stacks.values() for blank in group),
        stacks=[{
            "sheet": sheet,
            "title": _("Printed {moment}").format(moment=seat.moment(at)) if at else _("Known from the tablet"),
            "placards": [_row(blank, names, seat) for blank in group],
        } for (at, sheet), group in stacks.items()],
        others=[{"number": number, "says": _why(seat, on, names.get(who, who), reasons)}
                for number, on, who, reasons in voided_numbers(city, code) if number not in on_paper],
    )  # fmt: skip


def _row(blank: Blank, names: dict[str, str], seat: Seat) -> dict[str, Any]:
    says = ""
    if blank.on is not None:
        says = _why(seat, blank.on, names.get(blank.person, blank.person), blank.reasons)
    return {
        "number": blank.number,
        "order": blank.order,
        "free": blank.state == FREE,
        "tone": TONES[blank.state],
        "state": state_words(blank.state, seat._),
        "says": says,
    }


def _why(seat: Seat, on: Any, who: str, reasons: str) -> str:
    return f"{seat.day(on)}, {who}: {reasons}"


def state_words(state: str, _: Translate) -> str:
    return {FREE: _("not used yet"), USED: _("on an order"), VOID: _("void")}[state]


def print_stack(seat: Seat) -> Response:
    """POST: a new stack with new numbers; then the page, where its paper is fetched from."""
    count, code = natural(seat.form.get("count", ""), 12), seat.path("code")
    try:
        if count is None:
            raise Problem("body-malformed", "write how many placards as a number", where="count")
        sheet = print_blanks(seat.city, seat.who, code, count)
    except Problem as problem:
        if problem.code == "body-malformed":
            return show(seat, wrong=problem)
        raise
    return seat.go(f"/office/tablets/{code}/blanks?done=stack#s-{sheet}")


def void(seat: Seat) -> Response:
    """POST: one placard was spoiled or lost."""
    number = seat.form.get("number", "")
    if f"-{seat.path('code')}-" not in number:
        raise Problem("not-found", "there is no such pre-printed placard")
    try:
        void_blank(seat.city, seat.who, number, seat.form.get("reasons", ""))
    except Problem as problem:
        if problem.code in ("reasons-missing", "already-decided"):
            return show(seat, wrong=problem)
        raise
    return seat.go(f"/office/tablets/{seat.path('code')}/blanks?done=number-void")


def paper(seat: Seat) -> Response:
    """The stack as PDF. What is void or used meanwhile is left out: it must not be printed a second time."""
    code = seat.path("code")
    found = stack(seat.city, code, seat.path("sheet"))
    left = [(blank.number, blank.token) for blank in found if blank.state == FREE]
    if not left:
        raise Problem("not-found", "every placard of this stack is used or void")
    data = blanks_pdf(left, pack_of(seat.city), tablet=code, public_url=seat.city.public_url,
                      created=seat.local(found[0].at))
    headers = {"Content-Disposition": f'inline; filename="{code}-placards-{left[0][0]}.pdf"'}
    return guard(Response(data, media_type="application/pdf", headers=headers))
