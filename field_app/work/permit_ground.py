"""Ground (a), work without a permit, on a site whose permit is in force.

What the permit covers is no work without a permit. So the ground can be taken there only for work that the permit does
not cover, and the order says which: on its placard and in its record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from field_app.work.orders_known import permit_in_force
from field_app.work.site_list import permit_words

if TYPE_CHECKING:
    from field_app.work.desk import Desk

NO_PERMIT = "a"
LONGEST = 1_000


def _in_the_way(desk: Desk, doc: dict[str, Any]) -> dict[str, Any] | None:
    """The permit of the order's site that is in force although the order takes ground (a)."""
    permit = doc.get("permit")
    if NO_PERMIT not in doc["grounds"] or not permit or not permit_in_force(desk, permit, desk.today()):
        return None
    return desk.store.table("permits").get(permit)


def covers(desk: Desk, doc: dict[str, Any]) -> str:
    """That the permit of the site is in force, in words, where ground (a) is taken all the same; else ""."""
    permit = _in_the_way(desk, doc)
    if permit is None:
        return ""
    _ = desk.words
    return _(
        "Permit {number} is {state}: ground (a) does not hold for work that it covers. Take it only for work that it "
        "does not cover, and say which.").format(number=permit["number"], state=permit_words(desk, permit))


def outside(desk: Desk, doc: dict[str, Any]) -> str:
    """The work that the permit in force does not cover, as the order says it; "" where that is not asked."""
    return (doc.get("outside") or "").strip() if _in_the_way(desk, doc) else ""


def lacks(desk: Desk, doc: dict[str, Any]) -> str:
    """What the order still has to say about it, "" for nothing."""
    if (doc.get("outside") or "").strip() or _in_the_way(desk, doc) is None:
        return ""
    _ = desk.words
    return _("Ground (a): say which work the permit does not cover, or leave this ground out.")
