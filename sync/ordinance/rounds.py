"""When an inspector is due on a site: every so many days, soon after enough rain, at the end of the work day where
soil lies on a road, and when a correction has run out.

    rounds_due(pack, SiteRecord(...), today) -> tuple[Owed, ...]      the one that is due first comes first

Weekly rounds and those after rain belong to a site whose permit is in force that day; the other two follow from what
was found, whatever the permit. An inspection is owed until one was made; nothing is counted as seen that was not.
A site without a schedule of its own follows the pack's rounds; where the pack has none either, no round is owed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from .calendar import CalendarMissing
from .words import say_at, say_clock, say_day

if TYPE_CHECKING:
    from .pack import Pack
    from .schema import Section

KINDS = ("road", "rain", "weekly", "re-inspection")
_DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class RoundRules:
    """``every_days`` between two inspections; rain of ``rain_at_least_in`` inches within 24 hours calls for one within
    ``rain_within_hours`` of its end. ``clause`` is the slug of the clause that asks for it."""

    clause: str
    every_days: int
    rain_at_least_in: Decimal
    rain_within_hours: int


@dataclass(frozen=True, slots=True)
class Rain:
    """What a gauge showed: inches between two local wall times. ``whole_day``: only the day is known."""

    inches: Decimal
    began: datetime
    ended: datetime
    gauge: str = ""
    whole_day: bool = False

    @classmethod
    def of_day(cls, inches: Decimal, on: date, gauge: str = "") -> Rain:
        """Rain of a day, without its hours."""
        return cls(inches, datetime.combine(on, time.min), datetime.combine(on, time(23, 59)), gauge, True)


@dataclass(frozen=True, slots=True)
class Visit:
    """An inspection that was made: its day, its type, and the moment it ended where that is known (local, naive)."""

    on: date
    type: str = "other"
    at: datetime | None = None

    def after(self, rain: Rain) -> bool:
        """Whether it was made after the rain. Where a time is missing, one of the same day counts only if it was made
        for the rain."""
        if self.at is not None and not rain.whole_day:
            return self.at >= rain.ended
        return self.on > rain.ended.date() or (self.on == rain.ended.date() and self.type == "rain")


@dataclass(frozen=True, slots=True)
class OpenCorrection:
    """A finding that is still open: its checklist item, its day, and until when it is to be corrected (or None).

    ``at_once``: before the inspector left; ``at`` is then the minute of the finding, which no text gives as a deadline.
    ``found_at``: the local time "HH:MM" at which it was found, None where that is not known.
    """

    item: str
    found_on: date
    on: date | None
    at: str | None
    at_once: bool = False
    found_at: str | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the office set for one site; None leaves it to the pack. ``weekday`` 0 (Monday) to 6: the day of the week on
    which the site is seen, once in ``every_days``."""

    every_days: int | None = None
    weekday: int | None = None
    rain_at_least_in: Decimal | None = None
    rain_within_hours: int | None = None


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """What is known of a site. ``permit``: first and last day of the permit, None for none; ``end_of_work_day`` None
    for that of the pack."""

    permit: tuple[date | None, date | None] | None = None
    visits: tuple[Visit, ...] = ()
    rains: tuple[Rain, ...] = ()
    corrections: tuple[OpenCorrection, ...] = ()
    schedule: Schedule = Schedule()
    end_of_work_day: str | None = None


@dataclass(frozen=True, slots=True)
class Owed:
    """An inspection that is owed until day ``on``, time ``at`` ("HH:MM"). ``start`` is what it is counted from, None
    when nothing is known that could be. ``count``: how many corrections it is about; ``inches`` of rain against the
    ``limit``; ``length``: the days or hours that were counted; ``at_once``: no time is given, see
    ``OpenCorrection``."""

    kind: str
    clause: str
    on: date
    at: str
    start: datetime | None
    started_by: str
    pack: Pack = field(repr=False, compare=False)
    count: int = 0
    inches: Decimal | None = None
    limit: Decimal | None = None
    length: int = 0
    at_once: bool = False

    @property
    def moment(self) -> str:
        """Sorts like the moment itself: "2026-08-27T17:00"."""
        return f"{self.on.isoformat()}T{self.at}"

    def state(self, now: datetime) -> str:
        """overdue, today or coming, at local wall time ``now``."""
        if self.moment < now.strftime("%Y-%m-%dT%H:%M"):
            return "overdue"
        return "today" if self.on <= now.date() else "coming"

    def words(self, language: str = "en") -> str:
        """How it was counted, in one line, such as "last inspected Thu Aug 20; day 7 is Thu Aug 27"."""
        said = _SAID[language]
        start = self.start

        def day(one: date) -> str:
            return say_day(one, language, start.date() if start else self.on)

        fields = {
            "day": day(self.on), "time": say_clock(self.at, language),
            "start": say_day(start.date(), language) if start else "",
            "at": say_at(self.at, language), "start_at": say_at(start.strftime("%H:%M"), language) if start else "",
            "inches": _plain(self.inches), "limit": _plain(self.limit),
            "days": self.length, "hours": self.length, "count": self.count,
        }
        return said[self.started_by if self.count != 1 else f"{self.started_by}_one"].format(**fields)


