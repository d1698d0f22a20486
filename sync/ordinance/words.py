"""How dates and derivations are said, in English and Spanish. The one place with such phrases.

``words`` renders the reasoning of one derived date; ``statement`` adds what may follow and names clause,
calendar and pack. Both are made on demand: deciding never builds a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .dates import Derived

SPOKEN = ("en", "es")
"""The languages that sentences are made in; a pack may be written in these, English among them."""
_DAY = timedelta(days=1)
_SUNDAY = 6
_DAYS = {
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
}
_MONTHS = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
           "noviembre", "diciembre"),
}
PHRASES = {
    "en": {
        "issued": "issued {day}", "permit_issued": "issued {day}", "posted": "posted {day}",
        "notice_issued": "notice issued {day}",
        "notice_if": "if the notice is issued {day}",
        "new_owner_served": "new landowner served {day}",
        "found": "found {day}", "billed": "billed {day}", "due": "due {day}",
        "received": "received {day}", "base_expiry": "base expiry {day}", "stay_ended": "stay ended {day}",
        "permit_lapsed": "permit no longer valid from {day}", "ratified": "ratified {day}",
        "days": "day {count} is {day}", "hours": "{count} hours end on {day}",
        "working days": "working day {count} is {day}", "months": "{count} months end on {day}",
        "holiday": "{day} is {name}", "sunday": "{day} is a Sunday", "closed": "the office is closed on {day}",
        "not_moved": "{day} is {name}: {why}", "not_moved_sunday": "{day} is a Sunday: {why}",
        "waiting": "it does not make this wait longer",
        "validity": "it does not make a permit last longer",
        "last": "last day {day}", "last_valid": "last valid day {day}", "more_than": "possible from {day}",
        "permit_limb": "the office is shut on {day}: a permit may still be obtained until {other}",
        "authorization": "the other authorization lasts until {day}, which is later",
        "same_authorization": "the other authorization ends on the same day",
        "earlier_authorization": "the other authorization ends sooner, on {day}",
        "stay_added": "{count} days of stay added",
        "eligible": "may follow from {day}", "source": "{cite}; calendar {years}; pack {pack}",
        "source_plain": "{cite}; pack {pack}",
    },
    "es": {
        "issued": "emitida el {day}", "permit_issued": "emitido el {day}", "posted": "fijada el {day}",
        "notice_issued": "aviso emitido el {day}",
        "notice_if": "si el aviso se emite el {day}",
        "new_owner_served": "nuevo propietario notificado el {day}",
        "found": "hallada el {day}", "billed": "facturado el {day}", "due": "vence el {day}",
        "received": "recibida el {day}", "base_expiry": "vencimiento base el {day}",
        "stay_ended": "la suspensión terminó el {day}", "permit_lapsed": "permiso sin validez desde el {day}",
        "ratified": "ratificada el {day}",
        "days": "el día {count} es el {day}", "hours": "las {count} horas terminan el {day}",
        "working days": "el día hábil {count} es el {day}", "months": "los {count} meses terminan el {day}",
        "holiday": "el {day} es feriado ({name})", "sunday": "el {day} queda fuera",
        "closed": "la oficina está cerrada el {day}",
        "not_moved": "el {day} es feriado ({name}): {why}", "not_moved_sunday": "ese día es domingo: {why}",
        "waiting": "no alarga este plazo de espera",
        "validity": "no alarga la validez del permiso",
        "last": "el último día es el {day}", "last_valid": "el último día de validez es el {day}",
        "more_than": "posible desde el {day}",
        "permit_limb": "la oficina está cerrada el {day}: el permiso aún se puede obtener hasta el {other}",
        "authorization": "la otra autorización dura hasta el {day}, que es más tarde",
        "same_authorization": "la otra autorización termina el mismo día",
        "earlier_authorization": "la otra autorización termina antes, el {day}",
        "stay_added": "se suman {count} días de suspensión",
        "eligible": "puede seguir desde el {day}", "source": "{cite}; calendario {years}; reglas {pack}",
        "source_plain": "{cite}; reglas {pack}",
    },
}


def say_day(day: date, language: str = "en", near: date | None = None) -> str:
    """``Thu Aug 27`` / ``jueves 27 de agosto``; with the year when it is not the year of ``near``."""
    week, month = _DAYS[language][day.weekday()], _MONTHS[language][day.month - 1]
    text = f"{week} {month} {day.day}" if language == "en" else f"{week} {day.day} de {month}"
    if near is None or near.year == day.year:
        return text
    return f"{text}, {day.year}" if language == "en" else f"{text} de {day.year}"


def say_clock(at: str, language: str = "en") -> str:
    """``5:00 PM`` / ``5:00 p. m.`` for "17:00"; noon and midnight are said in words."""
    if at in ("12:00", "00:00"):
        return {"en": {"12:00": "12:00 noon", "00:00": "12:00 midnight"},
                "es": {"12:00": "12:00 del mediodía", "00:00": "12:00 de la medianoche"}}[language][at]
    hour, minute = int(at[:2]), at[3:]
    half = ("AM", "PM") if language == "en" else ("a.\u00a0m.", "p.\u00a0m.")  # never broken in two
    return f"{hour % 12 or 12}:{minute} {half[hour >= 12]}"


def say_at(at: str, language: str = "en") -> str:
    """``at 5:00 PM`` / ``a las 5:00 p. m.``: in Spanish one o'clock is singular."""
    said = say_clock(at, language)
    return f"at {said}" if language == "en" else f"{'a la' if said.startswith('1:') else 'a las'} {said}"


