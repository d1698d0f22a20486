"""The sync engine's outbox over the tablet's store, and how a signed fact gets into it.

One `mark` is one journal frame. `queue` works inside the caller's open change, so that signing a fact, dropping
its draft and putting it into the outbox are one step: there is no moment at which it is in neither or in both.
"""

import asyncio
import gc
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from field_app.store.holding import hold_back, take_back
from sync.client.enrolment import Enrolment, SignIn
from sync.client.marks import EpochSeen, Leased, Mark, fold
from sync.client.ordered import through
from sync.client.rows import DUE, SYNC_DOC, TABLET_DOC, fact_doc, file_docs
from sync.client.shelf import OutboxView, Shelf, judged_by, lease_of, view_of
from sync.client.states import counting

TABLET = TABLET_DOC
PIECE_S = 0.004
"""So long the loop is kept busy at a time; a frame of the screen is 16 ms."""
_DONE = object()
_SEEN = ("facts", "evidence", "lease", "meta", "secrets")


class StoreOutbox:
    """`sync.client.outbox.OutboxPort` over a store and the evidence box beside it."""

    def __init__(self, store: Any, box: Any) -> None:
        self._store, self._box = store, box
        self._shelf = Shelf()
        self._view: OutboxView | None = None
        # What changed since the last view; None: all of it may have.
        self._writes: list[tuple[str, str, Any]] | None = None
        self._hidden: frozenset[str] = frozenset()
        # The shelf that is being filled, and what is still to be done for it.
        self._filling: tuple[Shelf, Iterator[None]] | None = None
        self._numbers: tuple[str | None, tuple[int, int]] | None = None
        store.watch_writes(self._written)

    def _written(self, writes: list[tuple[str, str, Any]] | None) -> None:
        seen = None if writes is None else [write for write in writes if write[0] in _SEEN]
        if seen is None or self._writes is None:
            self._writes = self._view = self._numbers = self._filling = None
        elif seen:
            self._writes += seen
            self._view = None
            if any(table == "lease" for table, _, _ in seen):
                self._numbers = None

    def view(self) -> OutboxView:
        if self._view is None:
            table = self._store.table
            meta, tablet = table("meta"), table("secrets").get(TABLET)
            count = meta.get(f"counter:{tablet['tablet_code']}") if tablet else None
            through(self._catching_up())
            self._view = view_of(self._shelf, self._lease(tablet), meta.get(SYNC_DOC), tablet,
                                 count["n"] if count else 0, meta.get("contact"))
        return self._view

    async def prepare(self) -> None:
        """After the start of the app, when it was locked or opened, and when the server began another life, all rows
        are made anew: that is done in pieces of PIECE_S. Whoever asks for the view meanwhile does the rest at once."""
        if self._view is not None:
            return
        # Many rows and no garbage: as where the store loads what they are made of.
        collecting, anew = gc.isenabled(), self._writes is None
        gc.disable()
        try:
            begun = perf_counter()
            for _ in self._catching_up(counted=True):
                if perf_counter() - begun > PIECE_S:
                    await asyncio.sleep(0)
                    begun = perf_counter()
            if anew:
                gc.freeze()
        finally:
            if collecting:
                gc.enable()
        self.view()

    def _catching_up(self, *, counted: bool = False) -> Iterator[None]:
        """Brings the shelf up to date, and with ``counted`` its tally. Files of drafts that are locked are not on it:
        they can be sent again when the person is at work again."""
        table = self._store.table
        while True:
            hidden = frozenset(doc["id"] for doc in self._store.hidden("drafts"))
            if self._writes is None or hidden != self._hidden:
                self._hidden, self._writes = hidden, []
                new, old = Shelf(), self._shelf
                new.epoch, new.largest = judged_by(table("meta").get(SYNC_DOC), table("secrets").get(TABLET))
                self._filling = new, new.filling(table("facts").all(), table("evidence").all(), self._is_shut, old.due,
                                                 old.due_moves)
            if self._filling is None:
                break
            shelf, steps = self._filling
            if next(steps, _DONE) is _DONE:
                self._shelf, self._filling = shelf, None
            yield
        for name, id, doc in self._writes:
            self._shelf.change(name, id, doc)
        self._writes = []
        yield from self._shelf.judging(*judged_by(table("meta").get(SYNC_DOC), table("secrets").get(TABLET)))
        if counted:
            yield from counting(self._shelf)

    def _is_shut(self, doc: dict[str, Any]) -> bool:
        return doc.get("draft") in self._hidden and not doc.get("facts")

    def _lease(self, tablet: dict[str, Any] | None) -> tuple[int, int]:
        """Of the numbers of the tablet as it is enrolled now: what is left of an earlier enrolment is of no use any
        more, and must not make the lease look full."""
        code = (tablet or {}).get("tablet_code")
        if self._numbers is None or self._numbers[0] != code:
            numbers = self._store.table("lease").all()
            mine = numbers if code is None else [doc for doc in numbers if f"-{code}-" in doc["number"]]
            self._numbers = (code, lease_of(mine))
        return self._numbers[1]

    async def mark(self, marks: Iterable[Mark]) -> None:
        async with self._store.change() as tx:
            write(tx, marks)

    async def evidence_body(self, sha256: str) -> Any:
        return await self._box.upload_body(sha256)


def shut_files(store: Any) -> set[str]:
    """The files, by SHA-256, of drafts of people who are not at work just now, and the previews of them: nobody else
    can read them."""
    drafts = {doc["id"] for doc in store.hidden("drafts")}
    if not drafts:
        return set()
    files = store.table("evidence").all()
    shut = {doc["sha256"] for doc in files if doc.get("draft") in drafts and not doc.get("facts")}
    return shut | {doc["sha256"] for doc in files if doc.get("of") in shut}


def write(tx: Any, marks: Iterable[Mark]) -> None:
    """Puts the documents that ``marks`` amount to into the open change ``tx``."""
    take_back(tx)
    for table, id, doc in hold_back(tx, fold(marks, tx.get)):
        if doc is None:
            tx.delete(table, id)
        else:
            tx.put(table, id, doc)


def queue(tx: Any, frozen: bytes, *, mac: str, credential: str, **more: Any) -> dict[str, Any]:
    """Puts a signed fact and the files it names into the outbox, in the open change ``tx``; gives its document.

    ``more`` are further fields the tablet wants to keep beside it (a title for the list); never sent.
    Raises Problem when ``frozen`` is no well-formed fact.
    """
    doc = {**more, **fact_doc(frozen, mac=mac, credential=credential)}
    present = {item["sha256"]: tx.get("evidence", item["sha256"]) for item in doc["evidence"]}
    tx.put("facts", doc["id"], doc)
    for file in file_docs(doc, present):
        if file["kind"] == "photo":
            file.setdefault("preview", DUE)
        tx.put("evidence", file["sha256"], file)
    return doc


def remember_enrolment(tx: Any, enrolment: Enrolment, secret: str) -> None:
    """Keeps who this tablet is (table "secrets", "tablet"), the epoch and the first lease, in the open change."""
    tx.put("secrets", TABLET, {**enrolment.to_doc(), "secret": secret})
    write(tx, [EpochSeen(enrolment.epoch), Leased(enrolment.numbers, enrolment.seal)])


def remember_sign_in(tx: Any, sign_in: SignIn) -> None:
    """Keeps a person's credential on this tablet (table "credentials", under the person's id), in the open change."""
    tx.put("credentials", sign_in.person_id, sign_in.to_doc())
    tx.delete("standings", sign_in.to_doc()["id"])  # what ended the one before does not end this one
