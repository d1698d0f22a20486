"""The sync engine: given the outbox view and the time it says the next call, and it learns from the reply.

Sans-I/O: no clock, no randomness of its own, no network. Invariants: only a verified receipt finishes an item; no
item and no file stops another; a fact's bytes leave exactly as they were frozen; whatever reply is lost, repeating is
safe. There are two lanes, so that records never wait behind photos: "talk" (records, receipts, changes, lease) and
"files" (evidence). What is durable is in the outbox; what is in here may be lost at any moment.
"""

from collections.abc import Callable, Iterable

from sync.client.batches import Batches
from sync.client.calls import CUT, Reply, Request, Wait
from sync.client.enrolment import hello_request, lease_request, read_lease
from sync.client.link import BUSY, Link, LinkStatus
from sync.client.marks import EpochSeen, Leased, Mark, Renewed, Reread, Tried, Withdrawn
from sync.client.originals import Originals
from sync.client.policy import Policy
from sync.client.previews import Previews
from sync.client.questions import Questions
from sync.client.replies import Answer, judge
from sync.client.results import (
    Learned,
    hopeless,
    largest_in,
    read_hello,
    read_largest,
    read_page,
    read_push,
    read_receipts,
    read_witness,
    results_of,
)
from sync.client.rows import ON_THE_WAY, TOO_LARGE, FileRow
from sync.client.shelf import OutboxView
from sync.client.standing import Standing
from sync.client.talk import pull_request, push_request, receipts_request
from sync.client.troubles import Troubles
from sync.client.uploads import PURPOSES, Uploads
from sync.records.problems import Problem
from sync.records.protocol import PROTOCOL

LANES = TALK, FILES = ("talk", "files")
_ABOUT_US = {"token-missing", "token-unknown", "tablet-revoked"}


