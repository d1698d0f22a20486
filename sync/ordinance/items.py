"""Checklist items as the pack gives them: questions, answer parts, fail rules, corrections.

An item fails when all conditions of one of its rules hold; the worst rule that holds gives the severity.
Every name a rule uses (part, choice, recorded fact, due code, ground) is checked when the pack is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from .calendar import Calendar
from .schema import Said, Section

TOPICS = ("tracking", "inlets", "waste", "devices", "dewatering")
SUBJECTS = ("site", "inlet", "device", "exit", "condition", "timetable")
TYPES = ("YN", "NUM", "SEL", "MUL", "TXT", "CNT")
SEVERITIES = ("critical", "major", "minor", "observation")
"""From the worst to the mildest."""
FACTS = ("failures_in_window",)
"""What the record knows and nobody is asked: how often this item failed for this subject in the window."""
ANYWAY = ("not_observed", "na")
DUE_KINDS = ("now", "end of work day", "hours", "days", "before rain", "set")
_YES_NO = ("yes", "no")
_UNITS = {"es": {"ft": "pies", "in": "pulgadas", "sq ft": "pies²", "gpm": "gal/min"}}
WHERE = "{where}"
"""In the correction of an item asked of each inlet, device ...: the place of which one it is."""


def where_words(label: str, place: str = "") -> str:
    """What an inlet or device is called in a sentence: "CB-3 (Corner of Mill Street and Third Street)"."""
    return f"{label} ({place})" if place else label


def _at_the_mark(own: str, said: str) -> str:
    """What stands in ``said`` where the pack's own sentence has its mark; "" when it is another sentence."""
    head, _, tail = own.partition(WHERE)
    if said.startswith(head) and said.endswith(tail) and len(said) > len(head) + len(tail):
        return said[len(head):len(said) - len(tail)]
    return ""


@dataclass(frozen=True, slots=True)
class Condition:
    """``source`` is a part id, or a recorded fact when ``fact``; ``test`` compares it with ``value``."""

    source: str
    fact: bool
    test: str
    value: object


