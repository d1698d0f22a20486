"""The view-models: one frozen dataclass per screen, and the smaller ones they hold.

A screen is drawn from its view-model alone; it never reads the store, a fact or the pack. Every sentence
here is already in the user's language and says no more than is known. Dates the law counts are ISO strings
beside their words ("2026-09-08", "Tue Sep 8, 2026"). Lists are complete: windowing them is the screen's
work.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A refusal a person can act on: stable code, what happened, what to do."""

    code: str
    sentence: str
    advice: str


# --- start, enrolment, sign-in ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StartView:
    """Where the app opens: "enrol", "sign_in", "set_pin", "sites", or "inspection" / "order" with the draft
    that was on screen when the app was last closed. `draft` is its id in the last two cases."""

    screen: str
    draft: str | None
    banner: str | None


@dataclass(frozen=True, slots=True)
class EnrolView:
    """`code` is prefilled when the app was opened by an enrolment link, else ""."""

    server: str
    code: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownPerson:
    id: str
    name: str
    title: str
    has_pin: bool


@dataclass(frozen=True, slots=True)
class SignInView:
    """`people` signed in on this tablet before: one tap switches to them, offline, nothing typed."""

    city_name: str
    tablet: str
    people: tuple[KnownPerson, ...]


@dataclass(frozen=True, slots=True)
class PinView:
    """Set a PIN. Digits only; it signs on this tablet, for this person."""

    name: str
    shortest: int
    longest: int
    explanation: str


@dataclass(frozen=True, slots=True)
class AnotherTabView:
    """The store is open elsewhere. Made by `another_tab_view()`, before any Work exists."""

    sentence: str
    advice: str
    take_over: str


# --- status bar ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StatusView:
    """Answers "Is everything safe on the server?".

    `level`: "safe" (every signed item and photo has its receipt), "sending", "waiting" (no server, all is
    kept here), "attention" (an item is parked, or the server refuses this tablet). `online`: the last try
    got an answer.
    """

    level: str
    sentence: str
    waiting: int
    parked: int
    online: bool
    last_contact: str
    user: str | None
    tablet: str | None
    city_name: str | None
    demo: bool


# --- sites -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SiteRow:
    """`order` e.g. "Stop-work order SW-2026-T07-0012-K: posted" or None; `draft` id of an unfinished
    inspection."""

    id: str
    name: str
    address: str
    permit: str
    permit_ok: bool
    open_findings: int
    critical: int
    order: str | None
    draft: str | None


@dataclass(frozen=True, slots=True)
class SitesView:
    query: str
    rows: tuple[SiteRow, ...]
    total: int
    known_as_of: str
    empty: str | None


@dataclass(frozen=True, slots=True)
class PartyView:
    role: str
    name: str
    address: str
    phone: str


@dataclass(frozen=True, slots=True)
class ConditionView:
    id: str
    text: str
    clause: str


@dataclass(frozen=True, slots=True)
class PermitView:
    """`state` is the wire word (applied, in_force, expired, revoked, denied); `words` says it with its dates.
    `in_force` is decided for today in the city's zone."""

    id: str
    number: str
    state: str
    in_force: bool
    words: str
    conditions: tuple[ConditionView, ...]


@dataclass(frozen=True, slots=True)
class PlaceView:
    """An inlet or a control device of the site."""

    id: str
    label: str
    kind: str
    place: str
    detail: str


@dataclass(frozen=True, slots=True)
class OpenFindingView:
    id: str
    title: str
    subject: str
    severity: str
    severity_words: str
    found: str
    due: str
    overdue: bool
    note: str
    photo: str | None


@dataclass(frozen=True, slots=True)
class ClockView:
    """One legal time limit of an order, `words` its derivation, the same as on placard, console and PDF."""

    label: str
    last_day: str | None
    eligible_from: str | None
    words: str


@dataclass(frozen=True, slots=True)
class OrderRow:
    """An order on the site, ours or another's. `status` the wire word, `words` for reading. `can_affix`:
    issued in the office and not yet up, so any inspector may put it up. `draft`: id of our unfinished
    order, else None."""

    number: str
    fact: str | None
    status: str
    words: str
    clocks: tuple[ClockView, ...]
    public_url: str
    can_affix: bool
    can_add_photo: bool
    draft: str | None


@dataclass(frozen=True, slots=True)
class DraftRow:
    """`kind` "inspection" | "order" | "affix"."""

    id: str
    kind: str
    title: str
    progress: str
    begun: str


