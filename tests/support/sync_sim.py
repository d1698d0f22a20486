"""Simulated time for the sync engine: two lanes, an outbox, and a server that is a plain function.

Nothing sleeps. ``Sim.run`` jumps from one moment at which something happens to the next, so back-off and time-outs
are asserted exactly. ``Desk`` is a small server that keeps to the protocol, with switches to misbehave.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from sync.client.calls import Reply, Request, Wait
from sync.client.engine import FILES, LANES, TALK, Engine
from sync.client.outbox import MemoryOutbox
from sync.client.policy import Policy
from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint
from sync.records.protocol import HEADER_EPOCH, HEADER_PROTOCOL
from sync.records.receipts import EvidenceReceipt, Receipt, seal
from sync.records.times import At, parse_wall
from sync.records.wire import decode, encode

KEY = b"k" * 32
AT = "2026-08-27T19:03:22.000+00:00"
Server = Callable[[Request, int], "Reply | tuple[Reply, int]"]


def done(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine of MemoryOutbox, which never waits; works inside a running loop too."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for something")


def small_fact(number: int, *, files: tuple[bytes, ...] = (), revises: str | None = None, **more: Any) -> Fact:
    """A fact of a kind no version knows: the envelope is what the engine looks at."""
    return Fact(
        city="demo",
        id=f"{number:032x}",
        kind=more.pop("kind", "spoken_note"),
        tablet="T07",
        counter=number,
        user="ada",
        at=At(parse_wall("2026-08-27T14:03:22-05:00", "wall"), "America/Chicago", 1, "b", None),
        pack="demo@2026.1",
        body=more.pop("body", {"n": number}),
        revises=revises,
        evidence=tuple(Evidence(fingerprint(data), "photo", len(data), "image/jpeg") for data in files),
        **more,
    )


def queue(port: MemoryOutbox, fact: Fact, *files: bytes) -> str:
    """Puts the fact and its files into the outbox; gives the fact's id."""
    for data in files:
        done(port.keep(data))
    return done(port.queue(freeze(fact), mac="0" * 64, credential="c1"))


@dataclass
class Desk:
    """A server in a dictionary. ``epoch`` may change; ``answer_for`` decides about a fact (id -> answer, reason)."""

    epoch: str = "e1"
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    feed: list[dict[str, Any]] = field(default_factory=list)
    scope: str = "1"
    page: int = 100
    refused: set[str] = field(default_factory=set)
    answer_for: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    leased: int = 100
    calls: list[tuple[int, str]] = field(default_factory=list)

    def __call__(self, request: Request, now: int) -> Reply:
        self.calls.append((now, request.purpose))
        return getattr(self, f"_{request.purpose}")(request)

    def reply(self, data: dict[str, Any], status: int = 200) -> Reply:
        headers = {HEADER_PROTOCOL.lower(): "1", HEADER_EPOCH.lower(): self.epoch, "content-type": "application/json"}
        return Reply(status, headers, encode(data))

    def problem(self, status: int, code: str) -> Reply:
        return self.reply({"code": code, "status": status, "detail": f"said {code}"}, status)

    def receipt(self, fact: str) -> dict[str, str]:
        text = self.facts[fact]
        answer, reason = self.answer_for.get(fact, ("applied", None))
        held = {item["sha256"]: item["sha256"] in self.files for item in decode(text)["evidence"]}
        return seal(Receipt(fact, fingerprint(text.encode()), answer, reason, held, self.epoch, AT), KEY)

    def _hello(self, _: Request) -> Reply:
        return self.reply({"siltwatch": True, "protocol": {"min": 1, "max": 1}, "epoch": self.epoch, "time": AT,
                           "city": "demo"})

    def _push(self, request: Request) -> Reply:
        results = []
        for item in decode(request.body)["items"]:
            fact = decode(item["fact"])["id"]
            if fact in self.refused:
                results.append({"refused": {"code": "fact-malformed", "detail": "no"}})
            else:
                self.facts.setdefault(fact, item["fact"])
                results.append(self.receipt(fact))
        return self.reply({"results": results})

    def _receipts(self, request: Request) -> Reply:
        ids = decode(request.body)["facts"]
        return self.reply({"results": [self.receipt(i) if i in self.facts else {"unknown": i} for i in ids]})

    def _put(self, request: Request) -> Reply:
        self.files[request.evidence] = 1
        return self.reply(seal(EvidenceReceipt(request.evidence, 1, self.epoch, AT), KEY))

    def _pull(self, request: Request) -> Reply:
        asked = request.note
        restart = (asked.epoch, asked.scope) != (self.epoch, self.scope)
        start = 0 if restart else asked.seq
        items = self.feed[start : start + self.page]
        seq = start + len(items)
        return self.reply({"epoch": self.epoch, "scope": self.scope, "items": items, "restart": restart,
                           "next": {"epoch": self.epoch, "scope": self.scope, "seq": seq},
                           "more": seq < len(self.feed)})

    def _lease(self, request: Request) -> Reply:
        after = decode(request.body)["after"]
        numbers = [{"number": f"SW-{n}", "counter": n, "token": f"t{n}"} for n in range(after + 1, after + 21)]
        return self.reply({"numbers": numbers, "seal": "s"})


