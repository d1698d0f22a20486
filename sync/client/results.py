"""What a good answer says, as marks: receipts opened and matched to what was sent, pages of changes checked.

Pure. Nothing here believes a status: a fact is receipted only by a receipt that opens under this tablet's key, names
this fact and has the SHA-256 of the very bytes that lie in the outbox.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sync.client.enrolment import is_limit
from sync.client.marks import (
    Change,
    Doc,
    FileHeld,
    FileLost,
    Limited,
    Mark,
    Pulled,
    Receipted,
    Tried,
    Unknown,
    Witnessed,
)
from sync.client.replies import Answer
from sync.client.rows import Cursor, FactRow, FileRow
from sync.client.shelf import OutboxView
from sync.records.down import KINDS, PackFiles
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.records.protocol import HEADER_LARGEST
from sync.records.receipts import Receipt, open_evidence_receipt, open_receipt
from sync.records.times import parse_wall
from sync.records.wire import encode

# What our server can have said of a place in its sequence, and takes when it comes back.
LONGEST_SEQ, LONGEST_NAME = 2**53, 64
_WITNESS = re.compile(r"[0-9A-Za-z.\-]{1,600}")


@dataclass(slots=True)
class Learned:
    """Marks to apply, and what is not settled.

    ``doubtful`` ids got no receipt of ours under the present epoch; ``amiss`` ids got a true receipt for something
    else; ``lost`` files the server no longer holds.
    """

    marks: list[Mark] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def _receipt(found: Learned, row: FactRow, sealed: Any, key: bytes, epoch: str) -> Receipt | None:
    """The receipt that counts; else notes in ``found`` why there is none."""
    try:
        receipt = open_receipt(sealed, key)
    except Problem:
        found.doubtful.append(row.id)
        return None
    if receipt.fact != row.id or receipt.sha256 != row.sha256:
        found.amiss.append(row.id)
    elif receipt.epoch != epoch:
        found.doubtful.append(row.id)
    else:
        found.marks.append(Receipted(receipt, sealed))
        return receipt
    return None


def results_of(data: dict[str, Any], rows: Sequence[Any]) -> list[Any] | None:
    """The results list of an answer, or None when it does not have exactly one result per item."""
    results = data.get("results")
    return results if isinstance(results, list) and len(results) == len(rows) else None


def read_push(results: Sequence[Any], rows: Sequence[FactRow | None], key: bytes, epoch: str) -> Learned:
    """What the answer to a push says. A refused item is set aside at once; an item without receipt is doubtful."""
    found = Learned()
    for row, result in zip(rows, results, strict=True):
        if row is None:
            continue
        refused = result.get("refused") if isinstance(result, dict) else None
        if isinstance(refused, dict):
            code, detail = str(refused.get("code") or "refused"), str(refused.get("detail") or "")
            found.marks.append(Tried("facts", row.id, code, detail, park=True))
        else:
            _receipt(found, row, result, key, epoch)
    return found


def read_receipts(
    results: Sequence[Any], rows: Sequence[FactRow | None], key: bytes, epoch: str, believed: frozenset[str]
) -> Learned:
    """What the answer to a question for receipts says.

    ``believed``: files that were receipted when we asked; one of these that is said not to be held is lost.
    """
    found = Learned()
    for row, result in zip(rows, results, strict=True):
        if row is None:
            continue
        if isinstance(result, dict) and result.get("unknown") == row.id:
            found.marks.append(Unknown(row.id))
        elif receipt := _receipt(found, row, result, key, epoch):
            lost = [sha for sha in row.evidence if sha in believed and not receipt.evidence.get(sha)]
            found.marks += [FileLost(sha) for sha in lost]
            found.lost += lost
    return found


def read_hello(said: dict[str, Any], view: OutboxView) -> tuple[str | None, list[Mark]]:
    """The server's time (None: it says none that can be reckoned with, and is not ours), and the largest file, when
    that is another than we knew; an older server says nothing of it."""
    try:
        time = parse_wall(said.get("time"), "time") and said["time"]
    except Problem:
        time = None
    limits = said.get("limits")
    largest = limits.get("evidence_bytes") if isinstance(limits, dict) else None
    return time, [Limited(largest)] if is_limit(largest) and largest != view.largest else []


def largest_in(answer: Answer) -> int | None:
    """The largest file that our server takes, as this answer says; None where it does not: older ones do in hello."""
    said = answer.headers.get(HEADER_LARGEST.lower(), "") if answer.ours else ""
    return int(said) or None if said.isascii() and said.isdigit() and len(said) < 16 else None


def read_largest(answer: Answer, view: OutboxView) -> list[Mark]:
    """The largest file, where any answer of our server says another than we knew."""
    largest = largest_in(answer)
    return [Limited(largest)] if largest is not None and largest != view.largest else []


def read_witness(answer: Answer, view: OutboxView) -> list[Mark]:
    """The witness that came with the answer, where it is another than we have. It is the server's own affair what it
    says; that it can stand in a header is ours."""
    said = answer.data.get("witness")
    fits = isinstance(said, str) and _WITNESS.fullmatch(said) is not None
    return [Witnessed(said)] if fits and said != view.witness else []


def hopeless(table: str, id: str, answer: Answer, view: OutboxView) -> bool:
    """Whether no repetition can mend the refusal of this item: the file is not what it should be. A preview is never
    worth a second try."""
    if table != "evidence":
        return answer.code == "wire-too-large"
    row = view.file(id)
    if row is not None and row.of and answer.ours and 400 <= answer.status < 500:
        return answer.code != "evidence-hash-mismatch"
    return answer.code.startswith("evidence-") and answer.code not in ("evidence-hash-mismatch", "evidence-unknown")


def read_put(data: dict[str, Any], row: FileRow, key: bytes, epoch: str) -> Learned:
    """What the answer to a file says. The SHA-256 alone is the file: a wrong size in the record is not its fault."""
    found = Learned()
    try:
        receipt = open_evidence_receipt(data, key)
    except Problem:
        found.doubtful.append(row.sha256)
        return found
    if receipt.sha256 != row.sha256:
        found.amiss.append(row.sha256)
    elif receipt.epoch != epoch:
        found.doubtful.append(row.sha256)
    else:
        found.marks.append(FileHeld(receipt, {"text": data["text"], "mac": data["mac"]}))
    return found


@dataclass(frozen=True, slots=True)
class Page:
    """A page of changes. ``pulled`` None: it does not follow on our cursor, read again from 0. ``more`` to come."""

    pulled: Pulled | None
    more: bool


def _cursor(raw: Any) -> Cursor:
    if (
        not isinstance(raw, dict)
        or not isinstance(raw.get("epoch"), str)
        or not isinstance(raw.get("scope"), str | int)
        or not isinstance(raw.get("seq"), int)
        or not 0 <= raw["seq"] <= LONGEST_SEQ
        or max(len(raw["epoch"]), len(str(raw["scope"]))) > LONGEST_NAME
    ):
        raise Problem("wrong-server", "the page has no cursor", where="next")
    return Cursor(raw["epoch"], str(raw["scope"]), raw["seq"])


def _change(raw: Any) -> Change | Doc | None:
    """The change, or why it cannot be read, or None for a kind that only a newer version knows."""
    kind, id = (raw.get("kind"), raw.get("id")) if isinstance(raw, dict) else (None, None)
    if not isinstance(kind, str) or not isinstance(id, str) or not id:
        return {"kind": str(kind), "id": str(id), "problem": "a change has a kind and an id"}
    if kind not in KINDS:
        return None
    doc = raw.get("doc")
    if doc is None:
        return Change(kind, id, None)
    try:
        if KINDS[kind].from_wire(doc).id != id:
            raise Problem("wire-malformed", "the document bears another id than its change")
        if kind == PackFiles.KIND and fingerprint(encode(doc["files"])) != doc["sha256"]:
            raise Problem("wire-malformed", "the texts of the ordinance are not those that their hash names")
    except Problem as problem:
        return {"kind": kind, "id": id, "problem": str(problem)}
    return Change(kind, id, doc)


def read_page(data: dict[str, Any], asked: Cursor) -> Page:
    """The page of changes in ``data``. Raises Problem "wrong-server" when it is none.

    A document that cannot be read stands by itself in ``unread``: such a page is asked for again, and only when it
    keeps coming so, is that document set aside and the rest taken; a page of another epoch or scope that does not say
    that it restarts, or one that goes backwards, is not applied at all.
    """
    items, more, restart = data.get("items"), data.get("more"), data.get("restart", False)
    if not isinstance(items, list) or not isinstance(more, bool) or not isinstance(restart, bool):
        raise Problem("wrong-server", "this is not a page of changes", where="items")
    cursor = _cursor(data.get("next"))
    same = cursor.epoch == asked.epoch and cursor.scope == asked.scope
    if not restart and asked != Cursor() and (not same or cursor.seq < asked.seq):
        return Page(None, True)
    read = [_change(item) for item in items]
    changes = tuple(change for change in read if isinstance(change, Change))
    unread = tuple(change for change in read if isinstance(change, dict))
    progress = cursor != asked or bool(items)
    return Page(Pulled(changes, cursor, unread), more and progress)
