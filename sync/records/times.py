"""When something happened, as a tablet can know it: what its clock said, in which zone, and how far to trust it.

Nothing here decides an order of events: that comes from counters. A date that the law counts is its own field.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sync.records.problems import Problem


@dataclass(frozen=True, slots=True)
class At:
    """One reading of a tablet's clocks.

    ``wall``: local time with its offset; ``zone``: IANA name; ``mono_ms``: milliseconds of the monotonic clock
    since ``boot`` (an id that changes when that clock restarts); ``offset_ms``: server time minus device time
    at the last contact, None when there was none.
    """

    wall: datetime
    zone: str
    mono_ms: int
    boot: str
    offset_ms: int | None = None

    def to_wire(self) -> dict[str, Any]:
        return {
            "wall": self.wall.isoformat(timespec="seconds"),
            "zone": self.zone,
            "mono_ms": self.mono_ms,
            "boot": self.boot,
            "offset_ms": self.offset_ms,
        }

    @classmethod
    def from_wire(cls, value: Any, where: str = "at") -> "At":
        """Raises Problem "fact-malformed" naming the key."""
        if not isinstance(value, dict):
            raise Problem("fact-malformed", "a clock reading is an object", where=where)
        zone, boot, mono, offset = (value.get(key) for key in ("zone", "boot", "mono_ms", "offset_ms"))
        if not isinstance(zone, str) or not zone or len(zone) > 64:
            raise Problem("fact-malformed", "the zone is missing", where=f"{where}.zone")
        if not isinstance(boot, str) or len(boot) > 64:
            raise Problem("fact-malformed", "the boot id is missing", where=f"{where}.boot")
        if not isinstance(mono, int) or isinstance(mono, bool) or mono < 0:
            raise Problem("fact-malformed", "mono_ms is a count of milliseconds", where=f"{where}.mono_ms")
        if offset is not None and (not isinstance(offset, int) or isinstance(offset, bool)):
            raise Problem("fact-malformed", "offset_ms is milliseconds or null", where=f"{where}.offset_ms")
        return cls(parse_wall(value.get("wall"), f"{where}.wall"), zone, mono, boot, offset)


def parse_wall(text: Any, where: str) -> datetime:
    """An ISO time with its offset. Raises Problem "fact-malformed" for anything else, naive times included."""
    try:
        moment = datetime.fromisoformat(text)
        offset = moment.utcoffset()
        moment.astimezone(None if offset is None else moment.tzinfo)
    except (TypeError, ValueError, OverflowError) as err:
        raise Problem("fact-malformed", f"{text!r} is not an ISO time", where=where) from err
    if offset is None or abs(offset) > timedelta(hours=15):
        raise Problem("fact-malformed", f"{text!r} has no usable offset from UTC", where=where)
    return moment


def parse_date(text: Any, where: str) -> date:
    """A calendar date YYYY-MM-DD. Raises Problem "fact-malformed"."""
    try:
        if not isinstance(text, str) or len(text) != 10:
            raise ValueError
        return date.fromisoformat(text)
    except ValueError as err:
        raise Problem("fact-malformed", f"{text!r} is not a date like 2026-08-27", where=where) from err
