"""Judges the answer to one checklist item, and the outcome of a whole inspection. Severity is computed here.

    judge(item, answer, context) -> Judgement        item from pack.checklists[topic].items or pack.item(id)
    asked_parts(item, answer) -> the parts to show now (some are asked only after another answer)
    outcome(judgements, ...) -> one of OUTCOMES
    answer_in_order(item) -> the one answer by which the item passes, None where there are several or a measure

``answer`` is a dict part id -> value: YN "yes"|"no"|"na"|"not_observed"; SEL a choice id; MUL a list of choice
ids (empty: none); NUM a decimal string; CNT an int; TXT a str. An item with one part uses the part id "answer";
``{"answer": "not_observed"}`` and ``{"answer": "na"}`` answer any item, and "na" / "not_observed" any part.
``context`` keys, all optional: ``at`` (datetime, local wall time; without it no due date is made),
``end_of_work_day`` ("HH:MM" of the site or None for the pack's), ``earlier_failures`` (dates on which this item
failed before for this subject). "Not observed" is never a pass, and an unknown is never a no.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation

from .corrections import Due, due
from .items import ANYWAY, SEVERITIES, Condition, Item, Part

STATES = ("pass", "fail", "not_observed", "na", "incomplete")
OUTCOMES = ("compliant", "corrected_on_site", "correction_notice", "revision_order", "stop_work_recommended",
            "stop_work_posted", "emergency_requested", "incomplete")
PHOTOS = {"critical": ("wide", "close"), "major": ("any",), "minor": (), "observation": ()}
"""The views that a failure of each severity needs (``photos_missing`` compares)."""


class AnswerError(ValueError):
    """An answer that does not fit the item: ``where`` is item and part, ``why`` says what would fit."""

    def __init__(self, where: str, why: str):
        self.where, self.why = where, why
        super().__init__(f"{where}: {why}")


@dataclass(frozen=True, slots=True)
class Judgement:
    """``severity``, ``clause`` (slug), ``grounds`` (letters suggested) and ``due`` are empty unless it fails.

    ``inputs`` are the recorded values that the rule looked at; ``why`` is a sentence; ``missing`` part ids still
    to be answered; ``photos`` the views needed; ``note`` whether a comment is needed; ``unseen`` whether some part
    was not observed, also of an item that fails by another part.
    """

    state: str
    severity: str | None
    inputs: dict[str, object]
    grounds: tuple[str, ...]
    clause: str
    due: Due | None
    why: str
    missing: tuple[str, ...] = ()
    photos: tuple[str, ...] = ()
    note: bool = False
    revision: bool = False
    emergency: bool = False
    forbids_compliant: bool = False
    unseen: bool = False


def asked_parts(item: Item, answer: Mapping) -> tuple[Part, ...]:
    """The parts that apply given what is answered so far."""
    whole = answer.get("answer")
    if whole in ANYWAY and len(item.parts) > 1:
        return ()
    return tuple(part for part in item.parts if _holds(part.asked_when, item, answer, {}))


def judge(item: Item, answer: Mapping, context: Mapping | None = None, *, language: str = "en") -> Judgement:
    """The state of one answered item. AnswerError when a value does not fit the item."""
    context = context or {}
    _check(item, answer)
    if answer.get("answer") in ANYWAY and (len(item.parts) > 1 or item.parts[0].id == "answer"):
        return _plain(item, str(answer["answer"]), _SAID[language][str(answer["answer"])])
    facts = {"failures_in_window": _failures(item, context)}
    asked = asked_parts(item, answer)
    values = {part.id: answer[part.id] for part in asked if part.id in answer}
    missing = tuple(part.id for part in asked if not part.optional and _blank(answer.get(part.id)))
    holding = [rule for rule in item.rules if _holds(rule.conditions, item, values, facts)]
    if missing and not holding:
        return _plain(item, "incomplete", _SAID[language]["incomplete"], missing)
    unseen = any(values.get(part.id) == "not_observed" or values.get(part.id) in part.unseen for part in asked)
    if holding:
        worst = min(holding, key=lambda rule: SEVERITIES.index(rule.severity))
        inputs = dict(values)
        if any(condition.fact for rule in item.rules for condition in rule.conditions):
            inputs.update(facts)
        when = context.get("at")
        made = due(item.timing, worst.due, when, context.get("end_of_work_day")) if worst.due and when else None
        return Judgement(
            "incomplete" if missing else "fail", worst.severity, inputs, item.grounds, item.clause, made,
            _why(item, values, worst.conditions, language), missing, PHOTOS[worst.severity],
            worst.severity in ("critical", "major") or _said_no(values), item.revision,
            bool(item.emergency_when) and _holds(item.emergency_when, item, values, facts), item.forbids_compliant,
            unseen)
    if unseen:
        return _plain(item, "not_observed", _SAID[language]["not_observed"])
    if asked and all(values.get(part.id) == "na" for part in asked if not part.optional):
        return _plain(item, "na", _SAID[language]["na"])
    return _plain(item, "pass", _SAID[language]["pass"])


def is_milder(one: str, than: str) -> bool:
    """Whether severity ``one`` is less grave than ``than``; never against "" (nothing fails)."""
    return bool(than) and SEVERITIES.index(one) > SEVERITIES.index(than)


def settle_severity(computed: str, chosen: str, reason: str | None) -> str:
    """The inspector's severity: raised freely, lowered only with a reason. AnswerError otherwise."""
    if chosen not in SEVERITIES or computed not in SEVERITIES:
        raise AnswerError("severity", f"must be one of {', '.join(SEVERITIES)}")
    if is_milder(chosen, computed) and not (reason or "").strip():
        raise AnswerError("severity_reason", f"lowering {computed} to {chosen} needs a reason")
    return chosen


