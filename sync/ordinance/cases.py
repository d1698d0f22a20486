"""Evaluates law case files: what a lawyer can read and a program can run, held against one pack.

    cases = read_case_file(text)                 CaseError when it cannot be read (TOML, unknown key, wrong type)
    result = evaluate(case, pack)                Result: holds or not, what was expected, what came, why

A file holds ``office_closed``, ``[[permit_need]]``, ``[[deadline]]`` and ``[[matter]]``. New subjects get new tables;
the keys of a table never change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from .acts import ACTS, decide
from .calendar import CalendarMissing
from .dates import Derived, application_review, derive, extension_cap, permit_life, statement
from .duties import DUTIES, owed
from .events import FIRST, Event, EventError, refuse_opposites
from .given import CaseError, Given, read_event, read_project
from .matter import STATUSES, fold
from .need import RESULTS, Project, decide_need, say_need
from .schema import parse_toml

if TYPE_CHECKING:
    from .pack import Pack

__all__ = ["Case", "CaseError", "CaseFile", "Result", "evaluate", "read_case", "read_case_file"]

TABLES = ("permit_need", "deadline", "matter")
Explain = Callable[[], tuple[str, ...]]
"""The lines of a derivation, made when somebody reads them."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: ``run(pack)`` gives what came (by the keys of ``expect``) and what makes the derivation as lines."""

    id: str
    table: str
    says: str
    expect: dict[str, object]
    run: Callable[[Pack], tuple[dict[str, object], Explain]]


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases that could be read, the errors of those that could not, and further closed days of the office."""

    cases: tuple[Case, ...]
    errors: tuple[CaseError, ...]
    office_closed: frozenset[date]


@dataclass(frozen=True, slots=True)
class Result:
    case: Case
    differs: tuple[tuple[str, object, object], ...]
    explain: Explain

    @property
    def derivation(self) -> tuple[str, ...]:
        """Why it came so, line by line; of a count into a year without a table, that it is missing."""
        try:
            return self.explain()
        except CalendarMissing as missing:
            return (str(missing),)

    @property
    def holds(self) -> bool:
        return not self.differs

    def line(self) -> str:
        """"M01: expected status in_force, came posted | derivation ..." on one line."""
        found = "; ".join(f"expected {key} {_said(want)}, came {_said(came)}" for key, want, came in self.differs)
        return f"{self.case.id}: {found} | {' / '.join(self.derivation)}"


def read_case_file(text: str) -> CaseFile:
    """All cases of one file. CaseError when the file itself cannot be read; a bad case is in ``errors``."""
    try:
        table = parse_toml(text)
    except ValueError as error:
        raise CaseError("", "", f"cannot be read as TOML: {error}") from None
    closed = table.get("office_closed", [])
    if not isinstance(closed, list) or any(not isinstance(d, date) or isinstance(d, datetime) for d in closed):
        raise CaseError("", "office_closed", "must be a list of dates")
    cases: list[Case] = []
    errors: list[CaseError] = []
    for name, rows in table.items():
        if name == "office_closed":
            continue
        if name not in TABLES:
            errors.append(CaseError("", name, f"is not known here; there are: office_closed, {', '.join(TABLES)}"))
            continue
        if not isinstance(rows, list):
            errors.append(CaseError("", name, f"must be written [[{name}]]"))
            continue
        for place, row in enumerate(rows, 1):
            try:
                cases.append(read_case(name, place, row))
            except CaseError as error:
                errors.append(error)
    return CaseFile(tuple(cases), tuple(errors), frozenset(closed))


def evaluate(case: Case, pack: Pack) -> Result:
    """Holds the case against the pack. CaseError when it reaches a year that the pack's calendar lacks."""
    try:
        came, explain = case.run(pack)
    except (CalendarMissing, EventError) as error:
        raise CaseError(case.id, case.table, str(error)) from None
    except OverflowError:
        raise CaseError(case.id, case.table, "counts to a day that no calendar has") from None
    differs = tuple((key, want, came[key]) for key, want in case.expect.items() if came[key] != want)
    return Result(case, differs, explain)


def read_case(table: str, place: int, row: object) -> Case:
    """One row of a table as a case; ``place`` names it when it has no id. CaseError names what cannot be read."""
    name = f"{table}[{place}]"
    if isinstance(row, dict) and isinstance(row.get("id"), str):
        name = row["id"]
    given = Given(name, "", row)
    given.text("id", needed=True)
    says = given.text("says") or ""
    case = {"permit_need": _permit_need, "deadline": _deadline, "matter": _matter}[table](name, says, given)
    given.done()
    if not case.expect and not row.get("expect"):  # type: ignore[attr-defined]
        raise CaseError(name, "expect", "expects nothing")
    return case


def _inner(given: Given, key: str) -> Given:
    return Given(given.case, key, given.get(key, True))


