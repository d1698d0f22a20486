"""One HTTP call and its answer, as plain data: what the engine asks for and what a transport brings back.

A transport never follows a redirect, never sends cookies, never raises for what the network does: a failure is a
Reply with ``failure`` set. Whether an answer is ours is decided in `sync.client.replies`, not by a transport.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from sync.records.protocol import HEADER_PROTOCOL, HEADER_WITNESS, PROTOCOL

# The kinds of failure of a transport. "local": the file to send cannot be read on this tablet.
OFFLINE, TIMEOUT, CUT, INSECURE, REDIRECT, LOCAL = "offline", "timeout", "cut", "insecure", "redirect", "local"
MAX_REPLY_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """One call. ``path`` begins with "/"; ``evidence`` names the file that is the body; ``timeout_ms`` for all of it.

    ``part`` (offset, size in bytes): only that part of the file is the body.
    ``purpose`` is the engine's own note of what it asked (hello, push, receipts, pull, lease, put, open, patch; enrol,
    signin);
    ``ids`` are the items it is about, in order. ``anonymous``: goes out without the token, for it may meet a stranger.
    """

    purpose: str
    method: str
    path: str
    timeout_ms: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    evidence: str | None = None
    part: tuple[int, int] | None = None
    ids: tuple[str, ...] = ()
    note: Any = None
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """No call before ``until`` (monotonic ms); None: until something wakes the lane."""

    until: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. ``status`` 0 and ``failure`` set when nothing did; header names are lower case."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    failure: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to call and as whom: ``server`` is the origin without a trailing slash; ``token`` None before enrolment;
    ``witness`` is the latest that the server gave, "" before it gave one."""

    server: str
    token: str | None = field(default=None, repr=False)
    witness: str = field(default="", repr=False)

    def headers(self, request: Request) -> dict[str, str]:
        """All headers of ``request``, the bearer token included unless the call is anonymous."""
        found = {HEADER_PROTOCOL: str(PROTOCOL), "Accept": "application/json", **request.headers}
        if self.token and not request.anonymous:
            found["Authorization"] = f"Bearer {self.token}"
            if self.witness:
                found[HEADER_WITNESS] = self.witness
        return found


# Of an answer that is to be kept: how many bytes of its body belong to what was asked for, by status and headers (lower
# case); None when it is not that.
Room = Callable[[int, dict[str, str]], int | None]


class Transport(Protocol):
    """Brings one request to the server and the reply back."""

    async def send(
        self, target: Target, request: Request, body: Any = None, progress: Callable[[int], None] | None = None
    ) -> Reply:
        """``body`` is what the outbox port gave for ``request.evidence`` (bytes, a file, a JS File), else None.

        ``progress`` is told how many bytes of the body have gone out, where the platform can tell; it may be called
        from another thread. Raises nothing that the network can cause; cancelling the call gives it up.
        """
        ...

    async def download(self, target: Target, request: Request, sink: Any, room: Room) -> Reply:
        """As ``send``, but the body goes into ``sink`` (of a `FetchedBox`) as far as ``room`` says, and not into
        memory. Raises Problem when the sink has no room."""
        ...
