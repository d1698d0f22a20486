"""What happened to its site while a stop-work order stands, a sentence each, for office, tablet and public page alike.

A sale names nobody: who owns the land is in the office's own rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sync.documents.language import Translate, date_words, parse_date
from sync.documents.order_words import party_word, step_label


def since_lines(doc: Mapping[str, Any], _: Translate, *, public: bool = False) -> list[str]:
    """``doc``: the order's document. Nothing where nothing happened, or where an older server says nothing of it. The
    ``public`` is not told who was served."""
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
        said += [_("Counted again by a corrected calendar ({pack}). {step}: now from {now} on, before that from {was}."
                   ).format(pack=moved["pack"], step=step_label(one["clock"], _) or one["label"],
                            **{name: date_words(parse_date(day), _) for name, day in (
                                ("now", one["eligible_from"] or one["last_day"]),
                                ("was", one["was"]["eligible_from"] or one["was"]["last_day"]))})
                 for one in moved["dates"]]
    if not public and (served := [
            _("{party} ({date})").format(party=party_word(one["party"], _), date=date_words(parse_date(one["on"]), _))
            for one in doc.get("service", ())]):
        said.append(_("Served: {who}.").format(who=", ".join(served)))
    return said
