"""Recovery, appending and compaction over a Disk: what makes an acknowledged change survive anything.

Two journals and two snapshots take turns. Every change has the next sequence number; a snapshot bears the
number of the last change in it, a journal's header the number it goes on from. Changes and what snapshots hold are
sealed under the tablet's key where there is one. A whole frame that does not open is damage, never a torn tail. So the
invariant that recovery checks: the newest whole snapshot, then journal changes without a gap, must reach at least every
number a journal header names. A crash can only break the last frame of a file or leave a snapshot without
its end; both are repaired. Anything else is damage: it is reported, and not one byte is changed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from field_app.store import frames
from field_app.store.ciphers import Cipher, Forged
from field_app.store.disk import JOURNALS, SNAPSHOTS, Disk, DiskFull
from field_app.store.problems import StoreDamaged

COMPACT_AT = 1024 * 1024
"""A journal shorter than this many bytes is never compacted."""
COMPACT_SHARE = 2
"""Above that, compaction begins when the journal has reached 1/COMPACT_SHARE of the snapshot's size."""
PART_BYTES = 128 * 1024
"""A snapshot is written in pieces of about this many bytes, and other work runs between two pieces."""
OPENED_AT_ONCE = 64
"""So many sealed frames are opened beside each other."""
_HEADER_BYTES = frames.HEADER.size + len(frames.dumps({"store": "0" * 16}))

Document = Callable[[dict, str], dict]
Tables = dict[str, dict[str, dict]]


@dataclass(frozen=True, slots=True)
class Repair:
    """A torn tail that was cut off on opening: which file, at which byte, and where the tail was kept."""

    file: str
    at: int
    size: int
    kept_as: str


@dataclass(slots=True)
class _JournalFile:
    """One of the two journals: its length in bytes, the number it goes on from and its last number."""

    name: str
    size: int = 0
    base: int = 0
    last: int = 0