@dataclass(frozen=True, slots=True)
class SignedRow:
    """An inspection signed on this tablet. `can_order`: it has findings an order could rest on."""

    fact: str
    title: str
    outcome: str
    sending: str
    can_order: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose from: `value` goes back to Work, `words` is shown."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class SiteView:
    id: str
    name: str
    address: str
    parcel: str
    site_class: str
    parties: tuple[PartyView, ...]
    permits: tuple[PermitView, ...]
    permit_words: str
    inlets: tuple[PlaceView, ...]
    devices: tuple[PlaceView, ...]
    findings: tuple[OpenFindingView, ...]
    orders: tuple[OrderRow, ...]
    drafts: tuple[DraftRow, ...]
    signed: tuple[SignedRow, ...]
    inspection_types: tuple[Choice, ...]
    entry_bases: tuple[Choice, ...]
    may_inspect: bool
    known_as_of: str


# --- inspection ------------------------------------------------------------------------------------


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
    rain_due: str
    rain_due_choices: tuple[Choice, ...]


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


# --- orders ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GroundView:
    """Only confirmed grounds are offered. `suggested`: a chosen finding supports it."""

    letter: str
    title: str
    clause: str
    text: str
    chosen: bool
    suggested: bool


@dataclass(frozen=True, slots=True)
class OrderFindingView:
    fact: str
    finding: str
    title: str
    severity_words: str
    grounds: tuple[str, ...]
    chosen: bool


@dataclass(frozen=True, slots=True)
class CorrectionView:
    """`index` names it to Work. `due_on` ISO or "", `due_at` "HH:MM" or ""."""

    index: int
    text: str
    due_on: str
    due_at: str
    due_words: str


@dataclass(frozen=True, slots=True)
class MetView:
    index: int
    name: str
    role: str
    served: bool


@dataclass(frozen=True, slots=True)
class OrderMissing:
    """`field` names the part of the form: grounds, findings, observed, must_stop, corrections, met."""

    sentence: str
    field: str


@dataclass(frozen=True, slots=True)
class OrderDraftView:
    """An order being written under a number already bound to it.

    `may_post` false: it can only be recommended to the office, `why_not` says why. `stage`: "draft" |
    "printed" (placard made, not up) | "up" (the placard is up since `posted`, not signed yet) | "done".
    """

    id: str
    number: str
    stage: str
    site: str
    site_name: str
    address: str
    parcel: str
    permit: str
    grounds: tuple[GroundView, ...]
    findings: tuple[OrderFindingView, ...]
    observed: str
    must_stop: str
    may_continue: str
    corrections: tuple[CorrectionView, ...]
    met: tuple[MetView, ...]
    nobody_present: bool
    missing: tuple[OrderMissing, ...]
    may_post: bool
    why_not: str
    numbers_left: int
    saved: str
    posted: str


@dataclass(frozen=True, slots=True)
class PlacardView:
    """The placard, its PDF and the tap "the placard is up".

    `valid` false = recommended order, every page says NOT VALID, it must not be put up. `stale`: printed
    for another day than today, so it must be printed anew before the tap. `up`: the tap was made at
    `posted`; then only the PIN is wanted. `printed_on`/`posted_on` ISO. `pdf` is read with `await
    work.placard_pdf(id)`.
    """

    id: str
    kind: str
    number: str
    site: str
    site_name: str
    address: str
    valid: bool
    heading: str
    printed_on: str
    stale: bool
    clocks: tuple[ClockView, ...]
    corrections: tuple[CorrectionView, ...]
    public_url: str
    sha256: str
    file_name: str
    up: bool
    posted: str
    posted_on: str
    place: str
    statement: str
    pin_wait: int
    done: bool
    sentence: str


# --- outbox ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileRow:
    """An evidence file of a signed item. `state` waiting | sending | safe | parked, `words` for reading."""

    sha256: str
    kind: str
    size: str
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A signed item. `state` waiting | received | safe | parked; only "safe" is green: its receipt is
    signed by the server, applied, and names every file. `reason` in plain words when parked or waiting at
    the server."""

    fact: str
    title: str
    signed: str
    state: str
    words: str
    reason: str
    files: tuple[FileRow, ...]


@dataclass(frozen=True, slots=True)
class OutboxView:
    status: StatusView
    rows: tuple[OutboxRow, ...]
    empty: str | None


# --- settings --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SettingsView:
    """`languages` choices; `facts` label/value lines about this tablet for a support call."""

    language: str
    languages: tuple[Choice, ...]
    user: str | None
    powers: tuple[str, ...]
    has_pin: bool
    facts: tuple[tuple[str, str], ...]
    version: str
