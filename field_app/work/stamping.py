"""What the stamp on a small picture says: when the photo was taken, of which site or order, and where the tablet was.

It repeats the photo's record in the tablet's language; a photo that no record of this tablet names has none. Originals
are never stamped.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from field_app.photos.stamp import THUMBNAIL, Stamp
from field_app.work import orders_known
from field_app.work.photo_records import claimed_moment, taken_words
from sync.documents.evidence import position_words

if TYPE_CHECKING:
    from field_app.work.desk import Desk

Doc = dict[str, Any]


def stamp_of(desk: Desk, sha256: str, longest: int) -> Stamp:
    """The lines for a copy of this photo of at most `longest` pixels a side."""
    found = _record(desk, sha256)
    if found is None:
        return ()
    photo, site, number = found
    place = desk.store.table("sites").get(site) or {}
    where = place.get("address") or place.get("name") or ""
    _ = desk.words
    if longest <= THUMBNAIL:  # in figures: there is no room for more
        gallery = photo["source"] == "gallery"
        taken = claimed_moment(desk, photo) if gallery else datetime.fromisoformat(photo["taken"]["wall"])
        when = taken.strftime("%Y-%m-%d %H:%M") if taken else _("not taken in the app")
        return tuple(line for line in (when, where) if line)
    if place.get("name") and place["name"] != where:
        where = f"{place['name']}, {where}"
    order = _("Stop-work order {number}").format(number=number) if number else ""
    reason = photo.get("no_position")
    position = position_words({**photo, "no_position": _(reason) if reason else None}, _)
    return tuple(line for line in (taken_words(desk, photo), order, where, position) if line)


def _record(desk: Desk, sha256: str) -> tuple[Doc, str, str] | None:
    """The photo's record, its site, and the number of the order that it is about."""
    for doc in desk.store.table("drafts").all():
        if sha256 in doc["photos"]:
            return doc["photos"][sha256], doc["site"], ""
    for doc in desk.store.table("reports").all():
        for photo in doc["photos"] if doc["stage"] == "open" else ():
            if photo["sha256"] == sha256:
                return photo, doc["site"], doc.get("number", "")
    for ident in (desk.store.table("evidence").get(sha256) or {}).get("facts") or ():
        row = desk.store.table("facts").get(ident)
        body = desk.fact(row).body if row else {}
        photos = [body["photo"]] if row and row["kind"] == "photo_added" else body.get("photos") or ()
        for photo in photos:
            if photo["sha256"] == sha256:
                number = (body.get("about") or {}).get("order", "")
                order = orders_known.order_by_number(desk, number) if number else None
                return photo, body.get("site") or (order.site if order else ""), number
    return None
