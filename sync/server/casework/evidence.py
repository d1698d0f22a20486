"""Evidence files come in under their hash and are looked at before they count; nothing is kept of what is refused.

A file may come before the fact that names it. Knowing a hash grants no read: a tablet reads what an applied fact
names, or what it sent itself; the office reads what any stored fact names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from sync.records.facts import EVIDENCE_KINDS
from sync.records.macs import is_fingerprint
from sync.records.problems import Problem
from sync.records.protocol import MAX_EVIDENCE_BYTES
from sync.records.receipts import EvidenceReceipt, seal
from sync.server.blobs import Incoming
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet
from sync.server.casework.pictures import look_at
from sync.server.db.engine import Tx, insert_if_absent
from sync.server.db.schema import evidence, fact_evidence, facts, strays

SLAB = 1024 * 1024
_ROW = select(evidence).where(evidence.c.city_id == bindparam("city"), evidence.c.sha256 == bindparam("sha"))


@dataclass(frozen=True, slots=True)
class Held:
    """An evidence file that the server holds; ``size`` in bytes, width and height in pixels (pictures only)."""

    sha256: str
    size: int
    kind: str
    media: str
    width: int | None
    height: int | None


def check_announced(sha256: str, kind: str, length: int | None) -> None:
    """Before a byte is read. Raises Problem "evidence-hash-malformed", "body-malformed", "evidence-too-large"."""
    if not is_fingerprint(sha256):
        raise Problem("evidence-hash-malformed", "write 64 lower-case hex digits", where="sha256")
    if kind not in EVIDENCE_KINDS:
        raise Problem("body-malformed", f"the kind is one of {', '.join(EVIDENCE_KINDS)}", where="kind")
    if length is not None and length > MAX_EVIDENCE_BYTES:
        raise Problem("evidence-too-large", f"{length} bytes; at most {MAX_EVIDENCE_BYTES} are taken")


class Coming:
    """A file that comes in pieces; its bytes are kept in memory up to a slab, so a photo goes to the disk at once."""

    def __init__(self, city: City, tablet: Tablet, sha256: str, kind: str, announced: int | None) -> None:
        self._city, self._tablet, self._sha256, self._kind, self._announced = city, tablet, sha256, kind, announced
        self._pieces: list[bytes] = []
        self._waiting = self.size = 0
        self._incoming: Incoming | None = None

    @property
    def begun(self) -> bool:
        """Whether something of it is on the disk, to be dropped in the end."""
        return self._incoming is not None

    def add(self, piece: bytes) -> bool:
        """Adds bytes and says whether it is time to ``write``. Raises Problem "evidence-too-large" as soon as it is."""
        self.size += len(piece)
        if self.size > MAX_EVIDENCE_BYTES:
            raise Problem("evidence-too-large", f"more than {MAX_EVIDENCE_BYTES} bytes")
        self._pieces.append(piece)
        self._waiting += len(piece)
        return self._waiting >= SLAB

    def write(self) -> None:
        """Puts on the disk what came so far. Raises OSError (disk full)."""
        if self._incoming is None:
            self._incoming = self._city.blobs.incoming()
        data, self._pieces, self._waiting = b"".join(self._pieces), [], 0
        self._incoming.write(data)

    def hold(self) -> dict[str, str]:
        """The whole file is here: as ``hold_evidence``."""
        if self._announced is not None and self.size != self._announced:
            raise Problem("evidence-hash-mismatch", f"{self.size} of {self._announced} bytes arrived")
        self.write()
        incoming, self._incoming = self._incoming, None  # which holds it, or drops it
        return hold_evidence(self._city, self._tablet, self._sha256, self._kind, incoming)

    def drop(self) -> None:
        """Forgets what is on the disk and not held."""
        if self._incoming is not None:
            self._incoming.drop()
            self._incoming = None


def hold_evidence(city: City, tablet: Tablet, sha256: str, kind: str, incoming: Incoming) -> dict[str, str]:
    """Keeps a file that is completely written and gives its sealed receipt; drops it when it is refused.

    The same file twice gives the same receipt. Raises Problem "evidence-hash-mismatch" and what `check_file` raises.
    """
    try:
        check_announced(sha256, kind, incoming.size)
        if incoming.size == 0:
            raise Problem("evidence-empty")
        if incoming.digest() != sha256:
            raise Problem("evidence-hash-mismatch", f"the bytes have the fingerprint {incoming.digest()}")
        with incoming.open() as file:
            # The media type is what the bytes are, never what was announced: it is served to browsers later.
            seen = look_at(kind, file)
        incoming.keep()  # durable before the database says that we have it
        size = incoming.size
    finally:
        incoming.drop()

    def work(tx: Tx) -> EvidenceReceipt:
        now = city.now()
        if insert_if_absent(tx, evidence, {
            "city_id": city.id, "sha256": sha256, "size": size, "kind": kind, "media": seen.media,
            "width": seen.width, "height": seen.height, "tablet": tablet.id, "received_at": now,
        }):
            return EvidenceReceipt(sha256, size, city.row(tx).epoch, now.isoformat(timespec="milliseconds"))
        return _receipt(tx, city, sha256)

    return seal(city.db.write(work), tablet.receipt_key)


def hold_bytes(city: City, tablet: Tablet, sha256: str, kind: str, data: bytes) -> dict[str, str]:
    """As ``hold_evidence``, for bytes already in memory."""
    check_announced(sha256, kind, len(data))
    incoming = city.blobs.incoming()
    try:
        incoming.write(data)
    except BaseException:
        incoming.drop()
        raise
    return hold_evidence(city, tablet, sha256, kind, incoming)


def already_held(city: City, tablet: Tablet, sha256: str) -> dict[str, str] | None:
    """The receipt of a file that this very tablet handed over before, None when it must send it.

    Only for the tablet that sent it: to others, an answer would tell that the file is here.
    """
    with city.db.read() as tx:
        row = tx.execute(select(evidence.c.tablet).where(
            evidence.c.city_id == city.id, evidence.c.sha256 == sha256)).first()
        if row is None or row.tablet != tablet.id:
            return None
        return seal(_receipt(tx, city, sha256), tablet.receipt_key)


def _receipt(tx: Tx, city: City, sha256: str) -> EvidenceReceipt:
    row = tx.execute(_ROW, {"city": city.id, "sha": sha256}).one()
    return EvidenceReceipt(sha256, row.size, city.row(tx).epoch, row.received_at.isoformat(timespec="milliseconds"))


def evidence_for_tablet(city: City, tablet: Tablet, sha256: str) -> Held:
    """A file that the tablet may read. Raises Problem "evidence-unknown" for any other, held or not."""
    if tablet.status != "active":
        raise Problem("tablet-revoked")
    with city.db.read() as tx:
        row = _row(tx, city, sha256)
        named = row is not None and tx.execute(
            select(facts.c.id)
            .join(fact_evidence, (fact_evidence.c.city_id == facts.c.city_id) & (fact_evidence.c.fact == facts.c.id))
            .where(facts.c.city_id == city.id, fact_evidence.c.sha256 == sha256, facts.c.state == "applied")
        ).first() is not None
    if row is None or not (named or row.tablet == tablet.id):
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
    """Files that the database says we hold and the disk does not have; empty on a sound server."""
    with city.db.read() as tx:
        for sha256 in tx.execute(select(evidence.c.sha256).where(evidence.c.city_id == city.id)).scalars():
            if not city.blobs.has(sha256):
                yield sha256
