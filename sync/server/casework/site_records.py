"""What the office says about a site besides its permits: who inspects it and how often, who works there, and when.

Only what is named is changed; the rest of the site's document stays as it is. Every change is an act of a named person.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from sync.records.problems import Problem
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.founding import keep_site
from sync.server.casework.meanwhile import check_unchanged
from sync.server.casework.people import ADMINISTER, DECIDE_APPLICATIONS, INSPECT, holds, person_row, require
from sync.server.db.engine import Tx, find
from sync.server.db.schema import sites

FIELDS = ("area", "parcel", "end_of_work_day", "landowner", "contractor", "contacts", "inspectors", "schedule",
          "timetable")
MOST_DAYS, MOST_HOURS, MOST_INCHES = 90, 168, Decimal(20)
MOST_ROWS, LONGEST = 60, 300
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def may_change_sites(tx: Tx, city: City, actor: str) -> bool:
    """Whoever decides applications, or administers."""
    today = city.today()
    return holds(tx, city, actor, DECIDE_APPLICATIONS, today) or holds(tx, city, actor, ADMINISTER, today)


def shown_of(doc: Mapping[str, Any]) -> dict[str, Any]:
    """What the form of a site shows of it."""
    return {name: doc.get(name) for name in FIELDS}


def change_site(city: City, actor: str, site: str, changes: Mapping[str, Any], *, seen: str = "") -> tuple[str, ...]:
    """Changes the named fields (of ``FIELDS``, shaped as in `sync.records.down.Site`); gives which really changed.
    ``seen``: what they were filled in from (`meanwhile.seen_as` of ``shown_of``).

    Raises Problem "site-malformed" (``where`` names the field), "not-found", "no-authority", "changed-meanwhile".
    """

    def work(tx: Tx) -> tuple[str, ...]:
        if not may_change_sites(tx, city, actor):
            require(tx, city, actor, ADMINISTER, city.today())
        row = find(tx, sites, city_id=city.id, id=site)
        if row is None:
            raise Problem("not-found", "there is no such site", where="site")
        check_unchanged(seen, shown_of(row.doc))
        wanted = {name: _checked(tx, city, name, value) for name, value in changes.items()}
        changed = tuple(name for name in FIELDS if name in wanted and wanted[name] != row.doc.get(name, _none(name)))
        if changed:
            keep_site(tx, city, {**row.doc, **{name: wanted[name] for name in changed}})
            record(tx, city, actor, "site_changed", f"site:{site}", fields=list(changed),
                   **({"inspectors": wanted["inspectors"]} if "inspectors" in changed else {}))
        return changed

    return city.db.write(work)


def _none(name: str) -> Any:
    return "" if name in ("area", "parcel") else [] if name in ("contacts", "inspectors", "timetable") else None


def _bad(where: str, detail: str) -> Problem:
    return Problem("site-malformed", detail, where=where)


def _checked(tx: Tx, city: City, name: str, value: Any) -> Any:
    if name not in FIELDS:
        raise _bad(name, "this is not changed here")
    if name in ("area", "parcel"):
        return _text(name, value)
    if name == "end_of_work_day":
        if value is not None and not (isinstance(value, str) and _CLOCK.fullmatch(value)):
            raise _bad(name, "the end of the work day is a time such as 17:00")
        return value
    if name in ("contractor", "landowner"):
        return party(name, value)
    if name == "schedule":
        return None if value is None else _schedule(value)
    if not isinstance(value, list) or len(value) > MOST_ROWS:
        raise _bad(name, f"at most {MOST_ROWS} lines")
    if name == "inspectors":
        return [_inspector(tx, city, one) for one in dict.fromkeys(value)]
    if name == "contacts":
        return [_texts(f"contacts.{n}", one, ("role", "name", "phone"), needed="name")
                for n, one in enumerate(value, 1)]
    return _timetable(value)


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise _bad(where, f"a text of at most {LONGEST} characters")
    return value.strip()


def _texts(where: str, value: Any, names: tuple[str, ...], *, needed: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise _bad(where, f"give {', '.join(names)}")
    found = {name: _text(f"{where}.{name}", value.get(name, "")) for name in names}
    if not found[needed]:
        raise _bad(f"{where}.{needed}", f"the {needed} is missing")
    return found


def stands_by_itself(row: Any) -> None:
    """Raises Problem "act-not-open" for a site that turned out to be another one: what belongs to it is filed there."""
    if row.doc.get("same_as"):
        raise Problem("act-not-open", "this site is filed under another one: record it there")


def party(name: str, value: Any) -> dict[str, str] | None:
    """A party of the site as it is kept, or None for an unknown one. Raises Problem "site-malformed"."""
    return None if value is None else _texts(name, value, ("name", "address", "phone"), needed="name")


def _inspector(tx: Tx, city: City, person: Any) -> str:
    today = city.today()
    if not isinstance(person, str) or person_row(tx, city, person) is None:
        raise _bad("inspectors", f"the city has nobody with the id {person!r}")
    if not holds(tx, city, person, INSPECT, today):
        raise _bad("inspectors", f"{person_row(tx, city, person).name} may not inspect")
    return person


def _schedule(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, Mapping):
        raise _bad("schedule", "give every_days, weekday, rain_in, rain_within_hours")
    found = {
        "every_days": _whole("schedule.every_days", value.get("every_days"), 1, MOST_DAYS, "days between two rounds"),
        "weekday": _whole("schedule.weekday", value.get("weekday"), 0, 6, "the weekday"),
        "rain_in": _inches(value.get("rain_in")),
        "rain_within_hours": _whole("schedule.rain_within_hours", value.get("rain_within_hours"), 1, MOST_HOURS,
                                    "hours after the rain"),
    }
    return found if any(one is not None for one in found.values()) else None


def _whole(where: str, value: Any, least: int, most: int, said: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most):
        raise _bad(where, f"{said}: a whole number from {least} to {most}")
    return value


def _inches(value: Any) -> str | None:
    if value is None:
        return None
    try:
        number = Decimal(value) if isinstance(value, str) and len(value) < 10 else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or not 0 < number <= MOST_INCHES:
        raise _bad("schedule.rain_in", f"inches of rain: a number such as 0.5, at most {MOST_INCHES}")
    return f"{number.normalize():f}"


def _timetable(value: list[Any]) -> list[dict[str, Any]]:
    found, known = [], set()
    for n, raw in enumerate(value, 1):
        where = f"timetable.{n}"
        if not isinstance(raw, Mapping):
            raise _bad(where, "a step has an activity and its days")
        step = {"id": _text(f"{where}.id", raw.get("id", "")), "activity": _text(f"{where}.activity", raw["activity"]),
                **{day: _day(f"{where}.{day}", raw.get(day)) for day in ("start", "end", "done_on")},
                "note": _text(f"{where}.note", raw.get("note", ""))}
        if not step["activity"]:
            raise _bad(f"{where}.activity", "the activity is missing")
        if not step["id"] or step["id"] in known:
            raise _bad(f"{where}.id", "each step has an id of its own")
        if step["start"] and step["end"] and step["end"] < step["start"]:
            raise _bad(f"{where}.end", "it ends before it begins")
        known.add(step["id"])
        found.append(step)
    return found


def _day(where: str, value: Any) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise _bad(where, "a day is written YYYY-MM-DD") from None
