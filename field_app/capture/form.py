"""The form of one inspection: which questions it asks, of which subject, in which section and card.

Built from a pack and a draft, and from nothing else: the same draft under the same pack always asks the same. Items
that the pack asks per inlet, device, permit condition or step of the timetable are repeated for each such subject of
the draft.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from field_app.capture.draft import NONE, Draft, Subject
from field_app.capture.places import retired
from sync.ordinance.items import Item
from sync.ordinance.pack import Pack
from sync.records.problems import Problem

CORE_TOPICS = ("tracking", "inlets", "waste")
PERMIT, TIMETABLE = "permit", "timetable"
CONDITION, STEP = "condition", "timetable"


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

    def cards(self, section: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(q.card for q in self.questions if q.section == section))


def key_of(item: str, subject: Subject | None) -> str:
    return f"{item}@{subject.kind}:{subject.id}" if subject else item


def build(pack: Pack, draft: Draft) -> Form:
    """The form of `draft` under `pack`.

    Sections: the draft's topics in the pack's order, the permit's conditions, the steps of the timetable. A finding of
    last time that is still open brings its question with it, whatever checklists were chosen.
    """
    gone = retired(draft)
    subjects = [s for s in draft.subjects if (s.kind, s.id) not in gone]
    questions: list[Question] = []
    for topic, checklist in pack.checklists.items():
        if topic in draft.topics:
            questions += _topic(checklist.items, subjects, topic)
    for kind, section in ((CONDITION, PERMIT), (STEP, TIMETABLE)):
        items = items_per(pack, kind)
        for subject in (s for s in subjects if s.kind == kind):
            questions += [_asked(item, subject, section, f"{section}:{subject.id}") for item in items]
    known = {q.key for q in questions}
    for question in _left_open(pack, draft, subjects):
        if question.key not in known:
            known.add(question.key)
            questions.append(question)
    places = {section: at for at, section in enumerate((*pack.checklists, PERMIT, TIMETABLE))}
    ordered = tuple(sorted(questions, key=lambda q: places[q.section]))
    return Form(ordered, {q.key: q for q in ordered})


def _asked(item: Item, subject: Subject | None, section: str, card: str) -> Question:
    return Question(key_of(item.id, subject), item, subject, section, card)


def _topic(items: Iterable[Item], subjects: list[Subject], topic: str) -> Iterator[Question]:
    """First what is asked of the site, then one card for each inlet or control device."""
    items = tuple(items)
    for item in items:
        if item.per in ("site", "exit"):
            yield _asked(item, None, topic, topic)
    for subject in subjects:
        if subject.kind in (CONDITION, STEP):
            continue
        for item in items:
            if item.per == subject.kind and asked_of(item, subject):
                yield _asked(item, subject, topic, f"{topic}@{subject.kind}:{subject.id}")


def asked_of(item: Item, subject: Subject) -> bool:
    """Whether a repeated item is asked of this subject: a control device is asked only what its kind is asked."""
    return subject.kind != "device" or item.asked_of(subject.what)


def _left_open(pack: Pack, draft: Draft, subjects: list[Subject]) -> Iterator[Question]:
    """The questions of findings that were said to be still open, where the chosen checklists do not ask them."""
    for earlier in draft.earlier:
        said = draft.last_time.get(earlier["id"])
        if said is None or said.state not in ("still_open", "worse") or earlier.get("status", "open") != "open":
            continue
        try:
            item = pack.item(earlier["item"])
        except KeyError:
            continue  # the law's list has changed since: the finding stays as it is
        about = earlier.get("subject")
        subject = None
        if about:
            found = (s for s in subjects if (s.kind, s.id) == (about.get("kind"), about.get("id")))
            subject = next(found, None)
        if (subject is None) != (item.per in ("site", "exit")):
            continue  # what it was about is no longer there
        section = {CONDITION: PERMIT, STEP: TIMETABLE}.get(item.per, item.topic)
        card = f"{section}:{subject.id}" if subject and section in (PERMIT, TIMETABLE) else section
        if subject and section == item.topic:
            card = f"{section}@{subject.kind}:{subject.id}"
        yield _asked(item, subject, section, card)


def items_per(pack: Pack, kind: str) -> tuple[Item, ...]:
    """The items that the pack asks of each subject of a kind, whatever checklist they stand on."""
    return tuple(item for checklist in pack.checklists.values() for item in checklist.items if item.per == kind)
