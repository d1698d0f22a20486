"""The outbox port: what the sync engine needs of the tablet's store, and an implementation in memory.

Contract (tests/contract/outbox_contract.py runs it over every implementation): `mark` is one durable change,
all or nothing; what was marked before a crash is there after it; a queued fact keeps its exact bytes for ever.
"""

import json
from collections.abc import Iterable
from typing import Any, Protocol

from sync.client.marks import Doc, Leased, Mark, SentBack, fold
from sync.client.rows import SYNC_DOC, TABLET_DOC, fact_doc, file_docs
from sync.client.shelf import OutboxView, Shelf, lease_of, view_of
from sync.records.down import TABLES
from sync.records.macs import fingerprint
from sync.records.problems import Problem

ALL_TABLES = ("meta", "secrets", "lease", "facts", "evidence", *sorted(set(TABLES.values())))


class OutboxPort(Protocol):
    """What the driver asks of the store."""

    def view(self) -> OutboxView:
        """The present state; cheap, no I/O."""
        ...

    async def prepare(self) -> None:
        """Makes the next view cheap, bit by bit, so that nobody waits long for the loop; else it may cost as much as
        there is in the outbox."""
        ...

    async def mark(self, marks: Iterable[Mark]) -> None:
        """Applies all marks in one durable change; returns once they would survive a power cut."""
        ...

    async def evidence_body(self, sha256: str) -> Any:
        """The file as the transport sends it. Raises Problem "evidence-unknown" when it is not on this tablet."""
        ...


async def send_again(port: OutboxPort, ids: Iterable[str]) -> None:
    """A person sends parked items (fact ids or SHA-256s) again; ids that are not in the outbox are passed over."""
    view, wanted = port.view(), set(ids)
    facts = [SentBack("facts", row.id) for row in view.facts if row.id in wanted]
    # Sending a fact again also sends its parked files again: the person means the whole item.
    files = {sha for row in view.facts if row.id in wanted for sha in row.evidence} | wanted
    parked = [SentBack("evidence", row.sha256) for row in view.files if row.park and row.sha256 in files]
    await port.mark([*facts, *parked])


class MemoryOutbox:
    """A real outbox that lives in memory and can be written to and read from bytes (`dump`, `MemoryOutbox(data)`)."""

    def __init__(self, data: bytes | None = None):
        raw = json.loads(data) if data else {"tables": {}, "files": {}}
        self._tables: dict[str, dict[str, Doc]] = {name: raw["tables"].get(name, {}) for name in ALL_TABLES}
        self._shelf = Shelf()
        self._shelf.all(self._tables["facts"].values(), self._tables["evidence"].values())
        self._files = {sha: bytes.fromhex(text) for sha, text in raw["files"].items()}

    def dump(self) -> bytes:
        """All of it as bytes, as it would be found after a crash."""
        files = {sha: data.hex() for sha, data in self._files.items()}
        return json.dumps({"tables": self._tables, "files": files}).encode()

    def get(self, table: str, id: str) -> Doc | None:
        return self._tables[table].get(id)

    def all(self, table: str) -> list[Doc]:
        return list(self._tables[table].values())

    def view(self) -> OutboxView:
        return view_of(self._shelf, lease_of(self._tables["lease"].values()), self.get("meta", SYNC_DOC),
                       self.get("secrets", TABLET_DOC))

    async def prepare(self) -> None:
        """Nothing: its shelf is always full."""

    async def mark(self, marks: Iterable[Mark]) -> None:
        writes = fold(marks, self.get)
        try:
            json.dumps([doc for _, _, doc in writes])  # refuse all of it before any of it is done
        except (TypeError, ValueError) as err:
            raise Problem("store-value", str(err)) from err
        for table, id, doc in writes:
            self.put(table, id, doc)

    def put(self, table: str, id: str, doc: Doc | None) -> None:
        """Puts the document in the place of the one that is there; None: there is none any more."""
        if doc is None:
            self._tables[table].pop(id, None)
        else:
            self._tables[table][id] = doc
        self._shelf.change(table, id, doc)

    async def keep(self, data: bytes) -> str:
        """Keeps an evidence file; gives its SHA-256."""
        self._files[fingerprint(data)] = data
        return fingerprint(data)

    async def queue(self, frozen: bytes, *, mac: str, credential: str) -> str:
        """Puts a signed fact into the outbox together with the files it names; gives its id."""
        doc = fact_doc(frozen, mac=mac, credential=credential)
        present = {item["sha256"]: self.get("evidence", item["sha256"]) for item in doc["evidence"]}
        self.put("facts", doc["id"], doc)
        for file in file_docs(doc, present):
            self.put("evidence", file["sha256"], file)
        return doc["id"]

    async def note_file(self, doc: Doc) -> None:
        """Puts the document of a file that no fact names (see `sync.client.previews`) beside the others."""
        self.put("evidence", doc["sha256"], doc)

    async def take_lease(self, numbers: Iterable[Doc], seal: str | None) -> None:
        await self.mark([Leased(tuple(numbers), seal)])

    async def evidence_body(self, sha256: str) -> bytes:
        if sha256 not in self._files:
            raise Problem("evidence-unknown", "the file is not on this tablet", where=sha256)
        return self._files[sha256]
