"""The server of the sync state machine: the real HTTP application over the real casework, with real backups.

It can die at any statement of a transaction, or between the commit and the answer; its disk and its database can be
full. What outlives it is what is on its disk: the database, the evidence files, the unfinished uploads.
"""

import asyncio
import atexit
import errno
import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from anyio import to_thread
from sqlalchemy import event, select

from sync.client.calls import Reply
from sync.records.macs import fingerprint
from sync.records.protocol import MAX_EVIDENCE_BYTES
from sync.server.api.hands import Hands, do_one
from sync.server.api.service import guarded_api
from sync.server.blobs.memory import MemoryBlobs, MemoryIncoming
from sync.server.casework import audit, lives, witness
from sync.server.casework.applying import retry_parked
from sync.server.casework.city import City
from sync.server.casework.feed import ASSIGNED
from sync.server.db import schema
from sync.server.db.engine import Database, open_database
from tests.support.city import seeded
from tests.support.clock import StoppedClock

LOOP = asyncio.new_event_loop()
# Unfinished uploads are real files; in memory where the system has such a folder, because nothing here loses power.
SHELF = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())


class Died(BaseException):
    """The server's process is gone in the middle of what it did."""


async def _here(work: Any, *arguments: Any, **_: Any) -> Any:
    return work(*arguments)


def run(work: Any) -> Any:
    """Runs to the end, without threads: what the server would do in one is done at once, so that runs repeat."""
    with_threads, to_thread.run_sync = to_thread.run_sync, _here
    try:
        return LOOP.run_until_complete(work)
    finally:
        to_thread.run_sync = with_threads


async def asgi(app: Any, method: str, target: str, headers: dict[str, str], body: bytes, cut: int | None) -> Reply:
    """One call into an ASGI application; ``cut``: the sender is gone after so many bytes of the body."""
    path, _, query = target.partition("?")
    names = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [*names, (b"content-length", str(len(body)).encode())],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    messages: list[dict[str, Any]] = [{"type": "http.request", "body": body}]
    if cut is not None:
        messages = [{"type": "http.request", "body": body[:cut], "more_body": True}, {"type": "http.disconnect"}]
    found: dict[str, Any] = {"status": 0, "headers": {}, "body": b""}

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found["status"] = message["status"]
            found["headers"] = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            found["body"] += message.get("body", b"")

    await app(scope, receive, send)
    return Reply(found["status"], found["headers"], found["body"])


class AtOnce(Hands):
    """The server's hands that do what they are given at once, in this one thread."""

    async def do(self, call: Any, **_: Any) -> Any:
        return do_one(self._city, call)


class Incoming(MemoryIncoming):
    """A file on its way to a disk that may have no room, in a process that may die."""

    def __init__(self, disk: "Disk"):
        super().__init__(disk._files)
        self._disk = disk

    def write(self, chunk: bytes) -> None:
        self._disk.works()
        super().write(chunk)

    def keep(self) -> bool:
        self._disk.works()
        return super().keep()


