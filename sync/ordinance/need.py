"""Is an erosion control permit required? ``decide_need(pack, project) -> Need``: never a guess, never rounded.

``required``, ``not_required``, ``exempt`` or ``undetermined``. What is not known is None and never "no": a missing
slope leaves the answer undetermined. The order: outside the city; an exception known to be met or known to be
conditional; any trigger met (an unknown exception does not block it); any trigger unknown; else not required.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from .schema import Section
from .slopes import Slope, say

if TYPE_CHECKING:
    from .pack import Pack

RESULTS = ("required", "not_required", "exempt", "undetermined")
STATE_PROJECT = ("no", "with_plan", "without_plan")
ROAD_WORK = ("none", "local", "county", "state")
DEWATERING = ("none", "no_sediment", "may_carry_sediment", "unsure")
TRIGGERS = ("area and slope", "volume", "road work", "utility length", "dewatering")
EXCEPTIONS = ("agricultural use", "state project")
SQ_FT_PER_ACRE = 43560
CU_FT_PER_CU_YD = 27
IN_PER_FT = 12


@dataclass(frozen=True, slots=True)
class Area:
    """A sub-area or phase of the one project, in square feet; None is unknown."""

    sq_ft: Fraction | None
    slope: Slope | None


@dataclass(frozen=True, slots=True)
class Strip:
    """Topsoil stripped: depth in inches over an area in square feet; None is unknown."""

    depth_in: Fraction | None
    area_sq_ft: Fraction | None

    def cu_yd(self) -> Fraction | None:
        if self.depth_in == 0 or self.area_sq_ft == 0:
            return Fraction(0)
        if self.depth_in is None or self.area_sq_ft is None:
            return None
        return self.depth_in * self.area_sq_ft / (IN_PER_FT * CU_FT_PER_CU_YD)


@dataclass(frozen=True, slots=True)
class Project:
    """What is known of a project. ``agricultural_use`` is cropping or grazing itself, never a structure."""

    in_city: bool | None = None
    agricultural_use: bool | None = None
    state_project: str | None = None
    areas: tuple[Area, ...] | None = None
    cut_cu_yd: Fraction | None = None
    fill_cu_yd: Fraction | None = None
    strip: Strip | None = None
    cut_reused_as_fill: bool | None = None
    road_work: str | None = None
    utility_segments_ft: tuple[Fraction, ...] | None = None
    dewatering: str | None = None
    site_class: str | None = None


@dataclass(frozen=True, slots=True)
class Trigger:
    kind: str
    clause: str
    limits: tuple[tuple[Fraction, Fraction | None], ...]
    at_least: Fraction
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class Exemption:
    kind: str
    clause: str
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class Regime:
    """Another set of rules that may apply beside the ordinance; it is named, never decided."""

    id: str
    area_at_least: Fraction | None
    site_classes: tuple[str, ...]
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class NeedRules:
    triggers: tuple[Trigger, ...]
    exceptions: tuple[Exemption, ...]
    regimes: tuple[Regime, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """``triggers``: clause slugs known to be met, when required; ``met``, ``unknown``: whatever the result is.

    ``basis`` says which rule decided: outside, exception, conditional, trigger, unknown, nothing. ``inputs`` are
    (name, value with its unit) as compared.
    """

    result: str
    triggers: tuple[str, ...]
    basis: str
    met: tuple[str, ...]
    unknown: tuple[str, ...]
    exception: str | None
    regimes: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    pack: Pack = field(repr=False, compare=False)


def decide_need(pack: Pack, project: Project) -> Need:
    """The permit need of ``project`` under the pack (clauses B1, B4, C1 to C5 of the shipped ordinance)."""
    rules = pack.need
    by_trigger = {trigger.clause: _TESTS[trigger.kind](trigger, project) for trigger in rules.triggers}
    met = tuple(sorted(clause for clause, value in by_trigger.items() if value is True))
    unknown = tuple(sorted(clause for clause, value in by_trigger.items() if value is None))
    states = [(rule, _exception(rule, project)) for rule in rules.exceptions]
    exempting = next((rule.clause for rule, state in states if state == "met"), None)
    conditional = next((rule.clause for rule, state in states if state == "conditional"), None)
    triggers: tuple[str, ...] = ()
    if project.in_city is False:
        result, basis, exception = "not_required", "outside", None
    elif exempting is not None:
        result, basis, exception = "exempt", "exception", exempting
    elif conditional is not None:
        result, basis, exception = "undetermined", "conditional", conditional
    elif met:
        result, basis, exception, triggers = "required", "trigger", None, met
    elif unknown:
        result, basis, exception = "undetermined", "unknown", None
    else:
        result, basis, exception = "not_required", "nothing", None
    return Need(result, triggers, basis, met, unknown, exception, _regimes(rules.regimes, project), _inputs(project),
                pack)


def say_need(need: Need, language: str = "en") -> str:
    """One sentence a person can read out, with the clauses, and one for each other regime."""
    said, pack = _SAID[language], need.pack
    by_clause = {trigger.clause: trigger.text[language] for trigger in pack.need.triggers}
    by_clause.update({rule.clause: rule.text[language] for rule in pack.need.exceptions})

    def listed(clauses: Iterable[str]) -> str:
        return ", ".join(f"{by_clause[slug]} ({said['clause']} {pack.cite(slug)})" for slug in clauses)

    if need.basis in ("exception", "conditional"):
        text = said[need.basis].format(what=listed([need.exception or ""]))
    else:
        text = said[need.basis].format(met=listed(need.met), unknown=listed(need.unknown))
    regimes = [regime.text[language] for regime in pack.need.regimes if regime.id in need.regimes]
    return " ".join([text, *regimes])


_SAID = {
    "en": {
        "clause": "clause",
        "outside": "No permit is required: the project lies outside the city, which this ordinance does not reach.",
        "exception": "No permit is required: {what}.",
        "conditional": "It cannot be said yet: the exception for {what} depends on a comparable plan, "
                       "and there is none.",
        "trigger": "A permit is required because of {met}.",
        "unknown": "It cannot be said yet: {unknown} must be known first.",
        "nothing": "No permit is required: no listed activity reaches its limit.",
    },
    "es": {
        "clause": "cláusula",
        "outside": "No se requiere permiso: el proyecto está fuera de la ciudad, donde esta ordenanza no rige.",
        "exception": "No se requiere permiso: {what}.",
        "conditional": "Aún no se puede decir: la excepción de {what} depende de un plan comparable, y no lo hay.",
        "trigger": "Se requiere permiso por {met}.",
        "unknown": "Aún no se puede decir: antes hay que conocer {unknown}.",
        "nothing": "No se requiere permiso: ninguna actividad de la lista alcanza su límite.",
    },
}


def _exception(rule: Exemption, project: Project) -> str:
    if rule.kind == "agricultural use":
        return {True: "met", False: "no", None: "unknown"}[project.agricultural_use]
    return {"with_plan": "met", "without_plan": "conditional", "no": "no", None: "unknown"}[project.state_project]


def _area_and_slope(trigger: Trigger, project: Project) -> bool | None:
    """Steep sub-areas together against each limit; the whole area with one steep part is for a person to say."""
    if project.areas is None:
        return None
    answer: bool | None = False
    sizes = [area.sq_ft for area in project.areas]
    for limit, percent in trigger.limits:
        def steep(area: Area, percent: Fraction | None = percent) -> bool | None:
            if percent is None:
                return True
            return None if area.slope is None else area.slope.steeper_than(percent)

        sure = sum((area.sq_ft for area in project.areas if area.sq_ft is not None and steep(area)), Fraction(0))
        if sure and sure >= limit:
            return True
        whole_reaches = None in sizes or sum((size for size in sizes if size), Fraction(0)) >= limit
        if whole_reaches and any(area.sq_ft != 0 and steep(area) is not False for area in project.areas):
            answer = None
    return answer


def _volume(trigger: Trigger, project: Project) -> bool | None:
    """Cut (with what is stripped) and fill together; with reuse, between the larger of the two and their sum."""
    both = project.cut_cu_yd is not None and project.fill_cu_yd is not None
    stripped = project.strip.cu_yd() if project.strip is not None else (Fraction(0) if both else None)
    cut_low = (project.cut_cu_yd or Fraction(0)) + (stripped or Fraction(0))
    fill_low = project.fill_cu_yd or Fraction(0)
    bounded = both and stripped is not None
    low = max(cut_low, fill_low) if project.cut_reused_as_fill else cut_low + fill_low
    if low >= trigger.at_least:
        return True
    if not bounded or cut_low + fill_low >= trigger.at_least:
        return None
    return False


def _road_work(trigger: Trigger, project: Project) -> bool | None:
    if project.road_work is None:
        return None
    if project.road_work == "state":
        return {"no": True, "with_plan": False}.get(project.state_project or "")
    return project.road_work != "none"


def _utility_length(trigger: Trigger, project: Project) -> bool | None:
    if project.utility_segments_ft is None:
        return None
    return sum(project.utility_segments_ft, Fraction(0)) >= trigger.at_least


def _dewatering(trigger: Trigger, project: Project) -> bool | None:
    return {"none": False, "no_sediment": False, "may_carry_sediment": True}.get(project.dewatering or "")


_TESTS = {"area and slope": _area_and_slope, "volume": _volume, "road work": _road_work,
          "utility length": _utility_length, "dewatering": _dewatering}


def _regimes(regimes: tuple[Regime, ...], project: Project) -> tuple[str, ...]:
    whole = sum((area.sq_ft for area in project.areas or () if area.sq_ft), Fraction(0))
    return tuple(regime.id for regime in regimes
                 if (regime.area_at_least is not None and whole >= regime.area_at_least)
                 or project.site_class in regime.site_classes)


def _inputs(project: Project) -> tuple[tuple[str, str], ...]:
    """Every known input with its unit, as it was compared."""
    found: list[tuple[str, str]] = []
    for name in ("in_city", "agricultural_use", "state_project", "site_class"):
        value = getattr(project, name)
        if value is not None:
            found.append((name, {True: "yes", False: "no"}.get(value, value)))
    for place, area in enumerate(project.areas or (), 1):
        size = "unknown area" if area.sq_ft is None else f"{say(area.sq_ft)} sq ft"
        found.append((f"area {place}", f"{size}, slope {area.slope if area.slope is not None else 'unknown'}"))
    for name in ("cut_cu_yd", "fill_cu_yd"):
        value = getattr(project, name)
        if value is not None:
            found.append((name.removesuffix("_cu_yd"), f"{say(value)} cu yd"))
    if project.strip is not None:
        volume = project.strip.cu_yd()
        found.append(("strip", "unknown" if volume is None else f"{say(volume)} cu yd"))
    for name in ("cut_reused_as_fill", "road_work", "dewatering"):
        value = getattr(project, name)
        if value is not None:
            found.append((name, {True: "yes", False: "no"}.get(value, value)))
    if project.utility_segments_ft is not None:
        found.append(("utility segments", f"{say(sum(project.utility_segments_ft, Fraction(0)))} ft together"))
    return tuple(found)


def read_need(section: Section, clauses: dict, languages: tuple[str, ...]) -> NeedRules:
    """``need.toml``: triggers with their limits, exceptions, other regimes."""
    def clause(inner: Section) -> str:
        slug = inner.text("clause")
        if slug not in clauses:
            raise inner.fail("clause", f"{slug!r} is not a clause of this pack")
        return slug

    triggers = []
    for inner in section.sections("trigger", least=1):
        kind, limits, at_least = inner.choice("kind", TRIGGERS), [], Fraction(0)
        if kind == "area and slope":
            for one in inner.sections("limits", least=1):
                percent = one.number("slope_percent", None)
                limits.append((Fraction(one.number("area_sq_ft")), None if percent is None else Fraction(percent)))
                one.done()
        elif kind == "volume":
            at_least = Fraction(inner.number("at_least_cu_yd"))
        elif kind == "utility length":
            at_least = Fraction(inner.number("at_least_ft"))
        triggers.append(Trigger(kind, clause(inner), tuple(limits), at_least, inner.said("text", languages)))
        inner.done()
    exceptions = []
    for inner in section.sections("exception", []):
        exceptions.append(Exemption(inner.choice("kind", EXCEPTIONS), clause(inner), inner.said("text", languages)))
        inner.done()
    regimes = []
    for inner in section.sections("regime", []):
        area = inner.number("area_sq_ft_at_least", None)
        regimes.append(Regime(inner.text("id"), None if area is None else Fraction(area),
                              inner.texts("site_classes", ()), inner.said("text", languages)))
        inner.done()
    section.done()
    return NeedRules(tuple(triggers), tuple(exceptions), tuple(regimes))
