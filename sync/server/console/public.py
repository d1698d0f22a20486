"""The page behind the QR code: is this order genuine, is it in force, what must be done.

Anybody may open it: no cookie, no script, nothing but what stands on the placard and what became of it. A made-up
number and a wrong token get the very same answer, and so does every number without a token: that it is the code that
is missing. Nothing here decides: casework says what may be told.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from sync.documents.language import LANGUAGES, Translate, date_words, parse_date, translator
from sync.documents.office import office_of, review_words
from sync.documents.order_since import since_lines
from sync.documents.order_texts import correction_in, one_sided, remark, said_in
from sync.documents.order_words import due_words, may_continue_words, unposted_words
from sync.records.problems import Problem
from sync.server.casework.city import City
from sync.server.casework.office import pack_of
from sync.server.casework.public import NOT_REGISTERED, NOT_TO_BE_USED, UNKNOWN, PublicOrder, public_order
from sync.server.console.seat import Endpoint, alone
from sync.server.console.words import clock_rows, with_former

STATIC = "/o/static"


def public_page(city: City) -> Endpoint:
    """GET /o/{number}?t=TOKEN&p=POSTED_ON."""

    async def endpoint(request: Request) -> Response:
        asked = request.query_params
        language = language_of(asked.get("lang"), request.headers.get("accept-language", ""))
        return await run_in_threadpool(
            shown, city, language,
            lambda: show(city, request.path_params["number"], asked.get("t"), asked.get("p"), language))

    return endpoint


def shown(city: City, language: str, show_it: Callable[[], Response]) -> Response:
    """The page; while the database is away, one that says so."""
    try:
        return show_it()
    except Problem as problem:
        return alone(city, "public_away.html", static=STATIC, language=language, status=problem.status)


def language_of(asked: str | None, accepted: str) -> str:
    """The language that was asked for by name, else the one of ours that the browser likes best, else English."""
    if asked in LANGUAGES:
        return asked
    best, liked = "en", 0.0
    for part in accepted[:500].lower().split(","):
        name, _sep, quality = part.partition(";q=")
        try:
            weight = float(quality) if quality else 1.0
        except ValueError:
            continue
        code = name.strip()[:2]
        if code in LANGUAGES and weight > liked:
            best, liked = code, weight
    return best


def show(city: City, number: str, token: str | None, printed_on: str | None, language: str = "en") -> Response:
    _ = translator(language)
    if not token:
        return code_missing_page(city, language)
    order = public_order(city, number, token, printed_on)
    if order.state == UNKNOWN:
        # Nothing of what was asked comes back: one page for every guess.
        return unknown_page(city, "public_unknown.html", language)
    pack = pack_of(city, order.pack or None)
    told = order.state in ("in_force", "issued", "stayed")
    body = order.doc["body"] if told else {}
    lacking = one_sided(body, pack, language) if told else []
    verdict, tone, sentences = verdict_words(order, city, _)
    asked = {"t": token or ""} | ({"p": printed_on} if printed_on else {})
    return alone(
        city,
        "public.html",
        static=STATIC,
        language=language,
        number=order.number,
        verdict=verdict,
        tone=tone,
        sentences=sentences,
        address=order.address,
        rows=row_words(order, pack, language, _),
        body={"must_stop": said_in(body, "must_stop", pack, language).text} if told else None,
        lacking={name.partition(".")[0] for name in lacking},
        remark=remark(body, _),
        may_continue=may_continue_words(body, pack, language, _),
        corrections=[(correction_in(body, one, pack, language).text, due_words(one.get("due"), _))
                     for one in body.get("corrections", ())],
        clocks=with_former(clock_rows(dates_of(order, language), pack, city.today(), _, language), order.doc, _)
        if told else [],
        unposted=unposted_words(pack, _) if order.state == "issued" else "",
        review=review_words(office_of(pack, language), _),
        contact=contact_words(pack, language, _),
        others=other_languages(language, asked),
    )


def unknown_page(city: City, template: str, language: str) -> Response:
    """What every guess gets, and whatever is not known: whom to ask, and nothing of what was asked."""
    contact = contact_words(pack_of(city), language, translator(language))
    return alone(city, template, static=STATIC, status=404, language=language, contact=contact,
                 others=other_languages(language, {}))


def code_missing_page(city: City, language: str) -> Response:
    """What an address without the code gets, whatever its number is: how to ask rightly, and no doubt cast on a paper
    that may be genuine."""
    return unknown_page(city, "public_code_missing.html", language)


def other_languages(language: str, asked: dict[str, str]) -> list[tuple[str, str, str]]:
    """Code, name and link of each other language of this page."""
    return [
        (code, name, "?" + urlencode(asked | {"lang": code}))
        for code, name in (("en", "English"), ("es", "Español"))
        if code != language
    ]


def dates_of(order: PublicOrder, language: str) -> tuple[dict[str, Any], ...]:
    """The order's dates with their derivation in `language`: the same days, said by the law's own words."""
    if language == "en" or not order.dates:
        return order.dates
    return tuple(order.doc.get(f"dates_{language}") or order.dates)


def contact_words(pack: Any, language: str, _: Translate) -> str:
    """Whom to call or write to."""
    office = office_of(pack, language)
    lines = [office["name"], office.get("department"), office.get("address")]
    if office.get("phone"):
        lines.append(_("Telephone: {phone}").format(phone=office["phone"]))
    return "\n".join(line for line in lines if line)


def _said(day: str | date | None, _: Translate) -> str:
    if day is None:
        return ""
    return date_words(parse_date(day) if isinstance(day, str) else day, _)


def verdict_words(order: PublicOrder, city: City, _: Translate) -> tuple[str, str, list[str]]:
    """The answer in one line, its colour, and the sentences under it."""
    if order.state == NOT_REGISTERED:
        if order.printed_on:
            posted = _("Posted {date}, as printed. Not yet registered.").format(date=_said(order.printed_on, _))
        else:
            posted = _("Not yet registered. Read the posting date on the placard itself.")
        return (
            _("Issued to a city tablet"),
            "wait",
            [
                posted,
                _(
                    "The city gave this number to one of its tablets. "
                    "The order is registered when the tablet reaches the office."
                ),
                _("Until then, do what the placard says, and call the office when in doubt."),
            ],
        )
    if order.state == NOT_TO_BE_USED:
        return (
            _("Recorded as not to be used"),
            "wait",
            [_("The city has recorded that no order goes with this number. If the paper hangs on a site, call the "
               "office before you rely on it or take it down.")],
        )
    if order.state == "voided":
        on = _said(order.declined_on or order.ended_on, _)
        how = {
            "supersede": _("The city replaced this order by another one on {date}. It has no force."),
            "count_as_repost": _(
                "The city ended this order on {date}: it was put up for a stop that was ordered already. "
                "The earlier order still counts."
            ),
            "appeal_decided": _("This order was reversed on appeal on {date}. It has no force."),
            "void": _("The city voided this order on {date}. It has no force."),
            "": _("The building inspector declined this order on {date}. It has no force."),
        }
        said = [how[order.ended_how].format(date=on)]
        if order.instead:
            said.append(_("Order {number} is in force here in its place. The work that it names must still stop.")
                        .format(number=order.instead))
        if order.reasons:
            said.append(_("Reasons: {reasons}").format(reasons=order.reasons))
        if order.instead:
            return _("Replaced by another order"), "stop", said
        return _("Genuine, but void"), "mute", said
    if order.state == "quarantined":
        return (
            _("The city is checking this order"),
            "wait",
            [_("Something in its record must be settled first. Call the office before you rely on it.")],
        )
    if order.state == "released":
        said = [_("The city has lifted this order by a written release.")]
        if order.released_on:
            said.append(_("Released {date}.").format(date=_said(order.released_on, _)))
        return _("Genuine, and released"), "good", said
    if order.state == "issued":
        return (
            _("Genuine and issued"),
            "stop",
            [
                _("Issued {date}. The office has no record yet that it was put up on the site.").format(
                    date=_said(order.issued_on, _)
                )
            ],
        )
    said = [_("Posted {date}.").format(date=_said(order.posted_on, _))]
    if order.confirmed_on:
        said.append(_("Confirmed by the building inspector on {date}.").format(date=_said(order.confirmed_on, _)))
    if order.printed_on and order.posted_on and order.printed_on.isoformat() != order.posted_on:
        said.append(
            _("The code you scanned says {printed}; the register says {posted}. The register counts.").format(
                printed=_said(order.printed_on, _), posted=_said(order.posted_on, _)
            )
        )
    for part in order.partly_released:
        said.append(_("Released in part: {part}").format(part=part))
    said += since_lines(order.doc, _)
    if order.state == "stayed":
        said.append(_("It is under review: until that ends, no further step follows. The work must still stop."))
    return _("Genuine and in force"), "stop", said


def row_words(order: PublicOrder, pack: Any, language: str, _: Translate) -> list[tuple[str, str]]:
    """Register number and grounds, as label and value."""
    rows = []
    if order.register:
        rows.append((_("Register number"), order.register))
    for letter in order.grounds:
        ground = pack.grounds.get(letter)
        # Only what the city has confirmed is shown to the public.
        if ground is not None and ground.confirmed:
            rows.append((_("Ground ({letter})").format(letter=letter), ground.titles.get(language) or ground.title))
    return rows
