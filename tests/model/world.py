"""Two tablets, the real server and a bad network, in simulated time: what the sync state machine plays with.

Nothing here is a stand-in: the tablets' stores are journals on a medium that can crash in the middle of a write, the
server is its own HTTP application over the real casework and SQLite, restored from real backups of its database.
"""

import asyncio
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from field_app.store.memory import Crashed, Medium, open_memory
from field_app.store.outbox import StoreOutbox, queue, write
from sync.client.calls import CUT, TIMEOUT, Reply, Request, Target
from sync.client.engine import LANES, TALK, Engine, Wait
from sync.client.marks import EpochSeen, Leased
from sync.client.policy import Policy
from sync.client.rows import SAFE, OutboxView
from sync.records.down import TABLES
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.problems import Problem
from sync.records.times import At, parse_wall
from sync.server.api.service import guarded_api
from sync.server.blobs.memory import MemoryBlobs
from sync.server.casework import audit, founding
from sync.server.casework.city import City
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code, enrol_tablet, sign_in
from sync.server.db import schema
from sync.server.db.engine import open_database
from tests.support.city import finding, memory_city, seeded
from tests.support.city import inspection_body as inspection
from tests.support.clock import StoppedClock

# What the network may do to a call. "late" arrives only when nobody waits for it any more.
FATES = ("ok", "ok", "ok", "lost", "reply lost", "twice", "late", "cut", "portal", "stranger")
PORTAL = Reply(200, {"content-type": "text/html"}, b"<html>log in to this Wi-Fi</html>")
STRANGER = Reply(201, {"content-type": "application/json"}, b'{"created":true}')
LOOP = asyncio.new_event_loop()


def run(work: Any) -> Any:
    return LOOP.run_until_complete(work)


def png(number: int) -> bytes:
    """A picture of one grey dot that is like no other."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"tEXt", b"n\0%d" % number)
        + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
    )  # fmt: skip


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


class Box:
    """Evidence files that are durable once kept; they outlive the tablet's process."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    async def upload_body(self, sha256: str) -> bytes:
        if sha256 not in self.files:
            raise Problem("evidence-unknown", where=sha256)
        return self.files[sha256]


@dataclass(frozen=True)
class Identity:
    """What enrolment and sign-in gave one tablet."""

    code: str
    token: str
    receipt_key: bytes
    credential: str
    key: bytes
    lease: tuple[dict[str, Any], ...]
    epoch: str


@dataclass
class Flight:
    """A call on its way back: the reply is made, but not yet there."""

    request: Request
    reply: Reply


