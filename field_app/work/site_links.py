"""The link that opens a site in the device's own map app."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote


def map_link(doc: Mapping[str, Any]) -> str:
    """The place for the device's own map app, by its position, else by its address."""
    if doc.get("lat_udeg") is not None and doc.get("lon_udeg") is not None:
        where = f"{doc['lat_udeg'] / 1_000_000:.6f},{doc['lon_udeg'] / 1_000_000:.6f}"
    else:
        where = doc["address"]
    return f"https://www.google.com/maps/search/?api=1&query={quote(where)}" if where.strip() else ""
