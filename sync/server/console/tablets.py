"""Tablets and people: one-time codes are made here, shown once, and never again.

A code is shown in the answer to the POST that made it, not on a page of its own: there is no address under which
it could be found later.
"""

from __future__ import annotations

from typing import Any

import segno
from markupsafe import Markup
from starlette.responses import Response

from sync.documents.language import Translate, capital, counted
from sync.records.problems import Problem
from sync.server.casework import queries
from sync.server.casework.city import City
from sync.server.casework.clocks import off_of_tablets
from sync.server.casework.codes import live_until
from sync.server.casework.copies import lines
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code, withdraw_tablet
from sync.server.casework.lost import Missing, missing_from
from sync.server.casework.naming import person_names
from sync.server.casework.people import INSPECT, end_power
from sync.server.casework.sessions import create_sign_in_link
from sync.server.console import words
from sync.server.console.seat import Seat
from sync.server.console.signing_in import sign_in_link
from sync.server.console.times import span_words
from sync.server.console.words import ago_words


def tablets(seat: Seat, **code: Any) -> Response:
    _, city = seat._, seat.city
    was, clocks = _told(city)
    rows = [
        {
            "code": tablet["code"],
            "note": ", ".join(tablet["people"]),
            "seen": ago_words(tablet["seen_at"], city.now(), _),
            "enrolled": seat.moment(tablet["enrolled_at"]),
            "withdrawn": tablet["status"] != "active",
            "clock": clock_now(clocks.get(tablet["id"]), _),
            "was": was_words(tablet["code"], was, _),
            "missing": missing_words(missing_from(city, tablet["code"]), _),
        }
        for tablet in queries.tablet_list(city)
    ]
    return seat.page("tablets.html", "/office/tablets", **({"code": None, "tablets": rows} | code))


def _told(city: City) -> tuple[dict[str, str], dict[str, int]]:
    """The codes that copies had before, and the clocks that are off, by tablet id."""
    with city.db.read() as tx:
        off = off_of_tablets(tx, city)
    return lines(city), off


def clock_now(off_s: int | None, _: Translate) -> str:
    """That the tablet's clock is off, "" while it is right or unknown."""
    if off_s is None:
        return ""
    said = _("Its clock is {time} slow.") if off_s > 0 else _("Its clock is {time} fast.")
    return said.format(time=span_words(abs(off_s), _))


def was_words(code: str, was: dict[str, str], _: Translate) -> str:
    """What became of a copied code, "" for a tablet that was never copied."""
    if code in was:
        return _("It had the code {was} until it was seen that another tablet works under that too.").format(
            was=was[code])
    copies = sorted(one for one, parent in was.items() if parent == code)
    if copies:
        return _("It was copied, or set back to an earlier day. The copy works as {codes} now.").format(
            codes=", ".join(copies))
    return ""


def tablet(seat: Seat) -> Response:
    """One tablet: how it stands, and, name by name, what it is known to have held that never arrived."""
    _, city = seat._, seat.city
    code = seat.path("code")
    missing = missing_from(city, code)
    found = next((one for one in queries.tablet_list(city) if one["code"] == code), None)
    if missing is None or found is None:
        raise Problem("not-found", "there is no such tablet", where=code)
    was, clocks = _told(city)
    return seat.page(
        "tablet.html",
        "/office/tablets",
        code=code,
        withdrawn=found["status"] != "active",
        says=[one for one in (clock_now(clocks.get(found["id"]), _), was_words(code, was, _)) if one],
        rows=[
            (_("Last contact"), seat.moment(found["seen_at"]) if found["seen_at"] else _("never")),
            (_("Enrolled"), seat.moment(found["enrolled_at"])),
            (_("People"), ", ".join(found["people"]) or _("nobody")),
            (_("Records received"), _("{count}, the newest is its number {highest}").format(
                count=found["facts"], highest=missing.highest) if found["facts"] else _("none")),
            *([(_("Withdrawn because"), found["note"])] if found["status"] != "active" and found["note"] else []),
        ],
        runs=[_("Record {n}").format(n=first) if first == last else _("Records {first} to {last}").format(
            first=first, last=last) for first, last in missing.counters],
        needed=missing.needed,
        files=[{"kind": file_words(kind, _), "sha256": sha, "fact": fact} for sha, kind, fact in missing.files],
        nothing=missing.nothing,
    )


def file_words(kind: str, _: Translate) -> str:
    """What kind of evidence file it is."""
    return {"photo": _("Photo"), "placard": _("Placard"), "signature": _("Signature"),
            "voice_note": _("Voice note")}.get(kind, kind)


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
        said.append(counted(len(missing.needed), "1 record that its records refer to is not here.",
                            "{count} records that its records refer to are not here.", _))
    if missing.files:
        said.append(counted(len(missing.files), "1 evidence file that its records name is not here.",
                            "{count} evidence files that its records name are not here.", _))
    if missing.large:
        copied = _("A smaller copy is here of {n}.").format(n=len(missing.copied))
        said.append(f"{words.large_words(len(missing.large), _)} {copied}")
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
                "may": capital(", ".join(words.power_words(power, seat) for power in held)),
                "inspects": INSPECT in held,
                "held": [(power, words.power_words(power, seat)) for power in held],
            }
        )
    shown = {"code": None, "qr": None, "people": rows, "today": today}
    return seat.page("people.html", "/office/people", **(shown | code))


def end_a_power(seat: Seat) -> Response:
    """POST: the person holds the power for the last time on that day; every tablet is told."""
    power = seat.form.get("power", "")
    end_power(seat.city, seat.who, seat.path("id"), power, seat.day_needed("last_day"))
    return seat.go("/office/people?done=ended")


def _name(seat: Seat) -> str:
    return person_names(seat.city).get(seat.path("id"), "")


def new_personal_code(seat: Seat) -> Response:
    _, city = seat._, seat.city
    code = create_personal_code(city, seat.who, seat.path("id"))
    return people(
        seat,
        code=code,
        code_title=_("Personal code for {name}").format(name=_name(seat)),
        code_says=_("{name} scans or types it on an enrolled tablet, to sign in there.").format(name=_name(seat)),
        qr=qr_svg(f"{city.public_url}/app/#signin={code}"),
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
