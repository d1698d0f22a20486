"""What is to be sent, as the engine sees it: rows read from the outbox documents, and how such a document is made.

The bytes of a fact are frozen before they come here and are only ever copied: no function here re-encodes a fact.
A row's state is derived, never stored: a receipt counts only under the server's present epoch, so a restored
server (new epoch) makes everything still held "to be offered again" without a single document being rewritten.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sync.records.down import TABLES
from sync.records.facts import parse
from sync.records.macs import fingerprint

WAITING, RECEIVED, SAFE, PARKED = "waiting", "received", "safe", "parked"
SYNC_DOC = "sync"
# In "secrets": who this tablet is.
TABLET_DOC = "tablet"
# Larger than the server takes; larger than something on the way to it lets through.
TOO_LARGE, ON_THE_WAY = "too-large", "too-large-on-the-way"
# In the document of a photo: its preview is not made yet.
DUE = "due"
# To be raised when documents that could not be read before can be now: every tablet then reads again from 0.
READER = 1
# Small and legally weighty files first; a preview lets the office look before the original is through.
RANK = {"preview": 0, "signature": 1, "placard": 2, "voice_note": 3, "photo": 4}
FRESH_FACT: dict[str, Any] = {
    "receipt": None, "epoch": None, "answer": None, "reason": None, "whole": False, "at": None, "register": None,
    "tries": 0, "parked": None, "keep_until": None,
}  # fmt: skip
FRESH_FILE: dict[str, Any] = {
    "receipt": None, "epoch": None, "held": False, "at": None, "tries": 0, "parked": None, "keep_until": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far the tablet has read the changes: the three parts that the server gave with the last page."""

    epoch: str = ""
    scope: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Park:
    """Why an item was set aside: a code of `sync.client.reasons` or of the error catalogue, and the detail.

    ``held``: the server holds it (quarantined, or of a kind it does not know yet); nothing of it is here alone.
    """

    code: str
    detail: str = ""
    held: bool = False


