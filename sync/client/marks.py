"""What the engine has learned, as marks, and the one fold that turns marks into outbox documents.

Every port applies the writes of one `fold` in one durable change, all or nothing: a receipt is never half noted,
and pulled documents are never there without their cursor, nor the cursor without them.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sync.client.keeping import KEEP_DAYS, keep_until
from sync.client.rows import (
    FRESH_FACT,
    FRESH_FILE,
    SYNC_DOC,
    TABLET_DOC,
    Cursor,
    known_kinds,
)
from sync.records.down import TABLES
from sync.records.protocol import MAX_FORMER
from sync.records.receipts import EvidenceReceipt, Receipt

LIVES = 30
"""So many lives of the server that are over are kept in mind."""

Doc = dict[str, Any]
Write = tuple[str, str, Doc | None]


@dataclass(frozen=True, slots=True)
class Receipted:
    """A verified receipt for a fact; ``sealed`` is what came, kept as proof."""

    receipt: Receipt
    sealed: dict[str, str]


@dataclass(frozen=True, slots=True)
class FileHeld:
    """A verified receipt for an evidence file."""

    receipt: EvidenceReceipt
    sealed: dict[str, str]


@dataclass(frozen=True, slots=True)
class FileLost:
    """The server says after its receipt that it does not hold the file: it is sent again."""

    sha256: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """The server (of the present epoch) does not know the fact: it is offered again."""

    fact: str


@dataclass(frozen=True, slots=True)
class Tried:
    """One more try of an item failed for a reason of its own; ``park`` sets it aside. ``table``: facts | evidence.

    ``largest``: of a file that is too large, the limit under which it was; it goes again once that is raised.
    """

    table: str
    id: str
    code: str
    detail: str = ""
    park: bool = False
    largest: int | None = None


@dataclass(frozen=True, slots=True)
class Limited:
    """The most bytes that the server takes in one file, as it says now."""

    evidence_bytes: int


@dataclass(frozen=True, slots=True)
class SentBack:
    """A person sends a parked item again. ``table``: facts | evidence."""

    table: str
    id: str


@dataclass(frozen=True, slots=True)
class EpochSeen:
    """The server's epoch; when it is another than before, all receipts stop counting and the cursor returns to 0. The
    one before is remembered as over."""

    epoch: str


@dataclass(frozen=True, slots=True)
class Reread:
    """The last page did not follow on what we have: the cursor returns to 0. No document is touched."""


@dataclass(frozen=True, slots=True)
class Change:
    """One pulled document; ``doc`` None is a tombstone."""

    kind: str
    id: str
    doc: Doc | None


@dataclass(frozen=True, slots=True)
class Pulled:
    """A page of changes and the cursor after it. ``unread``: documents we could not read, set aside with the reason."""

    changes: tuple[Change, ...]
    cursor: Cursor
    unread: tuple[Doc, ...] = ()


@dataclass(frozen=True, slots=True)
class Leased:
    """Order numbers with their public tokens, as the server gave them, and its seal."""

    numbers: tuple[Doc, ...]
    seal: str | None


@dataclass(frozen=True, slots=True)
class Renewed:
    """A fresh device token in place of an old one."""

    device_token: str


@dataclass(frozen=True, slots=True)
class Witnessed:
    """What the server had come to, in its own sealed words: it gets them back with every call."""

    witness: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The server has withdrawn the tablet of this code; "": it has not."""

    code: str


@dataclass(frozen=True, slots=True)
class Copied:
    """Another tablet signs under this code too: a code of our own is to be asked for."""

    code: str


Mark = (
    Receipted | FileHeld | FileLost | Unknown | Tried | SentBack | EpochSeen | Reread | Pulled | Leased | Renewed
    | Withdrawn | Copied | Limited | Witnessed
)  # fmt: skip


class _Overlay:
    """The documents as they will be: what was written in this fold first, else what is there."""

    def __init__(self, read: Callable[[str, str], Doc | None]):
        self._read = read
        self.writes: dict[tuple[str, str], Doc | None] = {}

    def get(self, table: str, id: str) -> Doc | None:
        key = (table, id)
        return self.writes[key] if key in self.writes else self._read(table, id)

    def put(self, table: str, id: str, doc: Doc | None) -> None:
        self.writes[table, id] = doc

    def change(self, table: str, id: str, **sync: Any) -> None:
        """Changes the sync part of a document that is there; one that has been purged meanwhile stays gone."""
        doc = self.get(table, id)
        if doc is not None:
            fresh = FRESH_FACT if table == "facts" else FRESH_FILE
            self.put(table, id, {**doc, "sync": {**fresh, **(doc.get("sync") or {}), **sync}})