def photos_missing(severity: str, views: Iterable[str]) -> tuple[str, ...]:
    """The views ("wide", "close", "any") that a failure of this severity still needs, given the views of its photos."""
    held = list(views)
    return tuple(view for view in PHOTOS[severity] if (not held if view == "any" else view not in held))


def answer_in_order(item: Item) -> dict[str, object] | None:
    """The answer that "in order" means: the only one by which the item passes.

    None where several answers pass, or where something must be measured or counted: that is never made up.
    """
    found = list(_passing(item, {}, 2))
    return found[0] if len(found) == 1 else None


def _passing(item: Item, so_far: dict[str, object], most: int) -> Iterable[dict[str, object]]:
    """At most ``most`` passing answers that go on from ``so_far``; two empty ones when there is no telling."""
    unanswered = [part for part in asked_parts(item, so_far) if part.id not in so_far and not part.optional]
    if not unanswered:
        return [so_far] if judge(item, so_far).state == "pass" else []
    values = _finite(item, unanswered[0])
    if values is None:
        return [{}, {}]
    found: list[dict[str, object]] = []
    for value in values:
        found += _passing(item, {**so_far, unanswered[0].id: value}, most)
        if len(found) >= most:
            break
    return found


def _finite(item: Item, part: Part) -> list[object] | None:
    """All values of a part that are worth trying; None where they cannot be listed."""
    if part.type in ("YN", "SEL"):
        return [one for one in part.choice_ids() if one not in part.unseen]
    if part.type == "MUL":
        return [[], *([one] for one in part.choice_ids())]
    if part.type in ("NUM", "CNT") and any(
            condition.source == part.id and not condition.fact and condition.test == "above" and condition.value == 0
            for rule in item.rules if len(rule.conditions) == 1 for condition in rule.conditions):
        return [0 if part.type == "CNT" else "0"]  # anything above none fails
    return None


def outcome(judgements: Iterable[Judgement], *, corrected: Iterable[bool] = (), order: str | None = None,
            revision: bool = False, emergency: bool = False, left_open: bool = False,
            left_unseen: bool = False) -> str:
    """What the inspection comes to (one of OUTCOMES), the gravest first.

    ``corrected`` goes with the judgements one by one: true where the failure was put right on site. ``order`` is
    None, "recommended" or "posted"; ``revision`` and ``emergency`` say that one was decided on. Observations alone
    leave an inspection compliant, except where the item forbids it (inlets counted unlike the plan). ``left_open``
    and ``left_unseen``: a finding of an earlier inspection is still open, or was not looked at.
    """
    if emergency:
        return "emergency_requested"
    if order == "posted":
        return "stop_work_posted"
    if order == "recommended":
        return "stop_work_recommended"
    if revision:
        return "revision_order"
    put_right = list(corrected)
    open_failure, fixed, unseen = left_open, False, left_unseen
    for place, one in enumerate(judgements):
        if one.state == "fail" and (one.severity != "observation" or one.forbids_compliant):
            if place < len(put_right) and put_right[place]:
                fixed = True
            else:
                open_failure = True
        if one.unseen or one.state in ("not_observed", "incomplete"):
            unseen = True
    if open_failure:
        return "correction_notice"
    if unseen:
        return "incomplete"
    return "corrected_on_site" if fixed else "compliant"


_SAID = {
    "en": {"pass": "Nothing fails.", "na": "Does not apply here.", "not_observed": "Not observed, which is no pass.",
           "incomplete": "Not fully answered yet.", "fails": "Fails", "times": "failed {n} times in {days} days"},
    "es": {"pass": "Nada falla.", "na": "No corresponde aquí.", "not_observed": "No se observó, y eso no es aprobar.",
           "incomplete": "Aún falta responder.", "fails": "No cumple", "times": "falló {n} veces en {days} días"},
}


