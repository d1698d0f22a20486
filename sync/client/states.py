"""What the outbox screen shows: each item's state with its reason, and one answer to "is everything safe?".

Only a receipt under the server's present epoch makes an item "safe" (green); every other state says what is missing.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sync.client.ordered import emptying, in_steps, through
from sync.client.reasons import Reason, Translate, explain_item
from sync.client.rows import PARKED, RECEIVED, SAFE, TOO_LARGE, WAITING, FactRow, FileRow
from sync.client.shelf import OutboxView, Shelf

SENDING, HELD = "sending", "held"


@dataclass(frozen=True, slots=True)
class FileState:
    """``state``: waiting | sending | safe | parked; ``sent`` bytes of ``size`` have gone out in this try."""

    sha256: str
    kind: str
    size: int
    state: str
    sent: int
    reason: Reason | None

    @property
    def percent(self) -> int:
        """Of its bytes, those that went out: 0 to 99, and 100 only when it is safe."""
        return 100 if self.state == SAFE else min(99, self.sent * 100 // max(self.size, 1))


@dataclass(frozen=True, slots=True)
class ItemState:
    """``state``: waiting | sending | received | safe | parked | held (a draft is not in the outbox).

    "parked": set aside here, a person must look at it; "held": the server has it and its office decides. ``percent`` of
    the bytes of record and files together that the server holds or is being sent, 0 to 100, and 100 only when safe.
    ``can_send_again``: a person may send it again by hand.
    """

    fact: str
    kind: str
    counter: int
    state: str
    percent: int
    reason: Reason | None
    can_send_again: bool
    register: str | None
    files: tuple[FileState, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """"Is everything safe on the server?" Counts of facts by state, and files and bytes that are only here.

    ``only_here``: facts of which something, record or file, is on this tablet alone. 0 of them: it may be handed in,
    also when the office still has to decide on some.
    """

    safe: bool
    total: int
    waiting: int
    sending: int
    received: int
    parked: int
    held: int
    done: int
    files_left: int
    bytes_left: int
    only_here: int


def _file_state(row: FileRow, sent: int | None, _: Translate) -> FileState:
    sending = sent is not None and not row.held
    reason = explain_item(row.park.code, row.park.detail, row.park.held, _) if row.park else None
    return FileState(row.sha256, row.kind, row.size, SENDING if sending else row.state, sent or 0, reason)


def _item_state(row: FactRow, files: list[FileState], sending: bool, _: Translate) -> ItemState:
    state, reason = row.state, None
    parked_file = next((file for file in files if file.state == PARKED), None)
    if row.park:
        reason = explain_item(row.park.code, row.park.detail, row.park.held, _)
    elif state == RECEIVED:
        waits = (row.reason or "waiting") if row.answer == "waiting" else "files"
        reason = explain_item(waits, held=True, _=_)
    if row.park is not None and row.park.held:
        state = HELD
    if state in (WAITING, RECEIVED) and (sending or any(file.state == SENDING for file in files)):
        state = SENDING
    elif state == RECEIVED and parked_file and not any(file.state == WAITING for file in files):
        state, reason = PARKED, parked_file.reason
    total = row.size + sum(file.size for file in files)
    there = (row.size if row.known else 0) + sum(
        file.size if file.state == SAFE else min(file.sent, file.size) for file in files
    )
    percent = 100 if state == SAFE else min(99, there * 100 // max(total, 1))
    # What is larger than the server takes goes by itself once it takes more; a tap would change nothing.
    large = row.park is None and all(file.reason and file.reason.code == TOO_LARGE for file in files
                                     if file.state == PARKED)  # fmt: skip
    again = state == PARKED and not large and (row.park is None or not row.known)
    return ItemState(row.id, row.kind, row.counter, state, percent, reason, again, row.register, tuple(files))


def item_states(
    view: OutboxView,
    sending: Mapping[str, int] | None = None,
    _: Translate = str,
    *,
    limit: int | None = None,
) -> tuple[ItemState, ...]:
    """The items, at most ``limit``: first what a person must look at, then what is not finished, then the rest, the
    newest first in each. ``sending``: bytes sent so far by fact id or SHA-256 of what is on its way now
    (`driver.DriverStatus.sending`)."""
    return tuple(_with_files(row, view.shelf, sending or {}, _) for row in _in_order(view)[:limit])


def _in_order(view: OutboxView) -> list[FactRow]:
    parked = {row.sha256 for row in view.files if row.park is not None}

    def rank(row: FactRow) -> int:
        if row.state == SAFE:
            return 3
        if row.park is not None:
            return 2 if row.park.held else 0
        return 0 if any(sha in parked for sha in row.evidence) else 1

    return sorted(view.facts, key=lambda row: (rank(row), -row.counter))


def _with_files(row: FactRow, shelf: Shelf, sending: Mapping[str, int], _: Translate) -> ItemState:
    own = [_file_state(shelf.files[sha], sending.get(sha), _) for sha in row.evidence if sha in shelf.files]
    return _item_state(row, own, row.id in sending, _)


def summary(view: OutboxView, sending: Mapping[str, int] | None = None) -> Summary:
    """The counts behind the status bar. ``safe`` is true only when all is applied and nothing is here alone."""
    through(counting(view.shelf))
    return view.shelf.tally.summary(sending or {})


def counting(shelf: Shelf) -> Iterator[None]:
    """Counts in small steps what is new on the shelf, so that the next summary costs little."""
    if shelf.tally is None:
        shelf.tally = _Tally(shelf)
    return shelf.tally.counting()


class _Tally:
    """The counts of a shelf, kept up by what changed on it: the status bar is drawn anew after every answer."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._clear()

    def _clear(self) -> None:
        self._new_facts: set[str] = set()
        self._new_files: set[str] = set()
        # Of each open record: its state, its bytes that are only here, whether something of it is only here.
        self._facts: dict[str, tuple[str, int, bool]] = {}
        self._files: dict[str, int] = {}
        self._states: Counter[str] = Counter()
        self._bytes = self._only_here = 0

    def summary(self, sending: Mapping[str, int]) -> Summary:
        states = Counter(self._states)
        for id in self._on_the_way(sending):
            if id in self._facts:
                states[self._facts[id][0]] -= 1
                states[self._state(id, sending)] += 1
        return Summary(
            safe=not self._facts and not self._files,
            total=len(self._shelf.facts),
            waiting=states[WAITING],
            sending=states[SENDING],
            received=states[RECEIVED],
            parked=states[PARKED],
            held=states[HELD],
            done=len(self._shelf.facts) - len(self._facts),
            files_left=len(self._files),
            bytes_left=self._bytes,
            only_here=self._only_here,
        )

    def _on_the_way(self, sending: Mapping[str, int]) -> set[str]:
        """The records of which something is being sent."""
        files = (self._shelf.files.get(id) for id in sending)
        return {id for id in sending if id in self._shelf.facts} | {
            fact for file in files if file is not None for fact in file.facts}

    def counting(self) -> Iterator[None]:
        touched = self._shelf.take_touched()
        if touched is None:
            self._clear()
            touched = set(self._shelf.facts), set(self._shelf.files)
        self._new_facts |= touched[0]
        self._new_files |= touched[1]
        # Files first: what is counted of a record goes by them.
        yield from in_steps(emptying(self._new_files), self._count_file)
        yield from in_steps(emptying(self._new_facts), self._count)

    def _count_file(self, sha: str) -> None:
        self._bytes -= self._files.pop(sha, 0)
        row = self._shelf.files.get(sha)
        # What no signed record names (a photo of a draft, a preview) is nobody's unfinished business.
        if row is not None and row.facts and not row.held:
            self._files[sha] = row.size
            self._bytes += row.size

    def _count(self, id: str) -> None:
        state, size, here = self._facts.pop(id, ("", 0, False))
        self._states[state] -= 1
        self._bytes -= size
        self._only_here -= here
        row = self._shelf.facts.get(id)
        if row is not None and row.state != SAFE:
            here = not row.known or any(sha in self._files for sha in row.evidence)
            self._facts[id] = found = (self._state(id, {}), 0 if row.known else row.size, here)
            self._states[found[0]] += 1
            self._bytes += found[1]
            self._only_here += here

    def _state(self, id: str, sending: Mapping[str, int]) -> str:
        return _with_files(self._shelf.facts[id], self._shelf, sending, str).state