class Sim:
    """One tablet in simulated time. ``server`` answers at once, or with (reply, milliseconds it took)."""

    def __init__(self, server: Server, *, port: MemoryOutbox | None = None, jitter: float = 0.0, policy=None):
        self.server, self.port, self.now = server, port or MemoryOutbox(), 0
        self.engine = Engine(KEY, "demo", lambda: jitter, policy or Policy(lease_low=0))
        self._busy: dict[str, tuple[int, Reply]] = {}
        self._wait: dict[str, int | None] = dict.fromkeys(LANES, 0)
        self.requests: list[tuple[int, Request]] = []

    def stir(self) -> None:
        self._wait = dict.fromkeys(LANES, self.now)

    def wake(self, why: str) -> None:
        self.engine.wake(self.now, why)
        self.stir()

    def run(self, until: int, *, stop: Callable[[], bool] | None = None) -> None:
        """Lets time pass until the moment ``until`` (ms), or until ``stop()`` holds after some event."""
        for _ in range(100_000):
            self._start()
            times = [at for at, _ in self._busy.values()]
            times += [at for lane, at in self._wait.items() if at is not None and lane not in self._busy]
            if not times or min(times) > until:
                self.now = until
                return
            self.now = max(self.now, min(times))
            self._finish()
            if stop is not None and stop():
                return
        raise AssertionError("the engine runs hot: 100000 events")

    def _start(self) -> None:
        for lane in (TALK, FILES):
            at = self._wait[lane]
            if lane in self._busy or at is None or at > self.now:
                continue
            step = self.engine.next(self.port.view(), self.now, lane)
            if isinstance(step, Wait):
                assert step.until is None or step.until > self.now, f"{lane} waits for the past: a busy loop"
                self._wait[lane] = step.until
                continue
            self.requests.append((self.now, step))
            answer = self.server(step, self.now)
            reply, took = answer if isinstance(answer, tuple) else (answer, 0)
            took = min(took, step.timeout_ms)
            if took == step.timeout_ms:
                reply = Reply(failure="timeout")
            self._busy[lane] = (self.now + took, reply)

    def _finish(self) -> None:
        for lane in [lane for lane, (at, _) in self._busy.items() if at <= self.now]:
            _, reply = self._busy.pop(lane)
            marks = self.engine.took(lane, reply, self.port.view(), self.now)
            done(self.port.mark(marks))
            self.stir()

    def states(self) -> dict[int, str]:
        """State by counter."""
        return {row.counter: row.state for row in self.port.view().facts}

    def purposes(self) -> list[str]:
        return [request.purpose for _, request in self.requests]
