"""What a placard says, in one of its languages: for a screen, where the paper itself cannot be seen. Pure.

The same sentences in the same order as on the sheet (`placard.py`), each from the function that it takes it from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sync.documents import order_words as words
from sync.documents.language import date_words, translator
from sync.documents.order_texts import Said, correction_in, remark, said_in


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of the sheet, and the lines that stand below it."""

    heading: str
    lines: tuple[str, ...]


def placard_said(order: Mapping[str, Any], pack: Any, language: str, dates: Iterable[Any]) -> tuple[Part, ...]:
    """The body of an order fact as its placard says it; `dates` as for `placard_pdf`.

    Raises Problem "clause-not-confirmed" or "subject-unknown" for a ground that may not print.
    """
    _ = translator(language)

    def own(said: Said) -> list[str]:
        return [*[line for line in said.text.split("\n") if line], *([remark(order, _)] if said.as_written else [])]

    must = own(said_in(order, "must_stop", pack, language))
    may = [*own(said_in(order, "may_continue", pack, language)), _(words.MAY_ALWAYS), _(words.ENDS_BY_RELEASE)]
    grounds = [f"({one.letter}) {one.title.rstrip('.')}. [{one.cite}]"
               for one in words.grounds_lines(order, pack, language)]
    corrections = []
    for at, one in enumerate(order["corrections"], start=1):
        first, *rest = own(correction_in(order, one, pack, language)) or [""]
        corrections += [f"{at}. {first} ({words.due_words(one.get('due'), _)})", *rest]
    steps = []
    for line in words.date_lines(dates, pack, _, language):
        if line.eligible_from:
            steps.append(_("{label}: from {date} on.").format(
                label=line.label, date=date_words(line.eligible_from, _)))
        else:
            steps.append(_("{label}: no day is counted yet.").format(label=line.label))
    found = (
        Part(_("This work must stop now"), tuple(must)),
        Part(_("This work may and must go on"), tuple(may)),
        Part(_("Grounds of this order"), tuple(grounds)),
        Part(_("What must be corrected, and by when"), tuple(corrections)),
        Part(_("What the inspector saw"), tuple(own(said_in(order, "observed", pack, language)))),
        Part(_("What may follow, and the first day on which it may"), tuple(steps)),
    )
    return tuple(part for part in found if part.lines)
