"""The calls that bring one evidence file over: a PUT when it fits one chunk, else tus 1.0, chunk by chunk.

Pure, and forgetful on purpose: how far a file is knows only the server, which is asked ("open": making an upload twice
is making it once) after every failure. Only the receipt in the answer to the last byte finishes a file.
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from sync.client.calls import Request
from sync.client.chunks import Chunks
from sync.client.policy import Policy
from sync.client.replies import Answer
from sync.client.results import Learned, read_put
from sync.client.rows import FileRow
from sync.records.problems import Problem
from sync.records.protocol import EVIDENCE, HEADER_EVIDENCE_KIND, HEADER_PREVIEW_OF, HEADER_RECEIPT, UPLOADS
from sync.records.wire import decode

TUS = {"Tus-Resumable": "1.0.0"}
PURPOSES = ("put", "open", "patch")
_BYTES = "application/offset+octet-stream"
# The server knows no such upload (any more), or is elsewhere in it: nobody's fault, it is asked again where it is.
_ASK_AGAIN = ("upload-unknown", "upload-offset")
_MANY = 5


@dataclass(slots=True)
class _Open:
    """``path`` of the upload on the server, which has ``offset`` bytes of it."""

    path: str
    offset: int


def _metadata(row: FileRow) -> str:
    said = {"sha256": row.sha256, "kind": row.kind, **({"of": row.of} if row.of else {})}
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in said.items())


def _sealed(answer: Answer) -> dict[str, Any]:
    """The sealed receipt in the answer's header; empty when there is none that can be read."""
    try:
        found = decode(base64.b64decode(answer.headers.get(HEADER_RECEIPT.lower(), ""), validate=True))
    except (Problem, binascii.Error, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


class Uploads:
    """What this run knows of the files that are on their way; lost with the process, and that is right."""

    def __init__(self, policy: Policy) -> None:
        self._policy, self.chunks = policy, Chunks(policy)
        self._open: dict[str, _Open] = {}
        self._plain: set[str] = set()
        self._astray: dict[str, int] = {}
        self._since = 0
        # What did not get through a proxy on this network; None: it is still the first one.
        self._refused: set[str] | None = None

    def request(self, row: FileRow, timeouts: int, now: int) -> Request:
        """The next call for ``row``, which has timed out ``timeouts`` times."""
        self._since = now
        at = self._open.get(row.sha256)
        if at is not None:
            size = min(self.chunks.size, row.size - at.offset)
            return Request(
                "patch", "PATCH", at.path, self._policy.file_timeout(size, timeouts),
                headers={**TUS, "Content-Type": _BYTES, "Upload-Offset": str(at.offset)},
                evidence=row.sha256, part=(at.offset, size), ids=(row.sha256,),
            )  # fmt: skip
        if row.size > self.chunks.size and row.sha256 not in self._plain:
            return Request(
                "open", "POST", UPLOADS, self._policy.call_timeout_ms, ids=(row.sha256,),
                headers={**TUS, "Upload-Length": str(row.size), "Upload-Metadata": _metadata(row)},
            )  # fmt: skip
        return Request(
            "put", "PUT", EVIDENCE + quote(row.sha256), self._policy.file_timeout(row.size, timeouts),
            headers={"Content-Type": row.media, HEADER_EVIDENCE_KIND: row.kind,
                     **({HEADER_PREVIEW_OF: row.of} if row.of else {})},
            evidence=row.sha256, ids=(row.sha256,), note=row.size,
        )  # fmt: skip

    def learn(
        self, request: Request, answer: Answer, row: FileRow, key: bytes, epoch: str, now: int
    ) -> Learned | None:
        """What a good answer to ``request`` says: a receipt, or (nothing in it) that the file is not whole there yet.
        None when it is no answer of our server."""
        before = self._open.pop(row.sha256, None)
        sealed = answer.data if request.purpose == "put" else _sealed(answer)
        if sealed or request.purpose == "put":
            learned = read_put(sealed, row, key, epoch)
            if learned.marks and request.evidence is not None:
                self._went(request, row, now)
            return learned
        offset = answer.headers.get("upload-offset", "")
        place = before.path if before else urlsplit(answer.headers.get("location", "")).path
        if not (offset.isascii() and offset.isdigit() and len(offset) < 16) or not place.startswith(UPLOADS + "/"):
            return None
        # An offset at the end without a receipt: the server says it has all and does not say that it holds it.
        if int(offset) >= row.size or (request.part and int(offset) <= request.part[0]):
            return None
        if request.part:
            self._went(request, row, now)
        self._open[row.sha256] = _Open(place, int(offset))
        return Learned()

    def _went(self, request: Request, row: FileRow, now: int) -> None:
        self.chunks.went(request.part[1] if request.part else row.size, now - self._since)
        self._astray.pop(row.sha256, None)

    def failed(self, request: Request, answer: Answer) -> bool:
        """A call about a file failed. True: it is nobody's fault, and the next call puts it right."""
        sha = request.ids[0]
        self._open.pop(sha, None)
        if answer.status == 413 and not answer.ours:
            return self._let_through(request, sha)
        if not answer.ours:
            if request.part and answer.code == "evidence-unknown":
                self._plain.add(sha)  # the file is shorter than our record says: a PUT asks for no length
                return True
            if request.evidence is not None and answer.code in ("time-out", "connection-cut", "offline"):
                self.chunks.broke()
            return False
        if request.purpose == "open" and answer.code in ("not-found", "method-not-allowed", "upload-too-many"):
            self._plain.add(sha)  # an older server, or one where too much of ours lies begun: whole files it takes
            return True
        if request.purpose == "patch" and answer.code == "evidence-hash-mismatch":
            self._plain.add(sha)  # perhaps the size in our record is wrong, which a PUT does not ask about
        self._astray[sha] = self._astray.get(sha, 0) + 1
        return answer.code in _ASK_AGAIN and self._astray[sha] < _MANY

    def _let_through(self, request: Request, sha: str) -> bool:
        """A proxy found a body too large: smaller ones are tried. False when even the least did not get through."""
        size = request.part[1] if request.part else request.note if request.purpose == "put" else 0
        smaller = sha not in self._plain and self.chunks.refused(size)
        if not smaller and self._refused is not None:
            self._refused.add(sha)
        return smaller

    def again(self, sha256: str) -> bool:
        """Whether a file that was set aside as too large for the way goes again: once on each other network."""
        return self._refused is not None and sha256 not in self._refused

    def anew(self, network: bool) -> None:
        """Another life of the server, or (``network``) another network to it: nothing that was learned holds."""
        self._open.clear()
        if network:
            self.chunks.anew()
            self._refused = set()
        else:
            self._plain.clear()
