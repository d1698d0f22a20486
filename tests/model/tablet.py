"""A tablet of the sync state machine: its journal's medium and its files outlive a crash, nothing else does.

What a person signs here goes into the real store in one change, as in the app; the real engine says what to send.
"""

import functools
import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from PIL import Image

from field_app.store.memory import Crashed, Medium, open_memory
from field_app.store.outbox import TABLET, StoreOutbox, queue, remember_enrolment, write
from field_app.store.problems import StoreFull
from field_app.work import exporting
from field_app.work.desk import Desk as WorkDesk
from sync.client.calls import Reply, Request, Target
from sync.client.engine import Engine
from sync.client.enrolment import Enrolment, SignIn
from sync.client.keeping import purgeable
from sync.client.marks import EpochSeen, Leased
from sync.client.policy import Policy
from sync.client.previews import preview_doc
from sync.client.shelf import OutboxView
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.problems import Problem
from sync.records.times import At, parse_wall
from tests.model.office import run
from tests.model.sayings import ON_PAPER, ORDERS, Desk, Signed, meant, said
from tests.support.field_desk import FieldClock, KeptOutgoing

WALL = "2026-08-27T14:03:22-05:00"
PAPERS = "papers"  # in "meta": the pre-printed placards that were used here
PACKS: dict[str, Any] = {}  # read once for all runs
# What a tablet's clock may say: right, dead battery, a century ahead, set back by minutes in the middle of a day.
WALLS = (WALL, WALL, "2000-01-01T00:00:07-06:00", "2126-08-27T14:03:22-05:00", "2026-08-27T13:21:00-05:00")


def png(number: int, padding: int = 0) -> bytes:
    """A picture of one grey dot that is like no other, some 90 bytes and ``padding`` long."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"tEXt", b"n\0%d" % number + b"." * padding)
        + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
    )  # fmt: skip


@functools.cache
def _dot() -> bytes:
    out = io.BytesIO()
    Image.new("L", (1, 1), 128).save(out, "JPEG", quality=1, optimize=True)
    return out.getvalue()


def jpeg(number: int) -> bytes:
    """A preview of one grey dot that is like no other, some 160 bytes."""
    remark = b"%d" % number
    return _dot()[:2] + b"\xff\xfe" + struct.pack(">H", len(remark) + 2) + remark + _dot()[2:]


class Box:
    """Evidence files that are durable once kept; they outlive the tablet's process."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files: dict[str, bytes] = dict(files or {})

    async def upload_body(self, sha256: str) -> bytes:
        if sha256 not in self.files:
            raise Problem("evidence-unknown", where=sha256)
        return self.files[sha256]


@dataclass(frozen=True)
class Identity:
    """What enrolment and the sign-ins gave one tablet; ``credentials``: id and key by person."""

    id: str
    code: str
    token: str
    receipt_key: bytes
    credentials: dict[str, tuple[str, bytes]]
    lease: tuple[dict[str, Any], ...]
    epoch: str


@dataclass
class Flight:
    """A call on its way back: the reply is made, but not yet there. ``at``: the server's time when it was made."""

    request: Request
    reply: Reply
    at: datetime


