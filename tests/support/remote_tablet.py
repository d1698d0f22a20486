"""A tablet at the other end of real HTTP: enrols, signs in, signs facts, sends them. For tests of the process."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import fingerprint, sign
from sync.records.protocol import ENROL, EVIDENCE, FACTS, HEADER_EVIDENCE_KIND, HEADER_MARKS, RECEIPTS, SIGN_IN
from sync.records.receipts import EvidenceReceipt, Receipt, open_evidence_receipt, open_receipt
from sync.records.times import At, parse_wall
from tests.support.server import Server


@dataclass(slots=True)
class RemoteTablet:
    """``told``: what the server said at enrolment. Counts its facts by itself."""

    server: Server
    told: dict[str, Any]
    source: random.Random
    credentials: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    counter: int = 0

    @property
    def key(self) -> bytes:
        return bytes.fromhex(self.told["receipt_key"])

    def client(self) -> httpx.Client:
        return self.server.client(self.told["device_token"])

    def sign_in(self, person: str) -> None:
        with self.client() as client:
            told = client.post(SIGN_IN, json={"code": self.server.personal_code(person)}).raise_for_status().json()
        self.credentials[person] = (told["credential"]["id"], bytes.fromhex(told["credential"]["key"]))

    def fact(self, kind: str, body: dict[str, Any], *, user: str = "ada", files: tuple[bytes, ...] = (),
             **changes: Any) -> Fact:
        """The next fact; ``files`` are the bytes of its photos."""
        self.counter += 1
        return Fact(**{
            "city": "demo", "id": self.source.randbytes(16).hex(), "kind": kind, "tablet": self.told["tablet_code"],
            "counter": self.counter, "user": user, "pack": "demo@2026.1", "body": body,
            "at": At(parse_wall("2026-08-27T14:03:22-05:00", "wall"), "America/Chicago", 1, "b", 0),
            "evidence": tuple(Evidence(fingerprint(data), "photo", len(data), "image/jpeg") for data in files),
            **changes,
        })

    def item(self, fact: Fact) -> dict[str, str]:
        ident, key = self.credentials[fact.user]
        data = freeze(fact)
        return {"fact": data.decode(), "mac": sign(key, data), "credential": ident}

    def push(self, *facts: Fact) -> list[Receipt]:
        with self.client() as client:
            results = client.post(FACTS, json={"items": [self.item(fact) for fact in facts]}).raise_for_status().json()
        return [open_receipt(result, self.key) for result in results["results"]]

    def receipts(self, *facts: Fact) -> list[Receipt | None]:
        with self.client() as client:
            told = client.post(RECEIPTS, json={"facts": [fact.id for fact in facts]}).raise_for_status().json()
        return [None if "unknown" in result else open_receipt(result, self.key) for result in told["results"]]

    def put(self, data: bytes, kind: str = "photo") -> EvidenceReceipt:
        with self.client() as client:
            sealed = client.put(EVIDENCE + fingerprint(data), content=data,
                                headers={HEADER_EVIDENCE_KIND: kind}).raise_for_status().json()
        return open_evidence_receipt(sealed, self.key)


_seeds = itertools.count(1)


def enrol_remote(server: Server, *persons: str) -> RemoteTablet:
    """A tablet enrolled with the running server, with these people signed in (ada when nobody is named)."""
    source = random.Random(next(_seeds))
    with server.client() as client:
        told = client.post(ENROL, json={"code": server.enrol_code(), "secret": source.randbytes(32).hex()},
                           headers={HEADER_MARKS: "1"})
    tablet = RemoteTablet(server, told.raise_for_status().json(), source)
    for person in persons or ("ada",):
        tablet.sign_in(person)
    return tablet
