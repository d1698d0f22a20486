"""Which pieces of the city's map are kept for when there is no network: the city from afar, and each site from near.

There are any only where the city's own server has a map. The budget is fixed and sites that one is assigned to come
first; they are asked for when the network costs nothing and there is room, once a day at most.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from field_app.work import finding_sites
from field_app.work.site_map import tiles
from field_app.work.syncing import metered

if TYPE_CHECKING:
    from field_app.work.desk import Desk

log = logging.getLogger(__name__)

BUDGET = 2_000
"""So many pieces at most, of about 15 kB each."""
FROM_AFAR = 400
AT_ONCE = 20
"""A browser ends what its worker takes too long for, and a network may go away."""
NEAR = range(14, 18)
ROOM_BYTES = 1_000_000_000
"""With less room than this nothing is kept ahead: photos need it."""
Tile = tuple[int, int, int]
Place = tuple[int, int]
"""Latitude and longitude in microdegrees."""


def tile_at(lat_udeg: int, lon_udeg: int, zoom: int) -> Tile:
    """(zoom, x, y) of the piece of the usual web map that holds the place."""
    lat = math.radians(max(-85.0, min(85.0, lat_udeg / 1_000_000)))
    across = 2**zoom
    x = int((lon_udeg / 1_000_000 + 180) / 360 * across)
    y = int((1 - math.asinh(math.tan(lat)) / math.pi) / 2 * across)
    return zoom, min(max(x, 0), across - 1), min(max(y, 0), across - 1)


def wanted(places: list[Place], zooms: range, budget: int = BUDGET) -> list[Tile]:
    """The pieces to keep, the most useful first: all of the city as far as it takes few, then each place from near
    with what lies around it."""
    found: dict[Tile, None] = {}
    for tile in (*_from_afar(places, zooms), *_from_near(places, zooms)):
        if len(found) >= budget:
            break
        found[tile] = None
    return list(found)


def _from_afar(places: list[Place], zooms: range) -> Iterator[Tile]:
    if not places:
        return
    corners = [(max(lat for lat, _ in places), min(lon for _, lon in places)),
               (min(lat for lat, _ in places), max(lon for _, lon in places))]
    left = FROM_AFAR
    for zoom in zooms:
        (_z, west, north), (_z, east, south) = (tile_at(*corner, zoom) for corner in corners)
        left -= (east - west + 1) * (south - north + 1)
        if left < 0:
            return
        yield from ((zoom, x, y) for x in range(west, east + 1) for y in range(north, south + 1))


def _from_near(places: list[Place], zooms: range) -> Iterator[Tile]:
    for place in places:
        for zoom in (one for one in NEAR if one in zooms):
            _, x, y = tile_at(*place, zoom)
            yield from ((zoom, x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
                        if 0 <= x + dx < 2**zoom and 0 <= y + dy < 2**zoom)


def _places(desk: Desk, docs: Iterable[dict[str, Any]]) -> list[Place]:
    """Where the sites are, those of the person at work first."""
    user = desk.session().get("user")
    placed = [doc for doc in docs if doc.get("lat_udeg") is not None]
    placed.sort(key=lambda doc: (user not in (doc.get("inspectors") or ()), doc["id"]))
    return [(doc["lat_udeg"], doc["lon_udeg"]) for doc in placed]


async def keep(desk: Desk) -> int | None:
    """Asks for the pieces that are to be kept; how many are here then. None: nothing was asked for now."""
    keeper, map_ = desk.hardware.keep_tiles, tiles(desk)
    link = desk.link()
    if keeper is None or map_ is None or link is None or not link.up or metered(desk):
        return None
    if not map_.url.startswith(f"{desk.hardware.server.rstrip('/')}/"):  # the page keeps only what its own server has
        return None
    if desk.room.free is not None and desk.room.free < ROOM_BYTES:
        return None
    places = _places(desk, (known.doc for known in finding_sites.of(desk).shown()))
    asked = (tuple(places), map_.url, desk.today())
    if desk.map_asked == asked:
        return None
    desk.map_asked = asked
    path = desk.store.table("maps").get("tiles")["path"]
    pieces = wanted(places, range(map_.min_zoom, map_.max_zoom + 1))
    paths, held = [path.format(z=z, x=x, y=y) for z, x, y in pieces], 0
    try:
        for at in range(0, len(paths), AT_ONCE):
            if metered(desk) or (link := desk.link()) is None or not link.up:
                desk.map_asked = None  # the rest as soon as there is a network again
                break
            held += await keeper(paths[at : at + AT_ONCE])
    except Exception:  # tomorrow again; nothing else waits for it
        log.exception("the map was not kept")
        return None
    return held
