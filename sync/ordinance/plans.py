"""The erosion control plan as structure, the application form, the fee, and which edition of the handbook counts.

``plan_gaps`` and ``form_gaps`` say what is missing, item by item; whether a plan is good is for a person to judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from .schema import Section

if TYPE_CHECKING:
    from .pack import Pack

WHERE = ("on the site", "next to the site")


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that may affect erosion and that the plan must show or say is not there."""

    id: str
    where: str
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class FeeLine:
    """``amount`` in dollars, once, or for each ``per_sq_ft`` square feet begun."""

    id: str
    amount: Decimal
    per_sq_ft: Decimal | None
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class Standard:
    """An edition of the State's handbook or standards and the day from which it counts."""

    id: str
    in_force_from: date
    citation: str
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class PermitRules:
    asks: dict[str, dict[str, str]]
    clause: str
    factors: tuple[Factor, ...]
    fees: tuple[FeeLine, ...]
    standards: tuple[Standard, ...]

    def standard_on(self, day: date) -> Standard:
        """The latest edition in force on ``day``. LookupError before the first."""
        found = [one for one in self.standards if one.in_force_from <= day]
        if not found:
            raise LookupError(f"no edition of the handbook is in force on {day} in this pack")
        return found[-1]


@dataclass(frozen=True, slots=True)
class LocatedDevice:
    """A control device on the drawing: an id, its kind from the catalogue, where it is (microdegrees or words)."""

    id: str
    kind: str
    place: str
    lat_udeg: int | None = None
    lon_udeg: int | None = None

    @property
    def located(self) -> bool:
        return bool(self.place.strip()) or (self.lat_udeg is not None and self.lon_udeg is not None)


@dataclass(frozen=True, slots=True)
class TimetableRow:
    """One activity of the timetable: its area in square feet, its days, what is done against runoff."""

    activity: str
    area_sq_ft: Decimal | None
    start: date | None
    end: date | None
    temporary: str
    permanent: str


@dataclass(frozen=True, slots=True)
class Plan:
    """``factors``: factor id -> what the plan says of it; ``scale`` of the drawing such as "1:240"."""

    factors: Mapping[str, str]
    scale: str
    devices: tuple[LocatedDevice, ...]
    timetable: tuple[TimetableRow, ...]
    standard: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing: ``where`` in the plan or form, and the sentence in the pack's languages."""

    where: str
    says: dict[str, str]


_SAID = {
    "factor": {"en": "The plan does not say anything on: {what}.", "es": "El plan no dice nada sobre: {what}."},
    "scale": {"en": "The drawing does not state its scale.", "es": "El dibujo no indica su escala."},
    "devices": {"en": "The drawing shows no control device.", "es": "El dibujo no muestra ningún dispositivo."},
    "kind": {"en": "{what} is no control device of the catalogue.", "es": "{what} no está en el catálogo."},
    "place": {"en": "Device {what} has no place on the drawing.", "es": "El dispositivo {what} no tiene lugar."},
    "timetable": {"en": "The timetable has no activity.", "es": "El calendario no tiene ninguna actividad."},
    "row": {"en": "{what} is missing in the timetable.", "es": "Falta en el calendario: {what}."},
    "order": {"en": "{what} ends before it starts.", "es": "{what} termina antes de empezar."},
    "standard": {"en": "The plan follows {what}, which is not the edition in force.",
                 "es": "El plan sigue {what}, que no es la edición vigente."},
    "form": {"en": "The application does not give: {what}.", "es": "La solicitud no da: {what}."},
}


def _gap(kind: str, where: str, what: str | Mapping[str, str] = "") -> Gap:
    said = _SAID[kind]
    return Gap(where, {language: text.format(what=what if isinstance(what, str) else what[language])
                       for language, text in said.items()})


def form_gaps(pack: Pack, form: Mapping[str, str]) -> tuple[Gap, ...]:
    """What the application form (clause B2) still lacks."""
    return tuple(_gap("form", name, label) for name, label in pack.permits.asks.items()
                 if not str(form.get(name, "")).strip())


def plan_gaps(pack: Pack, plan: Plan, on: date) -> tuple[Gap, ...]:
    """What the plan lacks of what clause D1 makes it show, judged by the edition in force ``on`` that day."""
    found = [_gap("factor", f"factors.{one.id}", one.text) for one in pack.permits.factors
             if not plan.factors.get(one.id, "").strip()]
    if not plan.scale.strip():
        found.append(_gap("scale", "scale"))
    if not plan.devices:
        found.append(_gap("devices", "devices"))
    for one in plan.devices:
        if one.kind not in pack.devices:
            found.append(_gap("kind", f"devices.{one.id}", one.kind))
        if not one.located:
            found.append(_gap("place", f"devices.{one.id}", one.id))
    if not plan.timetable:
        found.append(_gap("timetable", "timetable"))
    for number, row in enumerate(plan.timetable, 1):
        for name in ("activity", "area_sq_ft", "start", "end", "temporary", "permanent"):
            value = getattr(row, name)
            if value is None or (isinstance(value, str) and not value.strip()):
                found.append(_gap("row", f"timetable.{number}.{name}", f"{number}: {name}"))
        if row.start is not None and row.end is not None and row.end < row.start:
            found.append(_gap("order", f"timetable.{number}", f"{number}: {row.activity}"))
    if plan.standard != pack.permits.standard_on(on).id:
        found.append(_gap("standard", "standard", plan.standard or "-"))
    return tuple(found)


def fee(pack: Pack, area_sq_ft: Decimal) -> tuple[Decimal, tuple[tuple[FeeLine, int, Decimal], ...]]:
    """The fee for disturbing ``area_sq_ft``: the total in dollars and its lines (line, units, amount)."""
    lines = []
    for line in pack.permits.fees:
        units = 1
        if line.per_sq_ft is not None:
            units = -(-Fraction(area_sq_ft) // Fraction(line.per_sq_ft))
        lines.append((line, int(units), line.amount * int(units)))
    return sum((amount for _, _, amount in lines), Decimal(0)), tuple(lines)


def read_permits(section: Section, clauses: dict, languages: tuple[str, ...]) -> PermitRules:
    """``permits.toml``: the form, the factors, the fees, the editions."""
    form = section.section("application")
    labels = form.section("label")
    asks = {name: labels.said(name, languages) for name in form.texts("asks")}
    labels.done()
    clause = form.text("clause")
    if clause not in clauses:
        raise form.fail("clause", f"{clause!r} is not a clause of this pack")
    form.done()
    factors, fees, standards = [], [], []
    for inner in section.sections("factor"):
        factors.append(Factor(inner.text("id"), inner.choice("where", WHERE), inner.said("text", languages)))
        inner.done()
    for inner in section.sections("fee"):
        per = inner.number("per_sq_ft", None)
        if per == 0:
            raise inner.fail("per_sq_ft", "must be more than 0")
        fees.append(FeeLine(inner.text("id"), inner.number("amount"), per, inner.said("text", languages)))
        inner.done()
    for inner in section.sections("standard"):
        standards.append(Standard(inner.text("id"), inner.day("in_force_from"), inner.text("citation"),
                                  inner.said("text", languages)))
        inner.done()
    if [one.in_force_from for one in standards] != sorted({one.in_force_from for one in standards}):
        raise section.fail("standard", "must be listed by the day from which each edition counts")
    section.done()
    return PermitRules(asks, clause, tuple(factors), tuple(fees), tuple(standards))