@dataclass(frozen=True, slots=True)
class FactRow:
    """One signed fact in the outbox. ``text`` is its exact text, ``size`` that text's bytes in UTF-8.

    ``known``: the server's receipt is of the present epoch. ``recheck``: it is of an earlier epoch, so ask for
    receipts before sending it again. ``whole``: applied, and the server holds every file. ``former``: receipts with a
    register number that an order had from a server that was lost since.
    """

    id: str
    counter: int
    kind: str
    text: str
    sha256: str
    mac: str
    credential: str
    revises: str | None
    needs: tuple[str, ...]
    evidence: tuple[str, ...]
    size: int
    state: str
    known: bool
    recheck: bool
    whole: bool
    answer: str | None
    reason: str | None
    register: str | None
    tries: int
    park: Park | None
    keep_until: str | None
    former: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file to send; ``size`` in bytes; ``held``: receipted in the present epoch.

    ``facts``: the signed facts that name it; without any it is a photo of a draft, or the preview ``of`` a photo.
    ``due``: a photo whose preview is being made.
    """

    sha256: str
    kind: str
    size: int
    media: str
    facts: tuple[str, ...]
    held: bool
    recheck: bool
    tries: int
    park: Park | None
    keep_until: str | None
    of: str = ""
    due: bool = False

    @property
    def state(self) -> str:
        if self.held:
            return SAFE
        return PARKED if self.park else WAITING


@dataclass(frozen=True, slots=True)
class OutboxView:
    """Everything the engine decides by: facts in counter order, files in sending order, cursor, epoch, lease.

    ``lease_free`` unused order numbers are left, ``lease_highest`` is the highest counter ever leased (0: none).
    ``code`` and ``token`` are this tablet's ("": not told), ``counted`` the highest place in its count; ``withdrawn``
    and ``copied``: what the server last said of this code. ``off_ms``: how far our clock was behind the server's.
    ``largest``: the most bytes that the server takes in one file, as it last said.
    """

    facts: tuple[FactRow, ...] = ()
    files: tuple[FileRow, ...] = ()
    cursor: Cursor = Cursor()
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

    def fact(self, fact: str) -> FactRow | None:
        return next((row for row in self.facts if row.id == fact), None)

    def facts_of(self, ids: Iterable[str]) -> list[FactRow | None]:
        """The facts of ``ids``, in that order; None for one that is not there."""
        asked = list(ids)
        wanted = set(asked)
        found = {row.id: row for row in self.facts if row.id in wanted}
        return [found.get(id) for id in asked]

    def file(self, sha256: str) -> FileRow | None:
        return next((row for row in self.files if row.sha256 == sha256), None)


def fact_doc(frozen: bytes, *, mac: str, credential: str) -> dict[str, Any]:
    """The outbox document (table "facts", under the fact's id) of a fact frozen as ``frozen`` and signed ``mac``.

    Raises Problem when the bytes are no well-formed fact: what cannot be read must not be queued.
    """
    fact = parse(frozen)
    return {
        "id": fact.id,
        "kind": fact.kind,
        "counter": fact.counter,
        "user": fact.user,
        "signed_at": fact.at.wall.isoformat(timespec="seconds"),
        "text": frozen.decode(),
        "sha256": fingerprint(frozen),
        "mac": mac,
        "credential": credential,
        "revises": fact.revises,
        "needs": list(fact.needs),
        "evidence": [item.to_wire() for item in fact.evidence],
        "sync": dict(FRESH_FACT),
    }


def file_docs(fact: dict[str, Any], present: dict[str, dict[str, Any] | None]) -> list[dict[str, Any]]:
    """The documents (table "evidence", under the SHA-256) of the files that ``fact`` names.

    ``present`` holds what is there now by SHA-256; fields that others keep in it stay, and so does a receipt.
    """
    found = []
    for item in fact["evidence"]:
        old = present.get(item["sha256"]) or {}
        facts = [*old.get("facts", []), fact["id"]] if fact["id"] not in old.get("facts", []) else old["facts"]
        found.append({**old, **item, "facts": facts, "sync": old.get("sync") or dict(FRESH_FILE)})
    return found


def known_kinds() -> str:
    """How this version reads what comes down; a version that reads more, or better, reads again from 0."""
    return f"{READER}: {' '.join(sorted(TABLES))}"


def _park(raw: dict[str, Any] | None) -> Park | None:
    return Park(raw["code"], raw.get("detail", "")) if raw else None


def fact_row(doc: dict[str, Any], epoch: str) -> FactRow:
    """The row of a "facts" document, judged under the server's present ``epoch``."""
    sync = doc.get("sync") or FRESH_FACT
    known = sync["receipt"] is not None and sync["epoch"] == epoch
    park = _park(sync["parked"])
    whole = known and bool(sync["whole"])
    if park:
        state = PARKED
    elif not known:
        state = WAITING
    elif whole:
        state = SAFE
    elif sync["answer"] == "quarantined" or sync["reason"] == "kind-unknown":
        state, park = PARKED, Park(sync["reason"] or "quarantined", held=True)
    else:
        state = RECEIVED
    return FactRow(
        id=doc["id"],
        counter=doc["counter"],
        kind=doc["kind"],
        text=doc["text"],
        sha256=doc["sha256"],
        mac=doc["mac"],
        credential=doc["credential"],
        revises=doc["revises"],
        needs=tuple(doc["needs"]),
        evidence=tuple(item["sha256"] for item in doc["evidence"]),
        size=len(doc["text"].encode()),
        state=state,
        known=known,
        recheck=sync["receipt"] is not None and not known,
        whole=whole,
        answer=sync["answer"] if known else None,
        reason=sync["reason"] if known else None,
        register=sync["register"],
        tries=sync["tries"],
        park=park,
        keep_until=sync["keep_until"] if whole else None,
        former=tuple(sync.get("former", ())),
    )


def file_row(doc: dict[str, Any], epoch: str, largest: int | None = None) -> FileRow:
    """The row of an "evidence" document, judged under the server's present ``epoch`` and limit ``largest``.

    A file above the limit is set aside by that alone, and comes back by itself when the limit is raised.
    """
    sync = doc.get("sync") or FRESH_FILE
    held = bool(sync["held"]) and sync["epoch"] == epoch
    park = sync["parked"]
    if largest is not None and doc["size"] > largest:
        park = {"code": TOO_LARGE, "detail": f"{doc['size']} bytes; {largest} are taken"}
    elif park and park["code"] == TOO_LARGE and largest is not None and park.get("largest", largest) < largest:
        park = None
    return FileRow(
        sha256=doc["sha256"],
        kind=doc["kind"],
        size=doc["size"],
        media=doc["media"],
        facts=tuple(doc.get("facts", ())),
        held=held,
        recheck=bool(sync["held"]) and not held,
        tries=sync["tries"],
        park=None if held else _park(park),
        keep_until=sync["keep_until"] if held else None,
        of=doc.get("of", ""),
        due=doc.get("preview") == DUE,
    )


class Rows:
    """Makes views, and makes a row anew only when its document or the epoch is another than the last time.

    Documents are replaced, never edited, so the same object means the same content: a year's worth of receipted
    items, or a thousand photos that wait, cost next to nothing.
    """

    def __init__(self) -> None:
        self._facts, self._files = _Sorted(lambda row: row.counter), _Sorted(_sending_order)
        self._epoch, self._largest = "", None

    def view(
        self,
        facts: Iterable[dict[str, Any]],
        files: Iterable[dict[str, Any]],
        lease: Iterable[dict[str, Any]],
        meta: dict[str, Any] | None,
        tablet: dict[str, Any] | None = None,
        counted: int = 0,
        contact: dict[str, Any] | None = None,
    ) -> OutboxView:
        """The view over the documents of the tables facts, evidence, lease and the document "sync" of meta; ``tablet``:
        who this is, ``counted``: how far it has counted its records, ``contact``: its clock at the last contact.

        A photo of a draft is in it (``wanted``), behind all that is signed; what was taken off a draft is not.
        """
        meta = meta or {}
        epoch = meta.get("epoch", "")
        largest = ((tablet or {}).get("limits") or {}).get("evidence_bytes")
        if (epoch, largest) != (self._epoch, self._largest):
            self._facts.forget()
            self._files.forget()
            self._epoch, self._largest = epoch, largest
        cursor = Cursor(**meta["cursor"]) if meta.get("cursor") and meta.get("kinds") == known_kinds() else Cursor()
        numbers = list(lease)
        code = (tablet or {}).get("tablet_code", "")
        fact_rows = self._facts.rows(facts, "id", lambda doc: fact_row(doc, epoch))
        file_rows = self._files.rows(wanted(files), "sha256", lambda doc: file_row(doc, epoch, largest))
        return OutboxView(
            facts=fact_rows,
            files=file_rows,
            cursor=cursor,
            epoch=epoch,
            lease_free=sum(1 for doc in numbers if not doc.get("used")),
            lease_highest=max((doc["counter"] for doc in numbers), default=0),
            code=code,
            token=(tablet or {}).get("device_token", ""),
            counted=counted or (fact_rows[-1].counter if fact_rows else 0),
            withdrawn=bool(code) and meta.get("withdrawn") == code,
            copied=bool(code) and meta.get("copied") == code,
            off_ms=(contact or {}).get("offset_ms"),
            largest=largest,
        )


def wanted(docs: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Of the "evidence" documents those to send: what signed facts name, what a draft holds, and the previews of
    both, each as long as its original is not held anyway."""
    docs = list(docs)
    own = [doc for doc in docs if doc.get("facts") or doc.get("draft")]
    if len(own) == len(docs):
        return own
    originals = {doc["sha256"]: doc for doc in own}
    return own + [
        doc for doc in docs
        if doc.get("of") in originals and doc["sha256"] not in originals
        and not (originals[doc["of"]].get("sync") or FRESH_FILE)["held"]
    ]  # fmt: skip


def _sending_order(row: FileRow) -> tuple[Any, ...]:
    return not row.of, not row.facts, RANK.get(row.kind, 9), row.size, row.sha256


class _Sorted:
    """Rows of documents in the order of ``key``; a changed document costs its own row and no sorting, as long as its
    place in the order is the same."""

    def __init__(self, key: Callable[[Any], Any]) -> None:
        self._key = key
        self.forget()

    def forget(self) -> None:
        """Make every row anew the next time."""
        self._docs: dict[str, dict[str, Any]] = {}
        self._places: dict[str, int] = {}
        self._rows: tuple[Any, ...] = ()

    def rows(
        self, docs: Iterable[dict[str, Any]], name: str, make: Callable[[dict[str, Any]], Any]
    ) -> tuple[Any, ...]:
        """The rows of ``docs``, each known by its field ``name``."""
        now = {doc[name]: doc for doc in docs}
        before, self._docs = self._docs, now
        changed = {id: make(doc) for id, doc in now.items() if before.get(id) is not doc}
        if not changed and len(now) == len(before):
            return self._rows
        old = self._rows
        if len(now) == len(before) and all(
            id in self._places and self._key(row) == self._key(old[self._places[id]]) for id, row in changed.items()
        ):
            patched = list(old)
            for id, row in changed.items():
                patched[self._places[id]] = row
            self._rows = tuple(patched)
            return self._rows
        kept = {id: old[place] for id, place in self._places.items() if id in now and id not in changed}
        ordered = sorted({**kept, **changed}.items(), key=lambda pair: self._key(pair[1]))
        self._places = {id: place for place, (id, _) in enumerate(ordered)}
        self._rows = tuple(row for _, row in ordered)
        return self._rows
