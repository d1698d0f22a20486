"""What every request of a tablet passes first: no cookies, a bounded body, a protocol that we speak.

Every answer, also of a failure, carries our protocol and the epoch of the database: only so does a tablet know
that the answer is ours. Beside them stands the largest file that we take, so that a tablet learns of another limit.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sync.records.problems import Problem
from sync.records.protocol import HEADER_EPOCH, HEADER_LARGEST, HEADER_PROTOCOL, OLDEST_PROTOCOL, PROTOCOL
from sync.server.api.errors import problem_response
from sync.server.casework.city import City

MAX_JSON_BYTES = 16 * 1024 * 1024
IDLE_S = 60
"""A body of which nothing comes for so many seconds is given up; a slow one, of which something comes, is not."""
_ANY_PROTOCOL = ("/hello", "/openapi.json")
EPOCH = "siltwatch.epoch"
"""Under this name a scope holds the epoch, where it was asked for already."""
_EPOCH = HEADER_EPOCH.lower().encode()
_LARGEST = HEADER_LARGEST.lower().encode()
_MARKS = [
    (HEADER_PROTOCOL.lower().encode(), str(PROTOCOL).encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; sandbox"),
]
_FRESH = (b"cache-control", b"no-store")


def _marks(city: City) -> list[tuple[bytes, bytes]]:
    return [*_MARKS, (_LARGEST, str(city.evidence_bytes).encode())]


def plain_fields(city: City) -> bytes:
    """The marks of an answer as they are written, for one that names no cache of its own."""
    return b"".join(b"%s: %s\r\n" % mark for mark in (*_marks(city), _FRESH))


def epoch_field(epoch: str) -> bytes:
    """And the one that tells the epoch."""
    return b"%s: %s\r\n" % (_EPOCH, epoch.encode())


def _check_protocol(headers: Headers) -> None:
    given = headers.get(HEADER_PROTOCOL)
    if given is None:
        raise Problem("protocol-missing", f"send the header {HEADER_PROTOCOL}", where=HEADER_PROTOCOL)
    if not (given.isascii() and given.isdigit()) or len(given) > 6:
        raise Problem("protocol-missing", f"{HEADER_PROTOCOL} is a whole number", where=HEADER_PROTOCOL)
    if int(given) > PROTOCOL:
        raise Problem("protocol-too-new", f"the server speaks up to protocol {PROTOCOL}", where=HEADER_PROTOCOL)
    if int(given) < OLDEST_PROTOCOL:
        raise Problem("protocol-too-old", f"the server speaks protocol {OLDEST_PROTOCOL} and later",
                      where=HEADER_PROTOCOL)


class Guard:
    """ASGI middleware around the tablets' interface."""

    lane: Any = None

    def __init__(self, app: ASGIApp, city: City):
        self._app = app
        self._city = city
        self._marks = _marks(city)
        self._epoch = ""

    def _epoch_mark(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """While the database is away, the one that was told last: by it a tablet knows the answer for ours."""
        try:
            self._epoch = scope.get(EPOCH) or self._city.epoch()
        except Problem:
            if not self._epoch:
                return []
        return [(_EPOCH, self._epoch.encode())]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        begun = False

        async def marked(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                own = [*self._marks, *self._epoch_mark(scope)]
                begun = True
                if all(name.lower() != b"cache-control" for name, _ in message["headers"]):
                    own.append(_FRESH)
                message["headers"] = [*message["headers"], *own]
            await send(message)

        path = scope["path"].removeprefix(scope.get("root_path", ""))
        raw_body = path.startswith(("/evidence/", "/uploads"))
        free = path in _ANY_PROTOCOL or (scope["method"] == "OPTIONS" and path.startswith("/uploads"))
        left, more = MAX_JSON_BYTES, True

        async def bounded() -> Message:
            nonlocal left, more
            if not more:  # the whole body is here: this waits for the end of the connection, as long as it takes
                return await receive()
            try:
                async with asyncio.timeout(IDLE_S):
                    message = await receive()
            except TimeoutError:
                more = False
                raise Problem("transfer-idle", f"no byte came for {IDLE_S} seconds") from None
            more = message["type"] == "http.request" and message.get("more_body", False)
            if message["type"] == "http.request" and not raw_body:
                left -= len(message.get("body", b""))
                if left < 0:
                    raise Problem("wire-too-large", f"a message has at most {MAX_JSON_BYTES} bytes")
            return message

        try:
            if "cookie" in headers:
                raise Problem("cookie-refused")
            if not free:
                _check_protocol(headers)
            length = headers.get("content-length", "0")
            if not raw_body and length.isascii() and length.isdigit() and int(length[:12]) > MAX_JSON_BYTES:
                raise Problem("wire-too-large", f"a message has at most {MAX_JSON_BYTES} bytes")
        except Problem as problem:
            await problem_response(problem)(scope, receive, marked)
            return
        try:
            await self._app(scope, bounded, marked)
        except Exception:
            # Already answered as "server-failed" and logged (see errors); raising on would only cut the connection.
            if not begun:
                raise
