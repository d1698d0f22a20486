"""An order being written, its placard, the affixing of an issued order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from field_app.work.views.common import Choice
from field_app.work.views.photos import PhotoView, VoiceNoteView
from field_app.work.views.site import ClockView, OrderRow
from sync.documents.placard_said import Part


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
class OtherWords:
    """Own words as their writer gave them in another `language` of the paper, `said` as "in Spanish"; `text` may be "".
    """

    language: str
    said: str
    text: str


@dataclass(frozen=True, slots=True)
class CorrectionView:
    """`index` names it to Work. `due_on` ISO or "", `due_at` "HH:MM" or "". `at_once`: due before the inspector leaves.
    `problem`: what is wrong with its day, "" for nothing. `others`: own words in the other languages of the paper;
    none for a sentence that is known in each."""

    index: int
    text: str
    due_on: str
    due_at: str
    due_words: str
    at_once: bool = False
    problem: str = ""
    others: tuple[OtherWords, ...] = ()


@dataclass(frozen=True, slots=True)
class MetView:
    """`party`: what the person is to the site, "" while not chosen; `party_words` the same for reading."""

    index: int
    name: str
    role: str
    served: bool
    party: str = ""
    party_words: str = ""


@dataclass(frozen=True, slots=True)
class OrderMissing:
    """`field` names the part of the form: grounds, findings, observed, must_stop, corrections, met."""

    sentence: str
    field: str


@dataclass(frozen=True, slots=True)
class OrderDraftView:
    """An order being written under a number that is kept for it. `final`: the number stands on a paper, so it is this
    order's for ever; until then it is shown to nobody, because a pre-printed placard would bring another one.

    `blank`: it is bound to a pre-printed placard. `beside`: the other orders of the site, a line each, and why this one
    is written all the same. `permit_covers`: that the permit of the site is in force though the ground is work without
    one, "" otherwise; then `outside` says which work it does not cover.
    `ready`: the ready-made sentences by field (must_stop, may_continue), of which `ready_chosen` stand in the text.
    `others`: by field, the own words in the other languages of the paper; no entry where none are needed. `lacking`:
    what the paper says in one of its languages only. `both`: it speaks more than one. `step`: where its writer was, ""
    before the first. `unsaid`: what may stay open, but is asked. `law_said`: in which other language than that of the
    tablet the texts of the grounds stand, in a sentence, else "".
    `may_post` false: it can only be recommended to the office, `why_not` says why. `stage`: "draft" |
    "printed" (placard made or bound, not up) | "up" (the placard is up since `posted`, not signed yet) | "done".
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
    blank: bool = False
    beside: tuple[str, ...] = ()
    permit_covers: str = ""
    outside: str = ""
    ready: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    ready_chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    others: Mapping[str, tuple[OtherWords, ...]] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    both: bool = False
    final: bool = False
    parties: tuple[Choice, ...] = ()
    parcels: tuple[Choice, ...] = ()
    parcels_chosen: tuple[str, ...] = ()
    step: str = ""
    unsaid: tuple[str, ...] = ()
    law_said: str = ""
    voice_notes: tuple[VoiceNoteView, ...] = ()


@dataclass(frozen=True, slots=True)
class SecondOrderView:
    """Before a second order on a site: the `orders` that stand there or are recommended, and the `choices` under which
    one may be written all the same, each with what it means (`says`, by its value)."""

    site: str
    site_name: str
    address: str
    orders: tuple[OrderRow, ...]
    choices: tuple[Choice, ...]
    says: dict[str, str]
    may_post: bool
    title: str


@dataclass(frozen=True, slots=True)
class BlankView:
    """The pre-printed placards of this tablet: the numbers of those that are not used yet, and how many there ever
    were."""

    free: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class PaperSide:
    """What the placard says in one of its languages: that one's own name, and its headings with their lines."""

    language: str
    name: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class PlacardView:
    """The placard, its PDF and the tap "the placard is up".

    `valid` false = recommended order, every page says NOT VALID, it must not be put up. `stale`: printed
    for another day than today, so it must be printed anew before the tap. `up`: the tap was made at
    `posted`; then only the PIN is wanted. `printed_on`/`posted_on` ISO. `pdf` is read with `await
    work.placard_pdf(id)`. `ended`: why the order has no force any more and what to do, "" while it stands; an ended
    one is not valid, has no clocks, and its paper is not saved again. `blank`: what goes up is a pre-printed placard,
    on which the date is written by hand; `dated` once somebody confirmed that it is; `today` ISO. `both`: the head of
    a paper that says what is essential in two languages, "" for one language; `lacking`: what stands there in one of
    them only. `sides`: what it says in each of its languages, as far as it can be printed.
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
    photos: tuple[PhotoView, ...]
    statement: str
    pin_wait: int
    done: bool
    sentence: str
    ended: str = ""
    blank: bool = False
    dated: bool = False
    today: str = ""
    both: str = ""
    lacking: tuple[str, ...] = ()
    sides: tuple[PaperSide, ...] = ()
    where: str = ""
    nag: str = ""


@dataclass(frozen=True, slots=True)
class OrderActView:
    """One thing to do with an order that stands: `act` "repost" | "release" | "void". Only the `fields` named are
    asked for: "reasons" always, "place" and "part" where they belong. `others`: orders that may take its place
    (`value` their fact), with a first one for none. `refused`: why it cannot be done, else ""."""

    act: str
    fact: str
    number: str
    site: str
    site_name: str
    words: str
    title: str
    says: str
    reasons_label: str
    fields: tuple[str, ...]
    others: tuple[Choice, ...]
    statement: str
    pin_wait: int
    refused: str
