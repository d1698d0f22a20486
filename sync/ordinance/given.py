"""Reads the ``given``, ``events`` and ``expect`` tables of a case file into the things the law computes with.

Every unknown key, wrong type and impossible value is a ``CaseError`` that names the key and the case. What is not
given stays unknown (None): it never turns into "no" or zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction

from .events import FIRST, IN_CASES, Event, EventError
from .matter import THREATENED
from .need import DEWATERING, ROAD_WORK, SQ_FT_PER_ACRE, STATE_PROJECT, Area, Project, Strip
from .slopes import Slope, parse_ratio, slope


class CaseError(ValueError):
    """Input that cannot be read: ``case`` (none: the file as a whole) and ``key`` say where, ``why`` what is wrong."""

    def __init__(self, case: str, key: str, why: str):
        self.case, self.key, self.why = case, key, why
        place = f"case {case}: " if case else ""
        super().__init__(f"{place}{key}: {why}" if key else f"{place}{why}")


class Given:
    """One table of a case, read key by key; ``done`` refuses what nobody asked for."""

    __slots__ = ("case", "path", "seen", "table")

    def __init__(self, case: str, path: str, table: object):
        if not isinstance(table, Mapping):
            raise CaseError(case, path, "must be a table")
        self.case, self.path, self.table = case, path, table
        self.seen: set[str] = set()

    def fail(self, key: str, why: str) -> CaseError:
        return CaseError(self.case, f"{self.path}.{key}" if self.path else key, why)

    def get(self, key: str, needed: bool) -> object:
        """The raw value, or None when it may be missing."""
        self.seen.add(key)
        if key not in self.table:
            if needed:
                raise self.fail(key, "is missing")
            return None
        return self.table[key]

    def flag(self, key: str) -> bool | None:
        value = self.get(key, False)
        if value is not None and not isinstance(value, bool):
            raise self.fail(key, f"must be true or false, not {_shown(value)}")
        return value

    def text(self, key: str, allowed: Iterable[str] = (), *, needed: bool = False) -> str | None:
        value = self.get(key, needed)
        if value is None:
            return None
        choices = tuple(allowed)
        if not isinstance(value, str):
            raise self.fail(key, f"must be a text, not {_shown(value)}")
        if choices and value not in choices:
            raise self.fail(key, f"must be one of {', '.join(choices)}, not {value!r}")
        return value

    def day(self, key: str, *, needed: bool = False) -> date | None:
        value = self.get(key, needed)
        if value is not None and (not isinstance(value, date) or isinstance(value, datetime)):
            raise self.fail(key, f"must be a date such as 2026-08-27, not {_shown(value)}")
        return value

    def decimal(self, key: str, *, needed: bool = False) -> Decimal | None:
        value = self.get(key, needed)
        if value is None:
            return None
        return self.exact(key, value)

    def exact(self, key: str, value: object) -> Decimal:
        """``value`` as an exact number of 0 or more."""
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            raise self.fail(key, f"must be a number, not {_shown(value)}")
        number = Decimal(value)
        if number < 0:
            raise self.fail(key, f"must not be negative, not {value}")
        return number

    def number(self, key: str, *, needed: bool = False) -> Fraction | None:
        value = self.decimal(key, needed=needed)
        return None if value is None else Fraction(value)

    def rows(self, key: str, *, needed: bool = False) -> list[object] | None:
        value = self.get(key, needed)
        if value is not None and not isinstance(value, list):
            raise self.fail(key, f"must be a list, not {_shown(value)}")
        return value

    def names(self, key: str, allowed: Iterable[str]) -> tuple[str, ...]:
        """A list of names out of ``allowed``; empty when the key is not there."""
        choices = tuple(allowed)
        found = self.rows(key) or []
        for name in found:
            if name not in choices:
                raise self.fail(key, f"{name!r} is not known; there are: {', '.join(choices)}")
        return tuple(found)  # type: ignore[arg-type]

    def done(self) -> None:
        for key in self.table:
            if key not in self.seen:
                raise self.fail(key, "is not a key that is known here")


def _shown(value: object) -> str:
    """A value as it stood in the file, shortened."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (dict, list)):
        return "a table" if isinstance(value, dict) else "a list"
    return repr(value) if isinstance(value, str) else str(value)[:40]


