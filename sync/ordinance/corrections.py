"""When a correction is due (clocks K9 and K12): always a printed date and time, never a count of hours.

The default comes from the due code of the fail rule; the inspector may change it. Hours leave out whole
Sundays and legal holidays where the pack says so; soil on a road is due at the end of that work day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from .items import Timing
from .words import say_day

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Due:
    """``on`` and ``at`` ("HH:MM", local) are both None when the inspector must set them (``code`` says why).

    ``at_once``: due before the inspector leaves. Then ``at`` is the minute of the finding, which has passed by the time
    anybody reads of it, and no text may give it as a deadline.
    """

    code: str
    on: date | None
    at: str | None
    texts: dict[str, str]
    at_once: bool = False

    def words(self, language: str = "en") -> str:
        """"within 24 hours: Fri Aug 28 at 14:03", or the plain meaning of the code when no date is set."""
        text = self.texts[language]
        if self.on is None or self.at_once:
            return text
        joint = "at" if language == "en" else "a las"
        return f"{text}: {say_day(self.on, language)} {joint} {self.at}"

    def passed(self, now: datetime) -> bool:
        """Whether local wall time ``now`` is past the due moment (K12); what has no date yet is never past."""
        if self.on is None or self.at is None:
            return False
        return (now.date(), f"{now.hour:02d}:{now.minute:02d}") > (self.on, self.at)

    def to_wire(self) -> dict | None:
        """``{on, at}`` as in a finding, with ``at_once`` where that is so, or None while nothing is set."""
        if self.on is None:
            return None
        return {"on": self.on.isoformat(), "at": self.at} | ({"at_once": True} if self.at_once else {})


def due(timing: Timing, code: str, now: datetime, end_of_work_day: str | None = None) -> Due:
    """The default due date of ``code`` for an inspection at local wall time ``now``.

    ``end_of_work_day`` is the site's hour or None for the pack's. After that hour "end of this work day" is now.
    """
    rule = timing.dues[code]
    today, wall = now.date(), f"{now.hour:02d}:{now.minute:02d}"
    end = end_of_work_day or timing.end_of_work_day
    if rule.kind == "now":
        return Due(code, today, wall, rule.text, at_once=True)
    if rule.kind == "end of work day":
        return Due(code, today, max(end, wall), rule.text, at_once=wall >= end)
    if rule.kind == "hours":
        day = today
        for _ in range(rule.length // 24):
            day += _DAY
            if timing.hours_leave_out_closed:
                day = timing.calendar.roll(day)
        moment = datetime.combine(day, now.time().replace(tzinfo=None))
        moment += timedelta(hours=rule.length % 24)
        day = timing.calendar.roll(moment.date()) if timing.hours_leave_out_closed else moment.date()
        return Due(code, day, f"{moment.hour:02d}:{moment.minute:02d}", rule.text)
    if rule.kind == "days":
        return Due(code, today + timedelta(days=rule.length), end, rule.text)
    return Due(code, None, None, rule.text)
