"""The register of stop-work orders: number after number, with a line where the records were restored from a backup.

It is read straight from the orders, so it is whole by itself; a number that is not in it, and bears another mark or
none, was given out in records that are lost.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from sync.documents.language import Translate, counted
from sync.server.casework.lives import lost_numbers, register_lines
from sync.server.console.seat import Seat


def show(seat: Seat) -> Response:
    """The whole register, newest first."""
    _ = seat._
    lines = register_lines(seat.city)
    lost = lost_numbers(seat.city)
    return seat.page(
        "register.html",
        "/office/orders",
        counted=counted(sum(not line["restored"] for line in lines), "1 order is registered.",
                        "{count} orders are registered.", _),
        lines=[_line(line, seat) for line in reversed(lines)],
        lost=[{"number": one.said, "how": _how(one.how, seat), "when": seat.moment(one.at)} for one in lost],
    )


def _line(line: dict[str, Any], seat: Seat) -> dict[str, Any]:
    _ = seat._
    if not line["restored"]:
        return {"restored": "", "register": line["register"], "id": line["order"], "number": line["number"],
                "when": seat.moment(line["at"]), "address": line["address"],
                "former": _("In the records that were lost: {numbers}").format(numbers=", ".join(line["former"]))
                if line["former"] else ""}
    after = line["after"] or _("none")
    said = [_began(line["noticed"], _).format(when=seat.moment(line["at"]))]
    if line["backup_at"]:
        said.append(_("The backup was made on {when}.").format(when=seat.moment(line["backup_at"])))
    said.append(_("The last register number in it was {number}. From here on every new number bears {mark}. A later "
                  "number without it was given out in the days that were lost, and stands for nothing here.").format(
        number=after, mark=line["mark"]))
    return {"restored": " ".join(said)}


def _began(noticed: str | None, _: Translate) -> str:
    return {
        "folder": _("On {when} the server found that its folder is a copy, put back or moved to another disk."),
        "tablet": _("On {when} a tablet came that had been told more than these records hold: they had been set back "
                    "to an earlier day."),
    }.get(noticed or "", _("The records were restored from a backup on {when}."))


def _how(how: str, seat: Seat) -> str:
    _ = seat._
    return {"placard": _("a placard with it was scanned"), "record": _("a tablet sent a record with it")}.get(how, how)
