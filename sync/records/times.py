"""When something happened, as a tablet can know it: what its clock said, in which zone, and how far to trust it.

Nothing here decides an order of events: that comes from counters. A date that the law counts is its own field.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sync.records.problems import Problem

LONGEST_MS = 2**53
_FAR_MS = 2**42  # more than a century: enough for any clock, and a date can still be reckoned with it
_YEARS = range(1000, 9000)  # so that no reckoning with it leaves the calendar


@dataclass(frozen=True, slots=True)
class At:
    """One reading of a tablet's clocks.

    ``wall``: local time with its offset; ``zone``: IANA name; ``mono_ms``: milliseconds of the monotonic clock
    since ``boot`` (an id that changes when that clock restarts); ``offset_ms``: server time minus device time
    at the last contact, None when there was none. Two more that an older tablet does not tell: ``gps_offset_ms``: the
    time that came with a position minus device time; ``set_back_ms``: how far the wall clock stood behind the earliest
    that it could be by the server's time at the last contact and the monotonic clock since.
    """

    wall: datetime
    zone: str
    mono_ms: int
    boot: str
    offset_ms: int | None = None
    gps_offset_ms: int | None = None
    set_back_ms: int | None = None

    @property
    def off(self) -> timedelta | None:
        """How far the wall clock was behind (negative: ahead), by whatever says the most; None: nothing tells."""
        told = [] if self.offset_ms is None else [self.offset_ms + (self.set_back_ms or 0)]
        told += [] if self.gps_offset_ms is None else [self.gps_offset_ms]
        return timedelta(milliseconds=max(-_FAR_MS, min(max(told, key=abs), _FAR_MS))) if told else None

    def to_wire(self) -> dict[str, Any]:
        more = {"gps_offset_ms": self.gps_offset_ms, "set_back_ms": self.set_back_ms}
        return {
            **{key: value for key, value in more.items() if value is not None},
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
        zone, boot, mono = (value.get(key) for key in ("zone", "boot", "mono_ms"))
        if not isinstance(zone, str) or not zone or len(zone) > 64:
            raise Problem("fact-malformed", "the zone is missing", where=f"{where}.zone")
        if not isinstance(boot, str) or len(boot) > 64:
            raise Problem("fact-malformed", "the boot id is missing", where=f"{where}.boot")
        if not isinstance(mono, int) or isinstance(mono, bool) or mono < 0:
            raise Problem("fact-malformed", "mono_ms is a count of milliseconds", where=f"{where}.mono_ms")
        more = {key: value.get(key) for key in ("offset_ms", "gps_offset_ms", "set_back_ms")}
        for key, said in more.items():
            if said is not None and (not isinstance(said, int) or isinstance(said, bool) or abs(said) > LONGEST_MS):
                raise Problem("fact-malformed", f"{key} is milliseconds or null", where=f"{where}.{key}")
        return cls(parse_wall(value.get("wall"), f"{where}.wall"), zone, mono, boot, *more.values())


def parse_wall(text: Any, where: str) -> datetime:
    """An ISO time with its offset. Raises Problem "fact-malformed" for anything else, naive times included."""
    try:
        moment = datetime.fromisoformat(text)
        offset = moment.utcoffset()
        moment.astimezone(None if offset is None else moment.tzinfo)
    except (TypeError, ValueError, OverflowError) as err:
        raise Problem("fact-malformed", f"{text!r} is not an ISO time", where=where) from err
    if moment.year not in _YEARS:
        raise Problem("fact-malformed", f"{text!r} is in no year that any clock shows", where=where)
    if offset is None or abs(offset) > timedelta(hours=15):
        raise Problem("fact-malformed", f"{text!r} has no usable offset from UTC", where=where)
    return moment


def parse_date(text: Any, where: str) -> date:
    """A calendar date YYYY-MM-DD. Raises Problem "fact-malformed"."""
    try:
        if not isinstance(text, str) or len(text) != 10:
            raise ValueError
        found = date.fromisoformat(text)
        if found.isoformat() != text:  # "2026-W35-4" is a date too, and sorts otherwise
            raise ValueError
        return found
    except ValueError as err:
        raise Problem("fact-malformed", f"{text!r} is not a date like 2026-08-27", where=where) from err