def words(derived: Derived, language: str = "en") -> str:
    """The derivation of one date, such as "posted Thu Aug 27; day 10 is Sun Sep 6; Mon Sep 7 is Labor Day;
    last day Tue Sep 8". Languages: en, es; KeyError for another."""
    phrase = PHRASES[language]
    start, raw, last, clock = derived.start, derived.raw, derived.last_day, derived.rule
    calendar = derived.pack.calendar

    def said(day: date) -> str:
        return say_day(day, language, start)

    validity = clock.start == "issued" and not clock.rolls and clock.opens == "none"
    began = "permit_issued" if validity and derived.started_by == "issued" else derived.started_by
    parts = [phrase[began].format(day=say_day(start, language))]
    if derived.further:
        parts.append(phrase["stay_added"].format(count=derived.further))
    if clock.unit == "none":
        return parts[0]
    if derived.fixed:
        parts.append(phrase["due"].format(day=said(raw)))
    else:
        parts.append(phrase[clock.unit].format(count=clock.length + derived.further, day=said(raw)))
    if derived.other is not None:
        name = "same_authorization" if derived.other == raw else (
            "authorization" if derived.other > raw else "earlier_authorization")
        parts.append(phrase[name].format(day=said(derived.other)))
    parts.extend(_closed_days(derived, said, phrase, language))
    if validity:
        parts.append(phrase["last_valid"].format(day=said(last)))
    elif clock.start == "notice_issued":
        parts.append(phrase["more_than"].format(day=said(derived.eligible_from)))
    else:
        parts.append(phrase["last"].format(day=said(last)))
    if derived.permit_last_day is not None and derived.permit_last_day != last:
        assert calendar.is_shut_saturday(last)
        parts.append(phrase["permit_limb"].format(day=said(last), other=said(derived.permit_last_day)))
    return "; ".join(parts)


def _closed_days(derived: Derived, said: Callable[[date], str], phrase: dict, language: str) -> list[str]:
    """The days that moved the end, each with its reason."""
    calendar, clock = derived.pack.calendar, derived.rule
    found = []
    if clock.unit in ("working days", "hours"):
        day = derived.start + _DAY
        while day < derived.raw:
            if calendar.is_holiday(day):
                found.append(phrase["holiday"].format(day=said(day), name=calendar.name(day, language)))
            elif clock.unit == "hours" and not calendar.is_secular(day):
                found.append(phrase["sunday"].format(day=said(day)))
            elif clock.unit == "working days" and day in calendar.closures:
                found.append(phrase["closed"].format(day=said(day)))
            day += _DAY
        return found
    if not clock.rolls and not clock.to_open_day:
        return [] if derived.other is not None else _not_moved(derived, said, phrase, language)
    day = derived.raw
    while day < derived.last_day:
        if calendar.is_holiday(day):
            found.append(phrase["holiday"].format(day=said(day), name=calendar.name(day, language)))
        elif clock.to_open_day and calendar.is_secular(day):
            found.append(phrase["closed"].format(day=said(day)))
        elif day != derived.raw:
            found.append(phrase["sunday"].format(day=said(day)))
        day += _DAY
    return found


def _not_moved(derived: Derived, said: Callable[[date], str], phrase: dict, language: str) -> list[str]:
    """Why a last day on a Sunday or holiday stays where it is: the rule moves the end of a time to act, and neither the
    end of a time to wait nor that of a permit."""
    calendar, raw = derived.pack.calendar, derived.raw
    why = phrase["waiting" if derived.rule.start == "notice_issued" else "validity"]
    # A permit may outlive the calendar's tables, and its end does not rest on them.
    if raw.year in calendar.years and calendar.is_holiday(raw):
        return [phrase["not_moved"].format(day=said(raw), name=calendar.name(raw, language), why=why)]
    return [phrase["not_moved_sunday"].format(day=said(raw), why=why)] if raw.weekday() == _SUNDAY else []


def eligibility(derived: Derived, language: str = "en") -> str:
    """"may follow from Wed Sep 9", or nothing when no act follows from this clock."""
    if derived.eligible_from is None:
        return ""
    return PHRASES[language]["eligible"].format(day=say_day(derived.eligible_from, language, derived.start))


def source(derived: Derived, language: str = "en") -> str:
    """Clause, calendar years used and pack version: what the words rest on."""
    pack, clock = derived.pack, derived.rule
    phrase = PHRASES[language]
    if not (clock.rolls or clock.to_open_day or clock.unit in ("working days", "hours")):
        return phrase["source_plain"].format(cite=pack.cite(derived.clause), pack=pack.ref)
    years = sorted({derived.start.year, derived.raw.year, derived.last_day.year})
    cites = sorted({pack.calendar.citations[year] for year in years if year in pack.calendar.citations})
    said = ", ".join(map(str, years)) + (f" ({'; '.join(cites)})" if cites else "")
    return phrase["source"].format(cite=pack.cite(derived.clause), years=said, pack=pack.ref)


def statement(derived: Derived, language: str = "en") -> str:
    """Words, what may follow, and the source in brackets: the whole derivation as one line."""
    parts = [words(derived, language)]
    if derived.rule.start != "notice_issued":
        parts.append(eligibility(derived, language))
    return "; ".join(part for part in parts if part) + f" ({source(derived, language)})"
