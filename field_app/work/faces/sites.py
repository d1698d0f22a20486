"""The sites and what is known of each.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from field_app.work import map_tiles, site_list, site_map, sites
from field_app.work.desk import Desk
from field_app.work.views.map import MapStart, MapView
from field_app.work.views.site import NearView, SitesView, SiteView


class SitesFace:
    """The sites and what is known of each."""

    _desk: Desk

    def sites(
        self, query: str = "", filters: Iterable[str] = (), *, near: bool = False, limit: int | None = None
    ) -> SitesView:
        """All words of `query` must be found in name, address, parcel, contractor or another party, permit or order
        number; accents and case do not matter. Sites with a draft, an order or critical findings come first; with
        `near` the nearest to the last known position. `filters`: due | open | order | no_permit | mine, all of them
        hold. `limit`: make only so many rows."""
        with self._desk.speaking():
            return site_list.sites(self._desk, query, filters, near, limit)

    async def prepare_sites(self) -> None:
        """Reckon what each site is owed today, a few at a time; the screens hear when it is done."""
        await site_list.prepare(self._desk)

    async def locate(self) -> NearView:
        """Ask the tablet where it is; the answer is remembered with its time."""
        return await site_list.locate(self._desk)

    async def keep_map(self) -> int | None:
        """Keep the city's map of the sites for when there is no network; called now and then. None: nothing to do."""
        return await map_tiles.keep(self._desk)

    def map_start(self, width: float, height: float) -> MapStart:
        """Where a map of that size in pixels opens."""
        return site_map.start(self._desk, width, height)

    def site_map(
        self, lat: float, lon: float, zoom: float, width: float, height: float, filters: Iterable[str] = ()
    ) -> MapView:
        """Pins and heaps in a window of that size around a place (degrees), at a zoom of the usual web map."""
        with self._desk.speaking():
            return site_map.site_map(self._desk, lat, lon, zoom, width, height, filters)

    def site(self, site: str) -> SiteView:
        """One site with all that is known of it. Problem "subject-unknown"."""
        with self._desk.speaking():
            return sites.site(self._desk, site)