def _permit_need(name: str, says: str, given: Given) -> Case:
    project: Project = read_project(_inner(given, "given"))
    wanted = _inner(given, "expect")
    expect: dict[str, object] = {"result": wanted.text("result", RESULTS, needed=True)}
    triggers = wanted.rows("triggers")
    if triggers is not None:
        if any(not isinstance(one, str) for one in triggers):
            raise wanted.fail("triggers", "must be a list of clauses")
        expect["triggers"] = triggers
    wanted.done()

    def run(pack: Pack) -> tuple[dict[str, object], Explain]:
        need = decide_need(pack, project)
        inputs = ", ".join(f"{key}: {value}" for key, value in need.inputs)
        return ({"result": need.result, "triggers": list(need.triggers)},
                lambda: (say_need(need), f"from {inputs or 'nothing'}", pack.ref))

    return Case(name, "permit_need", says, expect, run)


def _last_day(found: Derived) -> dict[str, object]:
    return {"last_day": found.last_day, "eligible_from": found.eligible_from, "last_valid_day": found.last_day}


_CLOCKS: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    # clock: needed dates, optional dates, what may be expected
    "application_review": (("received",), (), ("last_day",)),
    "permit_life": (("issued",), ("authorization_until",), ("last_valid_day",)),
    "extension": (("base_expiry", "requested_until"), (), ("allowed", "cap")),
    "revocation": (("issued",), (), ("last_day", "eligible_from")),
    "cease_and_desist": (("posted",), (), ("last_day", "eligible_from")),
    "notice_of_intent": (("posted",), (), ("eligible_from",)),
    "entry": (("notice_issued",), (), ("eligible_from",)),
}


def _deadline(name: str, says: str, given: Given) -> Case:
    clock = given.text("clock", _CLOCKS, needed=True) or ""
    needed, optional, keys = _CLOCKS[clock]
    dates_table = _inner(given, "given")
    dates = {key: dates_table.day(key, needed=True) for key in needed}
    dates.update({key: dates_table.day(key) for key in optional})
    dates_table.done()
    wanted = _inner(given, "expect")
    expect: dict[str, object] = {}
    for key in keys:
        value = wanted.flag(key) if key == "allowed" else wanted.day(key)
        if value is not None:
            expect[key] = value
    wanted.done()

    def run(pack: Pack) -> tuple[dict[str, object], Explain]:
        found = _derived(pack, clock, dates)
        came = _last_day(found)
        if clock == "extension":
            base, until = dates["base_expiry"], dates["requested_until"]
            came = {"cap": found.last_day, "allowed": base < until <= found.last_day}  # type: ignore[operator]
        return came, lambda: (statement(found),)

    return Case(name, "deadline", says, expect, run)


def _derived(pack: Pack, clock: str, dates: dict) -> Derived:
    if clock == "application_review":
        return application_review(pack, dates["received"])
    if clock == "permit_life":
        return permit_life(pack, dates["issued"], dates["authorization_until"])
    if clock == "extension":
        return extension_cap(pack, dates["base_expiry"])
    ident = {"revocation": "K4", "cease_and_desist": "K5", "notice_of_intent": "K6", "entry": "K7"}[clock]
    return derive(pack, ident, dates[_CLOCKS[clock][0][0]])


def _matter(name: str, says: str, given: Given) -> Case:
    rows = given.rows("events", needed=True) or []
    events: list[Event] = [read_event(Given(name, f"events[{place}]", one)) for place, one in enumerate(rows, 1)]
    try:
        refuse_opposites(events)
    except EventError as error:
        raise CaseError(name, "events", str(error)) from None
    at = given.day("at", needed=True)
    wanted = _inner(given, "expect")
    order = wanted.text("order") or FIRST
    lists = {"may": wanted.names("may", ACTS), "may_not": wanted.names("may_not", ACTS),
             "owed": wanted.names("owed", DUTIES), "not_owed": wanted.names("not_owed", DUTIES)}
    status = wanted.text("status", STATUSES)
    wanted.done()
    expect: dict[str, object] = {}
    for yes, no in (("may", "may_not"), ("owed", "not_owed")):
        expect.update({(yes, one): True for one in lists[yes]})  # type: ignore[misc]
        expect.update({(no, one): True for one in lists[no]})  # type: ignore[misc]
    expect = {f"{key[0]} {key[1]}": value for key, value in expect.items()}
    if status is not None:
        expect["status"] = status

    def run(pack: Pack) -> tuple[dict[str, object], Explain]:
        matter = fold(pack, events, at)  # type: ignore[arg-type]
        came: dict[str, object] = {"status": matter.order(order).status()}
        decisions = {act: decide(matter, act, order) for act in ACTS}
        for act, decision in decisions.items():
            came[f"may {act}"], came[f"may_not {act}"] = decision.open, not decision.open
            came[f"missing {act}"] = decision.missing
        standing = {duty.id: duty for duty in owed(matter, order)}
        for duty in DUTIES:
            came[f"owed {duty}"], came[f"not_owed {duty}"] = duty in standing, duty not in standing

        def explain() -> tuple[str, ...]:
            why = [decisions[act].explain() for act in ACTS if act in lists["may"] + lists["may_not"]]
            why.extend(f"{duty} owed since {standing[duty].since}" for duty in DUTIES
                       if duty in standing and duty in lists["owed"] + lists["not_owed"])
            return tuple(why) or (f"order {order}, at the end of {at}",)

        return came, explain

    return Case(name, "matter", says, expect, run)


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "none" if value is None else str(value)