def read_project(given: Given) -> Project:
    """The inputs of a permit need. CaseError names what cannot be read."""
    areas = given.rows("areas")
    strip = given.get("strip", False)
    found = Project(
        in_city=given.flag("in_city"),
        agricultural_use=given.flag("agricultural_use"),
        state_project=given.text("state_project", STATE_PROJECT),
        areas=None if areas is None else tuple(
            _area(Given(given.case, f"{given.path}.areas[{place}]".lstrip("."), one))
            for place, one in enumerate(areas, 1)),
        cut_cu_yd=given.number("cut_cu_yd"),
        fill_cu_yd=given.number("fill_cu_yd"),
        strip=None if strip is None else _strip(Given(given.case, f"{given.path}.strip".lstrip("."), strip)),
        cut_reused_as_fill=given.flag("cut_reused_as_fill"),
        road_work=given.text("road_work", ROAD_WORK),
        utility_segments_ft=_lengths(given),
        dewatering=given.text("dewatering", DEWATERING))
    given.done()
    return found


def _lengths(given: Given) -> tuple[Fraction, ...] | None:
    rows = given.rows("utility_segments_ft")
    if rows is None:
        return None
    return tuple(Fraction(given.exact(f"utility_segments_ft[{place}]", one)) for place, one in enumerate(rows, 1))


def _area(given: Given) -> Area:
    sq_ft, acres = given.number("area_sq_ft"), given.number("area_acres")
    if sq_ft is not None and acres is not None:
        raise given.fail("area_acres", "an area is given once, in square feet or in acres")
    if acres is not None:
        sq_ft = acres * SQ_FT_PER_ACRE
    found = _slope(given)
    given.done()
    return Area(sq_ft, found)


def _slope(given: Given) -> Slope | None:
    percent, degrees = given.number("slope_percent"), given.number("slope_degrees")
    ratio = given.text("slope_ratio")
    named = [key for key in ("slope_percent", "slope_degrees", "slope_ratio") if key in given.table]
    if len(named) > 1:
        raise given.fail(named[1], "a slope is given once, in percent, in degrees or as rise:run")
    try:
        if percent is not None:
            return slope("percent", percent)
        if degrees is not None:
            return slope("degrees", degrees)
        return None if ratio is None else parse_ratio(ratio)
    except ValueError as error:
        raise given.fail(named[0], str(error)) from None


def _strip(given: Given) -> Strip:
    found = Strip(given.number("depth_in"), given.number("area_sq_ft"))
    given.done()
    return found


def read_event(given: Given) -> Event:
    """One event of a matter with the keys of its kind. CaseError names what cannot be read."""
    what = given.text("what", IN_CASES, needed=True)
    on = given.day("on", needed=True)
    order = given.text("order") or FIRST
    if len(order) != 1 or not order.isalpha() or not order.isupper():
        raise given.fail("order", f"must be a capital letter such as B, not {order!r}")
    data: dict[str, object] = {}
    for key, (kind, allowed, needed) in _DATA.get(what or "", {}).items():
        value: object
        if kind == "day":
            value = given.day(key, needed=needed)
        elif kind == "money":
            value = given.decimal(key, needed=needed)
        else:
            value = given.text(key, allowed, needed=needed)
        if value is not None:
            data[key] = value
    given.done()
    try:
        return Event(what or "", on, order, data)  # type: ignore[arg-type]
    except EventError as error:
        raise given.fail("what", str(error)) from None


_DATA: dict[str, dict[str, tuple[str, tuple[str, ...], bool]]] = {
    "application_decided": {"decision": ("text", ("granted", "conditional", "denied"), True)},
    "permit_issued": {"authorization_until": ("day", (), False)},
    "permit_granted": {"authorization_until": ("day", (), False)},
    "permit_extended": {"until": ("day", (), True)},
    "appeal_decided": {"result": ("text", ("upheld", "modified", "reversed"), True)},
    # A record that does not say who approved or what is threatened is read, and opens no entry.
    "emergency_found": {"approved_by": ("text", (), False), "threatens": ("text", THREATENED, False)},
    "entry_basis": {"basis": ("text", ("consent", "warrant"), True)},
    "work_done": {"cost": ("money", (), True)},
    "billed": {"due": ("day", (), True)},
    "paid": {"amount": ("money", (), True)},
}
