"""An inspection being made, its photos, its review, and what follows signing."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.common import Choice


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
class PhotoView:
    """`sha256` names the original; get a picture with `await work.thumbnail(sha256)`. `flags`: what the
    office will see about it ("gallery picture, not taken in the app", "150 m from the site")."""

    sha256: str
    taken: str
    source: str
    view: str
    place: str
    name: str
    flags: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class CardView:
    """Items about one thing: the whole site, one inlet, one control device, one permit condition."""

    key: str
    title: str
    subtitle: str
    items: tuple[ItemView, ...]
    done: int
    total: int
    failing: int


@dataclass(frozen=True, slots=True)
class SectionView:
    """`id` "tracking" | "inlets" | "waste" | "permit" | "devices" | "dewatering"."""

    id: str
    title: str
    cards: tuple[CardView, ...]
    done: int
    total: int
    failing: int


@dataclass(frozen=True, slots=True)
class MissingView:
    """One thing that still misses before signing, and where to jump: `section` (or "details"), `card`,
    `key`."""

    sentence: str
    section: str
    card: str
    key: str


@dataclass(frozen=True, slots=True)
class DetailsView:
    """The head of the inspection: type, basis of entry, rain. `rain` decimal inches as typed or ""."""

    type: str
    types: tuple[Choice, ...]
    entry: str
    entries: tuple[Choice, ...]
    rain: str
    rain_source: str
    rain_sources: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class InspectionView:
    """`at_section`, `at_key`: where the inspector was last; open there. `saved` is true of every answer
    shown."""

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


@dataclass(frozen=True, slots=True)
class PhotoCaptureView:
    """Taking a photo for an item or an order. `kept` are those already safe; `ask` what is still wanted ("a
    close view"); `views` the choices wide | close | other."""

    title: str
    question: str
    kept: tuple[PhotoView, ...]
    ask: tuple[str, ...]
    views: tuple[Choice, ...]
    suggested_view: str
    picture_limit: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as it will be signed."""

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


@dataclass(frozen=True, slots=True)
class ReviewView:
    """All that will be signed. `statement` is the sentence signed, which covers each photo. `pin_wait`
    seconds until a PIN may be tried again (0 = now)."""

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


@dataclass(frozen=True, slots=True)
class SignedView:
    """After signing: what was kept and what may follow. `may_post` with why not; `can_order` if there is a
    ground."""

    fact: str
    site: str
    site_name: str
    outcome_words: str
    kept: str
    can_order: bool
    suggest_order: bool
    may_post: bool
