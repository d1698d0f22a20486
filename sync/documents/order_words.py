"""What an order says, in words: the same sentences for placard, registered order, console and public page.

Reads an order's body as it travels (see `sync.records.facts`) and a pack; decides nothing. Dates come in
already derived, either as `Derived` from `sync.ordinance.dates` or as the documents that came down from the
server, and go out as `DateLine`: label, first possible day, derivation. A clause that the city has not
confirmed never gets through `grounds_lines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sync.documents.both import Both
from sync.documents.language import (
    N_,
    Translate,
    clock_words,
    date_words,
    moment_words,
    parse_date,
    parse_wall,
)
from sync.documents.order_texts import said_in
from sync.records.problems import Problem

PRINTABLE = ("given", "confirmed")
MAY_ALWAYS = N_("Work that makes the site safe, and the corrections listed below, may and must go on.")
ENDS_BY_RELEASE = N_(
    "Only a written release by the city lifts this order. Correcting the site or taking down this paper does not."
)


@dataclass(frozen=True, slots=True)
class DateLine:
    """One possible step after an order: what it is and by which clause, when it opens (None: not yet counted), why."""

    clock: str
    label: str
    cite: str
    last_day: date | None
    eligible_from: date | None
    words: str


@dataclass(frozen=True, slots=True)
class GroundLine:
    """One ground of an order: its letter, what it means, where the ordinance says so."""

    letter: str
    title: str
    cite: str


def grounds_lines(order: Mapping[str, Any], pack: Any, language: str = "en") -> tuple[GroundLine, ...]:
    """The grounds of `order` with their citations.

    Raises Problem "clause-not-confirmed" for a ground or its clause that the city has not confirmed, and
    "subject-unknown" for one that the pack does not have.
    """
    lines = []
    for letter in order["grounds"]:
        ground = pack.grounds.get(letter)
        if ground is None:
            raise Problem("subject-unknown", f"pack {pack.ref} has no ground ({letter})", where="body.grounds")
        if not ground.confirmed:
            raise Problem(
                "clause-not-confirmed",
                f"ground ({letter}), {ground.title!r}, has not been confirmed by the city",
                where="body.grounds",
            )
        title = ground.titles.get(language) or ground.title
        lines.append(GroundLine(letter, title, cite(pack, ground.clause)))
    return tuple(lines)


def cite(pack: Any, slug: str) -> str:
    """How clause `slug` is cited on paper. Raises Problem "clause-not-confirmed" for an inferred clause."""
    clause = pack.clauses.get(slug)
    if clause is None:
        raise Problem("subject-unknown", f"pack {pack.ref} has no clause {slug!r}", where=f"clauses.{slug}")
    if clause.status not in PRINTABLE:
        raise Problem(
            "clause-not-confirmed",
            f"clause {clause.cite} has status {clause.status!r}; the city must confirm it first",
            where=f"clauses.{slug}",
        )
    return clause.cite


def date_lines(dates: Iterable[Any], pack: Any, _: Translate, language: str = "en") -> tuple[DateLine, ...]:
    """`Derived` tuples or documents from the server, as lines. The words are theirs, never made anew.

    Raises Problem "clause-not-confirmed" when a step rests on a clause that the city has not confirmed.
    """
    lines = []
    for entry in dates:
        wire = entry if isinstance(entry, Mapping) else entry.to_wire(language)
        clock = wire["clock"]
        lines.append(
            DateLine(
                clock,
                step_label(clock, _) or wire.get("label") or clock,
                cite(pack, pack.clocks[clock].clause) if clock in pack.clocks else "",
                _day(wire.get("last_day")),
                _day(wire.get("eligible_from")),
                wire.get("words") or "",
            )
        )
    return tuple(lines)


def unposted_words(pack: Any, _: Translate) -> str:
    """What no date stands for yet while an order is issued and not put up: K5 and K6 count from posting."""
    if pack.readings.clock_start == "later":
        return _("The dates count from the day on which the order is put up on the site.")
    return _(
        "A notice of intent and a cease and desist order count from the day on which the order is put up on the site."
    )


def _day(value: str | date | None) -> date | None:
    return parse_date(value) if isinstance(value, str) else value


def step_label(clock: str, _: Translate) -> str:
    """What a person may do once this clock has run out, as a sentence; empty for a clock of another kind."""
    return {
        "K4": _("The building inspector may revoke the permit"),
        "K5": _("The building inspector may ask the city attorney for a cease and desist order"),
        "K6": _("The building inspector may give notice that the city will do the work itself"),
        "K7": _("The city may enter the land and do the work, if that notice is given on its first possible day"),
    }.get(clock, "")


def first_words(line: DateLine, _: Translate) -> str:
    """The first day of a possible step, for a page: "from Wed Sep 9, 2026 on"."""
    if line.eligible_from is None:
        return _("no day is counted yet")
    return _("from {date} on").format(date=date_words(line.eligible_from, _))


def due_words(due: Mapping[str, Any] | None, _: Translate) -> str:
    """When a correction is due: date and time, or at once where the pack's rule says so (see `corrections.Due`)."""
    if not due:
        return _("at once")
    if due.get("at_once"):
        return _("at once, before the inspector leaves")
    day = date_words(parse_date(due["on"]), _)
    if not due.get("at"):
        return day
    return _("{date} by {time}").format(date=day, time=clock_words(due["at"], _))


