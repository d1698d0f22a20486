"""An inspection being made, its photos, its review, and what follows signing."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.approval import ApprovalView
from field_app.work.views.common import Choice
from field_app.work.views.photos import FarView, PhotoView, VoiceNoteView


@dataclass(frozen=True, slots=True)
class PartView:
    """One field of an answer. `kind` YN | NUM | CNT | SEL | MUL | TXT.

    `value`: what was tapped or typed, exactly as typed ("" when nothing; a tuple of choice values for MUL,
    and for YN/SEL the choice value). `problem` says what is wrong with it, else None. `unit` e.g. "ft" or
    "".
    """

    id: str
    kind: str
    label: str
    unit: str
    choices: tuple[Choice, ...]
    value: str | tuple[str, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class ItemView:
    """One checklist item for one subject. `key` names it to Work.

    `state`: "empty" | "incomplete" | "pass" | "fail" | "na" | "not_observed". The fields from `severity` on
    matter when it fails. `severities` is what may be chosen; choosing one below `computed` needs
    `severity_reason`. `due_on` ISO date or "", `due_at` "HH:MM" or ""; `due_words` for reading. `missing`:
    what this item still lacks.
    """

    key: str
    item: str
    question: str
    help: str
    clause: str
    parts: tuple[PartView, ...]
    special: tuple[Choice, ...]
    special_value: str
    state: str
    state_words: str
    note: str
    photos: tuple[PhotoView, ...]
    no_photo: str
    severity: str
    severity_words: str
    severity_why: str
    computed: str
    severities: tuple[Choice, ...]
    severity_reason: str
    correction: str
    due_on: str
    due_at: str
    due_words: str
    corrected: bool
    missing: tuple[str, ...]
    earlier: str
    with_last_time: str = ""
    voice_notes: tuple[VoiceNoteView, ...] = ()
    due_at_once: bool = False
    due_problem: str = ""


@dataclass(frozen=True, slots=True)
class CardView:
    """Items about one thing: the whole site, one inlet, one control device, one permit condition, one step.

    `place`: (kind, id) of an inlet or device that may be taken off the site; `added`: it was added in this
    inspection.
    """

    key: str
    title: str
    subtitle: str
    items: tuple[ItemView, ...]
    done: int
    total: int
    failing: int
    place: tuple[str, str] | None = None
    added: bool = False


@dataclass(frozen=True, slots=True)
class GonePlaceView:
    """An inlet or control device that this inspection says is no longer there."""

    kind: str
    id: str
    label: str
    why: str


@dataclass(frozen=True, slots=True)
class SectionView:
    """`id` "tracking" | "inlets" | "waste" | "devices" | "dewatering" | "permit" | "timetable".

    `in_order`: how many questions "all in order" would answer, `to_look_at`: how many it would leave, because they
    must be measured, counted or chosen. `adds`: "inlet" or "device" where one may be added here; `device_kinds` the
    kinds to choose from. `counted`: the inlets against the plan, in words; `count_key` names the question that
    `count_inlets` answers. `droppable`: the checklist was added and nothing in it is answered.
    """

    id: str
    title: str
    cards: tuple[CardView, ...]
    done: int
    total: int
    failing: int
    in_order: int = 0
    to_look_at: int = 0
    adds: str = ""
    device_kinds: tuple[Choice, ...] = ()
    gone: tuple[GonePlaceView, ...] = ()
    counted: str = ""
    count_key: str = ""
    droppable: bool = False


@dataclass(frozen=True, slots=True)
class LastTimeView:
    """An open finding of an earlier inspection. `id` names it to Work; `photo_key` is the key under which photos of
    it are taken; `pictures` the SHA-256 of the photo of last time, and of its small copy, in that order of worth.

    `age` how long it is open, in words. `state` what was tapped ("" nothing); `effective` what will be signed, with
    `effective_words` where the answer to its question said it, or says otherwise. `section`, `card`, `key`: its
    question in this inspection, "" when it is not asked.
    """

    id: str
    photo_key: str
    title: str
    where: str
    severity: str
    severity_words: str
    age: str
    due: str
    overdue: bool
    noted: str
    must: str
    pictures: tuple[str, ...]
    states: tuple[Choice, ...]
    state: str
    effective: str
    effective_words: str
    note: str
    photos: tuple[PhotoView, ...]
    section: str
    card: str
    key: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissingView:
    """One thing that still misses before signing, and where to jump: `section` (or "details"), `card`,
    `key`."""

    sentence: str
    section: str
    card: str
    key: str


@dataclass(frozen=True, slots=True)
class RainOffer:
    """Rain of the last 24 hours that was written down: `inches` to be taken over with one tap, `words` where it comes
    from; `source` what measured it (a value of the inspection's head), "" where that is not known."""

    inches: str
    words: str
    source: str


@dataclass(frozen=True, slots=True)
class DetailsView:
    """The head of the inspection: type, basis of entry, weather. `rain` and `rain_since` (since the last inspection)
    decimal inches as typed or "". `entry_label`: what is asked about the basis of entry (a warrant's number ...);
    `missing` what the head still lacks; `approval`: of an entry in an emergency; `rain_offers`: rain of the last 24
    hours that was written down, while none stands here yet."""

    type: str
    types: tuple[Choice, ...]
    entry: str
    entries: tuple[Choice, ...]
    rain: str
    rain_source: str
    rain_sources: tuple[Choice, ...]
    entry_label: str = ""
    entry_note: str = ""
    rain_since: str = ""
    sky: str = ""
    skies: tuple[Choice, ...] = ()
    missing: tuple[str, ...] = ()
    far: FarView | None = None
    approval: ApprovalView | None = None
    rain_offers: tuple[RainOffer, ...] = ()


@dataclass(frozen=True, slots=True)
class InspectionView:
    """`at_section`, `at_key`: where the inspector was last; open there. `saved` is true of every answer
    shown. `undo`: what the last tap was, "" when none can be taken back. `last_time`: the open findings of earlier
    inspections, to be said first. `revises`: it corrects a signed inspection, in words, else "". `missing_kinds`: what
    `missing` counts, by kind, in words."""

    id: str
    site: str
    site_name: str
    address: str
    began: str
    details: DetailsView
    sections: tuple[SectionView, ...]
    more_topics: tuple[Choice, ...]
    missing: tuple[MissingView, ...]
    done: int
    total: int
    failing: int
    outcome: str
    outcome_words: str
    at_section: str
    at_key: str
    saved: str
    can_review: bool
    undo: str = ""
    last_time: tuple[LastTimeView, ...] = ()
    last_done: int = 0
    revises: str = ""
    voice_notes: tuple[VoiceNoteView, ...] = ()
    missing_kinds: str = ""


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as it will be signed. `no_photo`: why no photo could be taken, in words, "" where nothing is said."""

    id: str
    key: str
    title: str
    subject: str
    severity: str
    severity_words: str
    clause: str
    note: str
    correction: str
    due_words: str
    photos: tuple[PhotoView, ...]
    corrected: bool
    carried: str = ""
    no_photo: str = ""


@dataclass(frozen=True, slots=True)
class StepView:
    """Something that may have to follow: `id` order | revision | emergency. `suggested`: the findings suggest it;
    `bound`: the law leaves no choice."""

    id: str
    words: str
    why: str
    chosen: bool
    suggested: bool
    bound: bool


@dataclass(frozen=True, slots=True)
class ClosingView:
    """Who was in charge on the site and how the inspection was closed with them. `needed`: something must be
    corrected, so somebody must be told. `signed`: whose drawn signatures are kept (inspector, in_charge, witness)."""

    how: str
    hows: tuple[Choice, ...]
    name: str
    role: str
    reason: str
    witness: str
    signed: tuple[str, ...]
    needed: bool
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All that will be signed. `statement` is the sentence signed, which covers each photo. `pin_wait`
    seconds until a PIN may be tried again (0 = now). `counts`: the findings by severity, in words. `last_time`,
    `places`: what became of earlier findings, and what was added to the site or found gone, in words. `revises`: the
    signed inspection that this corrects, in words, with its `revise_reason`. `missing_kinds`: what `missing` counts."""

    id: str
    site: str
    site_name: str
    address: str
    outcome: str
    outcome_words: str
    findings: tuple[FindingView, ...]
    not_observed: tuple[str, ...]
    photos: tuple[PhotoView, ...]
    missing: tuple[MissingView, ...]
    signer: str
    statement: str
    pin_wait: int
    can_sign: bool
    counts: tuple[tuple[str, str, int], ...] = ()
    last_time: tuple[tuple[str, str], ...] = ()
    places: tuple[str, ...] = ()
    steps: tuple[StepView, ...] = ()
    closing: ClosingView | None = None
    revises: str = ""
    revise_reason: str = ""
    missing_kinds: str = ""


@dataclass(frozen=True, slots=True)
class SignedView:
    """After signing: what was kept and what may follow. `may_post` with why not; `can_order` if there is a ground and
    no order that stands rests on it; `ordered`: the number of that order. `notice`: a correction notice can be shown.
    `corrected_by`: the record that corrects this one; `can_correct`: the person signed in may correct it.
    `report`: the report with its photos can be made here."""

    fact: str
    site: str
    site_name: str
    outcome_words: str
    kept: str
    can_order: bool
    suggest_order: bool
    may_post: bool
    notice: bool = False
    corrected_by: str = ""
    corrects: str = ""
    can_correct: bool = False
    ordered: str = ""
    report: bool = False


@dataclass(frozen=True, slots=True)
class NoticeLineView:
    """One correction: what, where, by when."""

    number: str
    severity: str
    severity_words: str
    where: str
    what: str
    found: str
    due: str


@dataclass(frozen=True, slots=True)
class NoticeView:
    """The correction notice of a signed inspection. `link`: the public page, `code` the same as a QR code (PNG);
    `link_words` says when that page knows of it."""

    fact: str
    site: str
    site_name: str
    address: str
    heading: str
    told: str
    lines: tuple[NoticeLineView, ...]
    link: str
    code: bytes
    link_words: str
    kept: bool
