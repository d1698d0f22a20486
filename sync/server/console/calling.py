"""What calls for somebody in the office: emergencies on every page, forgotten PINs, and the numbers in the menu.

Each line says what to do and since when it waits. Nothing here decides: casework says what waits.
"""

from __future__ import annotations

from typing import Any

from sync.documents.language import Translate, moment_words, parse_wall
from sync.documents.site_papers import threat_words
from sync.server.casework import queries, recovery
from sync.server.casework.naming import person_names, site_addresses
from sync.server.casework.people import ADMINISTER
from sync.server.casework.site_acts import SiteAct
from sync.server.casework.waiting import Waiting
from sync.server.console.words import ago_words, powers_today

Doc = dict[str, Any]


def numbers(found: Waiting) -> dict[str, int]:
    """What the menu counts, by the page that lists it."""
    return {
        "/office/orders": found.orders,
        "/office/sites": len(found.emergencies) + found.sites,
        "/office/set-aside": found.conflicts,
        "/office/tablets": found.forgotten,
    }


def emergencies(seat: Any, found: Waiting) -> list[Doc]:
    """The emergencies that nobody has seen to, the latest first."""
    if not found.emergencies:
        return []
    _, city = seat._, seat.city
    names = person_names(city)
    places = site_addresses(city)
    rows = []
    for one in found.emergencies:
        body = one.body
        rows.append({
            "id": one.id,
            "address": places.get(one.site, one.site),
            "number": one.reference,
            "condition": body["condition"],
            "says": _("{who} found it {moment}. Threatened: {what}.").format(
                who=names.get(one.by, one.by), moment=moment_words(parse_wall(body["found_at"]), _),
                what=", ".join(threat_words(what, _) for what in body["threatens"])),
            "todo": todo_words(one, names.get(one.by, one.by), _),
        })
    return rows


def todo_words(one: SiteAct, inspector: str, _: Translate) -> str:
    """What the office does about an emergency, and by when."""
    body = one.body
    if body["entered_at"]:
        said = _("Now: call {name}, who has entered the land, and arrange what is still needed. Then write down what "
                 "was arranged.")
    elif body["approval"]:
        said = _("Now: call {name}. The entry is approved, and nobody has entered. Then write down what was arranged.")
    else:
        said = _("Now: call {name} and say whether the land may be entered. It takes a person who may approve entries. "
                 "Then write down what was arranged.")
    return said.format(name=inspector)


def forgotten(seat: Any, found: Waiting) -> list[Doc]:
    """The people who cannot go on because they forgot a PIN, the one who waits longest first."""
    if not found.forgotten:
        return []
    _, city = seat._, seat.city
    helpers = [person["name"] for person in queries.people_list(city)
               if ADMINISTER in powers_today(person, city.today())]
    rows = []
    for one in recovery.asks(city):
        if one.state != recovery.WAITING:
            continue
        todo = _("Soon: call {name}, compare the code and open it with the passphrase.").format(name=one.name)
        if not seat.may_administer:
            todo = _("Soon: tell an administrator ({names}).").format(names=", ".join(helpers) or _("nobody"))
        rows.append({
            "title": _("{name} forgot the PIN of tablet {tablet}").format(name=one.name, tablet=one.tablet),
            "tablet": one.tablet,
            "says": _("Asked {ago}. What was begun there waits until it is opened.").format(
                ago=ago_words(one.asked_at, city.now(), _)),
            "todo": todo,
        })
    return rows[::-1]