class Disk(MemoryBlobs):
    """The server's evidence files. ``full``: no room for a byte more. ``works`` is told of every operation."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.lives: Any = lambda: None
        self.shelf = Path(tempfile.mkdtemp(prefix="siltwatch-model-", dir=SHELF))

    def works(self) -> None:
        self.lives()
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @property
    def unfinished(self) -> Path:
        return self.shelf

    def incoming(self) -> Incoming:
        return Incoming(self)

    def adopt(self, path: Path, sha256: str) -> bool:
        self.works()
        return super().adopt(path, sha256)

    def forget_unfinished(self) -> None:
        for path in self.shelf.iterdir():
            path.unlink()


@functools.cache
def ground() -> tuple[Database, Disk]:
    """One database and one disk for all runs of this process, written over by each: a new one must learn everything."""
    database, disk = open_database(None), Disk()
    atexit.register(shutil.rmtree, disk.shelf, ignore_errors=True)
    return database, disk


@dataclass(frozen=True)
class Backup:
    """``made_at``: by the world's time, ms; ``made_on``: by the server's clock."""

    database: bytes
    files: dict[str, bytes]
    made_at: int = 0
    made_on: datetime | None = None


class Server:
    """The city's server: a database and files that outlive it, and the application over them."""

    def __init__(self, secret: bytes, backup: Backup, clock: StoppedClock, *, own_ground: bool = False):
        self.clock, self._secret = clock, secret
        self._database, self.disk = (open_database(None), Disk()) if own_ground else self._ground()
        self.largest = MAX_EVIDENCE_BYTES
        self._left: int | None = None
        self.version = 0  # moved whenever something may have changed: what was looked up before is then looked up anew
        self._lives = 0
        event.listen(self._database.engine, "before_cursor_execute", self._statement)
        self.disk.lives, self.disk.full = self._statement, False
        self._load(backup)
        self._start()

    def _ground(self) -> tuple[Database, Disk]:
        return ground()

    # --- its process ---

    def restart(self) -> None:
        """A new process over what is on disk; it begins as `siltwatch serve` does."""
        self._start()
        retry_parked(self.city)
        self.version += 1

    def _start(self) -> None:
        self._lives += 1
        self.city = City("demo", "Demo City", ZoneInfo("America/Chicago"), self._secret, self._database, self.disk,
                         self.clock, "https://siltwatch.example",
                         seeded(self._lives * 1_000_003 + self.clock.now().microsecond), self.largest)  # fmt: skip
        inner = guarded_api(self.city)
        inner._app._hands = AtOnce(self.city)

        async def mounted(scope: Any, receive: Any, send: Any) -> None:
            await inner({**scope, "path": scope["path"].removeprefix("/api/v1")}, receive, send)

        self._app = mounted

    def _statement(self, *_: Any) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left = None
                raise Died

    def takes_at_most(self, largest: int) -> None:
        """The administrator sets another limit for files, and starts the server anew."""
        self.largest = largest
        self.restart()

    def close(self) -> None:
        event.remove(self._database.engine, "before_cursor_execute", self._statement)

    # --- one call ---

    def call(self, method: str, path: str, headers: dict[str, str], body: bytes, *, cut: int | None = None,
             dies: int | None = None) -> Reply | None:  # fmt: skip
        """``cut``: after so many bytes of the body its sender is gone. ``dies``: at that statement (or operation on the
        disk) the process ends, and a new one starts; None is then the answer, or when it died too late for it."""
        return self.do(lambda: run(asgi(self._app, method, path, headers, body, cut)), dies=dies)

    def do(self, work: Callable[[], Any], *, dies: int | None = None) -> Any:
        """What the server, or somebody in the office, does with it; ``dies`` as in a call."""
        self.version += 1
        self._left = dies
        try:
            done = work()
        except Died:
            done = None
        finally:
            self._left = None
        if dies is not None:
            self.restart()
            return None
        return done

    @contextmanager
    def no_room(self, where: str) -> Iterator[None]:
        """The disk of the "files" or of the "database" is full meanwhile."""
        raw = self._raw()
        if where == "files":
            self.disk.full = True
        else:
            [pages] = raw.execute("PRAGMA page_count").fetchone()
            raw.execute(f"PRAGMA max_page_count = {pages}").fetchone()
        try:
            yield
        finally:
            self.disk.full = False
            raw.execute("PRAGMA max_page_count = 1073741823").fetchone()

    # --- what is on its disk ---

    def _raw(self) -> Any:
        return self._database.engine.raw_connection().driver_connection

    def backup(self, now: int = 0) -> Backup:
        return Backup(bytes(self._raw().serialize()), dict(self.disk._files), now, self.clock.now())

    def _load(self, backup: Backup) -> None:
        self._raw().deserialize(backup.database)
        self.disk._files.clear()
        self.disk._files.update(backup.files)
        self.disk.forget_unfinished()
        self.version += 1

    def restore(self, backup: Backup) -> None:
        """What an administrator does after a loss: the backup, marked as restored, and a fresh start."""
        self._load(backup)
        self._start()
        self.begin_life()

    def put_image_back(self, backup: Backup) -> None:
        """The disk is as it was that day, and nobody says so."""
        self._load(backup)
        self.restart()

    def begin_life(self) -> None:
        lives.begin_life(self.city)
        self.restart()

    def proves(self, said: str) -> bool:
        """Whether a tablet with this witness was told more than there is."""
        opened = witness._opened(self.city, said)
        with self._database.read() as tx:
            return opened is not None and witness._is_ahead(tx, self.city, opened)

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Straight from the database, past everything that may be wrong above it."""
        return self._raw().execute(query, values).fetchall()

    def column(self, query: str) -> list[Any]:
        return [row[0] for row in self.rows(query)]

    def facts(self) -> dict[str, tuple[str, str, str | None]]:
        """Text, state and reason of every stored fact by id."""
        return {row[0]: row[1:] for row in self.rows("SELECT id, text, state, reason FROM facts")}

    def applied(self) -> dict[str, str]:
        """SHA-256 of the applied facts by id."""
        return dict(self.rows("SELECT id, sha256 FROM facts WHERE state = 'applied'"))

    def listed(self) -> set[str]:
        """Files (previews too) that the database says are held and that are there."""
        said = self.column("SELECT sha256 FROM evidence UNION SELECT sha256 FROM previews")
        return set(said) & self.disk._files.keys()

    def registers(self) -> list[tuple[str, str]]:
        """Register number, as it is written, and order of each that is registered."""
        rows = self.rows("SELECT doc, id FROM orders WHERE register_no IS NOT NULL")
        return [(json.loads(doc)["register"], ident) for doc, ident in rows]

    def files_are_sound(self) -> bool:
        return all(fingerprint(data) == sha for sha, data in self.disk._files.items())

    @property
    def epoch(self) -> str:
        return self.column("SELECT epoch FROM cities")[0]

    def newest(self, tablet: str) -> tuple[str, int]:
        """The scope of this tablet, and the place of the last change that it is to be told of. A restored server knows
        a tablet of the lost days only once that has called."""
        known = self.rows("SELECT scope, sees FROM tablets WHERE id = ?", tablet)
        if not known:
            return "not known yet", 0
        [(scope, sees)] = known
        mine = "" if sees != ASSIGNED else (
            " AND (site IS NULL OR moved_from IS NOT NULL OR site IN (SELECT site FROM tablet_sites WHERE tablet = ?))")
        [(seq,)] = self.rows("SELECT max(seq) FROM feed WHERE (audience IS NULL OR audience = ?)" + mine,
                             *([tablet, tablet] if mine else [tablet]))
        return str(scope), seq

    def visible(self, tablet: str) -> set[str] | None:
        """The sites that this tablet is to see; None: all."""
        [(sees,)] = self.rows("SELECT sees FROM tablets WHERE id = ?", tablet)
        rows = self.rows("SELECT site FROM tablet_sites WHERE tablet = ? AND visible = 1", tablet)
        return {site for site, in rows} if sees == ASSIGNED else None

    def feed(self, tablet: str | None = "") -> dict[tuple[str, str], Any]:
        """Every document that this tablet is told of, by kind and id; "": what all are told, None: all that is told."""
        with self._database.read() as tx:
            return {(row.kind, row.id): row.doc for row in tx.execute(select(schema.feed))
                    if tablet is None or row.audience in (None, tablet)}

    def audit_is_whole(self) -> None:
        audit.verify(self.city)
