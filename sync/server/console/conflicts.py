"""The open conflicts in plain words: what does not fit, which clock runs meanwhile, and one form to decide each.

Casework finds them and takes the decision; this page only says them. Whoever lacks a power sees who has it. The form
sends one choice, as `choices.value_of` writes it, and the reasons; a refusal shows the form again as it was filled in.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import Translate, capital
from sync.records.problems import Problem
from sync.server.casework.conflicts import Conflict, open_conflicts
from sync.server.casework.settling import settle
from sync.server.console import choices, deeds
from sync.server.console.seat import Seat
from sync.server.console.times import clock_words

ORDER_KINDS = ("number_taken", "two_orders", "late", "clock_doubt", "wrong_parcel", "permit_other", "new_owner",
               "release_before_revocation", "before_its_order", "repost_after_end", "void_number_up")
AGAIN = ("reasons-missing", "already-decided", "act-not-open", "fact-mac-mismatch", "body-malformed")
"""Refusals after which the person can go on with the form."""


def conflict_views(seat: Seat) -> list[dict[str, Any]]:
    """Every open conflict, as the page shows it."""
    return [_view(one, seat) for one in open_conflicts(seat.city)]


def decide(seat: Seat) -> Response:
    """POST of one decision: the choice and the reasons."""
    form = seat.form
    try:
        act, subject, other = choices.read_value(form.get("choice", ""))
        settle(seat.city, seat.who, act, subject, other, form.get("reasons", ""))
    except Problem as problem:
        if problem.code in AGAIN:
            from sync.server.console.records import set_aside

            return set_aside(seat, wrong=problem)
        raise
    return seat.go("/office/set-aside?done=settled")


def _view(one: Conflict, seat: Seat) -> dict[str, Any]:
    _ = seat._
    title, says, clock = _said(one, seat)
    where = "orders" if one.kind in ORDER_KINDS else "site-acts" if one.kind == "two_revisions" else "records"
    return {
        "title": title,
        "about": one.about,
        "says": _sentence(says),
        "clock": clock,
        "links": _links(one, where, _),
        # One order can be in several: its permit was extended, and it came late.
        "key": f"{one.kind}|{one.subject}|{next((choice.other for choice in one.choices if choice.other), '')}",
        "choices": [choices.view(choice, one, seat) for choice in one.choices],
    }


def _links(one: Conflict, where: str, _: Translate) -> list[tuple[str, str]]:
    """Where each side can be read, called by its number where it has one."""
    named = one.detail.get("numbers") or ()
    if len(one.facts) == 1:
        return [(f"/office/{where}/{one.facts[0]}", _("Look at it"))]
    return [(f"/office/{where}/{ident}", named[n] if n < len(named) else _("Record {n}").format(n=n + 1))
            for n, ident in enumerate(one.facts)]


def _sentence(text: str) -> str:
    """As a sentence: details were written into the record in small letters and without a full stop."""
    text = capital(text)
    return text if not text or text[-1] in ".!?" else f"{text}."


def _said(one: Conflict, seat: Seat) -> tuple[str, str, str]:
    """Title, what is wrong, and which clock runs until somebody decides."""
    _, told = seat._, one.detail

    def day(name: str) -> str:
        return seat.day(told[name]) if told.get(name) else ""

    kind = deeds.kind_words(told.get("kind", ""), _) if told.get("kind") else ""
    no_clock = _("No time limit runs until somebody decides.")
    none = _("No time limit depends on it.")
    by_kind = {
        "number_taken": lambda: (
            _("Two orders bear one number"),
            _("Two placards were put up under the same number. Neither changes its number."), no_clock),
        "two_orders": lambda: (
            _("Two orders on one site"),
            " ".join((_("{first} and {second} both stand.").format(first=_posted(told, 0, seat),
                                                                    second=_posted(told, 1, seat)),
                      *(_("{number} was written all the same: {reason}").format(number=number, reason=reason)
                        for number, reason in told["why"]))),
            _("Each keeps its own time limits until somebody decides.")),
        "put_up_twice": lambda: (
            _("One order put up by two tablets"),
            _("The office issued it, and it was put up on {dates}, each time without hearing of the other. Each "
              "placard bears the dates from its own day.").format(
                  dates=", ".join(map(seat.day, told["days"].values()))),
            _("The time limits run from the first of them.")),
        "two_corrections": lambda: (
            _("Two corrections of one inspection"),
            _("The inspection of {date} was corrected on the tablets {codes}, each time without hearing of the "
              "other.").format(date=day("day"), codes=", ".join(told["codes"].values())),
            _("Until somebody decides the stricter one stands: the one with more critical findings, then the one with "
              "more findings.")),
        "late": lambda: (
            _("Registered late"),
            _("It was posted on {date} and reached the office more than ten days later.").format(date=day("posted_on")),
            _("The time limits run from the posting. No step may follow until its service is confirmed.")),
        "clock_doubt": lambda: (_("The day of posting is in doubt"), _clock_says(told, seat),
                                _("The time limits run from the day on the placard until somebody decides.")),
        "record_clock": lambda: (_("The time of a record is in doubt"), _record_clock_says(told, kind, seat), none),
        "wrong_parcel": lambda: (
            _("The parcel differs"),
            _("The order says {order}, the office has {office}.").format(
                order=told["order_says"], office=told["office_says"]),
            _("The time limits of the order run on. A replacing order would have its own.")),
        "new_owner": lambda: (
            _("The land was sold while the order stands"),
            _("It was sold on {date}. The order binds its new owner, who has not been served yet.").format(
                date=day("sold_on")),
            _("The time limits of the order run on. No notice of intent and no entry may follow before the new owner "
              "is served.")),
        "permit_other": lambda: (_("The permit is not what the order says"), _permit_says(told, seat),
                                 _("The dates of the order follow the permit as it is now recorded.")),
        "release_before_revocation": lambda: (
            _("Released before the permit was revoked"),
            _("The release was signed on {released} and arrived after the permit was revoked on {revoked}.").format(
                released=day("released_on"), revoked=day("revoked_on")),
            _("The order is released; its time limits are closed. The permit stays revoked until somebody decides.")),
        "before_its_order": lambda: (
            _("Done before the order"), _before_says(told, seat),
            _("The order counts as released: no time limit runs until somebody decides.") if told["ended"] else
            _("The time limits of the order run on.")),
        "up_not_issued": lambda: (
            _("Put up, and not issued"),
            _("A tablet put its placard up on {date}; the office decided not to issue the order.").format(
                date=day("up_on")) if told["refused"] else
            _("A tablet put its placard up on {date}; the office has no record that it issued the order.").format(
                date=day("up_on")),
            _("No time limit runs: what hangs there has no force.")),
        "repost_after_end": lambda: (
            _("Put up again after it ended"),
            _("The order ended on {ended}; its placard was put up again later that day.").format(ended=day("ended_on"))
            if told["ended_on"] == told["up_on"] else
            _("The order ended on {ended}; its placard was put up again on {up}.").format(
                ended=day("ended_on"), up=day("up_on")),
            _("No time limit runs: the order has ended. The placard must come down.")),
        "void_number_up": lambda: (
            _("A placard recorded as void is up"),
            _("Its number was recorded as used up without an order, and a placard with that number was put up on "
              "{date}.").format(date=day("posted_on")),
            _("The time limits of the order run from its posting.")),
        "two_revisions": lambda: (
            _("Two revisions of one plan"),
            _("{first} and {second} were both ordered for the same site.").format(
                first=told["numbers"][0], second=told["numbers"][1]), none),
        "unauthorised_posting": lambda: (
            _("Posted without the power to post"), told["detail"],
            _("No time limit runs. Ratified, it counts as posted anew on the day of ratifying.")),
        "unauthorised_record": lambda: (
            _("{kind}, without the power for it").format(kind=kind), told["detail"], none),
        "withdrawn_tablet": lambda: (
            _("{kind} from a withdrawn tablet").format(kind=kind), told["detail"],
            _("No time limit runs. Accepted, it counts under its own dates.")),
        "fork": lambda: (
            _("Two versions of one record"),
            _("The same record came with different content. One version counts; both stay readable."),
            _("The time limits follow the version that counts.")),
        "copied_tablet": lambda: (
            _("A tablet was copied"),
            _("Two records have the same place in the count of one tablet. The copy gets a code of its own by "
              "itself. An order under a number that both used is held back meanwhile."),
            _("The second record counts for nothing until somebody decides.")),
        "unproven": lambda: (
            _("{kind} that nobody can be shown to have signed").format(kind=kind), told["detail"],
            _("It counts for nothing and never will.")),
        "unplaced": lambda: (
            _("{kind} that could not be placed").format(kind=kind), told["detail"],
            _("It counts for nothing until it is tried again.")),
        "waiting_act": lambda: (
            _("{kind}, before its order").format(kind=kind), told["detail"],
            _("It is worked in by itself when the order arrives or counts.")),
    }
    return by_kind[one.kind]()


def _before_says(told: dict[str, Any], seat: Seat) -> str:
    _ = seat._
    said = {"release": _("A release of it is dated {day}."), "repost": _("It was put up again, it is said, on {day}.")}
    parts = [said[what].format(day=seat.day(on)) for what, on in told["done"]]
    return " ".join((*parts, _("The order is of {day}.").format(day=seat.day(told["first"]))))


def _posted(told: dict[str, Any], which: int, seat: Seat) -> str:
    """One of two orders by its number and the day on which it was posted."""
    number, on = told["numbers"][which], told["posted"][which]
    if not on:
        return seat._("{number} (not put up yet)").format(number=number)
    return seat._("{number} (posted {date})").format(number=number, date=seat.day(on))


def _clock_says(told: dict[str, Any], seat: Seat) -> str:
    _ = seat._
    said = {
        "to come": _("It says that it was posted on {date}, after it reached the office."),
        "other day": _("It says that it was posted on {date}; by the server's clock that was another day."),
        "wrong clock": _("The tablet's clock was wrong when it was posted on {date}."),
    }[told["why"]].format(date=seat.day(told["posted_on"]))
    return f"{said} {clock_words(told['off_s'], _)}".strip()


def _record_clock_says(told: dict[str, Any], kind: str, seat: Seat) -> str:
    _ = seat._
    said = {
        "to come": _("{kind}: its day is {date}, but it was signed later than it reached the office."),
        "other day": _("{kind}: its day is {date}; by the server's clock it was another day."),
        "wrong clock": _("{kind} of {date}: the tablet's clock was wrong."),
    }[told["why"]].format(kind=kind, date=seat.day(told["day"]))
    return f"{said} {clock_words(told['off_s'], _)}".strip()


def _permit_says(told: dict[str, Any], seat: Seat) -> str:
    _ = seat._
    on = seat.day(told["on"]) if told["on"] else ""
    return {
        "unknown": _("The order names the permit {number}, which the office does not have."),
        "granted": _("Permit {number} was granted on {on}, while the order stands. Only a release ends the order."),
        "in force": _("The order names no permit, but permit {number}, issued on {on}, was in force when it was "
                      "posted."),
        "revoked": _("Permit {number} was revoked on {on} under another order."),
        "not in force": _("Permit {number} was not in force when the order was posted; its last day was {on}."),
        "ended": _("Permit {number} ended on {on}, while the order stands."),
        "extended": _("Permit {number} was extended on {on}, while the order stands."),
        "counted anew": _("The last day of permit {number} was worked out again on {on}, while the order stands."),
        "other conditions": _("Permit {number} was given other conditions on {on}. What was seen before is judged by "
                              "those of its day."),
    }[told["change"]].format(number=told["number"] or "", on=on)
