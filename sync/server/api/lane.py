"""The short way for the two requests that make up a tablet's day: records handed over, and files.

They come by the hundred from every tablet in the evening, and the framework's way to a handler costs more than the
handling. Here they go to the same functions as the declared routes (see `sending`), which stay what is documented.
Whatever is not plain (no token, another path, a body that is no such message) takes the ordinary way with its answers.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sync.records.macs import is_fingerprint
from sync.records.protocol import MAX_BATCH
from sync.records.wire import encode
from sync.server.api.errors import answer_to
from sync.server.api.guard import EPOCH
from sync.server.api.hands import Call, Hands
from sync.server.api.sending import Push, take_file
from sync.server.casework.city import City
from sync.server.casework.enrolment import Tablet, tablet_at_a_glance
from sync.server.gathering import BODY

_EVIDENCE = "/evidence/"
FEW = 4


class Lane:
    """ASGI middleware around the application that has all routes."""

    def __init__(self, app: ASGIApp, city: City) -> None:
        self._app, self._city = app, city
        self._hands = Hands(city)
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._under_way += 1
        try:
            content, receive = await self._taken(scope, receive) if scope["type"] == "http" else (None, receive)
        except Exception as error:
            await answer_to(Request(scope), error)(scope, receive, send)
            return
        finally:
            self._under_way -= 1
        if content is None:
            await self._app(scope, receive, send)
        else:
            await _answer(send, content)

    async def _taken(self, scope: Scope, receive: Receive) -> tuple[Any | None, Receive]:
        """The answer; None, and how to read the request, where it takes the ordinary way."""
        path, method = scope["path"].removeprefix(scope.get("root_path", "")), scope["method"]
        if method == "PUT" and path.startswith(_EVIDENCE):
            return await self._file(path[len(_EVIDENCE):], scope, receive), receive
        if method == "POST" and path == "/facts":
            return await self._facts(scope, receive)
        return None, receive

    async def _do(self, call: Call) -> Any:
        """Alone: nothing else is on its way to us, and the call is a file or a few records."""
        few = not isinstance(call, Push) or call.size <= FEW
        return await self._hands.do(call, alone=few and self._under_way == 1)

    def _tablet(self, scope: Scope, headers: dict[str, str]) -> Tablet | None:
        """The tablet, None where finding it out needs the ordinary way."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            return None
        found = tablet_at_a_glance(self._city, token.strip())
        if found is not None:
            scope[EPOCH] = found.epoch
        return found

    async def _file(self, sha256: str, scope: Scope, receive: Receive) -> Any | None:
        headers = _headers(scope)
        tablet = self._tablet(scope, headers)
        if tablet is None or not is_fingerprint(sha256):
            return None
        kind = headers.get("siltwatch-evidence-kind", "photo")
        of, length = headers.get("siltwatch-preview-of", ""), headers.get("content-length", "")
        pieces = _pieces(receive) if (body := scope.get(BODY)) is None else _whole(body)
        return await take_file(self._city, tablet, sha256, kind, of, length, pieces, self._do)

    async def _facts(self, scope: Scope, receive: Receive) -> tuple[Any | None, Receive]:
        headers = _headers(scope)
        tablet = self._tablet(scope, headers)
        if tablet is None or not headers.get("content-type", "").startswith("application/json"):
            return None, receive
        body, gathered = scope.get(BODY), True
        if body is None:
            body, gathered = b"".join([piece async for piece in _pieces(receive)]), False
        try:
            ask = json.loads(body)
        except (ValueError, RecursionError):
            ask = None
        if not (isinstance(ask, dict) and ask.keys() == {"items"} and isinstance(ask["items"], list)
                and 1 <= len(ask["items"]) <= MAX_BATCH):
            return None, receive if gathered else _again(body, receive)
        return await self._do(Push(self._city, tablet, ask["items"])), receive


def _headers(scope: Scope) -> dict[str, str]:
    """By name; of two of one name the first."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    """The body as it comes. Raises ClientDisconnect when the sender goes away before its end."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        if piece := message.get("body", b""):
            yield piece


async def _whole(body: bytes) -> AsyncIterator[bytes]:
    if body:
        yield body


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read already, for somebody who wants to read it."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def found() -> Message:
        return left.pop() if left else await receive()

    return found


async def _answer(send: Send, content: Any) -> None:
    data = encode(content)
    await send({"type": "http.response.start", "status": 200, "headers": [
        (b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]})
    await send({"type": "http.response.body", "body": data})