class Engine:
    """One tablet's engine. ``receipt_key`` opens receipts, ``jitter()`` gives a number in [0, 1)."""

    def __init__(
        self, receipt_key: bytes, city: str, jitter: Callable[[], float], policy: Policy | None = None
    ) -> None:
        self._key, self._city = receipt_key, city
        self.policy = policy or Policy()
        self._link = Link(self.policy, jitter)
        self._busy: dict[str, tuple[Request, int, str]] = {}
        self._batches = Batches(self.policy)
        self.pull_limit = self.policy.pull_limit
        self._troubles = Troubles(self.policy)
        self._uploads = Uploads(self.policy)
        self._questions = Questions(self.policy)
        self._standing = Standing(receipt_key, self.policy.call_timeout_ms)
        self._previews = Previews(self.policy)
        self.originals = Originals()
        self._suspects: list[Tried] = []
        self._lost: dict[str, int] = {}
        self._pull_at, self._lease_at, self._late_at = 0, 0, 0

    # --- what goes on around us ---

    def set_visible(self, visible: bool, now: int) -> None:
        """A hidden page tries less often; one that becomes visible tries at once."""
        self._link.visible = visible
        if visible:
            self.wake(now, "visible")

    def wake(self, now: int, why: str) -> None:
        """Something makes a try worth while: "item" (something new to send), "network", "visible", "person"."""
        self._link.wake(now, anew=why != "item")
        if why != "item":
            self._pull_at = min(self._pull_at, now)
            self._troubles.wake(now, everything=why == "person")
        if why == "network":
            self._uploads.anew(network=True)

    def forget(self, ids: Iterable[str]) -> None:
        """A person sends these items again: their failures in this run no longer count."""
        again = list(ids)
        self._troubles.forget(again)
        self._batches.again(again)

    def status(self) -> LinkStatus:
        """The connection now."""
        return self._link.status()

    def under_way(self) -> tuple[str, ...]:
        """The items (fact ids, SHA-256s) that are being sent right now."""
        sending = [request for request, *_ in self._busy.values() if request.purpose in ("push", *PURPOSES)]
        return tuple(id for request in sending for id in request.ids)

    def calling(self) -> bool:
        """Whether a call to the server is under way."""
        return bool(self._busy)

    def next_tries(self, view: OutboxView) -> dict[str, int]:
        """When each single item that waits by itself is tried or asked about again (monotonic ms), by id."""
        return self._questions.times(view) | self._troubles.times()

    # --- the next step ---

    def next(self, view: OutboxView, now: int, lane: str) -> Request | Wait:
        """The next call of ``lane``, or how long to wait. Each Request must come back through `took` or `gave_up`."""
        if lane in self._busy:
            raise RuntimeError(f"the {lane} lane already has a call under way")
        step = self._talk(view, now) if lane == TALK else self._file(view, now)
        if isinstance(step, Request):
            self._busy[lane] = (step, now, view.epoch)
            self._link.tries(now)
        return step

    def gave_up(self, lane: str) -> None:
        """The call under way was given up; nothing is known about it."""
        self._busy.pop(lane, None)

    def _talk(self, view: OutboxView, now: int) -> Request | Wait:
        if not self._link.up:
            if now < self._link.next_try:
                return Wait(self._link.next_try)
            return hello_request(self.policy.hello_timeout_ms)
        if renewal := self._standing.renewal(view, self._link.status(), now):
            return renewal
        self._late_at = self._late_at or now + self.policy.pull_late_ms
        if now >= self._late_at:  # records that fail again and again do not keep the news out
            self._late_at = 0
            return pull_request(view, self.pull_limit, self.policy.call_timeout_ms)
        whens: list[int] = [self._pull_at]
        if batch := self._batches.next(view, lambda row: self._troubles.ready("facts", row.id, now, whens)):
            return push_request(batch, self.policy.call_timeout_ms)
        if asking := self._questions.due(view, self._troubles, now, whens):
            return receipts_request(asking, view, self.policy.call_timeout_ms)
        if now >= self._pull_at:
            return pull_request(view, self.pull_limit, self.policy.call_timeout_ms)
        # The numbers of a copied code are not ours alone: there will be others under a code of our own.
        if view.lease_free < self.policy.lease_low and not view.copied:
            if now >= self._lease_at:
                return lease_request(view.lease_highest)
            whens.append(self._lease_at)
        return Wait(min(whens))

    def _file(self, view: OutboxView, now: int) -> Request | Wait:
        if not self._link.up or self._standing.renewing:
            return Wait(None)
        whens: list[int] = []
        for kind, rows in view.queues():
            if self.originals.holds_all(kind) or self._previews.holds(kind, view, now, whens):
                continue
            for row in rows:
                if not self.originals.holds(row) and self._may_go(row, now, whens):
                    return self._uploads.request(row, self._troubles.timeouts("evidence", row.sha256), now)
        return Wait(min(whens, default=None))

    def _may_go(self, row: FileRow, now: int, whens: list[int]) -> bool:
        # Of what was set aside the shelf gives only what may go again without a person. What the server failed on is
        # the one case that time alone may mend, so it is tried rarely.
        if row.park is not None and row.park.code == ON_THE_WAY:
            return self._uploads.again(row.sha256)
        return self._troubles.ready("evidence", row.sha256, now, whens)

    # --- what a reply teaches ---

    def took(self, lane: str, reply: Reply, view: OutboxView, now: int) -> tuple[Mark, ...]:
        """Learns from the reply to the call under way in ``lane``; gives the marks to apply, in order."""
        request, started, asked_in = self._busy.pop(lane)
        answer = judge(reply)
        epoch = answer.epoch or str(answer.data.get("epoch") or "") or view.epoch
        if request.purpose == "hello" and epoch in view.over:
            epoch = view.epoch  # whose time it is does not matter; what is asked next finds out which life it is
        elif epoch in view.over or asked_in != view.epoch != epoch:
            # The server began another life, before this was asked or while it was under way, and this is not of it.
            answer = judge(Reply(failure=CUT, detail="the answer is of an earlier life of the server"))
        if answer.ok:
            marks = self._another_life(epoch, view)
            if marks:
                self._pull_at = now
            learned = getattr(self, f"_took_{request.purpose}")(request, answer, view, epoch, now)
            if learned is None:
                self._link.down("wrong-server", f"{request.path}: not the answer of our server", now, started)
                return ()
            return (*marks, *read_largest(answer, view), *learned, *read_witness(answer, view))
        return (*read_largest(answer, view), *self._failed(request, answer, view, now, started))

    def _another_life(self, epoch: str, view: OutboxView) -> list[Mark]:
        """What follows when the server speaks of an epoch that is not the one we know."""
        if epoch in ("", view.epoch):
            return []
        self._questions.anew()
        self._uploads.anew(network=False)
        return [EpochSeen(epoch)]

    def _tried(self, table: str, id: str, answer: Answer, view: OutboxView, now: int) -> Tried:
        """One more failed try of an item; set aside when it was the last one it has."""
        row = view.row(table, id)
        park = row is not None and row.tries + 1 >= self.policy.tries
        self._troubles.add(table, id, now, wait=self.policy.parked_retry_ms if park else None)
        return Tried(table, id, answer.code, answer.detail, park)

    def _well(self, answer: Answer, view: OutboxView, now: int) -> None:
        """A call failed, and the link is good all the same."""
        self._link.good(now, heard=answer.ours and answer.epoch in ("", view.epoch))

    def _failed(self, request: Request, answer: Answer, view: OutboxView, now: int, started: int) -> list[Mark]:
        if request.purpose == "hello":
            # A hello that fails says that the server is not well: what failed before was not the item's fault.
            self._suspects.clear()
            self._troubles.wake(now, everything=False)
        if answer.ours and answer.code.startswith("protocol-"):
            code = "server-too-old" if answer.code == "protocol-too-new" else "app-too-old"
            self._link.down(code, answer.detail, now, started, self.policy.longest_asked_wait_ms)
            return []
        if answer.ours and answer.code == "tablet-revoked" and request.purpose in ("pull", "lease"):
            # A withdrawn tablet gets nothing more, but may hand over what it has: the link is good.
            self._well(answer, view, now)
            self._link.notice = answer.code
            self._pull_at = self._lease_at = now + self.policy.longest_asked_wait_ms
            # Only the server that knows our token says this, and it may be all that it ever says to us again.
            return [*self._another_life(answer.epoch, view), *([] if view.withdrawn else [Withdrawn(view.code)])]
        if answer.ours and answer.code == "token-expired" and self._standing.old(view, started, now):
            self._well(answer, view, now)
            # Only the server that knows our token says this: if it was restored meanwhile, we hear of it here first.
            return self._another_life(answer.epoch, view)
        if answer.ours and (answer.status == 401 or answer.code in _ABOUT_US):
            self._link.down("tablet-not-accepted", answer.detail, now, started)
            return []
        table = "evidence" if request.purpose in PURPOSES else {"push": "facts"}.get(request.purpose)
        if table == "evidence" and self._uploads.failed(request, answer):
            self._well(answer, view, now)
            return []
        if answer.code == "evidence-unknown" and not answer.ours and table == "evidence":
            return [Tried("evidence", request.ids[0], answer.code, answer.detail, park=True)]
        if table and answer.code == ON_THE_WAY:
            # Our server is well, and so is the item: only a person, or another network, can change this.
            return self._refused(table, request.ids, answer, view, now, started)
        if not answer.ours or answer.status in (408, 429, 503, 507):
            code = BUSY.get(answer.status, "server-busy") if answer.ours else answer.code
            wait = self.policy.full_wait_ms if code == "server-full" else answer.retry_ms
            self._link.down(code, answer.detail, now, started, wait)
            if table and answer.code in ("time-out", "connection-cut", "offline"):
                if len(request.ids) > 1:
                    self._batches.broke(len(request.ids))
                else:  # perhaps this one is too heavy for this network: let others go first
                    self._troubles.add(table, request.ids[0], now, of_link=True, timeout=answer.code == "time-out")
            return []
        if table is None:
            self._link.down("server-failed", f"{answer.code}: {answer.detail}", now, started)
            self._lease_at = now + self.policy.lease_every_ms if request.purpose == "lease" else self._lease_at
            # A place in the sequence that our server does not understand is none: read again from 0.
            return [Reread()] if request.purpose == "pull" and answer.ours and answer.status == 422 else []
        return self._refused(table, request.ids, answer, view, now, started)

    def _refused(
        self, table: str, ids: tuple[str, ...], answer: Answer, view: OutboxView, now: int, started: int
    ) -> list[Mark]:
        """Our server refused a whole call about items: find out which item it is, and whether it is the item."""
        failed = answer.status >= 500
        if failed:
            row = view.row(table, ids[0]) if len(ids) == 1 else None
            self._link.failed_on(len(ids), row is not None and row.tries > 0, answer.detail, now, started)
        else:
            self._well(answer, view, now)
        if table == "facts" and not answer.ours and len(ids) > 1:
            self._batches.broke(len(ids))
        elif table == "facts":
            self._batches.failed(ids)
        if len(ids) > 1:
            return []
        if answer.ours and (answer.status == 413 or hopeless(table, ids[0], answer, view)):
            code = TOO_LARGE if answer.status == 413 and table == "evidence" else answer.code
            largest = (largest_in(answer) or view.largest) if table == "evidence" else None
            return [Tried(table, ids[0], code, answer.detail, True, largest)]
        if failed:
            # Counts against the item only if the server is otherwise well: the next hello tells.
            self._suspects.append(Tried(table, ids[0], "server-failed", answer.detail))
            return []
        return [self._tried(table, ids[0], answer, view, now)]

    def _took_hello(self, _: Request, answer: Answer, view: OutboxView, __: str, now: int) -> list[Mark] | None:
        said = answer.data
        if said.get("siltwatch") is not True or (self._city and said.get("city") != self._city):
            return None
        versions = said.get("protocol") if isinstance(said.get("protocol"), dict) else {}
        lowest, highest = versions.get("min", PROTOCOL), versions.get("max", PROTOCOL)
        if not isinstance(lowest, int) or not isinstance(highest, int):
            return None
        if not lowest <= PROTOCOL <= highest:
            code = "app-too-old" if PROTOCOL < lowest else "server-too-old"
            detail = f"protocol {PROTOCOL} of {lowest}..{highest}"
            self._link.down(code, detail, now, now, self.policy.longest_asked_wait_ms)
            return []
        time, limits = read_hello(said, view)
        if time is None:
            return None
        self._link.greeted(now, time)
        suspects, self._suspects = self._suspects, []
        failed = [self._tried(s.table, s.id, Answer(False, True, 500, s.code, s.detail), view, now) for s in suspects]
        return [*limits, *failed]

    def _took_push(self, request: Request, answer: Answer, view: OutboxView, epoch: str, now: int) -> list[Mark] | None:
        rows = view.facts_of(request.ids)
        results = results_of(answer.data, rows)
        if results is None:
            return None
        self._batches.went(request.ids)
        return self._settled("facts", read_push(results, rows, self._key, epoch), view, now)

    def _settled(self, table: str, learned: Learned, view: OutboxView, now: int) -> list[Mark] | None:
        """Notes what is still in trouble. None when nothing in the answer was ours: then the whole answer is not."""
        for id in learned.doubtful:
            self._troubles.add(table, id, now)
        if learned.doubtful and not learned.marks and not learned.amiss:
            return None
        self._link.good(now)
        for mark in learned.marks:
            receipt = getattr(mark, "receipt", None)
            if receipt is not None:
                self._link.took(now)
                self._troubles.over(table, getattr(receipt, "fact", None) or receipt.sha256)
                if table == "facts" and receipt.whole:
                    self._questions.over(receipt.fact)
        amiss = Answer(False, True, 200, "receipt-amiss", "the server's receipt is for something else")
        marks = [*learned.marks, *self._standing.told(learned.marks, view)]
        return [*marks, *(self._tried(table, id, amiss, view, now) for id in learned.amiss)]

    def _took_receipts(
        self, request: Request, answer: Answer, view: OutboxView, epoch: str, now: int
    ) -> list[Mark] | None:
        rows = view.facts_of(request.ids)
        results = results_of(answer.data, rows)
        if results is None:
            return None
        learned = read_receipts(results, rows, self._key, epoch, request.note)
        marks = self._settled("facts", learned, view, now)
        if marks is None:
            return None
        for row in rows:
            if row is not None:
                self._questions.asked(row, request.note, now)
        for sha in learned.lost:
            self._lost[sha] = self._lost.get(sha, 0) + 1
            if self._lost[sha] >= self.policy.tries:
                marks.append(Tried("evidence", sha, "server-failed", "the server loses this file", park=True))
                self._troubles.add("evidence", sha, now, wait=self.policy.parked_retry_ms)
        return marks

    def _took_put(self, request: Request, answer: Answer, view: OutboxView, epoch: str, now: int) -> list[Mark] | None:
        row = view.file(request.ids[0])
        learned = Learned() if row is None else self._uploads.learn(request, answer, row, self._key, epoch, now)
        if learned is not None and not learned.doubtful:
            self._troubles.over("evidence", request.ids[0])  # one part more is there, or all of it
        return None if learned is None else self._settled("evidence", learned, view, now)

    _took_open = _took_patch = _took_put

    def _took_pull(self, request: Request, answer: Answer, view: OutboxView, epoch: str, now: int) -> list[Mark] | None:
        try:
            page = read_page(answer.data, request.note)
        except Problem:
            return None
        self._link.good(now)
        self._link.notice = ""
        self._pull_at, self._late_at = now + self.policy.first_wait_ms, 0
        if page.pulled is None or page.pulled.cursor.epoch != epoch:
            return [Reread()]
        if page.pulled.unread and self._troubles.asks_again(request.note):
            return []
        every = self.policy.pull_visible_ms if self._link.visible else self.policy.pull_hidden_ms
        self._pull_at = now if page.more else now + every
        if page.pulled.changes:
            self._questions.news(now)
        return [page.pulled, *self._standing.pulled(answer.data.get("counted"), view)]

    def _took_renew(
        self, request: Request, answer: Answer, view: OutboxView, epoch: str, now: int
    ) -> list[Mark] | None:
        token = answer.data.get("device_token")
        if not isinstance(token, str) or not token:
            return None
        self._link.good(now)
        self._standing.renewed(now)
        return [Renewed(token)]

    def _took_lease(
        self, request: Request, answer: Answer, view: OutboxView, epoch: str, now: int
    ) -> list[Mark] | None:
        try:
            numbers, seal = read_lease(answer.data)
        except Problem:
            return None
        self._link.good(now)
        self._lease_at = now + self.policy.lease_every_ms
        return [Leased(numbers, seal)] if numbers else []
