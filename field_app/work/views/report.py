"""A site that somebody found: where it is, what goes on there, who is there, and whether it needs a permit."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.common import Choice
from field_app.work.views.photos import FarView, PhotoView, VoiceNoteView


@dataclass(frozen=True, slots=True)
class AreaView:
    """One part of the disturbed land, as typed: square feet and slope in percent."""

    index: int
    area: str
    slope: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One permit-need question. `kind` choice | number | areas; `value` the choice or what was typed; the last of the
    `choices` is "not known"; `clause` as cited, "" for none."""

    id: str
    kind: str
    text: str
    clause: str
    unit: str
    choices: tuple[Choice, ...]
    value: str
    areas: tuple[AreaView, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class ReportPartyView:
    index: int
    role: str
    role_words: str
    name: str
    phone: str


@dataclass(frozen=True, slots=True)
class NearbyView:
    """A site that the office knows and that may be the same one."""

    site: str
    name: str
    address: str
    distance: str


@dataclass(frozen=True, slots=True)
class ReportMissing:
    """`step` where | what | who | need."""

    sentence: str
    step: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """A report being written, and after signing what became of it.

    `new`: the site is not on the tablet's list; else it is a known one without a permit. `result` required |
    not_required | exempt | undetermined; `answer` says it in words with its clauses, to be read out. `ground`: the
    ground of a stop-work order that follows, "" for none. `stage` open | done; then `site` can be opened.
    """

    id: str
    site: str
    new: bool
    stage: str
    title: str
    name: str
    address: str
    parcel: str
    site_class: str
    classes: tuple[Choice, ...]
    parties: tuple[ReportPartyView, ...]
    roles: tuple[Choice, ...]
    observed: str
    position: str
    has_position: bool
    nearby: tuple[NearbyView, ...]
    photos: tuple[PhotoView, ...]
    questions: tuple[QuestionView, ...]
    result: str
    answer: str
    ground: str
    missing: tuple[ReportMissing, ...]
    may_save: bool
    may_post: bool
    saved: str
    statement: str = ""
    far: FarView | None = None
    can_put_back: bool = False
    voice_notes: tuple[VoiceNoteView, ...] = ()
