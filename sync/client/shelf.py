"""All that is to be sent, in the order in which it goes, kept up by what changes: a step costs what it is about.

A year's worth of receipted items, or thousands of photos that wait for a network, lie in no list that the engine walks
through. Rows are made anew only for documents that changed; documents are replaced, never edited.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sync.client.enrolment import is_limit
from sync.client.ordered import Ordered, emptying, in_steps, through
from sync.client.rows import (
    FRESH_FILE,
    ON_THE_WAY,
    RANK,
    TOO_LARGE,
    WAITING,
    Cursor,
    FactRow,
    FileRow,
    fact_row,
    file_row,
    known_kinds,
)

Doc = dict[str, Any]
# What was set aside and may go again without a person: the server failed on it; the way did not let it through.
_AGAIN_FACT, _AGAIN_FILE = frozenset({"server-failed"}), frozenset({"server-failed", ON_THE_WAY})


class Shelf:
    """The rows, and which of them the engine has to look at.

    ``unsent``: records to offer. ``asking``: records of which a new receipt can be expected. ``queues``: files to send,
    by what they are, each in sending order. ``due_moves`` moves when a preview becomes due, or is made or given up.
    """

    def __init__(self) -> None:
        self.epoch, self.largest = "", None
        self.due: set[str] = set()
        self.due_moves = 0
        self._hides: Callable[[Doc], bool] = lambda doc: False
        # For who counts: records and files that changed since it last looked; None: all of them may have.
        self._touched: tuple[set[str], set[str]] | None = None
        self.tally: Any = None
        self._clear()

    def _clear(self) -> None:
        self.fact_docs: dict[str, Doc] = {}
        self.file_docs: dict[str, Doc] = {}
        self.facts: dict[str, FactRow] = {}
        self.files: dict[str, FileRow] = {}
        self.unsent, self.asking, self._counted = Ordered(), Ordered(), Ordered()
        self.queues: dict[tuple[Any, ...], Ordered] = {}
        self._queue_of: dict[str, tuple[Any, ...]] = {}
        self._in_order, self._by_size = Ordered(), Ordered()
        # What a receipt was ever had for: the rest looks the same in every life of the server.
        self._receipted: set[str] = set()
        self._too_large: set[str] = set()
        self._to_judge: set[str] = set()
        self._previews: dict[str, set[str]] = {}
        self._rechecking: Counter[str] = Counter()
        self.due = set()
        # All rows as they were last told; None: something changed since.
        self._fact_rows: tuple[FactRow, ...] | None = None
        self._file_rows: tuple[FileRow, ...] | None = None
        self._touched = None

    # --- what changes ---

    def all(self, facts: Iterable[Doc], files: Iterable[Doc], hides: Callable[[Doc], bool] | None = None) -> None:
        """Everything anew. ``hides``: files that nobody may send now."""
        due, moves = self.due, self.due_moves
        self._clear()
        through(self.filling(facts, files, hides, due, moves))

    def filling(self, facts: Iterable[Doc], files: Iterable[Doc], hides: Callable[[Doc], bool] | None = None,
                due: Iterable[str] = (), moves: int = 0) -> Iterator[None]:
        """The same on a new shelf, in small steps; it is of no use before the last. ``due`` and ``moves``: of the
        shelf whose place it takes."""
        if hides is not None:
            self._hides = hides
        yield from in_steps(files, lambda doc: self._note_file(doc["sha256"], doc))
        yield from in_steps(facts, lambda doc: self.change("facts", doc["id"], doc))
        yield from in_steps(list(self.file_docs), self._set_file)
        gone = {sha for sha in set(due) - self.due if sha not in self.files or not self.files[sha].held}
        self.due_moves = moves + bool(gone or self.due - set(due))

    def judge(self, epoch: str, largest: int | None) -> None:
        """Under which life of the server, and which limit of it, rows are judged from now on."""
        through(self.judging(epoch, largest))

    def judging(self, epoch: str, largest: int | None) -> Iterator[None]:
        """The same in small steps. What is not judged anew yet stands as it stood; whoever judges next ends it."""
        before, self.epoch = self.epoch, epoch
        limits, self.largest = {self.largest, largest}, largest
        if epoch != before:
            self._to_judge |= self._receipted
        if len(limits) == 2:
            lowest = min(limit for limit in limits if limit is not None)
            self._to_judge |= self._too_large | self._by_size.after((lowest,))
        yield from in_steps(emptying(self._to_judge), self._judge_anew)

    def _judge_anew(self, id: str) -> None:
        if id in self.file_docs:
            self._set_file(id)
        elif id in self.fact_docs:
            self._set_fact(id, self.fact_docs[id])

    def take_touched(self) -> tuple[set[str], set[str]] | None:
        """Ids of records and files that changed since this was last asked; None: all of them may have."""
        found, self._touched = self._touched, (set(), set())
        return found

    def _touch(self, facts: Iterable[str], file: str = "") -> None:
        if self._touched is not None:
            self._touched[0].update(facts)
            if file:
                self._touched[1].add(file)

    def change(self, table: str, id: str, doc: Doc | None) -> None:
        """The document in ``table`` (facts, evidence) is this from now on; None: it is gone."""
        if table == "evidence":
            if self.file_docs.get(id) is not doc or doc is None:
                self._note_file(id, doc)
                self._set_file(id)
                for preview in sorted(self._previews.get(id, ())):
                    self._set_file(preview)
        elif table == "facts" and (self.fact_docs.get(id) is not doc or doc is None):
            self._set_fact(id, doc)

    def _note_file(self, sha: str, doc: Doc | None) -> None:
        before = self.file_docs.pop(sha, None)
        if before and before.get("of"):
            self._previews.get(before["of"], set()).discard(sha)
        if doc is not None:
            self.file_docs[sha] = doc
            if doc.get("of"):
                self._previews.setdefault(doc["of"], set()).add(sha)

    # --- records ---

    def _set_fact(self, id: str, doc: Doc | None) -> None:
        before = self.facts.pop(id, None)
        self.fact_docs.pop(id, None)
        row = None
        if doc is not None:
            row = self.facts[id] = fact_row(doc, self.epoch)
            self.fact_docs[id] = doc
        self._note_receipt(id, doc, "receipt")
        self._touch((id,))
        self._fact_rows = None
        self._counted.put(id, (row.counter, id) if row else None)
        rechecked = set(before.evidence if before and before.recheck else ())
        rechecks = set(row.evidence if row and row.recheck else ())
        for sha in rechecked ^ rechecks:
            self._rechecking[sha] += 1 if sha in rechecks else -1
            self._place_file(sha)
        self._place_fact(id)

    def _note_receipt(self, id: str, doc: Doc | None, said: str) -> None:
        (self._receipted.add if ((doc or {}).get("sync") or {}).get(said) else self._receipted.discard)(id)

    def _place_fact(self, id: str) -> None:
        row = self.facts.get(id)
        key = (row.counter, id) if row else None
        again = row is not None and row.park is not None and row.park.code in _AGAIN_FACT
        sendable = row is not None and not row.known and not row.recheck and (row.state == WAITING or again)
        self.unsent.put(id, key if sendable else None)
        self.asking.put(id, key if row is not None and self._asks(row) else None)

    def _asks(self, row: FactRow) -> bool:
        if row.recheck:
            return True
        if not row.known or row.whole:
            return False
        # While its files are on the way the answer would be the same; the question makes sense once they are there.
        return row.answer != "applied" or self.held_of(row) >= len(row.evidence)

    def held_of(self, row: FactRow) -> int:
        """How many of its files the server is known to hold."""
        return sum(1 for sha in row.evidence if sha in self.files and self.files[sha].held)

    # --- files ---

    def _wanted(self, doc: Doc) -> bool:
        """What signed facts name, what a draft holds, and the previews of both as long as the original is not held."""
        if self._hides(doc):
            return False
        if doc.get("facts") or doc.get("draft"):
            return True
        original = self.file_docs.get(doc.get("of") or "")
        return (original is not None and bool(original.get("facts") or original.get("draft"))
                and not self._hides(original) and not (original.get("sync") or FRESH_FILE)["held"])

    def _set_file(self, sha: str) -> None:
        doc, before = self.file_docs.get(sha), self.files.pop(sha, None)
        row = None
        if doc is not None and self._wanted(doc):
            row = self.files[sha] = file_row(doc, self.epoch, self.largest)
        self._note_receipt(sha, doc, "held")
        parked = ((doc or {}).get("sync") or {}).get("parked") or {}
        (self._too_large.add if parked.get("code") == TOO_LARGE else self._too_large.discard)(sha)
        self._by_size.put(sha, (doc["size"], sha) if doc is not None else None)
        self._file_rows = None
        self._touch((*(before.facts if before else ()), *(row.facts if row else ())), sha)
        due = row is not None and row.due and bool(row.facts) and not row.held
        if due != (sha in self.due):
            # An original that went without its preview is no sign of life from who makes them.
            self.due_moves += due or row is None or not row.held
            (self.due.add if due else self.due.discard)(sha)
        self._place_file(sha)
        if (before is not None and before.held) != (row is not None and row.held):
            for fact in {*(before.facts if before else ()), *(row.facts if row else ())}:
                self._place_fact(fact)

    def _place_file(self, sha: str) -> None:
        row = self.files.get(sha)
        key = _sending_order(row) if row else None
        self._in_order.put(sha, key)
        sent = row is None or row.held or (row.recheck and self._rechecking[sha] > 0)
        waits = row is not None and (row.park is None or row.park.code in _AGAIN_FILE)
        queue = None if sent or not waits or row is None or key is None else (*key[:3], row.kind)
        before = self._queue_of.get(sha)
        if before is not None and before != queue:
            self.queues[before].put(sha, None)
            del self._queue_of[sha]
        if queue is not None:
            self._queue_of[sha] = queue
            self.queues.setdefault(queue, Ordered()).put(sha, key)

    # --- all of it, for who shows it ---

    def fact_rows(self) -> tuple[FactRow, ...]:
        """All records by their place in the count."""
        if self._fact_rows is None:
            self._fact_rows = tuple(self.facts[id] for id in self._counted)
        return self._fact_rows

    def file_rows(self) -> tuple[FileRow, ...]:
        """All files in the order in which they go."""
        if self._file_rows is None:
            self._file_rows = tuple(self.files[sha] for sha in self._in_order)
        return self._file_rows

    def last_counter(self) -> int:
        last = self._counted.last()
        return last[0] if last else 0


def _sending_order(row: FileRow) -> tuple[Any, ...]:
    return not row.of, not row.facts, RANK.get(row.kind, 9), row.size, row.sha256


@dataclass(frozen=True, slots=True)
class OutboxView:
    """Everything the engine decides by: the shelf, cursor, epoch, lease. A view is of the moment in which it was made.

    ``lease_free`` unused order numbers are left, ``lease_highest`` is the highest counter ever leased (0: none).
    ``code`` and ``token`` are this tablet's ("": not told), ``counted`` the highest place in its count; ``withdrawn``
    and ``copied``: what the server last said of this code. ``off_ms``: how far our clock was behind the server's.
    ``largest``: the most bytes that the server takes in one file, as it last said. ``witness``: its latest.
    ``over``: the epochs of lives of the server that are over. One of them is told of only where we hold a witness of
    the present life: with it a server that is really back in such a life begins another one, before it answers.
    """

    shelf: Shelf = field(default_factory=Shelf, repr=False, compare=False)
    cursor: Cursor = field(default_factory=Cursor)
    epoch: str = ""
    lease_free: int = 0
    lease_highest: int = 0
    code: str = ""
    token: str = field(default="", repr=False)
    counted: int = 0
    withdrawn: bool = False
    copied: bool = False
    off_ms: int | None = None
    largest: int | None = None
    witness: str = field(default="", repr=False)
    over: frozenset[str] = frozenset()

    @property
    def facts(self) -> tuple[FactRow, ...]:
        """All records by their place in the count; for who shows them all."""
        return self.shelf.fact_rows()

    @property
    def files(self) -> tuple[FileRow, ...]:
        """All files in the order in which they go; for who shows them all."""
        return self.shelf.file_rows()

    def fact(self, fact: str) -> FactRow | None:
        return self.shelf.facts.get(fact)

    def facts_of(self, ids: Iterable[str]) -> list[FactRow | None]:
        """The facts of ``ids``, in that order; None for one that is not there."""
        return [self.shelf.facts.get(id) for id in ids]

    def file(self, sha256: str) -> FileRow | None:
        return self.shelf.files.get(sha256)

    def row(self, table: str, id: str) -> FactRow | FileRow | None:
        """The record or the file, by the table that it is in."""
        return self.fact(id) if table == "facts" else self.file(id)

    def unsent(self) -> Iterator[FactRow]:
        """The records to offer, by their place in the count."""
        return (self.shelf.facts[id] for id in self.shelf.unsent)

    def is_unsent(self, fact: str) -> bool:
        """Whether that record waits to be sent."""
        row = self.shelf.facts.get(fact)
        return row is not None and row.state == WAITING

    def asking(self) -> Iterator[FactRow]:
        """The records of which a new receipt can be expected, by their place in the count."""
        return (self.shelf.facts[id] for id in self.shelf.asking)

    def queues(self) -> Iterator[tuple[str, Iterator[FileRow]]]:
        """The files to send: kind after kind, in sending order."""
        shelf = self.shelf
        for key in sorted(key for key, queue in shelf.queues.items() if queue):
            yield key[-1], (shelf.files[sha] for sha in shelf.queues[key])


def judged_by(meta: Doc | None, tablet: Doc | None) -> tuple[str, int | None]:
    """The epoch and the largest file, by the document "sync" of meta and who this tablet is."""
    largest = ((tablet or {}).get("limits") or {}).get("evidence_bytes")
    # A version that took whatever an answer said may have kept what is no limit.
    return (meta or {}).get("epoch", ""), largest if is_limit(largest) else None


def _told_of(witness: str) -> str:
    """The epoch of the life that a witness is of, its second part ("": none). The seal is the server's affair."""
    return [*witness.split("."), ""][1]


