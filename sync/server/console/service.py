"""Who was served with an order, and what those who got a copy of it on the site count as; correctable, with reasons.

The inspector chose it on the tablet. The record stays as it was signed; a correction is an act of its own.
"""

from __future__ import annotations

from typing import Any

from sync.documents.language import Translate, capital
from sync.documents.order_words import party_word
from sync.records.bodies import PARTY_ROLES
from sync.server.casework.matters import SERVED, acts_about, given_a_copy
from sync.server.casework.people import INSPECT
from sync.server.console import words
from sync.server.console.seat import Seat


def party_words(party: str, _: Translate) -> str:
    """What somebody is to the site."""
    return capital(party_word(party, _)) or (_("Somebody else") if party == "other" else _("not said"))


def view(seat: Seat, row: dict[str, Any]) -> dict[str, Any]:
    """Those who were served, and the form for those who got a copy on the site."""
    _, doc = seat._, row["doc"]
    with seat.city.db.read() as tx:
        given = given_a_copy(doc["body"], acts_about(tx, seat.city, row["id"]))
    return {
        "served": [(party_words(one["party"], _), _served(one, seat)) for one in doc.get("service", ())],
        "given": [{"index": one.index, "name": _who(one.name, one.role),
                   "party": party_words(one.party, _), "standing": _standing(one.party, _),
                   "counts": one.party in SERVED, "corrected": one.party != one.chosen}
                  for one in given] if doc["recommended_by"] is None else [],
        "parties": [(party, party_words(party, _)) for party in PARTY_ROLES],
        "may": seat.may(INSPECT) and row["status"] in ("in_force", "stayed"),
        "power": words.power_words(INSPECT, seat),
    }


def _who(name: str, role: str) -> str:
    return f"{name} ({role})" if name and role else name or role


def _standing(party: str, _: Translate) -> str:
    """A sentence: what the person is to the site, or that nobody said it."""
    if party not in PARTY_ROLES:
        return _("What this person is to the site was not said.")
    return _("What this person is to the site: {party}.").format(party=party_words(party, _))


def _served(one: dict[str, Any], seat: Seat) -> str:
    how = seat._("by hand, on the site") if one["method"] == "by hand" else ""
    return ", ".join(part for part in (one["name"], seat.day(one["on"]), how) if part)
