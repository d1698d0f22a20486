"""Forgotten PINs: what tablets ask, and the passphrase with which an administrator opens a person's key for one.

The passphrase of a new key pair is shown in the answer to the POST that made it and never again. One that was typed is
used once, in this process, and kept nowhere; a wrong one is audited, and the form comes back with all but it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from sync.records.problems import Problem
from sync.records.recovery import MOST_FILE_BYTES
from sync.server.casework import recovery
from sync.server.console.seat import Seat, takes_files
from sync.server.console.security import guard
from sync.server.console.times import span_words
from sync.server.console.words import ago_words

SAME_FORM = ("passphrase-wrong", "passphrase-wait", "body-malformed", "reasons-missing", "already-decided")
"""Refusals that are said in the form itself, with what was filled in."""


def show(seat: Seat, *, wrong: Problem | None = None, **made: Any) -> Response:
    """The questions, and the key pair. For administrators. ``wrong``: why the last answer was refused."""
    _must_administer(seat)
    _, city = seat._, seat.city
    key, found = recovery.key_state(city), recovery.asks(city)
    states = {recovery.ANSWERED: _("answered"), recovery.DECLINED: _("declined"), recovery.REPLACED: _("asked anew")}
    tried = seat.request.path_params.get("id", "") if wrong else ""
    rows = [{"id": one.id, "tablet": one.tablet, "name": one.name, "code": one.code, "at": seat.moment(one.asked_at),
             "ago": ago_words(one.asked_at, city.now(), _), "state": states.get(one.state, ""),
             "file": one.state in (recovery.ANSWERED, recovery.DECLINED),
             "former": seat.moment(one.former_key) if one.former_key else "",
             "wrong": _wrong_words(seat, wrong) if wrong and one.id == tried else "",
             "compared": one.id == tried and seat.form.get("compared") == "yes",
             "reasons": seat.form.get("reasons", "") if one.id == tried else ""} for one in found]
    waiting = [row for row, one in zip(rows, found, strict=True) if one.state == recovery.WAITING]
    return seat.page(
        "recovery.html",
        "/office/tablets",
        status=wrong.status if wrong else 200,
        **({"passphrase": None, "file_wrong": ""} | made),
        waiting=waiting,
        wrong=_wrong_words(seat, wrong) if wrong and all(row["id"] != tried for row in waiting) else "",
        settled=[row for row, one in zip(rows, found, strict=True) if one.state != recovery.WAITING],
        has_key=key.id is not None,
        key_made=seat.moment(key.made_at) if key.made_at else "",
    )


def _wrong_words(seat: Seat, wrong: Problem) -> str:
    """What is not right, in a sentence that says what to do."""
    _ = seat._
    seconds = recovery.wait_now(seat.city)
    again = _("The next one is taken in {time}.").format(time=span_words(seconds, _)) if seconds else ""
    if wrong.code == "passphrase-wait":
        return " ".join((_("Too many wrong passphrases: this one was not tried."), again)).strip()
    if wrong.code == "passphrase-wrong":
        said = _("That is not the passphrase. Type it once more, as it stands on the paper. Nothing else is lost.")
        return f"{said} {again}".strip()
    if wrong.code == "body-malformed":
        return _("Compare the code with the person first, and tick that you did.")
    if wrong.code == "reasons-missing":
        return _("Write why, in a sentence.")
    return _("Somebody has answered this in the meantime. Nothing was changed.")


def _must_administer(seat: Seat) -> None:
    if not seat.may_administer:
        raise Problem("no-authority", "only an administrator opens keys", where="administer")


def make_key(seat: Seat) -> Response:
    """POST: a key pair, the first one or another; shows its passphrase."""
    if recovery.key_state(seat.city).id is not None and seat.form.get("another") != "yes":
        raise Problem("already-decided", "the city has a key pair for forgotten PINs")
    return show(seat, passphrase=recovery.make_recovery_key(seat.city, seat.who))


@takes_files(2 * MOST_FILE_BYTES)
def take_question(seat: Seat) -> Response:
    """POST: the file of a tablet that cannot reach the office; it waits like one that came by the network."""
    _must_administer(seat)
    given = next(iter(seat.files), None)
    try:
        recovery.take_question(seat.city, given.file.read(MOST_FILE_BYTES + 1) if given else b"")
    except Problem as problem:
        return show(seat, file_wrong=f"{seat._(problem.title)}. {seat._(problem.advice)}")
    return seat.go("/office/forgotten?done=recovery_question")


def answer_file(seat: Seat) -> Response:
    """GET: the answer, to be brought to the tablet."""
    _must_administer(seat)
    code, data = recovery.answer_file(seat.city, seat.path("id"))
    return guard(Response(data, media_type="application/json", headers={
        "Content-Disposition": f'attachment; filename="siltwatch-pin-answer-{code}.json"'}))


def answer(seat: Seat) -> Response:
    """POST: the codes were compared; opens the key for the tablet."""
    return _decided(seat, "recovery_answered", lambda: _open(seat))


def _open(seat: Seat) -> None:
    if seat.form.get("compared") != "yes":
        raise Problem("body-malformed", "compare the code with the person first", where="compared")
    recovery.answer(seat.city, seat.who, seat.path("id"), seat.form.get("passphrase", ""))


def decline(seat: Seat) -> Response:
    """POST: not opened, with the reasons."""
    return _decided(seat, "recovery_declined", lambda: recovery.decline(
        seat.city, seat.who, seat.path("id"), seat.form.get("reasons", "")))


def _decided(seat: Seat, done: str, decide: Callable[[], None]) -> Response:
    try:
        decide()
    except Problem as problem:
        if problem.code in SAME_FORM:
            return show(seat, wrong=problem)
        raise
    return seat.go(f"/office/forgotten?done={done}")