@dataclass
class Tablet:
    """One tablet: identity and medium outlive a crash, store and engine do not."""

    identity: Identity
    number: int
    medium: Medium = field(default_factory=Medium)
    box: Box = field(default_factory=Box)
    signed: dict[str, tuple[str, str]] = field(default_factory=dict)
    made: int = 0
    flights: dict[str, Flight] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        self.open()

        async def remember() -> None:
            async with self.store.change() as tx:
                write(tx, [EpochSeen(self.identity.epoch), Leased(self.identity.lease, "seal")])

        if not self.view().epoch:
            run(remember())

    @property
    def target(self) -> Target:
        return Target("http://office", self.identity.token)

    def open(self) -> None:
        """The app starts on what the medium holds."""
        self.medium.held, self.medium.crash_in = False, None
        self.store = run(open_memory(self.medium))
        self.outbox = StoreOutbox(self.store, self.box)
        self.engine = Engine(self.identity.receipt_key, "demo", lambda: 0.5, self.policy)
        self.flights.clear()

    def survive(self, work: Any) -> Any:
        """Runs ``work``; a crash in the middle of it is followed by a new start."""
        try:
            return run(work)
        except Crashed:
            self.open()
            return None

    def view(self) -> OutboxView:
        return self.outbox.view()

    def sign(self, kind: str, files: int, pick: int) -> None:
        """A person signs something; it counts as signed if it is in the store afterwards, crash or not."""
        self.made += 1
        ident = fingerprint(f"{self.number}/{self.made}".encode())[:32]
        photos = [png(self.number * 100_000 + self.made * 10 + n) for n in range(files)]
        for data in photos:
            self.box.files[fingerprint(data)] = data
        self.survive(self._sign(ident, kind, photos, pick))
        doc = self.store.table("facts").get(ident)
        if doc is not None:
            self.signed[ident] = (doc["kind"], doc["text"])

    async def _sign(self, ident: str, kind: str, pictures: list[bytes], pick: int) -> None:
        async with self.store.change() as tx:
            count = (tx.get("meta", "count") or {"n": 0})["n"] + 1
            tx.put("meta", "count", {"n": count})
            earlier = sorted(id for id, (kind_of, _) in self.signed.items() if kind_of == "inspection_signed")
            earlier = [id for id in earlier if self.store.table("facts").get(id)]
            revises, about = None, None
            if kind == "correction" and earlier:
                revises = earlier[pick % len(earlier)]
            if kind == "photo" and earlier:
                about = earlier[pick % len(earlier)]
            evidence = tuple(Evidence(fingerprint(data), "photo", len(data), "image/png") for data in pictures)
            at = At(parse_wall("2026-08-27T14:03:22-05:00", "wall"), "America/Chicago", 1, "b", None)
            rest = {"city": "demo", "id": ident, "tablet": self.identity.code, "counter": count, "user": "ada",
                    "at": at, "pack": "demo@2026.1"}  # fmt: skip
            if kind == "order":
                leased = min(self._free(tx), key=lambda doc: doc["counter"])
                tx.put("lease", leased["number"], {**leased, "used": ident})
                fact = Fact(kind="order_posted", body=_order(leased), **rest)
            elif about is not None:
                shot = evidence[0] if evidence else None
                if shot is None:
                    data = png(self.number * 100_000 + self.made * 10 + 9)
                    self.box.files[fingerprint(data)] = data
                    shot = Evidence(fingerprint(data), "photo", len(data), "image/png")
                body = {"about": {"fact": about}, "photo": _photo(shot.sha256, at)}
                fact = Fact(kind="photo_added", body=body, needs=(about,), evidence=(shot,), **rest)
            else:
                photos = [_photo(file.sha256, at) for file in evidence]
                body = inspection(photos=photos, findings=[finding(f"f{count}")])
                fact = Fact(kind="inspection_signed", body=body, revises=revises, evidence=evidence, **rest)
            frozen = freeze(fact)
            queue(tx, frozen, mac=sign(self.identity.key, frozen), credential=self.identity.credential)

    def _free(self, tx: Any) -> list[dict[str, Any]]:
        return [doc for doc in self.store.table("lease").all() if not doc["used"]]


def _photo(sha256: str, at: At) -> dict[str, Any]:
    return {"sha256": sha256, "taken": at.to_wire(), "source": "camera", "position": None,
            "no_position": "no signal", "item": None, "finding": None, "view": "wide", "name": None}  # fmt: skip


def _order(leased: dict[str, Any]) -> dict[str, Any]:
    return {
        "number": leased["number"], "token": leased["token"], "site": "site-01", "address": "100 Mill Street",
        "parcel": "251-01", "permit": "permit-01", "permit_number": "EC-2026-014", "grounds": ["b"], "findings": [],
        "observed": "Soil on Mill Street.", "must_stop": "All grading.", "may_continue": "Sweeping.",
        "corrections": [{"text": "Sweep the road.", "due": {"on": "2026-08-27", "at": "17:00"}}], "met": [],
        "nobody_present": True, "posted_on": "2026-08-27", "posted_at": "2026-08-27T14:00:00-05:00",
        "printed_on": "2026-08-27", "placard": None,
        "inspector": {"name": "Ada Lindqvist", "title": "Erosion Control Inspector", "credential_no": "SC-1001"},
    }  # fmt: skip


