"""A tablet's file at the office: upload it, see what is inside, take it in, give the receipts back.

Between the steps the file lies beside the unfinished uploads under a random name that only this page told; it is
checked anew when it is taken in, so nothing rests on what an earlier step saw.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

from starlette.responses import Response

from sync.documents.language import counted, size_words
from sync.records.exports import RECEIPTS_MEDIA
from sync.records.problems import CATALOGUE, Problem
from sync.records.times import parse_wall
from sync.server.casework.importing import Inside, Taken, look_into, take_in
from sync.server.casework.naming import person_names
from sync.server.casework.people import ADMINISTER
from sync.server.console import deeds
from sync.server.console.seat import Seat, takes_files
from sync.server.console.security import guard

HERE = "/office/tablets"
KEPT = timedelta(days=1)
MOST_SHOWN = 200
MOST_BYTES = 16 * 2**30
_TOKEN = re.compile(r"[0-9a-f]{32}")


def page(seat: Seat, *, status: int = 200, **more: Any) -> Response:
    """Choose a file; `more` says what came of the last step."""
    given = {"wrong": None, "inside": None, "taken": None, "token": ""} | more
    return seat.page("import.html", HERE, status=status, **given)


def choose(seat: Seat) -> Response:
    _allowed(seat)
    return page(seat)


@takes_files(MOST_BYTES)
def look(seat: Seat) -> Response:
    """The file came: keep it aside, check all of it, say what is inside."""
    _allowed(seat)
    given = next(iter(seat.files), None)
    if given is None:
        raise Problem("body-malformed", seat._("Choose the file first."), where="file")
    _tidy(seat)
    token = seat.city.random_bytes(16).hex()
    place = _place(seat, token)
    try:
        with place.open("xb") as kept:
            shutil.copyfileobj(given.file, kept, 1024 * 1024)
        _stamp(place, seat)
        with place.open("rb") as file:
            inside = look_into(seat.city, file)
    except Problem as problem:
        place.unlink(missing_ok=True)
        return page(seat, status=problem.status, wrong=_said(problem, seat))
    except BaseException:
        place.unlink(missing_ok=True)
        raise
    return page(seat, inside=_inside(inside, seat), token=token)


def take(seat: Seat) -> Response:
    """Take it in; the receipts lie ready afterwards, the file itself is done with."""
    _allowed(seat)
    token = seat.path("token")
    place = _place(seat, token)
    try:
        with place.open("rb") as file:
            taken = take_in(seat.city, seat.who, file)
    except FileNotFoundError:
        raise Problem("not-found", seat._("This file is not here any more: upload it again.")) from None
    answer = _place(seat, token, "receipts")
    answer.write_bytes(taken.receipts.to_bytes())
    _stamp(answer, seat)
    place.unlink(missing_ok=True)
    return page(seat, taken=_taken(taken, seat), token=token)


def receipts(seat: Seat) -> Response:
    """The receipts as a file, to bring back to the tablet."""
    _allowed(seat)
    try:
        data = _place(seat, seat.path("token"), "receipts").read_bytes()
    except FileNotFoundError:
        raise Problem("not-found", seat._("These receipts are not here any more. The tablet asks by itself.")) from None
    name = f"siltwatch-receipts-{seat.city.now():%Y-%m-%d-%H%M}.json"
    return guard(Response(data, media_type=RECEIPTS_MEDIA, headers={
        "Content-Disposition": f'attachment; filename="{name}"'}))


def _allowed(seat: Seat) -> None:
    if not seat.may_administer:
        raise Problem("no-authority", seat._("Taking in a tablet's file takes the power to administer."),
                      where=ADMINISTER)


def _place(seat: Seat, token: str, kind: str = "zip") -> Path:
    if not _TOKEN.fullmatch(token):
        raise Problem("not-found")
    return seat.city.blobs.unfinished / f"import-{token}.{kind}"


def _stamp(place: Path, seat: Seat) -> None:
    """By the city's clock, as everything else here."""
    now = seat.city.now().timestamp()
    os.utime(place, (now, now))


def _tidy(seat: Seat) -> None:
    """Files that nobody came back for."""
    oldest = (seat.city.now() - KEPT).timestamp()
    for path in seat.city.blobs.unfinished.glob("import-*"):
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)


def _said(problem: Problem, seat: Seat) -> dict[str, str]:
    _ = seat._
    return {"title": _(problem.title), "detail": problem.detail + (f" ({problem.where})" if problem.where else ""),
            "advice": _(problem.advice), "code": problem.code}


def _inside(inside: Inside, seat: Seat) -> dict[str, Any]:
    """What is in the file, for a person to see before it is taken in."""
    _ = seat._
    known = [one for one in inside.records if one.fact is not None]
    kinds = Counter(deeds.kind_words(one.fact.kind, _) for one in known if one.fact)
    names = person_names(seat.city)
    rows = [{
        "kind": deeds.kind_words(one.fact.kind, _) if one.fact else _("unreadable"),
        "who": names.get(one.fact.user, one.fact.user) if one.fact else "",
        "when": seat.moment(one.fact.at.wall) if one.fact else "",
        "id": one.id,
        "here": one.here,
    } for one in inside.records]  # fmt: skip
    return {
        "tablet": inside.manifest.tablet_code, "at": _when(inside.manifest.at, seat), "rows": rows[:MOST_SHOWN],
        "more": max(0, len(rows) - MOST_SHOWN), "records": len(rows),
        "new": sum(not one.here for one in inside.records),
        "kinds": ", ".join(f"{kind}: {count}" for kind, count in kinds.most_common()),
        "files": inside.files, "files_here": inside.files_here, "missing": inside.files_missing,
        "lacking": counted(
            inside.files_missing, "1 evidence file is neither in the file nor here: it stays on the tablet.",
            "{count} evidence files are neither in the file nor here: they stay on the tablet.", _),
        "size": size_words(inside.size),
    }  # fmt: skip


def _when(at: str, seat: Seat) -> str:
    """The tablet's own time in words; as it stands when it is none."""
    try:
        return seat.moment(parse_wall(at, "at"))
    except Problem:
        return at


def _taken(taken: Taken, seat: Seat) -> dict[str, Any]:
    _ = seat._
    found, answers = taken.records, []
    if n := found.get("applied"):
        answers.append(counted(n, "1 record counts", "{count} records count", _))
    if n := found.get("waiting"):
        answers.append(counted(n, "1 record waits for another one", "{count} records wait for another one", _))
    if n := found.get("quarantined"):
        answers.append(counted(n, "1 record is set aside, to be decided",
                               "{count} records are set aside, to be decided", _))
    if n := found.get("refused"):
        answers.append(counted(n, "1 record could not be read", "{count} records could not be read", _))
    answers.append(counted(taken.files, "1 evidence file is held", "{count} evidence files are held", _))
    return {
        "tablet": taken.tablet,
        "answers": answers,
        "aside": found.get("quarantined", 0) + found.get("waiting", 0),
        "refused": [(sha[:12], _(CATALOGUE[code].title) if code in CATALOGUE else code)
                    for sha, code in taken.refused_files],
    }  # fmt: skip