def _receipted(at: _Overlay, mark: Receipted) -> None:
    receipt = mark.receipt
    doc = at.get("facts", receipt.fact)
    if doc is None or doc["sha256"] != receipt.sha256:
        return
    whole = receipt.answer == "applied" and all(receipt.evidence.get(f["sha256"]) for f in doc["evidence"])
    at.change(
        "facts",
        receipt.fact,
        receipt=mark.sealed,
        epoch=receipt.epoch,
        answer=receipt.answer,
        reason=receipt.reason,
        whole=whole,
        at=receipt.at,
        register=receipt.register,
        tries=0,
        parked=None,
        keep_until=keep_until(receipt.at, KEEP_DAYS) if whole else None,
    )
    for item in doc["evidence"]:
        file = at.get("evidence", item["sha256"])
        if receipt.evidence.get(item["sha256"]) and file is not None:
            sync = file.get("sync") or FRESH_FILE
            if not (sync["held"] and sync["epoch"] == receipt.epoch):
                at.change(
                    "evidence", item["sha256"], held=True, epoch=receipt.epoch, receipt=mark.sealed, at=receipt.at,
                    parked=None, keep_until=keep_until(receipt.at),
                )  # fmt: skip


def _pulled(at: _Overlay, mark: Pulled) -> None:
    for change in mark.changes:
        table = TABLES[change.kind]
        before = at.get(table, change.id) if table == "packs" else None
        if before is not None and (change.doc is None or before["version"] != change.doc["version"]):
            # What was begun under it is finished under it; `field_app.work.tidying` clears it away in the end.
            at.put(table, f"{change.id}@{before['version']}", before)
        at.put(table, change.id, change.doc)
    meta = at.get("meta", SYNC_DOC) or {}
    unread = [*meta.get("unread", []), *mark.unread][-50:]
    at.put("meta", SYNC_DOC, {**meta, "cursor": asdict(mark.cursor), "kinds": known_kinds(), "unread": unread})


def _one(at: _Overlay, mark: Mark) -> None:
    match mark:
        case Receipted():
            _receipted(at, mark)
        case FileHeld(receipt, sealed):
            at.change(
                "evidence", receipt.sha256, held=True, epoch=receipt.epoch, receipt=sealed, at=receipt.at, tries=0,
                parked=None, keep_until=keep_until(receipt.at),
            )  # fmt: skip
        case FileLost(sha256):
            at.change("evidence", sha256, held=False, receipt=None, epoch=None, keep_until=None)
        case Unknown(fact):
            at.change("facts", fact, **{**FRESH_FACT, "tries": _tries(at, "facts", fact), **_former(at, fact)})
        case Tried(table, id, code, detail, park, largest):
            parked = {"code": code, "detail": detail} if park else None
            if parked and largest is not None:
                parked["largest"] = largest
            at.change(table, id, tries=_tries(at, table, id) + 1, parked=parked)
        case SentBack("facts", id):
            at.change("facts", id, **FRESH_FACT)
        case SentBack(table, id):
            at.change(table, id, tries=0, parked=None)
        case EpochSeen(epoch):
            meta = at.get("meta", SYNC_DOC) or {}
            if meta.get("epoch") != epoch:
                left = [one for one in (*meta.get("left", ()), meta.get("epoch")) if one and one != epoch]
                at.put("meta", SYNC_DOC, {**meta, "epoch": epoch, "cursor": None, "left": left[-LIVES:]})
        case Reread():
            at.put("meta", SYNC_DOC, {**(at.get("meta", SYNC_DOC) or {}), "cursor": None})
        case Pulled():
            _pulled(at, mark)
        case Renewed(device_token):
            tablet = at.get("secrets", TABLET_DOC)
            if tablet is not None:
                at.put("secrets", TABLET_DOC, {**tablet, "device_token": device_token})
        case Limited(evidence_bytes):
            tablet = at.get("secrets", TABLET_DOC)
            if tablet is not None:
                limits = {**(tablet.get("limits") or {}), "evidence_bytes": evidence_bytes}
                at.put("secrets", TABLET_DOC, {**tablet, "limits": limits})
        case Witnessed(witness):
            at.put("meta", SYNC_DOC, {**(at.get("meta", SYNC_DOC) or {}), "witness": witness})
        case Withdrawn(code):
            at.put("meta", SYNC_DOC, {**(at.get("meta", SYNC_DOC) or {}), "withdrawn": code})
        case Copied(code):
            at.put("meta", SYNC_DOC, {**(at.get("meta", SYNC_DOC) or {}), "copied": code})
        case Leased(numbers, seal):
            for number in numbers:
                # A number that is there may be bound to an order already: a repeated lease never frees it.
                if at.get("lease", number["number"]) is None:
                    at.put("lease", number["number"], {**number, "used": None, "seal": seal})


def _former(at: _Overlay, fact: str) -> dict[str, Any]:
    """What the order was registered as before the server was lost: only this tablet may know it now."""
    sync = (at.get("facts", fact) or {}).get("sync") or FRESH_FACT
    if not (sync.get("register") and sync["receipt"]):
        return {}
    return {"former": [*sync.get("former", []), sync["receipt"]][-MAX_FORMER:]}


def _tries(at: _Overlay, table: str, id: str) -> int:
    doc = at.get(table, id) or {}
    return (doc.get("sync") or {}).get("tries", 0)


def fold(marks: Iterable[Mark], read: Callable[[str, str], Doc | None]) -> list[Write]:
    """The writes (table, id, document or None to delete) that ``marks`` amount to over the documents of ``read``."""
    at = _Overlay(read)
    for mark in marks:
        _one(at, mark)
    return [(table, id, doc) for (table, id), doc in at.writes.items()]
