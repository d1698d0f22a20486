"""Takes in what a tablet saved to a file: by the same checks, with the same receipts, as if the tablet had called.

First the whole file is checked (whole, ours, every byte as listed), and only then the first thing is taken: files under
their hash, then all records in one transaction. Whatever stops it in between, taking it in again ends the same. Who did
it stands in the audit record.
"""

from __future__ import annotations

import errno
import hashlib
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import Any, BinaryIO

from sqlalchemy import select

from sync.records.archive import Entry, content, read
from sync.records.exports import (
    MANIFEST,
    MAX_MANIFEST,
    READ_ME,
    SEAL,
    ExportedFact,
    ExportedFile,
    Manifest,
    ReceiptsFile,
    is_sealed,
    read_manifest,
)
from sync.records.facts import Fact, parse
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.records.protocol import MAX_FACT_BYTES
from sync.records.receipts import open_receipt
from sync.server.casework.audit import record
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet, receipt_key, tablet_by_token
from sync.server.casework.evidence import already_held, held_files, hold_evidence
from sync.server.casework.lives import begin_life_of_copy
from sync.server.casework.people import ADMINISTER, require
from sync.server.casework.receiving import Item, receive_facts
from sync.server.casework.tokens import device_token
from sync.server.db.schema import facts, strays, tablets

KEEPER = "keeper"


@dataclass(frozen=True, slots=True)
class RecordInside:
    """One record of the file. ``fact`` is None when its bytes are no record; ``here``: the server has these bytes."""

    id: str
    fact: Fact | None
    here: bool