_SAID = {
    "en": {
        "inspected": "last inspected {start}; day {days} is {day}",
        "permitted": "never inspected; permit issued {start}; day {days} is {day}",
        "unknown": "no inspection is known; one is due now",
        "rained": "{inches} in of rain until {start} {start_at} (limit {limit} in); "
                  "{hours} hours end {day} {at}",
        "weekday": "last inspected {start}; the next day set for it is {day}",
        "road_late": "soil on the road found {start} {start_at}, after the end of the work day: look again at the end "
                     "of the next one, {day} {at}; {count} places",
        "road_late_one": "soil on the road found {start} {start_at}, after the end of the work day: look again at the "
                         "end of the next one, {day} {at}",
        "rained_day": "{inches} in of rain on {start} (limit {limit} in); to be seen by {day} {at}",
        "road": "soil on the road found {start}: look again at the end of the work day, {time}; {count} places",
        "road_one": "soil on the road found {start}: look again at the end of the work day, {time}",
        "corrections": "{count} corrections open; the first is due {day} {at}",
        "corrections_one": "1 correction open, due {day} {at}",
        "at_once": "{count} corrections open; the first was due at once on {day}",
        "at_once_one": "1 correction open, due at once on {day}",
    },
    "es": {
        "inspected": "última inspección: {start}; el día {days} es el {day}",
        "permitted": "nunca inspeccionado; permiso emitido el {start}; el día {days} es el {day}",
        "unknown": "no se conoce ninguna inspección; toca una ahora",
        "rained": "{inches} pulgadas de lluvia hasta el {start} {start_at} (límite: {limit}); "
                  "las {hours} horas terminan el {day} {at}",
        "weekday": "última inspección: {start}; el próximo día fijado es el {day}",
        "rained_day": "{inches} pulgadas de lluvia el {start} (límite: {limit}); debe verse a más tardar el {day} "
                      "{at}",
        "road": "tierra en la vía, hallada el {start}: vuelva a mirar al fin de la jornada, {at}; "
                "{count} lugares",
        "road_one": "tierra en la vía, hallada el {start}: vuelva a mirar al fin de la jornada, {at}",
        "road_late": "tierra en la vía, hallada el {start} {start_at}, terminada ya la jornada: vuelva a mirar al fin "
                     "de la siguiente, el {day} {at}; {count} lugares",
        "road_late_one": "tierra en la vía, hallada el {start} {start_at}, terminada ya la jornada: vuelva a mirar al "
                         "fin de la siguiente, el {day} {at}",
        "corrections": "{count} correcciones pendientes; la primera vence el {day} {at}",
        "corrections_one": "1 corrección pendiente, vence el {day} {at}",
        "at_once": "{count} correcciones pendientes; la primera debía hacerse de inmediato, el {day}",
        "at_once_one": "1 corrección pendiente, que debía hacerse de inmediato, el {day}",
    },
}


def rounds_due(pack: Pack, site: SiteRecord, today: date) -> tuple[Owed, ...]:
    """Every inspection that the site is owed, the first due first. Its clause is that of the rounds (weekly, rain) or
    that of the item that was found failing (road, re-inspection; "" for an item of another pack)."""
    found = [_road(pack, site, today), _corrections(pack, site)]
    if _permitted(site, today):
        found += [_weekly(pack, site, today), _rain(pack, site)]
    return tuple(sorted((one for one in found if one is not None), key=lambda one: one.moment))


def _permitted(site: SiteRecord, today: date) -> bool:
    if site.permit is None:
        return False
    first, last = site.permit
    return (first is None or first <= today) and (last is None or today <= last)


def _weekly(pack: Pack, site: SiteRecord, today: date) -> Owed | None:
    rules, own = pack.rounds, site.schedule
    days = own.every_days or (rules.every_days if rules else None)
    if days is None:
        return None
    clause, end = rules.clause if rules else "", site.end_of_work_day or pack.end_of_work_day
    last = max((visit.on for visit in site.visits), default=None)
    first = site.permit[0] if site.permit else None
    start, by = (last, "inspected") if last else (first, "permitted")
    if start is None:
        return Owed("weekly", clause, today, end, None, "unknown", pack)
    due = start + timedelta(days=days)
    if own.weekday is not None and due.weekday() != own.weekday:
        due -= timedelta(days=(due.weekday() - own.weekday) % 7)  # on the day set for it, and not later
        by = "weekday" if last else by
    return Owed("weekly", clause, max(due, start + timedelta(days=1)), end, datetime.combine(start, time.min), by, pack,
                length=days)