@dataclass(frozen=True)
class Beginning:
    """Where every run begins: a furnished city and two enrolled tablets that have read all there is."""

    secret: bytes
    backup: Backup
    identities: tuple[Identity, ...]
    media: tuple[dict[str, bytes], ...] = ({}, {})


def found_world() -> Beginning:
    """Enrols, signs in, and lets both tablets read what comes down, once for all runs."""
    city = memory_city(StoppedClock("2026-08-27T15:00:00-05:00"))
    identities = []
    for number in range(2):
        enrolled = enrol_tablet(city, create_enrolment_code(city, "keeper"), fingerprint(b"tablet %d" % number))
        person = sign_in(city, enrolled.tablet, create_personal_code(city, "keeper", "ada"))
        lease = tuple({"number": n.number, "counter": n.counter, "token": n.token} for n in enrolled.lease)
        identities.append(Identity(enrolled.tablet.code, enrolled.device_token, enrolled.tablet.receipt_key,
                                   person.credential_id, person.credential_key, lease, enrolled.epoch))  # fmt: skip
    raw = city.db.engine.raw_connection().driver_connection
    first = World(Beginning(city.secret, Backup(bytes(raw.serialize()), {}), tuple(identities)))
    first.settle()
    first.check()
    media = tuple(dict(tablet.medium.files) for tablet in first.tablets)
    return Beginning(city.secret, first.server.backup(), tuple(identities), media)