@dataclass(frozen=True, slots=True)
class Choice:
    id: str
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """One field of an answer. ``asked_when`` must hold for it to be asked; ``unseen`` choices are no look."""

    id: str
    type: str
    text: dict[str, str]
    unit: str
    choices: tuple[Choice, ...]
    unseen: tuple[str, ...]
    optional: bool
    asked_when: tuple[Condition, ...]

    def label(self, language: str = "en") -> str:
        return self.text[language]

    def unit_in(self, language: str = "en") -> str:
        """The unit as it is said in a language; a unit that is not known here as the pack has it."""
        return _UNITS.get(language, {}).get(self.unit, self.unit)

    def choice_ids(self) -> tuple[str, ...]:
        """The values this part takes besides "na" and "not_observed"."""
        return _YES_NO if self.type == "YN" else tuple(choice.id for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to fail: all ``conditions`` hold. ``due`` is a due code of the pack, empty for none."""

    conditions: tuple[Condition, ...]
    severity: str
    due: str


@dataclass(frozen=True, slots=True)
class DueRule:
    code: str
    kind: str
    length: int
    text: dict[str, str]


@dataclass(frozen=True, slots=True)
class Timing:
    """What a due date is counted with: the calendar, the default end of a work day, the due codes."""

    calendar: Calendar
    end_of_work_day: str
    dues: dict[str, DueRule]
    window_days: int
    hours_leave_out_closed: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a checklist. ``per`` says whether it is asked of the site or of each inlet, device ..."""

    id: str
    topic: str
    per: str
    text: dict[str, str]
    parts: tuple[Part, ...]
    rules: tuple[Rule, ...]
    clause: str
    also: tuple[str, ...]
    kinds: tuple[str, ...]
    grounds: tuple[str, ...]
    corrections: dict[str, str]
    forbids_compliant: bool
    revision: bool
    recheck_same_day: bool
    emergency_when: tuple[Condition, ...]
    timing: Timing = field(repr=False, compare=False)

    def question(self, language: str = "en") -> str:
        return self.text[language]

    def correction(self, language: str = "en", where: str = "") -> str:
        """What must be done. ``where`` is what an item is about that is asked of each inlet, device, condition or step
        (`where_words`): read on a placard or in the office, "at this inlet" says nothing."""
        text = self.corrections[language]
        if WHERE in text:
            said = text.replace(WHERE, where)
            return said if where else said.replace("  ", " ").replace(" .", ".").strip(" :")
        return f"{where}: {text}" if where else text

    def correction_in(self, said: str, language: str) -> str | None:
        """The same correction in ``language`` when ``said`` is this pack's own sentence in any of its languages; what
        was written before or after it is kept. None for an inspector's own words."""
        for own in self.corrections.values():
            if WHERE in own:
                if where := _at_the_mark(own, said):
                    return self.correction(language, where)
            elif own and said.startswith(own):
                return self.corrections[language] + said[len(own):]
            elif own and said.endswith(f": {own}"):
                return said[:-len(own)] + self.corrections[language]
        return None

    def place_in(self, said: str) -> str | None:
        """The place (or condition, or step) that this pack's own sentence names, "" for none; None when `said` is not
        that sentence alone, so that an inspector's own words are in it."""
        for own in self.corrections.values():
            if said == own:
                return ""
            if WHERE in own:
                if where := _at_the_mark(own, said):
                    return where
            elif own and said.endswith(f": {own}"):
                return said[:-len(own) - 2]
        return None

    def asked_of(self, kind: str) -> bool:
        """Whether an item per device is asked of a device of this kind (no kinds named: of every one)."""
        return not self.kinds or kind in self.kinds

    def part(self, part_id: str) -> Part | None:
        for part in self.parts:
            if part.id == part_id:
                return part
        return None


@dataclass(frozen=True, slots=True)
class Checklist:
    topic: str
    titles: dict[str, str]
    items: tuple[Item, ...]

    def title(self, language: str = "en") -> str:
        return self.titles[language]

    def item(self, item_id: str) -> Item:
        """KeyError for an item that is not on this list."""
        for item in self.items:
            if item.id == item_id:
                return item
        raise KeyError(item_id)


def read_dues(section: Section, languages: tuple[str, ...]) -> dict[str, DueRule]:
    """The ``due`` tables of ``limits.toml``: NOW, EOD, 24H ... by code."""
    dues = {}
    for code, inner in section.tables("due"):
        kind = inner.choice("kind", DUE_KINDS)
        length = inner.whole("length", least=1) if kind in ("hours", "days") else 0
        dues[code] = DueRule(code, kind, length, inner.said("text", languages))
        inner.done()
    return dues


def read_checklist(section: Section, topic: str, clauses: Iterable[str], grounds: Iterable[str], devices: Iterable[str],
                   timing: Timing, languages: tuple[str, ...]) -> Checklist:
    """``checklist-TOPIC.toml``: a title and its items. PackError for any name that does not resolve."""
    titles = section.said("title", languages)
    items: list[Item] = []
    for inner in section.sections("item"):
        item = _item(inner, topic, tuple(clauses), tuple(grounds), tuple(devices), timing, languages)
        if any(item.id == other.id for other in items):
            raise inner.fail("id", f"{item.id} is used twice")
        items.append(item)
    section.done()
    return Checklist(topic, titles, tuple(items))


def _item(section: Section, topic: str, clauses, grounds, devices, timing: Timing, languages) -> Item:
    question = section.said("question", languages)
    if section.has("part"):
        parts = tuple(_part(inner, languages) for inner in section.sections("part"))
    else:
        parts = (_single_part(section, question, languages),)
    ids = [part.id for part in parts]
    if len(set(ids)) != len(ids):
        raise section.fail("part", "two parts have one id")
    for part in parts:
        for condition in part.asked_when:
            _check(section, condition, parts)
    rules = tuple(_rule(inner, parts, timing) for inner in section.sections("fail"))
    emergency = tuple(_conditions(section, "emergency_when"))
    for condition in emergency:
        _check(section, condition, parts)
    found = Item(
        id=section.text("id"), topic=topic, per=section.choice("per", SUBJECTS, "site"), text=question, parts=parts,
        rules=rules, clause=_known(section, "clause", section.text("clause"), clauses),
        also=tuple(_known(section, "also", slug, clauses) for slug in section.texts("also", ())),
        grounds=tuple(_known(section, "grounds", letter, grounds) for letter in section.texts("grounds", ())),
        corrections=section.said("correction", languages),
        kinds=tuple(_known(section, "kinds", kind, devices) for kind in section.texts("kinds", ())),
        forbids_compliant=section.flag("forbids_compliant", False), revision=section.flag("revision", False),
        recheck_same_day=section.flag("recheck_same_day", False),
        emergency_when=emergency, timing=timing)
    placed = [WHERE in text for text in found.corrections.values()]
    if any(placed) and (found.per in ("site", "exit") or not all(placed)):
        raise section.fail("correction", f"{WHERE} belongs to an item asked of each inlet, device, condition or step, "
                           "and then in every language")
    section.done()
    return found


def _known(section: Section, key: str, name: str, names: Iterable[str]) -> str:
    if name not in names:
        raise section.fail(key, f"{name!r} is not in this pack")
    return name


def _single_part(section: Section, text: dict[str, str], languages) -> Part:
    kind = section.choice("type", TYPES)
    choices = _choices(section, kind, languages)
    return Part("answer", kind, text, section.text("unit", ""), choices, _unseen(section, choices), False, ())


def _part(section: Section, languages) -> Part:
    kind = section.choice("type", TYPES)
    choices = _choices(section, kind, languages)
    part = Part(section.text("id"), kind, section.said("text", languages), section.text("unit", ""), choices,
                _unseen(section, choices), section.flag("optional", False),
                tuple(_conditions(section, "asked_when")))
    section.done()
    return part


def _choices(section: Section, kind: str, languages) -> tuple[Choice, ...]:
    if kind not in ("SEL", "MUL"):
        return ()
    found = []
    for inner in section.sections("choices"):
        name = inner.text("id")
        found.append(Choice(name, Said((language, inner.text(language)) for language in languages)))
        inner.done()
    if len({choice.id for choice in found}) != len(found) or len(found) < 2:
        raise section.fail("choices", "needs two or more choices with different ids")
    return tuple(found)


def _unseen(section: Section, choices: tuple[Choice, ...]) -> tuple[str, ...]:
    names = section.texts("unseen", ())
    for name in names:
        _known(section, "unseen", name, [choice.id for choice in choices])
    return names


def _rule(section: Section, parts: tuple[Part, ...], timing: Timing) -> Rule:
    conditions = tuple(_conditions(section, "if"))
    if not conditions:
        raise section.fail("if", "needs at least one condition")
    for condition in conditions:
        _check(section, condition, parts)
    due = section.text("due", "")
    if due and due not in timing.dues:
        raise section.fail("due", f"{due!r} is no due code of this pack")
    rule = Rule(conditions, section.choice("severity", SEVERITIES), due)
    section.done()
    return rule


_TESTS = ("is", "in", "any", "below", "above", "at_least", "at_most", "below_part", "above_part", "differs_from",
          "given")


def _conditions(section: Section, key: str):
    for inner in section.sections(key, []):
        fact = inner.has("fact")
        source = inner.choice("fact", FACTS) if fact else inner.text("part", "answer")
        tests = [name for name in _TESTS if inner.has(name)]
        if len(tests) != 1:
            raise inner.fail("", f"needs exactly one of {', '.join(_TESTS)}")
        test = tests[0]
        value: object
        if test in ("in", "any"):
            value = inner.texts(test)
        elif test in ("is", "below_part", "above_part", "differs_from"):
            value = inner.text(test)
        elif test == "given":
            value = inner.flag(test)
        else:
            value = inner.number(test)
        inner.done()
        yield Condition(source, fact, test, value)


def _check(section: Section, condition: Condition, parts: tuple[Part, ...]) -> None:
    if condition.fact:
        return
    by_id = {part.id: part for part in parts}
    part = by_id.get(condition.source)
    if part is None:
        raise section.fail("part", f"{condition.source!r} is no part of this item")
    if condition.test in ("below_part", "above_part", "differs_from"):
        other = by_id.get(str(condition.value))
        if other is None or other.type not in ("NUM", "CNT") or part.type not in ("NUM", "CNT"):
            raise section.fail(condition.test, f"{condition.value!r} is no number of this item")
    elif condition.test in ("is", "in", "any"):
        wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        for one in wanted:
            if one not in part.choice_ids():
                raise section.fail(condition.test, f"{one!r} is no choice of {part.id}")
        if (condition.test == "any") != (part.type == "MUL"):
            raise section.fail(condition.test, f"does not fit a part of type {part.type}")
    elif isinstance(condition.value, Decimal) and part.type not in ("NUM", "CNT"):
        raise section.fail(condition.test, f"{part.id} is no number")
