"""What the sync benchmarks share: a real server process, tablets that talk to it, and files to hand over.

Everything lies under build/bench, on the disk that the project is on; bodies are made before any clock starts.
"""

import hashlib
import itertools
import json
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sync.records.facts import Evidence, Fact, freeze
from sync.records.macs import sign
from sync.records.protocol import EVIDENCE, FACTS, HEADER_EVIDENCE_KIND, HEADER_PROTOCOL, PROTOCOL
from tests.support.city import inspection_body
from tests.support.pictures import picture
from tests.support.remote_tablet import RemoteTablet, enrol_remote
from tests.support.server import Server

ROOT = Path(__file__).resolve().parents[2] / "build" / "bench"
FACT_BYTES, PHOTO_BYTES = 2_000, 300_000
_seeds = itertools.count(1)


@contextmanager
def folder() -> Iterator[Path]:
    """An empty folder that is removed afterwards."""
    ROOT.mkdir(parents=True, exist_ok=True)
    found = Path(tempfile.mkdtemp(dir=ROOT))
    try:
        yield found
    finally:
        shutil.rmtree(found, ignore_errors=True)


@contextmanager
def served(place: Path, tablets: int) -> Iterator[tuple[Server, list[RemoteTablet]]]:
    """The real server as a process of its own on the machine's clock, and so many enrolled tablets."""
    with Server(place / "city", at=None) as server:
        yield server, [enrol_remote(server, "ada") for _ in range(tablets)]


@dataclass
class Inspection:
    """One inspection ready to go: the body of its push, and (SHA-256, bytes) of its photos."""

    push: bytes
    fact: bytes
    photos: list[tuple[str, bytes]] = field(default_factory=list)


def new_photo(size: int = PHOTO_BYTES) -> tuple[str, bytes]:
    data = picture(size, next(_seeds))
    return hashlib.sha256(data).hexdigest(), data


def inspection(tablet: RemoteTablet, photos: int = 2) -> Inspection:
    """A signed inspection of about FACT_BYTES bytes."""
    made = [new_photo() for _ in range(photos)]
    evidence = tuple(Evidence(sha, "photo", len(data), "image/jpeg") for sha, data in made)
    answers = [{"item": f"TRK-{n:02}", "subject": None, "answer": {"answer": "yes"}, "note": ""} for n in range(1, 31)]
    body = inspection_body(answers=answers[:10])
    fact: Fact = tablet.fact("inspection_signed", body, evidence=evidence)
    data = freeze(fact)
    note = "x" * max(0, FACT_BYTES - len(data))
    body["answers"][0]["note"] = note
    tablet.counter -= 1
    fact = tablet.fact("inspection_signed", body, evidence=evidence)
    data = freeze(fact)
    ident, key = tablet.credentials[fact.user]
    item = {"fact": data.decode(), "mac": sign(key, data), "credential": ident}
    return Inspection(json.dumps({"items": [item]}).encode(), data, made)


@dataclass
class Answer:
    """``headers`` by lower-case name."""

    status: int
    headers: dict[str, str]
    said: bytes


class Line:
    """One kept-alive connection of a tablet: a bare socket, because what is measured is the server. A client that takes
    part in HTTP as a library does spends a third of one of the two cores on itself."""

    def __init__(self, server: Server, tablet: RemoteTablet) -> None:
        self._marks = (f"Host: localhost\r\n{HEADER_PROTOCOL}: {PROTOCOL}\r\n"
                       f"Authorization: Bearer {tablet.told['device_token']}\r\n")
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, method: str, path: str, body: bytes | memoryview = b"", **headers: str) -> Answer:
        """Sends one request and reads the whole answer. Raises RuntimeError for anything but a 2xx."""
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"{method} {path} HTTP/1.1\r\n{self._marks}{more}Content-Length: {len(body)}\r\n\r\n".encode()
        sent = self._socket.sendmsg([head, body]) - len(head)
        if sent < len(body):
            self._socket.sendall(memoryview(body)[max(sent, 0):])
        answer = self._read()
        if not 200 <= answer.status < 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.said[:300]!r}")
        return answer

    def _read(self) -> Answer:
        got = self._piece()
        while (end := got.find(b"\r\n\r\n")) < 0:
            got += self._piece()
        first, *fields = got[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
        size = end + 4 + int(headers.get("content-length", "0"))
        while len(got) < size:
            got += self._piece()
        return Answer(int(first.split(" ", 2)[1]), headers, got[end + 4 :])

    def _piece(self) -> bytes:
        piece = self._socket.recv(256 * 1024)
        if not piece:
            raise RuntimeError("the server closed the connection")
        return piece

    def push(self, body: bytes, facts: int = 1) -> None:
        """Pushes so many facts; every one must have been applied."""
        said = self.call("POST", FACTS, body, **{"Content-Type": "application/json"}).said
        if said.count(rb'\"answer\":\"applied\"') != facts:
            raise RuntimeError(f"not applied: {said[:300]!r}")

    def put(self, sha: str, data: bytes) -> None:
        self.call("PUT", EVIDENCE + sha, data, **{"Content-Type": "image/jpeg", HEADER_EVIDENCE_KIND: "photo"})

    def close(self) -> None:
        self._socket.close()
