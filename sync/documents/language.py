"""The words a person reads: one translator per language, and dates and times in plain words.

The message id of every sentence is the English sentence itself, so English needs no catalogue and a
sentence that is not yet translated still reads as English. Dates never go through `strftime`: its day and
month names follow the locale of the machine, and a paper must not read differently on another machine.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable
from datetime import date, datetime, time
from functools import cache
from math import ceil

from sync.where import assets

__all__ = [
    "LANGUAGES",
    "Translate",
    "capital",
    "clock_words",
    "counted",
    "date_words",
    "feet",
    "long_date_words",
    "moment_words",
    "parse_date",
    "parse_wall",
    "period_words",
    "size_words",
    "translator",
]

Translate = Callable[[str], str]

DOMAIN = "siltwatch"
METRES_PER_FOOT = 0.3048
FEET_PER_MILE = 5280
IN_FEET = 0.2
"""Miles up to which a distance is said in feet."""
LANGUAGES = ("en", "es")
OWN_NAMES = {"en": "English", "es": "Español"}


def N_(text: str) -> str:
    """Mark a sentence for extraction without translating it yet."""
    return text


DAYS_SHORT = (N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun"))
DAYS = (
    N_("Monday"),
    N_("Tuesday"),
    N_("Wednesday"),
    N_("Thursday"),
    N_("Friday"),
    N_("Saturday"),
    N_("Sunday"),
)
MONTHS_SHORT = (
    N_("Jan"),
    N_("Feb"),
    N_("Mar"),
    N_("Apr"),
    N_("May"),
    N_("Jun"),
    N_("Jul"),
    N_("Aug"),
    N_("Sep"),
    N_("Oct"),
    N_("Nov"),
    N_("Dec"),
)
MONTHS = (
    N_("January"),
    N_("February"),
    N_("March"),
    N_("April"),
    N_("May"),
    N_("June"),
    N_("July"),
    N_("August"),
    N_("September"),
    N_("October"),
    N_("November"),
    N_("December"),
)


class Speech:
    """One language: called with an English sentence it gives the sentence in that language."""

    __slots__ = ("_found",)

    def __init__(self, found: gettext.NullTranslations) -> None:
        self._found = found

    def __call__(self, sentence: str) -> str:
        return self._found.gettext(sentence)

    def plural(self, one: str, many: str, count: int) -> str:
        """The form of a sentence that this language uses beside `count`."""
        return self._found.ngettext(one, many, count)


@cache
def translator(language: str = "en") -> Speech:
    """The function that turns an English sentence into `language`.

    A language without a compiled catalogue (`assets/locale/<language>/LC_MESSAGES/siltwatch.mo`) answers
    in English: a paper in the wrong language is better than no paper.
    """
    if language == "en":
        return Speech(gettext.NullTranslations())
    place = str(assets() / "locale")
    found = gettext.translation(DOMAIN, localedir=place, languages=[language], fallback=True)
    return Speech(found)


ENGLISH = translator("en")


def counted(count: int, one: str, many: str, _: Translate, **values: object) -> str:
    """A sentence with a number in it: "1 photo", "3 photos". `one` and `many` stand literally in the call, so that they
    are collected for translation; `many` holds {count}, both may hold more `values`."""
    said = _.plural(one, many, count) if isinstance(_, Speech) else _(one if count == 1 else many)
    return said.format(count=count, **values)


def capital(words: str) -> str:
    """The first letter large: a day of the week begins small in Spanish, and large where it is a heading."""
    return words[:1].upper() + words[1:]


def feet(metres: float) -> int:
    """Whole feet, never fewer than it is: positions come in metres, people here pace in feet."""
    return ceil(metres / METRES_PER_FOOT)


def distance_words(metres: float, _: Translate = ENGLISH, *, step: int = 1) -> str:
    """How far, by one rule on tablet, office and papers: below 0.2 miles in feet (whole `step`s, never fewer than it
    is), from there in tenths of a mile."""
    whole = feet(metres)
    if whole < IN_FEET * FEET_PER_MILE:
        return _("{n} ft").format(n=-(-whole // step) * step)
    return _("{n} mi").format(n=f"{whole / FEET_PER_MILE:.1f}")


def date_words(day: date, _: Translate = ENGLISH) -> str:
    """Short, with the weekday, because people plan by weekdays: "Tue Sep 8, 2026"."""
    return _("{weekday} {month} {day}, {year}").format(
        weekday=_(DAYS_SHORT[day.weekday()]), month=_(MONTHS_SHORT[day.month - 1]), day=day.day, year=day.year
    )


def long_date_words(day: date, _: Translate = ENGLISH) -> str:
    """In full, for papers: "Tuesday, September 8, 2026"."""
    return _("{weekday}, {month} {day}, {year}").format(
        weekday=_(DAYS[day.weekday()]), month=_(MONTHS[day.month - 1]), day=day.day, year=day.year
    )


class ClockWords(str):
    """A time in words. A Spanish sentence that has it as {time:a} gets its preposition too: one o'clock is singular."""

    __slots__ = ()

    def __format__(self, how: str) -> str:
        return f"{'a la' if self.startswith('1:') else 'a las'} {self}" if how == "a" else str(self)


class MomentWords(str):
    """A moment with its date, which takes no preposition where a sentence has one for a time of day."""

    __slots__ = ()

    def __format__(self, how: str) -> str:
        return str(self)


def clock_words(at: time | datetime | str, _: Translate = ENGLISH) -> str:
    """A time, datetime or wire text "14:03" as "2:03 PM"; noon and midnight are said in words."""
    if isinstance(at, str):
        at = time.fromisoformat(at)
    if (at.hour, at.minute) == (12, 0):
        return ClockWords(_("12:00 noon"))
    if (at.hour, at.minute) == (0, 0):
        return ClockWords(_("12:00 midnight"))
    half = _("AM") if at.hour < 12 else _("PM")
    return ClockWords(f"{(at.hour - 1) % 12 + 1}:{at.minute:02d} {half}")


def moment_words(at: datetime, _: Translate = ENGLISH) -> str:
    """Date and time in the zone that `at` carries: "Thu Aug 27, 2026 at 2:03 PM"."""
    return MomentWords(_("{date} at {time}").format(date=date_words(at.date(), _), time=clock_words(at, _)))


def period_words(began: datetime, ended: datetime, _: Translate = ENGLISH) -> str:
    """From when to when: "Thu Aug 27, 2026, 1:40 PM to 2:03 PM"; with both days where they differ."""
    if began.date() != ended.date():
        return _("{began} to {ended}").format(began=moment_words(began, _), ended=moment_words(ended, _))
    return _("{date}, {began} to {ended}").format(
        date=date_words(began.date(), _), began=clock_words(began, _), ended=clock_words(ended, _))


def size_words(size: int) -> str:
    """Bytes as people read them: "31.2 GB", "3.4 MB", "812 KB"."""
    if size >= 1_000_000_000:
        return f"{size // 100_000_000 / 10:.1f} GB"
    if size >= 1_000_000:
        return f"{size // 100_000 / 10:.1f} MB"
    return f"{max(1, size // 1000)} KB"


def parse_date(text: str) -> date:
    """A wire date ("2026-09-08"). Raises ValueError for anything else."""
    return date.fromisoformat(text)


def parse_wall(text: str) -> datetime:
    """A wire wall time with its offset ("2026-08-27T14:03:22-05:00"), aware.

    Raises ValueError for a text without an offset from UTC.
    """
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text!r} has no offset from UTC")
    return at
