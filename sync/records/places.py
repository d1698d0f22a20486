"""How far a photo was taken from its site: one rule for tablet, office and papers. Pure.

Positions are whole microdegrees; over the size of a city the earth is flat enough, so no library is needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

MICRODEGREE_M = 0.111_32
FAR_M = 500
"""Taken farther from the site than this, a photo needs a reason; the pack may flag one that is nearer (far_photo_m)."""


def metres_between(position: Mapping[str, Any], site: Mapping[str, Any]) -> int | None:
    """Whole metres between a photo's position and the site's point; None when the site has none."""
    if site.get("lat_udeg") is None or site.get("lon_udeg") is None:
        return None
    north = (position["lat_udeg"] - site["lat_udeg"]) * MICRODEGREE_M
    shrink = math.cos(math.radians(site["lat_udeg"] / 1_000_000))
    east = (position["lon_udeg"] - site["lon_udeg"]) * MICRODEGREE_M * shrink
    return round(math.hypot(north, east))


def metres_off(photo: Mapping[str, Any], site: Mapping[str, Any], far_m: int) -> int | None:
    """Whole metres from the site when that is more than the position's accuracy and `far_m`; else None."""
    position = photo.get("position")
    metres = metres_between(position, site) if position else None
    if metres is None or metres <= position["accuracy_cm"] // 100 + far_m:  # type: ignore[index]
        return None
    return metres
