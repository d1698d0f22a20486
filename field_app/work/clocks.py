"""This tablet's clocks: what each shows, how far they are apart, and what is said about it. None is ever corrected.

Kept apart: the wall clock with its zone, the monotonic clock, the server's time at the last contact, the time that came
with a position. The wall clock is what records bear; the others only say how far to trust it. The monotonic clock never
runs ahead of real time, so a wall clock that stands behind what it allows has been set back, or its battery was dead.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sync.records.times import At

if TYPE_CHECKING:
    from field_app.work.desk import Desk

CONTACT = "contact"
WARN = timedelta(minutes=2)
REVIEW = timedelta(minutes=15)
# Below this a clock that stands back is only a clock that was set right by the network.
_SLACK_MS = 30_000
_FIRST_GPS_YEAR = 2024


def contact(desk: Desk) -> dict[str, Any]:
    """What was kept of the last contact: {at, offset_ms, server, mono_ms, boot}; empty before the first."""
    return desk.store.table("meta").get(CONTACT) or {}


def contact_doc(desk: Desk, server_time: str | None, told_at: int | None) -> dict[str, Any]:
    """The document of a contact now: the server said ``server_time`` when the monotonic clock stood at ``told_at``."""
    clock = desk.hardware.clock
    now, mono = clock.now(), clock.monotonic_ms()
    try:
        server = datetime.fromisoformat(server_time or "") + timedelta(milliseconds=mono - (told_at or mono))
        offset = _ms(server - now)
    except (ValueError, TypeError):
        server, offset = None, None
    return {"at": now.isoformat(), "offset_ms": offset, "boot": clock.boot, "mono_ms": mono,
            "server": server.isoformat(timespec="milliseconds") if server else None}  # fmt: skip


def fixed(desk: Desk, fix: Any) -> None:
    """A position came with its own time: remembered while the app runs, with the monotonic clock beside it."""
    at = getattr(fix, "gps_at", None)
    if at is not None and at.tzinfo is not None and at.year >= _FIRST_GPS_YEAR:
        desk.gps = (at, desk.hardware.clock.monotonic_ms())


def gps_offset_ms(desk: Desk) -> int | None:
    """The time that came with the last position, run on until now, minus the wall clock. None: there was none."""
    if desk.gps is None:
        return None
    at, then = desk.gps
    clock = desk.hardware.clock
    return _ms(at + timedelta(milliseconds=clock.monotonic_ms() - then) - clock.now())


def set_back_ms(desk: Desk) -> int | None:
    """How far the wall clock stands behind the earliest that it can be now; None: it does not, or nobody knows."""
    earliest = earliest_now(desk)
    if earliest is None:
        return None
    behind = _ms(earliest - desk.hardware.clock.now()) - contact(desk)["offset_ms"]
    return behind if behind > _SLACK_MS else None


def reading(desk: Desk) -> At:
    """One reading of all clocks, for a record or a photo."""
    clock = desk.hardware.clock
    return At(desk.now(), desk.zone or "UTC", clock.monotonic_ms(), clock.boot, contact(desk).get("offset_ms"),
              gps_offset_ms(desk), set_back_ms(desk))  # fmt: skip


def off(desk: Desk) -> timedelta | None:
    """How far the wall clock is behind (negative: ahead), by whatever says the most; None: nothing tells."""
    return reading(desk).off


def earliest_now(desk: Desk) -> datetime | None:
    """The earliest that it can be now, by the server's clock: its time at the last contact, and what the monotonic
    clock has run since. None before the first contact."""
    kept, clock = contact(desk), desk.hardware.clock
    if not kept.get("server"):
        return None
    run_since = clock.monotonic_ms() - kept["mono_ms"] if kept.get("boot") == clock.boot else 0
    return datetime.fromisoformat(kept["server"]) + timedelta(milliseconds=max(0, run_since))


def last_heard(desk: Desk) -> datetime | None:
    """The server's time when it was last heard; None before that. A server that comes back from a backup is another
    one: who has not heard it since knows nothing of what it holds, however much time has passed."""
    server = contact(desk).get("server")
    return datetime.fromisoformat(server) if server else None


def warning(desk: Desk) -> tuple[str, str, str] | None:
    """(level "warn" or "bad", sentence, advice) while the clock is more than two minutes off; else None."""
    behind = off(desk)
    if behind is None or abs(behind) <= WARN:
        return None
    _ = desk.words
    now = desk.now()
    other_day = (now + behind).date() != now.date()
    sentence = _("This tablet's clock is {time} ahead.") if behind < timedelta(0) else _(
        "This tablet's clock is {time} behind.")  # fmt: skip
    sentence = sentence.format(time=span_words(desk, abs(behind)))
    advice = _("Set date and time right in the tablet's own settings, best to automatic.")
    if other_day:
        shows = _("It shows {date}: that day goes on every record and placard.")
        return "bad", f"{sentence} {shows.format(date=desk.date_words(now.date()))}", advice
    if abs(behind) > REVIEW:
        looks = _("The office is asked to look at the times of what you sign now.")
        return "bad", sentence, f"{advice} {looks}"
    return "warn", sentence, advice


def span_words(desk: Desk, span: timedelta) -> str:
    """A length of time in its coarsest fitting unit, at least two of it: "7 minutes", "3 hours", "12 days"."""
    _ = desk.words
    minutes = int(span.total_seconds() // 60)
    if minutes < 120:
        return _("{n} minutes").format(n=max(minutes, 2))
    if minutes < 48 * 60:
        return _("{n} hours").format(n=minutes // 60)
    return _("{n} days").format(n=minutes // (24 * 60))


def _ms(span: timedelta) -> int:
    return round(span.total_seconds() * 1000)
