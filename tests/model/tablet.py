"""A tablet of the sync state machine: its journal's medium and its files outlive a crash, nothing else does."""

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from field_app.store.memory import Crashed, Medium, open_memory
from field_app.store.outbox import StoreOutbox, queue, write
from sync.client.calls import Reply, Request, Target
from sync.client.engine import Engine
from sync.client.marks import EpochSeen, Leased
from sync.client.policy import Policy
from sync.client.rows import OutboxView
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.problems import Problem
from sync.records.times import At, parse_wall
from tests.model.office import run
from tests.support.city import finding
from tests.support.city import inspection_body as inspection


def png(number: int) -> bytes:
    """A picture of one grey dot that is like no other."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"tEXt", b"n\0%d" % number)
        + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
    )  # fmt: skip


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