def _plain(item: Item, state: str, why: str, missing: tuple[str, ...] = ()) -> Judgement:
    return Judgement(state, None, {}, (), item.clause, None, why, missing)


def _failures(item: Item, context: Mapping) -> int:
    """Failures of this item within the pack's window before the inspection; the same day is no earlier one."""
    when = context.get("at")
    days: Iterable[date] = context.get("earlier_failures") or ()
    if when is None:
        return len(tuple(days))
    today = when.date()
    first = today - timedelta(days=item.timing.window_days)
    return sum(1 for day in days if first <= day < today)


def _said_no(values: Mapping) -> bool:
    return "no" in values.values()


def _blank(value: object) -> bool:
    return value is None or value == ""


def _number(value: object) -> Decimal | None:
    if isinstance(value, int):
        return Decimal(value)
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _holds(conditions: tuple[Condition, ...], item: Item, answer: Mapping, facts: Mapping) -> bool:
    return all(_one_holds(condition, answer, facts) for condition in conditions)


def _one_holds(condition: Condition, answer: Mapping, facts: Mapping) -> bool:
    value = facts.get(condition.source) if condition.fact else answer.get(condition.source)
    wanted = condition.value
    if condition.test == "given":
        return (not _blank(value)) == wanted
    if _blank(value):
        return False
    if condition.test == "is":
        return value == wanted
    if condition.test == "in":
        return value in wanted  # type: ignore[operator]
    if condition.test == "any":
        return isinstance(value, (list, tuple)) and any(one in wanted for one in value)  # type: ignore[operator]
    left = _number(value)
    right = _number(answer.get(str(wanted))) if condition.test in _BETWEEN_PARTS else _number(wanted)
    return left is not None and right is not None and _COMPARE[condition.test](left, right)


_BETWEEN_PARTS = ("below_part", "above_part", "differs_from")
_COMPARE = {
    "below": lambda a, b: a < b, "above": lambda a, b: a > b, "at_least": lambda a, b: a >= b,
    "at_most": lambda a, b: a <= b, "below_part": lambda a, b: a < b, "above_part": lambda a, b: a > b,
    "differs_from": lambda a, b: a != b,
}


def _check(item: Item, answer: Mapping) -> None:
    """AnswerError for a part the item has not, or a value of the wrong kind."""
    for part_id, value in answer.items():
        part = item.part(part_id)
        where = f"{item.id}.{part_id}"
        if part is None:
            if part_id == "answer" and value in ANYWAY:
                continue
            raise AnswerError(where, f"is no part of {item.id}; there are: {', '.join(p.id for p in item.parts)}")
        if value is None or (isinstance(value, str) and (value in ANYWAY or value == "")):
            continue
        if part.type in ("YN", "SEL") and value not in part.choice_ids():
            raise AnswerError(where, f"must be one of {', '.join((*part.choice_ids(), *ANYWAY))}, not {value!r}")
        if part.type == "MUL":
            if not isinstance(value, (list, tuple)) or any(one not in part.choice_ids() for one in value):
                raise AnswerError(where, f"must be a list of {', '.join(part.choice_ids())}, not {value!r}")
        elif part.type == "CNT":
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise AnswerError(where, f"must be a whole number of 0 or more, not {value!r}")
        elif part.type == "NUM":
            number = _number(value) if isinstance(value, str) else None
            if number is None or not number.is_finite() or number < 0:
                raise AnswerError(where, f"must be a number of 0 or more as text, not {value!r}")
        elif part.type == "TXT" and not isinstance(value, str):
            raise AnswerError(where, f"must be a text, not {value!r}")


def _why(item: Item, values: Mapping, conditions: tuple[Condition, ...], language: str) -> str:
    """"Fails: Soil on the road: loose soil; ..." from the answers that the rule looked at. The clause is said
    elsewhere, as the city cites it."""
    said = _SAID[language]
    parts = []
    for condition in conditions:
        if condition.fact:
            parts.append(said["times"].format(n=item.timing and 1 + int(condition.value), days=item.timing.window_days))  # type: ignore[arg-type]
            continue
        for part_id in (condition.source, str(condition.value)):
            part = item.part(part_id)
            if part is not None and not _blank(values.get(part_id)):
                text = f"{part.label(language)}: {_shown(part, values[part_id], language)}"
                if text not in parts:
                    parts.append(text)
    return f"{said['fails']}: {'; '.join(parts)}"


def _shown(part: Part, value: object, language: str) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown(part, one, language) for one in value)
    for choice in part.choices:
        if choice.id == value:
            return choice.text[language]
    if part.type == "YN":
        return {"en": {"yes": "yes", "no": "no"}, "es": {"yes": "sí", "no": "no"}}[language].get(str(value), str(value))
    return f"{value} {part.unit_in(language)}".strip()
