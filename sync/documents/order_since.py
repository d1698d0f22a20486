"""What happened to its site while a stop-work order stands, a sentence each, for office, tablet and public page alike.

A sale names nobody: who owns the land is in the office's own rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sync.documents.language import Translate, date_words, parse_date
from sync.documents.order_words import party_word


def since_lines(doc: Mapping[str, Any], _: Translate, *, service: bool = False) -> list[str]:
    """``doc``: the order's document. Nothing where nothing happened, or where an older server says nothing of it.
    ``service``: with who was served and when work went on, which is nobody's business on the public page."""
    said = []
    if granted := doc.get("granted"):
        said.append(_("Permit {number} was granted on {date}. The order stands until it is released.").format(
            number=granted["number"], date=date_words(parse_date(granted["on"]), _)))
    if sold := doc.get("sold"):
        text = (_("The land was sold on {date}. The order stands; the new landowner was served on {served}.")
                if sold["served"] else
                _("The land was sold on {date}. The order stands; the new landowner is still to be served."))
        said.append(text.format(date=date_words(parse_date(sold["on"]), _),
                                served=date_words(parse_date(sold["served"]), _) if sold["served"] else ""))
    if moved := doc.get("recounted"):
        said.append(_("The calendar was corrected ({pack}): its dates were counted again, and the placard shows the "
                      "former ones.").format(pack=moved["pack"]))
    if service and (days := [date_words(parse_date(one["on"]), _) for one in doc.get("worked_on", ())]):
        said.append(_("Work went on while it was stopped: {days}.").format(days=", ".join(days)))
    if service and (served := [
            _("{party} ({date})").format(party=party_word(one["party"], _), date=date_words(parse_date(one["on"]), _))
            for one in doc.get("service", ())]):
        said.append(_("Served: {who}.").format(who=", ".join(served)))
    return said


def former_words(doc: Mapping[str, Any], clock: str, _: Translate) -> str:
    """The day from which a step was possible before the calendar was corrected, to stand behind the present one; ""
    where that clock did not move."""
    was = next((one["was"] for one in (doc.get("recounted") or {}).get("dates", ()) if one["clock"] == clock), None)
    if was is None:
        return ""
    day = was["eligible_from"] or was["last_day"]
    return " " + _("(before the calendar was corrected: from {date} on)").format(date=date_words(parse_date(day), _))
