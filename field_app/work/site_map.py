"""The sites on a map: as pins while they are few, as heaps with a number where they lie too close to be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from field_app.work import finding_sites
from field_app.work.finding_sites import Known, SiteIndex
from field_app.work.site_list import FILTERS, active_orders, filter_of, near_view, sign_of
from field_app.work.site_standing import made_for, settled, standing, state_at
from field_app.work.views.map import Heap, MapStart, MapView, Pin, TilesView
from sync.documents.language import counted

if TYPE_CHECKING:
    from field_app.work.desk import Desk

DEGREE = 1_000_000
PIXELS = 256  # of the whole world at zoom 0
APART = 72  # pixels that pins need so that a gloved finger hits the right one
MOST_PINS = 150
FEW, MOST_LISTED, CLOSE = 8, 30, 17.0
"""A heap of a few sites is listed at once; from this zoom on every heap is, because coming closer parts it no more."""
Now = tuple[str, tuple[date, str]]
"""The minute, and what a standing made now is good for: asked once for many sites."""
SIGNS = ("order", "critical", "overdue", "no_permit", "due", "good")


def metres_per_pixel(lat: float, zoom: float) -> float:
    """On the usual web map: the scale at that latitude and zoom."""
    return 40_075_016.7 * math.cos(math.radians(lat)) / (PIXELS * 2**zoom)


def start(desk: Desk, width: float, height: float) -> MapStart:
    """The part of the map that holds the sites (the outermost of many left out); if the tablet is among them, there."""
    index = finding_sites.of(desk)
    placed = [known.doc for known in index.shown() if known.doc.get("lat_udeg") is not None]
    if not placed:
        fix = index.fix
        return MapStart(fix.lat_udeg / DEGREE, fix.lon_udeg / DEGREE, 15.0) if fix else MapStart(44.5, -89.8, 6.0)
    lats = sorted(doc["lat_udeg"] for doc in placed)
    lons = sorted(doc["lon_udeg"] for doc in placed)
    cut = len(placed) // 50
    south, north, west, east = lats[cut], lats[-1 - cut], lons[cut], lons[-1 - cut]
    lat, lon = (south + north) / 2 / DEGREE, (west + east) / 2 / DEGREE
    if index.fix is not None and south <= index.fix.lat_udeg <= north and west <= index.fix.lon_udeg <= east:
        return MapStart(index.fix.lat_udeg / DEGREE, index.fix.lon_udeg / DEGREE, 15.0)
    shrink = math.cos(math.radians(lat))
    wide = max((east - west) / DEGREE, 0.002) / max(width - 2 * APART, 100)
    high = max((north - south) / DEGREE, 0.002) / shrink / max(height - 2 * APART, 100)
    return MapStart(lat, lon, min(17.0, math.floor(math.log2(360 / PIXELS / max(wide, high)) * 4) / 4))


def site_map(
    desk: Desk, lat: float, lon: float, zoom: float, width: float, height: float, filters: Iterable[str] = ()
) -> MapView:
    """What lies in a window of `width` x `height` pixels around that place."""
    _ = desk.words
    index = finding_sites.of(desk)
    chosen = [name for name in FILTERS if name in set(filters)]
    if "due" in chosen:
        settled(desk, index)
    shown = list(index.shown())
    for name in chosen:
        keep = filter_of(desk, index, name)
        shown = [known for known in shown if keep(known)]
    step = 360 / (PIXELS * 2**zoom)  # degrees of longitude per pixel
    shrink = math.cos(math.radians(lat))
    west, east = lon - step * width / 2, lon + step * width / 2
    south, north = lat - step * shrink * height / 2, lat + step * shrink * height / 2
    bounds = (south * DEGREE, north * DEGREE, west * DEGREE, east * DEGREE)
    inside = [known for known in shown if _within(known, bounds)]
    pins, heaps = _told_apart(desk, index, inside, step * APART * DEGREE, shrink, zoom >= CLOSE)
    near = near_view(desk, index, True)
    return MapView(
        pins=tuple(pins),
        heaps=tuple(heaps),
        found=len(inside),
        unplaced=sum(1 for known in shown if known.doc.get("lat_udeg") is None),
        words=counted(len(inside), "1 site here", "{count} sites here", _),
        near_lat=near.lat_udeg / DEGREE if near.lat_udeg is not None else None,
        near_lon=near.lon_udeg / DEGREE if near.lon_udeg is not None else None,
        near_words=near.words,
        tiles=tiles(desk),
    )


def tiles(desk: Desk) -> TilesView | None:
    """The city's own map tiles, when its server has some; None: a plain grid."""
    doc = desk.store.table("maps").get("tiles")
    if doc is None:
        return None
    server = (desk.store.table("meta").get("server") or {}).get("url") or desk.server
    return TilesView(f"{server.rstrip('/')}{doc['path']}", doc["attribution"], doc["min_zoom"], doc["max_zoom"])


