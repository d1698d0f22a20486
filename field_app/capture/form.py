"""The form of one inspection: which questions it asks, of which subject, in which section and card.

Built from a pack and a draft, and from nothing else: the same draft under the same pack always asks the same. Items
that the pack asks per inlet, device or permit condition are repeated for each such subject of the draft.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from field_app.capture.draft import NONE, Draft, Subject
from sync.ordinance.items import Item
from sync.ordinance.pack import Pack
from sync.records.problems import Problem

CORE_TOPICS = ("tracking", "inlets", "waste")
PERMIT = "permit"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an answer as the draft checks it: `choices` are the values it takes, empty for free text."""

    id: str
    kind: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One item asked of one subject (None: of the whole site). `clause` is the slug it rests on."""

    key: str
    item: Item
    subject: Subject | None
    section: str
    card: str

    @property
    def clause(self) -> str:
        return (self.subject.clause if self.subject else "") or self.item.clause

    def part(self, part: str) -> Field:
        """Raises Problem "item-unknown" for a part the item has not."""
        found = self.item.part(part)
        if found is None:
            raise Problem("item-unknown", f"{self.item.id} has no field {part!r}", where=self.key)
        choices = found.choice_ids()
        if found.type == "MUL" and NONE not in choices:
            choices = (NONE, *choices)
        return Field(found.id, found.type, choices)


@dataclass(frozen=True, slots=True)
class Form:
    """All questions in the order in which they are asked."""

    questions: tuple[Question, ...]
    by_key: dict[str, Question]

    def question(self, key: str) -> Question:
        """Raises Problem "item-unknown"."""
        found = self.by_key.get(key)
        if found is None:
            raise Problem("item-unknown", f"this inspection does not ask {key!r}", where=key)
        return found

    def card(self, card: str) -> tuple[Question, ...]:
        found = tuple(q for q in self.questions if q.card == card)
        if not found:
            raise Problem("item-unknown", f"this inspection has no card {card!r}", where=card)
        return found

    def sections(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(q.section for q in self.questions))


def key_of(item: str, subject: Subject | None) -> str:
    return f"{item}@{subject.kind}:{subject.id}" if subject else item


def build(pack: Pack, draft: Draft) -> Form:
    """The form of `draft` under `pack`. Sections: the draft's topics, with the permit's conditions after the core."""
    questions = []
    for topic in draft.topics:
        questions += list(_topic(pack, draft, topic))
    conditions = [s for s in draft.subjects if s.kind == "condition"]
    item = condition_item(pack)
    found = [Question(key_of(item.id, s), item, s, PERMIT, f"{PERMIT}:{s.id}") for s in conditions if item]
    core = [q for q in questions if q.section in CORE_TOPICS]
    rest = [q for q in questions if q.section not in CORE_TOPICS]
    ordered = tuple(core + found + rest)
    return Form(ordered, {q.key: q for q in ordered})


def _topic(pack: Pack, draft: Draft, topic: str) -> Iterator[Question]:
    items = pack.checklists[topic].items
    for item in items:
        if item.per in ("site", "exit"):
            yield Question(item.id, item, None, topic, topic)
    for subject in draft.subjects:
        for item in items:
            if item.per == subject.kind and subject.kind != "condition":
                yield Question(key_of(item.id, subject), item, subject, topic, f"{topic}@{subject.kind}:{subject.id}")


def condition_item(pack: Pack) -> Item | None:
    """The question that the pack asks of each permit condition; None for a pack without one."""
    items = (item for checklist in pack.checklists.values() for item in checklist.items)
    return next((item for item in items if item.per == "condition"), None)
