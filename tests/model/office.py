"""The server of the sync state machine: the real HTTP application over the real casework, with real backups."""

import asyncio
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from sync.client.calls import Reply, Request, Target
from sync.records.macs import fingerprint
from sync.server.api.service import guarded_api
from sync.server.blobs.memory import MemoryBlobs
from sync.server.casework import audit, founding
from sync.server.casework.city import City
from sync.server.db import schema
from sync.server.db.engine import open_database
from tests.support.city import seeded
from tests.support.clock import StoppedClock

LOOP = asyncio.new_event_loop()


def run(work: Any) -> Any:
    return LOOP.run_until_complete(work)


async def asgi(app: Any, method: str, target: str, headers: dict[str, str], body: bytes, *, cut: bool) -> Reply:
    """One call into an ASGI application; ``cut``: the sender is gone in the middle of the body."""
    path, _, query = target.partition("?")
    names = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [*names, (b"content-length", str(len(body)).encode())],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    half = {"type": "http.request", "body": body[: len(body) // 2], "more_body": True}
    messages = [half, {"type": "http.disconnect"}] if cut else [{"type": "http.request", "body": body}]
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


@dataclass(frozen=True)
class Backup:
    database: bytes
    files: dict[str, bytes]


class Server:
    """The city's server: a database and files that outlive it, and the application over them."""

    def __init__(self, secret: bytes, backup: Backup, clock: StoppedClock):
        self.clock, self._secret = clock, secret
        self._database, self._blobs = open_database(None), MemoryBlobs()
        self._load(backup)
        self.restart()

    def restart(self) -> None:
        """A new process over what is on disk."""
        self.city = City("demo", "Demo City", ZoneInfo("America/Chicago"), self._secret, self._database, self._blobs,
                         self.clock, "https://siltwatch.example", seeded(self.clock.now().microsecond + 5))  # fmt: skip
        inner = guarded_api(self.city)

        async def mounted(scope: Any, receive: Any, send: Any) -> None:
            await inner({**scope, "path": scope["path"].removeprefix("/api/v1")}, receive, send)

        self._app = mounted

    def call(self, request: Request, target: Target, body: bytes, *, cut: bool = False) -> Reply:
        return run(asgi(self._app, request.method, request.path, target.headers(request), body, cut=cut))

    def _raw(self) -> Any:
        return self._database.engine.raw_connection().driver_connection

    def backup(self) -> Backup:
        return Backup(bytes(self._raw().serialize()), dict(self._blobs._files))

    def _load(self, backup: Backup) -> None:
        self._raw().deserialize(backup.database)
        self._blobs._files = dict(backup.files)

    def restore(self, backup: Backup) -> None:
        """What an administrator does after a loss: the backup, marked as restored, and a fresh start."""
        self._load(backup)
        self.clock.advance(seconds=0.001)  # so that the new epoch is drawn from another seed
        self.restart()
        founding.mark_restored(self.city)

    def close(self) -> None:
        self._database.close()

    def change_site(self, number: int, name: str) -> None:
        """The office edits a site."""
        doc = self.feed()["site", f"site-0{number}"]
        self.city.db.write(lambda tx: founding.keep_site(tx, self.city, {**doc, "name": name}))

    def feed(self) -> dict[tuple[str, str], Any]:
        """Every document that tablets are told of, by kind and id."""
        with self._database.read() as tx:
            return {(row.kind, row.id): row.doc for row in tx.execute(select(schema.feed))}

    def facts(self) -> dict[str, tuple[str, str]]:
        """Text and state of every stored fact by id."""
        with self._database.read() as tx:
            return {row.id: (row.text, row.state) for row in tx.execute(select(schema.facts))}

    def held(self) -> set[str]:
        """Files that the database says are held and that really are there with these bytes."""
        with self._database.read() as tx:
            listed = set(tx.execute(select(schema.evidence.c.sha256)).scalars())
        return {sha for sha in listed if self._blobs.has(sha) and fingerprint(self._blobs.read(sha)) == sha}

    def count(self, table: Any) -> int:
        with self._database.read() as tx:
            return tx.execute(select(func.count()).select_from(table)).scalar_one()

    def registers(self) -> list[int]:
        with self._database.read() as tx:
            return list(tx.execute(select(schema.orders.c.register_no)).scalars())

    @property
    def epoch(self) -> str:
        with self._database.read() as tx:
            return self.city.row(tx).epoch

    @property
    def newest(self) -> int:
        with self._database.read() as tx:
            return tx.execute(select(schema.counters.c.seq)).scalar_one()

    def audit_is_whole(self) -> None:
        audit.verify(self.city)
