"""What an order that stands asks for first, and how long it is until the city may take a further step.

The two are different things: a correction has its own day, often "at once", and the work stops with the order itself.
The days that the law counts only say from when on the city may go further, so they are never called time to comply.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import TYPE_CHECKING, Any

from field_app.work import finding_sites
from field_app.work.orders_known import STANDING, KnownOrder
from field_app.work.site_standing import standing
from field_app.work.sites import due_line, is_past
from sync.documents.language import counted, date_words

if TYPE_CHECKING:
    from field_app.work.desk import Desk


def open_ids(desk: Desk, site: str) -> Collection[str]:
    """The findings of the site that are open."""
    index = finding_sites.of(desk)
    known = index.sites.get(site)
    return {one["id"] for one in standing(desk, index, known).open} if known is not None else ()


def first_due(desk: Desk, order: KnownOrder) -> tuple[str, str]:
    """The correction of the order that is due first, in words, and overdue | today | coming. ("", "") for an order that
    is not up, and once every finding that it rests on has been put right."""
    if order.status not in STANDING or not order.posted_on:
        return "", ""
    rests_on = {one["finding"] for one in order.body.get("findings") or ()}
    if rests_on and not rests_on & set(open_ids(desk, order.site)):
        return "", ""
    dues: list[dict[str, Any]] = [one["due"] for one in order.body["corrections"] if one.get("due")]
    if not dues:
        return "", ""
    _, first = desk.words, min(dues, key=lambda due: (due["on"], due["at"]))
    past = is_past(desk, first)
    said = _("Correction {due}") if len(order.body["corrections"]) == 1 else _("First correction {due}")
    state = "overdue" if past else "today" if first.get("at_once") or first["on"] <= desk.today().isoformat() \
        else "coming"
    return said.format(due=due_line(desk, first, overdue=past)), state


def days_left(desk: Desk, last_day: str, day: date) -> tuple[str, str]:
    """How long the city still has to wait before the step that a time limit opens, and overdue | today | coming."""
    _, last = desk.words, date.fromisoformat(last_day)
    days = (last - day).days
    if days < 0:
        return _("this wait ended {date}").format(date=date_words(last, _)), "overdue"
    if days == 0:
        return _("last day before the city may take this step"), "today"
    return counted(days, "1 more day before the city may take this step",
                   "{count} more days before the city may take this step", _), "coming"
