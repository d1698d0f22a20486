"""What the network, and whoever sits in it, may do to one call of the sync state machine.

A fate is told the call and returns what the tablet gets; whether and how often the server got the call is part of it.
"""

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sync.client.calls import CUT, INSECURE, OFFLINE, REDIRECT, TIMEOUT, Reply, Request, Target
from sync.records.macs import fingerprint
from sync.records.protocol import (
    HEADER_EPOCH,
    HEADER_MARKS,
    HEADER_PROTOCOL,
    HEADER_RENEWS,
    HEADER_WITNESS,
    PROTOCOL,
)
from sync.records.receipts import EvidenceReceipt, Receipt, seal
from sync.records.wire import encode
from tests.model.office import Server

_OURS = {HEADER_PROTOCOL.lower(): str(PROTOCOL), "content-type": "application/json"}
# Answers of somebody who is not our server, or of something in front of it.
STRANGERS: dict[str, Reply] = {
    "log-in page": Reply(200, {"content-type": "text/html"}, b"<html>log in to this Wi-Fi</html>"),
    "log-in page as JSON": Reply(200, {"content-type": "application/json"}, b"<!doctype html><p>log in"),
    "redirect": Reply(302, {"location": "http://wifi.example/login"}, b"", REDIRECT),
    "foreign 201": Reply(201, {"content-type": "application/json"}, b'{"created":true}'),
    "empty 200": Reply(200, {}, b""),
    "empty 204": Reply(204, {}, b""),
    "bad gateway": Reply(502, {"content-type": "text/html"}, b"<html>bad gateway</html>"),
    "busy": Reply(503, {"retry-after": "3", **_OURS}, encode({"code": "server-busy", "status": 503})),
    "failure of a proxy": Reply(500, {"content-type": "text/plain"}, b"upstream"),
    "not encrypted": Reply(failure=INSECURE),
    "no network": Reply(failure=OFFLINE),
}
# What becomes of a call between an honest tablet and an honest server.
ROADS = ("ok", "ok", "ok", "ok", "lost", "reply lost", "twice", "late", "cut", "reply cut")
LIES = ("another city's server", "forged receipts", "forged receipts", "stale reply", "half an answer",
        "empty answer of ours")  # fmt: skip
FAULTS = ("bytes change", "server dies", "server dies after commit", "no room for files", "no room in the database",
          "newer tablet", "older tablet", "tablet of before")  # fmt: skip
# What a tablet says that is of an older version, and still served.
_BEFORE = (HEADER_WITNESS, HEADER_MARKS, HEADER_RENEWS)
FATES = (*ROADS, *STRANGERS, *LIES, *FAULTS)


@dataclass
class Letter:
    """A call as it travels: it may arrive later, again, or never."""

    request: Request
    target: Target
    body: bytes
    serial: int = 0  # of the tablet that wrote it