def permit_words(order: Mapping[str, Any], _: Translate) -> str:
    """The permit number, or that none was found and as of which day."""
    if order.get("permit_number"):
        return str(order["permit_number"])
    as_of = order.get("posted_on") or order.get("printed_on")
    if not as_of:
        return _("NO PERMIT FOUND")
    return _("NO PERMIT FOUND as of {date}").format(date=date_words(parse_date(as_of), _))


def name_words(party: Mapping[str, Any] | None, _: Translate) -> str:
    """Name and address of a permittee, landowner or land user, or "unknown"."""
    if not party or not party.get("name"):
        return _("unknown")
    return ", ".join(part for part in (party["name"], party.get("address")) if part)


def land_user_words(site: Mapping[str, Any], _: Translate) -> str:
    """The land user and the contractor of a site, each with name and address, or "unknown"."""
    known = [party for role in ("land_user", "contractor") if (party := site.get(role)) and party.get("name")]
    return "; ".join(dict.fromkeys(name_words(party, _) for party in known)) or _("unknown")


def party_lines(site: Mapping[str, Any], both: Both) -> list[tuple[str, str]]:
    """(label, words) of everybody whose the site is, in the languages of the paper."""
    return [
        (both(N_("Permittee")), both.value(lambda _: name_words(site.get("permittee"), _))),
        (both(N_("Landowner")), both.value(lambda _: name_words(site.get("landowner"), _))),
        (both(N_("Land user or contractor")), both.value(lambda _: land_user_words(site, _))),
    ]


def met_words(order: Mapping[str, Any], _: Translate) -> str:
    """Who was met on the site and who was given a copy."""
    people = order.get("met") or ()
    if not people:
        return _("Nobody was on the site.") if order.get("nobody_present") else _("Nobody is recorded.")
    lines = []
    for person in people:
        parts = (person.get("name"), party_word(person.get("party", ""), _), person.get("role"))
        who = ", ".join(part for part in parts if part) or _("unnamed person")
        given = _("was given a copy") if person.get("served") else _("no copy recorded")
        lines.append(f"{who}: {given}")
    return "\n".join(lines)


def party_word(party: str, _: Translate) -> str:
    """What somebody is to the site; "" for somebody else, and where nobody asked."""
    return {"landowner": _("landowner"), "permittee": _("permittee"), "land_user": _("land user"),
            "contractor": _("contractor")}.get(party, "")


def posted_words(order: Mapping[str, Any], _: Translate) -> str:
    """Date and time of posting as recorded, or a line to fill in by hand."""
    if order.get("posted_at"):
        return moment_words(parse_wall(order["posted_at"]), _)
    if order.get("posted_on"):
        return _("{date} at ______ (time)").format(date=date_words(parse_date(order["posted_on"]), _))
    return _("______________ (date) at ______ (time)")


def may_continue_words(order: Mapping[str, Any], pack: Any, language: str, _: Translate) -> str:
    """What may and must go on. The corrective work is always in it: the ordinance asks whether it is done."""
    always = _(MAY_ALWAYS)
    own = said_in(order, "may_continue", pack, language).text
    return f"{own}\n{always}" if own else always
