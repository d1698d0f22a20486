"""The way out when no network helps: everything signed here into one file, and the office's receipts back from one.

The file is made piece by piece and never held in memory. It changes nothing on the tablet: only receipts, which come by
the network or in the office's own file, turn anything green.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, Any

from field_app.photos.pieces import pieces
from field_app.work.views import ExportView, ReceiptsTakenView
from sync.client.marks import FileHeld, Mark, Receipted
from sync.client.rows import SAFE, FactRow, FileRow
from sync.records import exports
from sync.records.archive import Archive
from sync.records.problems import Problem
from sync.records.receipts import open_evidence_receipt, open_receipt

if TYPE_CHECKING:
    from field_app.work.desk import Desk

EXPORTED = "exported"


def chosen(desk: Desk, everything: bool) -> tuple[list[FactRow], list[FileRow]]:
    """The records for the file, in the order of signing, and the evidence that they name. Without `everything` only
    what is not safe, and of its evidence what the server does not hold yet."""
    view = desk.outbox.view()
    facts = [row for row in view.facts if everything or row.state != SAFE]
    named = {sha for row in facts for sha in row.evidence}
    return facts, [row for row in view.files if row.sha256 in named]


def size_of(desk: Desk, everything: bool) -> tuple[int, int, int]:
    """How many records and files the file would hold, and its size in bytes, about."""
    facts, files = chosen(desk, everything)
    files = [row for row in files if everything or not row.held]
    return len(facts), len(files), sum(row.size for row in facts) + sum(row.size for row in files)


async def export(desk: Desk, everything: bool) -> ExportView | None:
    """Makes the file and gives it to the person; None when that was cancelled. Raises Problem "not-enrolled",
    "store-full"."""
    tablet = desk.tablet()
    if desk.exporting is not None:
        raise Problem("store-busy", "the file is being made already")
    now = desk.now()
    name = f"siltwatch-{tablet['tablet_code']}-{now:%Y-%m-%d-%H%M}.zip"
    facts, files = chosen(desk, everything)
    out = await desk.hardware.outgoing(name, exports.MEDIA)
    writer = _Writer(out, Archive(now))
    try:
        _progress(desk, 0, len(facts) + len(files))
        await writer.put(exports.READ_ME, read_me(desk).encode())
        listed = [await _put_fact(writer, row) for row in facts]
        shown: list[exports.ExportedFile] = []
        for done, row in enumerate(files):
            _progress(desk, len(facts) + done, len(facts) + len(files))
            shown.append(await _put_file(desk, writer, row, everything))
        manifest = exports.Manifest(tablet["city"], tablet["tablet_id"], tablet["tablet_code"], desk.wall(),
                                    tuple(listed), tuple(shown)).to_bytes()
        await writer.put(exports.MANIFEST, manifest)
        await writer.put(exports.SEAL, exports.seal(manifest, bytes.fromhex(tablet["receipt_key"])))
        await out.write(writer.archive.end())
        saved = await out.save()
    finally:
        desk.exporting = None
        await out.drop()
        desk.changed()
    if not saved:
        return None
    unread = sum(1 for row, one in zip(files, shown, strict=True) if not one.here and not row.held)
    async with desk.store.change() as tx:
        tx.put("meta", EXPORTED, {"at": desk.wall(), "name": name, "facts": len(facts), "unread": unread})
    return ExportView(name, len(facts), sum(one.here for one in shown), unread, writer.archive.size)


def _progress(desk: Desk, done: int, total: int) -> None:
    desk.exporting = (done, total)
    desk.changed()


class _Writer:
    """Puts entries into the file that is being made."""

    def __init__(self, out: Any, archive: Archive) -> None:
        self.out, self.archive = out, archive

    async def put(self, name: str, data: bytes) -> None:
        """An entry that is in memory anyway."""
        await self.out.write(self.archive.begin(name, len(data), zlib.crc32(data)))
        await self.out.write(data)


async def _put_fact(writer: _Writer, row: FactRow) -> exports.ExportedFact:
    data, name = row.text.encode(), exports.fact_name(row.counter, row.id)
    await writer.put(name, data)
    return exports.ExportedFact(row.id, name, row.sha256, len(data), row.mac, row.credential)


async def _put_file(desk: Desk, writer: _Writer, row: FileRow, everything: bool) -> exports.ExportedFile:
    """Read twice: first to know its checksums, which stand before it, then as it lies. One that cannot be read any
    more, or is not what it was, is listed as not in the file; it must not spoil the others."""
    absent = exports.ExportedFile(row.sha256, row.kind, row.size, False)
    if row.held and not everything:
        return absent
    crc, size, digest = 0, 0, hashlib.sha256()
    try:
        async for piece in pieces(await desk.box.upload_body(row.sha256)):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            digest.update(piece)
    except (Problem, OSError):
        return absent
    if digest.hexdigest() != row.sha256:
        return absent
    await writer.out.write(writer.archive.begin(exports.file_name(row.sha256), size, crc))
    body = await desk.box.upload_body(row.sha256)
    await (writer.out.write(body) if isinstance(body, bytes) else writer.out.add(body))
    return exports.ExportedFile(row.sha256, row.kind, size, True)


def read_me(desk: Desk) -> str:
    """What somebody reads who finds the file."""
    _ = desk.words
    tablet = desk.tablet()
    return "\n".join((
        "Siltwatch",
        _("Signed records and evidence of tablet {tablet}, {city}, saved on {date}.").format(
            tablet=tablet["tablet_code"], city=tablet["city_name"], date=desk.moment_words(desk.now())),
        _("Give this file to the office unchanged. The office takes it in on its page “Tablets”."),
        _("It is not encrypted: keep it as you keep the tablet."), "",
    ))  # fmt: skip


# --- the office's receipts, back as a file ---


async def take_receipts(desk: Desk, data: bytes) -> ReceiptsTakenView:
    """Takes in the office's file of receipts. Each counts as if it had come by the network, and none that does not open
    under this tablet's key. Raises Problem "receipts-malformed", "receipts-other-tablet", "receipts-other-epoch"."""
    tablet, view = desk.tablet(), desk.outbox.view()
    file = exports.read_receipts_file(data)
    if (file.city, file.tablet_id) != (tablet["city"], tablet["tablet_id"]):
        raise Problem("receipts-other-tablet")
    if file.epoch != view.epoch:
        # An older or a newer life of the server: which, only the server can say. Nothing turns green on a guess.
        raise Problem("receipts-other-epoch")
    key, epoch = bytes.fromhex(tablet["receipt_key"]), view.epoch
    facts, files = {row.id: row for row in view.facts}, {row.sha256: row for row in view.files}
    marks: list[Mark] = []
    for sealed in file.files:
        try:
            held = open_evidence_receipt(sealed, key)
        except Problem:
            continue
        row = files.get(held.sha256)
        if row is not None and not row.held and held.epoch == epoch:
            marks.append(FileHeld(held, {"text": sealed["text"], "mac": sealed["mac"]}))
    taken = 0
    for sealed in file.facts:
        try:
            receipt = open_receipt(sealed, key)
        except Problem:
            continue
        fact = facts.get(receipt.fact)
        if fact is not None and not fact.whole and fact.sha256 == receipt.sha256 and receipt.epoch == epoch:
            marks.append(Receipted(receipt, {"text": sealed["text"], "mac": sealed["mac"]}))
            taken += 1
    if marks:
        await desk.outbox.mark(marks)
    return ReceiptsTakenView(taken, len(marks) - taken, len(file.facts) + len(file.files) - len(marks))
