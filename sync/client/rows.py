"""What is to be sent, as the engine sees it: rows read from the outbox documents, and how such a document is made.

The bytes of a fact are frozen before they come here and are only ever copied: no function here re-encodes a fact.
A row's state is derived, never stored: a receipt counts only under the server's present epoch, so a restored
server (new epoch) makes everything still held "to be offered again" without a single document being rewritten.
"""

from dataclasses import dataclass
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
