"""Which photos of placards are there, and which are still to be taken since each was put up, said until they are.

Whoever puts a placard up, also again, takes one photo from afar and one from near. What hung before was another paper
or another place: its photos do not count for this one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from field_app.work import order_index
from field_app.work.orders_known import STANDING, KnownOrder, ended_words, order_by_number, take_down
from field_app.work.sealing import in_line
from field_app.work.views import PhotoView
from field_app.work.views.site import PlacardNag
from sync.records.facts import Fact

if TYPE_CHECKING:
    from field_app.work.desk import Desk

TOLD_DAYS = 7
"""So long Today says that a placard must come down; nobody records that it did."""


def placard_nag(desk: Desk, order: KnownOrder) -> str:
    """Which photos of the placard are still to be taken, said to the tablet from which it was put up."""
    if order.status not in STANDING or not order.posted_on:
        return ""
    missing = views_missing(desk, order.number) if order.number in _put_up_from_here(desk) else set()
    if not missing:
        return ""
    _ = desk.words
    if len(missing) == 2:
        return _("Photos of the placard are still to be taken: one from afar, one from near.")
    return (_("A photo of the placard from afar is still to be taken.") if "wide" in missing
            else _("A photo of the placard from near is still to be taken."))


def placard_nags(desk: Desk) -> tuple[PlacardNag, ...]:
    """Every placard that was put up from here and whose photos are still to be taken."""
    found = []
    for number in sorted(_put_up_from_here(desk)):
        order = order_by_number(desk, number)
        if order is not None and (words := placard_nag(desk, order)):
            site = desk.store.table("sites").get(order.site) or {}
            found.append(PlacardNag(number, order.site, site.get("name", ""), words))
    return tuple(found)


def to_take_down(desk: Desk) -> tuple[PlacardNag, ...]:
    """The placards that were put up from here and whose orders have ended in the last TOLD_DAYS days."""
    since = (desk.today() - timedelta(days=TOLD_DAYS)).isoformat()
    found = []
    for number in sorted(_put_up_from_here(desk)):
        order = order_by_number(desk, number)
        if order is not None and take_down(order) and str((order.ended or {}).get("on") or "") >= since:
            site = desk.store.table("sites").get(order.site) or {}
            found.append(PlacardNag(number, order.site, site.get("name", ""), ended_words(desk, order.fact)))
    return tuple(found)


def views_missing(desk: Desk, number: str) -> set[str]:
    """Of "wide" and "close" those that no photo was kept of since the placard was put up (again)."""
    from field_app.work.placard_photos import waiting

    up = _put_up_from_here(desk).get(number)
    taken = {fact.body["photo"]["view"] for fact in photos_by_order(desk).get(number, ())
             if up is None or _follows(desk, fact, up)}
    return {"wide", "close"} - taken - {photo["view"] for photo in waiting(desk, number)}


def _follows(desk: Desk, one: Fact, other: Fact) -> bool:
    """Whether a record was signed here after the other one."""
    table = desk.store.table("facts")
    return in_line(table.get(one.id)) > in_line(table.get(other.id))


def photos_by_order(desk: Desk) -> dict[str, list[Fact]]:
    """The photos of placards that were signed here, by the order's number, in their order."""
    def made() -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for row in sorted(order_index.of(desk).rows("photo_added"), key=in_line):
            fact = desk.fact(row)
            if "order" in fact.body["about"]:
                found.setdefault(fact.body["about"]["order"], []).append(fact)
        return found

    return order_index.of(desk).kept("photos", None, made)


def placard_photos(desk: Desk, number: str, site: str) -> tuple[PhotoView, ...]:
    """The photos of the placard that were signed here, in the order in which they were taken."""
    from field_app.work.photo_records import photo_view

    place = desk.store.table("sites").get(site) or {}
    # What was drawn over one that is signed is a file of its own, read when it is shown.
    return tuple(replace(photo_view(desk, {**photo, "layer": None}, place), layer_sha=photo.get("layer") or "")
                 for photo in (fact.body["photo"] for fact in photos_by_order(desk).get(number, ())))


def _put_up_from_here(desk: Desk) -> dict[str, Fact]:
    """By number the record of the last time that a placard was put up from this tablet, also again."""
    def made() -> dict[str, Fact]:
        found: dict[str, Fact] = {}
        for row in order_index.of(desk).rows("order_posted", "order_affixed", "placard_reposted"):
            fact = desk.fact(row)
            before = found.get(fact.body["number"])
            if before is None or _follows(desk, fact, before):
                found[fact.body["number"]] = fact
        return found

    return order_index.of(desk).kept("up", None, made)