@dataclass
class Network:
    """Between all tablets and the one server. ``late``: calls that everybody has given up; ``heard``: good replies."""

    server: Server
    late: list[Letter] = field(default_factory=list)
    heard: dict[tuple[int, str], list[Reply]] = field(default_factory=dict)
    drawn: ClassVar[Counter[str]] = Counter()  # of all runs of this process: how often each fate was met

    def deliver(self, letter: Letter, **how: Any) -> Reply | None:
        """The call reaches the server."""
        request = letter.request
        without = how.pop("without", ())
        headers = letter.target.headers(request) | how.pop("headers", {})
        headers = {name: value for name, value in headers.items() if name not in without}
        return self.server.call(request.method, request.path, headers, letter.body, **how)

    def deliver_late(self, index: int) -> None:
        """A call that was given up long ago reaches the server after all."""
        self.deliver(self.late.pop(index % len(self.late)))

    def carry(self, letter: Letter, fate: str, pick: int, receipt_key: bytes) -> Reply:
        """What the tablet gets for its call under ``fate``; ``pick`` chooses the place of a cut and the like."""
        size = len(letter.body)
        self.drawn[fate] += 1
        match fate:
            case "ok":
                return self._answered(letter)
            case "lost":
                return Reply(failure=TIMEOUT)
            case "late":
                self.late.append(letter)
                return Reply(failure=TIMEOUT)
            case "reply lost":
                self.deliver(letter)
                return Reply(failure=TIMEOUT)
            case "reply cut":
                self.deliver(letter)
                return Reply(failure=CUT)
            case "twice":
                self.deliver(letter)
                return self._answered(letter)
            case "cut":
                self.deliver(letter, cut=pick * size // 10)
                return Reply(failure=CUT)
            case "bytes change":  # of a file; a changed record would be one that nobody signed
                if letter.request.evidence is None or not size:
                    return Reply(failure=CUT)
                place = pick * (size - 1) // 10
                changed = letter.body[:place] + bytes([letter.body[place] ^ 1]) + letter.body[place + 1 :]
                return self._answered(replace(letter, body=changed))
            case "server dies":
                self.deliver(letter, dies=pick * 4)
                return Reply(failure=CUT)
            case "server dies after commit":
                self.deliver(letter, dies=1_000_000)
                return Reply(failure=CUT)
            case "no room for files" | "no room in the database":
                with self.server.no_room(fate.rpartition(" ")[2]):
                    return self._answered(letter)
            case "newer tablet":
                return self._answered(letter, headers={HEADER_PROTOCOL: str(PROTOCOL + 1)})
            case "older tablet":
                return self._answered(letter, headers={HEADER_PROTOCOL: "0"})
            case "tablet of before":
                return self._answered(letter, without=_BEFORE)
            case "another city's server":
                return _elsewhere(letter, pick)
            case "forged receipts":
                return self._forged(letter, receipt_key, pick)
            case "stale reply":
                before = self._kept(letter)
                return before[pick % len(before)] if before else Reply(failure=CUT)
            case "half an answer":
                reply = self._answered(letter)
                return Reply(reply.status, reply.headers, reply.body[: pick * len(reply.body) // 10])
            case "empty answer of ours":
                headers = {**_OURS, HEADER_EPOCH.lower(): self.server.epoch}
                return Reply(200, headers, (b"{}", b"[]", b"null", b'{"results":[]}')[pick % 4])
            case _:
                return STRANGERS[fate]

    def _answered(self, letter: Letter, **how: Any) -> Reply:
        reply = self.deliver(letter, **how)
        assert reply is not None
        if 200 <= reply.status < 300:
            kept = self.heard.setdefault((letter.serial, letter.request.purpose), [])
            kept.append(reply)
            del kept[:-6]
        return reply

    def _kept(self, letter: Letter) -> list[Reply]:
        """The answers to calls of this kind that may come again: also those of lives of the server that are over, once
        the tablet holds a witness of the present one. Before that only what it asks next tells it which life it is."""
        knows = f".{self.server.epoch}." in letter.target.witness
        return [reply for reply in self.heard.get((letter.serial, letter.request.purpose), ())
                if knows or reply.headers.get(HEADER_EPOCH.lower(), "") in ("", self.server.epoch)]

    def forget(self) -> None:
        """The end of a run: what is large goes at once."""
        self.heard.clear()

    def _forged(self, letter: Letter, key: bytes, pick: int) -> Reply:
        """Somebody who read the protocol: receipts of the right form for all that was sent, under a key of his own, or
        under the right key for something else (what a mix-up of the server itself would look like)."""
        request, epoch = letter.request, self.server.epoch
        headers = {**_OURS, HEADER_EPOCH.lower(): epoch}
        at = "2026-08-27T20:00:00.000+00:00"
        seals = key if pick % 2 else b"f" * 32
        if request.purpose in ("push", "receipts"):
            said = json.loads(letter.body)
            facts = said["facts"] if request.purpose == "receipts" else [json.loads(i["fact"])["id"]
                                                                          for i in said["items"]]  # fmt: skip
            texts = [""] * len(facts) if request.purpose == "receipts" else [i["fact"] for i in said["items"]]
            results = []
            for ident, text in zip(facts, texts, strict=True):
                files = {item["sha256"]: True for item in json.loads(text)["evidence"]} if text else {}
                # Under the right key it is about other bytes; under a wrong one it is right in everything else.
                sha = "0" * 64 if seals is key else fingerprint(text.encode())
                results.append(seal(Receipt(ident, sha, "applied", None, files, epoch, at), seals))
            return Reply(200, headers, encode({"results": results}))
        if request.purpose == "put":
            sha = "0" * 64 if seals is key else request.ids[0]
            return Reply(200, headers, encode(seal(EvidenceReceipt(sha, len(letter.body), epoch, at), seals)))
        if request.purpose == "pull":
            lost = {"epoch": "gone", "scope": "1", "seq": pick}
            page = {"epoch": "gone", "scope": "1", "items": [], "next": lost, "more": False, "restart": False}
            return Reply(200, headers, encode(page))
        return Reply(200, headers, encode({"siltwatch": True, "city": "springfield"}))


def _elsewhere(letter: Letter, pick: int) -> Reply:
    """The Siltwatch server of another city answers, in all its honesty."""
    headers = {**_OURS, HEADER_EPOCH.lower(): "e" * 32}
    if letter.request.purpose == "hello":
        hello = {"siltwatch": True, "protocol": {"min": 1, "max": 1 + pick}, "epoch": "e" * 32,
                 "time": "2026-08-27T20:00:00.000+00:00", "city": "springfield"}  # fmt: skip
        return Reply(200, headers, encode(hello))
    problem = {"type": "about:blank", "title": "", "status": 401, "code": "token-unknown", "detail": "", "where": "",
               "advice": ""}  # fmt: skip
    return Reply(401, {**headers, "content-type": "application/problem+json"}, encode(problem))
