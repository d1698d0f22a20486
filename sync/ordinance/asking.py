"""The permit-need questions as a person is asked them on a site, and the answers as they travel.

    questions(pack, answers) -> the questions that still matter, in order        Question: id, kind, text, choices, unit
    project_of(answers) -> need.Project          AnswerUnreadable names what cannot be read
    need_of(pack, answers) -> need.Need

``answers`` is a dict of texts: question id -> a choice id or a number as written; ``areas`` is a list of
``{"area_sq_ft", "slope_percent"}``. What is not there, empty or "unknown" is not known, and never "no".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .need import DEWATERING, ROAD_WORK, STATE_PROJECT, Area, Need, Project, decide_need
from .slopes import slope

if TYPE_CHECKING:
    from .pack import Pack

UNKNOWN = "unknown"
YES_NO = ("yes", "no")
MOST_AREAS = 20
_MOST = 1_000_000_000
"""No site is larger, in any unit; a longer number is a slip of the finger."""


class AnswerUnreadable(ValueError):
    """An answer that cannot be read: ``where`` names it, ``why`` says what would fit."""

    def __init__(self, where: str, why: str):
        self.where, self.why = where, why
        super().__init__(f"{where}: {why}")


@dataclass(frozen=True, slots=True)
class Question:
    """``kind``: choice, number or areas. ``clause``: slug of the clause that it is about, "" for none."""

    id: str
    kind: str
    clause: str
    texts: dict[str, str]
    choices: tuple[str, ...] = ()
    unit: str = ""

    def text(self, language: str = "en") -> str:
        return self.texts[language]

    def choice_text(self, choice: str, language: str = "en") -> str:
        """What a choice is called; "unknown" is always one."""
        return _CHOICES[language].get(f"{self.id}.{choice}") or _CHOICES[language][choice]


_ASKED: tuple[tuple[str, str, tuple[str, ...], str, str, str], ...] = (
    # id, kind, choices, unit, English, Spanish
    ("in_city", "choice", YES_NO, "", "Does the land lie inside the city?", "¿Está el terreno dentro de la ciudad?"),
    ("agricultural_use", "choice", YES_NO, "", "Is the land itself used for crops or livestock (no building)?",
     "¿Se usa el terreno mismo para cultivos o ganado (sin construcción)?"),
    ("state_project", "choice", STATE_PROJECT, "", "Is it a project of the State?", "¿Es un proyecto del Estado?"),
    ("areas", "areas", (), "sq ft", "How much land is disturbed, and how steep is it?",
     "¿Cuánto terreno se remueve y qué pendiente tiene?"),
    ("cut_cu_yd", "number", (), "cu yd", "How much soil is cut (dug out)?", "¿Cuánta tierra se excava?"),
    ("fill_cu_yd", "number", (), "cu yd", "How much soil is filled in?", "¿Cuánta tierra se rellena?"),
    ("cut_reused_as_fill", "choice", YES_NO, "", "Is the soil that is cut used as the fill?",
     "¿Se usa como relleno la tierra excavada?"),
    ("road_work", "choice", ROAD_WORK, "", "Is a street, highway, road or bridge built or changed?",
     "¿Se construye o cambia una calle, carretera, camino o puente?"),
    ("utility_ft", "number", (), "ft", "How long is the underground pipe or cable, all together?",
     "¿Qué largo tiene la tubería o el cable subterráneo, en total?"),
    ("dewatering", "choice", DEWATERING, "", "Is water pumped from the site?", "¿Se bombea agua del sitio?"),
)
_CHOICES = {
    "en": {
        "yes": "Yes", "no": "No", UNKNOWN: "Not known", "state_project.no": "No",
        "with_plan": "Yes, with a comparable erosion plan", "without_plan": "Yes, without such a plan",
        "none": "No", "local": "City or town road", "county": "County road", "state": "State road or bridge",
        "no_sediment": "Yes, it cannot carry soil", "may_carry_sediment": "Yes, it may carry soil",
        "unsure": "Yes, not sure about soil",
    },
    "es": {
        "yes": "Sí", "no": "No", UNKNOWN: "No se sabe", "state_project.no": "No",
        "with_plan": "Sí, con un plan de erosión comparable", "without_plan": "Sí, sin tal plan",
        "none": "No", "local": "Vía de la ciudad o del pueblo", "county": "Vía del condado",
        "state": "Vía o puente del Estado", "no_sediment": "Sí, no puede llevar tierra",
        "may_carry_sediment": "Sí, puede llevar tierra", "unsure": "Sí, no se sabe si lleva tierra",
    },
}
_ABOUT = {"areas": "area and slope", "cut_cu_yd": "volume", "fill_cu_yd": "volume", "cut_reused_as_fill": "volume",
          "road_work": "road work", "utility_ft": "utility length", "dewatering": "dewatering",
          "agricultural_use": "agricultural use", "state_project": "state project"}


def questions(pack: Pack, answers: Mapping[str, Any]) -> tuple[Question, ...]:
    """What is still to be asked or was: nothing after the answer that settles it (outside the city, an exception), and
    nothing about a trigger or an exception that this pack does not have."""
    clauses = {one.kind: one.clause for one in (*pack.need.triggers, *pack.need.exceptions)}
    found: list[Question] = []
    settled = False
    for ident, kind, choices, unit, english, spanish in _ASKED:
        about = _ABOUT.get(ident)
        if settled or (about is not None and about not in clauses):
            continue
        if ident == "cut_reused_as_fill" and not (_given(answers, "cut_cu_yd") and _given(answers, "fill_cu_yd")):
            continue
        found.append(Question(ident, kind, clauses.get(about or "", ""), {"en": english, "es": spanish}, choices, unit))
        settled = (ident, answers.get(ident)) in (
            ("in_city", "no"), ("agricultural_use", "yes"), ("state_project", "with_plan"))
    return tuple(found)


def _given(answers: Mapping[str, Any], ident: str) -> bool:
    return answers.get(ident) not in (None, "", UNKNOWN, [])


def need_of(pack: Pack, answers: Mapping[str, Any]) -> Need:
    """The permit need as these answers make it. Raises AnswerUnreadable."""
    return decide_need(pack, project_of(answers))


def project_of(answers: Mapping[str, Any]) -> Project:
    """The answers as what the law computes with. Raises AnswerUnreadable for an unknown question, choice or number."""
    known = {row[0] for row in _ASKED}
    for ident in answers:
        if ident not in known:
            raise AnswerUnreadable(str(ident), f"is no question; there are: {', '.join(sorted(known))}")
    utility = _number(answers, "utility_ft")
    return Project(
        in_city=_flag(answers, "in_city"), agricultural_use=_flag(answers, "agricultural_use"),
        state_project=_choice(answers, "state_project"), areas=_areas(answers),
        cut_cu_yd=_number(answers, "cut_cu_yd"), fill_cu_yd=_number(answers, "fill_cu_yd"),
        cut_reused_as_fill=_flag(answers, "cut_reused_as_fill"), road_work=_choice(answers, "road_work"),
        utility_segments_ft=None if utility is None else (utility,), dewatering=_choice(answers, "dewatering"))


def _choice(answers: Mapping[str, Any], ident: str) -> str | None:
    if not _given(answers, ident):
        return None
    allowed = next(row[2] for row in _ASKED if row[0] == ident)
    if answers[ident] not in allowed:
        raise AnswerUnreadable(ident, f"must be one of {', '.join((*allowed, UNKNOWN))}")
    return str(answers[ident])


def _flag(answers: Mapping[str, Any], ident: str) -> bool | None:
    return {None: None, "yes": True, "no": False}[_choice(answers, ident)]


def _number(answers: Mapping[str, Any], ident: str, where: str = "") -> Fraction | None:
    if not _given(answers, ident):
        return None
    text = answers[ident]
    try:
        if not isinstance(text, str) or len(text) > 20:
            raise InvalidOperation
        found = Decimal(text.strip())
    except InvalidOperation:
        raise AnswerUnreadable(where or ident, "must be a number, such as 3200 or 12.5") from None
    if not found.is_finite() or not 0 <= found <= _MOST:
        raise AnswerUnreadable(where or ident, f"must be a number from 0 to {_MOST}")
    return Fraction(found)


def _areas(answers: Mapping[str, Any]) -> tuple[Area, ...] | None:
    if not _given(answers, "areas"):
        return None
    rows = answers["areas"]
    if not isinstance(rows, list) or len(rows) > MOST_AREAS or any(not isinstance(row, Mapping) for row in rows):
        raise AnswerUnreadable("areas", f"must be a list of at most {MOST_AREAS} areas")
    found = []
    for place, row in enumerate(rows, 1):
        size = _number(row, "area_sq_ft", f"area {place}")
        percent = _number(row, "slope_percent", f"slope {place}")
        if size is not None or percent is not None:
            found.append(Area(size, None if percent is None else slope("percent", percent)))
    return tuple(found) or None