def _rain(pack: Pack, site: SiteRecord) -> Owed | None:
    """The first rain that reached the limit and that nobody has been on the site after."""
    rules, own = pack.rounds, site.schedule
    limit = _rain_limit(pack, site)
    hours = own.rain_within_hours or (rules.rain_within_hours if rules else 24)
    for rain in sorted(site.rains, key=lambda one: one.ended):
        if _rain_counts(pack, site, rain):
            inches = fallen(site.rains, rain)
            due = rain.ended + timedelta(hours=hours)
            at = (site.end_of_work_day or pack.end_of_work_day) if rain.whole_day else due.strftime("%H:%M")
            return Owed("rain", rules.clause if rules else "", due.date(), at, rain.ended,
                        "rained_day" if rain.whole_day else "rained", pack, inches=inches, limit=limit, length=hours)
    return None


def rain_calls(pack: Pack, site: SiteRecord, rain: Rain, today: date) -> bool:
    """Whether an inspection is owed because of this rain, whatever else is owed; ``rain`` is one of the site's."""
    return _permitted(site, today) and _rain_counts(pack, site, rain)


def _rain_limit(pack: Pack, site: SiteRecord) -> Decimal | None:
    return site.schedule.rain_at_least_in or (pack.rounds.rain_at_least_in if pack.rounds else None)


def _rain_counts(pack: Pack, site: SiteRecord, rain: Rain) -> bool:
    limit, first = _rain_limit(pack, site), site.permit[0] if site.permit else None
    if limit is None or (first is not None and rain.ended.date() < first):
        return False
    return fallen(site.rains, rain) >= limit and not any(visit.after(rain) for visit in site.visits)


def fallen(rains: Iterable[Rain], until: Rain) -> Decimal:
    """The inches of one gauge in the 24 hours that end with ``until``. Two readings of the same time are one rain seen
    twice: the larger counts."""
    window = [one for one in rains
              if one.gauge == until.gauge and until.ended - _DAY <= one.began and one.ended <= until.ended]
    taken: list[Rain] = []
    for one in sorted({*window, until}, key=lambda one: (-one.inches, one.began, one.ended)):
        if all(one.ended <= other.began or other.ended <= one.began for other in taken):
            taken.append(one)
    return sum((one.inches for one in taken), Decimal(0))


def _road(pack: Pack, site: SiteRecord, today: date) -> Owed | None:
    """K9: what was found on the road is looked at again at the end of the work day on which it was found; what was
    found after that hour, at the end of the next one."""
    end = site.end_of_work_day or pack.end_of_work_day
    found = [(day, one) for one in site.corrections if _recheck(pack, one.item)
             and one.found_on <= today <= (day := road_day(pack, one, end))]
    if not found:
        return None
    on = min(day for day, _one in found)
    mine = [one for day, one in found if day == on]
    first = min(mine, key=lambda one: (one.found_on, one.found_at or ""))
    start = datetime.combine(first.found_on, time.fromisoformat(first.found_at or "00:00"))
    return Owed("road", pack.item(first.item).clause, on, end, start,
                "road_late" if all(one.found_on < on for one in mine) else "road", pack, count=len(mine))


def road_day(pack: Pack, one: OpenCorrection, end_of_work_day: str) -> date:
    """The work day at whose end soil on the road is looked at again: that of the finding, or where it was found after
    its end the next day that is neither a Sunday nor a holiday."""
    if one.found_at is None or one.found_at < end_of_work_day:
        return one.found_on
    after = one.found_on + timedelta(days=1)
    try:
        return pack.calendar.roll(after)
    except CalendarMissing:  # of a year of which nobody has told the holidays yet
        return after


def _recheck(pack: Pack, item: str) -> bool:
    try:
        return pack.item(item).recheck_same_day
    except KeyError:
        return False


def _corrections(pack: Pack, site: SiteRecord) -> Owed | None:
    """K12: the site is to be seen again when the first correction runs out."""
    dated = sorted((one for one in site.corrections if one.on is not None and one.at is not None),
                   key=lambda one: (one.on, one.at))
    if not dated:
        return None
    first = dated[0]
    assert first.on is not None and first.at is not None
    try:
        clause = pack.item(first.item).clause
    except KeyError:
        clause = ""
    found = first.found_on
    return Owed("re-inspection", clause, first.on, first.at, datetime.combine(found, time.min),
                "at_once" if first.at_once else "corrections", pack, count=len(dated), at_once=first.at_once)


def _plain(number: Decimal | None) -> str:
    return "" if number is None else f"{number.normalize():f}"


def read_rounds(section: Section | None, clauses: dict) -> RoundRules | None:
    """``[rounds]`` of ``limits.toml``; None where the pack has none."""
    if section is None:
        return None
    clause = section.text("clause")
    if clause not in clauses:
        raise section.fail("clause", f"{clause!r} is not a clause of this pack")
    found = RoundRules(clause, section.whole("every_days", least=1), section.number("rain_at_least_in"),
                       section.whole("rain_within_hours", least=1))
    if found.rain_at_least_in == 0:
        raise section.fail("rain_at_least_in", "must be more than 0")
    section.done()
    return found
