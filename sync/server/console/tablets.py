"""Tablets and people: one-time codes are made here, shown once, and never again.

A code is shown in the answer to the POST that made it, not on a page of its own: there is no address under which
it could be found later.
"""

from __future__ import annotations

from typing import Any

import segno
from markupsafe import Markup
from starlette.responses import Response

from sync.documents.language import Translate
from sync.server.casework import queries
from sync.server.casework.codes import live_until
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code, withdraw_tablet
from sync.server.casework.lost import Missing, missing_from
from sync.server.casework.people import INSPECT
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console import words
from sync.server.console.seat import Seat, ago_words
from sync.server.console.signing_in import sign_in_link


def tablets(seat: Seat, **code: Any) -> Response:
    _, city = seat._, seat.city
    rows = [
        {
            "code": tablet["code"],
            "note": ", ".join(tablet["people"]),
            "seen": ago_words(tablet["seen_at"], city.now(), _),
            "enrolled": seat.moment(tablet["enrolled_at"]),
            "withdrawn": tablet["status"] != "active",
            "missing": missing_words(missing_from(city, tablet["code"]), _),
        }
        for tablet in queries.tablet_list(city)
    ]
    return seat.page("tablets.html", "/office/tablets", **({"code": None, "tablets": rows} | code))


def missing_words(missing: Missing | None, _: Translate) -> list[str]:
    """What the tablet is known to have held that never arrived, a sentence each; empty when nothing is."""
    said = []
    if missing is None or missing.nothing:
        return said
    if missing.counters:
        runs = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in missing.counters)
        said.append(_("{n} of its records up to number {last} never arrived: {runs}.").format(
            n=missing.records, last=missing.highest, runs=runs))
    if missing.needed:
        said.append(_("{n} records that its records refer to are not here.").format(n=len(missing.needed)))
    if missing.files:
        said.append(_("{n} evidence files that its records name are not here.").format(n=len(missing.files)))
    return said


def new_enrolment_code(seat: Seat) -> Response:
    city = seat.city
    code = create_enrolment_code(city, seat.who)
    link = f"{city.public_url}/app/#enrol={code}"
    return tablets(seat, code=code, link=link, qr=qr_svg(link), until=seat.moment(live_until("enrol", city.now())))


def qr_svg(link: str) -> Markup:
    """The QR code of `link` as inline SVG without styles."""
    symbol = segno.make(link, error="m", micro=False)
    return Markup(symbol.svg_inline(border=2, omitsize=True, title="QR"))


def withdraw(seat: Seat) -> Response:
    withdraw_tablet(seat.city, seat.who, seat.path("code"), seat.form.get("reasons", ""))
    return seat.go("/office/tablets?done=withdrawn")


def people(seat: Seat, **code: Any) -> Response:
    _, city = seat._, seat.city
    today = city.today()
    rows = []
    for person in queries.people_list(city):
        held = words.powers_today(person, today)
        rows.append(
            {
                "id": person["id"],
                "name": person["name"],
                "title": person["title"],
                "credential_no": person["credential_no"],
                "may": ", ".join(words.power_words(power, _) for power in held),
                "inspects": INSPECT in held,
            }
        )
    return seat.page("people.html", "/office/people", **({"code": None, "people": rows} | code))


def _name(seat: Seat) -> str:
    return next((one["name"] for one in queries.people_list(seat.city) if one["id"] == seat.path("id")), "")


def new_personal_code(seat: Seat) -> Response:
    _, city = seat._, seat.city
    code = create_personal_code(city, seat.who, seat.path("id"))
    return people(
        seat,
        code=code,
        code_title=_("Personal code for {name}").format(name=_name(seat)),
        code_says=_("{name} types it on an enrolled tablet, to sign in there.").format(name=_name(seat)),
        is_link=False,
        until=seat.moment(live_until("personal", city.now())),
    )


def new_sign_in_link(seat: Seat) -> Response:
    _, city = seat._, seat.city
    token = create_sign_in_link(city, seat.who, seat.path("id"))
    return people(
        seat,
        code=sign_in_link(city.public_url, token),
        code_title=_("Sign-in link for {name}").format(name=_name(seat)),
        code_says=_("Give it to {name} alone: whoever opens it first can sign in.").format(name=_name(seat)),
        is_link=True,
        until=seat.moment(live_until("link", city.now())),
    )