@dataclass(frozen=True, slots=True)
class Inside:
    """What a checked file holds. ``files_here`` of its ``files`` the server has; ``files_missing`` are named by its
    records and neither in the file nor here. ``size`` of the whole in bytes."""

    manifest: Manifest
    records: tuple[RecordInside, ...]
    files: int
    files_here: int
    files_missing: int
    size: int


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of it: records by the server's answer (applied, waiting, quarantined, refused), files that are held
    now, files that were refused (SHA-256, code), and the answer to bring back to the tablet."""

    tablet: str
    records: dict[str, int]
    files: int
    refused_files: tuple[tuple[str, str], ...]
    receipts: ReceiptsFile


def look_into(city: City, file: BinaryIO) -> Inside:
    """Checks the whole file and says what is inside; takes nothing.

    Raises Problem "export-malformed", "export-damaged", "export-newer", "export-other-city", "export-forged".
    """
    entries = read(file)
    manifest, _ = _manifest(city, file, entries)
    named = {fact.name for fact in manifest.facts} | {one.name for one in manifest.files if one.here}
    extra = set(entries) - named - {MANIFEST, SEAL, READ_ME}
    if extra:
        raise Problem("export-malformed", "it holds something that its list does not name", where=sorted(extra)[0])
    absent = named - set(entries)
    if absent:
        raise Problem("export-damaged", "something that its list names is not in it", where=sorted(absent)[0])
    inside = []
    with city.db.read() as tx:
        for one in manifest.facts:
            data = _checked(file, entries[one.name], one, keep=True)
            known = tx.execute(select(facts.c.sha256).where(
                facts.c.city_id == city.id, facts.c.id == one.id)).scalar_one_or_none() == one.sha256
            apart = tx.execute(select(strays.c.fact).where(
                strays.c.city_id == city.id, strays.c.fact == one.id, strays.c.sha256 == one.sha256)).first()
            inside.append(RecordInside(one.id, _parsed(data), known or apart is not None))
    for one in manifest.files:
        if one.here:
            _checked(file, entries[one.name], one)
    held = held_files(city, [one.sha256 for one in manifest.files])
    missing = sum(1 for one in manifest.files if not one.here and one.sha256 not in held)
    return Inside(manifest, tuple(inside), len(manifest.files), len(held), missing, file.seek(0, 2))


def take_in(city: City, actor: str, file: BinaryIO) -> Taken:
    """Checks the file as `look_into` does, then takes in all of it. Needs administer (actor "keeper": the machine's
    own command line). Again is the same: nothing is doubled. In a backup that nobody has served yet another life of the
    records begins with it, as it does with serving: an order that is taken in is given a register number.

    Raises what `look_into` raises, "no-authority", "server-full".
    """
    if actor != KEEPER:
        with city.db.read() as tx:
            require(tx, city, actor, ADMINISTER, city.today())
    look_into(city, file)
    begin_life_of_copy(city)
    entries = read(file)
    manifest, sealed = _manifest(city, file, entries)
    tablet = _tablet(city, manifest)
    note = {"made": manifest.at, "manifest": fingerprint(sealed), "facts": len(manifest.facts),
            "files": sum(one.here for one in manifest.files)}
    city.db.write(lambda tx: record(tx, city, actor, "export_begun", f"tablet:{tablet.code}", **note))
    receipts, refused = _take_files(city, tablet, file, entries, manifest)
    items = [Item(b"".join(content(file, entries[one.name])).decode("utf-8", "surrogateescape"), one.mac,
                  one.credential) for one in manifest.facts]
    answers = receive_facts(city, tablet, items)
    counts = Counter("refused" if "refused" in answer else open_receipt(answer, tablet.receipt_key).answer
                     for answer in answers)
    city.db.write(lambda tx: record(
        tx, city, actor, "export_taken_in", f"tablet:{tablet.code}", manifest=note["manifest"], files=len(receipts),
        refused_files=len(refused), **{name: counts[name] for name in sorted(counts)}))
    answer = ReceiptsFile(city.id, tablet.id, city.epoch(), city.now().isoformat(timespec="seconds"),
                          tuple(_sealed(one) for one in answers if "refused" not in one),
                          tuple(_sealed(one) for one in receipts))
    return Taken(tablet.code, dict(counts), len(receipts), tuple(refused), answer)


def _sealed(answer: dict[str, Any]) -> dict[str, str]:
    """The receipt alone, without what a call says beside it."""
    return {"text": answer["text"], "mac": answer["mac"]}


def _manifest(city: City, file: BinaryIO, entries: dict[str, Entry]) -> tuple[Manifest, bytes]:
    """The list of contents, ours and as the tablet wrote it, and its bytes."""
    if MANIFEST not in entries or SEAL not in entries:
        raise Problem("export-malformed", "it has no list of contents of a tablet")
    if entries[MANIFEST].size > MAX_MANIFEST or entries[SEAL].size > 10_000:
        raise Problem("export-malformed", "its list of contents is too long")
    data = _whole(file, entries[MANIFEST])
    manifest = read_manifest(data)
    if manifest.city != city.id:
        raise Problem("export-other-city", f"it comes from a tablet of {manifest.city!r}", where=MANIFEST)
    if not is_sealed(data, _whole(file, entries[SEAL]), receipt_key(city, manifest.tablet_id)):
        raise Problem("export-forged", "its seal is not that of a tablet of this server", where=SEAL)
    return manifest, data


def _whole(file: BinaryIO, entry: Entry) -> bytes:
    data = b"".join(content(file, entry))
    if zlib.crc32(data) != entry.crc:
        raise Problem("export-damaged", f"{entry.name} arrived changed", where=entry.name)
    return data


def _checked(file: BinaryIO, entry: Entry, one: ExportedFact | ExportedFile, *, keep: bool = False) -> bytes:
    """Reads an entry to its end and compares it with the list; its bytes with ``keep``, else empty."""
    if keep and entry.size > MAX_FACT_BYTES:
        raise Problem("export-malformed", "a record is too long to be one", where=entry.name)
    digest, kept = hashlib.sha256(), bytearray()
    for piece in content(file, entry):
        digest.update(piece)
        if keep:
            kept += piece
    if entry.size != one.size or digest.hexdigest() != one.sha256:
        raise Problem("export-damaged", f"{entry.name} is not what the tablet wrote", where=entry.name)
    return bytes(kept)


def _parsed(data: bytes) -> Fact | None:
    try:
        return parse(data)
    except Problem:
        return None


def _tablet(city: City, manifest: Manifest) -> Tablet:
    """The tablet that sealed the file; one that a restored server has forgotten is recognised, as in a call."""
    with city.db.read() as tx:
        code = tx.execute(select(tablets.c.code).where(
            tablets.c.city_id == city.id, tablets.c.id == manifest.tablet_id)).scalar_one_or_none()
    try:
        return tablet_by_token(city, device_token(city, manifest.tablet_id, code or manifest.tablet_code))
    except Problem as problem:
        raise Problem("export-forged", f"its tablet is not known here: {problem.detail}", where=MANIFEST) from problem


def _take_files(city: City, tablet: Tablet, file: BinaryIO, entries: dict[str, Entry],
                manifest: Manifest) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Sealed receipts of the files that are held now, and what was refused with its code."""
    receipts: list[dict[str, Any]] = []
    refused: list[tuple[str, str]] = []
    for one in manifest.files:
        if not one.here:
            continue
        receipt = already_held(city, tablet, one.sha256, one.kind)
        try:
            receipts.append(receipt or _take_file(city, tablet, file, entries[one.name], one))
        except Problem as problem:
            if problem.status >= 500:
                raise
            refused.append((one.sha256, problem.code))
    return receipts, refused


def _take_file(city: City, tablet: Tablet, file: BinaryIO, entry: Entry, one: ExportedFile) -> dict[str, Any]:
    incoming = city.blobs.incoming()
    try:
        try:
            for piece in content(file, entry):
                incoming.write(piece)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise Problem("server-full") from error
            raise
        return hold_evidence(city, tablet, one.sha256, one.kind, incoming)
    finally:
        incoming.drop()
