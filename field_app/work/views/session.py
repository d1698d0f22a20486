"""Start, enrolment, sign-in, PIN, status bar, outbox, settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from field_app.work.views.common import Choice
from field_app.work.views.site import PlacardNag


@dataclass(frozen=True, slots=True)
class StartView:
    """Where the app opens: "locked", "enrol", "sign_in", "set_pin", "sites", or "inspection" / "order" with the draft
    that was on screen when the app was last closed. `draft` is its id in the last two cases. `fresh`: another person
    had the tablet before, so nothing is shown of where that one was. `typed`: what this person had typed and no button
    had taken when the tablet locked itself, as `Work.keep_typed` got it; {} for nothing."""

    screen: str
    draft: str | None
    banner: str | None
    fresh: bool = False
    typed: dict[str, Any] = field(default_factory=dict)


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
    """`people` signed in on this tablet before: one tap switches to them, offline, nothing typed. `code`: the personal
    code of the link that the app was opened with, "" for none."""

    city_name: str
    tablet: str
    people: tuple[KnownPerson, ...]
    code: str = ""


@dataclass(frozen=True, slots=True)
class LockedPerson:
    """``wait``: seconds until the PIN may be tried again. ``asked``: the person waits for the office to help out."""

    id: str
    name: str
    wait: int
    asked: bool


@dataclass(frozen=True, slots=True)
class LockView:
    """Who may unlock the tablet. ``person`` is chosen already, None: ask who it is. ``others``: somebody may sign in
    here for the first time, for the tablet itself is open."""

    people: tuple[LockedPerson, ...]
    person: str | None
    others: bool


@dataclass(frozen=True, slots=True)
class ForgottenView:
    """A forgotten PIN. `state`: "impossible" (the office has no key for this tablet's), "choose" another PIN, "unsent"
    and "waiting" for the office, "answered" (the chosen PIN opens it), "declined", "replaced" (asked anew elsewhere).
    `code`: what the person reads out to the office, "" before anything is asked. `phone`: the office's number, ""
    where the city gave none."""

    person: str
    name: str
    state: str
    code: str
    phone: str = ""


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


@dataclass(frozen=True, slots=True)
class StatusView:
    """Answers "Is everything safe on the server?".

    `level`: "safe" (every signed item and photo has its receipt), "sending", "waiting" (no server, all is kept here),
    "received" (nothing is on this tablet alone; the office is not done with all of it), "attention" (something is set
    aside here, or the server refuses this tablet). `online`: the last try got an answer; `lost`: it got none. `waiting`
    counts signed items that are on their way, `parked` those set aside here, `held` those the office has and decides
    on. `next_try`: when the server is tried next, in words, "" while there is no pause.
    """

    level: str
    sentence: str
    waiting: int
    parked: int
    held: int
    online: bool
    lost: bool
    next_try: str
    last_contact: str
    user: str | None
    tablet: str | None
    city_name: str | None
    demo: bool


@dataclass(frozen=True, slots=True)
class FileRow:
    """An evidence file of a signed item. `state` waiting | paused | sending | safe | parked, `words` for reading,
    `advice` what to do, "" for nothing; `percent` of its bytes gone out while it is sent."""

    sha256: str
    kind: str
    size: str
    state: str
    words: str
    advice: str
    percent: int


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A signed item. `state` waiting | sending | received | held | safe | parked; only "safe" is green: its receipt is
    signed by the server, applied, and names every file. `reason` in plain words when it is set aside or waits at the
    server, with what to do and, where it is tried again by itself, when."""

    fact: str
    title: str
    signed: str
    state: str
    words: str
    reason: str
    percent: int
    can_send_again: bool
    files: tuple[FileRow, ...]


@dataclass(frozen=True, slots=True)
class PhotosPausedView:
    """Photos and networks that cost money. `paused`: originals wait now, `count` of them with `size`, "" for none;
    `wifi_only` is the switch as it stands, `words` say what that means here."""

    paused: bool
    count: int
    size: str
    wifi_only: bool
    words: str


@dataclass(frozen=True, slots=True)
class HandInView:
    """"Safe to hand in this tablet": `yes` only when nothing at all is on it alone; `reasons` say what still is."""

    yes: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExportView:
    """What was saved to the file: records, evidence files, `unread` files that this tablet could not read any more, and
    the file's size in bytes."""

    name: str
    facts: int
    files: int
    unread: int
    size: int


@dataclass(frozen=True, slots=True)
class ReceiptsTakenView:
    """What the office's file of receipts said: of records, of files, and how many were not for this tablet or known."""

    facts: int
    files: int
    passed_over: int


@dataclass(frozen=True, slots=True)
class WayOutView:
    """Saving to a file: `words` of what is not safe yet, "" when all is; `all_words` of everything still here, "" when
    that is the same; `making` while a file is being made, in words; `last` when the last one was saved, in words."""

    words: str
    all_words: str
    making: str
    last: str


@dataclass(frozen=True, slots=True)
class OutboxView:
    """`answer` in few words, `connection` says how things are with the server, and when it is tried next. `counts`:
    (state, words) of the states that occur. `left` what still has to go, and `estimate` how long that takes at the
    present speed, each "" when there is nothing (honest) to say. `rows` is a window: `total` items there are. `drafts`:
    what is begun here and not signed, so not sent: a line each. `nags`: placards whose photos are still to be taken."""

    status: StatusView
    answer: str
    connection: str
    counts: tuple[tuple[str, str], ...]
    left: str
    estimate: str
    hand_in: HandInView
    photos: PhotosPausedView
    drafts: tuple[str, ...]
    way_out: WayOutView
    rows: tuple[OutboxRow, ...]
    total: int
    empty: str | None
    nags: tuple[PlacardNag, ...] = ()


@dataclass(frozen=True, slots=True)
class LookView:
    """Language, look ("normal", "sun", "dark") and size of text, each with its choices; before sign-in too."""

    language: str
    languages: tuple[Choice, ...]
    look: str
    looks: tuple[Choice, ...]
    text: str
    texts: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class SettingsView:
    """`facts` label/value lines about this tablet for a support call."""

    user: str | None
    powers: tuple[str, ...]
    has_pin: bool
    facts: tuple[tuple[str, str], ...]
    version: str