class World:
    """Both tablets, the server, the network between them, and the time."""

    def __init__(self, beginning: Beginning):
        self.clock = StoppedClock("2026-08-27T15:00:00-05:00")
        self.server = Server(beginning.secret, beginning.backup, self.clock)
        # Few numbers left counts as early here, so that runs renew the lease too.
        self.tablets = []
        for number, (who, files) in enumerate(zip(beginning.identities, beginning.media, strict=True)):
            medium = Medium()
            medium.files = dict(files)
            self.tablets.append(Tablet(who, number, medium, policy=Policy(lease_low=19)))
        self.late: list[tuple[Tablet, Request, bytes]] = []
        self.now = 0
        self.restored = False

    def pass_time(self, milliseconds: int) -> None:
        self.now += milliseconds
        self.clock.advance(seconds=milliseconds / 1000)

    # --- one call ---

    def step(self, tablet: Tablet, lane: str, fate: str, *, slow: bool = False) -> int | None:
        """The lane's next call under ``fate``, or nothing when it waits; then gives how many ms (None: for ever)."""
        if lane in tablet.flights:
            self.land(tablet, lane)
            return 0
        step = tablet.engine.next(tablet.view(), self.now, lane)
        if isinstance(step, Wait):
            return None if step.until is None else step.until - self.now
        body = step.body or b""
        if step.evidence is not None:
            body = run(tablet.outbox.evidence_body(step.evidence))
        reply = self._carry(tablet, step, body, fate)
        tablet.flights[lane] = Flight(step, reply)
        if not slow:
            self.land(tablet, lane)
        return 0

    def greet(self, tablet: Tablet) -> None:
        """Lets the tablet find its server again, if it is looking for it, so that what follows meets real calls."""
        for _ in range(5):
            if tablet.engine.status().up or TALK in tablet.flights:
                return
            self.pass_time(self.step(tablet, TALK, "ok") or 0)

    def _carry(self, tablet: Tablet, request: Request, body: bytes, fate: str) -> Reply:
        server, target = self.server, tablet.target
        if fate == "portal":
            return PORTAL
        if fate == "stranger":
            return STRANGER
        if fate == "lost":
            return Reply(failure=TIMEOUT)
        if fate == "late":
            self.late.append((tablet, request, body))
            return Reply(failure=TIMEOUT)
        if fate == "cut" and len(body) > 1:
            server.call(request, target, body, cut=True)
            return Reply(failure=CUT)
        reply = server.call(request, target, body)
        if fate == "twice":
            reply = server.call(request, target, body)
        return Reply(failure=CUT) if fate in ("reply lost", "cut") else reply

    def land(self, tablet: Tablet, lane: str) -> None:
        """The reply of the call under way arrives."""
        flight = tablet.flights.pop(lane)
        marks = tablet.engine.took(lane, flight.reply, tablet.view(), self.now)
        if marks:
            tablet.survive(tablet.outbox.mark(marks))

    def deliver_late(self, index: int) -> None:
        """A call that was given up long ago reaches the server after all."""
        tablet, request, body = self.late.pop(index % len(self.late))
        self.server.call(request, tablet.target, body)

    # --- what must hold ---

    def green_is_true(self) -> None:
        """Every item that a tablet shows as safe is held by the server it last spoke to, whole and applied."""
        epoch, facts, held = self.server.epoch, self.server.facts(), self.server.held()
        for tablet in self.tablets:
            view = tablet.view()
            if view.epoch != epoch:
                continue  # the server was restored, and the tablet has not heard of it yet
            for row in view.facts:
                if row.state == SAFE:
                    assert facts.get(row.id) == (row.text, "applied"), f"{row.id} is green and not on the server"
                    assert set(row.evidence) <= held, f"{row.id} is green and lacks a file on the server"

    def settle(self) -> None:
        """The network is good from now on: everything must come to rest, by itself, in bounded time."""
        while self.late:
            self.deliver_late(0)
        for tablet in self.tablets:
            tablet.medium.crash_in = None
        end = self.now + 3_600_000
        while not self._at_rest():
            assert self.now < end, [tablet.view() for tablet in self.tablets]
            waits = [self.step(tablet, lane, "ok") for tablet in self.tablets for lane in LANES]
            times = [wait for wait in waits if wait is not None]
            if all(times):
                self.pass_time(min(times))

    def _at_rest(self) -> bool:
        epoch, newest = self.server.epoch, self.server.newest
        for tablet in self.tablets:
            view = tablet.view()
            if tablet.flights or view.epoch != epoch or view.cursor.seq != newest:
                return False
            if any(row.state != SAFE for row in view.facts) or not all(row.held for row in view.files):
                return False
        return True

    def check(self) -> None:
        """After coming to rest: nothing missing, nothing twice, everybody has the same picture."""
        signed = {id: what for tablet in self.tablets for id, what in tablet.signed.items()}
        facts = self.server.facts()
        assert {id: text for id, (text, _) in facts.items()} == {id: text for id, (_, text) in signed.items()}
        assert {state for _, state in facts.values()} <= {"applied"}
        kinds = [kind for kind, _ in signed.values()]
        assert self.server.count(schema.inspections) == kinds.count("inspection_signed")
        assert self.server.count(schema.orders) == kinds.count("order_posted")
        assert self.server.count(schema.attachments) == kinds.count("photo_added")
        assert self.server.count(schema.strays) == self.server.count(schema.refusals) == 0
        assert self.server.held() >= {row.sha256 for tablet in self.tablets for row in tablet.view().files}
        registers = self.server.registers()
        assert len(set(registers)) == len(registers) and None not in registers
        if not self.restored:
            assert sorted(registers) == list(range(1, len(registers) + 1))
        self.server.audit_is_whole()
        self.green_is_true()
        wanted = {key: doc for key, doc in self.server.feed().items() if doc is not None}
        for tablet in self.tablets:
            for (kind, id), doc in wanted.items():
                assert tablet.store.table(TABLES[kind]).get(id) == doc, f"{kind} {id} differs"
            numbers = [doc["number"] for doc in tablet.store.table("lease").all()]
            assert all(number.split("-")[2] == tablet.identity.code for number in numbers)
