"""What the screens say about the tablet itself."""

from __future__ import annotations

from dataclasses import dataclass

from field_app.work.views.common import Choice


@dataclass(frozen=True, slots=True)
class WarningView:
    """A line below the status bar. `kind` "clock", "numbers", "copied", "recoded", "storage",
    "unkept" or "install"; `level` "hint", "warn" or "bad"."""

    kind: str
    level: str
    sentence: str
    advice: str


@dataclass(frozen=True, slots=True)
class WithdrawnView:
    """The one screen of a withdrawn tablet. `over`: nothing of it is on this tablet alone any more."""

    sentence: str
    advice: str
    lines: tuple[str, ...]
    over: bool


@dataclass(frozen=True, slots=True)
class TriesView:
    """After how many failed tries an item is set aside: the choices ("0": as the office says), and what holds now."""

    choices: tuple[Choice, ...]
    value: str
    words: str


@dataclass(frozen=True, slots=True)
class IdleView:
    """After how many minutes without a tap the tablet locks itself, "0" for never."""

    choices: tuple[Choice, ...]
    value: str
    words: str


@dataclass(frozen=True, slots=True)
class PersonHere:
    """Who may unlock this tablet. `words`: what of theirs is here; `unsent` records signed and not safe at the office,
    `begun` what was begun and not signed. `refused`: why this person cannot be removed now, "" where it can be done;
    `loses`: something would be lost, so the name is typed and reasons are given."""

    id: str
    name: str
    title: str
    mine: bool
    words: str
    unsent: int
    begun: int
    refused: str
    loses: bool


@dataclass(frozen=True, slots=True)
class PeopleHereView:
    """The people of this tablet, and `before`: who was removed from it, by whom and why, a line each.
    `remark`: for a reader of another language than the city's, that titles stand as they were written."""

    people: tuple[PersonHere, ...]
    before: tuple[str, ...]
    pin_wait: int
    remark: str


@dataclass(frozen=True, slots=True)
class RoomView:
    """Room on the tablet. `level` "", "low" or "full"; `photos`: new ones may be taken, else `refusal` says why not.
    `kept`: the system promised to clear nothing by itself, None where it has nothing to promise."""

    level: str
    words: str
    photos: bool
    refusal: str
    kept: bool | None
    kept_words: str


@dataclass(frozen=True, slots=True)
class InstallView:
    """How the app gets on the home screen of this device. `first`: what comes before, "" for nothing; `offers`: the
    browser can ask by itself."""

    why: str
    steps: tuple[str, ...]
    first: str
    offers: bool


@dataclass(frozen=True, slots=True)
class DiagnosisView:
    """The report about the tablet as it would be sent; `sent` when one last was, "" for never; `can_send`: there is a
    connection now."""

    text: str
    sent: str
    can_send: bool
