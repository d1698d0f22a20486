"""Where the tablet is, through Flet's geolocator, on both kinds.

Invariant: a fix is asked for anew each time, never older than the question; latitude and longitude both zero are a
device's way of saying "I do not know" and never stand in a record.
"""

import asyncio
import math
from datetime import datetime

import flet_geolocator as geo

from field_app.hardware.ports import Clock, Fix, NoFix

REFUSED = (geo.GeolocatorPermissionStatus.DENIED, geo.GeolocatorPermissionStatus.DENIED_FOREVER)


class FletPosition:
    """The position port. One service per page: Flet drops services that nobody holds."""

    def __init__(self, page, clock: Clock) -> None:
        self._page, self._clock = page, clock
        self._service = geo.Geolocator()

    async def fix(self, wait: float = 15.0) -> Fix | NoFix:
        """A fresh fix, or why there is none. Never raises."""
        try:
            async with asyncio.timeout(wait):
                return await self._ask()
        except TimeoutError:
            return NoFix("timeout")
        except Exception as error:  # whatever the platform says: the inspection goes on without a position
            return NoFix(_reason(str(error)))

    async def _ask(self) -> Fix | NoFix:
        if not await self._service.is_location_service_enabled():
            return NoFix("off")
        if await self._service.request_permission() in REFUSED:
            return NoFix("denied")
        found = await self._service.get_current_position(
            geo.GeolocatorConfiguration(accuracy=geo.GeolocatorPositionAccuracy.BEST)
        )
        # A browser stamps a position with this device's own clock, perhaps that of an older one: no second clock.
        at = None if self._page.web else found.timestamp
        return plausible(found.latitude, found.longitude, found.accuracy, self._clock, at, found.mocked is True)


FARTHEST_M = 10_000_000
"""No accuracy is worse than this, which is what a record takes."""


def plausible(latitude, longitude, accuracy, clock: Clock, timestamp=None, mocked: bool = False) -> Fix | NoFix:
    """The fix in whole microdegrees and centimetres, or "implausible": missing, not on Earth, 0, 0 when rounded, or
    without an accuracy that can be true (it would look exact)."""
    values = (latitude, longitude, accuracy)
    if any(not isinstance(value, int | float) or not math.isfinite(value) for value in values):
        return NoFix("implausible")
    here = round(latitude * 1_000_000), round(longitude * 1_000_000)
    if abs(latitude) > 90 or abs(longitude) > 180 or here == (0, 0) or not 0 <= accuracy <= FARTHEST_M:
        return NoFix("implausible")
    # A time without an offset may be this device's own.
    aware = isinstance(timestamp, datetime) and timestamp.tzinfo is not None
    return Fix(*here, round(accuracy * 100), clock.now(), timestamp if aware else None, mocked)


def _reason(words: str) -> str:
    low = words.lower()
    if "denied" in low or "permission" in low:
        return "denied"
    if "disabled" in low or "service" in low:
        return "off"
    if "time" in low and "out" in low:
        return "timeout"
    return "unsupported" if "support" in low else "failed"
