"""The sites and what is known of each.

One part of `Work`; what holds for all of them stands in `field_app/work/app.py`.
"""

from __future__ import annotations

from field_app.work import sites
from field_app.work.desk import Desk
from field_app.work.views import SitesView, SiteView


class SitesFace:
    """The sites and what is known of each."""

    _desk: Desk

    def sites(self, query: str = "") -> SitesView:
        """All words of `query` must be found in name, address, parcel, permit or order number; accents and
        case do not matter. Sites with a draft, an order or critical findings come first."""
        return sites.sites(self._desk, query)

    def site(self, site: str) -> SiteView:
        """One site with all that is known of it. Problem "subject-unknown"."""
        return sites.site(self._desk, site)
