"""The sites on a map: pins, heaps of pins, and a scale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pin:
    """One site at its place (degrees). `sign` as in the list; `words` name it with its sign for a screen reader."""

    site: str
    name: str
    lat: float
    lon: float
    sign: str
    words: str


@dataclass(frozen=True, slots=True)
class Heap:
    """Many sites close together: how many, and the gravest sign among them. `sites`: which (id, name), where a list
    says more than a closer look would."""

    id: str
    lat: float
    lon: float
    count: int
    sign: str
    words: str
    sites: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TilesView:
    """Tiles of the city's own server: address with {z}, {x} and {y}, whose map it is, and the zooms it has."""

    url: str
    attribution: str
    min_zoom: int
    max_zoom: int


@dataclass(frozen=True, slots=True)
class MapView:
    """What lies within the part of the map that is shown. `found` sites are in it, `unplaced` have no position."""

    pins: tuple[Pin, ...]
    heaps: tuple[Heap, ...]
    found: int
    unplaced: int
    words: str
    near_lat: float | None
    near_lon: float | None
    near_words: str
    tiles: TilesView | None = None


@dataclass(frozen=True, slots=True)
class MapStart:
    """Where the map opens: the middle of all sites, or the tablet's own place when that lies among them."""

    lat: float
    lon: float
    zoom: float
