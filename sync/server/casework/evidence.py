"""Evidence files come in under their hash and are looked at before they count; nothing is kept of what is refused.

A file may come before the fact that names it. Knowing a hash grants no read: a tablet reads what an applied fact of
the tablet that sent it names, or what it sent itself; the office reads what any stored fact names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from sync.records.evidence_files import MAX_PREVIEW_BYTES, PREVIEW, Seen, check_file, fits
from sync.records.facts import EVIDENCE_KINDS
from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.records.receipts import EvidenceReceipt, seal
from sync.server.blobs import Incoming
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.casework.pictures import look_at
from sync.server.casework.previews import check_of, held_preview, note_preview
from sync.server.casework.scope import sees_fact
from sync.server.casework.senders import sent_by
from sync.server.db.engine import Tx, find, insert_if_absent
from sync.server.db.files import also_sent
from sync.server.db.memory import gentle
from sync.server.db.pulling import plan_files, thumbnails
from sync.server.db.schema import evidence, fact_evidence, facts, strays

SLAB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Held:
    """An evidence file that the server holds; ``size`` in bytes, width and height in pixels (pictures only)."""

    sha256: str
    size: int
    kind: str
    media: str
    width: int | None
    height: int | None


def most_bytes(city: City, kind: str) -> int:
    """How large a file of this kind may be."""
    return min(MAX_PREVIEW_BYTES, city.evidence_bytes) if kind == PREVIEW else city.evidence_bytes


def check_announced(city: City, sha256: str, kind: str, length: int | None, of: str = "") -> None:
    """Before a byte is read; ``of``: the original of a preview.

    Raises Problem "evidence-hash-malformed", "body-malformed", "evidence-too-large".
    """
    if not is_fingerprint(sha256):
        raise Problem("evidence-hash-malformed", "write 64 lower-case hex digits", where="sha256")
    if kind == PREVIEW:
        check_of(sha256, of)
    elif kind not in EVIDENCE_KINDS:
        raise Problem("body-malformed", f"the kind is one of {', '.join((*EVIDENCE_KINDS, PREVIEW))}", where="kind")
    if length is not None and length > most_bytes(city, kind):
        raise Problem("evidence-too-large", f"{length} bytes; at most {most_bytes(city, kind)} are taken")


class Coming:
    """A file that comes in pieces; its bytes are kept in memory up to a slab, so a photo goes to the disk at once."""

    heavy = light = True

    def __init__(self, city: City, tablet: Tablet, sha256: str, kind: str, announced: int | None,
                 of: str = "") -> None:
        self._city, self._tablet, self._sha256, self._kind, self._of = city, tablet, sha256, kind, of
        self._announced = announced
        self._pieces: list[bytes] = []
        self._waiting = self.size = 0
        self._incoming: Incoming | None = None
        self._seen: Seen | None = None

    @property
    def begun(self) -> bool:
        """Whether something of it is on the disk, to be dropped in the end."""
        return self._incoming is not None

    def add(self, piece: bytes | bytearray | memoryview) -> bool:
        """Adds bytes, which stay as they are until it is done, and says whether it is time to ``write``. Raises Problem
        "evidence-too-large" as soon as it is."""
        self.size += len(piece)
        if self.size > most_bytes(self._city, self._kind):
            raise Problem("evidence-too-large", f"more than {most_bytes(self._city, self._kind)} bytes")
        self._pieces.append(piece)
        self._waiting += len(piece)
        return self._waiting >= SLAB

    def write(self) -> None:
        """Puts on the disk what came so far. Raises OSError (disk full)."""
        if self._incoming is None:
            self._incoming = self._city.blobs.coming(self._sha256)
        data, self._pieces, self._waiting = _joined(self._pieces), [], 0
        self._incoming.write(data)

    def before(self) -> Callable[[Tx], tuple[EvidenceReceipt, bool]]:
        """The whole file is here: makes it durable; what is left to be done is an act in the database."""
        if self._announced is not None and self.size != self._announced:
            raise Problem("evidence-hash-mismatch", f"{self.size} of {self._announced} bytes arrived")
        if self._seen is not None:
            return _noting(self._city, self._tablet, self._sha256, self._kind, self._of, self.size, self._seen)
        data = None
        if not self.begun:
            data = _joined(self._pieces)
            self._pieces = [data]
        self.write()
        incoming, self._incoming = self._incoming, None  # which is kept, or dropped
        return keep_file(self._city, self._tablet, self._sha256, self._kind, incoming, self._of, data)

    def is_kept(self, seen: Seen) -> None:
        """Somebody else has made it durable under its hash, and says what it is: `Apart`."""
        self._seen, self.heavy, self._pieces = seen, False, []

    def after(self, told: tuple[EvidenceReceipt, bool]) -> dict[str, Any]:
        """The answer, once that act is durable."""
        return _sealed(self._tablet, *told)

    def drop(self) -> None:
        """Forgets what is on the disk and not held."""
        if self._incoming is not None:
            self._incoming.drop()
            self._incoming = None


def _joined(pieces: list[bytes]) -> bytes:
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def hold_evidence(city: City, tablet: Tablet, sha256: str, kind: str, incoming: Incoming,
                  of: str = "") -> dict[str, Any]:
    """Keeps a file that is completely written and gives its sealed receipt; drops it when it is refused.

    The same file twice gives the same receipt, with ``already_held`` beside it. Raises Problem
    "evidence-hash-mismatch" and what `check_file` raises.
    """
    return _sealed(tablet, *city.db.write(keep_file(city, tablet, sha256, kind, incoming, of)))


def _sealed(tablet: Tablet, receipt: EvidenceReceipt, before: bool) -> dict[str, Any]:
    sealed = seal(receipt, tablet.receipt_key)
    return {**sealed, "already_held": True} if before else sealed


def keep_file(city: City, tablet: Tablet, sha256: str, kind: str, incoming: Incoming, of: str = "",
              data: bytes | None = None) -> Callable[[Tx], tuple[EvidenceReceipt, bool]]:
    """The first half of ``hold_evidence``: the file is looked at and made durable. The act that is given back notes it
    in the database, and gives its receipt and whether it was here before. ``data``: the bytes of the file, where they
    are all in memory."""
    try:
        check_announced(city, sha256, kind, incoming.size, of)
        if incoming.size == 0:
            raise Problem("evidence-empty")
        if incoming.digest() != sha256:
            raise Problem("evidence-hash-mismatch", f"the bytes have the fingerprint {incoming.digest()}")
        # The media type is what the bytes are, never what was announced: it is served to browsers later.
        if data is not None:
            # What is no JPEG may be looked for in it, and a view cannot be searched.
            seen = check_file(kind, data if data[:2] == b"\xff\xd8" else bytes(data))
        else:
            with incoming.open() as file:
                seen = look_at(kind, file)
        incoming.keep()  # durable before the database says that we have it
        size = incoming.size
    finally:
        incoming.drop()
    return _noting(city, tablet, sha256, kind, of, size, seen)


def _noting(city: City, tablet: Tablet, sha256: str, kind: str, of: str, size: int,
            seen: Seen) -> Callable[[Tx], tuple[EvidenceReceipt, bool]]:
    """The act that notes a file, which is durable, in the database."""

    @gentle
    def work(tx: Tx) -> tuple[EvidenceReceipt, bool]:
        if not city.blobs.has(sha256):  # just cleared away as unclaimed: it must come again
            raise Problem("server-busy", "the file was being cleared away")
        if kind == PREVIEW:
            return note_preview(tx, city, tablet, sha256, of, size), False
        now = city.now()
        if insert_if_absent(tx, evidence, {
            "city_id": city.id, "sha256": sha256, "size": size, "kind": kind, "media": seen.media,
            "width": seen.width, "height": seen.height, "tablet": tablet.id, "received_at": now,
        }):
            return EvidenceReceipt(sha256, size, city.epoch_in(tx), now.isoformat(timespec="milliseconds")), False
        _note_sender(tx, city, tablet, sha256)
        return _receipt(tx, city, sha256), True

    return work


def _note_sender(tx: Tx, city: City, tablet: Tablet, sha256: str) -> None:
    """Another tablet than the first is told that the file is held: from now on it counts on that, too."""
    if find(tx, evidence, city_id=city.id, sha256=sha256).tablet != tablet.id:
        insert_if_absent(tx, also_sent, {"city_id": city.id, "sha256": sha256, "tablet": tablet.id, "at": city.now()})


def hold_bytes(city: City, tablet: Tablet, sha256: str, kind: str, data: bytes, of: str = "") -> dict[str, str]:
    """As ``hold_evidence``, for bytes already in memory."""
    check_announced(city, sha256, kind, len(data), of)
    incoming = city.blobs.incoming()
    try:
        incoming.write(data)
    except BaseException:
        incoming.drop()
        raise
    return hold_evidence(city, tablet, sha256, kind, incoming, of)


def already_held(city: City, tablet: Tablet, sha256: str, kind: str | None = None) -> dict[str, str] | None:
    """The receipt of a file that this very tablet handed over before, None when it must send it. ``kind``: as what
    it is offered now, None when that is not known; what came as a file of another kind is looked at anew, and a preview
    is never taken for evidence.

    Only for a tablet that sent it: to others, an answer would tell that the file is here.
    """
    with city.db.read() as tx:
        found = None
        if kind != PREVIEW and _sent_by(tx, city, tablet, sha256):
            row = find(tx, evidence, city_id=city.id, sha256=sha256)
            found = _receipt(tx, city, sha256) if kind is None or fits(kind, row.media) else None
        elif kind in (PREVIEW, None):
            found = held_preview(tx, city, tablet, sha256)
        whole = found is not None and on_disk(city, sha256, found.size)
        return seal(found, tablet.receipt_key) if found is not None and whole else None


def on_disk(city: City, sha256: str, size: int) -> bool:
    """Whether the file lies there, as long as it was: a restored folder may lack it, or have its beginning alone."""
    try:
        return city.blobs.size(sha256) == size
    except KeyError:
        return False


def _sent_by(tx: Tx, city: City, tablet: Tablet, sha256: str) -> bool:
    """Whether this tablet was told that the file is held."""
    first = tx.execute(select(evidence.c.tablet).where(
        evidence.c.city_id == city.id, evidence.c.sha256 == sha256)).scalar_one_or_none()
    return first is not None and (first == tablet.id or tx.execute(select(also_sent.c.at).where(
        also_sent.c.city_id == city.id, also_sent.c.sha256 == sha256, also_sent.c.tablet == tablet.id)).first()
        is not None)


def _receipt(tx: Tx, city: City, sha256: str) -> EvidenceReceipt:
    row = find(tx, evidence, city_id=city.id, sha256=sha256)
    return EvidenceReceipt(sha256, row.size, city.epoch_in(tx), row.received_at.isoformat(timespec="milliseconds"))


def evidence_for_tablet(city: City, tablet: Tablet, sha256: str) -> Held:
    """A file that the tablet may read. Raises Problem "evidence-unknown" for any other, held or not."""
    if tablet.status != "active":
        raise Problem("tablet-revoked")
    with city.db.read() as tx:
        row = _row(tx, city, sha256)
        named = row is not None and any(
            sent_by(tx, city, sha256, row.tablet, (one.pushed_by,)) and sees_fact(tx, city, tablet.id, one.text)
            for one in tx.execute(
                select(facts.c.text, facts.c.pushed_by)
                .join(fact_evidence,
                      (fact_evidence.c.city_id == facts.c.city_id) & (fact_evidence.c.fact == facts.c.id))
                .where(facts.c.city_id == city.id, fact_evidence.c.sha256 == sha256, facts.c.state == "applied")))
        sent = row is not None and (named or _sent_by(tx, city, tablet, sha256))
    if row is None or not sent:
        raise Problem("evidence-unknown", where=sha256[:64])
    return _held(row)


def evidence_for_office(city: City, sha256: str) -> Held:
    """A file that some stored fact names, for a person signed in at the office. Raises Problem "evidence-unknown"."""
    with city.db.read() as tx:
        row = _row(tx, city, sha256)
        named = row is not None and tx.execute(
            select(fact_evidence.c.fact).where(fact_evidence.c.city_id == city.id, fact_evidence.c.sha256 == sha256)
        ).first() is not None
        if row is not None and not named:
            named = tx.execute(select(strays.c.fact).where(
                strays.c.city_id == city.id, strays.c.text.contains(sha256, autoescape=True))).first() is not None
    if row is None or not named:
        raise Problem("evidence-unknown", where=sha256[:64])
    return _held(row)


def _row(tx: Tx, city: City, sha256: str) -> Any | None:
    return tx.execute(select(evidence).where(evidence.c.city_id == city.id, evidence.c.sha256 == sha256)).first()


def _held(row: Any) -> Held:
    return Held(row.sha256, row.size, row.kind, row.media, row.width, row.height)


def held_files(city: City, files: Iterable[str]) -> dict[str, Held]:
    """Those of ``files`` that the server holds, by SHA-256."""
    wanted = sorted(set(files))
    with city.db.read() as tx:
        rows = tx.execute(select(evidence).where(
            evidence.c.city_id == city.id, evidence.c.sha256.in_(wanted))) if wanted else ()
        return {row.sha256: _held(row) for row in rows}


def missing_evidence(city: City) -> Iterator[str]:
    """Files that the database says we hold and the disk does not have, or not whole; empty on a sound server."""
    with city.db.read() as tx:
        sizes = dict(tx.execute(select(evidence.c.sha256, evidence.c.size).where(
            evidence.c.city_id == city.id)).tuples().all())
        for sha256 in kept_files(tx, city):
            if not (on_disk(city, sha256, sizes[sha256]) if sha256 in sizes else city.blobs.has(sha256)):
                yield sha256


def kept_files(tx: Tx, city: City) -> Iterator[str]:
    """Every file that the database says is on the disk, once: evidence, plans, and small pictures of findings."""
    told: set[str] = set()
    for column in (evidence.c.sha256, plan_files.c.sha256, thumbnails.c.sha256):
        for sha256 in tx.execute(select(column).where(
                column.table.c.city_id == city.id, column.is_not(None)).order_by(column)).scalars():
            if sha256 not in told:
                told.add(sha256)
                yield sha256