@dataclass
class Tablet:
    """One tablet: identity and medium outlive a crash, store and engine do not.

    ``withdrawn``: the office took it out of use. ``heard``: the server's time when it was last heard.
    """

    identity: Identity
    number: int
    time: Callable[[], int]
    medium: Medium = field(default_factory=Medium)
    box: Box = field(default_factory=Box)
    policy: Policy = field(default_factory=Policy)
    made: int = 0
    flights: dict[str, Flight] = field(default_factory=dict)
    rests: dict[str, int] = field(default_factory=dict)
    withdrawn: bool = False
    heard: datetime | None = None
    booted: int = 0
    marked: int = 0  # moved whenever something new was learned
    saved: dict[str, bytes] = field(default_factory=dict)  # the file that it made last

    def __post_init__(self) -> None:
        self.open()

        async def remember() -> None:
            async with self.store.change() as tx:
                tx.put("secrets", TABLET, {
                    "city": "demo", "city_name": "Demo City", "tablet_id": self.identity.id,
                    "tablet_code": self.identity.code, "device_token": self.identity.token,
                    "receipt_key": self.identity.receipt_key.hex()})
                write(tx, [EpochSeen(self.identity.epoch), Leased(self.identity.lease, "seal")])

        if not self.view().epoch:
            run(remember())

    @property
    def target(self) -> Target:
        view = self.view()
        return Target("http://office", view.token, view.witness)

    @property
    def now(self) -> int:
        """Its own clock that only goes forward, since this start of the app."""
        return self.time() - self.booted

    def open(self) -> None:
        """The app starts on what the medium holds."""
        self.medium.held, self.medium.crash_in = False, None
        self.store = run(open_memory(self.medium))
        self.outbox = StoreOutbox(self.store, self.box)
        self.engine = Engine(self.identity.receipt_key, "demo", lambda: 0.5, self.policy)
        self.flights.clear()
        self.rests.clear()
        self.booted = self.time()
        self._life = self.medium.life
        self.marked += 1

    def survive(self, work: Any) -> bool:
        """Runs ``work`` and says whether it was done. A crash in the middle is followed by a new start."""
        self.marked += 1
        try:
            run(work)
        except Crashed:
            self.open()
            return False
        except StoreFull:
            return False
        if self.medium.life != self._life:  # it crashed in what it does on the side
            self.open()
        return True

    def view(self) -> OutboxView:
        return self.outbox.view()

    def fill_up(self, room: int | None) -> None:
        """So many bytes are left on its disk; None: as many as it likes."""
        self.medium.room = None if room is None else self.medium.used() + room

    # --- what people do on it ---

    def sign(self, kind: str, files: int, pick: int, others: tuple[Signed, ...] = ()) -> Signed | None:
        """A person signs something; it counts as signed if it is in the store afterwards, crash or not.

        ``others``: what was signed anywhere, to refer to.
        """
        self.made += 1
        ident = fingerprint(f"{self.number}/{self.made}".encode())[:32]
        photos = [png(self.number * 100_000 + self.made * 10 + n, 60 * (pick % 3)) for n in range(files)]
        for data in photos:
            self.box.files[fingerprint(data)] = data
        made: list[Signed] = []
        self.survive(self._sign(ident, kind, photos, pick, others, made))
        return made[0] if made and self.store.table("facts").get(ident) is not None else None

    async def _sign(self, ident: str, kind: str, pictures: list[bytes], pick: int, others: tuple[Signed, ...],
                    made: list[Signed]) -> None:  # fmt: skip
        at = At(parse_wall(WALLS[pick % len(WALLS)], "wall"), "America/Chicago", 1, "b", None)
        async with self.store.change() as tx:
            counter = f"counter:{self.identity.code}"
            count = (tx.get("meta", counter) or {"n": 0})["n"] + 1
            tx.put("meta", counter, {"n": count})
            evidence = tuple(Evidence(fingerprint(data), "photo", len(data), "image/png") for data in pictures)
            kind = meant(kind, others)
            free = self._free(kind in ON_PAPER)
            desk = Desk(self.number, ident, count, at, pick, others, evidence, free)
            fact = Fact(**{"city": "demo", "id": ident, "tablet": self.identity.code, "counter": count, "user": "ada",
                           "at": at, "pack": "demo@2026.1", **said(kind, desk)})
            number = fact.body["number"] if fact.kind in (*ORDERS, "number_voided") else None
            if number is not None:
                self._use_up(tx, number, ident)
            frozen = freeze(fact)
            credential, key = self.identity.credentials[fact.user]
            queue(tx, frozen, mac=sign(key, frozen), credential=credential)
            if pick % 2:  # else the previews are still being made
                self._previews(tx, fact.evidence)
            needs = (*fact.needs, *([fact.revises] if fact.revises else []))
            # A photo and a recommendation have no other day than the tablet's clock, and in 2000 nobody held a power.
            entitled = (fact.kind, fact.user) != ("order_posted", "ben") and not (
                fact.kind in ("photo_added", "order_recommended") and at.wall.year == 2000)
            made.append(Signed(ident, fact.kind, frozen.decode(), self.number, self.identity.code, needs, number,
                               entitled, fact.body.get("site", "site-01")))

    def _previews(self, tx: Any, photos: tuple[Evidence, ...]) -> None:
        for file in photos:
            small = jpeg(int(file.sha256[:12], 16))
            sha = fingerprint(small)
            self.box.files[sha] = small
            tx.put("evidence", sha, preview_doc(sha, len(small), file.sha256))
            tx.put("evidence", file.sha256, {**tx.get("evidence", file.sha256), "preview": "made"})

    def _free(self, on_paper: bool) -> dict[str, Any] | None:
        """The next number that an order may bear here: of the lease, or of a placard that the office printed."""
        own = f"-{self.identity.code}-"
        if on_paper:
            used = self.store.table("meta").get(PAPERS) or {"numbers": []}
            found = [doc for doc in self.store.table("blanks").all()
                     if doc["state"] == "free" and doc["number"] not in used["numbers"]]
        else:
            found = [doc for doc in self.store.table("lease").all() if not doc["used"]]
        return min((doc for doc in found if own in doc["number"]), key=lambda doc: doc["counter"], default=None)

    def _use_up(self, tx: Any, number: str, ident: str) -> None:
        leased = tx.get("lease", number)
        if leased is not None:
            tx.put("lease", number, {**leased, "used": ident})
        else:
            used = tx.get("meta", PAPERS) or {"numbers": []}
            tx.put("meta", PAPERS, {"numbers": [*used["numbers"], number]})

    # --- by file, when no network helps ---

    def _work_desk(self) -> WorkDesk:
        hardware = SimpleNamespace(clock=FieldClock(WALL), outgoing=self._outgoing)
        desk = WorkDesk(self.store, self.box, hardware, server="http://office", language="en")
        desk._packs = PACKS
        return desk

    async def _outgoing(self, name: str, media: str) -> KeptOutgoing:
        self.saved.clear()
        return KeptOutgoing(name, self.saved, False)

    def save_to_file(self, everything: bool) -> bytes | None:
        """What the person takes to the office, None where the tablet could not make it."""
        self.saved.clear()
        self.survive(exporting.export(self._work_desk(), everything))
        return next(iter(self.saved.values()), None)

    def take_receipts(self, data: bytes) -> None:
        """The office's answer comes back as a file. Raises Problem for one of another tablet or another life."""
        self.survive(exporting.take_receipts(self._work_desk(), data))

    def item(self, signed: Signed, text: str) -> dict[str, str]:
        """``text`` in the place of what was signed, as an item with a true signature: a fork."""
        credential, key = self.identity.credentials["ada"]
        return {"fact": text, "mac": sign(key, text.encode()), "credential": credential}

    def recode(self, found: Enrolment, people: tuple[SignIn, ...], secret: str) -> bool:
        """From now on it is a tablet of its own, if that is durable; what is in its outbox stays as it is."""

        async def become() -> None:
            async with self.store.change() as tx:
                remember_enrolment(tx, found, secret)

        if not self.survive(become()):
            return False
        credentials = {one.person_id: (one.credential, bytes.fromhex(one.key)) for one in people}
        self.identity = Identity(found.tablet_id, found.tablet_code, found.device_token,
                                 bytes.fromhex(found.receipt_key), credentials, found.numbers, found.epoch)  # fmt: skip
        self.open()
        return True

    def purge(self) -> tuple[str, ...]:
        """Clears away what the server has had for long enough when it was last heard; gives the ids of the facts."""
        facts, files = purgeable(self.view(), self.heard) if self.heard else ((), ())

        async def clear() -> None:
            async with self.store.change() as tx:
                for ident in facts:
                    tx.delete("facts", ident)
                for sha in files:
                    tx.delete("evidence", sha)

        if not self.survive(clear()):
            return ()
        for sha in files:
            self.box.files.pop(sha, None)
        return facts
