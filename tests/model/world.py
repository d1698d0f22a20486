"""Two tablets, the real server and a bad network, in simulated time: what the sync state machine plays with.

Nothing here is a stand-in: the tablets' stores are journals on a medium that can crash in the middle of a write, the
server is its own HTTP application over the real casework and SQLite, restored from real backups of its database.
"""

from dataclasses import dataclass

from field_app.store.memory import Medium
from sync.client.calls import CUT, TIMEOUT, Reply, Request
from sync.client.engine import LANES, TALK, Wait
from sync.client.policy import Policy
from sync.client.rows import SAFE
from sync.records.down import TABLES
from sync.records.macs import fingerprint
from sync.server.casework.enrolment import create_enrolment_code, create_personal_code, enrol_tablet, sign_in
from sync.server.db import schema
from tests.model.office import Backup, Server, run
from tests.model.tablet import Flight, Identity, Tablet
from tests.support.city import memory_city
from tests.support.clock import StoppedClock

# What the network may do to a call. "late" arrives only when nobody waits for it any more.
FATES = ("ok", "ok", "ok", "lost", "reply lost", "twice", "late", "cut", "portal", "stranger")
PORTAL = Reply(200, {"content-type": "text/html"}, b"<html>log in to this Wi-Fi</html>")
STRANGER = Reply(201, {"content-type": "application/json"}, b'{"created":true}')


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

    def close(self) -> None:
        """Lets go of the database in memory."""
        self.server.close()

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
