"""Tablets, the real server and a bad network, in simulated time: what the sync state machine plays with.

Nothing here is a stand-in: the tablets' stores are journals on a medium that can crash in the middle of a write, the
server is its own HTTP application over the real casework and SQLite, restored from real backups of its database.
What must hold is in `tests.model.truth`.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from field_app.store.memory import Medium
from sync.client.calls import LOCAL, Reply, Wait
from sync.client.engine import LANES, TALK
from sync.client.enrolment import SignIn, read_recoded, recode_request
from sync.client.policy import Policy
from sync.records.macs import fingerprint
from sync.records.problems import Problem
from sync.records.wire import decode, encode
from sync.server.casework import blanks, importing, people
from sync.server.casework.enrolment import (
    LEASE_SIZE,
    create_enrolment_code,
    create_personal_code,
    enrol_tablet,
    sign_in,
)
from tests.model.network import Letter, Network
from tests.model.office import Backup, Server, run
from tests.model.sayings import Signed
from tests.model.tablet import Box, Flight, Identity, Tablet
from tests.model.truth import MET, Truth
from tests.support.city import PEOPLE, START, memory_city
from tests.support.clock import StoppedClock

TABLETS = 3
# Every number of the engine's patience that depends on sizes, small: an upload here goes in many parts, a lease is
# soon low, a page of changes holds a few documents.
SMALL = Policy(lease_low=4 * LEASE_SIZE, lease_every_ms=1_000, pull_limit=7, batch_items=4, chunk_first=96,
               chunk_least=32, chunk_most=256)  # fmt: skip
WHOLE = Policy(lease_low=2 * LEASE_SIZE, pull_limit=40)
DAY = 86_400_000
# What becomes of a tablet's file in the office, and of the answer.
BY_FILE = ("taken", "taken", "twice", "cut", "server dies", "answer lost")
BACKUPS_LAST = 14 * DAY  # tablets keep what was receipted for 14 days; an older backup could not be made good


@dataclass(frozen=True)
class Beginning:
    """Where every run begins: a furnished city and enrolled tablets that have read all there is."""

    secret: bytes
    backup: Backup
    identities: tuple[Identity, ...]
    media: tuple[dict[str, bytes], ...]


def found_world() -> Beginning:
    """Enrols, signs in, and lets all tablets read what comes down, once for all runs."""
    city = memory_city(StoppedClock("2026-08-27T15:00:00-05:00"))
    held = ("inspect", "post", "confirm_or_decline", "issue", "administer", "release", "ratify", "void_and_supersede",
            "decide_applications", "extend", "revoke")  # fmt: skip
    name, title, credential, _ = PEOPLE["carol"]
    city.db.write(lambda tx: people.keep_person(
        tx, city, "carol", name=name, title=title, credential_no=credential, valid_from=START, valid_until=None,
        grants=[(power, START, None) for power in held]))  # fmt: skip
    identities = []
    for number in range(TABLETS):
        enrolled = enrol_tablet(city, create_enrolment_code(city, "keeper"), fingerprint(b"tablet %d" % number),
                                ageing=True)  # fmt: skip
        credentials = {}
        for person in ("ada", "ben", "carol"):
            found = sign_in(city, enrolled.tablet, create_personal_code(city, "keeper", person))
            credentials[person] = (found.credential_id, found.credential_key)
        lease = tuple({"number": n.number, "counter": n.counter, "token": n.token} for n in enrolled.lease)
        identities.append(Identity(enrolled.tablet.id, enrolled.tablet.code, enrolled.device_token,
                                   enrolled.tablet.receipt_key, credentials, lease, enrolled.epoch))  # fmt: skip
    raw = city.db.engine.raw_connection().driver_connection
    backup = Backup(bytes(raw.serialize()), {})
    first = World(Beginning(city.secret, backup, tuple(identities), ({},) * TABLETS))
    first.settle()
    media = tuple(dict(tablet.medium.files) for tablet in first.tablets)
    found = Beginning(city.secret, first.server.backup(), tuple(identities), media)
    first.close()
    return found


class World:
    """The tablets, the server, the network between them, and the time."""

    def __init__(self, beginning: Beginning, server: Callable[[bytes, Backup, StoppedClock], Server] = Server):
        self.clock = StoppedClock("2026-08-27T15:00:00-05:00")
        self.server = server(beginning.secret, beginning.backup, self.clock)
        self.network = Network(self.server)
        self.now = 0
        self.beginning = beginning
        self.truth = Truth(self)
        self.tablets: list[Tablet] = []
        for number, (who, files) in enumerate(zip(beginning.identities, beginning.media, strict=True)):
            medium = Medium()
            medium.files = dict(files)
            policy = SMALL if number else WHOLE
            self.tablets.append(Tablet(who, number, lambda: self.now, medium, policy=policy))
        self.latest = self.clock.now()  # that the server's clock has ever shown
        self.backups = [self.server.backup()]
        self.restored = False
        self.given = 0
        self.saved: list[tuple[Tablet, bytes]] = []

    def pass_time(self, milliseconds: int) -> None:
        self.now += milliseconds
        self.clock.advance(seconds=milliseconds / 1000)

    def jump(self, days: int) -> None:
        """The server's clock is set wrong, or right again."""
        self.clock.advance(days=days)
        self.latest = max(self.latest, self.clock.now())

    def close(self) -> None:
        """What is large goes at once and waits for no collector: runs keep hundreds of copies of databases."""
        self.server.close()
        self.backups.clear()
        self.tablets.clear()
        self.saved.clear()
        self.network.forget()
        self.network.late.clear()

    # --- one call ---

    def step(self, tablet: Tablet, lane: str, fate: str = "ok", *, pick: int = 0, slow: bool = False) -> int | None:
        """The lane's next call under ``fate``, or nothing when it waits; then gives how many ms (None: for ever)."""
        if lane in tablet.flights:
            self.land(tablet, lane)
            return 0
        if (rest := tablet.rests.get(lane, 0) - tablet.now) > 0:
            return rest
        step = tablet.engine.next(tablet.view(), tablet.now, lane)
        if isinstance(step, Wait):
            return None if step.until is None else max(step.until - tablet.now, 0)
        body = step.body or b""
        if step.evidence is not None:
            try:
                body = run(tablet.outbox.evidence_body(step.evidence))
            except Problem as problem:
                tablet.flights[lane] = Flight(step, Reply(failure=LOCAL, detail=str(problem)), self.clock.now())
                self.land(tablet, lane)
                return 0
            if step.part:
                body = body[step.part[0] : step.part[0] + step.part[1]]
        letter = Letter(step, tablet.target, body, tablet.number)
        reply = self.network.carry(letter, fate, pick, tablet.identity.receipt_key)
        tablet.flights[lane] = Flight(step, reply, self.clock.now())
        if not slow:
            self.land(tablet, lane)
        return 0

    def land(self, tablet: Tablet, lane: str) -> None:
        """The reply of the call under way arrives, and the tablet notes what it taught."""
        flight = tablet.flights.pop(lane)
        marks = tablet.engine.took(lane, flight.reply, tablet.view(), tablet.now)
        if marks and not tablet.survive(tablet.outbox.mark(marks)):
            # As the driver does after a fault of the tablet itself; of no matter if it crashed and began anew.
            tablet.rests[lane] = tablet.now + tablet.policy.trouble_wait_ms
        elif tablet.engine.status().last_contact == tablet.now:
            tablet.heard = flight.at

    def greet(self, tablet: Tablet) -> None:
        """Lets the tablet find its server again, if it is looking for it, so that what follows meets real calls."""
        for _ in range(5):
            if tablet.engine.status().up or TALK in tablet.flights:
                return
            self.pass_time(self.step(tablet, TALK) or 0)

    # --- what happens to it all ---

    def back_up(self) -> None:
        """A backup now and then; only the last three are kept."""
        self.backups = [*self.backups[-2:], self.server.backup(self.now)]

    def restore(self, pick: int) -> Backup | None:
        """The server is lost, and comes back from a backup that is young enough, by its own clock too: tablets clear
        away by that."""
        young = self._young()
        if not young:
            return None
        self.restore_from(young[pick % len(young)])
        return young[pick % len(young)]

    def _young(self) -> list[Backup]:
        self.latest = max(self.latest, self.clock.now())
        return [backup for backup in self.backups if self.now - backup.made_at < BACKUPS_LAST
                and self.latest - backup.made_on < timedelta(milliseconds=BACKUPS_LAST)]

    def restore_from(self, backup: Backup) -> None:
        """The server comes back from this very backup, whatever was restored before."""
        self.truth.note_registers()
        self.clock.advance(seconds=0.001)  # so that the new epoch is drawn from another seed
        self.server.restore(backup)
        self.restored = True
        self.truth.after_restore()

    def put_image_back(self, pick: int) -> bool:
        """An image of the server's disk is put back and nobody says so; the first to call is a tablet that was told
        more than is there, if there is one (else nobody can know it, and the administrator says it). Says whether."""
        young = self._young()
        if not young:
            return False
        backup = young[pick % len(young)]
        self.truth.note_registers()
        self.clock.advance(seconds=0.001)
        self.server.put_image_back(backup)
        self.restored = True
        told = [tablet for tablet in self.tablets if self.server.proves(tablet.view().witness)]
        if told:
            before, first = self.server.epoch, told[pick % len(told)]
            # Whatever call it is: a question, news, or a record that is to be given a number.
            first.flights.clear()
            first.open()
            if pick % 2:
                self.truth.note(first.sign("order", 0, pick, tuple(self.truth.signed.values())))
            self.greet(first)
            for _ in range(3):
                self.step(first, TALK)
            assert self.server.epoch != before, "it was not noticed"
        else:
            self.server.begin_life()
        self.truth.after_restore()
        return bool(told)

    def give_out(self, pick: int) -> None:
        """The office gives out what must never be given out again: a code to a tablet nobody sees any more, and
        pre-printed placards to one that may not hear of them."""
        city = self.server.city
        self.given += 1
        found = enrol_tablet(city, create_enrolment_code(city, "keeper"), fingerprint(b"given %d" % self.given))
        self.truth.note_code(found.tablet.code, found.tablet.id)
        self.truth.note_leased(found.tablet.code, {number.number for number in found.lease})
        code = self.tablets[pick % len(self.tablets)].identity.code
        try:
            sheet = blanks.print_blanks(city, "carol", code, 1 + pick % 3)
        except Problem as problem:
            # Withdrawn, or not known to the backup, or before carol held the power.
            assert problem.code in ("tablet-revoked", "not-found", "no-authority"), problem
            return
        self.truth.note_papers({blank.number for blank in blanks.stack(city, code, sheet)})
        self.server.version += 1

    def copy_tablet(self, tablet: Tablet) -> None:
        """Somebody copies all of a tablet onto another one, and both are used from now on."""
        medium = Medium()
        medium.files = dict(tablet.medium.files)
        # What is left of the numbers of a code that it had before is copied too.
        left = {doc["number"].split("-")[2] for doc in tablet.store.table("lease").all()}
        self.truth.copied_codes |= {tablet.identity.code, *left}
        other = Tablet(tablet.identity, len(self.tablets), lambda: self.now, medium, Box(tablet.box.files),
                       policy=tablet.policy, withdrawn=tablet.withdrawn)  # fmt: skip
        self.tablets.append(other)

    def set_tablet_back(self, tablet: Tablet, earlier: tuple[Identity, dict[str, bytes]]) -> None:
        """The tablet's system restores an earlier state of its storage; photos are still there."""
        tablet.identity, files = earlier
        tablet.heard = None
        tablet.medium.files = dict(files)
        tablet.medium.life += 1
        self.truth.copied_codes.add(tablet.identity.code)
        tablet.open()
        self.truth.after_set_back()

    def recode(self, tablet: Tablet, pick: int) -> None:
        """A tablet that has heard that it is a copy asks for a code of its own; at times the answer is lost first."""
        if not tablet.view().copied or tablet.withdrawn:
            return
        secret = fingerprint(f"{tablet.number}/{tablet.identity.code}".encode())
        people = [SignIn(person, ident, key.hex()) for person, (ident, key) in tablet.identity.credentials.items()]
        request = recode_request(secret, people)
        letter = Letter(request, tablet.target, request.body or b"", tablet.number)
        for fate in (("reply lost", "ok"), ("twice",), ("ok",))[pick % 3]:
            reply = self.network.carry(letter, fate, pick, tablet.identity.receipt_key)
        try:
            found, signed_in = read_recoded(reply)
        except Problem as problem:
            # An old token is renewed by its next call; a restored server may have withdrawn it meanwhile.
            assert problem.code in ("token-expired", "tablet-revoked"), problem
            return
        self.truth.note_code(found.tablet_code, found.tablet_id)
        if len(signed_in) == len(people) and tablet.recode(found, signed_in, secret):
            self.truth.recoded += 1

    def fork(self, tablet: Tablet, signed: Signed) -> None:
        """A record comes with other content under its id, truly signed by that tablet."""
        said = decode(signed.text)
        if said["user"] != "ada" or signed.code != tablet.identity.code:
            return  # of a code that it had before it has no key any more
        said["body"]["forked"] = True
        text = encode(said).decode()
        body = encode({"items": [tablet.item(signed, text)]})
        reply = self.server.call("POST", "/api/v1/facts", {
            "authorization": f"Bearer {tablet.view().token}", "siltwatch-protocol": "1",
            "content-type": "application/json"}, body)  # fmt: skip
        if reply is not None and b'"token-expired"' in reply.body:
            return  # a tablet renews its token first; this one has not been in touch for too long
        assert reply is not None and reply.status == 200, reply
        self.truth.forked(signed.id, text)

    def tidy(self, tablet: Tablet) -> None:
        """The tablet clears away what the server has had for 14 days, by the server's time when it was last heard."""
        self.truth.purged.update(tablet.purge())

    def office(self, what: str, pick: int) -> None:
        """The office does something of its own."""
        self.server.version += 1
        self.truth.decide(what, pick)

    # --- by file ---

    def save_to_file(self, tablet: Tablet, everything: bool) -> None:
        """A person saves the tablet's records to a file; the last few are kept, and may come to the office late."""
        data = tablet.save_to_file(everything)
        if data is not None:
            self.saved = [*self.saved[-3:], (tablet, data)]

    def take_in(self, pick: int, fate: str) -> None:
        """The office takes one of the files in, and the tablet gets the answer, unless the fate of it is another."""
        tablet, data = self.saved[pick % len(self.saved)]
        server = self.server

        def work() -> importing.Taken:
            return importing.take_in(server.city, "keeper", io.BytesIO(data))

        MET[f"file: {fate}"] += 1
        if fate == "cut":
            data, before = data[: pick % 10 * len(data) // 10], server.facts()
            try:
                server.do(work)
            except Problem as problem:
                assert problem.code in ("export-malformed", "export-damaged"), problem
            else:
                raise AssertionError("a part of a file was taken for a whole one")
            assert server.facts() == before
            return
        taken = server.do(work, dies={"server dies": pick * 4, "answer lost": 1_000_000}.get(fate))
        if fate == "twice":
            again = server.do(work)
            assert again.receipts.facts == taken.receipts.facts
        if taken is not None:
            try:
                tablet.take_receipts(taken.receipts.to_bytes())
            except Problem as problem:
                # It asked for a code of its own since, or has not heard of a restart yet.
                assert problem.code in ("receipts-other-tablet", "receipts-other-epoch"), problem

    # --- at the end ---

    def settle(self) -> None:
        """The network is good from now on: everything must come to rest, by itself, in bounded time."""
        while self.network.late:
            self.network.deliver_late(0)
        for tablet in self.tablets:
            tablet.medium.crash_in = tablet.medium.room = None
        end = self.now + 4 * 3_600_000
        for _ in range(1_500):
            if self.truth.at_rest():
                return
            waits = [self.step(tablet, lane) for tablet in self.tablets for lane in LANES]
            times = [wait for wait in waits if wait is not None]
            if all(times):
                self.pass_time(min(times))
            if self.now > end:
                break
        raise AssertionError(f"it does not come to rest: {self.truth.unrest()}")
