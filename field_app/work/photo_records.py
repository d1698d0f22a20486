"""A photo's record: as the screen shows it, as a fact names it, as evidence; and how far from the site it was taken."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from field_app.work.views import PhotoView
from field_app.work.words import PHOTO_SOURCE, PHOTO_VIEW, said
from sync.records.facts import Evidence

if TYPE_CHECKING:
    from field_app.work.desk import Desk

MICRODEGREE_M = 0.111_32


def photo_view(desk: Desk, photo: Any, site: dict[str, Any]) -> PhotoView:
    _ = desk.words
    place, flags = photo["no_position"] or "", []
    position = photo["position"]
    if position:
        place = _("position known to {metres} m").format(metres=max(1, position["accuracy_cm"] // 100))
        metres = metres_between(position, site)
        if metres is not None and metres > position["accuracy_cm"] // 100 + desk.pack().far_photo_m:
            flags.append(_("{metres} m from the site").format(metres=metres))
    else:
        place = _(place)
    if photo["source"] == "gallery":
        flags.append(_("not taken in the app"))
    return PhotoView(
        sha256=photo["sha256"],
        taken=desk.moment_words(photo["taken"]["wall"]),
        source=said(PHOTO_SOURCE, photo["source"], _),
        view=said(PHOTO_VIEW, photo["view"], _),
        place=place,
        name=photo["name"] or "",
        flags=tuple(flags),
    )


def metres_between(position: dict[str, Any], site: dict[str, Any]) -> int | None:
    """Whole metres between a photo's position and the site's point; None when the site has none."""
    if site.get("lat_udeg") is None or site.get("lon_udeg") is None:
        return None
    north = (position["lat_udeg"] - site["lat_udeg"]) * MICRODEGREE_M
    shrink = math.cos(math.radians(site["lat_udeg"] / 1_000_000))
    east = (position["lon_udeg"] - site["lon_udeg"]) * MICRODEGREE_M * shrink
    return round(math.hypot(north, east))


def wire_photo(photo: Any, *, item: str | None, finding: str | None) -> dict[str, Any]:
    """The photo's record as a fact names it."""
    kept = {name: value for name, value in photo.items() if name not in ("size", "media")}
    return {**kept, "item": item, "finding": finding}


def photo_evidence(photo: Any) -> Evidence:
    return Evidence(photo["sha256"], "photo", photo["size"], photo["media"])
