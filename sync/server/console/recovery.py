"""Forgotten PINs: what tablets ask, and the passphrase with which an administrator opens a person's key for one.

The passphrase of a new key pair is shown in the answer to the POST that made it and never again. One that was typed is
used once, in this process, and kept nowhere; a wrong one is audited.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.records.problems import Problem
from sync.server.casework import recovery
from sync.server.console.seat import Seat


def show(seat: Seat, **made: Any) -> Response:
    """The questions, and the key pair. For administrators."""
    _must_administer(seat)
    _, city = seat._, seat.city
    key, found = recovery.key_state(city), recovery.asks(city)
    states = {recovery.ANSWERED: _("answered"), recovery.DECLINED: _("declined"), recovery.REPLACED: _("asked anew")}
    rows = [{"id": one.id, "tablet": one.tablet, "name": one.name, "code": one.code, "at": seat.moment(one.asked_at),
             "state": states.get(one.state, "")} for one in found]
    return seat.page(
        "recovery.html",
        "/office/tablets",
        **({"passphrase": None} | made),
        waiting=[row for row, one in zip(rows, found, strict=True) if one.state == recovery.WAITING],
        settled=[row for row, one in zip(rows, found, strict=True) if one.state != recovery.WAITING],
        has_key=key.id is not None,
        key_made=seat.moment(key.made_at) if key.made_at else "",
    )


def _must_administer(seat: Seat) -> None:
    if not seat.may_administer:
        raise Problem("no-authority", "only an administrator opens keys", where="administer")


def make_key(seat: Seat) -> Response:
    """POST: a key pair, the first one or another; shows its passphrase."""
    if recovery.key_state(seat.city).id is not None and seat.form.get("another") != "yes":
        raise Problem("already-decided", "the city has a key pair for forgotten PINs")
    return show(seat, passphrase=recovery.make_recovery_key(seat.city, seat.who))


def answer(seat: Seat) -> Response:
    """POST: the codes were compared; opens the key for the tablet."""
    if seat.form.get("compared") != "yes":
        raise Problem("body-malformed", "compare the code with the person first", where="compared")
    recovery.answer(seat.city, seat.who, seat.path("id"), seat.form.get("passphrase", ""))
    return seat.go("/office/forgotten?done=recovery_answered")


def decline(seat: Seat) -> Response:
    """POST: not opened, with the reasons."""
    recovery.decline(seat.city, seat.who, seat.path("id"), seat.form.get("reasons", ""))
    return seat.go("/office/forgotten?done=recovery_declined")