class Journal:
    """The files of one store, on an open disk. ``recover`` gives the tables; ``append`` makes one change durable.

    ``seal_with`` says under which key id and cipher what is written is sealed, and sealed frames are opened."""

    def __init__(self, disk: Disk, *, store_id: Callable[[], str]):
        self._disk = disk
        self._key_id, self._cipher = frames.CLEAR, None
        self._new_id = store_id
        self._files = {name: _JournalFile(name) for name in JOURNALS}
        self._current = self._files[JOURNALS[0]]
        self._slot: str | None = None
        self._snapshot_seq = 0
        self._busy = False
        self.store_id = ""
        self.seq = 0
        self.pending_bytes = 0
        self.snapshot_bytes = 0
        self.repairs: list[Repair] = []
        self.clear_found = False
        """Whether recovery met changes or snapshots that are not sealed, though there is a key."""

    def seal_with(self, key_id: int, cipher: Cipher) -> None:
        """From now on everything is sealed under this key."""
        self._key_id, self._cipher = key_id, cipher

    # --- opening ---

    async def recover(self, document: Document) -> Tables:
        """Reads and repairs; ``document`` builds what a table holds from a dict and its id.

        Raises StoreDamaged, StoreNewer.
        """
        data = {name: self._disk.read(name) for name in JOURNALS + SNAPSHOTS}
        scans = {name: frames.scan(data[name], where=self._at(name)) for name in JOURNALS}
        if not any(scan.frames for scan in scans.values()) and not any(data[name] for name in SNAPSHOTS):
            if all(_only_begun(data[name]) for name in JOURNALS):
                self._begin_new(data)
                return {}
        for name, scan in scans.items():
            self._note_journal(name, scan)
        tables = await self._load_snapshot(data, document)
        reached = await self._replay(scans, tables, document)
        self._check_whole(reached)
        await self._tidy(scans, data)
        return tables

    def _begin_new(self, data: Mapping[str, bytes]) -> None:
        self.store_id = self._new_id()
        for name in JOURNALS:
            if data[name]:
                self._disk.cut(name, 0)
        self._start(self._files[JOURNALS[0]])

    def _note_journal(self, name: str, scan: frames.Scan) -> None:
        file = self._files[name]
        file.size = scan.good
        if not scan.frames:
            return
        head = scan.frames[0]
        if head.kind != frames.JOURNAL:
            raise StoreDamaged("the journal does not begin with its header", where=self._at(name))
        self._belongs(head.value()["store"], name)
        file.base = file.last = head.seq
        for frame in scan.frames[1:]:
            if frame.kind != frames.CHANGE or frame.seq != file.last + 1:
                raise StoreDamaged(f"record {frame.seq} stands where {file.last + 1} belongs", where=self._at(name))
            file.last = frame.seq

    def _belongs(self, store_id: str, name: str) -> None:
        if self.store_id and store_id != self.store_id:
            raise StoreDamaged("the files of two stores are mixed", where=self._at(name))
        self.store_id = store_id

    async def _load_snapshot(self, data: Mapping[str, bytes], document: Document) -> Tables:
        begun = []
        for name in SNAPSHOTS:
            first = frames.unpack(data[name], 0, where=self._at(name)) if data[name] else None
            if first and first[0].kind == frames.SNAPSHOT:
                begun.append((first[0].seq, name))
        for seq, name in sorted(begun, reverse=True):
            tables = await self._read_snapshot(data[name], seq, document, where=self._at(name))
            if tables is not None:
                head, _ = frames.unpack(data[name], 0, where=name)  # type: ignore[misc]
                self._belongs(head.value()["store"], name)
                self._slot, self._snapshot_seq, self.snapshot_bytes = name, seq, len(data[name])
                return tables
        return {}

    async def _replay(self, scans: Mapping[str, frames.Scan], tables: Tables, document: Document) -> int:
        """Applies every change after the snapshot; gives the last number reached."""
        changes = [f for scan in scans.values() for f in scan.frames if f.kind == frames.CHANGE]
        changes = [f for f in changes if f.seq > self._snapshot_seq]
        changes.sort(key=lambda f: f.seq)
        for expected, frame in enumerate(changes, self._snapshot_seq + 1):
            if frame.seq != expected:
                raise StoreDamaged(f"record {expected} is missing, {frame.seq} is there", where=self._disk.where)
            self.pending_bytes += frames.HEADER.size + len(frame.payload)
        for first in range(0, len(changes), OPENED_AT_ONCE):
            for payload in await self._opened(changes[first : first + OPENED_AT_ONCE], self._disk.where):
                for table, name, doc in json.loads(payload):
                    if doc is None:
                        tables.get(table, {}).pop(name, None)
                    else:
                        tables.setdefault(table, {})[name] = document(doc, name)
        return self._snapshot_seq + len(changes)

    async def _opened(self, some: Sequence[frames.Frame], where: str) -> list[bytes]:
        """The payloads of whole frames. Raises StoreDamaged for one that does not open: it is not torn, so it is not
        ours to cut off."""
        sealed = [frame for frame in some if frame.key_id != frames.CLEAR]
        if self._cipher is not None and len(sealed) < len(some):
            self.clear_found = True
        if not sealed:
            return [frame.payload for frame in some]
        if self._cipher is None or any(frame.key_id != self._key_id for frame in sealed):
            raise StoreDamaged("records are encrypted under a key that is not here", where=where)
        try:
            rows = [(frame.payload, frames.about(frame.kind, frame.seq, frame.key_id)) for frame in sealed]
            opened = iter(await self._cipher.open_all(rows))
        except Forged:
            numbers = f"{sealed[0].seq} to {sealed[-1].seq}"
            raise StoreDamaged(f"records {numbers} do not open under the tablet's key", where=where) from None
        return [frame.payload if frame.key_id == frames.CLEAR else next(opened) for frame in some]

    async def _read_snapshot(self, data: bytes, seq: int, document: Document, *, where: str) -> Tables | None:
        """The tables of a whole snapshot; None when its end is missing or does not fit (writing was cut off)."""
        found, at = [], 0
        while one := frames.unpack(data, at, where=where):
            frame, at = one
            if frame.seq != seq:
                return None
            found.append(frame)
        if len(found) < 2 or found[-1].kind != frames.END or at != len(data):
            return None
        (end,) = await self._opened(found[-1:], where)
        tables: Tables = {}
        held, docs = found[1:-1], 0
        for first in range(0, len(held), OPENED_AT_ONCE):
            for payload in await self._opened(held[first : first + OPENED_AT_ONCE], where):
                name, rows = json.loads(payload)
                table = tables.setdefault(name, {})
                for key, doc in rows.items():
                    table[key] = document(doc, key)
                docs += len(rows)
        return tables if json.loads(end) == {"parts": len(held), "documents": docs} else None

    def _check_whole(self, reached: int) -> None:
        headed = [file for file in self._files.values() if file.size]
        if not headed:
            raise StoreDamaged("the journal is missing or unreadable", where=self._disk.where)
        if (named := max(file.base for file in headed)) > reached:
            raise StoreDamaged(f"records up to {named} were saved, only {reached} can be read", where=self._disk.where)
        self.seq = reached
        self._current = max(headed, key=lambda file: (file.base, file.last))

    async def _tidy(self, scans: Mapping[str, frames.Scan], data: Mapping[str, bytes]) -> None:
        """Everything that counts has been read. Only now files are touched: torn tails go aside, leftovers go."""
        for name, scan in scans.items():
            if scan.torn:
                try:
                    kept = await self._disk.keep_aside(name, data[name][scan.good :])
                except DiskFull:
                    kept = ""
                self._disk.cut(name, scan.good)
                self.repairs.append(Repair(name, scan.good, scan.size - scan.good, kept))
        for name in SNAPSHOTS:
            if data[name] and name != self._slot:
                self._disk.cut(name, 0)
        self._clear_spent(self._snapshot_seq)

    # --- writing ---

    async def append(self, payload: bytes) -> int:
        """One change as one frame, on the medium when this returns; gives its number. One at a time.

        Raises DiskFull (the journal is as before) and DiskBroken.
        """
        frame = await self._framed(frames.CHANGE, self.seq + 1, payload)
        # From here on nothing waits: a compaction that goes on beside us may have changed the file before, not now.
        file = self._current
        self._disk.append(file.name, file.size, frame)
        file.size += len(frame)
        self.seq += 1
        file.last = self.seq
        self.pending_bytes += len(frame)
        return self.seq

    async def _framed(self, kind: int, seq: int, payload: bytes) -> bytes:
        if self._cipher is None:
            return frames.pack(kind, seq, payload)
        if len(payload) > frames.MAX_PAYLOAD - 1024:
            raise ValueError(f"a frame holds at most {frames.MAX_PAYLOAD} bytes, not {len(payload)}")
        sealed = await self._cipher.seal(payload, frames.about(kind, seq, self._key_id))
        return frames.pack(kind, seq, sealed, self._key_id)

    @property
    def compaction_due(self) -> bool:
        return not self._busy and self.pending_bytes >= self.compact_at

    @property
    def compact_at(self) -> int:
        """The journal length in bytes at which compaction begins."""
        return max(COMPACT_AT, self.snapshot_bytes // COMPACT_SHARE)

    async def compact(self, tables: Mapping[str, Mapping[str, dict]], *, anew: bool = False) -> None:
        """Writes a snapshot of ``tables``, the state right now, and drops the journal it replaces.

        ``tables`` must not change under us: pass shallow copies. Changes may go on meanwhile, they go into
        the other journal. ``anew``: also when nothing changed since the last one, to have everything sealed. Raises
        DiskFull; then nothing is lost, the journal only stays longer.
        """
        if self._busy or (self._slot and not self.pending_bytes and not anew):
            return
        self._busy = True
        try:
            seq, begun_with = self.seq, self.pending_bytes
            self._turn_over()
            target = next(name for name in SNAPSHOTS if name != self._slot)
            size = await self._write_snapshot(target, seq, tables)
            old, self._slot, self._snapshot_seq = self._slot, target, seq
            self.snapshot_bytes = size
            self.pending_bytes -= begun_with
            self._clear_spent(seq)
            if old:
                self._disk.cut(old, 0)
        finally:
            self._busy = False

    def _turn_over(self) -> None:
        """Goes on in the other journal when it is free; after a compaction that failed it is not."""
        other = next(file for file in self._files.values() if file is not self._current)
        if not other.size:
            self._start(other)

    def _start(self, file: _JournalFile) -> None:
        head = frames.pack(frames.JOURNAL, self.seq, frames.dumps({"store": self.store_id}).encode("ascii"))
        self._disk.append(file.name, 0, head)
        file.size, file.base, file.last = len(head), self.seq, self.seq
        self._current = file

    async def _write_snapshot(self, target: str, seq: int, tables: Mapping[str, Mapping[str, dict]]) -> int:
        new = self._disk.replace(target)
        size = parts = docs = 0

        async def put(kind: int, payload: bytes) -> None:
            nonlocal size
            frame = await self._framed(kind, seq, payload)
            new.write(frame)
            size += len(frame)

        try:
            begin = frames.pack(frames.SNAPSHOT, seq, frames.dumps({"store": self.store_id}).encode("ascii"))
            new.write(begin)
            size += len(begin)
            for name, table in tables.items():
                for payload, count in frames.parts(name, iter(table.items()), PART_BYTES):
                    await put(frames.PART, payload)
                    parts, docs = parts + 1, docs + count
                    await asyncio.sleep(0)
            await put(frames.END, frames.dumps({"parts": parts, "documents": docs}).encode("ascii"))
            await new.commit()
        except BaseException:
            new.abandon()
            raise
        return size

    def _clear_spent(self, seq: int) -> None:
        """Empties the journal that is not in use when a durable snapshot holds all of it."""
        for file in self._files.values():
            if file is not self._current and file.size and file.last <= seq:
                self._disk.cut(file.name, 0)
                file.size = file.base = file.last = 0

    async def forget_torn(self) -> None:
        """Removes the torn tails kept aside: from before there was a key, they can be read."""
        await self._disk.drop_kept()

    def close(self) -> None:
        self._disk.close()

    def _at(self, name: str) -> str:
        return f"{self._disk.where}/{name}"


def _only_begun(data: bytes) -> bool:
    """Whether a journal's bytes are no more than its very first header, cut off by a crash: never a change."""
    return len(data) <= _HEADER_BYTES and (
        frames.MAGIC.startswith(data[:2]) or data.startswith(frames.MAGIC) or not any(data)
    )

