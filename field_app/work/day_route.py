"""The way from site to site: to the nearest of those that are due, from there to the nearest of the rest. Pure.

Without a network there are no roads to reckon with, so distances are as the crow flies, and the screen says so by
naming them; the device's map app knows the way there.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Any

from sync.records.places import MICRODEGREE_M

AROUND = 200
"""So many of the sites nearest to the tablet are put in order; the others come when these are done."""

Spot = tuple[int, int]


def spot_of(doc: Mapping[str, Any]) -> Spot | None:
    """Latitude and longitude in microdegrees."""
    lat, lon = doc.get("lat_udeg"), doc.get("lon_udeg")
    return None if lat is None or lon is None else (lat, lon)


def metres(one: Spot, other: Spot) -> float:
    """As the crow flies, over a distance at which the earth is flat enough."""
    shrink = math.cos(math.radians(one[0] / 1_000_000))
    return MICRODEGREE_M * math.hypot(one[0] - other[0], (one[1] - other[1]) * shrink)


def nearest_next(start: Spot, spots: Sequence[Spot], stops: int) -> list[tuple[int, float]]:
    """The first `stops` of the way: (place in `spots`, metres from the stop before). Of two as near the first."""
    far = [(metres(start, spot), place) for place, spot in enumerate(spots)]
    left = [place for _away, place in heapq.nsmallest(max(AROUND, stops), far)]
    way: list[tuple[int, float]] = []
    here = start
    while left and len(way) < stops:
        away, place = min((metres(here, spots[place]), place) for place in left)
        left.remove(place)
        way.append((place, away))
        here = spots[place]
    return way