def view_of(shelf: Shelf, lease: tuple[int, int], meta: Doc | None, tablet: Doc | None = None, counted: int = 0,
            contact: Doc | None = None) -> OutboxView:
    """The view over the shelf, the numbers (free, highest) of the lease and the document "sync" of meta; ``tablet``:
    who this is, ``counted``: how far it has counted its records, ``contact``: its clock at the last contact."""
    meta = meta or {}
    epoch, largest = judged_by(meta, tablet)
    shelf.judge(epoch, largest)
    code = (tablet or {}).get("tablet_code", "")
    known = meta.get("cursor") and meta.get("kinds") == known_kinds()
    return OutboxView(
        shelf=shelf,
        cursor=Cursor(**meta["cursor"]) if known else Cursor(),
        epoch=epoch,
        lease_free=lease[0],
        lease_highest=lease[1],
        code=code,
        token=(tablet or {}).get("device_token", ""),
        counted=counted or shelf.last_counter(),
        withdrawn=bool(code) and meta.get("withdrawn") == code,
        copied=bool(code) and meta.get("copied") == code,
        off_ms=(contact or {}).get("offset_ms"),
        largest=largest,
        witness=meta.get("witness", ""),
        over=frozenset(meta.get("left", ()) if epoch and _told_of(meta.get("witness", "")) == epoch else ()),
    )


def lease_of(numbers: Iterable[Doc]) -> tuple[int, int]:
    """How many of the numbers are free, and the highest place in the count among them (0: none)."""
    free = highest = 0
    for doc in numbers:
        free += not doc.get("used")
        highest = max(highest, doc["counter"])
    return free, highest