def _within(known: Known, bounds: tuple[float, float, float, float]) -> bool:
    lat, lon = known.doc.get("lat_udeg"), known.doc.get("lon_udeg")
    return lat is not None and bounds[0] <= lat <= bounds[1] and bounds[2] <= lon <= bounds[3]


def _told_apart(
    desk: Desk, index: SiteIndex, inside: list[Known], cell: float, shrink: float, close: bool
) -> tuple[list[Pin], list[Heap]]:
    """Sites that fall into one cell of the size of a finger become a heap; the others keep their own pins."""
    now = (desk.now().strftime("%Y-%m-%dT%H:%M"), made_for(desk))
    cells: dict[tuple[int, int], list[Known]] = {}
    for known in inside:
        place = (int(known.doc["lat_udeg"] // (cell * shrink)), int(known.doc["lon_udeg"] // cell))
        cells.setdefault(place, []).append(known)
    pins: list[Pin] = []
    heaps: list[Heap] = []
    for place, held in sorted(cells.items()):
        if len(held) == 1 and len(pins) < MOST_PINS:
            pins.append(_pin(desk, index, held[0], now))
        else:
            heaps.append(_heap(desk, index, place, held, close or len(held) <= FEW, now))
    return pins, heaps


def _sign(desk: Desk, index: SiteIndex, known: Known, now: Now) -> str:
    here = standing(desk, index, known, now[1])
    return sign_of(known.doc, here, bool(active_orders(desk, index, known.doc["id"])), state_at(here.first, now[0]))


def sign_words(desk: Desk, sign: str) -> str:
    """What a sign means, for a screen reader."""
    _ = desk.words
    return {
        "order": _("Stop-work order"), "critical": _("Critical finding"), "overdue": _("Overdue"),
        "no_permit": _("No permit"), "due": _("Due today"), "good": _("Nothing due"),
    }[sign]


def _pin(desk: Desk, index: SiteIndex, known: Known, now: Now) -> Pin:
    sign = _sign(desk, index, known, now)
    doc = known.doc
    return Pin(doc["id"], doc["name"], doc["lat_udeg"] / DEGREE, doc["lon_udeg"] / DEGREE, sign,
               f"{doc['name']}: {sign_words(desk, sign)}")


def _heap(
    desk: Desk, index: SiteIndex, place: tuple[int, int], held: list[Known], listed: bool, now: Now
) -> Heap:
    _ = desk.words
    # The gravest sign of many sites that nobody reckoned yet would cost more than the map is worth.
    ready = [known for known in held if known.standing is not None] if len(held) > MOST_PINS else held
    signs = {_sign(desk, index, known, now) for known in ready}
    worst = min((SIGNS.index(sign) for sign in signs), default=len(SIGNS) - 1)
    lat = sum(known.doc["lat_udeg"] for known in held) / len(held) / DEGREE
    lon = sum(known.doc["lon_udeg"] for known in held) / len(held) / DEGREE
    gravest = sum(_sign(desk, index, known, now) == SIGNS[worst] for known in ready)
    words = _("{n} sites. Most urgent: {sign} ({m} of them)").format(
        n=len(held), sign=sign_words(desk, SIGNS[worst]), m=gravest)
    sites = [(known.doc["id"], known.doc["name"]) for known in sorted(held, key=lambda one: one.name)]
    return Heap(f"{place[0]}_{place[1]}", lat, lon, len(held), SIGNS[worst], words,
                tuple(sites[:MOST_LISTED]) if listed else ())
